package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
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
        assertThat(api.post("/schedules/a%2Fb/remove", null).text("changed")).isEqualTo("true");
        assertThat(api.post("/schedules/a%2Fb/remove", null).status()).isEqualTo(404);
        assertThat(api.post("/schedules/a%2Fb/change", "{\"priority\": 1}").status())
                .isEqualTo(404);
    }

    @Test
    void schedule_withHolidaysJitterAndCatchUp_keepsThem() {
        assertThat(api.get("/calendars/berlin").status()).isEqualTo(404);
        String body = """
                {"name": "n", "kind": "k", "cron": "@daily", "zone": "Europe/Berlin", "jitter": "PT5M", "catch_up": "P1D",
                 "from": "2027-01-01T08:00:00Z", "calendar": "berlin", "on_holiday": "next_day", "skipped_hour": "skip"}""";
        ApiClient.Answer early = api.post("/schedules", body);
        assertThat(early.status()).isEqualTo(422);
        assertThat(early.text("detail")).contains("berlin");
        String days = "{\"days\": [\"2027-01-01\", \"2027-12-25\"]}";
        assertThat(api.post("/calendars/berlin/add-days", days).text("days")).isEqualTo("2");
        assertThat(api.post("/calendars/berlin/add-days", days).text("changed")).isEqualTo("false");
        assertThat(api.post("/calendars/berlin/add-days", "{\"days\": [\"2027-02-30\"]}")
                        .status())
                .isEqualTo(422);
        assertThat(api.get("/calendars/berlin").json().path("days").toString())
                .isEqualTo("[\"2027-01-01\",\"2027-12-25\"]");
        assertThat(api.get("/calendars").json().at("/items/0/days").asInt()).isEqualTo(2);
        ApiClient.Answer added = api.post("/schedules", body);
        assertThat(added.status()).as(added.response().body()).isEqualTo(201);
        for (String[] each : new String[][] {
            {"jitter", "PT5M"},
            {"catch_up", "PT24H"},
            {"from", "2027-01-01T08:00:00Z"},
            {"calendar", "berlin"},
            {"on_holiday", "next_day"},
            {"skipped_hour", "skip"},
            {"doubled_hour", "first"}
        }) assertThat(added.text(each[0])).as(each[0]).isEqualTo(each[1]);
        ApiClient.Answer changed =
                api.post("/schedules/n/change", "{\"jitter\": \"\", \"calendar\": \"\", \"doubled_hour\": \"both\"}");
        assertThat(changed.json().has("jitter")).isFalse();
        assertThat(changed.json().has("calendar")).isFalse();
        assertThat(changed.text("doubled_hour")).isEqualTo("both");
        assertThat(changed.text("catch_up")).isEqualTo("PT24H");
        assertThat(api.post("/schedules/n/change", "{\"jitter\": \"P2D\"}").text("detail"))
                .contains("jitter");
        assertThat(api.post("/calendars/berlin/remove-days", days).text("days")).isEqualTo("2");
        assertThat(api.get("/calendars").json().path("items")).isEmpty();
        assertThat(api.post("/calendars/berlin/remove-days", days).status()).isEqualTo(404);
        assertThat(api.post("/calendars/berlin/remove-days", "{}").status()).isEqualTo(422);
        String[] many = java.util.Collections.nCopies(10_001, "\"2027-01-01\"").toArray(String[]::new);
        assertThat(api.post("/calendars/berlin/add-days", "{\"days\": [" + String.join(",", many) + "]}")
                        .text("detail"))
                .contains("days has to have up to 10000 values, not 10001");
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
        String paused = "/task-schedules/nightly/pause?table=public.task&owner=" + owner(id);
        assertThat(api.post(paused, null).response().body()).isEqualTo("{\"changed\":false,\"id\":\"" + id + "\"}");
        assertThat(database.value(
                        "SELECT object FROM howdah.audit WHERE action = 'task-schedules.pause' AND begun IS NULL"
                                + " ORDER BY id DESC LIMIT 1"))
                .isEqualTo("task-schedules/nightly of " + owner(id) + " of public.task");
        assertThat(api.post("/task-schedules/nightly/pause?owner=none", null).text("detail"))
                .isEqualTo("there is no schedule \"nightly\" of role none");
        assertThat(api.post("/task-schedules/nightly/pause?table=public.other", null)
                        .status())
                .isEqualTo(422);
        assertThat(api.post("/task-schedules/nightly/resume", "{}").text("id")).isEqualTo(id);
        assertThat(api.post("/task-schedules/nightly/resume", "{}").text("changed"))
                .isEqualTo("false");
        String run = api.post("/task-schedules/nightly/run-now", null).text("id");
        assertThat(run).isNotEqualTo(id);
        assertThat(api.get("/tasks/" + run).text("input")).contains("SELECT");
        assertThat(api.get("/task-schedules/nightly/runs?limit=10").json().path("items"))
                .isNotEmpty();
        assertThat(api.post("/task-schedules/nightly/remove", null).text("id")).isEqualTo(id);
        assertThat(api.post("/task-schedules/nightly/pause", null).status()).isEqualTo(404);
        assertThat(api.get("/task-schedules").json().path("items")).isEmpty();
        assertThat(api.post("/task-schedules", body.replace("0 3 * * *", "0 99 * * *"))
                        .status())
                .isEqualTo(422);
        assertThat(api.post("/task-schedules?table=public.other", body).status())
                .isEqualTo(422);
    }

    private String owner(String task) {
        return String.valueOf(database.value("SELECT owner FROM task WHERE id = " + task));
    }

    @Test
    void schedules_onPages_leadBackToTheFirst() {
        for (int i = 1; i <= 5; i++)
            database.execute("SELECT howdah.schedule('s" + i + "', 'mail', 'k', period => '" + i + " h')");
        for (String sort : new String[] {"name", "reverse-name", "soonest", "latest"}) {
            List<String> forwards = new ArrayList<>();
            List<String> backwards = new ArrayList<>();
            JsonNode page = api.get("/schedules?limit=2&sort=" + sort).json();
            assertThat(page.has("previous")).isFalse();
            forwards.addAll(page.path("items").findValuesAsText("name"));
            while (page.has("next")) {
                page = page(sort, "after", page.path("next").asText());
                forwards.addAll(page.path("items").findValuesAsText("name"));
            }
            backwards.addAll(page.path("items").findValuesAsText("name"));
            while (page.has("previous")) {
                page = page(sort, "before", page.path("previous").asText());
                backwards.addAll(0, page.path("items").findValuesAsText("name"));
            }
            assertThat(forwards).as(sort).hasSize(5).doesNotHaveDuplicates();
            assertThat(backwards).as(sort).isEqualTo(forwards);
        }
        assertThat(api.get("/schedules?sort=soonest&before=x").status()).isEqualTo(422);
        assertThat(api.get("/schedules?after=a&before=b").status()).isEqualTo(422);
    }

    private JsonNode page(String sort, String parameter, String place) {
        return api.get("/schedules?limit=2&sort=" + sort + "&" + parameter + "="
                        + URLEncoder.encode(place, StandardCharsets.UTF_8))
                .json();
    }

    @Test
    void schedule_runWithAKey_addsOneJob() {
        database.execute("SELECT howdah.schedule('a/b', 'mail', 'k', cron => '@daily')");
        String id = api.post("/schedules/a%2Fb/run-now", null, "Idempotency-Key", "today")
                .text("id");
        assertThat(api.post("/schedules/a%2Fb/run-now", null, "Idempotency-Key", "today")
                        .text("id"))
                .isEqualTo(id);
        assertThat(api.post("/schedules/a%2Fb/run-now", null, "Idempotency-Key", "tomorrow")
                        .text("id"))
                .isNotEqualTo(id);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("2");
    }

    @Test
    void fields_thatCannotBe_areNamedOneByOne() {
        JsonNode errors = api.post("/schedules", "{\"name\": \"\", \"kind\": \"k\", \"period\": \"soon\"}")
                .json()
                .path("errors");
        assertThat(errors.findValuesAsText("pointer")).contains("/name", "/period");
    }

    @Test
    void schedule_changedMeanwhile_isNotChangedAgain() {
        database.execute("SELECT howdah.schedule('s', 'mail', 'k', cron => '@daily')");
        String seen =
                api.get("/schedules/s").response().headers().firstValue("ETag").orElseThrow();
        assertThat(api.post("/schedules/s/change", "{\"priority\": 1}", "If-Match", seen)
                        .status())
                .isEqualTo(200);
        assertThat(api.post("/schedules/s/change", "{\"priority\": 2}", "If-Match", seen)
                        .status())
                .isEqualTo(412);
        assertThat(api.get("/schedules/s").json().path("priority").asInt()).isEqualTo(1);
    }

    @Test
    void preview_hasTimesInWordsAndChangesOfTheClocks() {
        ApiClient.Answer preview = api.get("/schedule-preview?cron=0%2012%201%20*%20*&zone=Europe/Berlin&count=13");
        assertThat(preview.text("words")).isEqualTo("at 12:00 on the 1st of each month, Europe/Berlin");
        assertThat(preview.json().path("items")).hasSize(13);
        assertThat(preview.json().path("items").findValuesAsText("clock_change"))
                .contains("the clocks went forward 1 h", "the clocks went back 1 h");
        assertThat(api.get("/schedule-preview?period=PT90S").json().path("items"))
                .hasSize(10);
        for (String query :
                new String[] {"", "?cron=99%20*%20*%20*%20*", "?cron=@daily&zone=Mars", "?cron=@daily&count=51"})
            assertThat(api.get("/schedule-preview" + query).status()).as(query).isEqualTo(422);
        assertThat(database.value("SELECT count(*) FROM howdah.schedule")).isEqualTo("0");
    }
}
