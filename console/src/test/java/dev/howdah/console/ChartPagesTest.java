package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Charts of all jobs, of a queue and of a kind. */
class ChartPagesTest extends ApiTestBase {
    private static final Pattern FAILED = Pattern.compile("<a href=\"(/jobs\\?state=failed[^\"]*)\" tabindex");

    ChartPagesTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.jobs(database);
        database.execute(
                "SELECT howdah.add(q, k, '1') FROM unnest(ARRAY['mail', 'shop']) q, unnest(ARRAY['send', 'print']) k;"
                        + " INSERT INTO howdah_internal.stat SELECT date_trunc('minute', now() - interval '5 min'), l.id, k.kind, 90, 3,"
                        + " CASE WHEN l.queue = 'mail' AND k.kind = 'send' THEN 10 ELSE 0 END, 0, 0, 90000000, 2000000"
                        + " FROM howdah_internal.lane l, unnest(ARRAY['send', 'print']) k (kind);"
                        + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error, payload)"
                        + " SELECT 777, l.id, 'failed', 'send', 0, 1, 0, now(), date_trunc('minute', now() - interval '5 min') + interval '9 s',"
                        + " 'boom', '1' FROM howdah_internal.lane l WHERE l.queue = 'mail' LIMIT 1;"
                        + " INSERT INTO howdah_internal.stat_wait SELECT l.id, '',"
                        + " date_trunc('minute', now() - interval '5 min'), array_fill(0, ARRAY[26]) || ARRAY[CASE WHEN l.queue = 'mail' THEN 2 ELSE 1 END]"
                        + " FROM howdah_internal.lane l;"
                        + " INSERT INTO howdah_internal.stat_wait SELECT 0, '', date_trunc('minute', now() - interval '5 min'), array_fill(0, ARRAY[26]) || ARRAY[3];"
                        + " INSERT INTO howdah_internal.backlog SELECT w.lane, '', date_trunc('minute', now()) - m * interval '1 min',"
                        + " 100 * (9 - m), 7, 1, now() - interval '1 h', w.lane = 0 OR m <> 4, false"
                        + " FROM (SELECT 0 UNION ALL SELECT l.id FROM howdah_internal.lane l WHERE l.queue = 'mail') w (lane), generate_series(0, 8) m");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    private String page(String path) {
        return ConsoleFixtures.text(new ConsoleClient(console.address()).get(path));
    }

    @Test
    void charts_sayWhatEndedHowMuchFailedAndHowLongJobsWaited() {
        assertThat(page("/"))
                .contains(
                        "Jobs that came and that ended, by minute",
                        "Backlog, at the end of each minute",
                        "10 failed",
                        "Failure rate",
                        "Time that jobs waited after they were due")
                .contains("<span>600</span><span>300</span><span>0</span>", "ran 1.0 s on average, 2.0 s at most")
                .contains("<a class=\"fail\" href=\"/jobs/errors?state=failed&amp;kind=send\">10</a>");
        assertThat(page("/jobs/queues/mail"))
                .contains("180 done", "5.3 % of those that ended for good", "half within 9.9 s, 95 % within 11.4 s");
        assertThat(page("/jobs/queues/shop")).contains("0 % of those", "half within 9.9 s");
    }

    @Test
    void kind_isChosenInAnAddress() {
        assertThat(page("/jobs/queues/mail?kind=print&range=24h"))
                .contains("Over time, kind print", "90 done", "0 failed", "Jobs that came and that ended, by 20 min")
                .contains("href=\"/jobs/queues/mail?range=24h\">all kinds</a>");
        assertThat(new ConsoleClient(console.address())
                        .get("/jobs/queues/mail?range=2h")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void backlog_isWhatWasWrittenDown_andWhatCameFollowsFromIt() {
        assertThat(page("/"))
                .contains("900 due, 1 running, 7 later; the first was due")
                .contains("470 added, 360 done, 12 retried, 10 failed")
                .contains("polyline");
        // Of the queue one look was not of all jobs: what came before and after it is not known.
        assertThat(page("/jobs/queues/mail")).contains("500+ due").doesNotContain("290 added, ");
        assertThat(page("/jobs/queues/mail?kind=print")).contains("0 due, 0 running, 0 later");
    }

    /** The point of which one field has that value, whichever minute it is now. */
    private JsonNode pointWith(String path, String field, int value) {
        for (JsonNode each : api.get(path).json().at("/items"))
            if (each.path(field).asInt() == value) return each;
        throw new AssertionError("no point with " + field + " " + value);
    }

    @Test
    void numbers_areJsonAndCsvAsWell() {
        assertThat(api.get("/charts/jobs?queue=mail").json().at("/items")).hasSize(60);
        JsonNode point = pointWith("/charts/jobs?queue=mail", "done", 180);
        assertThat(point.at("/due").asInt()).isEqualTo(500);
        assertThat(point.at("/counted").asBoolean()).isFalse();
        assertThat(point.at("/waited_p50").asText()).startsWith("PT9.8");
        assertThat(point.has("added")).isFalse();
        assertThat(pointWith("/charts/jobs", "done", 360).at("/added").asInt()).isEqualTo(470);
        Matcher csv =
                Pattern.compile("href=\"(/files/charts/jobs[^\"]*)\"").matcher(page("/jobs/queues/mail?range=24h"));
        assertThat(csv.find()).isTrue();
        assertThat(new ConsoleClient(console.address())
                        .get(csv.group(1).replace("&amp;", "&"))
                        .body())
                .startsWith("time,added,done,retried,failed,due,")
                .hasLineCount(73);
        assertThat(api.get("/charts/jobs?tag=a&queue=mail").status()).isEqualTo(422);
    }

    @Test
    void tag_hasItsOwnCharts() throws SQLException {
        database.execute(
                "INSERT INTO howdah_internal.tag_stat SELECT date_trunc('minute', now() - interval '5 min'), 'vip',"
                        + " 7, 0, 1, 0, 0, 7000000, 2000000");
        assertThat(page("/?tag=vip"))
                .contains("Over time, tag vip", "7 done", "13 % of those")
                .doesNotContain("Backlog");
        assertThat(pointWith("/charts/jobs?tag=vip", "failed", 1).at("/done").asInt())
                .isEqualTo(7);
    }

    @Test
    void bar_leadsToItsJobs() {
        Matcher bar = FAILED.matcher(page("/jobs/queues/mail"));
        assertThat(bar.find()).isTrue();
        assertThat(page(bar.group(1).replace("&amp;", "&"))).contains("data-row=\"777\"", "boom");
    }

    @Test
    void error_hasACourse_andSaysSinceWhenItIsThere() throws SQLException {
        database.execute(
                "INSERT INTO howdah_internal.error_text SELECT md5('boom')::uuid, 'boom', now() - interval '3 d', now();"
                        + " INSERT INTO howdah_internal.error_stat SELECT md5('boom')::uuid, to_timestamp(floor(extract(epoch FROM now() - h * interval '1 h') / 600) * 600),"
                        + " l.id, 'send', 10 * h + 1 FROM howdah_internal.lane l, generate_series(1, 2) h WHERE l.queue = 'mail'");
        assertThat(page("/jobs/errors"))
                .contains("32 failed for good in 24h", "/jobs/errors/one?id=65079b006e85a7e798abecb99e47c154")
                .doesNotContain("new since");
        assertThat(page("/jobs/errors/one?id=65079b006e85a7e798abecb99e47c154&range=24h"))
                .contains("boom", "11 jobs failed", "21 jobs failed", "/jobs?state=failed&amp;error=boom");
        assertThat(page("/jobs/errors/one?id=65079b006e85a7e798abecb99e47c154&range=24h&queue=shop"))
                .contains("0 failed for good");
        assertThat(api.get("/charts/errors?range=7d&pattern=boom").json().findValues("jobs"))
                .extracting(JsonNode::asInt)
                .satisfies(
                        each -> assertThat(each.stream().mapToInt(i -> i).sum()).isEqualTo(32));
        assertThat(api.get("/charts/errors?range=7d&kind=print").json().at("/items"))
                .isEmpty();
    }

    @Test
    void error_withASecret_isInNoLinkOfAViewer() throws SQLException {
        String text = "login refused: password=hunterfox";
        String id = String.valueOf(database.value("SELECT md5('" + text + "')"));
        database.execute(
                "INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error, payload)"
                        + " SELECT 778, l.id, 'failed', 'send', 0, 1, 0, now(), now(), '" + text + "', '1'"
                        + " FROM howdah_internal.lane l WHERE l.queue = 'mail' LIMIT 1");
        TokenStore tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
        try (Console own = ConsoleFixtures.console(database).login(true).start()) {
            ConsoleClient client = new ConsoleClient(own.address());
            String viewer = "Bearer " + tokens.add("ann", "viewer", null, null);
            String operator = "Bearer " + tokens.add("bob", "operator", null, null);
            String page = "/jobs/errors/one?id=" + id;
            assertThat(client.get("/jobs/errors", "Authorization", viewer).body())
                    .contains("login refused", page)
                    .doesNotContain("hunterfox");
            assertShown(client, page, viewer, operator);
            database.execute("INSERT INTO howdah_internal.error_text VALUES (md5('" + text + "')::uuid, '" + text
                    + "', now(), now()); DELETE FROM howdah_internal.failed WHERE id = 778");
            assertShown(client, page, viewer, operator);
            assertThat(client.get("/jobs/errors/one?pattern=boom", "Authorization", viewer)
                            .statusCode())
                    .isEqualTo(400);
            assertThat(client.get("/jobs/errors/one?id=" + "0".repeat(32), "Authorization", viewer)
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    private static void assertShown(ConsoleClient client, String page, String viewer, String operator) {
        assertThat(client.get(page, "Authorization", viewer).body())
                .contains("login refused")
                .doesNotContain("hunterfox", "error=", "CSV");
        assertThat(client.get(page, "Authorization", operator).body()).contains("error=", "CSV");
    }
}
