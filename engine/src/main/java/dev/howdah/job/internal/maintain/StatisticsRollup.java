package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Adds the counts of ended batches to the statistics, in small steps, so that no query has to read the whole history. */
public final class StatisticsRollup implements MaintenanceRunner.MaintenanceTask {
    private static final Sql PENDING = JobSql.STAT.statement("stat_pending");
    private static final Sql LOCK = JobSql.STAT.statement("stat_lock");
    private static final Sql STEP = JobSql.STAT.statement("stat_step");
    private static final Sql ADD_LOGS = JobSql.STAT.statement("stat_add_logs");
    private static final Sql LOOK = JobSql.STAT.statement("stat_look");
    private static final Sql FOLD = JobSql.STAT.statement("stat_fold");
    private static final Sql FOLD_TAGS = JobSql.STAT.statement("stat_fold_tags");
    private static final Sql FOLD_WAITS = JobSql.STAT.statement("stat_fold_waits");
    private static final int BATCHES = 200;
    private static final int MINUTES = 1_000;
    private static final long PAUSE_MILLIS = 10_100;
    /** Nothing is late by it: what is not added up yet is read from the history. */
    private static final long IDLE_MILLIS = 60_000;
    /** Of so many runs one folds old minutes, and not the first one: a node that starts has other things to do. */
    private static final int FOLD_EVERY = 60;

    private final JobMetrics metrics;
    private int runs;

    public StatisticsRollup(JobMetrics metrics) {
        this.metrics = metrics;
    }

    @Override
    public long run(JobSession session) throws SQLException {
        long counted = isPending(session) ? step(session) : 0;
        if (counted >= BATCHES) return 0;
        if (++runs % FOLD_EVERY == FOLD_EVERY / 10) {
            session.update(FOLD, MINUTES);
            session.update(FOLD_TAGS, MINUTES);
            while (session.update(FOLD_WAITS, MINUTES) > 0)
                ;
        }
        return counted > 0 ? PAUSE_MILLIS : IDLE_MILLIS;
    }

    private static boolean isPending(JobSession session) throws SQLException {
        try (ResultSet row = session.query(PENDING)) {
            return row.next() && row.getBoolean(1);
        }
    }

    private long step(JobSession session) throws SQLException {
        TagCounts tags = new TagCounts();
        long followed = Transactions.in(session.connection(), () -> {
            try (ResultSet row = session.query(LOCK)) {
                if (!row.next() || !row.getBoolean(1)) return 0L;
            }
            long counted = 0;
            try (ResultSet row = session.query(STEP, BATCHES)) {
                if (row.next()) {
                    counted = row.getLong(1);
                    tags.read(row.getString(3));
                }
            }
            if (counted < BATCHES) session.update(LOOK);
            try (ResultSet row = session.query(ADD_LOGS, BATCHES)) {
                if (row.next()) counted = Math.max(counted, row.getLong(1));
            }
            return counted;
        });
        // Counted when that is committed: by one node at a time.
        tags.addTo(metrics);
        return followed;
    }
}
