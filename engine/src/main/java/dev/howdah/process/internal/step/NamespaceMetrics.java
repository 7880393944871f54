package dev.howdah.process.internal.step;

import dev.howdah.internal.metrics.Instruments;
import dev.howdah.process.TaskType;
import dev.howdah.process.notice.NoticeBacklog;
import dev.howdah.spi.Metrics;
import java.util.List;

/**
 * The metrics of the processes of one namespace. The histograms of progressor have the names,
 * labels and unit they have there, and all of its buckets, so that its dashboards show them. Safe for use by many threads.
 */
public final class NamespaceMetrics {
    /** What processes wait for: those of calls go first. */
    public static final List<String> LANES = List.of("calls", "timers");

    private static final List<Double> MILLIS = List.of(
            0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 150.0, 300.0, 500.0, 750.0, 1_000.0, 2_500.0, 5_000.0,
            10_000.0, 60_000.0);

    private final Instruments.Family<Metrics.Histogram> callScan;
    private final Instruments.Family<Metrics.Histogram> timerScan;
    private final Instruments.Family<Metrics.Histogram> watch;
    private final Instruments.Family<Metrics.Histogram> prepare;
    private final Instruments.Family<Metrics.Histogram> process;
    private final Instruments.Family<Metrics.Histogram> complete;
    private final Instruments.Family<Metrics.Histogram> remove;
    private final Instruments.Family<Metrics.Histogram> notify;
    private final Instruments.Family<Metrics.Counter> steps;
    private final Instruments.Family<Metrics.Counter> recoveries;
    private final Instruments.Family<Metrics.Gauge> waiting;
    private final Instruments.Family<Metrics.Gauge> lag;
    private final Instruments.Family<Metrics.Gauge> noticesWaiting;
    private final Instruments.Family<Metrics.Gauge> noticesLag;
    private final Instruments.Family<Metrics.Gauge> noticesHeld;
    private final Metrics.Timer lateness;

    NamespaceMetrics(Instruments all, String namespace) {
        Instruments progressor = all.with("prg_namespace", namespace);
        this.callScan = millis(progressor, "calls_scanning", "Looking for calls that wait");
        this.timerScan = millis(progressor, "timers_scanning", "Looking for timers that are due");
        this.watch = millis(progressor, "zombie_collection", "Looking for nodes that have died");
        this.prepare = millis(progressor, "request_preparing", "Writing down a request", "task_type");
        this.process = millis(progressor, "task_processing", "Running the processor", "task_type");
        this.complete = millis(progressor, "task_completion", "Writing down a step", "completion_type");
        this.remove = millis(progressor, "process_removing", "Removing a process");
        this.notify = millis(progressor, "notification", "Telling others", "notification_type");
        Instruments own = all.with("namespace", namespace);
        this.steps = own.counters(
                "howdah_process_steps_total", "Steps that ended at this node, by how they did", "type", "outcome");
        this.recoveries = own.counters(
                "howdah_process_recoveries_total", "Processes that this node has given back for crashed nodes");
        this.waiting = own.gauges("howdah_processes_waiting", "Processes that are due and not claimed", "lane");
        this.lag = own.gauges("howdah_processes_lag_seconds", "For how long the first of them has been due", "lane");
        this.noticesWaiting =
                own.gauges("howdah_process_notices_waiting", "Notices that others have not been told yet");
        this.noticesLag = own.gauges("howdah_process_notices_lag_seconds", "How long ago the first of them happened");
        this.noticesHeld =
                own.gauges("howdah_process_notices_held", "Notices that are blocked until they are retried or skipped");
        this.lateness = own.timers(
                        "howdah_process_timer_lateness_seconds", "From when a timer was due to when it was taken")
                .get();
    }

    private static Instruments.Family<Metrics.Histogram> millis(
            Instruments instruments, String what, String help, String... labels) {
        String name = "progressor_" + what + "_duration_ms";
        return instruments.histograms(name, help + ", in milliseconds", MILLIS, labels);
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }

    /** The poller has scanned for what is due; one statement scans for calls and for timers. */
    public void scanned(long nanos) {
        callScan.get().record(millis(nanos));
        timerScan.get().record(millis(nanos));
    }

    /** The node has checked for crashed nodes, and rescued their processes. */
    public void watched(long nanos) {
        watch.get().record(millis(nanos));
    }

    /** Requests were written, together. */
    public void prepared(TaskType type, long nanos) {
        prepare.get(type.text()).record(millis(nanos));
    }

    /** The processor was called. */
    public void processed(TaskType type, long nanos) {
        process.get(type.text()).record(millis(nanos));
    }

    /** Steps were written, together. */
    public void completed(Step step, long nanos) {
        StepResult outcome = step.outcome();
        complete.get(outcome.disposition().completionType()).record(millis(nanos));
        ended(step, outcome.ending());
    }

    /** Processes were removed, together. */
    public void removed(Step step, long nanos) {
        remove.get().record(millis(nanos));
        ended(step, step.outcome().ending());
    }

    /** The result of a step was refused: another node has the process. */
    public void refused(Step step) {
        ended(step, "refused");
    }

    private void ended(Step step, String outcome) {
        steps.get(step.errand().type().text(), outcome).add(1);
    }

    /** A publisher has taken notices, of events or of the lives of processes. */
    public void told(boolean events, long nanos) {
        notify.get(events ? "event_sink" : "lifecycle_sink").record(millis(nanos));
    }

    /** A timer was claimed so long after it was due. */
    public void late(long nanos) {
        lateness.record(Math.max(nanos, 0));
    }

    /** Processes of a crashed node were rescued. */
    public void recovered(int processes) {
        recoveries.get().add(processes);
    }

    /** The number of due processes without a node, and for how long the first of them has been due. */
    public void waiting(String lane, double processes, double seconds) {
        waiting.get(lane).set(processes);
        lag.get(lane).set(seconds);
    }

    /** How much waits is not known any more. */
    public void unknown() {
        for (String lane : LANES) waiting(lane, Double.NaN, Double.NaN);
        noticesWaiting.get().set(Double.NaN);
        noticesLag.get().set(Double.NaN);
        noticesHeld.get().set(Double.NaN);
    }

    /** The notices that are not published yet. */
    public void untold(NoticeBacklog backlog) {
        noticesWaiting.get().set(backlog.waiting());
        noticesLag.get().set(backlog.lag().toNanos() / 1e9);
        noticesHeld.get().set(backlog.held());
    }
}
