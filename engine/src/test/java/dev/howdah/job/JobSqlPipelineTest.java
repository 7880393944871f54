package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Pipelines that are defined and used without a program. */
@PostgresTest
class JobSqlPipelineTest {
    private static final Kind<Object> NOTE = Kind.of("note", Object.class);

    private final JobsDatabase database;

    JobSqlPipelineTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Test
    void pipeline_ofThreeStages_runsThemInOrderWithTheInput() {
        database.execute("""
                SELECT howdah.put_pipeline('order', '[
                    {"name": "check", "queue": "a", "kind": "note", "payload": {"of": "$input.id", "all": "$input", "not": "$inputs"}},
                    {"name": "charge", "queue": "b", "kind": "note", "payload": ["$input.lines.0.price", "$input.none", 1.50]},
                    {"name": "ship", "kind": "note"}]')
                """);
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (Jobs node = database.jobs()
                .queues("a", "b", "order")
                .handle(NOTE, (payload, job) -> seen.add(job.queue() + " " + payload))
                .start()) {
            String added = database.text(
                    "SELECT howdah.add_to_pipeline('order', '{\"id\": \"$input\", \"lines\": [{\"price\": 3}]}')");
            JobsDatabase.awaiting("it ends")
                    .until(() -> database.text("SELECT state FROM howdah.workflows WHERE id = " + added)
                            .equals("ended"));
        }
        assertThat(seen)
                .containsExactly(
                        "a {of=$input, all={id=$input, lines=[{price=3}]}, not=$inputs}",
                        "b [3, null, 1.5]",
                        "order " + Map.of("id", "$input").toString().replace("}", "") + ", lines=[{price=3}]}");
        assertThat(database.text("SELECT howdah.remove_pipeline('order')")).isEqualTo("t");
        assertThatThrownBy(() -> database.execute("SELECT howdah.add_to_pipeline('order')"))
                .hasMessageContaining("there is no pipeline \"order\"");
    }

    @Test
    void stage_withAPlaceForIt_getsTheResultOfTheStageBefore() {
        String large = "x".repeat(20_000);
        database.execute("""
                SELECT howdah.put_pipeline('order', '[
                    {"name": "first", "kind": "echo"},
                    {"name": "second", "kind": "echo",
                        "payload": {"id": "$input.id", "before": "$previous", "deep": "$previous.a.0.b", "none": "$previous.x"}},
                    {"name": "third", "kind": "echo", "payload": ["$previous.id", "$input.id", "$results.second.deep"]}]')
                """);
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (Jobs node = database.jobs()
                .queues("order")
                .handle(Kind.of("echo", Object.class), (payload, job) -> {
                    seen.add(payload.toString().replace(large, "large"));
                    job.result(payload);
                })
                .start()) {
            for (String id : List.of("\"$previous\"", "\"" + large + "\"")) {
                String added = database.text(
                        "SELECT howdah.add_to_pipeline('order', '{\"id\": " + id + ", \"a\": [{\"b\": 1.50}]}')");
                JobsDatabase.awaiting("it ends")
                        .until(() -> database.text("SELECT state FROM howdah.workflows WHERE id = " + added)
                                .equals("ended"));
            }
        }
        assertThat(seen)
                .containsExactly(
                        "{id=$previous, a=[{b=1.5}]}",
                        "{id=$previous, before={a=[{b=1.5}], id=$previous}, deep=1.5, none=null}",
                        "[$previous, $previous, 1.5]",
                        "{id=large, a=[{b=1.5}]}",
                        "{id=large, before={a=[{b=1.5}], id=large}, deep=1.5, none=null}",
                        "[large, large, 1.5]");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job")).isZero();
    }

    @Test
    void workflow_ofJobsThatFillTheirPayload_getsResultsByName() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (Jobs node = database.jobs()
                .handle(Kind.of("count", Integer.class), (n, job) -> job.result(n * 2))
                .handle(NOTE, (payload, job) -> seen.add(String.valueOf(payload)))
                .start()) {
            String added = database.text("""
                    SELECT howdah.add_workflow('[
                        {"name": "a", "kind": "count", "payload": 1}, {"name": "b", "kind": "count", "payload": 2},
                        {"name": "sum", "kind": "note", "payload": ["$results.a", "$results.b", "$previous", "$input"],
                            "fill": true, "input": 7, "after": ["a", "b"]},
                        {"name": "text", "kind": "note", "payload": "$results.a", "after": ["sum"]}]')
                    """);
            JobsDatabase.awaiting("it ends")
                    .until(() -> database.text("SELECT state FROM howdah.workflows WHERE id = " + added)
                            .equals("ended"));
        }
        assertThat(seen).containsExactly("[2, 4, null, 7]", "$results.a");
        assertThatThrownBy(() -> database.execute(
                        "SELECT howdah.add_workflow('[{\"name\": \"a\", \"kind\": \"k\", \"input\": 1}]')"))
                .hasMessageContaining(
                        "job \"a\" of a workflow has an input, which is for payloads with \"fill\": true");
        assertThatThrownBy(() -> database.execute("SELECT howdah.add_workflow('[{\"name\": \"a\", \"kind\": \"k\"}]',"
                        + " when_ended => '{\"kind\": \"k\", \"payload\": \"$results.a\", \"fill\": true}')"))
                .hasMessageContaining("a callback of a workflow has \"fill\": true");
    }

    @Test
    void stageThatWasSkipped_retriedBeforeTheOneItWaitsFor_hasItsPayloadFilledIn() {
        String large = "x".repeat(20_000);
        database.execute("""
                SELECT howdah.put_pipeline('order', '[
                    {"name": "first", "kind": "fails"},
                    {"name": "second", "kind": "note", "payload": {"id": "$input", "before": "$previous.x"}}]')
                """);
        AtomicBoolean broken = new AtomicBoolean(true);
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (Jobs node = database.jobs()
                .queues("order")
                .handle(Kind.of("fails", Object.class), (payload, job) -> {
                    if (broken.get()) throw new FatalException("no");
                })
                .handle(NOTE, (payload, job) -> seen.add(String.valueOf(payload).replace(large, "large")))
                .start()) {
            for (String input : List.of("1", "2", "\"" + large + "\""))
                database.execute("SELECT howdah.add_to_pipeline('order', '" + input + "')");
            JobsDatabase.awaiting("the second stages are skipped")
                    .until(() ->
                            database.number("SELECT count(*) FROM howdah_internal.failed WHERE kind = 'note'") == 3);
            broken.set(false);
            database.execute("SELECT howdah.retry(min(id)) FROM howdah_internal.failed WHERE kind = 'note'");
            // The first one may be there again meanwhile, since it cannot run.
            assertThat(node.admin().retryAll(JobQuery.in(JobState.CANCELLED).kind("note")))
                    .isBetween(2L, 3L);
            assertThat(node.admin().retryAll(JobQuery.in(JobState.FAILED))).isEqualTo(3);
            JobsDatabase.awaiting("they have run").until(() -> seen.size() == 3);
        }
        assertThat(seen)
                .containsExactlyInAnyOrder("{id=1, before=null}", "{id=2, before=null}", "{id=large, before=null}");
    }

    @Test
    void stages_badInput_isRefusedInWords() {
        Map<String, String> wrong = Map.of(
                "[]", "they have to be a JSON array of one object or more",
                "{}", "they have to be a JSON array of one object or more",
                "[1]", "it is no object: 1",
                "[{\"kind\": \"k\"}]", "it has no name",
                "[{\"name\": \"a\"}]", "it has no kind",
                "[{\"name\": \"a\", \"kind\": \"k\"}, {\"name\": \"a\", \"kind\": \"k\"}]",
                        "another one has the name \"a\"",
                "[{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"b\"]}]", "it comes after the one before it",
                "[{\"name\": \"a\", \"kind\": \"k\", \"payload\": [\"$previous.x\"]}]",
                        "it takes the result of the stage before, and there is none",
                "[{\"name\": \"a\", \"kind\": \"k\", \"input\": 1}]", "its input is what is added");
        wrong.forEach((stages, words) -> assertThatThrownBy(
                        () -> database.execute("SELECT howdah.put_pipeline('p', '" + stages + "')"))
                .hasMessageContaining(words));
        assertThat(database.number("SELECT count(*) FROM howdah.pipeline")).isZero();
    }
}
