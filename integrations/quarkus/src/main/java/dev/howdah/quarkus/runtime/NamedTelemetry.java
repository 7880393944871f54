package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.handler.SpannedHandlers;
import dev.howdah.internal.trace.OpenTelemetrySource;
import dev.howdah.job.Handler;
import io.opentelemetry.api.OpenTelemetry;
import io.quarkus.arc.Unremovable;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;

/** The library's spans go to the OpenTelemetry of the application, as long as that runs. */
@Singleton
public class NamedTelemetry {
    private final OpenTelemetrySource.Named named;

    NamedTelemetry(OpenTelemetry telemetry) {
        this.named = OpenTelemetrySource.name(telemetry);
    }

    /** Makes the bean, before jobs are added. */
    void start(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE) StartupEvent event) {}

    /** A span around each attempt. */
    @Produces
    @Singleton
    @Unremovable
    Handler.Interceptor spans(OpenTelemetry telemetry) {
        return new SpannedHandlers(telemetry);
    }

    @PreDestroy
    void close() {
        named.close();
    }
}
