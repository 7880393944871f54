package dev.howdah.job.internal.store;

import dev.howdah.internal.metrics.Instruments;
import dev.howdah.job.NewJob;
import dev.howdah.spi.Metrics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The metrics of jobs: of those added through this object, and of those claimed and ended by its node. Without a
 * {@link Metrics} it does nothing. Safe for use by many threads.
 */
public final class JobMetrics {
    private final boolean off;
    private final Instruments.Family<Metrics.Counter> added;
    private final Instruments.Family<Metrics.Counter> claimed;
    private final Instruments.Family<Metrics.Counter> ended;
    private final Instruments.Family<Metrics.Counter> waits;
    private final Instruments.Family<Metrics.Counter> sent;
    private final Instruments.Family<Metrics.Counter> read;
    private final Instruments.Family<Metrics.Gauge> unread;
    private final Instruments.Family<Metrics.Counter> tagged;
    private final Instruments.Family<Metrics.Timer> seconds;
    private final Instruments.Family<Metrics.Counter> abandoned;
    private final Instruments.Family<Metrics.Gauge> abandonedRunning;
    private final Instruments.Family<Metrics.Gauge> waiting;
    private final Instruments.Family<Metrics.Gauge> lag;
    private final Instruments.Family<Metrics.Gauge> suspended;
    private final Set<String> gauged = new HashSet<>();
    private final Set<Suspended> gaugedWaits = new HashSet<>();

    public JobMetrics(Metrics metrics) {
        Instruments instruments = Instruments.of(metrics);
        this.off = instruments.isOff();
        this.added = instruments.counters("howdah_jobs_added_total", "Jobs added by this program", "queue", "kind");
        this.claimed = instruments.counters("howdah_jobs_claimed_total", "Jobs taken by this program", "queue", "kind");
        this.ended = instruments.counters(
                "howdah_jobs_ended_total", "Jobs ended by this program, by how they did", "queue", "kind", "outcome");
        this.waits = instruments.counters(
                "howdah_job_waits_total",
                "Runs that ended since the handler waits, by what for; diverged: for code that its records fit",
                "queue",
                "kind",
                "type");
        this.sent = instruments.counters(
                "howdah_signals_sent_total", "Signals to jobs that this program has sent, by the answer", "result");
        this.read = instruments.counters(
                "howdah_signals_read_total",
                "Signals that handlers of this program have read; unreadable: their payloads could not be",
                "queue",
                "kind",
                "outcome");
        this.unread = instruments.gauges(
                "howdah_signals_unread",
                "Signals that no wait has read, 10000 at most; unreadable: set aside by one",
                "state");
        this.tagged = instruments.counters(
                "howdah_jobs_tagged_total",
                "Jobs with a tag that is counted, by how they ended; counted by the node that adds them up",
                "tag",
                "outcome");
        this.seconds = instruments.timers("howdah_job_seconds", "How long handlers ran", "queue", "kind");
        this.abandoned = instruments.counters(
                "howdah_jobs_abandoned_total",
                "Handlers that did not stop when they were interrupted",
                "queue",
                "kind");
        this.abandonedRunning = instruments.gauges(
                "howdah_jobs_abandoned_running", "Handlers of this program that were abandoned and still run");
        this.waiting = instruments.gauges("howdah_jobs_waiting", "Jobs that are due, 100000 at most", "queue");
        this.suspended = instruments.gauges(
                "howdah_jobs_suspended",
                "Jobs whose handlers wait, by what for; of 10000 that are not due",
                "queue",
                "kind",
                "type");
        this.lag = instruments.gauges(
                "howdah_jobs_lag_seconds", "Seconds since the first of the jobs that wait was due", "queue");
    }

    /** Returns whether no metrics are collected. */
    public boolean isOff() {
        return off;
    }

    /** A job was added. */
    public void added(NewJob<?> job) {
        if (!off) added.get(job.queue(), job.kind().name()).add(1);
    }

    /** Jobs were claimed. */
    public void claimed(String queue, String kind, long jobs) {
        claimed.get(queue, kind).add(jobs);
    }

    /** The outcomes of jobs are written. */
    public void ended(String queue, String kind, String outcome, long jobs) {
        ended.get(queue, kind, outcome).add(jobs);
    }

    /** A run has ended in a wait of that type. */
    public void waits(String queue, String kind, String type) {
        waits.get(queue, kind, type).add(1);
    }

    /** A signal was sent, with that answer. */
    public void sent(String result) {
        sent.get(result).add(1);
    }

    /** A wait has read a signal, or has set it aside. */
    public void read(String queue, String kind, boolean isReadable) {
        read.get(queue, kind, isReadable ? "read" : "unreadable").add(1);
    }

    /** So many signals are kept that no wait has read, and so many that one has set aside. */
    public void unread(double kept, double aside) {
        unread.get("unread").set(kept);
        unread.get("unreadable").set(aside);
    }

    /** Jobs of a tag that is counted have been added up. */
    public void tagged(String tag, String outcome, long jobs) {
        tagged.get(tag, outcome).add(jobs);
    }

    /** The handler of a job has run for {@code micros} microseconds. */
    public void ran(String queue, String kind, long micros) {
        seconds.get(queue, kind).record(micros * 1_000L);
    }

    /** A handler did not stop, and was abandoned. */
    public void abandoned(String queue, String kind) {
        abandoned.get(queue, kind).add(1);
    }

    /** So many abandoned handlers of this program still run. */
    public void abandonedRunning(int handlers) {
        abandonedRunning.get().set(handlers);
    }

    /**
     * How many jobs are due, and for how long the first of them, by queue. Of queues that are not named there are none.
     *
     * @param depths by queue
     */
    public synchronized void waiting(Map<String, Depth> depths) {
        Map<String, Depth> shown = new HashMap<>();
        depths.forEach((queue, depth) -> {
            // One is that of all others.
            boolean hasRoom = gauged.size() < Instruments.MOST - 1 || gauged.contains(queue);
            String name = hasRoom ? queue : Instruments.OTHERS;
            gauged.add(name);
            shown.merge(name, depth, Depth::with);
        });
        for (String name : gauged) set(name, shown.getOrDefault(name, new Depth(0, 0)));
    }

    /** @param type of the wait */
    public record Suspended(String queue, String kind, String type) {}

    /** How many jobs are suspended. Of what is not named there are none. */
    public synchronized void suspended(Map<Suspended, Long> counts) {
        Map<Suspended, Long> shown = new HashMap<>();
        counts.forEach((each, jobs) -> {
            boolean hasRoom = gaugedWaits.size() < Instruments.MOST - 1 || gaugedWaits.contains(each);
            Suspended name = hasRoom ? each : new Suspended(Instruments.OTHERS, each.kind(), each.type());
            gaugedWaits.add(name);
            shown.merge(name, jobs, Long::sum);
        });
        for (Suspended name : gaugedWaits) set(name, shown.getOrDefault(name, 0L));
    }

    private void set(Suspended name, double jobs) {
        suspended.get(name.queue(), name.kind(), name.type()).set(jobs);
    }

    /** How many are due, and suspended, is not known any more. */
    public synchronized void unknown() {
        for (String queue : gauged) {
            waiting.get(queue).set(Double.NaN);
            lag.get(queue).set(Double.NaN);
        }
        for (Suspended each : gaugedWaits) set(each, Double.NaN);
        unread(Double.NaN, Double.NaN);
    }

    /** @param lag seconds since the first was due */
    public record Depth(long jobs, double lag) {
        private Depth with(Depth other) {
            return new Depth(jobs + other.jobs, Math.max(lag, other.lag));
        }
    }

    private void set(String queue, Depth depth) {
        waiting.get(queue).set(depth.jobs());
        lag.get(queue).set(depth.lag());
    }
}
