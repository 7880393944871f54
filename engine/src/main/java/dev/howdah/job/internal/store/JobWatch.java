package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.query.JobEvent;
import dev.howdah.job.query.JobEvents;
import dev.howdah.job.query.JobState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds what became of jobs since an earlier look, without a note of each change. Safe for use by many threads. */
public final class JobWatch {
    private static final Sql MARK = JobSql.QUERY.statement("job_watch_mark");
    private static final Sql EVENTS = JobSql.QUERY.statement("job_watch_events");

    /** Batches whose claim commits later than that of a later batch are found for so long, in microseconds. */
    private static final long OVERLAP_MICROS = 3_000_000;

    private final JobStatements statements;

    public JobWatch(ConnectionSource source) {
        this.statements = new JobStatements(source);
    }

    private record Mark(long lastJob, long lastBatch, List<Long> open) {}

    /**
     * @param before the last look; null: this is the first one, which finds no events
     * @param most how many jobs are named
     */
    public JobEvents events(@Nullable JobEvents before, int most) {
        Mark now = statements
                .list(
                        MARK,
                        row -> new Mark(row.getLong("last_job"), row.getLong("last_batch"), List.of((Long[])
                                row.getArray("open").getArray())))
                .get(0);
        if (before == null) return new JobEvents(List.of(), false, now.lastJob(), now.lastBatch(), now.open());
        List<JobEvent> found = statements.list(
                EVENTS,
                row -> new JobEvent(
                        row.getLong("id"),
                        row.getString("queue"),
                        row.getString("kind"),
                        JobState.valueOf(row.getString("state"))),
                before.lastJob(),
                before.lastBatch() - OVERLAP_MICROS,
                before.openBatches().toArray(Long[]::new),
                most + 1);
        // Of one job the last row is what it is now.
        Map<Long, JobEvent> byJob = new LinkedHashMap<>();
        for (JobEvent each : found) byJob.put(each.id(), each);
        List<JobEvent> events = new ArrayList<>(byJob.values());
        boolean more = events.size() > most;
        return new JobEvents(
                more ? events.subList(0, most) : events,
                more,
                Math.max(before.lastJob(), now.lastJob()),
                Math.max(before.lastBatch(), now.lastBatch()),
                now.open());
    }
}
