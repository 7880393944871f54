package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Schedules of jobs and of tasks: added, changed and deleted. */
class ApiSchedulesTest extends ApiTestBase {
    ApiSchedulesTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    @Test
    void schedule_addedChangedAndDeleted_isAsTheBodiesSay() {
        ApiClient.Answer added = api.post("/schedules", """
                {"name": "a/b", "kind": "report", "queue": "mail", "cron": "30 3 * * *", "zone": "Europe/Berlin",
                 "payload": {"n": 12345678901234567890.10, "password": "p"}, "priority": -5, "key": "k", "overlap": "skip"}""");
        assertThat(added.status()).isEqualTo(201);
        assertThat(added.response().headers().firstValue("Location")).hasValue("/api/v1/schedules/a%2Fb");
        assertThat(added.json().path("priority").asInt()).isEqualTo(-5);
        assertThat(added.text("overlap")).isEqualTo("skip");
        assertThat(added.response().body()).contains("12345678901234567890.10");
        assertThat(api.post("/schedules", "{\"name\": \"a/b\", \"kind\": \"x\", \"period\": \"PT5M\"}")
                        .status())
                .isEqualTo(409);
        assertThat(api.post("/schedules", "{\"name\": \" a/b \", \"kind\": \"x\", \"period\": \"PT5M\"}")
                        .status())
                .isEqualTo(409);
        // A period replaces the cron; what the body does not have stays, masked secrets too.
        ApiClient.Answer changed = api.post(
                "/schedules/a%2Fb/change",
                "{\"period\": \"PT5M\", \"key\": \"\", \"version\": \"" + added.text("version") + "\"}");
        assertThat(changed.status()).isEqualTo(200);
        assertThat(changed.text("period")).isEqualTo("PT5M");
        assertThat(changed.json().has("cron")).isFalse();
        assertThat(changed.json().has("key")).isFalse();
        assertThat(changed.text("queue")).isEqualTo("mail");
        assertThat(database.value("SELECT payload ->> 'password' FROM howdah.schedule WHERE name = 'a/b'"))
                .isEqualTo("p");
        assertThat(api.post(
                                "/schedules/a%2Fb/change",
                                "{\"priority\": 1, \"version\": \"" + added.text("version") + "\"}")
                        .status())
                .isEqualTo(409);
        assertThat(changed.json().path("priority").asInt()).isEqualTo(-5);
        assertThat(api.post("/schedules/a%2Fb/delete", null).text("result")).isEqualTo("deleted");
        assertThat(api.post("/schedules/a%2Fb/delete", null).status()).isEqualTo(404);
        assertThat(api.post("/schedules/a%2Fb/change", "{\"priority\": 1}").status())
                .isEqualTo(404);
    }

    @Test
    void schedule_thatCannotBe_isRefusedByField() {
        String[][] wrong = {
            {"{\"name\": \"n\", \"kind\": \"k\"}", "cron"},
            {"{\"name\": \"n\", \"kind\": \"k\", \"cron\": \"61 * * * *\"}", "cron"},
            {"{\"name\": \"n\", \"kind\": \"k\", \"cron\": \"@daily\", \"period\": \"PT5M\"}", "cron"},
            {"{\"name\": \"n\", \"kind\": \"k\", \"period\": \"PT0S\"}", "period"},
            {"{\"name\": \"n\", \"kind\": \"k\", \"cron\": \"@daily\", \"zone\": \"Mars\"}", "zone"},
            {"{\"name\": \"n\", \"kind\": \"k\", \"cron\": \"@daily\", \"missed\": \"never\"}", "missed"},
            {"{\"name\": \"n\", \"kind\": \"k\", \"cron\": \"@daily\", \"priority\": 101}", "priority"},
            {"{\"name\": \"\", \"kind\": \"k\", \"cron\": \"@daily\"}", "name"},
            {"{\"name\": \"n\", \"cron\": \"@daily\"}", "kind"}
        };
        for (String[] each : wrong) {
            ApiClient.Answer answer = api.post("/schedules", each[0]);
            assertThat(answer.status()).as(each[0]).isEqualTo(422);
            assertThat(answer.text("detail")).startsWith(each[1]);
        }
        assertThat(database.value("SELECT count(*) FROM howdah.schedule")).isEqualTo("0");
    }

    @Test
    void scheduleOfTasks_putPausedRunAndDeleted_hasItsTasks() {
        String body =
                "{\"name\": \"nightly\", \"input\": \"SELECT 'password=p'\", \"cron\": \"0 3 * * *\", \"zone\": \"Europe/Berlin\"}";
        String id = api.post("/task-schedules", body).text("id");
        assertThat(api.post("/task-schedules", body).text("id")).isEqualTo(id);
        JsonNode listed = api.get("/task-schedules").json().at("/items/0");
        assertThat(listed.path("id").asText()).isEqualTo(id);
        assertThat(listed.path("state").asText()).isEqualTo("waiting");
        assertThat(listed.path("next").asText()).endsWith("Z");
        assertThat(listed.path("input").asText()).doesNotContain("=p");
        assertThat(api.post("/task-schedules/nightly/pause", null).text("id")).isEqualTo(id);
        assertThat(api.get("/task-schedules?table=public.task")
                        .json()
                        .at("/items/0/state")
                        .asText())
                .isEqualTo("paused");
        assertThat(api.post("/task-schedules/nightly/resume", "{}").text("id")).isEqualTo(id);
        String run = api.post("/task-schedules/nightly/run-now", null).text("id");
        assertThat(run).isNotEqualTo(id);
        assertThat(api.get("/tasks/" + run).text("input")).contains("SELECT");
        assertThat(api.get("/task-schedules/nightly/runs?limit=10").json().path("items"))
                .isNotEmpty();
        assertThat(api.post("/task-schedules/nightly/delete", null).text("id")).isEqualTo(id);
        assertThat(api.post("/task-schedules/nightly/pause", null).status()).isEqualTo(404);
        assertThat(api.get("/task-schedules").json().path("items")).isEmpty();
        assertThat(api.post("/task-schedules", body.replace("0 3 * * *", "0 99 * * *"))
                        .status())
                .isEqualTo(422);
        assertThat(api.post("/task-schedules?table=public.other", body).status())
                .isEqualTo(422);
    }
}
