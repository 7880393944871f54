package dev.howdah.job.internal.insert;

import dev.howdah.job.internal.store.JobPayloads;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that are written together and differ in nothing but their payloads. One with a large payload is alone.
 *
 * @param payloads JSON, at most {@link #MOST}
 */
public record InsertBatch(InsertTemplate template, List<String> payloads) {
    /** As many as one statement writes. */
    public static final int MOST = 5_000;

    int size() {
        return payloads.size();
    }

    boolean isLarge() {
        return size() == 1 && JobPayloads.isLarge(payloads.get(0));
    }

    /** The same jobs in the same order, in as few batches as that allows. */
    public static List<InsertBatch> of(List<InsertRow> insertRows) {
        Collector batches = new Collector();
        for (InsertRow each : insertRows) batches.add(each.template(), each.payload());
        return batches.batches();
    }

    /** Makes batches of jobs that come one after the other. */
    static final class Collector {
        private final List<InsertBatch> batches = new ArrayList<>();
        private List<String> open = List.of();
        private @Nullable InsertTemplate template;

        void add(InsertTemplate next, String payload) {
            boolean large = JobPayloads.isLarge(payload);
            InsertTemplate last = template;
            if (last == null || large || open.size() >= MOST || (next != last && !next.isLike(last))) {
                open = new ArrayList<>();
                batches.add(new InsertBatch(next, open));
                template = large ? null : next;
            }
            open.add(payload);
        }

        List<InsertBatch> batches() {
            return batches;
        }
    }
}
