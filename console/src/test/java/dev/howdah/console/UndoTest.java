package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskTable;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Changes that can be taken back offer it, and all is as before then. */
class UndoTest extends ApiTestBase {
    private static final Pattern UNDO = Pattern.compile("<form class=\"act\" method=\"post\" action=\"([^\"]*)\">"
            + "((?:<input type=\"hidden\" name=\"[^\"]*\" value=\"[^\"]*\">)*)<button data-undo>");
    private static final Pattern FIELD = Pattern.compile("name=\"([^\"]*)\" value=\"([^\"]*)\"");

    private ConsoleClient client;

    UndoTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
        try (Connection connection = database.connect()) {
            Sweep.install(connection);
        }
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    @BeforeEach
    void open() {
        client = new ConsoleClient(console.address());
        database.execute("SELECT howdah.add('mail', 'send', '1'); SELECT howdah.add('mail', 'send', '2')");
    }

    /** The page that is shown after a change. */
    private String changed(String path, String form) {
        return next(client.post(path, form + "&confirmed=yes"));
    }

    private String next(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
        String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
        return text(client.get(answer.headers().firstValue("Location").orElseThrow(), "Cookie", cookie));
    }

    /** Presses Undo on that page. */
    private String undone(String page) {
        Matcher form = UNDO.matcher(page);
        assertThat(form.find()).as("a button to undo on %s", page).isTrue();
        StringBuilder fields = new StringBuilder();
        Matcher field = FIELD.matcher(form.group(2));
        while (field.find())
            if (!field.group(1).equals("csrf"))
                fields.append('&').append(encoded(field.group(1))).append('=').append(encoded(field.group(2)));
        return next(client.post(form.group(1).replace("&amp;", "&"), fields.substring(1)));
    }

    private static String encoded(String html) {
        return java.net.URLEncoder.encode(
                html.replace("&quot;", "\"")
                        .replace("&#34;", "\"")
                        .replace("&#39;", "'")
                        .replace("&lt;", "<")
                        .replace("&gt;", ">")
                        .replace("&amp;", "&"),
                java.nio.charset.StandardCharsets.UTF_8);
    }

    private String value(String sql) {
        return String.valueOf(database.value(sql));
    }

    private String limits() {
        return value(
                "SELECT string_agg(concat_ws(' ', kind, group_name, CASE WHEN each_node THEN 'each-node' END, setting,"
                        + " value), '; ' ORDER BY setting, value, kind) FROM howdah.limits WHERE queue = 'mail'");
    }

    @Test
    void pauses_areTakenBack_andTheirUndoToo() {
        String paused = "SELECT count(*) FROM howdah_internal.lane WHERE queue = 'mail' AND paused IS NOT NULL";
        String page = changed("/jobs/queues/mail/pause?from=list", "");
        assertThat(page).contains("Queue mail is paused.").contains("<h1>Queues</h1>");
        page = undone(page);
        assertThat(page).contains("Queue mail goes on.").contains("<h1>Queues</h1>");
        assertThat(value(paused)).isEqualTo("0");
        assertThat(undone(page)).contains("Queue mail is paused.");
        assertThat(value(paused)).isEqualTo("1");
        assertThat(changed("/jobs/queues/mail/pause", ""))
                .contains("was paused already.")
                .doesNotContain("data-undo");
        changed("/jobs/queues/mail/resume", "");
        page = changed("/jobs/queues/mail/pause", "kind=%3Cb%3E%26%22");
        assertThat(undone(page)).contains("of queue mail goes on.");
        assertThat(value("SELECT count(*) FROM howdah_internal.lane WHERE kinds_paused <> '{}'"))
                .isEqualTo("0");
        database.execute("SELECT howdah.schedule('daily report', 'mail', 'send', period => '1 h')");
        page = undone(changed("/schedules/daily%20report/pause", ""));
        assertThat(page).contains("Schedule daily report goes on.");
        assertThat(value("SELECT paused FROM howdah.schedule")).isEqualTo("null");
        assertThat(value("SELECT count(*) FROM howdah.audit WHERE action = 'schedules.resume' AND begun IS NULL"))
                .isEqualTo("1");
        changed("/schedules/daily%20report/pause", "");
        assertThat(changed("/schedules/daily%20report/pause", ""))
                .contains("Schedule daily report was paused already.")
                .doesNotContain("data-undo");
        changed("/schedules/daily%20report/resume", "");
        assertThat(changed("/schedules/daily%20report/resume", ""))
                .contains("Schedule daily report was not paused.")
                .doesNotContain("data-undo");
        database.execute("INSERT INTO howdah.sweep (name, definition) VALUES ('s', '{}')");
        assertThat(undone(changed("/sweeps/s/pause", ""))).contains("Sweep s goes on.");
        changed("/sweeps/s/throttle", "rows_per_second=0.5");
        page = changed("/sweeps/s/throttle", "rows_per_second=200");
        assertThat(undone(page)).contains("The limit of sweep s is set.");
        assertThat(value("SELECT throttle FROM howdah.sweep")).isEqualTo("0.5");
    }

    @Test
    void pauseOfAScheduleOfTasks_isTakenBack_butNoSecondOne() {
        TaskTable.on(ConsoleFixtures.source(database), "public", "task")
                .schedules()
                .put("night/ly", NewTask.of("SELECT 1").cron("@daily"));
        String owner = value("SELECT owner FROM task WHERE schedule = 'night/ly'");
        String path = "/task-schedules/night%2Fly/pause?owner=" + owner + "&table=public.task";
        String page = changed(path, "");
        assertThat(page).contains("Task schedule night/ly is paused.").contains("<h1>Schedules</h1>");
        assertThat(undone(page)).contains("Task schedule night/ly goes on.");
        changed(path, "");
        assertThat(changed(path, ""))
                .contains("Task schedule night/ly was paused already.")
                .doesNotContain("data-undo");
    }

    @Tag("long")
    @Test
    void limits_areSetAsTheyWere_andNewOnesRemoved() {
        for (String[] change : new String[][] {
            {"limit", "jobs=20", "jobs=3"},
            {"limit", "jobs=2&kind=send", "jobs=7&kind=send"},
            {"limit", "jobs=5&each_node=true", "jobs=6&each_node=true"},
            {"rate-limit", "jobs=100&period=1+min&burst=10", "jobs=7&period=60+s"},
            {"rate-limit", "jobs=1000&period=25+h&group=acme", "jobs=1&period=PT25H&group=acme"},
            {"share", "group=acme&share=2.5", "group=acme&share=4"},
            {"ageing", "every=10+min&most=7", "every=1+d"}
        }) {
            String before = limits();
            String page = changed("/jobs/queues/mail/" + change[0], change[1]);
            assertThat(limits()).as(change[1]).isNotEqualTo(before);
            undone(page);
            assertThat(limits()).as("new: %s", change[1]).isEqualTo(before);
            changed("/jobs/queues/mail/" + change[0], change[1]);
            String first = limits();
            page = changed("/jobs/queues/mail/" + change[0], change[2]);
            assertThat(limits()).as(change[2]).isNotEqualTo(first);
            undone(page);
            assertThat(limits()).as("changed: %s", change[2]).isEqualTo(first);
        }
        String all = limits();
        for (String removed : new String[] {
            "setting=concurrency",
            "setting=concurrency&kind=send",
            "setting=concurrency&each_node=true",
            "setting=rate&period=PT1M",
            "setting=rate&group=acme&period=PT25H",
            "setting=share&group=acme",
            "setting=ageing"
        }) {
            String page = changed("/jobs/queues/mail/remove-limit", removed);
            assertThat(limits()).as(removed).isNotEqualTo(all);
            undone(page);
            assertThat(limits()).as(removed).isEqualTo(all);
        }
    }

    @Test
    void jobs_getTheirPriorityAndTheirQueueBack() {
        assertThat(undone(changed("/jobs/1/priority", "priority=-7"))).contains("Job 1 has priority 0 now.");
        assertThat(undone(changed("/jobs/1/move", "to=slow"))).contains("Job 1 is in queue mail now.");
        database.execute("SELECT howdah.set_tags(1, '{a,b}')");
        assertThat(undone(changed("/jobs/1/tags", "tags=c"))).contains("The tags of job 1 are set.");
        assertThat(value("SELECT tags FROM howdah.jobs WHERE id = 1")).isEqualTo("[\"a\", \"b\"]");
        String moved = changed("/jobs/change", "action=move&to=slow&state=waiting&queue=mail&id=1&id=2");
        assertThat(moved).contains("2 jobs are in queue slow now.");
        assertThat(undone(moved)).contains("2 jobs are in queue mail now.");
        assertThat(value("SELECT string_agg(queue, ' ') FROM howdah.jobs")).isEqualTo("mail mail");
        // From which queues they came is not known.
        assertThat(changed("/jobs/change", "action=move&to=slow&state=waiting&id=1&id=2"))
                .contains("2 jobs are in queue slow now.")
                .doesNotContain("data-undo");
        assertThat(changed("/jobs/1/cancel", ""))
                .contains("Job 1 is cancelled.")
                .doesNotContain("data-undo");
    }

    @Test
    void tasks_waitForTheirTimesAgain() {
        database.execute("INSERT INTO task (input, plan) SELECT 'SELECT ' || n, '2099-01-01 00:00:00+00' FROM"
                + " generate_series(1, 3) n");
        String page = changed("/tasks/1/cancel", "");
        assertThat(page).contains("Task 1 will not run.");
        assertThat(undone(page)).contains("Task 1 waits for its time again.");
        page = changed("/tasks/change", "action=cancel&state=PLAN&id=1&id=2&id=3");
        assertThat(page).contains("3 tasks are cancelled.");
        assertThat(undone(page)).contains("3 tasks wait for their times again.");
        assertThat(value("SELECT string_agg(DISTINCT concat_ws(' ', state, plan AT TIME ZONE 'UTC'), ';') FROM task"))
                .isEqualTo("PLAN 2099-01-01 00:00:00");
        database.execute("UPDATE task SET state = 'STOP' WHERE id = 3");
        // One of them was cancelled by another hand.
        assertThat(changed("/tasks/change", "action=cancel&id=2&id=3"))
                .contains("1 task will not run; 1 could not be changed.")
                .doesNotContain("data-undo");
        assertThat(client.post("/tasks/resume", "confirmed=yes").body())
                .contains("Nothing was resumed: it has to be 1 to 1000 tasks, not 0.");
    }

    @Test
    void undo_isForTheRoleOfItsChange_andCannotBeMadeUp() {
        HttpResponse<String> answer = client.post("/jobs/queues/mail/pause", "confirmed=yes");
        String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
        assertThat(client.get("/jobs/queues", "Cookie", cookie).body()).contains("data-undo");
        assertThat(client.get("/jobs/queues", "Cookie", cookie.replace("=", "=x"))
                        .body())
                .doesNotContain("data-undo")
                .doesNotContain("is paused.");
        String token =
                "Bearer " + new TokenStore(ConsoleFixtures.source(database), "howdah").add("v", "viewer", null, null);
        assertThat(client.get("/jobs/queues", "Cookie", cookie, "Authorization", token)
                        .body())
                .doesNotContain("data-undo");
    }
}
