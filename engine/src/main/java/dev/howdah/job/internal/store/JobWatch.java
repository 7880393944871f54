package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.run.SeenIds;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.query.JobEvent;
import dev.howdah.job.query.JobEvents;
import dev.howdah.job.query.JobState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds what became of jobs since an earlier look, without a note of each change. Safe for use by many threads. */
public final class JobWatch {
    private static final Sql MARK = JobSql.QUERY.statement("job_watch_mark");
    private static final Sql EVENTS = JobSql.QUERY.statement("job_watch_events", WatchedSince.class);

    /** Batches whose claim commits later than that of a later batch are found for so long, in microseconds. */
    private static final long OVERLAP_MICROS = 3_000_000;

    private final JobStatements statements;

    public JobWatch(ConnectionSource source) {
        this.statements = new JobStatements(source);
    }

    /** Of one job there are several rows at most, and rows of the look before come again while an older transaction runs. */
    private static final int ROWS_OF_A_JOB = 4;

    /** What the statement looks for, by the names of its parameters. */
    private record WatchedSince(
            Long[] open, Long[] floors, Long[] times, long afterBatch, Long[] batches, String seen, int most) {}

    private record Mark(long lastJob, long lastBatch, List<Long> open, String seen, long millis) {}

    /**
     * @param before the last look; null: this is the first one, which finds no events
     * @param most how many jobs are named
     */
    public JobEvents events(@Nullable JobEvents before, int most) {
        Mark now = statements
                .list(
                        MARK,
                        row -> new Mark(
                                row.getLong("last_job"),
                                row.getLong("last_batch"),
                                List.of((Long[]) row.getArray("open").getArray()),
                                row.getString("seen"),
                                row.getLong("millis")))
                .get(0);
        SeenIds seen = SeenIds.read(before == null ? null : before.seen());
        String next =
                SeenIds.after(seen, now.seen(), now.millis(), now.lastJob()).text();
        if (before == null || seen == null) return new JobEvents(List.of(), false, now.lastBatch(), now.open(), next);
        int rows = most * ROWS_OF_A_JOB;
        List<JobEvent> found = statements.list(
                EVENTS,
                row -> new JobEvent(
                        row.getLong("id"),
                        row.getString("queue"),
                        row.getString("kind"),
                        JobState.valueOf(row.getString("state")),
                        row.getInt("attempt"),
                        row.getString("key"),
                        JobOptions.texts(row.getString("tags")),
                        row.getString("metadata"),
                        row.getString("error")),
                new WatchedSince(
                        seen.numbers(),
                        seen.floors(),
                        seen.times(),
                        before.lastBatch() - OVERLAP_MICROS,
                        before.openBatches().toArray(Long[]::new),
                        seen.snapshot(),
                        rows));
        // Of one job the last row is what it is now.
        Map<Long, JobEvent> byJob = new LinkedHashMap<>();
        for (JobEvent each : found) byJob.put(each.id(), each);
        return new JobEvents(
                List.copyOf(byJob.values()),
                found.size() >= rows,
                Math.max(before.lastBatch(), now.lastBatch()),
                now.open(),
                next);
    }
}
