package dev.howdah.job.internal.store;

import dev.howdah.internal.node.NodeSql;
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
    private static final Sql ALIVE = NodeSql.NODE.statement("node_alive");
    private static final Sql INSTALLED = NodeSql.NODE.statement("node_installed");
    private static final Sql FORGET = NodeSql.NODE.statement("node_forget");
    private static final Sql LEFT = JobSql.NODE.statement("job_count_left");

    private SchemaUninstaller() {}

    /** @param force even if nodes work, and jobs wait */
    public static void run(Connection connection, boolean force) throws SQLException {
        Transactions.run(connection, () -> {
            if (!force) {
                String nodes = answer(connection, ALIVE, JobSql.FEATURE);
                if (nodes != null) throw new JobsException("nodes still work here: " + nodes + "; stop them first");
                String jobs = answer(connection, LEFT);
                if (jobs != null) throw new JobsException("jobs are still there: " + jobs);
            }
            JobSchema.MIGRATIONS.remove(connection);
            if ("t".equals(answer(connection, INSTALLED))) forget(connection);
        });
    }

    /** The nodes of other features stay. */
    private static void forget(Connection connection) throws SQLException {
        try (PreparedStatement statement = FORGET.prepare(connection, JobSql.FEATURE)) {
            statement.execute();
        }
    }

    private static @Nullable String answer(Connection connection, Sql sql, Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getString(1) : null;
        }
    }
}
