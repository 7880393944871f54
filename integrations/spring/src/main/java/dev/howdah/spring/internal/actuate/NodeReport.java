package dev.howdah.spring.internal.actuate;

import dev.howdah.job.Jobs;
import dev.howdah.job.Schedules;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.process.Processes;
import dev.howdah.spring.HowdahProperties;
import dev.howdah.spring.internal.node.ApplicationNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the actuator says about the node, its database, and what waits. Safe for use by many threads. */
public final class NodeReport {
    private final Jobs jobs;
    private final ApplicationNode node;
    private final HowdahProperties properties;

    public NodeReport(Jobs jobs, ApplicationNode node, HowdahProperties properties) {
        this.jobs = jobs;
        this.node = node;
        this.properties = properties;
    }

    /**
     * The health.
     *
     * @param error why it is down; null: it is up
     */
    public record Health(@Nullable String error, Map<String, Object> details) {}

    /** Asks the database. Throws nothing. */
    public Health health() {
        Map<String, Object> details = new LinkedHashMap<>(nodes());
        String error = lost();
        try {
            Map<String, Object> queues = new LinkedHashMap<>();
            for (QueueSummary each : jobs.admin().queues()) {
                Duration lag = lag(each);
                queues.put(each.name(), Map.of("due", each.due(), "lag", lag.toString()));
                Duration most = properties.health().maxLag();
                if (error == null && most != null && lag.compareTo(most) > 0)
                    error = "a job of the queue " + each.name() + " has been due for " + lag + ", longer than " + most;
            }
            details.put("database", "reachable");
            details.put("queues", queues);
        } catch (RuntimeException e) {
            details.put("database", "not reachable");
            error = String.valueOf(e.getMessage());
        }
        return new Health(error, details);
    }

    /** Why the node does not work; null: it works, or has not to. */
    private @Nullable String lost() {
        if (!node.isRunning()) return "the node is stopped";
        Jobs runsJobs = node.jobs();
        String obstacle = runsJobs == null ? null : runsJobs.obstacle();
        Processes runsProcesses = node.processes();
        return obstacle != null || runsProcesses == null ? obstacle : runsProcesses.obstacle();
    }

    private Map<String, Object> nodes() {
        Map<String, Object> nodes = new LinkedHashMap<>();
        Jobs runsJobs = node.jobs();
        Processes runsProcesses = node.processes();
        nodes.put("jobs", runsJobs == null ? "not run here" : "node " + runsJobs.node());
        nodes.put("processes", runsProcesses == null ? "not run here" : "node " + runsProcesses.node());
        return nodes;
    }

    private static Duration lag(QueueSummary queue) {
        Instant oldest = queue.oldest();
        if (oldest == null) return Duration.ZERO;
        Duration lag = Duration.between(oldest, Instant.now());
        return lag.isNegative() ? Duration.ZERO : Duration.ofSeconds(lag.toSeconds());
    }

    /** What does not change while the application runs; without a statement. */
    public Map<String, Object> info() {
        String version = Jobs.class.getPackage().getImplementationVersion();
        return Map.of(
                "version",
                Objects.requireNonNullElse(version, "unknown"),
                "schema",
                properties.schema(),
                "handlers",
                node.kinds());
    }

    /** The queues and schedules of the database. */
    public Map<String, Object> queuesAndSchedules() {
        List<Map<String, Object>> queues = new ArrayList<>();
        for (QueueSummary each : jobs.admin().queues())
            queues.add(Map.of(
                    "name",
                    each.name(),
                    "due",
                    each.due(),
                    "later",
                    each.later(),
                    "running",
                    each.running(),
                    "failed",
                    each.failed(),
                    "lagSeconds",
                    lag(each).toSeconds(),
                    "paused",
                    each.paused() != null));
        List<Map<String, Object>> schedules = new ArrayList<>();
        for (Schedules.Entry each : jobs.schedules().all())
            schedules.add(Map.of(
                    "name",
                    each.name(),
                    "kind",
                    each.kind(),
                    "queue",
                    each.queue(),
                    "next",
                    String.valueOf(each.nextAt()),
                    "paused",
                    each.paused()));
        Map<String, Object> all = new LinkedHashMap<>(nodes());
        all.put("queues", queues);
        all.put("schedules", schedules);
        return all;
    }
}
