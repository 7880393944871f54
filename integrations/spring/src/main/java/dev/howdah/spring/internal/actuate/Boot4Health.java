package dev.howdah.spring.internal.actuate;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** For the actuator of Spring Boot 4. */
public final class Boot4Health implements HealthIndicator {
    private final NodeReport report;

    public Boot4Health(NodeReport report) {
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
