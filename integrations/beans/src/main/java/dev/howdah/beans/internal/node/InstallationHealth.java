package dev.howdah.beans.internal.node;

import dev.howdah.job.Jobs;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.process.Processes;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The health of an installation: of the node, of its database, and of what waits.
 *
 * @param error why it is down; null: it is up
 * @param details by name
 */
public record InstallationHealth(@Nullable String error, Map<String, String> details) {
    /** Asks the database. Throws nothing. */
    public static InstallationHealth of(Installation installation) {
        Map<String, String> details = new TreeMap<>();
        Jobs runsJobs = installation.runsJobs();
        Processes runsProcesses = installation.runsProcesses();
        details.put("jobs", runsJobs == null ? "not run here" : "node " + runsJobs.node());
        details.put("processes", runsProcesses == null ? "not run here" : "node " + runsProcesses.node());
        String error =
                !installation.isRunning() ? "the node is stopped" : runsJobs == null ? null : runsJobs.obstacle();
        if (error == null && runsProcesses != null) error = runsProcesses.obstacle();
        try {
            Duration most = installation.settings().maxLag();
            for (QueueSummary each : installation.jobs().admin().queues()) {
                Duration lag = lag(each);
                details.put("queue " + each.name(), each.due() + " due, lag " + lag);
                if (error == null && most != null && lag.compareTo(most) > 0)
                    error = "a job of the queue " + each.name() + " has been due for " + lag + ", longer than " + most;
            }
            details.put("database", "reachable");
        } catch (RuntimeException e) {
            details.put("database", "not reachable");
            error = String.valueOf(e.getMessage());
        }
        return new InstallationHealth(error, details);
    }

    private static Duration lag(QueueSummary queue) {
        Instant oldest = queue.oldest();
        if (oldest == null) return Duration.ZERO;
        Duration lag = Duration.between(oldest, Instant.now());
        return lag.isNegative() ? Duration.ZERO : Duration.ofSeconds(lag.toSeconds());
    }
}
