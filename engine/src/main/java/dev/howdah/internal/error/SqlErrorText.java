package dev.howdah.internal.error;

import java.sql.SQLException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The text of an error of the database for a user: its message, detail and hint, without the functions in which it was raised. */
public final class SqlErrorText {
    private SqlErrorText() {}

    /** In a few words; never null. */
    public static String of(SQLException e) {
        ServerErrorMessage said = e instanceof PSQLException failed ? failed.getServerErrorMessage() : null;
        if (said == null || said.getMessage() == null) return String.valueOf(e.getMessage());
        StringBuilder text = new StringBuilder(said.getMessage());
        if (said.getDetail() != null) text.append(": ").append(said.getDetail());
        if (said.getHint() != null) text.append(" (").append(said.getHint()).append(')');
        return text.toString();
    }
}
