package dev.howdah.job.internal.batch;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes batches of what claims answer, with the payloads that are stored apart. For one thread at a time. */
final class ClaimReader {
    private static final Sql BODIES = JobSql.JOB.statement("body_read");

    private final JobSession session;
    private final int node;
    private final BatchMetrics metrics;

    ClaimReader(JobSession session, int node, BatchMetrics metrics) {
        this.session = session;
        this.node = node;
        this.metrics = metrics;
    }

    /**
     * The batches of a claim.
     *
     * @param most how many jobs the claim was for
     * @param width how many of the jobs run at the same time at most; null: as many as there are workers
     * @param token of the claim
     */
    BatchStore.Claimed batches(Lane lane, int most, @Nullable BatchWidth width, ClaimResult taken, long token)
            throws SQLException {
        return batches(lane, most, width, taken, token, false);
    }

    /** The same of a log queue. */
    BatchStore.Claimed leases(Lane lane, int most, ClaimResult taken, long token) throws SQLException {
        return batches(lane, most, null, taken, token, true);
    }

    private BatchStore.Claimed batches(
            Lane lane, int most, @Nullable BatchWidth width, ClaimResult taken, long token, boolean lease)
            throws SQLException {
        List<ClaimedBatch> batches = new ArrayList<>(taken.batches().size());
        for (long batch : taken.batches())
            batches.add(new ClaimedBatch(
                    node,
                    new ClaimId(batch, token),
                    lane,
                    taken.kinds.get(batch),
                    withBodies(taken.jobs(batch)),
                    width,
                    lease,
                    taken.day));
        batches.forEach(metrics::claimed);
        return new BatchStore.Claimed(batches, most, taken.jobs(), taken.lows, taken.paused, taken.lane());
    }

    private List<ClaimedJob> withBodies(List<ClaimedJob> jobs) throws SQLException {
        Long[] large =
                jobs.stream().filter(ClaimedJob::large).map(ClaimedJob::id).toArray(Long[]::new);
        if (large.length == 0) return jobs;
        Map<Long, String> bodies = new HashMap<>();
        try (ResultSet row = session.query(BODIES, (Object) large)) {
            while (row.next()) bodies.put(row.getLong(1), row.getString(2));
        }
        return jobs.stream()
                .map(job -> job.large() ? job.withPayload(bodies.get(job.id())) : job)
                .toList();
    }
}
