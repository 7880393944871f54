package dev.howdah.spring.internal.actuate;

import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** For the actuator of Spring Boot 3. */
public final class Boot3Health implements HealthIndicator {
    private final NodeReport report;

    public Boot3Health(NodeReport report) {
        this.report = report;
    }

    @Override
    public Health health() {
        NodeReport.Health found = report.health();
        Health.Builder builder =
                found.error() == null ? Health.up() : Health.down().withDetail("error", found.error());
        return builder.withDetails(found.details()).build();
    }
}
