package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No role can take the ids of other tasks, and none that are taken all the same keep others from going on. */
class TaskIdTest {
    private static String as(TestDatabase database, String role, String... sql) throws SQLException {
        try (Connection connection = Database.of(database.uri())
                        .withUser(database.name() + role)
                        .connect();
                Statement statement = connection.createStatement()) {
            String last = "";
            for (String each : sql) {
                if (!statement.execute(each)) continue;
                try (ResultSet rows = statement.getResultSet()) {
                    last = rows.next() ? String.valueOf(rows.getString(1)) : "";
                }
            }
            return last;
        }
    }

    private static void roles(TestDatabase database) {
        for (String role : new String[] {"_mallory", "_victim"})
            database.execute(
                    "CREATE ROLE $r LOGIN; GRANT SELECT, INSERT ON task TO $r; GRANT USAGE ON SEQUENCE task_id_seq TO $r"
                            .replace("$r", database.name() + role));
    }

    private static void drop(TestDatabase database) {
        for (var login : database.query("SELECT m.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member"
                + " JOIN pg_roles o ON o.oid = a.roleid WHERE o.rolname LIKE '" + database.name() + "%'"))
            database.execute("DROP OWNED BY " + login.get(0) + "; DROP ROLE " + login.get(0));
        for (String role : new String[] {"_mallory", "_victim"})
            database.execute(
                    "DROP OWNED BY " + database.name() + role + " CASCADE; DROP ROLE " + database.name() + role);
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void parent_ofATaskThatSaysItWasAnother_isTheOneThatRan(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                ServedTable tasks = ServedTable.in(database)) {
            roles(database);
            for (String lie : new String[] {
                "SET pg_task.id = 5",
                "SELECT set_config('pg_task.id', '5', true)",
                "SELECT set_config('pg_task.id', '5', false)",
                "DO $$ BEGIN SET LOCAL pg_task.id = 5; INSERT INTO task (input, \"group\") VALUES ('SELECT 2', 'child'); END $$"
            }) {
                String group = tasks.newGroup();
                as(
                        database,
                        "_mallory",
                        "INSERT INTO task (\"group\", count, input) VALUES ('" + group + "', 2, $x$" + lie
                                + "; INSERT INTO task (input, \"group\") VALUES ('SELECT 2', 'child')$x$),"
                                // In the same session.
                                + " ('" + group
                                + "', 2, $x$INSERT INTO task (input, \"group\") VALUES ('SELECT 3', 'child')$x$)");
                tasks.settled(group);
                assertThat(tasks.all(group, "state")).as(lie).isEqualTo("DONE|DONE");
                assertThat(database.value("SELECT count(*) >= 2 AND bool_and(p.\"group\" = '" + group
                                + "' AND (p.input LIKE '%SELECT 3%') = (c.input = 'SELECT 3')) FROM task c LEFT JOIN task p ON p.id = c.parent"
                                + " WHERE c.\"group\" = 'child' AND c.id > (SELECT min(id) FROM task WHERE \"group\" = '"
                                + group + "')"))
                        .as(lie)
                        .isEqualTo("t");
            }
            // Elsewhere the setting says what it is set to, and a parent that is named is meant.
            assertThat(as(
                            database,
                            "_mallory",
                            "SET pg_task.id = 5",
                            "INSERT INTO task (input) VALUES ('') RETURNING parent"))
                    .isEqualTo("5");
            assertThat(as(database, "_mallory", "INSERT INTO task (input, parent) VALUES ('', 7) RETURNING parent"))
                    .isEqualTo("7");
            tasks.settled("child");
            drop(database);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void ids_chosenByAnotherRole_comeFromTheSequence(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                ServedTable tasks = ServedTable.in(database)) {
            roles(database);
            // Far ahead, before and behind, at the bounds, in a session that has drawn none and in one that has.
            as(
                    database,
                    "_mallory",
                    "INSERT INTO task (id, input, plan) SELECT g, 'taken', 'infinity' FROM generate_series("
                            + "(SELECT nextval('task_id_seq')) + 1, (SELECT nextval('task_id_seq')) + 2000) g");
            for (String id : new String[] {"9223372036854775807", "-5", "1"})
                as(database, "_mallory", "INSERT INTO task (id, input, plan) VALUES (" + id + ", 'taken', 'infinity')");
            // The number that another session has drawn and not used yet.
            assertThatThrownBy(() -> as(
                            database,
                            "_mallory",
                            "INSERT INTO task (id, input) VALUES (pg_sequence_last_value('task_id_seq'), 'taken')"))
                    .hasMessageContaining("currval of sequence");
            as(
                    database,
                    "_mallory",
                    "INSERT INTO task (input, plan) VALUES ('taken', 'infinity')",
                    "INSERT INTO task (id, input, plan) VALUES (currval('task_id_seq') + 1, 'taken', 'infinity'),"
                            + " (currval('task_id_seq') + 1, 'taken', 'infinity'), (DEFAULT, 'taken', 'infinity')");
            assertThat(database.value(
                            "SELECT max(id) <= (SELECT last_value FROM task_id_seq) AND min(id) > 0 FROM task"))
                    .isEqualTo("t");
            for (int i = 0; i < 20; i++)
                as(database, "_victim", "INSERT INTO task (input, data) VALUES ('SELECT 1', 'victim')");
            tasks.awaitTrue("SELECT count(*) = 20 FROM task WHERE data = 'victim' AND state = 'DONE'");
            assertThat(database.value("SELECT count(*) FROM task WHERE input = 'taken'"))
                    .isEqualTo("2008");
            drop(database);
        }
    }

    @Test
    void ids_ofOrdinaryInserts_areThoseTheyDrew() throws SQLException {
        try (TestDatabase database = TestDatabase.create();
                ServedTable tasks = ServedTable.in(database)) {
            roles(database);
            tasks.execute("CREATE FUNCTION nested() RETURNS text LANGUAGE sql AS"
                    + " $$ INSERT INTO task (input, state) VALUES ('inner', 'STOP') RETURNING 'outer' $$");
            String id = as(
                    database,
                    "_victim",
                    "INSERT INTO task (input, state) SELECT 'many', 'STOP' FROM generate_series(1, 500) ORDER BY 1 RETURNING id");
            assertThat(database.value("SELECT count(*) || ' ' || min(id) FROM task WHERE input = 'many' AND id BETWEEN "
                            + id + " AND " + id + " + 499"))
                    .isEqualTo("500 " + id);
            // The function draws a number after its row has: that row gets another one, and none is lost.
            String outer = as(
                    database,
                    "_victim",
                    "INSERT INTO task (input, data, state) VALUES ('x', nested(), 'STOP') RETURNING id");
            assertThat(database.value("SELECT data FROM task WHERE id = " + outer))
                    .isEqualTo("outer");
            assertThat(database.value("SELECT count(*) FROM task WHERE input = 'inner'"))
                    .isEqualTo("1");
            as(
                    database,
                    "_victim",
                    "INSERT INTO task (input, state, pid, retry, data) VALUES ('SELECT 1', 'WORK', 4711, 1, 'forged')");
            tasks.awaitTrue("SELECT state = 'DONE' AND retry IS NULL AND pid <> 4711 FROM task WHERE data = 'forged'");
            // The owner of the table gives what it wants, as when a dump is restored.
            tasks.execute("INSERT INTO task (id, input, state, pid, retry) VALUES (-7, 'mine', 'STOP', 4711, 1),"
                    + " (1000000, 'mine', 'STOP', 4711, 1)");
            assertThat(database.value(
                            "SELECT count(*) FROM task WHERE id IN (-7, 1000000) AND pid = 4711 AND retry = 1"))
                    .isEqualTo("2");
            drop(database);
        }
    }

    @Test
    void chain_thatMeetsTakenIds_goesOnBehindThem() {
        try (TestDatabase database = TestDatabase.create();
                ServedTable tasks = ServedTable.in(database)) {
            tasks.execute("CREATE TABLE ran (at timestamptz)");
            // Longer than a failed attempt could get over by drawing one number each.
            String taken = "INSERT INTO task (id, input, plan) SELECT g, 'taken', 'infinity' FROM generate_series("
                    + "(SELECT last_value FROM task_id_seq) + 1, (SELECT last_value FROM task_id_seq) + 3000) g";
            tasks.execute("INSERT INTO task (input, repeat) VALUES ('INSERT INTO ran VALUES (now())', '20 ms')");
            tasks.execute("INSERT INTO task (input, cron) VALUES ('INSERT INTO ran VALUES (now())', '* * * * * *')");
            tasks.execute("INSERT INTO task (input, attempts, backoff) VALUES ('SELECT 1/0', 3, '10 ms')");
            for (int i = 0; i < 3; i++) {
                database.execute(
                        "BEGIN; LOCK TABLE task IN EXCLUSIVE MODE; " + taken + " ON CONFLICT DO NOTHING; COMMIT");
                database.execute("TRUNCATE ran");
                tasks.awaitTrue("SELECT count(*) > 5 FROM ran");
            }
            tasks.awaitTrue("SELECT count(*) = 3 FROM task WHERE input = 'SELECT 1/0' AND state = 'FAIL'");
            assertThat(database.value("SELECT count(*) FROM task WHERE error LIKE '%duplicate key%'"))
                    .isEqualTo("0");
            assertThat(database.value("SELECT count(*) FROM task WHERE state = 'PLAN' AND input LIKE 'INSERT%'"))
                    .isIn("1", "2");
        }
    }
}
