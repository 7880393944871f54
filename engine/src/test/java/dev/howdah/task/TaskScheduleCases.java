package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.CronSyntaxException;
import dev.howdah.internal.schedule.ZoneNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Schedules of tasks by name, and what is refused when a row with a schedule is written. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TaskScheduleCases {
    private static final String EACH_SECOND = "* * * * * *";

    private final TestDatabase database;
    private final ServedTable tasks;

    TaskScheduleCases(int major) {
        database = TestDatabase.create(TestServer.of(major));
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.functions = 'on'");
        tasks = ServedTable.in(database);
    }

    @AfterAll
    void close() {
        tasks.close();
        database.close();
    }

    private static String newName() {
        return "schedule " + UUID.randomUUID();
    }

    private String call(String function, String arguments) {
        return String.valueOf(tasks.value("SELECT howdah." + function + "(" + arguments + ")"));
    }

    private String put(String name, String cron, String more) {
        return call("cron", "'" + name + "', '" + cron + "', " + more);
    }

    private String listed(String name, String columns) {
        return String.valueOf(tasks.value("SELECT string_agg(concat_ws('|', " + columns
                + "), '; ') FROM howdah.cron_list() WHERE name = '" + name + "'"));
    }

    private long live(String name) {
        return Long.parseLong(String.valueOf(tasks.value("SELECT count(*) FROM task WHERE schedule = '" + name
                + "' AND cron IS NOT NULL AND state IN ('PLAN', 'TAKE', 'WORK')")));
    }

    @Test
    void name_withAControlCharacter_isRefusedOfANewSchedule() {
        assertThatThrownBy(() -> call("cron", "E'a\\x1b[2J', '@daily', 'SELECT 1'"))
                .hasMessageContaining(
                        "the name of a schedule has the character U+001B at position 2: it can have no control"
                                + " characters, and none that change the direction of writing");
        String id = put(newName(), "@daily", "'SELECT 1'");
        tasks.execute("UPDATE task SET schedule = E'a\\n' WHERE id = " + id);
        assertThat(call("cron_pause", "E'a\\n'")).isEqualTo(id);
        assertThat(call("cron_remove", "E'a\\n'")).isEqualTo("t");
    }

    private void awaitRuns(String name, int runs) {
        tasks.awaitTrue("SELECT count(*) >= " + runs + " FROM task WHERE schedule = '" + name + "' AND state = 'DONE'");
    }

    @Test
    void schedule_putAgain_staysTheSame() {
        String name = newName();
        String id = put(name, "0 3 * * *", "'SELECT 1', zone => 'Europe/Berlin'");
        tasks.awaitTrue("SELECT plan > now() AND isfinite(plan) FROM task WHERE id = " + id);
        String plan = tasks.value("SELECT plan FROM task WHERE id = " + id);
        assertThat(put(name, "0 3 * * *", "'SELECT 1', zone => 'Europe/Berlin'"))
                .isEqualTo(id);
        assertThat(tasks.value("SELECT plan FROM task WHERE id = " + id)).isEqualTo(plan);
        assertThat(live(name)).isEqualTo(1);
        assertThat(listed(name, "name, owner, cron, zone, state, id, sql"))
                .isEqualTo(name + "|" + tasks.value("SELECT current_user") + "|0 3 * * *|Europe/Berlin|waiting|" + id
                        + "|SELECT 1");
    }

    @Test
    void schedule_putWithOtherValues_isChanged_andWhatIsLeftOutIsAsByDefault() {
        String name = newName();
        String id = put(name, "0 3 * * *", "'SELECT 1', timeout => '5 s', attempts => 3");
        tasks.awaitTrue("SELECT plan > now() FROM task WHERE id = " + id);
        String plan = tasks.value("SELECT plan FROM task WHERE id = " + id);
        assertThat(put(name, "0 3 * * *", "'SELECT ''it''''s two'''")).isEqualTo(id);
        assertThat(tasks.value("SELECT concat_ws('|', input, timeout, attempts, delete) FROM task WHERE id = " + id))
                .isEqualTo("SELECT 'it''s two'|00:00:00|1|f");
        assertThat(tasks.value("SELECT plan FROM task WHERE id = " + id))
                .as("other SQL, the same time")
                .isEqualTo(plan);
        assertThat(put(name, EACH_SECOND, "'SELECT 3'")).isEqualTo(id);
        awaitRuns(name, 2);
        assertThat(call("cron_remove", "'" + name + "'")).isEqualTo("t");
    }

    @Test
    void schedule_runs_keepsItsHistory_untilItIsRemoved() {
        String name = newName();
        put(name, EACH_SECOND, "'SELECT 1 WHERE false'");
        awaitRuns(name, 2);
        assertThat(live(name)).isEqualTo(1);
        assertThat(listed(name, "last_state, last_start < last_stop, last_error"))
                .isEqualTo("DONE|t");
        assertThat(call("cron_remove", "'" + name + "'")).isEqualTo("t");
        tasks.awaitTrue("SELECT NOT EXISTS (SELECT FROM task WHERE schedule = '" + name
                + "' AND state IN ('PLAN', 'TAKE', 'WORK'))");
        assertThat(listed(name, "name")).isEqualTo("null");
        assertThat(call("cron_remove", "'" + name + "'")).isEqualTo("f");
        assertThat(tasks.value("SELECT count(*) >= 2 FROM task WHERE state = 'DONE' AND schedule = '" + name + "'"))
                .isEqualTo("t");
    }

    @Test
    void schedule_pausedAndResumed() {
        String name = newName();
        String id = put(name, "0 3 1 1 *", "'SELECT 1'");
        assertThat(call("cron_pause", "'" + name + "'")).isEqualTo(id);
        assertThat(call("cron_pause", "'" + name + "'")).isEqualTo(id);
        assertThat(listed(name, "state, next")).isEqualTo("paused");
        put(name, EACH_SECOND, "'SELECT 2'");
        assertThat(listed(name, "state, cron")).as("changed, and paused still").isEqualTo("paused|" + EACH_SECOND);
        String run = call("cron_run", "'" + name + "'");
        assertThat(tasks.ended(Long.parseLong(run)).output()).isEqualTo("2");
        assertThat(live(name)).isEqualTo(1);
        assertThat(listed(name, "state, last_id")).isEqualTo("paused|" + run);
        assertThat(call("cron_resume", "'" + name + "'")).isEqualTo(id);
        awaitRuns(name, 2);
        call("cron_remove", "'" + name + "'");
    }

    @Test
    void schedule_thatRuns_isPausedOrChanged_withoutAnotherChain() {
        for (String change : List.of("pause", "put", "remove")) {
            String name = newName();
            try (ServedTable.Holder gate = tasks.gate()) {
                String id = put(name, "* * * * * *", "$$" + ServedTable.GATED + "$$");
                tasks.working(Long.parseLong(id));
                assertThat(listed(name, "state, next")).isEqualTo("running");
                assertThat(put(name, "* * * * * *", "$$" + ServedTable.GATED + "$$"))
                        .isEqualTo(id);
                if (change.equals("put")) put(name, "0 3 1 1 *", "'SELECT 2'");
                else call("cron_" + change, "'" + name + "'");
            }
            awaitRuns(name, 1);
            assertThat(live(name)).as(change).isEqualTo(change.equals("remove") ? 0 : 1);
            assertThat(listed(name, "state, cron"))
                    .isEqualTo(
                            switch (change) {
                                case "pause" -> "paused|* * * * * *";
                                case "put" -> "waiting|0 3 1 1 *";
                                default -> "null";
                            });
            call("cron_remove", "'" + name + "'");
        }
    }

    @Test
    void schedule_putByManyAtOnce_isOne() throws Exception {
        String name = newName();
        try (Connection first = database.connect();
                Connection second = database.connect()) {
            first.setAutoCommit(false);
            Thread other;
            try (Statement one = first.createStatement()) {
                one.execute("SELECT howdah.cron('" + name + "', '0 3 1 1 *', 'SELECT 1')");
                other = new Thread(() -> {
                    try (Statement two = second.createStatement()) {
                        two.execute("SELECT howdah.cron('" + name + "', '0 3 1 1 *', 'SELECT 2')");
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                });
                other.start();
                tasks.awaitTrue("SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                        + " AND classid = 1215264892"
                        + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
                first.commit();
            }
            other.join();
        }
        assertThat(live(name)).isEqualTo(1);
        assertThat(listed(name, "sql")).isEqualTo("SELECT 2");
        call("cron_remove", "'" + name + "'");
    }

    @Test
    void nonsense_isRefused() {
        assertRefused("SELECT howdah.cron_pause('none')", "has no schedule \"none\"");
        assertRefused("SELECT howdah.cron_run('none', owner => 'app')", "role \"app\" has no schedule \"none\"");
        assertRefused("SELECT howdah.cron('', '@daily', 'SELECT 1')", "a name of 1 to 200 characters, not \"\"");
        assertRefused("SELECT howdah.cron(NULL, '@daily', 'SELECT 1')", "not NULL");
        assertRefused("SELECT howdah.cron('x', '@daily', NULL)", "needs a cron and the SQL to run");
        assertRefused("SELECT howdah.cron('x', '61 * * * *', 'SELECT 1')", "its minute is '61'");
        assertRefused("SELECT howdah.cron('x', '@daily', 'SELECT 1', attempts => 0)", "task_attempts_check");
        assertRefused(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT howdah.cron('x', '@daily', 'SELECT 1')",
                "cannot be changed in a transaction that is repeatable read");
        assertRefused("SELECT task_schedule('drop', '{\"schedule\": \"x\"}')", "null");
    }

    private void assertRefused(String sql, String message) {
        if (message.equals("null")) {
            assertThat(tasks.value(sql)).isNull();
            return;
        }
        assertThatThrownBy(() -> database.execute(sql)).hasStackTraceContaining(message);
    }

    @Test
    void cronAndZone_areCheckedWhenTheRowIsWritten() throws SQLException {
        String[] items = {
            "*",
            "?",
            "0",
            "1",
            "5",
            "7",
            "07",
            "12",
            "23",
            "24",
            "31",
            "32",
            "59",
            "60",
            "*/5",
            "1-5",
            "5-1",
            "1-5/2",
            "7/2",
            "*/0",
            "1/2/3",
            "1-2-3",
            "L",
            "LW",
            "L-3",
            "L-31",
            "L-030",
            "15W",
            "1-5W",
            "32W",
            "5L",
            "FRIL",
            "MON#1",
            "MON#6",
            "1#01",
            "#1",
            "MON",
            "MON-SUN",
            "SUN-MON",
            "FRI-SUN",
            "JAN",
            "DEC-JAN",
            "jan",
            "W",
            "-",
            "1-",
            "/2",
            "00001",
            "99999",
            "X",
            "*W",
            "?L",
            "MON-FRI/2",
            "MON,,FRI",
            "1,2,3",
            "*,L",
            "L,15W"
        };
        Random random = new Random(42);
        int agreed = 0;
        try (Connection connection = database.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO task (input, plan, cron) VALUES ('SELECT 1', 'infinity', ?)")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 4_000; i++) {
                int fields = 4 + random.nextInt(20) / 6;
                StringBuilder text = new StringBuilder();
                int odd = random.nextInt(fields);
                for (int field = 0; field < fields; field++)
                    text.append(field == odd || random.nextInt(6) == 0 ? items[random.nextInt(items.length)] : "*")
                            .append(' ');
                String cron = text.toString();
                insert.setString(1, cron);
                assertThat(isTaken(connection, insert)).as(cron).isEqualTo(isCron(cron));
                agreed++;
            }
        }
        assertThat(agreed).isEqualTo(4_000);
    }

    private static boolean isCron(String text) {
        try {
            CronSchedule.parse(text);
            return true;
        } catch (CronSyntaxException e) {
            // Whether such a day exists is seen later.
            return String.valueOf(e.getMessage()).contains("there is no such day");
        }
    }

    private static boolean isTaken(Connection connection, PreparedStatement insert) throws SQLException {
        try {
            insert.execute();
            return true;
        } catch (SQLException e) {
            return false;
        } finally {
            connection.rollback();
        }
    }

    @Test
    void zone_isCheckedWhenTheRowIsWritten() throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO task (input, plan, cron, zone) VALUES ('SELECT 1', 'infinity', '@daily', ?)")) {
            connection.setAutoCommit(false);
            for (String zone : List.of(
                    "UTC",
                    "utc",
                    "Europe/Berlin",
                    "america/new_york",
                    "CET",
                    "EST5EDT",
                    "Etc/GMT+3",
                    "GMT",
                    "Asia/Kathmandu",
                    "UTC+3",
                    "+3",
                    "-05:00",
                    "PST",
                    "CEST",
                    "Mars/Olympus",
                    "",
                    "EST",
                    "MST7MDT",
                    "Japan",
                    "Zulu")) {
                insert.setString(1, zone);
                boolean known = true;
                try {
                    ZoneNames.zone(zone);
                } catch (IllegalArgumentException e) {
                    known = false;
                }
                assertThat(isTaken(connection, insert)).as(zone).isEqualTo(known);
            }
        }
        assertRefused("INSERT INTO task (input, cron) VALUES ('SELECT 1', '0 3 * *')", "it has 4 fields");
        assertRefused(
                "UPDATE task SET zone = 'Nowhere/None' WHERE id = " + tasks.add("SELECT 1", "cron", "@daily"),
                "zone 'Nowhere/None' is none");
    }
}
