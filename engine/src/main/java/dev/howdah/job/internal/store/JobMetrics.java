package dev.howdah.job.internal.store;

import dev.howdah.internal.metrics.GuardedMetrics;
import dev.howdah.job.NewJob;
import dev.howdah.spi.Metrics;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The metrics of jobs: of those added through this object, and of those claimed and ended by its node. Without a
 * {@link Metrics} it does nothing. Safe for use by many threads.
 */
public final class JobMetrics {
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

    public JobMetrics(Metrics metrics) {
        this.metrics = GuardedMetrics.of(metrics);
        this.off = metrics == Metrics.none();
    }

    /** Whether no metrics are collected. */
    public boolean isOff() {
        return off;
    }

    /** Jobs were added. In a transaction that has yet to commit they count as well. */
    public void added(NewJob<?> job) {
        if (!off)
            count(ADDED, "Jobs added by this program", job.queue(), job.kind().name());
    }

    private void count(String name, String help, String queue, String kind) {
        counters.computeIfAbsent(
                        new Key(name, queue, kind),
                        key -> metrics.counter(name, help, Map.of("queue", queue, "kind", kind)))
                .add(1);
    }

    /** Jobs were claimed. */
    public void claimed(String queue, String kind, long jobs) {
        counters.computeIfAbsent(
                        new Key(CLAIMED, queue, kind),
                        key -> metrics.counter(
                                CLAIMED, "Jobs taken by this program", Map.of("queue", queue, "kind", kind)))
                .add(jobs);
    }

    /** The outcomes of jobs are written. */
    public void ended(String queue, String kind, String outcome, long jobs) {
        counters.computeIfAbsent(
                        new Key(outcome, queue, kind),
                        key -> metrics.counter(
                                ENDED,
                                "Jobs ended by this program, by how they did",
                                Map.of("queue", queue, "kind", kind, "outcome", outcome)))
                .add(jobs);
    }

    /** The handler of a job has run for {@code micros} microseconds. */
    public void ran(String queue, String kind, long micros) {
        timers.computeIfAbsent(
                        new Key(SECONDS, queue, kind),
                        key -> metrics.timer(SECONDS, "How long handlers ran", Map.of("queue", queue, "kind", kind)))
                .record(micros * 1_000L);
    }

    /**
     * How many jobs are due, and for how long the first of them, by queue. Of queues that are not named there are none.
     *
     * @param depths by queue
     */
    public synchronized void waiting(Map<String, Depth> depths) {
        Set<String> gone = new HashSet<>(gauged);
        gone.removeAll(depths.keySet());
        for (String queue : gone) set(queue, new Depth(0, 0));
        depths.forEach(this::set);
        gauged.addAll(depths.keySet());
    }

    /** @param lag seconds since the first was due */
    public record Depth(long jobs, double lag) {}

    private void set(String queue, Depth depth) {
        Map<String, String> labels = Map.of("queue", queue);
        metrics.gauge(WAITING, "Jobs that are due, 100000 at most", labels).set(depth.jobs());
        metrics.gauge(LAG, "Seconds since the first of the jobs that wait was due", labels)
                .set(depth.lag());
    }
}
