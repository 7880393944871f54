package dev.howdah.job.internal.store;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.JobsException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Takes the tables of jobs out of a database. */
public final class SchemaUninstaller {
    private static final Sql ALIVE = JobSql.NODE.statement("node_alive");
    private static final Sql LEFT = JobSql.NODE.statement("job_count_left");

    private SchemaUninstaller() {}

    /** @param force even if nodes work, and jobs wait */
    public static void run(Connection connection, boolean force) throws SQLException {
        Transactions.run(connection, () -> {
            if (!force) {
                String nodes = answer(connection, ALIVE);
                if (nodes != null) throw new JobsException("nodes still work here: " + nodes + "; stop them first");
                String jobs = answer(connection, LEFT);
                if (jobs != null) throw new JobsException("jobs are still there: " + jobs);
            }
            JobSchema.MIGRATIONS.remove(connection);
        });
    }

    private static @Nullable String answer(Connection connection, Sql sql) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getString(1) : null;
        }
    }
}
