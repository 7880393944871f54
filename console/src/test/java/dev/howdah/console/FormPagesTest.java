package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The forms of new tasks and jobs, on a database in which nothing runs. */
@PostgresTest
class FormPagesTest {
    private final TestDatabase database;
    private Console console;
    private ConsoleClient client;

    FormPagesTest(TestDatabase database) {
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

    private String checked(String path, String fields) {
        return text(client.submit(path, path, "check=yes&" + fields));
    }

    @Test
    void job_isChecked_beforeItIsAdded() {
        String fields = "kind=welcome&queue=mail&payload=%7B%22big%22:12345678901234567890%7D&priority=-5&delay=2%20h"
                + "&attempts=3&key=k1&tags=shop,%20new&metadata=%7B%22source%22:%20%22form%22%7D";
        assertThat(checked("/jobs/new", fields))
                .contains("A job of kind <strong>welcome</strong>", "queue <strong>mail</strong>", "Add the job")
                .contains("data-live=\"off\"")
                .doesNotContain("class=\"wrong\"");
        assertThat(value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("0");
        HttpResponse<String> added = client.submit("/jobs/new", "/jobs/new", fields);
        assertThat(added.statusCode()).isEqualTo(303);
        assertThat(
                        value(
                                "SELECT concat_ws(' ', j.kind, j.priority, j.payload, j.more ->> 'key', j.more -> 'attempts', j.more -> 'tags', j.more -> 'metadata', j.run_at > now() + interval '119 min') FROM howdah_internal.job j"))
                .isEqualTo(
                        "welcome -5 {\"big\":12345678901234567890} k1 3 [\"new\", \"shop\"] {\"source\": \"form\"} t");
        assertThat(checked("/jobs/new", "kind=welcome&queue=mail&key=k1"))
                .contains("Nothing would be added", "has this key")
                .doesNotContain("Add the job<");
    }

    @Test
    void job_wrongValues_areNamedBesideTheirFields() {
        assertThat(checked(
                        "/jobs/new",
                        "kind=&payload=%7Boops&priority=7000&run_at=soon&attempts=0&metadata=[1]&queue=%3Cb%3E"))
                .contains("a job needs a kind", "this is no JSON (line 1, column 2)", "a priority is a number from")
                .contains("a time is written as 2026-11-25T14:00:00Z", "the number of attempts is a number from 1")
                .contains("metadata are a JSON object", "value=\"&lt;b>\"", "6 fields need another value")
                .doesNotContain("Add the job<");
        assertThat(checked("/jobs/new", "kind=x&run_at=2026-11-25%2014:00%20UTC&delay=5%20min"))
                .contains("either a time or a delay, not both");
        assertThat(checked("/jobs/new", "kind=x&run_at=2126-11-25%2014:00%20%2B01:00"))
                .contains("Add the job", "2126-11-25");
        HttpResponse<String> refused = client.submit("/jobs/new", "/jobs/new", "kind=x&payload=%7Boops");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("Nothing was added");
        assertThat(value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("0");
    }

    @Test
    void job_copied_hasAllButItsKeyAndTime() {
        database.execute(
                "SELECT howdah.add('mail', 'welcome', '{\"user\": \"<7>\"}', priority => 4, key => 'k', delay => '1 hour', options => '{\"tags\": [\"shop\"]}')");
        String id = value("SELECT id FROM howdah_internal.job");
        assertThat(text(client.get("/jobs/" + id))).contains("href=\"/jobs/new?from=" + id + "\"");
        assertThat(text(client.get("/jobs/new?from=" + id)))
                .contains("value=\"welcome\"", "value=\"mail\"", "&lt;7&gt;", "value=\"4\"", "value=\"shop\"")
                .doesNotContain("value=\"k\"");
        assertThat(client.get("/jobs/new?from=999999").body()).contains("There is no job 999999 to copy");
    }

    @Test
    void task_isChecked_beforeItIsAdded() {
        String fields =
                "input=SELECT%201%0D%0A%2B%201&group=g&plan=2126-01-01%2003:00%20UTC&repeat=1%20month&timeout=5%20min"
                        + "&attempts=3&backoff=1%20min&once=yes&max=2&data=mine&notify=ended";
        assertThat(checked("/tasks/new", fields))
                .contains("the SQL is in order", "Add the task")
                .doesNotContain("class=\"wrong\"");
        assertThat(value("SELECT count(*) FROM task")).isEqualTo("0");
        HttpResponse<String> added = client.submit("/tasks/new", "/tasks/new", fields);
        assertThat(added.statusCode()).isEqualTo(303);
        assertThat(
                        value(
                                "SELECT concat_ws(' ', replace(input, E'\\n', '/'), \"group\", plan AT TIME ZONE 'UTC', repeat, timeout, attempts, backoff, once, max, data, notify) FROM task"))
                .isEqualTo("SELECT 1/+ 1 g 2126-01-01 03:00:00 1 mon 00:05:00 3 00:01:00 t 2 mine ended");
    }

    @Test
    void task_withTheNameOfASchedule_isStoredAsThatSchedule() throws Exception {
        String fields = "input=SELECT%201&cron=30%203%20*%20*%20*&schedule=nightly";
        assertThat(checked("/tasks/new", fields))
                .contains("Store the schedule", "action=\"/task-schedules/put?table=public.task\"");
        assertThat(client.submit("/tasks/new", "/task-schedules/put", fields).statusCode())
                .isEqualTo(303);
        assertThat(text(client.get("/schedules"))).contains("nightly");
        assertThat(value("SELECT cron FROM task")).isEqualTo("30 3 * * *");
        assertThat(client.submit("/tasks/new", "/task-schedules/put", "input=SELECT%201&schedule=x")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void task_wrongValues_areNamedBesideTheirFields() {
        assertThat(checked("/tasks/new", "input=%20&cron=99%20*%20*%20*%20*&after=none"))
                .contains("a task needs SQL to run", "minute field is", "these are ids of tasks such as 12, 15")
                .contains("3 fields need another value");
        assertThat(checked("/tasks/new", "input=SELECT%201&timeout=soon"))
                .contains("invalid input syntax for type interval", "one field needs another value");
        assertThat(checked("/tasks/new", "input=SELECT%201&attempts=0"))
                .contains("id=\"h-attempts\"><span aria-hidden=\"true\">✕</span> the table does not take this value");
        assertThat(checked("/tasks/new", "input=SELECT%201&repeat=1%20day&cron=@daily"))
                .contains("either a cron expression or a distance");
        assertThat(checked("/tasks/new", "input=SELECT%20no_such_column"))
                .contains("no_such_column\" does not exist (line 1, column 8)", "can be added all the same");
        assertThat(checked("/tasks/new", "input=SELECT%201;%20DROP%20TABLE%20task&plan=tomorrow"))
                .contains("The SQL was not checked: it has more than one statement");
        assertThat(checked("/tasks/new", "input=SELECT%201&cron=30%203%20*%20*%20*&zone=Europe/Berlin"))
                .contains("03:30:00");
        assertThat(value("SELECT count(*) FROM task")).isEqualTo("0");
    }

    @Test
    void task_copied_hasNoPassword() {
        database.execute(
                "INSERT INTO task (input, \"group\", plan, remote) VALUES ('SELECT 7', 'reports', now() + interval '1 hour', 'host=db.example password=geheim')");
        assertThat(text(client.get("/tasks/1"))).contains("href=\"/tasks/new?from=1\"");
        assertThat(text(client.get("/tasks/new?from=1")))
                .contains("SELECT 7</textarea>", "value=\"reports\"", "has a password, which is not shown")
                .doesNotContain("geheim");
    }

    @Test
    void task_showsWhatItWaitsForAndWhatWaitsForIt() {
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 1', now() + interval '1 day');"
                + " INSERT INTO task (input, after) VALUES ('SELECT 22', '{1}')");
        assertThat(text(client.get("/tasks/1"))).contains("waiting for it", "href=\"/tasks/2\"", "22");
        assertThat(text(client.get("/tasks/2"))).contains("runs after", "<a href=\"/tasks/1\">task 1</a>");
    }

    @Test
    void job_thatWaits_getsAnotherPriorityAndQueue() {
        database.execute("SELECT howdah.add('mail', 'k', 'null'::json);"
                + " SELECT howdah.add('mail', 'k', 'null'::json, key => 'a')");
        assertThat(text(client.get("/jobs/1"))).contains("Set the priority", "Move to another queue");
        client.submit("/jobs/1", "/jobs/1/priority", "priority=-7");
        client.submit("/jobs/1", "/jobs/1/move", "to=slow&confirmed=yes");
        assertThat(value(
                        "SELECT j.priority || ' ' || l.queue FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane"
                                + " WHERE j.id = 1"))
                .isEqualTo("-7 slow");
        client.submit("/jobs/1", "/jobs/1/tags", "tags=b%0D%0Aa%0D%0A");
        assertThat(value("SELECT tags FROM howdah.jobs WHERE id = 1")).isEqualTo("[\"a\", \"b\"]");
        for (String wrong : new String[] {"priority=101", "priority=high", "priority="})
            assertThat(client.submit("/jobs/1", "/jobs/1/priority", wrong).statusCode())
                    .as(wrong)
                    .isEqualTo(400);
        assertThat(client.submit("/jobs/1", "/jobs/1/move", "to=" + "x".repeat(201))
                        .statusCode())
                .isEqualTo(400);
        assertThat(text(client.get("/jobs/2"))).contains("It has a key").doesNotContain("/jobs/2/move");
        client.submit("/jobs/1", "/jobs/1/cancel", "confirmed=yes");
        assertThat(text(client.get("/jobs/1"))).doesNotContain("Set the priority");
    }

    private static String version(String page) {
        return page.replaceAll("(?s).*name=\"version\" value=\"([0-9a-f]+)\".*", "$1");
    }

    @Test
    void task_thatWaits_isEditedWhereItWasChangedOnly() {
        database.execute("INSERT INTO task (input, plan, \"group\", data, timeout)"
                + " VALUES ('SELECT 1', '2126-01-01 00:00+00', 'g', 'kept', '5 s')");
        assertThat(text(client.get("/tasks/1"))).contains("/tasks/1/edit");
        String form = text(client.get("/tasks/1/edit"));
        assertThat(form).contains("Edit task 1", "2126-01-01T00:00:00Z", "value=\"g\"", "SELECT 1");
        String fields = "&plan=2126-01-01T00:00:00Z&group=h&data=kept&timeout=&version=" + version(form);
        String page =
                text(client.submit("/tasks/1/edit", "/tasks/1/edit", "check=yes&input=SELECT+oops+FROM" + fields));
        assertThat(page).contains("Store the task", "syntax error").contains("value=\"" + version(form) + "\"");
        client.submit("/tasks/1/edit", "/tasks/1/edit", "input=SELECT+2" + fields);
        assertThat(value("SELECT concat_ws(' ', input, \"group\", data, timeout, plan AT TIME ZONE 'UTC') FROM task"))
                .isEqualTo("SELECT 2 h kept 00:00:00 2126-01-01 00:00:00");
        assertThat(
                        value(
                                "SELECT before ->> 'input' FROM howdah.audit WHERE action = 'tasks.edit' AND outcome = 'begun'"))
                .isEqualTo("SELECT 1");
        assertThat(client.submit("/tasks/1/edit", "/tasks/1/edit", "input=SELECT+3" + fields)
                        .body())
                .contains("is not as it was when the form was opened");
        database.execute("UPDATE task SET state = 'DONE'");
        assertThat(text(client.get("/tasks/1"))).doesNotContain("/tasks/1/edit");
        assertThat(client.get("/tasks/9/edit").body()).contains("There is no task 9");
    }

    @Test
    void task_freedOfThoseItWaitsFor_isPlannedForNow() {
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 1', 'infinity');"
                + " INSERT INTO task (input, after) VALUES ('SELECT 2', '{1}')");
        String form = text(client.get("/tasks/2/edit"));
        assertThat(form).contains("value=\"infinity\"", "value=\"1\"");
        client.submit("/tasks/2/edit", "/tasks/2/edit", "input=SELECT+2&plan=infinity&after=&version=" + version(form));
        assertThat(value("SELECT \"after\" IS NULL AND plan <= now() FROM task WHERE id = 2"))
                .isEqualTo("t");
    }

    @Test
    void task_thatRepeats_showsItsNextTimes() {
        database.execute("INSERT INTO task (input, plan, cron, zone) VALUES"
                + " ('SELECT 1', '2127-01-01 12:00 Europe/Berlin', '0 12 1 * *', 'Europe/Berlin'),"
                + " ('SELECT 2', '2127-01-01 12:00+00', '0 12 1 * *', NULL)");
        assertThat(text(client.get("/tasks/1")))
                .contains("Repeated at", "Sat 2127-02-01 12:00:00", "Thu 2127-05-01 12:00:00", "went forward 1 h");
        // The time zone of the server counts, which is not known here.
        assertThat(text(client.get("/tasks/2"))).doesNotContain("Repeated at");
        assertThat(checked("/tasks/new", "input=SELECT%201&cron=@daily"))
                .contains("by UTC; without a time zone that of the server");
        assertThat(checked("/tasks/new", "input=SELECT%201&cron=@daily&zone=Europe/Berlin"))
                .contains("The next ones from now on")
                .doesNotContain("by UTC");
    }

    @Test
    void tasks_ofATextThatIsRare_areSearchedStepByStep() {
        database.execute("INSERT INTO task (input, state) VALUES ('SELECT ''rare''', 'DONE');"
                + " INSERT INTO task (input, state) SELECT 'SELECT 1', 'DONE' FROM generate_series(1, 20000)");
        String first = text(client.get("/tasks?text=rare"));
        assertThat(first)
                .contains("Searched up to task 2.", ">Search further</a>")
                .doesNotContain("data-row");
        String further =
                first.replaceAll(".*<a href=\"([^\"]*)\" data-next.*", "$1").replace("&amp;", "&");
        assertThat(text(client.get(further))).contains("data-row=\"1\"").doesNotContain("Search further");
    }
}
