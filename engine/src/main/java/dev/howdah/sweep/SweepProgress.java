package dev.howdah.sweep;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a sweep, all processes together, at most half a second old.
 *
 * @param name of the sweep
 * @param definition {@code table}, {@code where}, {@code key}, {@code order}, {@code mark}, {@code sql}, as far as they are set
 * @param started when it began
 * @param ended when it ended or was stopped; null: it has not
 * @param total the number of rows when it began; -1: not known yet
 * @param isTotalExact whether they were counted before any was done; else the total is the planner's estimate, or was counted again
 *     while rows were in work, because a failover had lost the first count
 * @param done how many rows are done. After a crash of a process, and after a failover that lost commits, it may be too small
 *     until the sweep is done, and also then unless the total is exact: rows and their number are committed apart. {@code SELECT
 *     count(*)} with the condition that the mark makes true is exact
 * @param failed how many rows have failed and are skipped
 * @param rowsPerSecond of late
 * @param throttle the limit of rows per second; 0: none
 * @param hours the times of the day at which rows are begun; null: at any time
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
        @Nullable String hours,
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
     * @param processName the name of that process
     * @param number of the worker in its process, from 1
     * @param done how many rows it has done
     * @param failed how many attempts of it have failed
     * @param rowsPerSecond of late
     * @param held why its process is held back; null: it works
     */
    public record Worker(
            int process,
            String processName,
            int number,
            long done,
            long failed,
            double rowsPerSecond,
            @Nullable String held) {}

    /** Why no process begins a row, although the sweep is running; null: one does, or there is no process. */
    public @Nullable String held() {
        if (state != SweepState.RUNNING || workers.stream().anyMatch(each -> each.held() == null)) return null;
        return workers.isEmpty() ? null : workers.get(0).held();
    }

    /** The approximate number of rows left; -1: not known yet. */
    public long left() {
        return state == SweepState.DONE ? 0 : total < 0 ? -1 : Math.max(total - done - failed, 0);
    }

    /** The time left at the present rate; null: not known. */
    public @Nullable Duration timeLeft() {
        long left = left();
        if (left == 0) return Duration.ZERO;
        return left < 0 || rowsPerSecond <= 0 ? null : Duration.ofMillis((long) (left / rowsPerSecond * 1000));
    }
}
