package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Changes of many tasks and jobs, on a database in which nothing runs. */
@PostgresTest
class BulkPagesTest {
    private static final Pattern TYPED = Pattern.compile("To confirm, type <strong>([^<]*)</strong>");

    private final TestDatabase database;
    private Console console;
    private ConsoleClient client;

    BulkPagesTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void start() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
        console = ConsoleFixtures.console(database).start();
        client = new ConsoleClient(console.address());
    }

    @AfterEach
    void stop() {
        console.close();
    }

    private String value(String sql) {
        return String.valueOf(database.value(sql));
    }

    private void fail(int count, String queue, String error) {
        database.execute(
                "SELECT howdah.add_many('" + queue + "', 'charge', array_agg('{}'::json)) FROM generate_series(1, "
                        + count + ");"
                        + " WITH gone AS (DELETE FROM howdah_internal.job j USING howdah_internal.lane l WHERE l.id = j.lane AND l.queue = '"
                        + queue
                        + "' RETURNING j.*) INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)"
                        + " SELECT id, lane, 'failed', kind, priority, 1, 0, run_at, format('" + error
                        + "', id), payload, more FROM gone");
    }

    private static void until(Supplier<String> seen, String wanted) {
        await().atMost(Patience.LIMIT).until(() -> seen.get().contains(wanted));
    }

    /** Answers the question, with what has to be typed, and gives the path that follows. */
    private String confirmed(String page, String path, String form) {
        Matcher typed = TYPED.matcher(client.submit(page, path, form).body());
        String proof = typed.find() && !form.contains("typed=") ? "&typed=" + typed.group(1) : "";
        HttpResponse<String> answer = client.submit(page, path, form + proof + "&confirmed=yes");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
        return answer.headers().firstValue("Location").orElseThrow();
    }

    @Test
    void jobs_selected_areRetriedAfterAQuestion() {
        fail(5, "mail", "no stock %s");
        String list = "/jobs?state=failed&queue=mail";
        String ids = value(
                "SELECT string_agg('id=' || id, '&') FROM (SELECT id FROM howdah_internal.failed ORDER BY id LIMIT 2) f");
        assertThat(text(client.get(list)))
                .contains("name=\"all\"", "form=\"bulk\"", ">Retry</button>", ">Delete</button>");
        assertThat(text(client.submit(list, "/jobs/change", "state=failed&queue=mail&action=retry&" + ids)))
                .contains("Retry 2 jobs? They begin anew");
        assertThat(value("SELECT count(*) FROM howdah_internal.failed")).isEqualTo("5");
        assertThat(confirmed(list, "/jobs/change", "state=failed&queue=mail&action=retry&id=999999&" + ids))
                .isEqualTo(list);
        assertThat(value("SELECT count(*) FROM howdah_internal.failed")).isEqualTo("3");
        assertThat(value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("2");
    }

    @Test
    void jobs_ofAFilterThatTheFormDoesNotShow_areMeantAlone() {
        fail(3, "mail", "no stock %s");
        value("UPDATE howdah_internal.failed SET payload = '{\"customer\": 7}' WHERE id = (SELECT min(id) FROM"
                + " howdah_internal.failed) RETURNING id");
        String list = "/jobs?state=failed&payload=customer%3D7";
        assertThat(client.get(list).body()).contains("<input type=\"hidden\" name=\"payload\" value=\"customer=7\">");
        String run = confirmed(list, "/jobs/change", "state=failed&payload=customer%3D7&all=yes&action=retry");
        until(() -> client.get(run).body(), "✓</span>done");
        assertThat(text(client.get(run))).contains("jobs with payload {\"customer\": 7}");
        assertThat(value("SELECT count(*) FROM howdah_internal.failed")).isEqualTo("2");
    }

    // a count that was not typed, or of something else
    @Test
    void jobs_allThatMatch_areChangedInTheBackground() {
        fail(2_500, "mail", "no stock %s");
        fail(3, "other", "no stock %s");
        String list = "/jobs?state=failed&queue=mail";
        String form = "state=failed&queue=mail&all=yes&action=";
        assertThat(text(client.submit(list, "/jobs/change", form + "retry")))
                .contains("Retry all 2,500 failed jobs of queue mail?");
        // So many are changed only after their number was typed.
        for (String typed : List.of("", "&typed=", "&typed=25", "&typed=all"))
            assertThat(text(client.submit(list, "/jobs/change", form + "retry&confirmed=yes" + typed)))
                    .contains("To confirm, type <strong>2500</strong>", "Retry all 2,500 failed jobs");
        assertThat(value("SELECT count(*) FROM howdah_internal.failed")).isEqualTo("2503");
        String run = confirmed(list, "/jobs/change", form + "retry&typed=2,500");
        until(() -> client.get(run).body(), "✓</span>done");
        assertThat(text(client.get(run)))
                .contains("<strong>2,500</strong> of 2,500 changed", "Retry all failed jobs of queue mail");
        assertThat(text(client.get("/bulk"))).contains("href=\"" + run + "\"");
        assertThat(value("SELECT count(*) FROM howdah_internal.failed")).isEqualTo("3");
        until(() -> value("SELECT max(message) FROM howdah.audit"), "2,500 changed, 0 not changed.");
        String move = confirmed(
                "/jobs?state=waiting", "/jobs/change", "state=waiting&queue=mail&all=yes&action=move&to=night");
        until(() -> client.get(move).body(), "✓</span>done");
        assertThat(
                        value(
                                "SELECT count(*) FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane WHERE l.queue = 'night'"))
                .isEqualTo("2500");
        String cancel = confirmed("/jobs?state=waiting", "/jobs/change", "state=waiting&all=yes&action=cancel");
        until(() -> client.get(cancel).body(), "✓</span>done");
        String delete = confirmed("/jobs?state=cancelled", "/jobs/change", "state=cancelled&all=yes&action=delete");
        until(() -> client.get(delete).body(), "✓</span>done");
        assertThat(value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("0");
        assertThat(value("SELECT count(*) FROM howdah_internal.failed")).isEqualTo("3");
    }

    @Test
    void change_ofAFilterThatWasWidenedMeanwhile_asksAgain_andAnOldCountIsNoAnswer() {
        fail(1_500, "mail", "no stock %s");
        String list = "/jobs?state=failed&queue=mail";
        String form = "state=failed&queue=mail&all=yes&action=retry";
        assertThat(text(client.submit(list, "/jobs/change", form))).contains("type <strong>1500</strong>");
        fail(1_500, "mail", "no stock %s");
        assertThat(text(client.submit(list, "/jobs/change", form + "&confirmed=yes&typed=1500")))
                .contains("type <strong>3000</strong>");
        assertThat(value("SELECT count(*) FROM howdah_internal.failed")).isEqualTo("3000");
        String run = confirmed(list, "/jobs/change", form + "&typed=3000");
        until(() -> client.get(run).body(), "✓</span>done");
        assertThat(text(client.get(run))).contains("<strong>3,000</strong> of 3,000 changed");
        // The same answer again is about nothing.
        assertThat(client.submit("/jobs/new", "/jobs/change", form + "&typed=3000&confirmed=yes")
                        .statusCode())
                .isLessThan(500);
        assertThat(value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("3000");
    }

    @Test
    void changes_ofTheSameRows_changeEachOnce() {
        fail(900, "mail", "no stock %s");
        List<String> runs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            HttpResponse<String> answer = client.submit(
                    "/jobs/new", "/jobs/change", "state=failed&queue=mail&all=yes&action=retry&confirmed=yes");
            answer.headers()
                    .firstValue("Location")
                    .filter(each -> each.startsWith("/bulk/"))
                    .ifPresent(runs::add);
        }
        assertThat(runs).isNotEmpty();
        long changed = 0;
        for (String run : runs) {
            until(() -> client.get(run).body(), "✓</span>done");
            Matcher each = Pattern.compile("<strong>([\\d,]+)</strong>").matcher(text(client.get(run)));
            assertThat(each.find()).isTrue();
            changed += Long.parseLong(each.group(1).replace(",", ""));
        }
        assertThat(changed).isEqualTo(900);
        assertThat(value("SELECT count(*) || ' ' || count(DISTINCT id) FROM howdah_internal.job"))
                .isEqualTo("900 900");
    }

    @Test
    @Tag("long")
    void jobs_aHundredThousand_areRetriedInShortTransactions(TestReporter reporter) throws Exception {
        fail(100_000, "mail", "card %s was refused");
        database.execute("ANALYZE howdah_internal.failed");
        AtomicLong longest = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        Thread watch = new Thread(() -> {
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement()) {
                while (!over.get())
                    try (ResultSet row = statement.executeQuery(
                            "SELECT COALESCE(max(extract(epoch FROM clock_timestamp() - xact_start) * 1000), 0)::bigint"
                                    + " FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                                    + " AND datname = current_database() AND query LIKE '%change_step%'")) {
                        row.next();
                        longest.accumulateAndGet(row.getLong(1), Math::max);
                    }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        watch.start();
        long begun = System.nanoTime();
        String run = confirmed(
                "/jobs?state=failed&queue=mail", "/jobs/change", "state=failed&queue=mail&all=yes&action=retry");
        await().atMost(Patience.LIMIT).until(() -> client.get(run).body().contains("\u2713</span>done"));
        long millis = (System.nanoTime() - begun) / 1_000_000;
        over.set(true);
        watch.join();
        reporter.publishEntry("100,000 jobs retried", millis + " ms, longest transaction seen " + longest + " ms");
        assertThat(text(client.get(run))).contains("<strong>100,000</strong>", " changed");
        assertThat(value("SELECT count(*) FROM howdah_internal.job") + " "
                        + value("SELECT count(*) FROM howdah_internal.failed"))
                .isEqualTo("100000 0");
        // Each step is a transaction of its own, and none of them has more than so many jobs.
        assertThat(
                        value(
                                "SELECT max(jobs) <= 1000 FROM (SELECT count(*) AS jobs FROM howdah_internal.job GROUP BY xmin) j"))
                .isEqualTo("t");
    }

    @Test
    void jobs_selected_areMovedToAnotherQueue() {
        database.execute("SELECT howdah.add_many('mail', 'charge', array_agg('{}'::json)) FROM generate_series(1, 3);"
                + " SELECT howdah.add('mail', 'charge', '{}'::json, key => 'a key')");
        String list = "/jobs?state=waiting&queue=mail";
        String ids = value(
                "SELECT string_agg('id=' || id, '&') FROM (SELECT id FROM howdah_internal.job ORDER BY id DESC LIMIT 3) j");
        String form = "state=waiting&queue=mail&action=move&to=night&" + ids;
        assertThat(text(client.submit(list, "/jobs/change", form))).contains("Move 3 jobs to queue night?");
        HttpResponse<String> answer = client.submit(list, "/jobs/change", form + "&confirmed=yes");
        assertThat(answer.headers().firstValue("Location").orElseThrow()).isEqualTo(list);
        assertThat(
                        value(
                                "SELECT string_agg(l.queue, ' ' ORDER BY j.id) FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane"))
                .isEqualTo("mail night night mail");
        assertThat(value("SELECT message FROM howdah.audit WHERE action = 'jobs.change' AND message IS NOT NULL"))
                .isEqualTo("2 jobs are in queue night now; 1 could not be changed.");
    }

    @Test
    void question_aboutTooManyToBeCounted_saysOrMore() {
        // Counting up to 10,000 succeeds, counting all of them does not.
        database.execute(
                "CREATE OR REPLACE VIEW howdah.jobs AS SELECT i::bigint AS id, 'mail' AS queue, 'charge' AS kind, 'failed' AS state,"
                        + " 0::smallint AS priority, 1::smallint AS attempt, now() AS created, now() AS run_at, now() AS begun, now() AS ended,"
                        + " 1 AS node, CASE WHEN 1 / (10001 - i) >= 0 THEN 'no stock' END AS error, NULL::jsonb AS result, NULL::json AS payload,"
                        + " NULL::date AS day, NULL AS key, NULL::jsonb AS tags, NULL::jsonb AS metadata FROM generate_series(1, 20000) i");
        assertThat(text(client.submit("/jobs/new", "/jobs/change", "state=failed&error=stock&all=yes&action=retry")))
                .contains("Retry all failed jobs with \"stock\" in the error (10,000 or more)?");
    }

    @Test
    void change_thatCannotBe_saysWhy() {
        String list = "/jobs?state=failed";
        fail(1, "mail", "x");
        for (String[] each : new String[][] {
            {"state=failed&action=retry", "No job was selected"},
            {"state=failed&action=cancel&id=1", "cannot be done with jobs that are failed"},
            {"state=waiting&action=move&all=yes", "type the name of the queue"},
            {"state=running&action=cancel&all=yes", "by selecting them"},
            {"state=failed&action=retry&id=x", "id has to be a number"},
            {"state=lost&action=retry&id=1", "state has to be one of"}
        }) {
            HttpResponse<String> answer = client.submit(list, "/jobs/change", each[0] + "&confirmed=yes");
            assertThat(answer.statusCode()).as(each[0]).isEqualTo(400);
            assertThat(answer.body()).contains(each[1]);
        }
        assertThat(client.submit("/jobs/new", "/tasks/change", "action=retry").body())
                .contains("No task was selected");
        assertThat(client.get("/bulk/77").statusCode()).isEqualTo(404);
        assertThat(value("SELECT count(*) FROM howdah_internal.failed")).isEqualTo("1");
    }

    @Test
    void errorGroup_isRetried_andNoOther() {
        fail(1_200, "mail", "card %s was refused: \"no money\"");
        fail(40, "mail2", "card %s was stolen");
        String errors = text(client.get("/jobs/errors"));
        assertThat(errors).contains("card ... was refused: \"...\"", ">Retry all</button>");
        // The list has the same jobs, to be deleted or looked at one by one.
        assertThat(errors).contains("href=\"/jobs?state=failed&amp;error=was%20refused%3A\"");
        assertThat(text(client.get("/jobs?state=failed&error=was%20refused%3A&limit=200")))
                .contains("data-row=\"1200\"")
                .doesNotContain("data-row=\"1201\"");
        String form = "state=failed&jobs=1200&pattern=card%20...%20was%20refused:%20%22...%22";
        assertThat(text(client.submit("/jobs/errors", "/jobs/errors/change", form)))
                .contains("Retry all jobs that have failed with", "counted 1200 of them");
        String run = confirmed("/jobs/errors", "/jobs/errors/change", form);
        until(() -> client.get(run).body(), "✓</span>done");
        assertThat(text(client.get(run))).contains("<strong>1,200</strong> of 1,200 changed");
        assertThat(value("SELECT count(*) FROM howdah_internal.failed")).isEqualTo("40");
    }

    private void failedBefore(int count, String queue, String kind, String error, String ago) {
        database.execute("SELECT howdah.add('" + queue + "', 'any', '1', delay => interval '1 day');"
                + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error)"
                + " SELECT nextval('howdah_internal.job_id_seq'), (SELECT min(l.id) FROM howdah_internal.lane l WHERE l.queue = '"
                + queue
                + "'), 'failed', '" + kind + "', 0, 1, 0, now(), now() - interval '" + ago
                + "' - n * interval '1 ms', '"
                + error + "' || n FROM generate_series(1, " + count + ") n; ANALYZE howdah_internal.failed");
    }

    /** The numbers of jobs are links to them. */
    private static String withoutLinks(HttpResponse<String> page) {
        return text(page).replaceAll("</?a\\b[^>]*>", "");
    }

    @Test
    void errors_ofALoudQueueOrKind_hideNoOthers() {
        failedBefore(454, "mail", "welcome", "no mailbox ", "2 hours");
        failedBefore(3, "geo", "rare", "no map ", "1 hour");
        failedBefore(25_000, "geo", "locate", "no place ", "0");
        assertThat(withoutLinks(client.get("/jobs/errors?queue=mail")))
                .contains("no mailbox ...", "class=\"right\">454</td>")
                .doesNotContain("not all that failed");
        assertThat(withoutLinks(client.get("/jobs/errors?queue=geo&kind=rare")))
                .contains("no map ...", "class=\"right\">3</td>")
                .doesNotContain("not all that failed");
        assertThat(withoutLinks(client.get("/jobs/errors")))
                .contains("no mailbox ...", "class=\"right\">10,001+</td>", "not all that failed before <time");
        assertThat(withoutLinks(client.get("/jobs/errors?queue=mail&kind=rare")))
                .contains("No error in queue mail of kind rare.");
        ApiClient api = new ApiClient(console.address());
        assertThat(api.get("/errors?queue=mail").json().path("exact").asBoolean())
                .isTrue();
        assertThat(api.get("/errors?queue=mail").json().at("/items/0/jobs").asInt())
                .isEqualTo(454);
        assertThat(api.get("/errors").json().path("exact").asBoolean()).isFalse();
        assertThat(api.get("/errors").json().path("since").isNull()).isFalse();
    }

    @Test
    void errors_ofRetriesOfALoudQueue_hideNoOthers() {
        String job =
                "INSERT INTO howdah_internal.job (lane, kind, run_at, payload, attempt, more) SELECT l.id, 'welcome',"
                        + " now() + interval '1 h', '1', 1, jsonb_build_object('error', 'timeout ' || n)"
                        + " FROM generate_series(1, %s) n, howdah_internal.lane l WHERE l.queue = '%s'";
        database.execute(
                "SELECT howdah.add(q, 'any', '1', delay => interval '1 day') FROM unnest('{mail,geo}'::text[]) q");
        database.execute(String.format(job, 7, "mail"));
        database.execute(String.format(job, 20_010, "geo") + "; ANALYZE howdah_internal.job");
        assertThat(withoutLinks(client.get("/jobs/errors?state=retrying&queue=mail")))
                .contains("timeout ...", "class=\"right\">7</td>")
                .doesNotContain("there are more");
        assertThat(withoutLinks(client.get("/jobs/errors?state=retrying")))
                .contains("class=\"right\">20,001+</td>", "the newest 20,000 were looked at; there are more");
    }

    @Test
    void tasks_selectedAndAllThatMatch_areChanged() {
        database.execute(
                "INSERT INTO task (input, \"group\", state) SELECT 'SELECT ' || n, 'g' || n % 2, CASE WHEN n <= 700 THEN 'FAIL' ELSE 'DONE' END::state FROM generate_series(1, 1000) n");
        String list = "/tasks?state=FAIL";
        assertThat(text(client.submit(list, "/tasks/change", "state=FAIL&action=retry&id=1")))
                .contains("Run task 1 again now?");
        assertThat(confirmed(list, "/tasks/change", "state=FAIL&action=retry&id=1&id=2&id=1000000"))
                .isEqualTo("/tasks?state=FAIL");
        assertThat(value("SELECT count(*) FROM task WHERE state = 'PLAN'")).isEqualTo("2");
        String form = "state=FAIL&group=g0&all=yes&action=retry";
        assertThat(text(client.submit(list, "/tasks/change", form)))
                .contains("Run all 349 failed tasks of group g0 again now?");
        String run = confirmed(list, "/tasks/change", form);
        until(() -> client.get(run).body(), "✓</span>done");
        assertThat(value("SELECT count(*) FROM task WHERE state = 'PLAN'")).isEqualTo("351");
        String cancel = confirmed(list, "/tasks/change", "all=yes&action=cancel");
        until(() -> client.get(cancel).body(), "✓</span>done");
        assertThat(value("SELECT count(*) FROM task WHERE state = 'STOP'")).isEqualTo("351");
        String delete = confirmed(list, "/tasks/change", "state=STOP&all=yes&action=delete");
        until(() -> client.get(delete).body(), "✓</span>done");
        assertThat(value("SELECT count(*) FROM task")).isEqualTo("649");
    }

    @Test
    void tasksOfNamedSchedules_areCancelledByTheirIdsOnly() {
        database.execute(
                "SELECT task_schedule('put', '{\"schedule\": \"nightly\", \"input\": \"SELECT 1\","
                        + " \"cron\": \"0 3 * * *\"}'); INSERT INTO task (input, plan) SELECT 'SELECT 1', 'infinity' FROM generate_series(1, 3)");
        assertThat(text(client.submit("/tasks", "/tasks/change", "state=PLAN&all=yes&action=cancel")))
                .contains("all 3 planned tasks, but for those of named schedules");
        String cancel = confirmed("/tasks", "/tasks/change", "state=PLAN&all=yes&action=cancel");
        until(() -> client.get(cancel).body(), "✓</span>done");
        assertThat(database.query("SELECT state, count(*) FROM task GROUP BY 1 ORDER BY 1"))
                .containsExactly(List.of("PLAN", "1"), List.of("STOP", "3"));
        String id = value("SELECT id FROM task WHERE schedule = 'nightly'");
        confirmed("/tasks", "/tasks/change", "action=cancel&id=" + id);
        assertThat(value("SELECT state FROM task WHERE id = " + id)).isEqualTo("STOP");
    }

    @Test
    void changes_ofAConsoleThatHasEnded_areKnownToTheNextOne() throws SQLException {
        fail(30, "mail", "no stock %s");
        String path = confirmed(
                "/jobs?state=failed&queue=mail", "/jobs/change", "state=failed&queue=mail&action=retry&all=yes");
        until(() -> text(client.get(path)), "<strong>30</strong> of 30 changed");
        until(
                () -> value(
                        "SELECT string_agg(changed || ' ' || (ended IS NOT NULL), ',') FROM howdah_internal.console_change"),
                "30 true");
        // One whose program was killed in the middle.
        database.execute("INSERT INTO howdah_internal.console_change (title, back, expected, changed, started, seen)"
                + " VALUES ('Retry all', '/jobs', 90, 40, now() - interval '1 hour', now() - interval '50 min')");
        console.close();
        console = ConsoleFixtures.console(database).start();
        client = new ConsoleClient(console.address());
        assertThat(text(client.get("/bulk"))).contains(">Retry all failed jobs of queue mail</a>", ">Retry all</a>");
        assertThat(text(client.get(path))).contains("<strong>30</strong> of 30 changed", "done");
        String lost = path.replaceAll("\\d+$", value("SELECT max(id) FROM howdah_internal.console_change"));
        assertThat(text(client.get(lost)))
                .contains(
                        "<strong>40</strong> of 90 changed",
                        "failed",
                        "The program that made this change ended before it was done.")
                .doesNotContain(">Stop</button>");
    }

    @Test
    void jobs_ofATime_areListedAndChanged() {
        fail(6, "mail", "no stock %s");
        database.execute(
                "UPDATE howdah_internal.failed SET ended = timestamptz '2026-01-01 12:00Z' + (id - 1) * interval '1 day'");
        String list = "/jobs?state=failed&from=2026-01-02&until=2026-01-03";
        String html = client.get(list).body();
        assertThat(html)
                .contains("data-row=\"2\"", "data-row=\"3\"", "name=\"from\" value=\"2026-01-02\"")
                .contains("name=\"until\" value=\"2026-01-03\"")
                .doesNotContain("data-row=\"1\"", "data-row=\"4\"");
        assertThat(text(client.get("/jobs?state=failed&until=2026-01-01T13:00:00Z")))
                .contains("data-row=\"1\"");
        assertThat(text(client.get("/jobs?state=failed&from=-1h"))).contains("No failed job matches these filters.");
        assertThat(client.get("/jobs?state=failed&until=soon").statusCode()).isEqualTo(400);
        assertThat(client.get("/jobs?state=failed&from=2026-01-03&until=2026-01-01")
                        .statusCode())
                .isEqualTo(400);
        String form = "state=failed&from=2026-01-02&until=2026-01-03&all=yes&action=retry";
        assertThat(text(client.submit(list, "/jobs/change", form)))
                .contains("Retry all 2 failed jobs since 2026-01-02T00:00:00Z until 2026-01-04T00:00:00Z?");
        String run = confirmed(list, "/jobs/change", form);
        until(() -> client.get(run).body(), "✓</span>done");
        assertThat(value("SELECT string_agg(id::text, ' ' ORDER BY id) FROM howdah_internal.failed"))
                .isEqualTo("1 4 5 6");
    }

    @Test
    void question_asksForAReason_whichIsKept() {
        fail(1, "mail", "x");
        assertThat(text(client.submit("/jobs?state=failed", "/jobs/1/retry", "")))
                .contains("name=\"reason\" maxlength=\"200\"");
        client.submit("/jobs?state=failed", "/jobs/1/retry", "confirmed=yes&reason=the%20bank%20is%20back");
        assertThat(
                        value(
                                "SELECT after ->> 'reason' FROM howdah.audit WHERE action = 'jobs.retry' AND outcome = 'begun'"))
                .isEqualTo("the bank is back");
    }
}
