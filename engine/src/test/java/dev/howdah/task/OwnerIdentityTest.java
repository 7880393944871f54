package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A task belongs to the role that added it, not to a later role of the same name. */
class OwnerIdentityTest {
    /** A served table, and a role that may add tasks. */
    private static final class Served implements AutoCloseable {
        private final TestDatabase database;
        private final String role;
        private Scheduled tasks;

        Served(int major) {
            database = TestDatabase.create(TestServer.of(major));
            role = database.name() + "_Temp 1";
            tasks = Scheduled.at(database.uri()).serve();
            createRole();
        }

        void createRole() {
            tasks.execute("CREATE ROLE \"" + role + "\" LOGIN; GRANT SELECT, INSERT, UPDATE ON task TO \"" + role
                    + "\"; GRANT USAGE ON SEQUENCE task_id_seq TO \"" + role + "\"");
        }

        void dropRole() {
            tasks.execute("DROP OWNED BY \"" + role + "\"; DROP ROLE \"" + role + "\"");
        }

        void restart(Runnable meanwhile) {
            tasks.close();
            meanwhile.run();
            tasks = Scheduled.at(database.uri()).serve();
        }

        void as(String sql) throws SQLException {
            try (Connection connection =
                            Database.of(database.uri()).withUser(role).connect();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        /** What has become of the task with that data. */
        String end(String data) {
            long id = tasks.number("SELECT min(id) FROM task WHERE data = '" + data + "'");
            tasks.awaitEnd(id);
            return tasks.value("SELECT COALESCE(error, output) FROM task WHERE id = " + id);
        }

        @Override
        public void close() {
            tasks.close();
            database.execute("DROP OWNED BY \"" + role + "\"; DROP ROLE \"" + role + "\"");
            database.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_ofADroppedRole_doesNotRunForALaterRoleOfThatName(int major) throws SQLException {
        try (Served served = new Served(major)) {
            served.as("INSERT INTO task (input, data, repeat, max) VALUES"
                    + " ('SELECT current_user', 'chain', '1 hour', 0);"
                    + " INSERT INTO task (input, data, plan) VALUES"
                    + " ('SELECT current_user', 'planned', now() + '1 year')");
            assertThat(served.end("chain")).isEqualTo(served.role);
            assertThat(served.tasks.value("SELECT count(*) FROM task t JOIN pg_roles r ON r.oid = t.owner_oid"
                            + " WHERE t.state = 'PLAN' AND r.rolname = t.owner"))
                    .isEqualTo("2");
            served.dropRole();
            served.createRole();
            served.as("INSERT INTO task (input, data) VALUES ('SELECT current_user', 'own')");
            served.tasks.execute(
                    "UPDATE task SET plan = now(), data = data || ' later' WHERE state = 'PLAN' AND data <> 'own'");
            for (String data : new String[] {"chain later", "planned later"})
                assertThat(served.end(data))
                        .as(data)
                        .startsWith("ERROR:  the task cannot run with the rights of role \"" + served.role + "\"")
                        .contains("belongs to another role now", "SET owner = owner");
            assertThat(served.end("own")).isEqualTo(served.role);
            // As the message says: the new role takes the task over.
            served.as(
                    "UPDATE task SET owner = owner, state = 'PLAN', data = 'taken over' WHERE data = 'planned later'");
            assertThat(served.end("taken over")).isEqualTo(served.role);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void oid_cannotBeChosenInAdvance(int major) throws SQLException {
        try (Served served = new Served(major)) {
            String right = "SELECT count(*) FROM task t JOIN pg_roles r ON r.oid = t.owner_oid AND r.rolname = t.owner"
                    + " WHERE t.state = 'STOP'";
            for (String oid : new String[] {"NULL", "0", "10", "4294967295", "owner_of"})
                served.as("INSERT INTO task (input, state, owner_oid) VALUES ('SELECT 1', 'STOP', "
                        + (oid.equals("owner_of")
                                ? "(SELECT oid::bigint + 1 FROM pg_roles WHERE rolname = current_user)::bigint::oid"
                                : oid)
                        + ")");
            assertThat(served.tasks.value(right)).isEqualTo("5");
            served.as("UPDATE task SET owner_oid = 4294967295");
            assertThat(served.tasks.value(right)).isEqualTo("5");
            // Neither by saying that the scheduler writes.
            for (String oid : new String[] {"NULL", "4294967295"})
                assertThatThrownBy(() -> served.as("SET howdah.books = 'kept here';"
                                + " INSERT INTO task (input, owner_oid) VALUES ('SELECT 1', " + oid + ")"))
                        .hasMessageContaining("with owner_oid " + oid);
            // What another role has added is not bound anew by a role without rights of it.
            served.tasks.execute("INSERT INTO task (input, state, owner, owner_oid)"
                    + " VALUES ('SELECT 1', 'STOP', 'postgres', 4294967295)");
            assertThatThrownBy(() -> served.as("UPDATE task SET owner = owner WHERE owner = 'postgres'"))
                    .hasMessageContaining("may not change what task");
            // The owner of the table names another role, and means that which has the name.
            served.tasks.execute("INSERT INTO task (input, data, owner) VALUES ('SELECT current_user', 'named', '"
                    + served.role + "')");
            assertThat(served.end("named")).isEqualTo(served.role);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void table_fromBeforeTheOid_keepsItsTasks(int major) throws SQLException {
        try (Served served = new Served(major)) {
            served.restart(() -> {
                served.database.execute("DROP TRIGGER task_bind_added ON task; DROP TRIGGER task_bind_changed ON task;"
                        + " DROP TRIGGER task_added ON task; DROP TRIGGER task_changed ON task;"
                        + " DROP FUNCTION task_bind(); ALTER TABLE task DROP COLUMN owner_oid");
                served.database.execute("INSERT INTO task (input, data, owner) VALUES"
                        + " ('SELECT current_user', 'old', '" + served.role + "'),"
                        + " ('SELECT current_user', 'scheduler', current_user),"
                        + " ('SELECT current_user', 'gone', 'no such role')");
            });
            assertThat(served.end("old")).isEqualTo(served.role);
            assertThat(served.end("scheduler")).isEqualTo("postgres");
            assertThat(served.end("gone")).contains("There is no such role any more.");
            assertThat(served.tasks.value("SELECT string_agg(owner_oid::text, ' ' ORDER BY data) FROM task"))
                    .isEqualTo(served.tasks.value("SELECT concat_ws(' ', 0, (SELECT oid FROM pg_roles WHERE rolname = '"
                            + served.role + "'), (SELECT oid FROM pg_roles WHERE rolname = 'postgres'))"));
        }
    }

    /** A dump that is restored has the names of roles, but the oids of the server from which it came. */
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void table_restoredFromAnotherServer_keepsItsTasks(int major) throws SQLException {
        try (Served served = new Served(major)) {
            served.as("INSERT INTO task (input, data, plan) VALUES ('SELECT current_user', 'restored', 'infinity')");
            served.restart(() -> served.database.execute("CREATE TABLE before AS SELECT * FROM task;"
                    + " ALTER TABLE before DROP COLUMN hash; DROP TABLE task; DROP SEQUENCE IF EXISTS task_id_seq;"));
            // The table is made anew by then; now its rows, and triggers with the oid of another table.
            String columns = served.tasks.value("SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute"
                    + " WHERE attrelid = 'before'::regclass AND attnum > 0 AND NOT attisdropped");
            served.restart(() -> served.database.execute(
                    "UPDATE before SET owner_oid = 4294967295, plan = now(); INSERT INTO task (" + columns
                            + ") SELECT " + columns + " FROM before; DROP TRIGGER task_added ON task;"
                            + " CREATE TRIGGER task_added AFTER INSERT ON task FOR EACH ROW"
                            + " EXECUTE FUNCTION task_guard('4294967295');"
                            + " ALTER TABLE task ENABLE ALWAYS TRIGGER task_added"));
            assertThat(served.end("restored")).isEqualTo(served.role);
        }
    }
}
