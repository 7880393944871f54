package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.trace.EndedSpans;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Spans of what is asked and of steps, on one node and across two, with the real OpenTelemetry. */
@PostgresTest
class ProcessTracingTest {
    private static final EndedSpans SPANS = EndedSpans.global();

    private final TestDatabase database;

    ProcessTracingTest(TestDatabase database) {
        this.database = database;
    }

    private static List<SpanData> spans(String namespace, String name) {
        return SPANS.all().stream()
                .filter(each -> namespace.equals(each.getAttributes().get(AttributeKey.stringKey("process.namespace"))))
                .filter(each -> each.getName().equals(name))
                .toList();
    }

    private static SpanData span(String namespace, String name) {
        Scripted.awaiting("the span " + name + " has ended")
                .until(() -> !spans(namespace, name).isEmpty());
        return spans(namespace, name).get(0);
    }

    private static Intent step(ProcessTask task, ProcessState process) {
        if (task.type() == TaskType.CALL && task.args().as(String.class).equals("fail"))
            throw new StepFailedException("no");
        Intent intent = Intent.none().response(Span.current().getSpanContext().getTraceId());
        return task.type() == TaskType.CALL ? intent.then(Action.timeout()) : intent;
    }

    @Test
    void call_andItsSteps_areOneTrace_whereverTheyRun() {
        Namespace namespace = Namespace.of("traced", ProcessTracingTest::step);
        try (Processes worker = Processes.on(Scripted.dataSource(database))
                        .namespace(namespace)
                        .start();
                Processes client = Processes.on(Scripted.dataSource(database)).start()) {
            client.init("traced", "a", null);
            String seen = client.call("traced", "a", "well").as(String.class);
            SpanData call = span("traced", "call");
            assertThat(call.getKind()).isEqualTo(SpanKind.CLIENT);
            assertThat(call.getTraceId()).isEqualTo(seen);
            assertThat(call.getAttributes().get(AttributeKey.stringKey("process.id")))
                    .isEqualTo("a");
            SpanData step = span("traced", "step call");
            assertThat(step.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(step.getParentSpanId()).isEqualTo(call.getSpanId());
            assertThat(step.getAttributes().get(AttributeKey.stringKey("process.task_id")))
                    .matches("\\d+");
            // What goes on at once belongs to it.
            assertThat(span("traced", "step timeout").getTraceId()).isEqualTo(seen);
            assertThat(span("traced", "init").getTraceId()).isNotEqualTo(seen);
            worker.get("traced", "a");
            span("traced", "get");
        }
    }

    @Test
    void call_thatFails_isAnErrorOfBothSpans() {
        try (Processes node = Processes.on(Scripted.dataSource(database))
                .namespace(Namespace.of("failing", ProcessTracingTest::step))
                .start()) {
            node.init("failing", "a", null);
            assertThat(Scripted.reason(() -> node.call("failing", "a", "fail"))).isEqualTo("no");
            for (String each : List.of("call", "step call")) {
                SpanData span = span("failing", each);
                assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
                assertThat(Objects.requireNonNull(span.getStatus().getDescription()))
                        .isEqualTo("no");
            }
        }
    }
}
