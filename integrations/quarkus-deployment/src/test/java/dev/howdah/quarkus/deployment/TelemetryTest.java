package dev.howdah.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.beans.JobHandler;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.query.JobState;
import io.agroal.api.AgroalDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.quarkus.agroal.DataSource;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Spans, meters, and a second data source. */
@Tag("long")
@SuppressWarnings("NullAway.Init") // injected
class TelemetryTest {
    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = TestApplication.withSecondDataSource("stock", Beans.class, Counts.class)
            .overrideConfigKey("quarkus.otel.traces.exporter", "cdi")
            .overrideConfigKey("quarkus.otel.bsp.schedule.delay", "50ms");

    private static final Kind<Long> COUNT = Kind.of("count", Long.class);

    /** Keep what is measured. */
    @ApplicationScoped
    static class Beans {
        @Produces
        @Singleton
        InMemorySpanExporter exporter() {
            return InMemorySpanExporter.create();
        }

        @Produces
        @Singleton
        SimpleMeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    /** Handles jobs of the second data source. */
    static class Counts {
        @JobHandler(value = "count", dataSource = "stock", transactional = true)
        void count(long article) {}
    }

    @Inject
    @DataSource("stock")
    Jobs jobs;

    @Inject
    AgroalDataSource first;

    @Inject
    Tracer tracer;

    @Inject
    InMemorySpanExporter exporter;

    @Inject
    MeterRegistry meters;

    @Test
    void job_hasASpanInTheTraceOfItsRequest_andIsCounted() throws Exception {
        Span request = tracer.spanBuilder("request").startSpan();
        long id;
        try (Scope scope = request.makeCurrent()) {
            id = jobs.add(COUNT, 7L);
        } finally {
            request.end();
        }
        assertThat(jobs.await(id, Duration.ofSeconds(60)).state()).isEqualTo(JobState.DONE);
        assertThat(TestApplication.value(first, "SELECT count(*) FROM howdah.jobs"))
                .isEqualTo("0");
        Awaitility.await().untilAsserted(() -> {
            List<SpanData> spans = exporter.getFinishedSpanItems();
            assertThat(spans)
                    .filteredOn(each -> each.getKind() == SpanKind.CONSUMER)
                    .singleElement()
                    .matches(each ->
                            each.getTraceId().equals(request.getSpanContext().getTraceId()));
        });
        assertThat(meters.find("howdah.jobs.ended").counters()).isNotEmpty();
    }
}
