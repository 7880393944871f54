package dev.howdah.spring.internal.actuate;

import dev.howdah.beans.internal.node.Installation;
import dev.howdah.beans.internal.node.InstallationHealth;
import dev.howdah.job.Jobs;
import dev.howdah.job.Schedules;
import dev.howdah.job.query.QueueSummary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the actuator says about the node, its database, and what waits. Safe for use by many threads. */
public final class NodeReport {
    private final Jobs jobs;
    private final Installation installation;

    public NodeReport(Jobs jobs, Installation installation) {
        this.jobs = jobs;
        this.installation = installation;
    }

    /**
     * The health.
     *
     * @param error why it is down; null: it is up
     */
    public record Health(@Nullable String error, Map<String, Object> details) {}

    /** Asks the database. Throws nothing. */
    public Health health() {
        InstallationHealth found = InstallationHealth.of(installation, () -> jobs);
        Map<String, Object> details = new LinkedHashMap<>(found.details());
        Map<String, Object> queues = new LinkedHashMap<>();
        found.queues()
                .forEach((name, each) -> queues.put(
                        name, Map.of("due", each.due(), "lag", each.lag().toString())));
        if (!queues.isEmpty()) details.put("queues", queues);
        return new Health(found.error(), details);
    }

    /** What does not change while the application runs; without a statement. */
    public Map<String, Object> info() {
        String version = Jobs.class.getPackage().getImplementationVersion();
        return Map.of(
                "version",
                Objects.requireNonNullElse(version, "unknown"),
                "schema",
                installation.settings().schema(),
                "handlers",
                installation.kinds());
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
                    InstallationHealth.Queue.of(each).lag().toSeconds(),
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
        Map<String, Object> all = new LinkedHashMap<>(InstallationHealth.nodes(installation));
        all.put("queues", queues);
        all.put("schedules", schedules);
        return all;
    }
}
