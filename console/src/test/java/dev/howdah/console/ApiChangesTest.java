package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Moving jobs to another queue, and changes of many jobs. */
class ApiChangesTest extends ApiTestBase {
    ApiChangesTest(TestDatabase database) {
        super(database);
    }

    private int waiting(String queue) {
        return api.get("/jobs?state=waiting&limit=500&queue=" + queue)
                .json()
                .path("items")
                .size();
    }

    private ApiClient.Answer ended(ApiClient.Answer begun) {
        String path = "/changes/" + begun.text("id");
        await().until(() -> api.get(path).json().has("ended"));
        return api.get(path);
    }

    @Test
    void job_thatWaits_isMovedUnlessItBelongsToItsQueue() {
        String id = api.post("/jobs", "{\"kind\": \"k\"}").text("id");
        assertThat(api.post("/jobs/" + id + "/move", "{\"to\": \"slow\"}").text("changed"))
                .isEqualTo("true");
        assertThat(api.get("/jobs/" + id).text("queue")).isEqualTo("slow");
        String keyed = api.post("/jobs", "{\"kind\": \"k\", \"key\": \"a\"}").text("id");
        assertThat(api.post("/jobs/" + keyed + "/move", "{\"to\": \"slow\"}").text("detail"))
                .contains("key");
        api.post("/jobs/" + id + "/cancel", null);
        assertThat(api.post("/jobs/" + id + "/move", "{\"to\": \"slow\"}").status())
                .isEqualTo(409);
        assertThat(api.post("/jobs/999/move", "{\"to\": \"slow\"}").status()).isEqualTo(404);
        for (String body : new String[] {"{}", "{\"to\": \"\"}", "{\"to\": \"" + "x".repeat(201) + "\"}"})
            assertThat(api.post("/jobs/" + keyed + "/move", body).status())
                    .as(body)
                    .isEqualTo(422);
    }

    /** Kind: what goes on in the background is over in the audit table when it begins. */
    @Test
    void change_inTheBackground_isInTheAuditTable_withItsNumbersOrItsFailure() {
        database.execute("SELECT howdah.add('default', 'k', 'null'::json) FROM generate_series(1, 3)");
        String all = "{\"action\": \"cancel\", \"state\": \"waiting\"}";
        ended(api.post("/jobs/change-all", all));
        String last =
                "SELECT outcome || ' ' || message FROM howdah.audit WHERE begun IS NOT NULL ORDER BY id DESC LIMIT 1";
        await().until(() -> database.value(last), "done 3 changed, 0 not changed."::equals);
        database.execute("SELECT howdah.add('default', 'k', 'null'::json);"
                + " ALTER TABLE howdah_internal.failed ADD CHECK (id < 4) NOT VALID");
        ended(api.post("/jobs/change-all", all));
        await().until(() -> database.value(last), each -> String.valueOf(each).startsWith("failed 0 changed"));
    }

    @Test
    void jobs_changedById_areCountedWithThoseThatCannotBe() {
        database.execute("SELECT howdah.add('default', 'k', 'null'::json) FROM generate_series(1, 3)");
        ApiClient.Answer moved = api.post(
                "/jobs/change", "{\"action\": \"move\", \"to\": \"slow\", \"ids\": [\"1\", \"2\", \"2\", \"99\"]}");
        assertThat(moved.json().path("changed").asInt()).isEqualTo(2);
        assertThat(moved.json().path("unchanged").asInt()).isEqualTo(1);
        assertThat(waiting("slow")).isEqualTo(2);
        assertThat(api.post("/jobs/change", "{\"action\": \"cancel\", \"ids\": [\"1\", \"3\"]}")
                        .json()
                        .path("changed")
                        .asInt())
                .isEqualTo(2);
        assertThat(api.post("/jobs/change", "{\"action\": \"delete\", \"ids\": [\"1\"]}")
                        .json()
                        .path("changed")
                        .asInt())
                .isEqualTo(1);
        for (String body : new String[] {
            "{\"action\": \"move\", \"ids\": [\"1\"]}",
            "{\"action\": \"retry\", \"to\": \"slow\", \"ids\": [\"1\"]}",
            "{\"action\": \"drop\", \"ids\": [\"1\"]}",
            "{\"action\": \"retry\", \"ids\": []}",
            "{\"action\": \"retry\", \"ids\": [\"1' OR true\"]}"
        }) assertThat(api.post("/jobs/change", body).status()).as(body).isEqualTo(422);
    }

    @Test
    void jobs_changedByFilter_areThoseThatMatch() {
        database.execute("SELECT howdah.add('default', CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, 'null'::json)"
                + " FROM generate_series(1, 250) i");
        ApiClient.Answer begun = api.post(
                "/jobs/change-all",
                "{\"action\": \"move\", \"to\": \"slow\", \"state\": \"waiting\", \"kind\": \"a\"}");
        assertThat(begun.status()).isEqualTo(202);
        assertThat(begun.response().headers().firstValue("Location")).hasValue("/api/v1/changes/" + begun.text("id"));
        ApiClient.Answer ended = ended(begun);
        assertThat(ended.text("state")).isEqualTo("done");
        assertThat(ended.json().path("changed").asInt()).isEqualTo(125);
        assertThat(ended.json().path("expected").asInt()).isEqualTo(125);
        assertThat(waiting("slow")).isEqualTo(125);
        assertThat(waiting("default")).isEqualTo(125);
        assertThat(api.get("/changes").json().at("/items/0/title").asText())
                .contains("move all waiting jobs of kind a");
        assertThat(api.post("/changes/" + begun.text("id") + "/stop", null).text("state"))
                .isEqualTo("done");
        assertThat(api.get("/changes/999999").status()).isEqualTo(404);
        assertThat(ended(api.post("/jobs/change-all", "{\"action\": \"cancel\", \"state\": \"waiting\"}"))
                        .json()
                        .path("changed")
                        .asInt())
                .isEqualTo(250);
        assertThat(ended(api.post(
                                "/jobs/change-all",
                                "{\"action\": \"retry\", \"state\": \"cancelled\", \"queue\": \"slow\"}"))
                        .json()
                        .path("changed")
                        .asInt())
                .isEqualTo(125);
        for (String body : new String[] {
            "{\"action\": \"retry\"}",
            "{\"action\": \"retry\", \"state\": \"waiting\"}",
            "{\"action\": \"cancel\", \"state\": \"running\"}",
            "{\"action\": \"move\", \"state\": \"waiting\"}"
        }) assertThat(api.post("/jobs/change-all", body).status()).as(body).isEqualTo(422);
    }

    /** Jobs that have failed before; those with the last ids will fail in an hour, as if others failed while a change runs. */
    private void fail(int before, int meanwhile) {
        int all = before + meanwhile;
        database.execute("SELECT howdah.add('mail', 'send', 'null'::json) FROM generate_series(1, " + all + ")");
        database.execute("SELECT howdah.cancel(i) FROM generate_series(1, " + all + ") i");
        database.execute("UPDATE howdah_internal.failed SET state = 'failed', error = 'busy', ended = CASE WHEN id > "
                + before + " THEN now() + interval '1 hour' ELSE ended END");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /jobs/change-all | {"action": "retry", "state": "failed"}
            /jobs/change-all | {"action": "retry", "state": "failed", "until": "2999-01-01T00:00:00Z"}
            /jobs/change-all | {"action": "delete", "state": "failed"}
            /errors/retry    | {"pattern": "busy"}
            """)
    void jobs_thatFailMeanwhile_areNotChangedWithTheOthers(String path, String change) {
        fail(2, 1);
        assertThat(ended(api.post(path, change)).json().path("changed").asInt()).isEqualTo(2);
        assertThat(database.value("SELECT string_agg(id::text, ' ') FROM howdah_internal.failed"))
                .isEqualTo("3");
        assertThat(api.get("/jobs/3").text("state")).isEqualTo("failed");
    }

    @Test
    void jobs_ofATimeThatIsToCome_areNotChanged() {
        fail(1, 1);
        ApiClient.Answer ended = ended(api.post(
                "/jobs/change-all",
                "{\"action\": \"retry\", \"state\": \"failed\", \"from\": \""
                        + Instant.now().plusSeconds(60) + "\"}"));
        assertThat(ended.text("state")).isEqualTo("done");
        assertThat(ended.json().path("changed").asInt()).isZero();
        assertThat(database.value("SELECT count(*) FROM howdah_internal.failed"))
                .isEqualTo("2");
    }

    @Test
    void jobs_deletedByAnOperator_stay() {
        database.execute("SELECT howdah.add('default', 'k', 'null'::json)");
        api.post("/jobs/1/cancel", null);
        console.close();
        console = console().login(true).start();
        TokenStore tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
        api = new ApiClient(console.address(), "Bearer " + tokens.add("o", "operator", null, null));
        for (String body : new String[] {
            "change:{\"action\": \"delete\", \"ids\": [\"1\"]}",
            "change-all:{\"action\": \"delete\", \"state\": \"cancelled\"}"
        }) {
            String[] parts = body.split(":", 2);
            assertThat(api.post("/jobs/" + parts[0], parts[1]).status())
                    .as(body)
                    .isEqualTo(403);
        }
        assertThat(api.get("/jobs/1").text("state")).isEqualTo("cancelled");
        assertThat(api.post("/jobs/change", "{\"action\": \"retry\", \"ids\": [\"1\"]}")
                        .json()
                        .path("changed")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void errors_areGrouped_andAllJobsOfAGroupRetried() {
        database.execute("SELECT howdah.add('mail', 'send', 'null'::json) FROM generate_series(1, 5)");
        for (int i = 1; i <= 5; i++)
            database.execute(
                    "SELECT howdah.cancel(" + i + "); UPDATE howdah_internal.failed SET state = 'failed', error = '"
                            + (i < 4 ? "no mailbox " + i + ", password=hidden" : "busy") + "' WHERE id = " + i);
        ApiClient.Answer errors = api.get("/errors?queue=mail");
        assertThat(errors.json().at("/items/0/jobs").asInt()).isEqualTo(3);
        assertThat(errors.json().toString()).doesNotContain("hidden");
        assertThat(api.get("/errors?state=retrying").json().path("items")).isEmpty();
        assertThat(api.get("/errors?state=done").status()).isEqualTo(422);
        ApiClient.Answer ended = ended(api.post("/errors/retry", "{\"pattern\": \"busy\", \"kind\": \"send\"}"));
        assertThat(ended.json().path("changed").asInt()).isEqualTo(2);
        assertThat(waiting("mail")).isEqualTo(2);
        assertThat(api.post("/errors/retry", "{}").status()).isEqualTo(422);
    }
}
