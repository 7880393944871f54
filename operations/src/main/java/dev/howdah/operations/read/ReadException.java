package dev.howdah.operations.read;

import dev.howdah.internal.error.SqlErrorText;
import java.sql.SQLException;

/** The database has not answered a statement of the console. */
public final class ReadException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ReadException(SQLException cause) {
        super(SqlErrorText.of(cause), cause);
    }
}
