package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A task sees the settings of its database and role, nothing of the program that runs it. */
@PostgresTest
class TaskEnvironmentTest {
    @Test
    void settings_ofDatabaseAndRole_areTheTasks(TestDatabase database) {
        String role = database.name() + "_owner";
        database.execute("CREATE ROLE " + role + " SUPERUSER LOGIN; ALTER ROLE " + role
                + " SET DateStyle = 'German'; ALTER DATABASE " + database.name() + " SET TimeZone = 'America/New_York';"
                + "ALTER DATABASE " + database.name() + " SET IntervalStyle = 'iso_8601';"
                + "ALTER DATABASE " + database.name() + " SET search_path = nowhere, public;"
                + "ALTER DATABASE " + database.name() + " SET extra_float_digits = -3;"
                + "ALTER DATABASE " + database.name() + " SET statement_timeout = '1s';");
        String uri = database.uri().replace("postgres@", role + "@");
        assertThat(TimeZone.getDefault().getID()).isNotEqualTo("America/New_York");
        try (ServedTable tasks = ServedTable.begin(
                        database, uri, "public", "task", how -> how.rights(TaskRights.SCHEDULER))
                .active()) {
            assertThat(tasks.run("SELECT timestamptz '2020-07-01 12:00:00Z'").output())
                    .isEqualTo("01.07.2020 08:00:00 EDT");
            assertThat(tasks.run("SHOW TimeZone; SHOW search_path; SHOW client_encoding; SELECT current_user")
                            .output())
                    .isEqualTo("America/New_York\nnowhere, public\nUTF8\n" + role);
            assertThat(tasks.run("SELECT interval '90 s', 0.1::float8 + 0.2", "header", "off")
                            .output())
                    .isEqualTo("PT1M30S\t0.3");
            // a timeout of 0 is none at all, whatever the database says.
            assertThat(tasks.run("SELECT 1 FROM pg_sleep(1.3)").output()).isEqualTo("1");
        }
        database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }

    @Test
    void output_bytesThatAreNoText_areRefusedOrReplaced(TestDatabase database) throws SQLException {
        String name = database.name() + "_ascii";
        database.execute("CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'");
        Database ascii = Database.of(database.uri().replace(database.name(), name));
        TaskTable tasks = TaskTable.on(ascii, "public", "task");
        CountDownLatch active = new CountDownLatch(1);
        try (TaskScheduler scheduler = TaskScheduler.on(ascii)
                .listener(new TaskScheduler.Listener() {
                    @Override
                    public void active() {
                        active.countDown();
                    }
                })
                .start()) {
            assertThat(scheduler).isNotNull();
            await().atMost(Patience.LIMIT).until(() -> active.getCount() == 0);
            long refused = tasks.add("SELECT 1; SELECT E'a\\xffb'");
            long replaced = tasks.add("SET client_encoding = 'SQL_ASCII'; SELECT E'a\\xffb'; SELECT E'\\xc3\\xa4'");
            await().atMost(Patience.LIMIT)
                    .until(() -> tasks.state(replaced).orElseThrow().ended());
            assertThat(tasks.find(refused).orElseThrow().error())
                    .startsWith("ERROR:  invalid byte sequence for encoding \"UTF8\": 0xff");
            assertThatRowsThatAreNoTextFailAlone(ascii, tasks);
            // Version 13 reports the new encoding before the rows, later ones behind them; SQL_ASCII is read byte by
            // byte.
            assertThat(tasks.find(replaced).orElseThrow().output())
                    .isEqualTo(database.server().isAtLeast(14) ? "SET\na\ufffdb\nä" : "SET\na\u00ffb\n\u00c3\u00a4");
        }
        database.execute("DROP DATABASE " + name + " WITH (FORCE)");
    }

    /** An error in that row, nobody else notices. */
    private static void assertThatRowsThatAreNoTextFailAlone(Database ascii, TaskTable tasks) throws SQLException {
        long good;
        try (Connection connection = ascii.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN; INSERT INTO task (\"group\", input, remote, \"null\") VALUES"
                    + " (E'\\xff', 'SELECT 1', NULL, ''), ('g', 'SELECT 2', E'host=\\xff', ''), ('g',"
                    + " E'SELECT \\'\\xff\\'', NULL, ''), ('h', 'SELECT NULL', NULL, E'\\xff')");
            good = tasks.add(NewTask.of("SELECT 3").column("group", "g"));
            statement.execute("COMMIT");
            // A row that cannot be read ends by a statement of its own, and delays no other.
            for (long task = good - 4; task <= good; task++) {
                long each = task;
                await().atMost(Patience.LIMIT)
                        .until(() -> tasks.state(each).orElseThrow().ended());
            }
            try (ResultSet rows =
                    statement.executeQuery("SELECT string_agg(state || ' ' || output || ' ' || error, '|')"
                            + " FROM task WHERE id < " + good + " AND id >= " + good + " - 4")) {
                rows.next();
                assertThat(rows.getString(1).split("\\|"))
                        .hasSize(4)
                        .allSatisfy(
                                each -> assertThat(each)
                                        .startsWith(
                                                "FAIL  ERROR:  invalid byte sequence for encoding \"UTF8\": 0xff\nDETAIL:  A column of this row cannot be read: "));
            }
        }
        assertThat(tasks.find(good).orElseThrow().output()).isEqualTo("3");
    }
}
