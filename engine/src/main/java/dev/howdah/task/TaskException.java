package dev.howdah.task;

import java.sql.SQLException;
import java.util.Objects;

/** Thrown when the database refuses an operation on the table of tasks or cannot be reached. The cause is the driver's exception. */
public final class TaskException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final SQLException failure;

    public TaskException(SQLException failure) {
        super(failure.getMessage(), failure);
        this.failure = failure;
    }

    /** Returns the SQLSTATE, such as {@code 42501} for a missing privilege; empty if the driver named none. */
    public String sqlState() {
        return Objects.requireNonNullElse(failure.getSQLState(), "");
    }

    @Override
    public synchronized SQLException getCause() {
        return failure;
    }
}
