package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.reach.job.HttpJob;
import dev.howdah.reach.job.ReachJobs;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Spans of tasks and jobs that reach out, with the real OpenTelemetry. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReachSpansTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final String USER = "root".equals(System.getProperty("user.name"))
            ? "\"user\": \"nobody\", \"group\": \"nogroup\""
            : "\"user\": \"same\"";

    private final TestDatabase database;
    private final Ended spans = new Ended();
    private final HttpPlace place = new HttpPlace(ReachSpansTest::answer);
    private ReachingTasks tasks;

    ReachSpansTest(TestDatabase database) throws IOException {
        this.database = database;
    }

    /** Keeps the spans of this program that have ended. */
    private static final class Ended implements SpanExporter {
        private final Queue<SpanData> all = new ConcurrentLinkedQueue<>();
        private final SdkTracerProvider provider = SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(this))
                .build();

        void setUp() {
            GlobalOpenTelemetry.set(new OpenTelemetry() {
                @Override
                public TracerProvider getTracerProvider() {
                    return provider;
                }

                @Override
                public ContextPropagators getPropagators() {
                    return ContextPropagators.noop();
                }
            });
        }

        /** The one of the run at that target that ended last; other tests of this program have other targets. */
        SpanData last(String target) {
            return all.stream()
                    .filter(each -> target.equals(each.getAttributes().get(AttributeKey.longKey("server.port")) + "")
                            || target.equals(each.getAttributes().get(AttributeKey.stringKey("reach.name"))))
                    .reduce((a, b) -> b)
                    .orElseThrow();
        }

        SpanData of(String spanId) {
            return all.stream()
                    .filter(each -> each.getSpanId().equals(spanId))
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            all.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    @BeforeAll
    void serve(@TempDir Path directory) throws IOException {
        spans.setUp();
        Path file = directory.resolve("reach.json");
        Files.writeString(file, "{\"programs\": {\"spans\": {\"command\": [\"/usr/bin/env\"], %s}}}".formatted(USER));
        tasks = new ReachingTasks(
                database,
                ReachSettings.of(List.of(place.address(), "exec:spans", "smtp://127.0.0.1:2"), file, Map.of()));
    }

    @AfterAll
    void close() {
        tasks.close();
        place.close();
    }

    private static void answer(HttpExchange exchange, HttpPlace.Seen request) throws IOException {
        byte[] bytes = "a secret".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(request.path().equals("/busy") ? 503 : 200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static String attributes(SpanData span) {
        TreeMap<String, String> all = new TreeMap<>();
        span.getAttributes().forEach((key, value) -> all.put(key.getKey(), String.valueOf(value)));
        return all.toString();
    }

    private String web(int status, String outcome) {
        return "{http.response.status_code=" + status + ", reach.outcome=" + outcome
                + ", reach.scheme=http, server.address=127.0.0.1, server.port="
                + port() + "}";
    }

    private String port() {
        return place.address().replaceFirst(".*:", "");
    }

    private String seen(String header) {
        HttpPlace.Seen last = place.seen().stream().reduce((a, b) -> b).orElseThrow();
        return String.valueOf(last.headers().getFirst(header));
    }

    @Test
    void request_isASpanWithinThatOfItsTask_whichItsReceiverContinues() {
        assertThat(tasks.output(place.address() + "/secret?x=secret", "secret")).isEqualTo("a secret");
        SpanData span = spans.last(port());
        assertThat(attributes(span)).isEqualTo(web(200, "done"));
        assertThat(span.getName()).isEqualTo("reach http");
        assertThat(span.getKind()).isEqualTo(SpanKind.CLIENT);
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(seen("traceparent")).startsWith("00-" + span.getTraceId() + "-" + span.getSpanId() + "-");
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(spans.of(span.getParentSpanId()).getName()).isEqualTo("task run"));
        assertThat(attributes(spans.of(span.getParentSpanId()))).contains("task.attempt=1", "task.outcome=done");
    }

    @Test
    void runThatFails_isAnError_withoutItsText() {
        assertThat(tasks.error(place.address() + "/busy", "")).contains("answered 503");
        SpanData span = spans.last(port());
        assertThat(attributes(span)).isEqualTo(web(503, "fail"));
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getStatus().getDescription()).isEmpty();
        assertThat(span.getEvents()).isEmpty();
        assertThat(tasks.error("smtp://127.0.0.1:2", "{\"to\": \"ann@example.com\", \"text\": \"x\"}"))
                .contains("ERROR");
        assertThat(attributes(spans.last("2")))
                .isEqualTo("{reach.outcome=fail, reach.scheme=smtp, server.address=127.0.0.1, server.port=2}");
    }

    @Test
    void target_thatIsNotAllowed_isNotReached() {
        assertThat(tasks.error("ssh://127.0.0.1:3", "id")).contains("may not reach");
        assertThat(spans.all)
                .noneMatch(
                        each -> Long.valueOf(3).equals(each.getAttributes().get(AttributeKey.longKey("server.port"))));
    }

    @Test
    void program_getsTheContextInItsEnvironment() {
        String environment = tasks.output("exec:spans", "");
        SpanData span = spans.last("spans");
        assertThat(attributes(span)).isEqualTo("{reach.name=spans, reach.outcome=done, reach.scheme=exec}");
        assertThat(environment)
                .contains("TRACEPARENT=00-" + span.getTraceId() + "-" + span.getSpanId() + "-")
                .doesNotContain("TRACESTATE");
    }

    @Test
    void request_withAContextOfItsOwn_keepsIt() {
        String own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        tasks.output(place.address() + "#input=request", "GET /own\nTraceparent: " + own + "\n\n");
        assertThat(seen("traceparent")).isEqualTo(own);
    }

    @Test
    void job_reachesOutWithinTheContextInWhichItWasAdded() throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        Span adds = spans.provider.get("test").spanBuilder("adds").startSpan();
        try (ReachJobs reach = ReachJobs.of(ReachSettings.of(List.of(place.address())));
                Jobs jobs = Jobs.on(source).handle(HttpJob.KIND, reach.http()).start();
                Scope scope = adds.makeCurrent()) {
            assertThat(scope).isNotNull();
            long id = jobs.add(HttpJob.KIND, HttpJob.get(place.address() + "/job"));
            assertThat(jobs.await(id, PATIENCE).result()).contains("200");
        }
        assertThat(seen("traceparent")).contains(adds.getSpanContext().getTraceId());
        SpanData run = spans.of(spans.last(port()).getParentSpanId());
        assertThat(run.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(run.getParentSpanId()).isEqualTo(adds.getSpanContext().getSpanId());
    }
}
