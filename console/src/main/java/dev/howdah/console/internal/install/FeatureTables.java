package dev.howdah.console.internal.install;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.MissingPrivilege;
import dev.howdah.operations.read.ReadException;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Creates and drops the tables of a feature. Safe for use by many threads. */
final class FeatureTables {
    private static final SqlFile FILE = SqlFile.of(FeatureTables.class, "install.sql");
    private static final Sql TIMEOUT = FILE.statement("session_timeout");
    private static final Sql SET_TIMEOUT = FILE.statement("session_set_timeout");

    private final ConsoleData data;
    private final EngineReads queries;

    FeatureTables(ConsoleData data) {
        this.data = data;
        this.queries = new EngineReads(data.source(), data.schema());
    }

    boolean areThere(Feature feature) {
        return feature.isIn(queries.installed());
    }

    /**
     * Creates them, or brings them up to date; their owner is the role of the console.
     *
     * @throws ReadException if the database refuses it; if a privilege is missing, with the GRANT
     */
    void create(Feature feature) {
        change(feature, "created", connection -> create(feature, connection));
    }

    /**
     * Drops them with their rows.
     *
     * @param force also where nodes work, or jobs, processes or sweeps have not ended
     * @throws IllegalStateException if some do, and it is not forced
     * @throws ReadException if the database refuses it
     */
    void drop(Feature feature, boolean force) {
        change(feature, "dropped", connection -> {
            try {
                switch (feature) {
                    case JOBS -> Jobs.uninstall(connection, data.schema(), force);
                    case PROCESSES -> Processes.uninstall(connection, data.schema(), force);
                    case SWEEPS -> Sweep.uninstall(connection, force);
                }
            } catch (JobsException | SweepException e) {
                if (e.getCause() instanceof SQLException cause) throw cause;
                throw new IllegalStateException(e.getMessage(), e);
            }
        });
    }

    private interface Change {
        void make(Connection connection) throws SQLException;
    }

    private void change(Feature feature, String participle, Change change) {
        try (Connection connection = data.source().getConnection()) {
            try {
                String usual = text(connection, TIMEOUT);
                try {
                    // A hundred tables and functions take longer than a page may.
                    text(connection, SET_TIMEOUT, "120s");
                    change.make(connection);
                } finally {
                    text(connection, SET_TIMEOUT, usual);
                }
            } catch (SQLException | RuntimeException e) {
                SQLException missing = MissingPrivilege.of(
                        e, connection, data.schema(), "the tables of " + feature.word() + " were not " + participle);
                if (missing != null) throw missing;
                throw e;
            }
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    private void create(Feature feature, Connection connection) throws SQLException {
        switch (feature) {
            case JOBS -> Jobs.install(connection, data.schema());
            case PROCESSES -> Processes.install(connection, data.schema());
            case SWEEPS -> Sweep.install(connection);
        }
    }

    private static String text(Connection connection, Sql sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}
