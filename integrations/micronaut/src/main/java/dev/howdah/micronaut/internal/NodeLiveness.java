package dev.howdah.micronaut.internal;

import dev.howdah.beans.internal.node.InstallationLiveness;
import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.endpoint.health.HealthEndpoint;
import io.micronaut.management.health.indicator.AbstractHealthIndicator;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.annotation.Liveness;
import jakarta.inject.Singleton;
import java.util.Map;

/** Whether a restart would help, see {@link InstallationLiveness}. */
@Singleton
@Liveness
@Requires(classes = HealthIndicator.class, beans = HealthEndpoint.class)
@Requires(property = "endpoints.health.howdah.enabled", notEquals = "false")
class NodeLiveness extends AbstractHealthIndicator<Map<String, String>> {
    private final BeanContext context;

    NodeLiveness(BeanContext context) {
        this.context = context;
    }

    @Override
    protected Map<String, String> getHealthInformation() {
        InstallationLiveness liveness =
                InstallationLiveness.of(context.getBeansOfType(InstallationFactory.Named.class).stream()
                        .map(InstallationFactory.Named::installation)
                        .toList());
        healthStatus = liveness.isLive() ? HealthStatus.UP : HealthStatus.DOWN;
        return liveness.details();
    }

    @Override
    protected String getName() {
        return "howdah node";
    }
}
