package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskSchedules;
import dev.howdah.task.TaskTable;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah import} beside a real pg_cron and a real pgAgent; skipped where their packages are missing. */
@Tag("long")
class ImportCommandsTest {
    @TempDir
    static Path directory;

    private static DebianPostgres server;
    private static TaskScheduler scheduler;
    private static TaskTable tasks;

    @BeforeAll
    static void serve() throws Exception {
        server = DebianPostgres.start(directory);
        server.execute("CREATE EXTENSION pg_cron; CREATE EXTENSION pgagent; CREATE ROLE reporter LOGIN");
        scheduler = TaskScheduler.on(Database.of(server.uri())).start();
        assertThat(scheduler.awaitServed(Duration.ofSeconds(60))).isTrue();
        tasks = TaskTable.on(Database.of(server.uri()), "public", "task");
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (scheduler != null) scheduler.close();
        if (server != null) server.close();
    }

    private static CommandLineRun howdah(String... words) {
        List<String> all = new ArrayList<>(List.of("import"));
        all.addAll(List.of(words));
        all.addAll(List.of("--url", server.uri()));
        return CommandLineRun.of("", Map.of(), all.toArray(String[]::new));
    }

    /** The lines of a table by the names of its schedules, with blanks put together. */
    private static Map<String, String> results(String... words) {
        CommandLineRun run = howdah(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out()
                .lines()
                .filter(line -> line.contains("\"job\""))
                .collect(Collectors.toMap(
                        line -> line.replaceFirst(".*\"name\":\"([^\"]*)\".*", "$1"),
                        line -> line.replaceFirst(".*?,\"owner\":", "")));
    }

    private static TaskSchedules.Entry there(String name) {
        return tasks.schedules().list().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void pgCron_jobs_becomeSchedulesOnce() throws Exception {
        server.execute("SELECT cron.schedule('nightly', '30 3 * * 1-5', 'VACUUM');"
                + " SELECT cron.schedule('0 5 1 * *', 'SELECT current_user');"
                + " SELECT cron.schedule_in_database('there', '0 5 * * *', 'SELECT 1', 'template1');"
                + " SELECT cron.schedule('both days', '0 5 */2 * 1', 'SELECT 1');"
                + " SELECT cron.schedule('boot', '@reboot', 'SELECT 1');"
                + " SELECT cron.schedule('far', '0 5 * * *', 'SELECT 1');"
                + " UPDATE cron.job SET username = 'reporter' WHERE jobname IS NULL;"
                + " UPDATE cron.job SET nodename = 'db2.example' WHERE jobname = 'far';"
                // The forms of later versions of pg_cron.
                + " INSERT INTO cron.job (jobname, schedule, command, active) VALUES ('half', '30 seconds', 'SELECT 1', false),"
                + " ('seven', '7 seconds', 'SELECT 1', false), ('last', '0 0 $ * *', 'SELECT 1', false)");
        String unnamed = "pg_cron " + server.value("SELECT jobid FROM cron.job WHERE jobname IS NULL");
        Map<String, String> planned = results("pg_cron", "--dry-run", "--json");
        assertThat(tasks.schedules().list()).noneMatch(each -> each.name().equals("nightly"));
        assertThat(planned.get("nightly"))
                .isEqualTo(
                        "\"postgres\",\"cron\":\"30 3 * * 1-5\",\"zone\":\"UTC\",\"result\":\"to be added\",\"note\":null}");
        assertThat(planned.get("there")).contains("\"left\"", "it runs in database \\\"template1\\\"");
        assertThat(planned.get("both days")).contains("0 5 */2 * 1", "to be added");
        assertThat(planned.get("boot")).contains("\"left\"", "start of a server");
        assertThat(planned.get("far")).contains("\"left\"", "db2.example:");
        assertThat(planned.get("seven")).contains("\"left\"", "repeat = '7 s'");
        assertThat(planned.get("half")).contains("*/30 * * * * *", "to be added", "paused, as it is there");
        assertThat(planned.get("last")).contains("0 0 L * *");

        String imported = howdah("pg_cron").out();
        assertThat(imported)
                .contains("They run there as well, until (or --disable-source):", "SELECT cron.alter_job(")
                .doesNotContain("failed");
        assertThat(there("nightly").sql()).isEqualTo("VACUUM");
        assertThat(there("nightly").zone()).isEqualTo("UTC");
        assertThat(there(unnamed).owner()).isEqualTo("reporter");
        assertThat(there("half").state()).as(imported).isEqualTo(TaskSchedules.State.PAUSED);
        long before = there("nightly").id();
        assertThat(results("pg_cron", "--json").get("nightly")).contains("unchanged");

        server.execute("UPDATE cron.job SET schedule = '45 3 * * *' WHERE jobname = 'nightly'");
        assertThat(results("pg_cron", "--disable-source", "--json").get("nightly"))
                .contains("changed", "disabled there");
        assertThat(server.value("SELECT string_agg(jobname, ',' ORDER BY jobname) FROM cron.job WHERE active"))
                .isEqualTo("boot,far,there");
        results("pg_cron", "--json");
        assertThat(there("nightly"))
                .extracting(
                        TaskSchedules.Entry::id,
                        TaskSchedules.Entry::cron,
                        each -> each.state() == TaskSchedules.State.PAUSED)
                .containsExactly(before, "45 3 * * *", false);

        long run = tasks.schedules().run(unnamed, "reporter").orElseThrow();
        await().atMost(Patience.LIMIT)
                .untilAsserted(
                        () -> assertThat(tasks.find(run).orElseThrow().output()).isEqualTo("reporter"));
    }

    @Test
    void pgCron_tableThatIsNoneOfTheExtension_isRefused() throws Exception {
        server.execute("CREATE DATABASE trap");
        CommandLineRun run = howdah("pg_cron", "--source", server.uri().replaceFirst("/postgres$", "/trap"));
        assertThat(run.exitCode()).isOne();
        assertThat(run.err()).contains("there is no table cron.job in ", "--source names the database");
        CommandLineRun fake = CommandLineRun.of(
                "",
                Map.of(),
                "sql",
                "CREATE SCHEMA cron; CREATE TABLE cron.job AS SELECT 1 AS jobid, 'x' AS jobname, 'postgres' AS username",
                "--url",
                server.uri().replaceFirst("/postgres$", "/trap"));
        assertThat(fake.exitCode()).as(fake.err()).isZero();
        assertThat(howdah("pg_cron", "--source", server.uri().replaceFirst("/postgres$", "/trap"))
                        .err())
                .contains("does not belong to the extension pg_cron");
        assertThat(howdah("pg_cron", "--zone", "Nowhere").err()).contains("--zone: ");
        assertThat(howdah("pg_cron", "--source", "nonsense").err()).contains("--source: ");
        assertThat(howdah("pgagent").exitCode()).isEqualTo(2);
    }

    private static void job(String name, String steps, String schedules) throws Exception {
        server.execute("SET timezone = 'UTC'; WITH j AS (INSERT INTO pgagent.pga_job (jobjclid, jobname) VALUES (1, '"
                + name + "') RETURNING jobid), t AS (INSERT INTO pgagent.pga_jobstep"
                + " (jstjobid, jstname, jstkind, jstcode, jstdbname, jstconnstr, jstonerror) SELECT jobid, s.* FROM j, (VALUES "
                + steps + ") s)"
                + " INSERT INTO pgagent.pga_schedule (jscjobid, jscname, jscstart, jscend, jscminutes, jschours, jscweekdays, jscmonthdays)"
                + " SELECT jobid, s.* FROM j, (VALUES " + schedules + ") s");
    }

    /** An array of truth values with those places set, the first is 0. */
    private static String set(int size, Integer... places) {
        List<Integer> all = List.of(places);
        return java.util.stream.IntStream.range(0, size)
                .mapToObj(i -> all.contains(i) ? "t" : "f")
                .collect(Collectors.joining(",", "'{", "}'::bool[]"));
    }

    private static String schedule(String name, String end, String hours, String weekDays, String monthDays) {
        String minutes = name.isEmpty() ? set(60, 45) : set(60, 15, 16, 17, 45);
        return "('" + name + "', timestamptz '2020-01-01 00:00Z', " + end + "::timestamptz, " + minutes + ", " + hours
                + ", " + weekDays + ", " + monthDays + ")";
    }

    @Test
    void pgAgent_jobs_becomeSchedulesThatRunAtTheSameTimes() throws Exception {
        String daily = schedule("", "NULL", set(24, 3), set(7), set(32));
        String sql = "'postgres', '', 'f')";
        job(
                "one",
                "('s', 's', 'SELECT ''a\\b''', " + sql,
                schedule("weekly", "NULL", set(24, 3, 4), set(7, 0, 6), set(32)));
        job("last day", "('s', 's', 'SELECT 1', " + sql, schedule("", "NULL", set(24), set(7), set(32, 0, 31)));
        job(
                "steps",
                "('1', 's', 'CREATE TABLE step_one AS SELECT ''it''''s \\ one'' AS said', " + sql
                        + ", ('2', 's', 'CREATE TABLE step_two AS SELECT * FROM step_one', " + sql,
                daily);
        job("script", "('1', 's', 'SELECT 1', " + sql + ", ('2', 'b', 'rm -rf /', '', '', 'f')", daily);
        job("string", "('1', 's', 'SELECT 1', '', 'host=db2 password=geheim', 'f')", daily);
        job("goes on", "('1', 's', 'SELECT 1', 'postgres', '', 'i'), ('2', 's', 'SELECT 2', " + sql, daily);
        job("days", "('s', 's', 'SELECT 1', " + sql, schedule("", "NULL", set(24, 3), set(7, 1), set(32, 4)));
        job("first", "('s', 's', 'SELECT 1', " + sql, schedule("", "NULL", set(24, 3), set(7, 1), set(32, 0, 1)));
        job("ended", "('s', 's', 'SELECT 1', " + sql, schedule("", "'2021-01-01'", set(24, 3), set(7), set(32)));
        job("holidays", "('s', 's', 'SELECT 1', " + sql, daily);
        job("off", "('s', 's', 'SELECT 1', " + sql, daily);
        server.execute("INSERT INTO pgagent.pga_exception (jexscid, jexdate) SELECT jscid, '2027-12-25' FROM"
                + " pgagent.pga_schedule JOIN pgagent.pga_job ON jobid = jscjobid WHERE jobname = 'holidays';"
                + " UPDATE pgagent.pga_job SET jobenabled = false WHERE jobname = 'off'");

        CommandLineRun printed = howdah("pgagent", "--zone", "UTC", "--dry-run");
        assertThat(printed.out()).contains("to be added").doesNotContain("geheim", "rm -rf");
        Map<String, String> results = results("pgagent", "--zone", "UTC", "--json");
        assertThat(results.get("one / weekly")).contains("\"15-17,45 3,4 * * 0,6\"", "\"added\"");
        assertThat(results.get("last day")).contains("\"45 * 1,L * *\"", "\"added\"");
        assertThat(results.get("steps")).contains("\"added\"", "2 steps");
        assertThat(results.get("script")).contains("\"left\"", "step \\\"2\\\" is a batch step");
        assertThat(results.get("string")).contains("\"left\"", "a string of its own");
        assertThat(results.get("goes on")).contains("\"left\"", "step \\\"1\\\" goes on after an error");
        assertThat(results.get("days")).contains("\"left\"", "both the day");
        assertThat(results.get("first")).contains("\"45 3 */100,1,2 * 1\"", "\"added\"");
        assertThat(results.get("ended")).contains("\"left\"", "it ended at 2021-01-01");
        assertThat(results.get("holidays")).contains("\"left\"", "2027-12-25");
        assertThat(results.get("off")).contains("\"added\"", "paused, as it is there");
        assertThat(results("pgagent", "--zone", "UTC", "--json").values())
                .noneMatch(each -> each.contains("\"added\"") || each.contains("\"changed\""));

        // With more than one minute pgAgent may leave the first ones of the next day out.
        OffsetDateTime next = OffsetDateTime.parse(Objects.requireNonNull(
                server.value("SELECT to_char(jobnextrun AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                        + " FROM pgagent.pga_job WHERE jobname = 'steps'")));
        await().atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(there("steps").next()).isEqualTo(next.toInstant()));
        tasks.schedules().run("steps", null);
        await().atMost(Patience.LIMIT)
                .ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(server.value("SELECT said FROM step_two")).isEqualTo("it's \\ one"));

        results("pgagent", "--zone", "UTC", "--disable-source", "--json");
        assertThat(server.value("SELECT count(*) FROM pgagent.pga_schedule WHERE NOT jscenabled"))
                .isEqualTo("4");
    }
}
