package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.trace.EndedSpans;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Spans of tasks, with the real OpenTelemetry. */
@PostgresTest
class TaskTracingTest {
    private static final EndedSpans SPANS = EndedSpans.global();

    private static ServedTable tasks;
    private static String database;

    @BeforeAll
    static void serve(TestDatabase served) {
        database = served.name();
        tasks = ServedTable.in(served);
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    /** Returns the spans of a group, as soon as there are so many: a span ends after its task's end was written. */
    private static List<SpanData> spans(String group, int least) {
        Scheduled.awaiting(least + " spans of " + group)
                .until(() -> spans(group).size() >= least);
        return spans(group);
    }

    private static List<SpanData> spans(String group) {
        return SPANS.all().stream()
                .filter(each -> group.equals(each.getAttributes().get(AttributeKey.stringKey("task.group"))))
                .toList();
    }

    private static String attributes(SpanData span) {
        TreeMap<String, String> all = new TreeMap<>();
        span.getAttributes().forEach((key, value) -> all.put(key.getKey(), String.valueOf(value)));
        all.remove("task.id");
        return all.toString();
    }

    private static String about(String group, int attempt, String outcome) {
        return "{task.attempt=" + attempt + ", task.database=" + database + ", task.group=" + group + ", task.outcome="
                + outcome + ", task.table=public.task}";
    }

    @Test
    void task_isASpan_withNothingOfItsTextOrOutput() {
        Task task = tasks.run("SELECT 'secret' || 1", "group", "traced");
        assertThat(task.state()).isEqualTo(TaskState.DONE);
        SpanData span = spans("traced", 1).get(0);
        assertThat(span.getName()).isEqualTo("task run");
        assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(span.getParentSpanContext().isValid()).isFalse();
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(span.getAttributes().get(AttributeKey.stringKey("task.id"))).isEqualTo("" + task.id());
        assertThat(attributes(span)).isEqualTo(about("traced", 1, "done"));
        assertThat(span.getEndEpochNanos()).isGreaterThanOrEqualTo(span.getStartEpochNanos());
    }

    @Test
    void attempts_areSpansEach_withTheCodeOfTheError() {
        tasks.add("SELECT 'secret'::int", "group", "tried", "attempts", "3", "backoff", "0");
        tasks.awaitTrue("SELECT count(*) = 3 AND bool_and(state = 'FAIL') FROM task WHERE \"group\" = 'tried'");
        List<SpanData> spans = spans("tried", 3);
        assertThat(spans.stream().map(TaskTracingTest::attributes))
                .containsExactly(
                        about("tried", 1, "fail").replace(", task.table", ", task.sqlstate=22P02, task.table"),
                        about("tried", 2, "fail").replace(", task.table", ", task.sqlstate=22P02, task.table"),
                        about("tried", 3, "fail").replace(", task.table", ", task.sqlstate=22P02, task.table"));
        assertThat(spans).allSatisfy(each -> {
            assertThat(each.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(each.getStatus().getDescription()).isEmpty();
            assertThat(each.getEvents()).isEmpty();
        });
    }

    @Test
    void repeat_isAFirstAttempt() {
        tasks.add("SELECT 1", "group", "repeated", "repeat", "0.1 s");
        tasks.awaitTrue("SELECT count(*) > 2 FROM task WHERE \"group\" = 'repeated'");
        assertThat(spans("repeated", 2).stream().limit(2).map(TaskTracingTest::attributes))
                .containsOnly(about("repeated", 1, "done"));
    }
}
