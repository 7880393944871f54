package dev.howdah.beans.internal.node;

import dev.howdah.job.Jobs;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.process.Processes;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The health of an installation: of the node, of its database, and of what waits.
 *
 * @param error why it is down; null: it is up
 * @param details by name
 * @param queues by name
 */
public record InstallationHealth(@Nullable String error, Map<String, String> details, Map<String, Queue> queues) {
    /**
     * What waits in a queue.
     *
     * @param due how many jobs are due
     * @param lag for how long the first of them has been, in whole seconds
     */
    public record Queue(long due, Duration lag) {
        /** What waits in that one. */
        public static Queue of(QueueSummary queue) {
            return new Queue(queue.due(), InstallationHealth.lag(queue));
        }
    }

    /** The details with those of the queues, as texts. */
    public Map<String, String> flat() {
        Map<String, String> flat = new TreeMap<>(details);
        queues.forEach((name, each) -> flat.put("queue " + name, each.due() + " due, lag " + each.lag()));
        return flat;
    }

    /** Asks the database. Throws nothing. */
    public static InstallationHealth of(Installation installation) {
        return of(installation, installation::jobs);
    }

    /** @param asked by which the queues are asked for */
    public static InstallationHealth of(Installation installation, Supplier<Jobs> asked) {
        Map<String, String> details = nodes(installation);
        Map<String, Queue> queues = new LinkedHashMap<>();
        String error = installation.isRunning() ? installation.obstacle() : "the node is stopped";
        try {
            Duration most = installation.settings().maxLag();
            for (QueueSummary each : asked.get().admin().queues()) {
                Queue queue = Queue.of(each);
                Duration lag = queue.lag();
                queues.put(each.name(), queue);
                if (error == null && most != null && lag.compareTo(most) > 0)
                    error = "a job of the queue " + each.name() + " has been due for " + lag + ", longer than " + most;
            }
            details.put("database", "reachable");
        } catch (RuntimeException e) {
            details.put("database", "not reachable");
            error = String.valueOf(e.getMessage());
        }
        return new InstallationHealth(error, details, queues);
    }

    /** What runs here. */
    public static Map<String, String> nodes(Installation installation) {
        Map<String, String> nodes = new LinkedHashMap<>();
        Jobs runsJobs = installation.runsJobs();
        Processes runsProcesses = installation.runsProcesses();
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
}
