package dev.howdah.sweep;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far a sweep is, all processes together, as of half a second ago.
 *
 * @param name of the sweep
 * @param definition what is done to which rows: {@code table}, {@code where}, {@code key}, {@code order}, {@code mark}, {@code sql}, as far as they are set
 * @param started when it began
 * @param ended when it ended or was stopped; null: it has not
 * @param total how many rows were to do when it began; -1: not known yet
 * @param isTotalExact whether they were counted; else the total is the planner's estimate
 * @param done how many rows are done
 * @param failed how many rows have failed and are skipped
 * @param rowsPerSecond of late
 * @param throttle at most so many rows a second; 0: as many as can be
 * @param error why it has failed; null: it has not
 * @param workers of all processes that work on it
 */
public record SweepProgress(
        String name,
        Map<String, String> definition,
        SweepState state,
        Instant started,
        @Nullable Instant ended,
        long total,
        boolean isTotalExact,
        long done,
        long failed,
        double rowsPerSecond,
        double throttle,
        @Nullable String error,
        List<Worker> workers) {
    public SweepProgress {
        definition = Map.copyOf(definition);
        workers = List.copyOf(workers);
    }

    /**
     * One worker.
     *
     * @param process its process
     * @param processName what that is called
     * @param number of the worker in its process, from 1
     * @param done how many rows it has done
     * @param failed how many attempts of it have failed
     * @param rowsPerSecond of late
     * @param held why its process does nothing for a while; null: it works
     */
    public record Worker(
            int process,
            String processName,
            int number,
            long done,
            long failed,
            double rowsPerSecond,
            @Nullable String held) {}

    /** How many rows are left, about; -1: nobody knows yet. */
    public long left() {
        return state == SweepState.DONE ? 0 : total < 0 ? -1 : Math.max(total - done - failed, 0);
    }

    /** How long that takes at the present rate; null: nobody knows. */
    public @Nullable Duration timeLeft() {
        long left = left();
        if (left == 0) return Duration.ZERO;
        return left < 0 || rowsPerSecond <= 0 ? null : Duration.ofMillis((long) (left / rowsPerSecond * 1000));
    }
}
