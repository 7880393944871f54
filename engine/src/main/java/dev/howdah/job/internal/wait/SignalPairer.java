package dev.howdah.job.internal.wait;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Wakes suspended jobs whose waits have a signal; {@code 001-job/signal.sql} describes the protocol. */
public final class SignalPairer {
    private static final Sql PAIR = JobSql.WAIT.statement("signal_pair");
    private static final int MARKS = 1_000;

    private SignalPairer() {}

    /**
     * What one look has found.
     *
     * @param looked how many signals and waits were compared
     * @param woken how many jobs are due now
     * @param waiting how many jobs other sessions held
     */
    public record Look(long looked, long woken, long waiting) {
        /** Returns whether there may be more to compare. */
        public boolean isFull() {
            return looked >= MARKS;
        }
    }

    /** Looks once. */
    public static Look pair(JobSession session) throws SQLException {
        try (ResultSet row = session.query(PAIR, MARKS)) {
            row.next();
            return new Look(row.getLong("looked"), row.getLong("woken"), row.getLong("waiting"));
        }
    }
}
