package dev.howdah.task;

import static dev.howdah.task.ServedTable.GATED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The next run of a task that repeats. The database's zone has a summer time, the program's has none. */
@PostgresTest
class TaskRepeatTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        database.execute("ALTER DATABASE " + database.name() + " SET TimeZone = 'Europe/Berlin'");
        tasks = ServedTable.in(database);
        database.execute("ALTER TABLE task ADD keeper text, ADD size int GENERATED ALWAYS AS (length(keeper)) STORED,"
                + " ADD number int GENERATED ALWAYS AS IDENTITY, ADD \"Odd \"\"name\" text");
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    /** The group of a task that has run once, or expired. */
    private static String ran(String columns, String values) {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", " + columns + ") VALUES ('" + group + "', " + values + ")");
        tasks.idle(group);
        return group;
    }

    /** How much later than its task the repeat is planned, or another expression of both: {@code t} and {@code r}. */
    private static String repeat(String group, String expression) {
        return String.valueOf(
                tasks.value("SELECT " + expression + " FROM task r JOIN task t ON r.parent = t.id WHERE r.\"group\" = '"
                        + group + "' AND r.state = 'PLAN'"));
    }

    @Test
    void repeat_taskEnded_isANewRow() {
        String group = ran("input, repeat", "'SELECT 1', '1 h'");
        assertThat(
                        repeat(
                                group,
                                "concat_ws('|', t.state, t.output, r.plan - t.plan, r.start, r.stop, r.pid, r.output, r.error)"))
                .isEqualTo("DONE|1|01:00:00");
        assertThat(tasks.all(group, "state")).isEqualTo("DONE|PLAN");
    }

    @Test
    void repeat_columns_areCopied() {
        String group = ran(
                "input, repeat, active, live, timeout, count, max, delete, drift, header, save, string, delimiter, escape,"
                        + " quote, data, \"null\"",
                "'SELECT 1', '1 h', '2 h', '3 s', '4 s', 5, 6, false, true, false, true, false, ';', '\\', '\"', 'my data', 'nil'");
        String columns =
                "concat_ws('|', input, repeat, active, live, timeout, count, max, delete, drift, header, save, string,"
                        + " delimiter, escape, quote, data, \"null\", remote)";
        assertThat(tasks.value("SELECT count(DISTINCT " + columns + ") || '/' || count(*) FROM task WHERE \"group\" = '"
                        + group + "'"))
                .isEqualTo("1/2");
    }

    @Test
    void repeat_columnsOfTheUser_areCopiedUnlessGenerated() { // a generated column breaks the
        // extension
        String group = ran("input, repeat, keeper, \"Odd \"\"name\"", "'SELECT 1', '1 h', 'me', 'x'");
        assertThat(repeat(group, "concat_ws('|', r.keeper, r.size, r.\"Odd \"\"name\", r.number > t.number)"))
                .isEqualTo("me|2|x|t");
    }

    @Test
    void repeat_columnAddedMeanwhile_isCopied() {
        String group = tasks.newGroup();
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            long id = tasks.add(GATED, "group", group, "repeat", "1 h");
            tasks.working(id);
            tasks.execute(
                    "ALTER TABLE task ADD late text DEFAULT 'default'; UPDATE task SET late = 'set' WHERE id = " + id);
        }
        tasks.idle(group);
        assertThat(repeat(group, "r.late")).isEqualTo("set");
    }

    @Test
    void repeat_taskLeavesNothing_isMadeAllTheSame() {
        String group = ran("input, repeat", "'SELECT 1 WHERE false', '1 h'");
        assertThat(tasks.all(group, "state")).isEqualTo("PLAN");
        assertThat(tasks.all(group, "parent < id AND NOT EXISTS (SELECT FROM task p WHERE p.id = task.parent)"))
                .isEqualTo("true");
    }

    @Test
    void repeat_taskFails_isMadeAllTheSame() {
        assertThat(repeat(ran("input, repeat", "'SELECT 1/0', '1 h'"), "t.state || ' ' || (r.plan - t.plan)"))
                .isEqualTo("FAIL 01:00:00");
    }

    @Test
    void repeat_taskCannotConnect_isMadeAllTheSame() { // also after connection failure
        assertThat(repeat(
                        ran("input, repeat, remote", "'SELECT 1', '1 h', 'host=127.0.0.1 port=1'"),
                        "t.state || ' ' || (r.plan - t.plan)"))
                .isEqualTo("FAIL 01:00:00");
    }

    @Test
    void repeat_everySecondOrSo_keepsToItsGrid() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1", "group", group, "repeat", "0.3 s");
        tasks.awaitTrue(
                "SELECT count(*) FILTER (WHERE state = 'DONE') >= 4 FROM task WHERE \"group\" = '" + group + "'");
        end(group);
        assertThat(tasks.value(
                        "SELECT bool_and(mod(extract(epoch FROM plan - before)::numeric, 0.3) = 0 AND parent = last AND start >= plan) FROM"
                                + " (SELECT *, lag(plan) OVER w AS before, lag(id) OVER w AS last FROM task WHERE \"group\" = '"
                                + group
                                + "' AND state = 'DONE' WINDOW w AS (ORDER BY id)) x WHERE before IS NOT NULL"))
                .isEqualTo("t");
    }

    /** Ends a chain: nothing of it waits or runs any more. */
    private static void end(String group) {
        tasks.awaitTrue("WITH ended AS (UPDATE task SET repeat = '0' WHERE \"group\" = '" + group
                + "' AND repeat > '0' RETURNING 1) SELECT NOT EXISTS (SELECT FROM ended) AND NOT EXISTS (SELECT FROM task WHERE"
                + " \"group\" = '" + group + "' AND state IN ('PLAN', 'TAKE', 'WORK'))");
    }

    @ParameterizedTest
    @CsvSource({
        "50 min 1 s, 20 min, 01:00:00",
        "130 min, 1 h, 03:00:00",
        "40 min, 20 min, 01:00:00",
        "1 s, 1 day, 24:00:00",
        "100 days, 37 s, smallest",
        "9 years, 0.5 s, smallest",
        "3 days 1 s, 1 day 1 h, smallest",
        "400 days, 1 mon 1 day 1 h, smallest",
        "90 years, 1 mon, smallest",
        "1900 years, 1 h, smallest",
    })
    void repeat_late_skipsToTheFirstPointAhead(String late, String repeat, String after) {
        String group = ran(
                "input, plan, repeat, active",
                "'SELECT 1', now() - interval '" + late + "', '" + repeat + "', '3000 years'");
        if (after.equals("smallest")) {
            // No point of plan + n * repeat lies between the end of the task and the repeat's plan.
            // A repeat in half a second may run, and be repeated, before this looks.
            assertThat(tasks.value("SELECT r.plan > t.stop AND r.plan - r.repeat <= t.stop + interval '1 s' + CASE"
                            + " WHEN r.repeat >= '1 mon' THEN interval '3 days' ELSE '1 h' END * (r.repeat >= '1 day')::int"
                            + " FROM task r JOIN task t ON r.parent = t.id WHERE t.\"group\" = '" + group
                            + "' ORDER BY t.id LIMIT 1"))
                    .isEqualTo("t");
        } else {
            assertThat(repeat(group, "justify_interval(r.plan - t.plan) = interval '" + after + "'"))
                    .isEqualTo("t");
        }
    }

    @Test
    void repeat_withDrift_countsFromTheEnd() {
        String group =
                ran("input, plan, repeat, drift", "'SELECT pg_sleep(0.3)', now() - interval '50 min', '20 min', true");
        assertThat(repeat(group, "r.plan - t.stop BETWEEN '20 min' AND '20 min 1 s'"))
                .isEqualTo("t");
    }

    @Test
    void repeat_monthly_comesOnThe31stWhereThereIsOne() {
        String group = ran("input, plan, repeat, active", "'SELECT 1', '2025-01-31 12:00', '1 mon', '1000 years'");
        assertThat(
                        repeat(
                                group,
                                "(r.plan AT TIME ZONE 'Europe/Berlin')::date = LEAST((date_trunc('month', r.plan AT TIME ZONE"
                                        + " 'Europe/Berlin') + interval '1 mon - 1 day')::date, (date_trunc('month', r.plan AT TIME ZONE"
                                        + " 'Europe/Berlin') + interval '30 days')::date) AND r.plan > now() AND r.plan < now() + interval '32 days'"))
                .isEqualTo("t");
    }

    @ParameterizedTest
    @CsvSource({"2024-07-15, 1 day", "2024-07-15, 1 mon"})
    void repeat_daily_keepsTheHourOfTheDatabasesZone(String day, String repeat) { // summer and winter
        String group = ran(
                "input, plan, repeat, active",
                "'SELECT 1', timestamptz '" + day + " 12:34 Europe/Berlin', '" + repeat + "', '1000 years'");
        assertThat(repeat(group, "to_char(r.plan AT TIME ZONE 'Europe/Berlin', 'HH24:MI:SS')"))
                .isEqualTo("12:34:00");
        assertThat(repeat(group, "r.plan > t.stop AND r.plan <= t.stop + r.repeat"))
                .isEqualTo("t");
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"2024-01-15, 1 day", "2024-01-15, 7 days", "2024-01-15, 1 year"})
    void repeat_ofOtherPeriods_keepsTheHourOfTheDatabasesZone(String day, String repeat) {
        repeat_daily_keepsTheHourOfTheDatabasesZone(day, repeat);
    }

    @Test
    void repeat_hourly_countsRealHours() { // not those of the clock on the wall
        String group =
                ran("input, plan, repeat, active", "'SELECT 1', timestamptz '2024-01-15 12:34Z', '24 h', '1000 years'");
        assertThat(repeat(group, "to_char(r.plan AT TIME ZONE 'UTC', 'HH24:MI')"))
                .isEqualTo("12:34");
    }

    @Test
    void repeat_ofAMicrosecond_breaksNothing() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, repeat, plan, active) VALUES ('" + group
                + "', 'SELECT 1', '1 us', now() - interval '5 years', '10 years')");
        tasks.awaitTrue("SELECT count(*) > 5 FROM task WHERE \"group\" = '" + group + "' AND state = 'DONE'");
        assertThat(tasks.run("SELECT 2").output()).isEqualTo("2");
        end(group);
        assertThat(tasks.value(
                        "SELECT count(*) FILTER (WHERE state = 'DONE') = count(*) AND count(*) - count(parent) = 1 FROM task"
                                + " WHERE \"group\" = '" + group + "'"))
                .isEqualTo("t");
    }

    @Test
    void repeat_beyondTheEndOfTime_failsInItsRowOnly() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, repeat, max) VALUES ('" + group
                + "', 'SELECT 1', '293000 years', 1), ('" + group + "', 'SELECT 2', '1 h', 1), ('" + group
                + "', 'SELECT 3', '0', 1)");
        tasks.idle(group);
        assertThat(tasks.all(group, "state || COALESCE(output, '')")).isEqualTo("FAIL1|DONE2|DONE3|PLAN");
        assertThat(tasks.all(group, "split_part(error, E'\\n', 1)"))
                .startsWith("ERROR:  the end of the task could not be written: ERROR: timestamp out of range");
    }

    @Test
    void repeat_infinite_waitsForEver() { // intervals are infinite since PostgreSQL 17
        assumeTrue(TestServer.shared().isAtLeast(17), "intervals have an infinity from PostgreSQL 17 on");
        assertThat(repeat(ran("input, repeat", "'SELECT 1', 'infinity'"), "r.plan"))
                .isEqualTo("infinity");
    }

    @Test
    void repeat_planMinusInfinity_countsFromNow() {
        String group = ran("input, plan, repeat, max", "'SELECT 1', '-infinity', '1 h', -1");
        assertThat(repeat(group, "r.plan - t.stop BETWEEN '1 h' AND '1 h 1 s'")).isEqualTo("t");
    }

    @Test
    void repeat_setWhileTheTaskRuns_counts() { // read at the end
        String group = tasks.newGroup();
        long on;
        try (var holder = new ServedTable.Holder(tasks.database(), "SELECT pg_advisory_xact_lock(148)")) {
            String waits = "SELECT pg_advisory_xact_lock_shared(148)";
            on = tasks.add(waits, "group", group, "max", "1");
            long off = tasks.add(waits, "group", group, "max", "1", "repeat", "1 h");
            tasks.working(on);
            tasks.working(off);
            tasks.execute("UPDATE task SET repeat = '1 h' - repeat WHERE \"group\" = '" + group + "'");
        }
        tasks.idle(group);
        assertThat(tasks.all(group, "parent = " + on)).isEqualTo("-|-|true");
    }

    @Test
    void repeat_stopped_endsTheChain() {
        String group = ran("input, repeat", "'SELECT 1', '3 s'");
        tasks.execute("UPDATE task SET state = 'STOP' WHERE \"group\" = '" + group + "' AND state = 'PLAN'");
        tasks.awaitTrue("SELECT plan < clock_timestamp() - interval '0.2 s' FROM task WHERE \"group\" = '" + group
                + "' AND state = 'STOP'");
        assertThat(tasks.all(group, "state")).isEqualTo("DONE|STOP");
    }

    @Test
    void repeat_withPlanAhead_goesOnFromThere() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, plan, repeat) VALUES ('" + group
                + "', 'SELECT 1', clock_timestamp() + interval '0.4 s', '1 h')");
        tasks.awaitTrue("SELECT count(*) = 2 FROM task WHERE \"group\" = '" + group + "'");
        assertThat(repeat(group, "t.start >= t.plan AND r.plan - t.plan = '1 h'"))
                .isEqualTo("t");
    }
}
