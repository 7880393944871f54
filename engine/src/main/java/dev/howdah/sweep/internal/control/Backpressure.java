package dev.howdah.sweep.internal.control;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.internal.store.SqlFragment;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import dev.howdah.sweep.internal.store.TargetTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When a sweep steps back. Asked about once a second; none of its questions may take longer than that.
 *
 * @param lag of the slowest standby at most; null: it does not matter
 * @param maintenance whether to step back while VACUUM and the like are at work on the table
 * @param query says true when the database suffers; null: there is none
 */
public record Backpressure(
        @Nullable Duration lag,
        boolean maintenance,
        @Nullable String query) {
    private static final Sql LAG = SweepSql.HEALTH.statement("health_lag");
    private static final Sql MAINTENANCE = SweepSql.HEALTH.statement("health_maintenance");
    private static final Sql WITHIN = SweepSql.HEALTH.statement("health_within");
    private static final String LONGEST_MILLIS = "900";
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What a session has to ask about the table. */
    public BackpressureProbe watch(TargetTable target) {
        if (lag == null && !maintenance && query == null) return BackpressureProbe.GOOD;
        return new BackpressureProbe() {
            private long askedNanos = System.nanoTime() - EVERY_NANOS;
            private @Nullable String known;

            @Override
            public @Nullable String complaint(DedicatedSession session) throws SQLException {
                if (System.nanoTime() - askedNanos < EVERY_NANOS) return known;
                known = ask(session, target);
                askedNanos = System.nanoTime();
                return known;
            }
        };
    }

    /** @throws SweepException if PostgreSQL does not take the user's query: the sweep would wait for ever */
    public void check(DedicatedSession session) throws SQLException {
        if (query == null) return;
        try {
            isSuffering(session, query);
        } catch (SQLException e) {
            // That it takes long may be what it is meant to find out.
            if (SqlErrors.isCanceled(e)) return;
            if (SqlErrors.isConnectionLost(e)) throw e;
            throw new SweepException(
                    "the query that says whether the database suffers is not accepted by PostgreSQL: "
                            + SweepSqlErrors.text(e) + ": " + SqlFragment.shown(query),
                    e);
        }
    }

    private @Nullable String ask(DedicatedSession session, TargetTable target) throws SQLException {
        String complaint = lag == null ? null : lagging(session, lag);
        if (complaint == null && maintenance) complaint = maintained(session, target);
        return complaint == null && query != null ? asked(session, query) : complaint;
    }

    private static @Nullable String lagging(DedicatedSession session, Duration most) throws SQLException {
        try (ResultSet row = session.query(LAG)) {
            row.next();
            double seconds = row.getDouble(1);
            if (row.getLong(2) > 0) return "the role may not see how far standbys are behind: GRANT pg_monitor to it";
            return seconds <= most.getSeconds() + most.getNano() / 1e9
                    ? null
                    : "a standby is " + Math.round(seconds) + " s behind";
        }
    }

    private static @Nullable String maintained(DedicatedSession session, TargetTable target) throws SQLException {
        try (ResultSet row = session.query(MAINTENANCE, target.oid())) {
            row.next();
            return row.getBoolean(1) ? "VACUUM or the like is at work on " + target.name() : null;
        }
    }

    private static @Nullable String asked(DedicatedSession session, String query) throws SQLException {
        try {
            return isSuffering(session, query) ? "the query of yours says that the database suffers" : null;
        } catch (SQLException e) {
            if (SqlErrors.isConnectionLost(e)) throw e;
            return "the query of yours that says whether the database suffers has failed: " + SweepSqlErrors.text(e);
        }
    }

    private static boolean isSuffering(DedicatedSession session, String query) throws SQLException {
        session.connection().setAutoCommit(false);
        try {
            session.query(WITHIN, LONGEST_MILLIS).close();
            try (Statement statement = session.connection().createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                return row.next() && row.getBoolean(1);
            }
        } finally {
            if (!session.connection().isClosed()) {
                session.connection().rollback();
                session.connection().setAutoCommit(true);
            }
        }
    }
}
