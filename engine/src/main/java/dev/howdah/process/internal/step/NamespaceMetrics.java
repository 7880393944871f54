package dev.howdah.process.internal.step;

import dev.howdah.process.TaskType;
import dev.howdah.process.notice.NoticeBacklog;
import dev.howdah.spi.Metrics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells {@link Metrics} about the processes of one namespace. The histograms of progressor have the names,
 * labels and unit they have there, and all of its buckets, so that its dashboards show them. Safe for use by many threads.
 */
public final class NamespaceMetrics {
    private static final List<Double> MILLIS = List.of(
            0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 150.0, 300.0, 500.0, 750.0, 1_000.0, 2_500.0, 5_000.0,
            10_000.0, 60_000.0);

    private final Metrics metrics;
    private final String namespace;
    private final Map<Key, Metrics.Histogram> histograms = new ConcurrentHashMap<>();
    private final Map<Key, Metrics.Counter> counters = new ConcurrentHashMap<>();

    private final Metrics.Timer lateness;

    private record Key(String name, String one, String other) {
        static Key of(String name, String one) {
            return new Key(name, one, "");
        }
    }

    NamespaceMetrics(Metrics metrics, String namespace) {
        this.metrics = metrics;
        this.namespace = namespace;
        this.lateness = metrics.timer(
                "howdah_process_timer_lateness_seconds",
                "From when a timer was due to when it was taken",
                Map.of("namespace", namespace));
    }

    /** The node has looked for what is due; one statement looks for calls and for timers. */
    public void scanned(long nanos) {
        took("progressor_calls_scanning_duration_ms", "Looking for calls that wait", nanos);
        took("progressor_timers_scanning_duration_ms", "Looking for timers that are due", nanos);
    }

    /** The node has looked for nodes that have died, and brought home what they had. */
    public void watched(long nanos) {
        took("progressor_zombie_collection_duration_ms", "Looking for nodes that have died", nanos);
    }

    /** Requests were written down, together. */
    public void prepared(TaskType type, long nanos) {
        took("progressor_request_preparing_duration_ms", "Writing down a request", "task_type", type.text(), nanos);
    }

    /** The processor was called. */
    public void processed(TaskType type, long nanos) {
        took("progressor_task_processing_duration_ms", "Running the processor", "task_type", type.text(), nanos);
    }

    /** Steps were written down, together. */
    public void completed(Step step, long nanos) {
        StepResult outcome = step.outcome();
        String how = outcome.disposition().completionType();
        took("progressor_task_completion_duration_ms", "Writing down a step", "completion_type", how, nanos);
        ended(step, outcome.ending());
    }

    /** Processes were removed, together. */
    public void removed(Step step, long nanos) {
        took("progressor_process_removing_duration_ms", "Removing a process", nanos);
        ended(step, step.outcome().ending());
    }

    /** What a step came to was not taken: others have its process. */
    public void refused(Step step) {
        ended(step, "refused");
    }

    private void ended(Step step, String outcome) {
        String type = step.errand().type().text();
        counters.computeIfAbsent(
                        new Key("steps", type, outcome),
                        key -> metrics.counter(
                                "howdah_process_steps_total",
                                "Steps that ended at this node, by how they did",
                                Map.of("namespace", namespace, "type", type, "outcome", outcome)))
                .add(1);
    }

    /** Others were told, of events or of what became of processes. */
    public void told(boolean events, long nanos) {
        took(
                "progressor_notification_duration_ms",
                "Telling others",
                "notification_type",
                events ? "event_sink" : "lifecycle_sink",
                nanos);
    }

    /** A timer was taken. */
    public void late(long nanos) {
        lateness.record(Math.max(nanos, 0));
    }

    /** Processes go on that a dead node had. */
    public void recovered(int processes) {
        counters.computeIfAbsent(
                        Key.of("recoveries", ""),
                        key -> metrics.counter(
                                "howdah_process_recoveries_total",
                                "Processes that this node has brought home from nodes that have died",
                                Map.of("namespace", namespace)))
                .add(processes);
    }

    /** The number of due processes without a node, and how long the first of them has waited. */
    public void waiting(String lane, long processes, double seconds) {
        Map<String, String> labels = Map.of("namespace", namespace, "lane", lane);
        metrics.gauge("howdah_processes_waiting", "Processes that are due and not claimed", labels)
                .set(processes);
        metrics.gauge("howdah_processes_lag_seconds", "For how long the first of them has been due", labels)
                .set(seconds);
    }

    /** How much others have not been told. */
    public void untold(NoticeBacklog backlog) {
        Map<String, String> labels = Map.of("namespace", namespace);
        metrics.gauge("howdah_process_notices_waiting", "Notices that others have not been told yet", labels)
                .set(backlog.waiting());
        metrics.gauge("howdah_process_notices_lag_seconds", "How long ago the first of them happened", labels)
                .set(backlog.lag().toNanos() / 1e9);
        metrics.gauge(
                        "howdah_process_notices_held",
                        "Notices that are blocked until they are retried or skipped",
                        labels)
                .set(backlog.held());
    }

    private void took(String name, String help, long nanos) {
        histograms
                .computeIfAbsent(
                        Key.of(name, ""),
                        key -> metrics.histogram(name, millis(help), MILLIS, Map.of("prg_namespace", namespace)))
                .record(nanos / 1e6);
    }

    private void took(String name, String help, String label, String value, long nanos) {
        histograms
                .computeIfAbsent(Key.of(name, value), key -> {
                    Map<String, String> labels = new HashMap<>(Map.of("prg_namespace", namespace));
                    labels.put(label, value);
                    return metrics.histogram(name, millis(help), MILLIS, Map.copyOf(labels));
                })
                .record(nanos / 1e6);
    }

    private static String millis(String help) {
        return help + ", in milliseconds";
    }
}
