package dev.howdah.job.query;

import java.util.List;

/**
 * What became of jobs since an earlier look, see {@link dev.howdah.job.JobAdmin#events}.
 *
 * @param events one for each job, in no order; the same as at the look before where the two overlap
 * @param hasMore whether more happened than is named
 * @param lastBatch up to which batch of claimed jobs was looked
 * @param openBatches the batches whose jobs run; of more than 200 the newest
 * @param seen which ids and transactions the look has seen, as the next look reads it
 */
public record JobEvents(List<JobEvent> events, boolean hasMore, long lastBatch, List<Long> openBatches, String seen) {
    /** Copies the lists. */
    public JobEvents {
        events = List.copyOf(events);
        openBatches = List.copyOf(openBatches);
    }
}
