package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
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
    void tasksOverTime_areNumbersAndCharts_byGroup() {
        database.execute(
                "INSERT INTO task (input, \"group\", plan) SELECT 'SELECT 1', CASE WHEN i < 4 THEN 'mail' ELSE 'other' END,"
                        + " now() - interval '10 min' FROM generate_series(1, 5) i;"
                        + " UPDATE task SET start = plan + interval '8 s', stop = plan + interval '9 s',"
                        + " state = CASE WHEN \"group\" = 'mail' THEN 'DONE' ELSE 'FAIL' END::state");
        JsonNode all = api.get("/charts/tasks?range=24h").json();
        assertThat(all.at("/exact").asBoolean()).isTrue();
        assertThat(sum(all, "started")).isEqualTo(5);
        assertThat(sum(all, "done")).isEqualTo(3);
        assertThat(sum(all, "failed")).isEqualTo(2);
        JsonNode mail = api.get("/charts/tasks?range=24h&group=mail").json();
        assertThat(sum(mail, "started")).isEqualTo(3);
        assertThat(mail.findValuesAsText("waited_p95")).contains("PT8S");
        assertThat(sum(api.get("/charts/tasks?range=24h&group=none").json(), "started"))
                .isZero();
        ConsoleClient browser = new ConsoleClient(console.address());
        assertThat(ConsoleFixtures.text(browser.get("/tasks/groups?range=24h&group=other")))
                .contains(
                        "2 began",
                        "0 done",
                        "2 failed",
                        "Time that tasks waited",
                        "/tasks?table=public.task&amp;state=fail&amp;from=");
        assertThat(browser.get("/tasks/groups?range=2h").statusCode()).isEqualTo(400);
    }

    private static int sum(JsonNode points, String field) {
        int sum = 0;
        for (JsonNode each : points.at("/items")) sum += each.path(field).asInt();
        return sum;
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
        assertThat(retried.text("changed") + retried.text("before")).isEqualTo("trueSTOP");
        api.post("/tasks/" + id + "/cancel?table=public.task", null);
        assertThat(api.post("/tasks/" + id + "/resume?table=public.task", null).text("changed"))
                .isEqualTo("true");
        assertThat(api.post("/tasks/" + id + "/resume?table=public.task", null).status())
                .isEqualTo(409);
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

    private ApiClient.Answer ended(ApiClient.Answer begun) {
        assertThat(begun.status()).as(begun.response().body()).isEqualTo(202);
        String path = "/changes/" + begun.text("id");
        await().until(() -> api.get(path).json().has("ended"));
        return api.get(path);
    }

    private String states() {
        return String.valueOf(database.value("SELECT string_agg(id || ':' || state, ' ' ORDER BY id) FROM task"));
    }

    @Test
    void tasks_changedById_areCountedWithThoseThatCannotBe() {
        database.execute("INSERT INTO task (input, plan) SELECT 'SELECT 1', 'infinity' FROM generate_series(1, 4)");
        ApiClient.Answer cancelled =
                api.post("/tasks/change", "{\"action\": \"cancel\", \"ids\": [\"1\", \"2\", \"99\"]}");
        assertThat(cancelled.json().toString()).isEqualTo("{\"changed\":2,\"unchanged\":1}");
        assertThat(api.post("/tasks/change", "{\"action\": \"delete\", \"ids\": [\"1\", \"3\"]}")
                        .json()
                        .toString())
                .isEqualTo("{\"changed\":1,\"unchanged\":1}");
        assertThat(states()).isEqualTo("2:STOP 3:PLAN 4:PLAN");
        assertThat(api.post("/tasks/3/delete", null).status()).isEqualTo(409);
        assertThat(api.post("/tasks/99/delete", null).status()).isEqualTo(404);
        assertThat(api.post("/tasks/2/delete", null).text("changed")).isEqualTo("true");
        assertThat(states()).isEqualTo("3:PLAN 4:PLAN");
        for (String body : new String[] {
            "{\"action\": \"drop\", \"ids\": [\"1\"]}",
            "{\"action\": \"retry\", \"ids\": []}",
            "{\"action\": \"retry\", \"ids\": [\"1 OR true\"]}"
        }) assertThat(api.post("/tasks/change", body).status()).as(body).isEqualTo(422);
    }

    @Test
    void tasks_changedByFilter_areThoseThatMatch() {
        database.execute("INSERT INTO task (input, plan, \"group\") SELECT 'SELECT 1', 'infinity', 'g' || i % 2"
                + " FROM generate_series(1, 1200) i");
        ApiClient.Answer ended = ended(
                api.post("/tasks/change-all", "{\"action\": \"cancel\", \"state\": \"PLAN\", \"group\": \"g1\"}"));
        assertThat(ended.text("title"))
                .isEqualTo("Cancel: all planned tasks of group g1, but for those of named schedules");
        assertThat(ended.json().path("changed").asInt()).isEqualTo(600);
        // What did not fail is meant where its state is named.
        for (String action : new String[] {"retry", "delete"}) {
            ApiClient.Answer none = ended(api.post("/tasks/change-all", "{\"action\": \"" + action + "\"}"));
            assertThat(none.text("title")).endsWith(": all failed tasks");
            assertThat(none.json().path("changed").asInt()).as(action).isZero();
        }
        assertThat(ended(api.post("/tasks/change-all", "{\"action\": \"delete\", \"state\": \"STOP\"}"))
                        .json()
                        .path("changed")
                        .asInt())
                .isEqualTo(600);
        assertThat(database.value("SELECT count(*) FROM task WHERE state = 'PLAN' AND \"group\" = 'g0'"))
                .isEqualTo("600");
        assertThat(api.post("/tasks/change-all", "{\"action\": \"retry\", \"state\": \"PLAN\"}")
                        .text("detail"))
                .contains("DONE");
        String operator =
                "Bearer " + new TokenStore(ConsoleFixtures.source(database), "howdah").add("o", "operator", null, null);
        ApiClient other = new ApiClient(console.address(), operator);
        assertThat(other.post("/tasks/change-all", "{\"action\": \"delete\"}").status())
                .isEqualTo(403);
        assertThat(other.post("/tasks/change", "{\"action\": \"delete\", \"ids\": [\"2\"]}")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void task_thatWaits_isChangedWhereItIsSaid() {
        String id = add("{\"input\": \"SELECT 1\", \"plan\": \"infinity\", \"group\": \"g\", \"data\": \"d\"}");
        String path = "/tasks/" + id + "/change";
        assertThat(api.post(path, "{\"input\": \"SELECT 2\", \"max\": 3, \"defaults\": [\"data\"]}")
                        .text("result"))
                .isEqualTo("changed");
        JsonNode task = api.get("/tasks/" + id).json();
        assertThat(task.path("input").asText() + task.path("group").asText() + task.path("max"))
                .isEqualTo("SELECT 2g3");
        assertThat(task.has("data")).isFalse();
        for (String body : new String[] {
            "{\"max\": 3}",
            "{\"input\": \"x\", \"defaults\": [\"state\"]}",
            "{\"input\": \"x\", \"max\": 1, \"defaults\": [\"max\"]}",
            "{\"input\": \"x\", \"defaults\": [\"no such column\"]}",
            "{\"input\": \"x\", \"timeout\": \"soon\"}"
        }) assertThat(api.post(path, body).status()).as(body).isEqualTo(422);
        database.execute("UPDATE task SET state = 'WORK'");
        assertThat(api.post(path, "{\"input\": \"x\"}").status()).isEqualTo(409);
        assertThat(api.post("/tasks/99/change", "{\"input\": \"x\"}").status()).isEqualTo(404);
    }

    @Test
    void output_isAFile_andThePageShowsItsBeginning() {
        database.execute("INSERT INTO task (input, state, output) VALUES ('SELECT 1', 'DONE',"
                + " 'password=s3cr3t' || E'\\n' || repeat('0123456789', 12000) || ' the end'),"
                + " ('SELECT 2', 'DONE', NULL)");
        HttpResponse<String> file = api.raw("GET", "/api/v1/tasks/1/output?table=public.task", null);
        assertThat(file.statusCode()).isEqualTo(200);
        assertThat(file.headers().firstValue("Content-Type")).hasValue("text/plain;charset=utf-8");
        assertThat(file.headers().firstValue("Content-Disposition")).hasValue("attachment; filename=\"task-1.txt\"");
        assertThat(file.body()).startsWith("password=***").endsWith("789 the end");
        String page = new ConsoleClient(console.address()).get("/tasks/1").body();
        assertThat(page)
                .contains("The first 100,000 of 120,0", "href=\"/api/v1/tasks/1/output\" download")
                .doesNotContain("the end", "s3cr3t");
        for (String path : new String[] {"/api/v1/tasks/2/output", "/api/v1/tasks/99/output", "/api/v1/tasks/x/output"})
            assertThat(api.raw("GET", path, null).statusCode()).as(path).isEqualTo(404);
        assertThat(api.raw("GET", "/api/v1/tasks/1/output?table=public.other", null)
                        .statusCode())
                .isEqualTo(422);
    }

    @Test
    void task_checked_isNotAdded() {
        ApiClient.Answer good = api.post("/tasks/check", "{\"input\": \"SELECT 1\"}");
        assertThat(good.json().toString()).isEqualTo("{\"parsed\":true}");
        ApiClient.Answer wrong = api.post("/tasks/check", "{\"input\": \"SELECT nme FROM pg_class\"}");
        assertThat(wrong.text("error")).contains("column \"nme\" does not exist");
        assertThat(wrong.json().path("position").asInt()).isEqualTo(8);
        assertThat(api.post("/tasks/check", "{\"input\": \"SELECT 1; SELECT 2\"}")
                        .json()
                        .has("unchecked"))
                .isTrue();
        assertThat(api.post("/tasks/check", "{\"input\": \"SELECT 1\", \"repeat\": \"soon\"}")
                        .status())
                .isEqualTo(422);
        assertThat(database.value("SELECT count(*) FROM task")).isEqualTo("0");
    }
}
