package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.console.internal.overview.OverviewPage;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.View;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.operations.Role;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the overview says needs attention, each with a link. */
@PostgresTest
class AttentionTest {
    private final TestDatabase database;
    private Console console;
    private ConsoleClient client;

    AttentionTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void start() throws SQLException {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
            Sweep.install(connection);
        }
        console = Console.on(ConsoleFixtures.source(database)).port(0).start();
        client = new ConsoleClient(console.address());
    }

    @AfterEach
    void stop() {
        console.close();
    }

    private String overview() {
        String page = client.get("/").body().replaceAll("\\s+", " ");
        assertThat(page).doesNotContain("class=\"problem\"");
        return page.replaceAll(".*Needs attention</h2>(.*)<h2>Now</h2>.*", "$1");
    }

    @Test
    void nothing_isSaidToo() {
        // The servers of tests have no fsync, and the overview says so.
        assertThat(overview()
                        .replaceAll(
                                "<li class=\"[a-z]+\"><span[^/]*</span><span[^/]*</span> <a href=\"/database\">", ""))
                .doesNotContain("<li");
        StringOutput html = new StringOutput();
        View view =
                new View("", "", new PageRequest("/", Map.of(), Map.of()), Role.VIEWER, text -> text, path -> false);
        TemplateEngine.createPrecompiled(null, ContentType.Html, getClass().getClassLoader())
                .render(
                        "overview-attention.jte",
                        Map.of("view", view, "model", new OverviewPage.Attention(List.of(), 0)),
                        html);
        assertThat(html.toString())
                .contains("Nothing needs attention.")
                .contains("Checked: the database, tasks, queues, failures, schedules, processes, sweeps and nodes.");
    }

    @Test
    void queue_pausedOrWithoutAHandler_isNamedWithTheCause() {
        database.execute("SELECT howdah.add('mail', 'welcome', '{}', run_at => now() - interval '2 hours');"
                + " SELECT howdah.add('mail', 'welcome', '{}');"
                + " SELECT howdah.add('soon', 'welcome', '{}', run_at => now() - interval '1 minute');"
                + " SELECT howdah.add('held', 'welcome', '{}'); SELECT howdah.pause('held')");
        assertThat(overview())
                .containsPattern("href=\"/jobs/1\">Jobs of queue mail wait for 2 h.*, 2 are due. No node works.</a>")
                .containsPattern("href=\"/jobs/queues\">Queue held is paused for .* by .*; 1 job is due.</a>")
                .doesNotContain("queue soon");
    }

    @Test
    void queues_ofOneCause_areOneNotice_andAllNoticesCanBeSeen() {
        database.execute("SELECT howdah.add('q' || i, 'k', '1', run_at => now() - i * interval '1 hour')"
                + " FROM generate_series(1, 12) i; SELECT howdah.add('q9', 'k', '1');"
                + " SELECT howdah.add('p' || i, 'k', '1'), howdah.pause('p' || i) FROM generate_series(1, 12) i");
        assertThat(overview())
                .containsPattern("href=\"/jobs/queues\">Jobs of 12 queues wait, the first for 12 h.*, 13 are due: q9, "
                        + ".* and 7 more. No node works.</a>")
                .containsOnlyOnce("No node works.")
                .containsPattern(
                        "href=\"/jobs/queues\">12 queues are paused, or kinds of theirs: p1, p10, p11, p12, p2 and 7"
                                + " more; 12 jobs are due.")
                .doesNotContain("Queue p1 is paused");
    }

    @Test
    void failuresOfManyQueues_areOneNotice_beforeWhatIsPaused() {
        database.execute("SELECT howdah.add('f' || i, 'k', '1'), howdah.pause('f' || i) FROM generate_series(1, 4) i;"
                + " INSERT INTO howdah_internal.stat SELECT date_trunc('minute', now() - interval '5 min'), l.id, 'k', 0, 0,"
                + " 10 * substr(l.queue, 2)::int, 0, 0, 0, 0 FROM howdah_internal.lane l");
        assertThat(overview())
                .containsPattern(
                        "href=\"/jobs/errors\">100 jobs of 4 queues have failed in the last hour, against 0 in the"
                                + " day before: f4, f3, f2, f1\\..*4 queues are paused")
                .doesNotContain("of queue f1");
    }

    @Test
    void notices_thatHaveNoRoom_areSeenOnDemand() {
        database.execute(
                "SELECT howdah.schedule('s' || i, 'mail', 'poll', cron => '@daily') FROM generate_series(1, 12) i;"
                        + " UPDATE howdah.schedule SET cron = '99 * * * *', next_at = NULL");
        assertThat(overview()).containsPattern("<a href=\"/\\?attention=all\">And \\d+ more</a>");
        assertThat(client.get("/?attention=all").body())
                .contains("Schedule s1 adds", "Schedule s12 adds")
                .doesNotContain("more</a>");
    }

    @Test
    void tasks_thatWaitForLong_areNamedWithTheCause() {
        ConsoleFixtures.serve(database);
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 1', now() - interval '1 minute')");
        console.close();
        console = Console.on(ConsoleFixtures.source(database))
                .port(0)
                .taskTable("public", "task")
                .taskTable("public", "not_there_yet")
                .start();
        client = new ConsoleClient(console.address());
        assertThat(attention()).doesNotContain("Tasks of");
        database.execute("UPDATE task SET plan = now() - interval '2 hours'");
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(attention())
                        .containsPattern("Tasks of public\\.task wait for 2 h.*\\. No scheduler serves .*task\\.")
                        .contains("/tasks/1?table=public.task"));
    }

    private String attention() {
        return client.get("/api/v1/attention").body();
    }

    @Test
    void failures_moreThanUsual_areNamed() {
        database.execute("SELECT howdah.add('grows', 'a', '{}'); SELECT howdah.add('usual', 'a', '{}');"
                + " SELECT howdah.add('new', 'a', '{}');"
                + " INSERT INTO howdah_internal.stat SELECT date_trunc('minute', now() - f.back), l.id, 'a', 0, 0, f.failed, 0, 0, 0, 0"
                + " FROM (VALUES ('grows', interval '5 min', 30), ('grows', '5 hours', 48), ('usual', '5 min', 4), ('usual', '5 hours', 48),"
                + " ('new', '5 min', 1)) f (queue, back, failed) JOIN howdah_internal.lane l ON l.queue = f.queue");
        assertThat(overview())
                .contains(
                        "/jobs/errors?queue=grows\">30 jobs of queue grows have failed in the last hour, against 48 in the day before.")
                .contains("1 job of queue new has failed in the last hour, and none in the day before.")
                .doesNotContain("queue usual");
    }

    @Test
    void sweepsSchedulesAndNodes_areNamed() {
        database.execute("INSERT INTO howdah.sweep (name, definition, total, exact, done)"
                + " VALUES ('mailing', '{\"table\": \"public.customer\", \"key\": \"id\"}', 100, true, 40);"
                + " INSERT INTO howdah.sweep_error (sweep, key, error) SELECT 1, ARRAY[n::text], 'no' FROM generate_series(1, 3) n;"
                + " SELECT howdah.schedule('broken', 'mail', 'poll', cron => '@daily');"
                + " UPDATE howdah.schedule SET cron = '99 * * * *', next_at = NULL WHERE name = 'broken';"
                + " INSERT INTO howdah_internal.node (name, features) VALUES ('<shop>', '{job}')");
        assertThat(overview())
                .contains("href=\"/sweeps/mailing\">3 rows of sweep mailing have failed.")
                .contains("href=\"/schedules/broken\">Schedule broken adds no jobs: ")
                .contains("href=\"/nodes\">Node 1 (&lt;shop&gt;) is dead, or has lost its session.");
    }

    @Test
    void processes_broken_areNamed() {
        try (Processes processes = Processes.on(ConsoleFixtures.source(database))
                .namespace(
                        Namespace.builder("order", (task, process) -> {
                                    if (process.lastEventId() == 0)
                                        return Intent.none().event("ordered");
                                    throw new IllegalStateException("no stock");
                                })
                                .build(),
                        notices -> {})
                .start()) {
            processes.init("order", "order-1", "chairs");
            database.execute("UPDATE howdah_internal.process SET status = 'error'");
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(overview())
                            .contains("href=\"/processes/order?status=error\">1 process of order is broken"));
        }
    }
}
