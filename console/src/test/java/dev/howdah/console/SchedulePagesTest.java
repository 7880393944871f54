package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pages of schedules, on a database in which no node runs. */
@PostgresTest
class SchedulePagesTest {
    private static final String NEW =
            "/schedules/new?check=yes&name=nightly&kind=report&payload=%7B%22big%22:12345678901234567890%7D";
    private static final String HOSTILE = "<script>alert(1)</script>";

    private final TestDatabase database;
    private Console console;
    private ConsoleClient client;

    SchedulePagesTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void start() {
        ConsoleFixtures.jobs(database);
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

    /** What is to be checked is sent by the button of the form. */
    private HttpResponse<String> read(String path) {
        int mark = path.indexOf("?check=yes");
        return mark < 0
                ? client.get(path)
                : client.submit(path.substring(0, mark), path.substring(0, mark), path.substring(mark + 1));
    }

    private String page(String path) {
        HttpResponse<String> answer = read(path);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return answer.body().replaceAll("\\s+", " ");
    }

    @Test
    void list_empty_teachesTheFirstCommand() {
        assertThat(page("/schedules"))
                .contains("howdah job schedule put", "INSERT INTO task", "href=\"/schedules/new\"");
    }

    @Test
    void schedule_listsJobsOfItsLastTimes() {
        database.execute("SELECT howdah.schedule('hourly', 'mail', 'send', period => '1 h');"
                + " UPDATE howdah.schedule SET last_at = now() - interval '1 h';"
                + " SELECT howdah.add('mail', 'send', '1', run_at => (SELECT last_at FROM howdah.schedule)),"
                + " howdah.add('mail', 'other', '1', run_at => (SELECT last_at FROM howdah.schedule))");
        assertThat(page("/schedules/hourly"))
                .contains("Jobs of its last times", "/jobs/1\"")
                .doesNotContain("/jobs/2\"");
        ApiClient api = new ApiClient(console.address());
        assertThat(api.get("/schedules/hourly/jobs").json().path("items"))
                .hasSize(1)
                .allSatisfy(each -> assertThat(each.path("state").asText()).isEqualTo("waiting"));
        assertThat(api.get("/schedules/none/jobs").status()).isEqualTo(404);
        database.execute("UPDATE howdah.schedule SET last_at = NULL");
        assertThat(page("/schedules/hourly")).contains("It has added none yet.");
    }

    @Test
    void list_saysTimesInWords_andWhatIsWrong() {
        database.execute(
                "SELECT howdah.schedule('weekdays', 'mail', 'report', cron => '30 3 * * MON-FRI', zone => 'Europe/Berlin');"
                        + " SELECT howdah.schedule('often', 'mail', 'poll', period => '90 s');"
                        + " SELECT howdah.schedule('paused', 'other', 'poll', cron => '@daily'); SELECT howdah.pause_schedule('paused');"
                        + " SELECT howdah.schedule('broken', 'mail', 'poll', cron => '@daily');"
                        + " UPDATE howdah.schedule SET cron = '99 * * * *' WHERE name = 'broken';"
                        + " SELECT howdah.schedule('" + HOSTILE + "', 'mail', 'poll', cron => '@hourly')");
        String list = page("/schedules");
        assertThat(list)
                .contains(
                        "at 03:30 from Monday to Friday, Europe/Berlin", "every 1 min 30 s", "at 00:00 every day, UTC")
                .contains("every hour, UTC", "paused</span>", "invalid</span>", "minute field is")
                .contains("&lt;script&gt;")
                .doesNotContain("<script>alert");
        assertThat(page("/schedules?queue=other"))
                .contains("/schedules/paused\"")
                .doesNotContain("/schedules/weekdays\"");
        assertThat(page("/schedules?text=WEEK"))
                .contains("/schedules/weekdays\"")
                .doesNotContain("/schedules/often\"");
        assertThat(page("/schedules?text=none")).contains("No schedule matches these filters");
        assertThat(page("/schedules/%3Cscript%3Ealert(1)%3C%2Fscript%3E")).doesNotContain("<script>alert");
    }

    @Test
    void schedule_showsItsNextTimes_andWhereTheClocksChange() {
        database.execute(
                "SELECT howdah.schedule('s', 'mail', 'report', cron => '0 12 1 * *', zone => 'Europe/Berlin', overlap => 'skip');"
                        + " UPDATE howdah.schedule SET next_at = '2027-01-01 12:00 Europe/Berlin'");
        String page = page("/schedules/s");
        assertThat(page)
                .contains("at 12:00 on the 1st of each month, Europe/Berlin")
                .contains("Fri 2027-01-01 12:00:00", "Thu 2027-04-01 12:00:00")
                .contains("the clocks went forward 1 h")
                .contains("no job is added", "none yet");
        assertThat(page.split("<time ", -1).length).isGreaterThan(10);
        assertThat(client.get("/schedules/none").statusCode()).isEqualTo(404);
    }

    @Test
    void form_isChecked_beforeItStores() {
        String checked =
                page(NEW + "&cron=30%203%20*%20*%20*&zone=Europe/Berlin&queue=night&priority=-5&key=k&overlap=skip");
        assertThat(checked)
                .contains("at 03:30 every day, Europe/Berlin", "Store the schedule", "data-live=\"off\"")
                .doesNotContain("class=\"wrong\"");
        assertThat(value("SELECT count(*) FROM howdah.schedule")).isEqualTo("0");
        HttpResponse<String> stored = client.submit(
                "/schedules/new",
                "/schedules/new",
                "name=nightly&kind=report&payload=%7B%22big%22:12345678901234567890%7D&cron=30%203%20*%20*%20*&zone=Europe/Berlin&queue=night&priority=-5&key=k&overlap=skip");
        assertThat(stored.statusCode()).isEqualTo(303);
        assertThat(stored.headers().firstValue("Location")).hasValue("/schedules/nightly");
        assertThat(
                        value(
                                "SELECT concat_ws(' ', name, queue, kind, payload, cron, zone, priority, key, overlap, missed) FROM howdah.schedule"))
                .isEqualTo(
                        "nightly night report {\"big\":12345678901234567890} 30 3 * * * Europe/Berlin -5 k skip once");
        assertThat(page(NEW + "&cron=@daily")).contains("there is a schedule of this name", "value=\"nightly\"");
    }

    @Test
    void check_byAnAddress_isRefused_andOfALargePayloadIsMade() {
        for (String path :
                new String[] {NEW + "&cron=@daily", "/jobs/new?check=yes&kind=k", "/tasks/new?check=yes&input=x"})
            assertThat(client.get(path).body()).contains("This form is checked by its button only");
        String large = "%7B%22password%22:%22hunter2%22,%22rows%22:%22" + "x".repeat(60_000) + "%22%7D";
        HttpResponse<String> checked = client.submit(
                "/schedules/new", "/schedules/new", "check=yes&name=large&kind=k&cron=@daily&payload=" + large);
        assertThat(checked.statusCode()).isEqualTo(200);
        assertThat(checked.body()).contains("Store the schedule");
    }

    @Test
    void form_wrongValues_areNamedBesideTheirFields() {
        String form = page(
                "/schedules/new?check=yes&name=&kind=&cron=99%20*%20*%20*%20*&zone=Mars/Base&payload=%7Boops&priority=7000&queue="
                        + "%3Cb%3E");
        assertThat(form)
                .contains(
                        "the schedule needs a name",
                        "its jobs need a kind",
                        "this is no JSON (line 1, column 2)",
                        "minute field is")
                .contains("value=\"&lt;b>\"")
                .doesNotContain("Store the schedule");
        assertThat(page(NEW + "&cron=99%20*%20*%20*%20*")).contains("minute field is", "aria-invalid=\"true\"");
        assertThat(page(NEW + "&cron=@daily&zone=Mars/Base")).contains("Mars/Base", "class=\"wrong\"");
        assertThat(page(NEW + "&cron=@daily&every=5m"))
                .contains("either a cron expression or a period is needed, not both");
        assertThat(page(NEW + "&every=soon")).contains("a period is written as 90 s");
        assertThat(page(NEW + "&every=1%20h%2030%20min")).contains("every 1 h 30 min", "Store the schedule");
        assertThat(page(NEW + "&cron=@daily&priority=7000")).contains("priority");
        HttpResponse<String> refused =
                client.submit("/schedules/new", "/schedules/new", "name=x&kind=report&payload=%7Boops&cron=@daily");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("Nothing was stored", "this is no JSON");
        assertThat(value("SELECT count(*) FROM howdah.schedule")).isEqualTo("0");
    }

    @Test
    void edit_keepsWhatTheFormDoesNotHave_andRefusesWhatWasChangedMeanwhile() {
        database.execute(
                "SELECT howdah.schedule('s', 'mail', 'report', '{\"a\": 1}', cron => '0 3 * * *', zone => 'Europe/Berlin',"
                        + " jitter => '20 s', doubled_hour => 'both', options => '{\"tags\": [\"shop\"]}')");
        String edit = "/schedules/s/edit";
        assertThat(page(edit))
                .contains("value=\"0 3 * * *\"", "value=\"Europe/Berlin\"", "{\"a\": 1}</textarea>")
                .contains("value=\"PT20S\"", "<option value=\"both\" selected", "<details class=\"more\" open>");
        String settings =
                "&cron=0%204%20*%20*%20*&zone=Europe/Berlin&kind=report&queue=mail&payload=2&jitter=PT20S&doubled_hour=both";
        String checked = edit + "?check=yes" + settings;
        String html = read(checked).body();
        String version = html.replaceAll("(?s).*name=\"version\" value=\"([0-9a-f]+)\".*", "$1");
        String fields = "version=" + version + settings;
        assertThat(client.submit(edit, edit, fields).statusCode()).isEqualTo(303);
        assertThat(value("SELECT concat_ws(' ', cron, payload, jitter, doubled_hour, options) FROM howdah.schedule"))
                .isEqualTo("0 4 * * * 2 00:00:20 both {\"tags\": [\"shop\"]}");
        HttpResponse<String> late = client.submit(edit, edit, fields);
        assertThat(late.statusCode()).isEqualTo(400);
        assertThat(late.body()).contains("was changed in the meantime");
    }

    @Test
    void calendar_madeByItsForm_isUsedByASchedule() {
        assertThat(page("/calendars")).contains("There are no calendars yet");
        String wrong = client.submit("/calendars/new", "/calendars/new", "name=berlin&days=1.1.2027")
                .body();
        assertThat(wrong).contains("days has to be a day such as 2026-12-25, not \"1.1.2027\"");
        assertThat(page(NEW + "&cron=@daily&calendar=berlin"))
                .contains("there is no calendar \"berlin\" yet", "<details class=\"more\" open>");
        client.submit("/calendars/new", "/calendars/new", "name=berlin&days=2027-01-01%0D%0A2027-12-24,2027-12-25");
        assertThat(page("/calendars")).contains("/calendars/berlin", "class=\"right\">3</td>");
        // A day that another program has added in the meantime stays.
        database.execute("SELECT howdah.add_holidays('berlin', '{2027-05-01}')");
        String before = "&before=2027-01-01%0A2027-12-24%0A2027-12-25";
        client.submit(
                "/calendars/berlin", "/calendars/berlin/edit", "days=2027-01-01%0A2027-12-24%0A2027-12-26" + before);
        assertThat(value("SELECT string_agg(day::text, ' ' ORDER BY day) FROM howdah.holiday"))
                .isEqualTo("2027-01-01 2027-05-01 2027-12-24 2027-12-26");
        assertThat(value("SELECT object FROM howdah.audit WHERE action = 'calendars.edit' AND begun IS NULL"))
                .isEqualTo("calendars/berlin");
        String settings = "&cron=@daily&calendar=berlin&on_holiday=next_day&jitter=5%20min&catch_up=1%20d"
                + "&skipped_hour=skip&from=2027-01-01%2009:00%20%2B01:00";
        assertThat(page(NEW + settings)).contains("Store the schedule");
        client.submit("/schedules/new", "/schedules/new", "name=nightly&kind=report&payload=1" + settings);
        assertThat(
                        value(
                                "SELECT concat_ws(' ', calendar, on_holiday, jitter, catch_up, skipped_hour, starts_at AT TIME ZONE 'UTC') FROM howdah.schedule"))
                .isEqualTo("berlin next_day 00:05:00 24:00:00 skip 2027-01-01 08:00:00");
        assertThat(page(NEW + "&every=1%20min&jitter=5%20min")).contains("is longer than the period");
        assertThat(page(NEW + "&every=1%20min&jitter=soon")).contains("a period is written as 90 s");
        assertThat(client.get("/calendars/none").statusCode()).isEqualTo(404);
    }

    @Test
    void buttons_pauseResumeRunAndRemove() {
        database.execute("SELECT howdah.schedule('s', 'mail', 'report', cron => '0 3 * * *')");
        assertThat(client.submit("/schedules/s", "/schedules/s/pause", "confirmed=yes")
                        .statusCode())
                .isEqualTo(303);
        assertThat(page("/schedules/s")).contains("It is paused");
        assertThat(value("SELECT paused IS NOT NULL FROM howdah.schedule")).isEqualTo("t");
        client.submit("/schedules/s", "/schedules/s/resume", "");
        assertThat(value("SELECT paused IS NULL FROM howdah.schedule")).isEqualTo("t");
        client.submit("/schedules/s", "/schedules/s/run-now", "confirmed=yes");
        assertThat(value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("1");
        client.submit("/schedules/s", "/schedules/s/remove", "confirmed=yes");
        assertThat(value("SELECT count(*) FROM howdah.schedule")).isEqualTo("0");
        assertThat(value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("1");
        for (String verb : new String[] {"pause", "resume", "run-now", "remove"}) {
            HttpResponse<String> answer = client.submit("/schedules/new", "/schedules/s/" + verb, "confirmed=yes");
            assertThat(answer.statusCode()).as(verb).isEqualTo(404);
            assertThat(answer.body()).contains("There is no schedule");
        }
    }

    @Test
    void schedule_namedAsTheForm_isReachable() {
        database.execute("SELECT howdah.schedule('new', 'mail', 'report', cron => '0 3 * * *')");
        assertThat(page("/schedules")).contains("href=\"/schedules/%6Eew\"");
        assertThat(page("/schedules/%6Eew")).contains("Schedule new");
        assertThat(page("/schedules/new")).contains("New schedule");
        assertThat(client.submit("/schedules/%6Eew", "/schedules/%6Eew/pause", "confirmed=yes")
                        .headers()
                        .firstValue("Location"))
                .hasValueSatisfying(path -> assertThat(path).endsWith("/schedules/%6Eew"));
    }

    @Test
    void tasksThatRepeat_areListedAndSchedulesOfThemChanged() {
        ConsoleFixtures.tasks(database);
        database.execute(
                "INSERT INTO task (input, cron, zone, plan) VALUES ('ANALYZE', '30 3 * * MON-FRI', 'Europe/Berlin', now() + interval '1 day');"
                        + " INSERT INTO task (input, repeat, plan) VALUES ('VACUUM', '01:00', now() + interval '1 day');"
                        + " INSERT INTO task (input, plan) VALUES ('SELECT 1', now() + interval '1 day')");
        dev.howdah.task.TaskTable.on(ConsoleFixtures.source(database), "public", "task")
                .schedules()
                .put("night/ly", dev.howdah.task.NewTask.of("SELECT 'night'").cron("@daily"));
        assertThat(page("/schedules"))
                .contains("Tasks that repeat", "at 03:30 from Monday to Friday, Europe/Berlin", "every 01:00:00")
                .contains("night/ly", "task-schedules/night%2Fly/pause")
                .doesNotContain("class=\"problem\"", "href=\"/tasks/3\"");
        String owner = value("SELECT owner FROM task WHERE schedule = 'night/ly'");
        String path = "/task-schedules/night%2Fly/";
        String of = "?owner=" + owner + "&table=public.task";
        assertThat(client.submit("/schedules", path + "pause" + of, "").body())
                .contains("Pause task schedule night/ly?");
        client.submit("/schedules", path + "pause" + of, "confirmed=yes");
        assertThat(page("/schedules")).contains("paused</span>", ">Resume<");
        client.submit("/schedules", path + "resume" + of, "");
        assertThat(page("/schedules")).doesNotContain(">Resume<");
        client.submit("/schedules", path + "run-now" + of, "confirmed=yes");
        assertThat(value("SELECT count(*) FROM task WHERE schedule = 'night/ly'"))
                .isEqualTo("2");
        assertThat(client.submit("/schedules", path + "pause?owner=none&table=public.task", "confirmed=yes")
                        .statusCode())
                .isEqualTo(404);
        client.submit("/schedules", path + "remove" + of, "confirmed=yes");
        assertThat(page("/schedules")).doesNotContain(path);
        assertThat(value(
                        "SELECT message FROM howdah.audit WHERE action = 'task-schedules.remove' AND outcome = 'done'"))
                .isEqualTo("Task schedule night/ly is removed.");
    }

    @Test
    void tableOfTasks_thatIsNotThereYet_leavesThePageWhole() {
        assertThat(page("/schedules")).doesNotContain("class=\"problem\"", "Tasks that repeat");
    }
}
