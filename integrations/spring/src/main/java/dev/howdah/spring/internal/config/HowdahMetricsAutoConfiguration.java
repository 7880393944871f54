package dev.howdah.spring.internal.config;

import dev.howdah.micrometer.MicrometerMetrics;
import dev.howdah.spi.Metrics;
import dev.howdah.spring.internal.actuate.ObservedHandlers;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters and observations, where the application has Micrometer. */
@AutoConfiguration(
        before = HowdahAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnProperty(prefix = "howdah", name = "enabled", matchIfMissing = true)
public class HowdahMetricsAutoConfiguration {
    /** Needs micrometer-core. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {
        @Bean
        @ConditionalOnBean(MeterRegistry.class)
        @ConditionalOnMissingBean(Metrics.class)
        Metrics howdahMetrics(MeterRegistry registry) {
            return MicrometerMetrics.of(registry);
        }
    }

    /** Needs micrometer-observation. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    static class Observations {
        @Bean
        @ConditionalOnBean(ObservationRegistry.class)
        ObservedHandlers howdahObservations(ObservationRegistry registry) {
            return new ObservedHandlers(registry);
        }
    }
}
