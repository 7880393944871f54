package dev.howdah.micronaut.internal;

import dev.howdah.micrometer.MicrometerMetrics;
import dev.howdah.spi.Metrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Secondary;
import jakarta.inject.Singleton;

/** Meters, where the application has Micrometer. */
@Factory
@Requires(classes = MeterRegistry.class, beans = MeterRegistry.class)
@Requires(property = "howdah.metrics.enabled", notEquals = "false")
final class MeterFactory {
    @Singleton
    @Secondary
    @Requires(missingBeans = Metrics.class)
    Metrics howdahMetrics(MeterRegistry registry) {
        return MicrometerMetrics.of(registry);
    }
}
