package dev.howdah.internal.health;

import dev.howdah.health.Cause;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads rows of the functions that say why something does not run. */
public final class CauseRows {
    private CauseRows() {}

    /** The cause in a row with the columns code, sentence, detail and remedy. */
    public static Cause cause(ResultSet row) throws SQLException {
        String detail = row.getString("detail");
        return new Cause(
                row.getString("code"),
                row.getString("sentence"),
                detail == null ? "{}" : detail,
                row.getString("remedy"));
    }
}
