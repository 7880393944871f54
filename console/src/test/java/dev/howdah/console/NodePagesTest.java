package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Jobs by their node, and the page of a node. */
class NodePagesTest extends ApiTestBase {
    NodePagesTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
        Processes.on(ConsoleFixtures.source(database)).start().close();
        Jobs.on(ConsoleFixtures.source(database)).admin().pause("mail");
        database.execute("INSERT INTO howdah_internal.node (id, name, features, serves) OVERRIDING SYSTEM VALUE VALUES"
                + " (1, 'green', '{job,process}', '{\"job\": {\"queues\": [\"mail\"], \"kinds\": [\"send\"], \"slots\": 8},"
                + " \"process\": {\"shop\": 4}, \"version\": \"1.2.3\"}'), (2, 'blue', '{job}', '{}');"
                + " INSERT INTO howdah_internal.batch (id, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind,"
                + " payloads, ended, begins, runs)"
                + " SELECT (extract(epoch FROM now()) * 1000000)::bigint + i, 1 + i % 2, l.id, true, false, 1, 1000 + i, 1000 + i,"
                + " ARRAY[1000 + i], now(), 'send', ARRAY['{}'::json], CASE WHEN i < 5 THEN now() END, ARRAY[1], ARRAY[1]"
                + " FROM generate_series(1, 8) i, howdah_internal.lane l WHERE l.queue = 'mail';"
                + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, node)"
                + " SELECT 1000 + i, l.id, 'failed', 'send', 0, 1, 0, now(), 'no ' || i, 1 + i % 2"
                + " FROM generate_series(11, 14) i, howdah_internal.lane l WHERE l.queue = 'mail';"
                + " INSERT INTO howdah_internal.node_end (incarnation, id, name, features, version, started, ended, reason) SELECT gen_random_uuid(), id, 'node ' || id, '{job}', version,"
                + " now() - begun * interval '1 h', now() - over * interval '1 h', reason FROM (VALUES (7, '1.4', 30, 3, 'stopped'),"
                + " (8, '1.5', 4, 1, 'lost'), (9, '1.4', 200, 30, 'replaced')) e (id, version, begun, over, reason);"
                + " INSERT INTO howdah_internal.process_namespace (name) VALUES ('shop');"
                + " INSERT INTO howdah_internal.process (namespace, id, status, previous_status, node)"
                + " SELECT 1, 'order ' || i, 'running', 'init', 1 FROM generate_series(1, 21) i");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    private String page(String path) {
        return ConsoleFixtures.text(new ConsoleClient(console.address()).get(path));
    }

    @Test
    void nodesThatHaveEnded_areListedWithTheirReason_andTheirVersionIsMarked() {
        assertThat(page("/nodes")).contains("node 7", "lost", "1.5").doesNotContain("node 9");
        assertThat(page("/nodes?last=7d")).contains("node 9", "replaced");
        assertThat(api.get("/ended-nodes").json().at("/items/1/reason").asText())
                .isEqualTo("lost");
        assertThat(api.get("/ended-nodes?last=7d").json().at("/items"))
                .as("with that of the start above")
                .hasSize(4);
        // A program that is run from its jar has a version, too.
        assertThat(api.get("/charts/deployments?range=24h").json().findValuesAsText("version"))
                .contains("1.5");
        assertThat(page("/?range=24h")).contains("version 1.5 began, after 1.4: node node 8");
    }

    @Test
    void node_isShownWithWhatItTakesRunsAndHasEnded() {
        String green = page("/nodes/1");
        assertThat(green)
                .contains("green", "without a session", "1.2.3", "8 at a time", "4 at a time", "/jobs/queues/mail")
                .contains("order 1<", "order 20<", "The first 20.")
                .doesNotContain("order 21<");
        for (int even : new int[] {2, 4, 6, 8, 12, 14}) assertThat(green).contains("/jobs/" + (1000 + even) + "\"");
        for (int odd : new int[] {1, 3, 5, 7, 11, 13}) assertThat(green).doesNotContain("/jobs/" + (1000 + odd) + "\"");
        assertThat(page("/nodes/2")).contains("/jobs/1007\"", "not known: its program does not say");
        assertThat(page("/nodes")).contains("/nodes/1\"", "/jobs?state=running&amp;node=1\"");
        for (String none : new String[] {"/nodes/3", "/nodes/2147483647"})
            assertThat(new ConsoleClient(console.address()).get(none).statusCode())
                    .as(none)
                    .isEqualTo(404);
        assertThat(new ConsoleClient(console.address()).get("/nodes/x").statusCode())
                .isEqualTo(400);
    }

    @Test
    void node_withNothing_saysSo() throws SQLException {
        database.execute(
                "INSERT INTO howdah_internal.node (id, name, features) OVERRIDING SYSTEM VALUE VALUES (9, 'idle', '{job}')");
        assertThat(page("/nodes/9"))
                .contains(
                        "No job.",
                        "It has ended no job since yesterday.",
                        "No job has failed on it that is still there.");
    }

    @Test
    void jobs_byNode_areListedAndChangedBySelection() throws SQLException {
        String failed = page("/jobs?state=failed&node=1");
        assertThat(failed).contains("/jobs/1014\"", "/jobs/1012\"").doesNotContain("/jobs/1013\"");
        assertThat(failed).contains("name=\"action\" value=\"retry\"").doesNotContain("name=\"all\"");
        // Jobs that wait have no node: their tab is without the filter.
        assertThat(failed).contains("?state=waiting\"", "?node=1&amp;state=done\"");
        assertThat(page("/jobs?state=failed")).contains("name=\"all\"");
        ConsoleClient browser = new ConsoleClient(console.address());
        assertThat(browser.get("/jobs?state=waiting&node=1").statusCode()).isEqualTo(400);
        assertThat(browser.get("/jobs?state=done&node=0").statusCode()).isEqualTo(400);
        assertThat(browser.get("/jobs?state=done&node=1%27").statusCode()).isEqualTo(400);
    }

    @Test
    void api_listsJobsByNode_andFindsNodes() {
        for (String state : new String[] {"running", "done", "failed"}) {
            JsonNode page = api.get("/jobs?node=2&state=" + state).json();
            assertThat(page.path("items")).as(state + page).hasSize(2);
            for (JsonNode each : page.path("items"))
                assertThat(each.path("node").asInt()).isEqualTo(2);
        }
        assertThat(api.get("/jobs?node=2&state=waiting").status()).isEqualTo(422);
        assertThat(api.get("/jobs?node=x&state=done").status()).isEqualTo(422);
        JsonNode node = api.get("/nodes/1").json();
        assertThat(node.path("version").asText()).isEqualTo("1.2.3");
        assertThat(node.path("alive").asBoolean()).isFalse();
        assertThat(api.get("/nodes/2").json().has("version")).isFalse();
        for (String none : new String[] {"3", "99999999999", "x"})
            assertThat(api.get("/nodes/" + none).status()).as(none).isEqualTo(404);
    }
}
