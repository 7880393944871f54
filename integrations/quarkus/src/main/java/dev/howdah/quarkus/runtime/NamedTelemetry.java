package dev.howdah.quarkus.runtime;

import dev.howdah.internal.trace.OpenTelemetrySource;
import io.opentelemetry.api.OpenTelemetry;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;

/** The library's spans go to the OpenTelemetry of the application, as long as that runs. */
@Singleton
public class NamedTelemetry {
    private final OpenTelemetrySource.Named named;

    NamedTelemetry(OpenTelemetry telemetry) {
        this.named = OpenTelemetrySource.name(telemetry, false);
    }

    /** Makes the bean, before jobs are added. */
    void start(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE) StartupEvent event) {}

    @PreDestroy
    void close() {
        named.close();
    }
}
