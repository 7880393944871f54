package dev.howdah.job;

import dev.howdah.internal.metrics.GuardedMetrics;
import dev.howdah.spi.Metrics;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tells {@link Metrics} about jobs: those that were added through this object, and those that its node has taken and ended.
 * Where nobody wants to know it does nothing at all. Safe for use by many threads.
 */
final class Meter {
    private static final String ADDED = "howdah_jobs_added_total";
    private static final String CLAIMED = "howdah_jobs_claimed_total";
    private static final String ENDED = "howdah_jobs_ended_total";
    private static final String SECONDS = "howdah_job_seconds";
    private static final String WAITING = "howdah_jobs_waiting";
    private static final String LAG = "howdah_jobs_lag_seconds";

    private final Metrics metrics;
    private final boolean off;
    private final Map<Key, Metrics.Counter> counters = new ConcurrentHashMap<>();
    private final Map<Key, Metrics.Timer> timers = new ConcurrentHashMap<>();
    private final Set<String> gauged = new HashSet<>();

    /** @param what what is counted: a name, or how a job ended */
    private record Key(String what, String queue, String kind) {}

    Meter(Metrics metrics) {
        this.metrics = GuardedMetrics.of(metrics);
        this.off = metrics == Metrics.none();
    }

    /** Whether nobody wants to know anything. */
    boolean isOff() {
        return off;
    }

    /** Jobs were added. In a transaction that has yet to commit they count as well. */
    void added(NewJob<?> job) {
        if (!off)
            count(
                    ADDED,
                    "Jobs added by this program",
                    job.queueName(),
                    job.kind().name());
    }

    private void count(String name, String help, String queue, String kind) {
        counters.computeIfAbsent(
                        new Key(name, queue, kind),
                        key -> metrics.counter(name, help, Map.of("queue", queue, "kind", kind)))
                .add(1);
    }

    /** Jobs were taken. */
    void claimed(Lease lease) {
        if (off) return;
        each(
                lease,
                lease.members(),
                key -> metrics.counter(
                        CLAIMED, "Jobs taken by this program", Map.of("queue", key.queue(), "kind", key.kind())),
                i -> CLAIMED);
    }

    /**
     * What became of jobs is written down.
     *
     * @param jobs which of the lease's
     */
    void ended(Lease lease, List<Integer> jobs) {
        if (off) return;
        List<Integer> told =
                jobs.stream().filter(i -> outcome(lease.verdict(i)) != null).toList();
        each(
                lease,
                told,
                key -> metrics.counter(
                        ENDED,
                        "Jobs ended by this program, by how they did",
                        Map.of("queue", key.queue(), "kind", key.kind(), "outcome", key.what())),
                i -> String.valueOf(outcome(lease.verdict(i))));
        String queue = lease.lane().queue();
        for (int i : told) {
            timers.computeIfAbsent(
                            new Key(SECONDS, queue, lease.kind(i)),
                            key -> metrics.timer(
                                    SECONDS, "How long handlers ran", Map.of("queue", key.queue(), "kind", key.kind())))
                    .record(lease.runs(i) * 1_000L);
        }
    }

    /** Counts jobs that are alike together: mostly all of a lease are. */
    private void each(Lease lease, List<Integer> jobs, Function<Key, Metrics.Counter> maker, IntFunction<String> what) {
        String queue = lease.lane().queue();
        Key last = null;
        long count = 0;
        for (int i : jobs) {
            Key key = new Key(what.apply(i), queue, lease.kind(i));
            if (last != null && !last.equals(key)) {
                counters.computeIfAbsent(last, maker).add(count);
                count = 0;
            }
            last = key;
            count++;
        }
        if (last != null) counters.computeIfAbsent(last, maker).add(count);
    }

    private static @Nullable String outcome(@Nullable Verdict verdict) {
        if (verdict == null) return null;
        return switch (verdict.letter()) {
            case 'd', 'n' -> "done";
            case 'r' -> "retried";
            case 'f' -> "failed";
            case 'c' -> "cancelled";
            case 's' -> "snoozed";
            default -> null;
        };
    }

    /**
     * How many jobs are due, and for how long the first of them, by queue. Of queues that are not named there are none.
     *
     * @param depths by queue
     */
    synchronized void waiting(Map<String, Depth> depths) {
        Set<String> gone = new HashSet<>(gauged);
        gone.removeAll(depths.keySet());
        for (String queue : gone) set(queue, new Depth(0, 0));
        depths.forEach(this::set);
        gauged.addAll(depths.keySet());
    }

    /** @param lag seconds since the first was due */
    record Depth(long jobs, double lag) {}

    private void set(String queue, Depth depth) {
        Map<String, String> labels = Map.of("queue", queue);
        metrics.gauge(WAITING, "Jobs that are due, 100000 at most", labels).set(depth.jobs());
        metrics.gauge(LAG, "Seconds since the first of the jobs that wait was due", labels)
                .set(depth.lag());
    }
}
