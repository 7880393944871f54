package dev.howdah.job.internal.batch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How many jobs of log queues are done, by lane and kind: no row says it of each. For one thread at a time. */
final class DoneCounts {
    private record Line(int lane, String kind) {}

    private static final class Count {
        private long done;
        private long micros;
        private long longest;
    }

    private final Map<Line, Count> counts = new LinkedHashMap<>();

    /** @param jobs their positions in the batch */
    void add(ClaimedBatch batch, List<Integer> jobs) {
        @Nullable Count last = null;
        @Nullable String kind = null;
        for (int i : jobs) {
            String next = batch.kind(i);
            if (last == null || !next.equals(kind)) {
                kind = next;
                last = counts.computeIfAbsent(new Line(batch.lane().id(), next), line -> new Count());
            }
            last.done++;
            last.micros += batch.runs(i);
            last.longest = Math.max(last.longest, batch.runs(i));
        }
    }

    boolean isEmpty() {
        return counts.isEmpty();
    }

    /** The values of the statement {@code log_note}. */
    Object[] values() {
        List<Integer> lanes = new ArrayList<>();
        List<String> kinds = new ArrayList<>();
        List<Long> done = new ArrayList<>();
        List<Long> micros = new ArrayList<>();
        List<Long> longest = new ArrayList<>();
        counts.forEach((line, count) -> {
            lanes.add(line.lane());
            kinds.add(line.kind());
            done.add(count.done);
            micros.add(count.micros);
            longest.add(count.longest);
        });
        return new Object[] {
            lanes.toArray(Integer[]::new),
            kinds.toArray(String[]::new),
            done.toArray(Long[]::new),
            micros.toArray(Long[]::new),
            longest.toArray(Long[]::new)
        };
    }
}
