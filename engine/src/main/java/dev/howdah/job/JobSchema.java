package dev.howdah.job;

import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables of the jobs, version by version. */
final class JobSchema {
    private static final Logger log = LoggerFactory.getLogger(JobSchema.class);
    /** In the order of their versions, from 1. */
    private static final List<String> MIGRATIONS = List.of(
            "1-job-table.sql",
            "2-schedule-table.sql",
            "3-stat-table.sql",
            "4-key-table.sql",
            "5-order-table.sql",
            "6-stage-table.sql",
            "7-limit-table.sql",
            "8-hand-table.sql");

    private JobSchema() {}

    /** Brings the tables to the newest version; whoever comes second waits for the first. */
    static void migrate(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection()) {
            migrate(connection);
        }
    }

    /** In that connection, which is in autocommit mode before and after. */
    static void migrate(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (version(statement) >= MIGRATIONS.size()) return;
            connection.setAutoCommit(false);
            try {
                statement.execute("SELECT pg_advisory_xact_lock(1215264877, 0)");
                for (int version = version(statement); version < MIGRATIONS.size(); version++) {
                    SqlFile file = SqlFile.of(JobSchema.class, MIGRATIONS.get(version));
                    for (String name : file.names()) statement.execute(file.text(name));
                    log.info("the tables of jobs are of version {} now", version + 1);
                }
                connection.commit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    /** All of it as one SQL text, for those who do not let programs make tables. */
    static String text() {
        StringBuilder text = new StringBuilder("BEGIN;\n");
        for (String migration : MIGRATIONS) {
            SqlFile file = SqlFile.of(JobSchema.class, migration);
            for (String name : file.names())
                text.append('\n').append(file.text(name)).append(";\n");
        }
        return text.append("\nCOMMIT;\n").toString();
    }

    private static int version(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT to_regclass('howdah.migration') IS NOT NULL")) {
            row.next();
            if (!row.getBoolean(1)) return 0;
        }
        try (ResultSet row = statement.executeQuery(
                "SELECT COALESCE(max(version), 0) FROM howdah.migration WHERE feature = 'job'")) {
            row.next();
            return row.getInt(1);
        }
    }
}
