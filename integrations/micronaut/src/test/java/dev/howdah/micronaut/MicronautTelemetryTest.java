package dev.howdah.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.query.JobState;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import jakarta.inject.Singleton;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Spans and meters of an application that has OpenTelemetry and Micrometer. */
@PostgresTest
class MicronautTelemetryTest {
    private final TestDatabase database;

    MicronautTelemetryTest(TestDatabase database) {
        this.database = database;
    }

    /** What keeps what is measured, as the modules of Micronaut make it. */
    @Factory
    @Requires(property = "measured")
    static class Measures {
        @Singleton
        InMemorySpanExporter exporter() {
            return InMemorySpanExporter.create();
        }

        @Singleton
        @Bean(typed = OpenTelemetry.class)
        OpenTelemetry telemetry(InMemorySpanExporter exporter) {
            return OpenTelemetrySdk.builder()
                    .setTracerProvider(SdkTracerProvider.builder()
                            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                            .build())
                    .build();
        }

        @Singleton
        @Bean(typed = MeterRegistry.class)
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @Test
    void job_hasASpanInTheTraceOfItsRequest_andIsCounted() throws Exception {
        database.execute("CREATE TABLE orders (id bigserial PRIMARY KEY, customer text, confirmed int DEFAULT 0)");
        try (ApplicationContext application = Applications.start(database, Map.of("measured", true))) {
            OpenTelemetry telemetry = application.getBean(OpenTelemetry.class);
            Span request = telemetry.getTracer("test").spanBuilder("request").startSpan();
            long job;
            try (Scope scope = request.makeCurrent()) {
                job = application.getBean(Orders.class).place("Ann");
            } finally {
                request.end();
            }
            assertThat(application
                            .getBean(Jobs.class)
                            .await(job, Patience.LIMIT)
                            .state())
                    .isEqualTo(JobState.DONE);
            InMemorySpanExporter exporter = application.getBean(InMemorySpanExporter.class);
            // The first attempt fails.
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(exporter.getFinishedSpanItems())
                            .filteredOn(each -> each.getKind() == SpanKind.CONSUMER)
                            .hasSize(2)
                            .allMatch(each -> each.getTraceId()
                                    .equals(request.getSpanContext().getTraceId())));
            MeterRegistry meters = application.getBean(MeterRegistry.class);
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .untilAsserted(
                            () -> assertThat(meters.find("howdah.jobs.ended").counters())
                                    .isNotEmpty());
        }
    }
}
