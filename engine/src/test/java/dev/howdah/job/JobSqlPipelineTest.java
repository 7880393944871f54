package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** J14: pipelines that are defined and used without a program. */
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
    void stages_badInput_isRefusedInWords() {
        Map<String, String> wrong = Map.of(
                "[]", "they have to be a JSON array of one object or more",
                "{}", "they have to be a JSON array of one object or more",
                "[1]", "it is no object: 1",
                "[{\"kind\": \"k\"}]", "it has no name",
                "[{\"name\": \"a\"}]", "it has no kind",
                "[{\"name\": \"a\", \"kind\": \"k\"}, {\"name\": \"a\", \"kind\": \"k\"}]",
                        "another one has the name \"a\"",
                "[{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"b\"]}]", "it comes after the one before it");
        wrong.forEach((stages, words) -> assertThatThrownBy(
                        () -> database.execute("SELECT howdah.put_pipeline('p', '" + stages + "')"))
                .hasMessageContaining(words));
        assertThat(database.number("SELECT count(*) FROM howdah.pipeline")).isZero();
    }
}
