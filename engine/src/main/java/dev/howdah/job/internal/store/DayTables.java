package dev.howdah.job.internal.store;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables of the coming days, without which no job can be claimed. */
public final class DayTables {
    private static final Logger log = LoggerFactory.getLogger(DayTables.class);
    private static final Sql MAKE_DAYS = JobSql.NODE.statement("day_make");
    private static final Sql MAY_MAKE_DAYS = JobSql.NODE.statement("day_may_make");

    private DayTables() {}

    /** Makes those that are missing. @param connection in autocommit mode */
    public static void make(Connection connection) throws SQLException {
        if (!answer(connection, MAY_MAKE_DAYS).equals("t")) return;
        try {
            answer(connection, MAKE_DAYS);
        } catch (SQLException e) {
            if (!SqlErrors.isLockNotAvailable(e)) throw e;
            log.warn("the tables for the next days could not be made yet, it will be tried again: {}", e.getMessage());
        }
    }

    private static String answer(Connection connection, Sql sql) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }
}
