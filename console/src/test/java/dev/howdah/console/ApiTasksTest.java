package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskTable;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ApiTasksTest extends ApiTestBase {
    ApiTasksTest(TestDatabase database) {
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

    private String add(String body) {
        ApiClient.Answer added = api.post("/tasks", body);
        assertThat(added.status()).as(added.response().body()).isEqualTo(201);
        return added.text("id");
    }

    private List<String> ids(String query) {
        List<String> ids = new ArrayList<>();
        String next = "";
        do {
            ApiClient.Answer page = api.get("/tasks?limit=2" + query + next);
            assertThat(page.status()).isEqualTo(200);
            page.json().path("items").forEach(each -> ids.add(each.path("id").asText()));
            next = page.json().has("next") ? "&after=" + page.text("next") : "";
        } while (!next.isEmpty());
        return ids;
    }

    @Test
    void task_added_isFoundWithItsColumnsAndFamily() {
        database.execute("ALTER TABLE task ADD COLUMN priority integer");
        String id = add("""
                {"input": "SELECT 1 -- password=hidden", "group": "g", "plan": "infinity", "timeout": "30 s", "attempts": 3,
                 "backoff": "1 minute", "once": true, "data": "d", "remote": "postgres://u:word@elsewhere/db", "after": [],
                 "columns": {"priority": "7"}}""");
        database.execute("INSERT INTO task (input, parent, plan) VALUES ('SELECT 2', " + id + ", 'infinity')");
        JsonNode task = api.get("/tasks/" + id).json();
        assertThat(task.path("plan").asText()).isEqualTo("infinity");
        assertThat(task.path("state").asText()).isEqualTo("PLAN");
        assertThat(task.path("attempts").asInt()).isEqualTo(3);
        assertThat(task.path("once").asBoolean()).isTrue();
        assertThat(task.at("/columns/priority").asText()).isEqualTo("7");
        assertThat(task.at("/children/0/input").asText()).isEqualTo("SELECT 2");
        assertThat(task.toString()).doesNotContain("hidden", "word@").contains("SELECT 1");
        assertThat(api.get("/tasks/" + id + "/why")
                        .json()
                        .at("/causes/0/sentence")
                        .asText())
                .isEqualTo(TaskTable.on(ConsoleFixtures.source(database), "public", "task")
                        .why(Long.parseLong(id))
                        .get(0)
                        .sentence());
    }

    @Test
    void tasks_onPages_comeOnceEachByEveryFilter() {
        database.execute("INSERT INTO task (input, plan, \"group\") SELECT 'SELECT ' || i,"
                + " timestamptz '2126-01-01' - i * interval '1 s', 'g' || i % 2 FROM generate_series(1, 5) i");
        database.execute("UPDATE task SET state = 'FAIL', error = 'boom ' || id WHERE id = 5");
        assertThat(ids("")).containsExactly("5", "4", "3", "2", "1");
        assertThat(ids("&state=plan")).containsExactly("4", "3", "2", "1");
        assertThat(ids("&group=g1")).containsExactly("5", "3", "1");
        assertThat(ids("&state=FAIL&text=boom")).containsExactly("5");
        assertThat(ids("&owner=none")).isEmpty();
        assertThat(ids("&text=%27%29%20OR%20true%3B%20DROP%20TABLE%20task--")).isEmpty();
    }

    @Test
    void task_cancelledAndRetried_saysWhatHappened() {
        String id = add("{\"input\": \"SELECT 1\", \"plan\": \"infinity\"}");
        assertThat(api.post("/tasks/" + id + "/retry", null).status()).isEqualTo(409);
        assertThat(api.post("/tasks/" + id + "/cancel", null).text("result")).isEqualTo("stopped");
        assertThat(api.post("/tasks/" + id + "/cancel", null).status()).isEqualTo(409);
        ApiClient.Answer retried = api.post("/tasks/" + id + "/retry?table=public.task", null);
        assertThat(retried.text("result") + retried.text("before")).isEqualTo("plannedSTOP");
        for (String path : new String[] {"/cancel", "/retry"})
            assertThat(api.post("/tasks/99" + path, null).status()).isEqualTo(404);
        assertThat(api.get("/tasks/99").status()).isEqualTo(404);
        assertThat(api.get("/tasks/99/why").status()).isEqualTo(404);
        assertThat(
                        database.value(
                                "SELECT action || ' ' || via FROM howdah.audit WHERE object = 'tasks/1 of public.task' LIMIT 1"))
                .isEqualTo("tasks.retry api");
    }

    @Test
    void key_sentAgain_addsOnceAndIsOfOneRoute() {
        String body = "{\"input\": \"SELECT 1\", \"plan\": \"infinity\"}";
        List<CompletableFuture<HttpResponse<String>>> same = new ArrayList<>();
        for (int i = 0; i < 8; i++)
            same.add(CompletableFuture.supplyAsync(
                    () -> api.raw("POST", "/api/v1/tasks", body, "Idempotency-Key", "nightly")));
        assertThat(same.stream()
                        .map(each -> each.join().statusCode() + each.join().body())
                        .distinct())
                .hasSize(1);
        assertThat(database.value("SELECT count(*) FROM task")).isEqualTo("1");
        assertThat(api.post("/jobs", "{\"kind\": \"k\"}", "Idempotency-Key", "nightly")
                        .text("type"))
                .endsWith("key-reused");
        assertThat(api.post("/tasks/1/cancel", null, "Idempotency-Key", "x").status())
                .isEqualTo(422);
        assertThat(database.value("SELECT state FROM task")).isEqualTo("PLAN");
    }

    @Test
    void input_thatCannotBe_isSaidAndAddsNothing() {
        for (String body : new String[] {
            "{}",
            "{\"input\": \" \"}",
            "{\"input\": \"SELECT 1\", \"cron\": \"soon\"}",
            "{\"input\": \"SELECT 1\", \"cron\": \"@daily\", \"repeat\": \"1 h\"}",
            "{\"input\": \"SELECT 1\", \"plan\": \"tomorrow or so\"}",
            "{\"input\": \"SELECT 1\", \"repeat\": \"-1 h\"}",
            "{\"input\": \"SELECT 1\", \"attempts\": 0}",
            "{\"input\": \"SELECT 1\", \"max\": 3000000000}",
            "{\"input\": \"SELECT 1\", \"after\": [\"one\"]}",
            "{\"input\": \"SELECT 1\", \"columns\": {\"state\": \"DONE\"}}",
            "{\"input\": \"SELECT 1\", \"columns\": {\"group\": \"g\"}}",
            "{\"input\": \"SELECT 1\", \"columns\": {\"colour\": \"red\"}}",
            "{\"input\": \"SELECT 1\", \"columns\": {\"x\\\") VALUES (1); DROP TABLE task--\": \"red\"}}",
            "{\"input\": \"SELECT 1\", \"columns\": {\"count\": 1}}"
        }) assertThat(api.post("/tasks", body).status()).as(body).isEqualTo(422);
        for (String query : new String[] {"state=SLEEP", "limit=0", "after=x", "table=public.other", "colour=red"})
            assertThat(api.get("/tasks?" + query).status()).as(query).isEqualTo(422);
        assertThat(database.value("SELECT count(*) FROM task")).isEqualTo("0");
    }
}
