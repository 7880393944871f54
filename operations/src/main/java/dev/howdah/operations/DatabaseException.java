package dev.howdah.operations;

import java.sql.SQLException;

/** The database has refused a statement of an operation, or could not be asked. */
public final class DatabaseException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient SQLException refusal;

    public DatabaseException(SQLException cause) {
        super(cause.getMessage(), cause);
        this.refusal = cause;
    }

    /** What the database said. */
    public SQLException refusal() {
        return refusal;
    }
}
