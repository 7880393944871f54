package dev.howdah.micronaut.internal;

import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.endpoint.health.HealthEndpoint;
import io.micronaut.management.health.indicator.AbstractHealthIndicator;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.annotation.Liveness;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Whether a restart would help: a node is without its session for longer than the application allows. A node finds its session again by itself when the database is back. */
@Singleton
@Liveness
@Requires(classes = HealthIndicator.class, beans = HealthEndpoint.class)
@Requires(property = "endpoints.health.howdah.enabled", notEquals = "false")
class NodeLiveness extends AbstractHealthIndicator<Map<String, String>> {
    private final BeanContext context;
    private final SettingsReader settings;

    NodeLiveness(BeanContext context, SettingsReader settings) {
        this.context = context;
        this.settings = settings;
    }

    @Override
    protected Map<String, String> getHealthInformation() {
        Map<String, String> details = new TreeMap<>();
        healthStatus = HealthStatus.UP;
        for (InstallationFactory.Named each : context.getBeansOfType(InstallationFactory.Named.class)) {
            Duration most = settings.maxLost(each.name());
            Duration lost = each.installation().lost();
            String prefix = each.name().equals(InstallationFactory.FIRST) ? "" : each.name() + " ";
            details.put(prefix + "lost", lost.toString());
            if (most != null && lost.compareTo(most) > 0) healthStatus = HealthStatus.DOWN;
        }
        return details;
    }

    @Override
    protected String getName() {
        return "howdah node";
    }
}
