package dev.howdah.quarkus.runtime;

import dev.howdah.micrometer.MicrometerMetrics;
import dev.howdah.spi.Metrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.arc.DefaultBean;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Meters, where the application has Micrometer. */
@Singleton
public class MeterProducer {
    /** Those of the registry of the application. */
    @Produces
    @Singleton
    @DefaultBean
    Metrics howdahMetrics(MeterRegistry registry) {
        return MicrometerMetrics.of(registry);
    }
}
