package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.howdah.beans.JobsCustomizer;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.trace.Tracing;
import dev.howdah.job.Jobs;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.reach.ReachSettings;
import dev.howdah.reach.job.HttpJob;
import dev.howdah.reach.job.ReachJobs;
import dev.howdah.spring.internal.config.HowdahTracingAutoConfiguration;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The library's spans are in the traces of an application whose OpenTelemetry is that of Spring Boot. */
@PostgresTest
class SpansTest {
    private static final Tracing TRACING = Tracing.find(SpansTest.class);

    private final TestDatabase database;

    SpansTest(TestDatabase database) {
        this.database = database;
    }

    /** Keeps the spans that have ended. */
    static class Ended implements SpanProcessor {
        private final Queue<SpanData> all = new ConcurrentLinkedQueue<>();

        @Override
        public void onStart(Context parent, ReadWriteSpan span) {}

        @Override
        public boolean isStartRequired() {
            return false;
        }

        @Override
        public void onEnd(ReadableSpan span) {
            all.add(span.toSpanData());
        }

        @Override
        public boolean isEndRequired() {
            return true;
        }

        SpanData await(String name) {
            return Awaitility.await(name)
                    .atMost(Application.PATIENCE)
                    .until(
                            () -> all.stream()
                                    .filter(each -> each.getName().equals(name))
                                    .findFirst(),
                            Optional::isPresent)
                    .orElseThrow();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        Ended ended() {
            return new Ended();
        }

        @Bean(destroyMethod = "close")
        ReachJobs reach() {
            return ReachJobs.of(ReachSettings.of(List.of("http://127.0.0.1:*/*")));
        }

        @Bean
        JobsCustomizer requests(ReachJobs reach) {
            return builder -> builder.handle(HttpJob.KIND, reach.http());
        }

        @Bean
        Namespace order() {
            return Namespace.of("order", (task, process) -> switch (task.type()) {
                case CALL -> Intent.none().response("thank you").then(Action.suspend());
                default -> Intent.none();
            });
        }
    }

    @Test
    void spans_ofJobsAndProcesses_areInTheTraceOfTheCaller() throws Exception {
        Queue<String> received = new ConcurrentLinkedQueue<>();
        HttpServer bank = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        bank.createContext("/", exchange -> {
            received.add(String.valueOf(exchange.getRequestHeaders().getFirst("traceparent")));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        bank.start();
        try (ConfigurableApplicationContext application =
                Application.start(database, Beans.class, "management.tracing.sampling.probability=1.0")) {
            Tracer tracer = application.getBean(Tracer.class);
            Ended ended = application.getBean(Ended.class);
            Processes processes = application.getBean(Processes.class);
            processes.init("order", "1", null);

            Span caller = tracer.nextSpan().name("buys").start();
            try (Tracer.SpanInScope scope = tracer.withSpan(caller)) {
                application
                        .getBean(Jobs.class)
                        .add(
                                HttpJob.KIND,
                                HttpJob.post(
                                        "http://127.0.0.1:" + bank.getAddress().getPort() + "/charges", "{}"));
                processes.call("order", "1", "pay");
                assertThat(scope).isNotNull();
            } finally {
                caller.end();
            }
            String trace = caller.context().traceId();
            SpanData job = ended.await("job " + HttpJob.KIND.name());
            SpanData reach = ended.await("reach http");
            SpanData call = ended.await("call");
            SpanData step = ended.await("step call");
            assertThat(List.of(job, reach, call, step))
                    .extracting(SpanData::getTraceId)
                    .containsOnly(trace);
            assertThat(List.of(job, call))
                    .extracting(SpanData::getParentSpanId)
                    .containsOnly(caller.context().spanId());
            assertThat(job.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(job.getAttributes().asMap().values()).contains("howdah", "process", "default");
            assertThat(ended.all).extracting(SpanData::getName).doesNotContain("process default");
            assertThat(reach.getParentSpanId()).isEqualTo(job.getSpanId());
            assertThat(step.getParentSpanId()).isEqualTo(call.getSpanId());
            assertThat(received).singleElement().asString().contains(trace, reach.getSpanId());
            assertThat(TRACING.isOn()).isTrue();
        } finally {
            bank.stop(0);
        }
        assertThat(TRACING.isOn()).as("after the application").isFalse();
    }

    @Test
    void application_withoutOpenTelemetry_hasNoSpans() {
        try (AnnotationConfigApplicationContext application =
                new AnnotationConfigApplicationContext(HowdahTracingAutoConfiguration.class)) {
            assertThat(application.isRunning()).isTrue();
            assertThat(TRACING.isOn()).isFalse();
        }
        try (AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext()) {
            OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder().build();
            application.registerBean(OpenTelemetry.class, () -> telemetry);
            application.register(HowdahTracingAutoConfiguration.class);
            application.refresh();
            assertThat(TRACING.isOn()).isTrue();
        }
    }
}
