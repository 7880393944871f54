package dev.howdah.spring.internal.config;

import dev.howdah.internal.trace.OpenTelemetrySource;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;

/** The library's spans go to the OpenTelemetry of the application, which Spring Boot does not make the global one. */
@AutoConfiguration(
        before = HowdahAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration",
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration"
        })
@ConditionalOnClass(OpenTelemetry.class)
@ConditionalOnProperty(prefix = "howdah", name = "enabled", matchIfMissing = true)
public class HowdahTracingAutoConfiguration {
    private static final String TRACER = "io.micrometer.tracing.Tracer";

    /** Named as long as the application runs: nodes start after all beans, and end before them. */
    @Bean(destroyMethod = "close")
    @ConditionalOnSingleCandidate(OpenTelemetry.class)
    OpenTelemetrySource.Named howdahOpenTelemetry(OpenTelemetry telemetry, ListableBeanFactory beans) {
        return OpenTelemetrySource.name(telemetry, beans.containsBean("howdahObservations") && hasTracer(beans));
    }

    /** Without one, an observation is a timer alone. */
    private static boolean hasTracer(ListableBeanFactory beans) {
        if (!ClassUtils.isPresent(TRACER, beans.getClass().getClassLoader())) return false;
        Class<?> type = ClassUtils.resolveClassName(TRACER, beans.getClass().getClassLoader());
        return beans.getBeanNamesForType(type).length > 0;
    }
}
