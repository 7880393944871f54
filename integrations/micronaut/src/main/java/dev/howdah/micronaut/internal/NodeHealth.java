package dev.howdah.micronaut.internal;

import dev.howdah.beans.internal.node.InstallationHealth;
import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.endpoint.health.HealthEndpoint;
import io.micronaut.management.health.indicator.AbstractHealthIndicator;
import io.micronaut.management.health.indicator.HealthIndicator;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.TreeMap;

/** Whether the nodes of the application work, and whether what waits is not too old; where the application has the health endpoint. */
@Singleton
@Requires(classes = HealthIndicator.class, beans = HealthEndpoint.class)
@Requires(property = "endpoints.health.howdah.enabled", notEquals = "false")
class NodeHealth extends AbstractHealthIndicator<Map<String, String>> {
    private final BeanContext context;

    NodeHealth(BeanContext context) {
        this.context = context;
    }

    @Override
    protected Map<String, String> getHealthInformation() {
        Map<String, String> details = new TreeMap<>();
        healthStatus = HealthStatus.UP;
        for (InstallationFactory.Named each : context.getBeansOfType(InstallationFactory.Named.class)) {
            String prefix = each.name().equals(InstallationFactory.FIRST) ? "" : each.name() + " ";
            InstallationHealth health = InstallationHealth.of(each.installation());
            health.flat().forEach((name, value) -> details.put(prefix + name, value));
            String error = health.error();
            if (error == null) continue;
            healthStatus = HealthStatus.DOWN;
            details.put(prefix + "error", error);
        }
        return details;
    }

    @Override
    protected String getName() {
        return "howdah";
    }
}
