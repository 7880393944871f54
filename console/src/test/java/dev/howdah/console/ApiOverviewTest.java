package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApiOverviewTest extends ApiTestBase {
    ApiOverviewTest(TestDatabase database) {
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
    void schedules_areListedPausedResumedAndRun() {
        database.execute(
                "SELECT howdah.schedule('nightly', 'mail', 'report', cron => '30 3 * * *', zone => 'Europe/Berlin');"
                        + " SELECT howdah.schedule('often', 'mail', 'poll', period => '90 s', payload => '{\"password\": 1}');"
                        + " SELECT howdah.schedule('a/b', 'other', 'poll', cron => '@daily')");
        JsonNode page = api.get("/schedules?queue=mail&limit=1").json();
        assertThat(page.at("/items/0/zone").asText()).isEqualTo("Europe/Berlin");
        JsonNode next = api.get(
                        "/schedules?text=POLL&after=" + page.path("next").asText())
                .json();
        assertThat(next.at("/items/0/period").asText()).isEqualTo("PT1M30S");
        assertThat(next.at("/items/0/payload").toString()).contains("***");
        assertThat(next.has("next")).isFalse();
        assertThat(api.post("/schedules/a%2Fb/pause", null)
                        .json()
                        .path("changed")
                        .asBoolean())
                .isTrue();
        assertThat(api.post("/schedules/a%2Fb/pause", null)
                        .json()
                        .path("changed")
                        .asBoolean())
                .isFalse();
        assertThat(api.get("/schedules/a%2Fb/why").text("causes")
                        + api.get("/schedules/a%2Fb/why").json())
                .contains("paused");
        assertThat(api.post("/schedules/a%2Fb/resume", null)
                        .json()
                        .path("changed")
                        .asBoolean())
                .isTrue();
        String job = api.post("/schedules/often/run-now", null).text("id");
        assertThat(api.get("/jobs/" + job).text("kind")).isEqualTo("poll");
        for (String path : new String[] {"/schedules/none", "/schedules/none/why"})
            assertThat(api.get(path).status()).as(path).isEqualTo(404);
        for (String verb : new String[] {"pause", "resume", "run-now", "remove"})
            assertThat(api.post("/schedules/none/" + verb, null).status())
                    .as(verb)
                    .isEqualTo(404);
    }

    @Test
    void counts_saysWhereTheyEnd() {
        database.execute("SELECT howdah.add('mail', 'k', 'null'::json) FROM generate_series(1, 10050)");
        database.execute("INSERT INTO task (input, plan) SELECT 'SELECT 1', 'infinity' FROM generate_series(1, 3)");
        JsonNode overview = api.get("/overview?range=24h").json();
        assertThat(overview.at("/jobs/due").toString()).isEqualTo("{\"value\":10000,\"exact\":false}");
        assertThat(overview.at("/tables/0/planned").toString()).isEqualTo("{\"value\":3,\"exact\":true}");
        assertThat(api.get("/queues").json().at("/items/0/due/exact").asBoolean(true))
                .isFalse();
        assertThat(api.get("/overview?range=1y").status()).isEqualTo(422);
        JsonNode states = api.get("/jobs/counts").json().path("items");
        assertThat(states).hasSize(9);
        assertThat(states.findValuesAsText("state")).contains("waiting", "running", "done");
        for (JsonNode each : states)
            if (each.path("state").asText().equals("waiting")) {
                assertThat(each.path("jobs").toString()).isEqualTo("{\"value\":10000,\"exact\":false}");
            }
        assertThat(api.get("/tasks/groups").json().path("items")).isEmpty();
    }

    private String count(String state) {
        for (JsonNode each : api.get("/jobs/counts").json().path("items"))
            if (each.path("state").asText().equals(state))
                return each.path("jobs").toString();
        return "none";
    }

    @Test
    void counts_behindMoreThanTheBoundOfAnotherState_areExact() {
        database.execute("SELECT howdah.add('mail', 'k', '1', delay => interval '1 day') FROM generate_series(1, 8);"
                + " UPDATE howdah_internal.job SET attempt = 1, run_at = now() + interval '1 h' WHERE id <= 3;"
                + " SELECT howdah.add('geo', 'k', 'null'::json) FROM generate_series(1, 10050);"
                + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at)"
                + " SELECT nextval('howdah_internal.job_id_seq'), l.id, s, 'k', 0, 1, 0, now() FROM howdah_internal.lane l,"
                + " (SELECT 'failed' FROM generate_series(1, 5) UNION ALL SELECT 'cancelled' FROM generate_series(1, 10050)) f (s)"
                + " WHERE l.queue = 'mail'");
        assertThat(count("planned")).isEqualTo("{\"value\":5,\"exact\":true}");
        assertThat(count("retrying")).isEqualTo("{\"value\":3,\"exact\":true}");
        assertThat(count("failed")).isEqualTo("{\"value\":5,\"exact\":true}");
        assertThat(count("waiting")).isEqualTo("{\"value\":10000,\"exact\":false}");
        assertThat(count("cancelled")).isEqualTo("{\"value\":10000,\"exact\":false}");
        String page = new ConsoleClient(console.address()).get("/jobs").body();
        assertThat(page).contains(">10,000+</span>", ">5</span>", ">0 in the last hour</span>");
    }

    @Test
    void tasksThatHaveEnded_countedAmongTheNewest_areALowerBound() {
        database.execute("INSERT INTO task (input, state) SELECT 'SELECT 1', 'FAIL' FROM generate_series(1, 7)");
        ConsoleClient client = new ConsoleClient(console.address());
        assertThat(client.get("/tasks").body()).contains(">7</span>");
        assertThat(api.get("/overview").json().at("/tables/0/ended/failed").toString())
                .isEqualTo("{\"value\":7,\"exact\":true}");
        database.execute("INSERT INTO task (input, state) SELECT 'SELECT 1', 'DONE' FROM generate_series(1, 20001)");
        assertThat(client.get("/tasks").body()).contains(">0+</span>", ">20,000+</span>");
        assertThat(api.get("/overview").json().at("/tables/0/ended/failed").toString())
                .isEqualTo("{\"value\":0,\"exact\":false}");
    }

    @Test
    void queue_pausedAndResumed_saysByWhom() {
        assertThat(api.post("/queues/mail/pause", null).json().path("changed").asBoolean())
                .isTrue();
        assertThat(api.post("/queues/mail/pause", "{\"kind\": \"k\"}").status()).isEqualTo(200);
        JsonNode queue = api.get("/queues").json().at("/items/0");
        assertThat(queue.path("paused_by").asText() + queue.path("paused_kinds"))
                .isEqualTo("local[\"k\"]");
        assertThat(api.post("/queues/mail/resume", null).json().path("changed").asBoolean())
                .isTrue();
        assertThat(api.post("/queues/none/resume", null).status()).isEqualTo(404);
        assertThat(database.value("SELECT object FROM howdah.audit WHERE action = 'queues.resume' LIMIT 1"))
                .isEqualTo("queues/mail");
    }

    @Test
    void nodesAndSweeps_areListed() {
        try (Jobs jobs = Jobs.on(ConsoleFixtures.source(database))
                .nodeName("n")
                .handle(Kind.of("k", String.class), (payload, job) -> {})
                .start()) {
            JsonNode node = api.get("/nodes").json().at("/items/0");
            assertThat(node.path("name").asText() + node.path("alive")).isEqualTo("ntrue");
        }
        assertThat(api.get("/sweeps").json().path("items")).isEmpty();
        assertThat(api.get("/sweeps/none/why").status()).isEqualTo(404);
    }

    @Test
    void database_isCheckedAsByTheDoctor() {
        JsonNode checks = api.get("/database").json();
        assertThat(checks.path("items").size()).isGreaterThan(10);
        assertThat(checks.path("level").asText()).isIn("critical", "warning", "unknown", "notice", "ok");
        assertThat(checks.at("/items/0/level").asText())
                .isEqualTo(checks.path("level").asText());
    }

    @Test
    void audit_listsChangesPageByPage() {
        for (String verb : new String[] {"pause", "resume", "pause"}) api.post("/queues/mail/" + verb, null);
        JsonNode first = api.get("/audit?action=queues.&limit=2").json();
        assertThat(first.path("items")).hasSize(2);
        assertThat(first.at("/items/0/outcome").asText()).isEqualTo("done");
        JsonNode second = api.get("/audit?action=queues.&limit=2&after="
                        + first.path("next").asText())
                .json();
        assertThat(second.at("/items/0/object").asText()).isEqualTo("queues/mail");
        assertThat(second.path("items")).hasSize(1);
        assertThat(second.has("next")).isFalse();
        assertThat(api.get("/audit?actor=nobody").json().path("items")).isEmpty();
        assertThat(api.get("/audit?after=x").status()).isEqualTo(422);
    }

    @Test
    void audit_isFilteredByDateAndSorted() {
        for (String verb : new String[] {"pause", "resume"}) api.post("/queues/mail/" + verb, null);
        database.execute("INSERT INTO howdah.audit (at, actor, via, action, outcome, message)"
                + " VALUES ('2026-01-05 10:00Z', '=cmd()', 'cli', 'test', 'done', 'a \"b\", c')");
        assertThat(api.get("/audit?from=2026-01-05T00:00:00Z&until=2026-01-06T00:00:00Z")
                        .json()
                        .path("items"))
                .singleElement()
                .satisfies(each -> assertThat(each.path("actor").asText()).isEqualTo("=cmd()"));
        assertThat(api.get("/audit?from=monday").status()).isEqualTo(422);
        String newest = api.get("/audit?limit=1").json().at("/items/0/id").asText();
        JsonNode oldest = api.get("/audit?sort=oldest&limit=2").json();
        assertThat(api.get("/audit?sort=oldest&after=" + oldest.path("next").asText())
                        .json()
                        .at("/items/0/id")
                        .asText())
                .isEqualTo(newest);
        ConsoleClient browser = new ConsoleClient(console.address());
        String page = browser.get("/audit?from=2026-01-05&until=2026-01-05").body();
        assertThat(page)
                .contains("=cmd()")
                .doesNotContain("queues/mail")
                .contains("/files/audit?from=2026-01-05&amp;until=2026-01-05&amp;format=csv");
        assertThat(browser.get("/audit?from=monday").statusCode()).isEqualTo(400);
    }

    @Test
    void audit_isExportedAsAFile() throws Exception {
        api.post("/queues/mail/pause", null);
        database.execute("INSERT INTO howdah.audit (at, actor, via, action, outcome, message)"
                + " VALUES ('2026-01-05 10:00Z', '=cmd()', 'cli', 'test', 'done', E'a \"b\",\nc');"
                + " INSERT INTO howdah.audit (actor, via, action, outcome)"
                + " SELECT 'ann', 'cli', 'many', 'done' FROM generate_series(1, 2500)");
        HttpResponse<String> csv = api.raw("GET", "/api/v1/audit?format=csv&until=2026-01-06T00:00:00Z", null);
        assertThat(csv.headers().firstValue("Content-Type")).hasValue("text/csv; charset=utf-8; header=present");
        assertThat(csv.headers().firstValue("Content-Disposition")).hasValue("attachment; filename=\"audit.csv\"");
        assertThat(csv.body())
                .startsWith("id,at,actor,role,via,address,action,object,outcome,message,before,sent,after\r\n")
                .endsWith(",2026-01-05T10:00:00Z,\"'=cmd()\",,cli,,test,,done,\"a \"\"b\"\",\nc\",,,\r\n");
        HttpResponse<String> json = new ConsoleClient(console.address()).get("/files/audit?format=lines&action=many");
        assertThat(json.headers().firstValue("Content-Type")).hasValue("application/x-ndjson");
        List<String> rows = json.body().lines().toList();
        assertThat(rows).hasSize(2_500);
        ObjectMapper mapper = new ObjectMapper();
        assertThat(mapper.readTree(rows.get(0)).path("id").asLong())
                .isGreaterThan(mapper.readTree(rows.get(2_499)).path("id").asLong());
        assertThat(api.raw("GET", "/api/v1/audit?format=lines&action=none", null)
                        .body())
                .isEmpty();
        assertThat(api.raw("GET", "/api/v1/audit?format=xml", null).statusCode())
                .isEqualTo(422);
        assertThat(new ConsoleClient(console.address()).get("/files/audit").statusCode())
                .isEqualTo(400);
    }

    @Test
    void attentionAndSearch_areThoseOfThePages() {
        assertThat(api.get("/attention").json().path("items")).isNotNull();
        long id = Long.parseLong(database.value("SELECT (howdah.add('mail', 'welcome', '1')).id"));
        assertThat(api.get("/search?q=" + id).json().path("items"))
                .anySatisfy(each -> assertThat(each.path("page").asText()).isEqualTo("/jobs/" + id));
        assertThat(api.get("/search?q=mail").json().path("items"))
                .anySatisfy(each -> assertThat(each.path("text").asText()).isEqualTo("Queue mail"));
        assertThat(api.get("/search").status()).isEqualTo(422);
        ConsoleClient browser = new ConsoleClient(console.address());
        assertThat(browser.get("/jobs?state=waiting").body()).containsPattern("<span class=\"count\">[1-9]");
    }

    @Test
    void latency_isThatOfTheNewestAttempts() {
        assertThat(api.get("/latency").json().path("attempts").asInt()).isZero();
        database.execute("SELECT howdah.add('slow', 'k', '1')");
        database.execute(
                "INSERT INTO howdah_internal.batch (id, node, lane, taken, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads,"
                        + " ended, begins, runs)"
                        + " SELECT (extract(epoch FROM now()) * 1000000)::bigint + i, 1, l.id, now(), true, false, 1, 200000 + i,"
                        + " 200000 + i, ARRAY[200000 + i], now() - i * interval '1 s', 'k', ARRAY['{}'::json],"
                        + " now() + interval '1 h', ARRAY[0], ARRAY[i * 1000]"
                        + " FROM generate_series(1, 100) i, howdah_internal.lane l WHERE l.queue = 'slow'");
        JsonNode latency = api.get("/latency?queue=slow").json();
        assertThat(latency.path("attempts").asInt()).isEqualTo(100);
        assertThat(Duration.parse(latency.at("/waited/p50").asText()))
                .isBetween(Duration.ofSeconds(49), Duration.ofSeconds(52));
        assertThat(Duration.parse(latency.at("/waited/p99").asText()))
                .isBetween(Duration.ofSeconds(98), Duration.ofSeconds(101));
        assertThat(Duration.parse(latency.at("/ran/p95").asText()).toMillis()).isBetween(90L, 100L);
        assertThat(api.get("/latency?queue=none").json().path("attempts").asInt())
                .isZero();
        ConsoleClient browser = new ConsoleClient(console.address());
        assertThat(browser.get("/").body()).contains("of the newest 100 attempts that have ended");
        assertThat(browser.get("/jobs/queues/slow").body()).contains("waited after they were due");
    }
}
