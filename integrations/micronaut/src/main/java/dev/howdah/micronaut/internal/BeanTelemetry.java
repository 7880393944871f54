package dev.howdah.micronaut.internal;

import dev.howdah.internal.trace.OpenTelemetrySource;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.opentelemetry.api.OpenTelemetry;
import jakarta.annotation.PreDestroy;

/** The library's spans go to the OpenTelemetry of the application, as long as that runs. */
@Context
@Requires(classes = OpenTelemetry.class, beans = OpenTelemetry.class)
final class BeanTelemetry {
    private final OpenTelemetrySource.Named named;

    BeanTelemetry(OpenTelemetry telemetry) {
        this.named = OpenTelemetrySource.name(telemetry, false);
    }

    @PreDestroy
    void close() {
        named.close();
    }
}
