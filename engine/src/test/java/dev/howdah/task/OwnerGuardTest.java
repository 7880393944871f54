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

/** The column owner says who added a task, and nobody can make it say somebody else. */
class OwnerGuardTest {
    private static void as(TestDatabase database, String role, String sql) throws SQLException {
        try (Connection connection = Database.of(database.uri())
                        .withUser(database.name() + role)
                        .connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql.replace("$", database.name()));
        }
    }

    private static void refused(TestDatabase database, String role, String sql, String... words) {
        assertThatThrownBy(() -> as(database, role, sql))
                .as(sql)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"))
                .hasMessageContainingAll(words);
    }

    private static void prepare(TestDatabase database) {
        ServedTable.in(database).close();
        database.execute(
                ("CREATE ROLE $_app LOGIN; CREATE ROLE $_other LOGIN; CREATE ROLE $_team; CREATE ROLE $_member LOGIN IN ROLE $_team;"
                                + " GRANT SELECT, INSERT, UPDATE, DELETE ON task TO $_app, $_other, $_member, $_team;"
                                + " GRANT USAGE ON SEQUENCE task_id_seq TO $_app, $_other, $_member, $_team;"
                                + " GRANT CREATE ON SCHEMA public TO $_app")
                        .replace("$", database.name()));
    }

    private static void drop(TestDatabase database) {
        for (String role : new String[] {"_app", "_other", "_team", "_member"})
            database.execute("DROP OWNED BY " + database.name() + role + "; DROP ROLE " + database.name() + role);
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAnd16AndNewest")
    void owner_whateverWayItIsWritten_isTheRoleThatWrites(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            prepare(database);
            as(database, "_app", "INSERT INTO task (input, state) VALUES ('a', 'STOP')");
            as(database, "_app", "INSERT INTO task (input, owner, state) VALUES ('b', '$_app', 'STOP')");
            as(database, "_member", "INSERT INTO task (input, owner, state) VALUES ('c', '$_team', 'STOP')");
            as(database, "_member", "SET ROLE $_team; INSERT INTO task (input, state) VALUES ('d', 'STOP')");
            database.execute(
                    "INSERT INTO task (input, owner, state) VALUES ('e', 'gone with a restored dump', 'STOP')");
            assertThat(database.value("SELECT string_agg(replace(owner, '" + database.name()
                            + "', '') || ' ' || input, ',' ORDER BY id) FROM task"))
                    .isEqualTo("_app a,_app b,_team c,_team d,gone with a restored dump e");
            forge(database);
            change(database);
            if (major >= 15) {
                refused(
                        database,
                        "_app",
                        "MERGE INTO task USING (SELECT 1) s ON false WHEN NOT MATCHED THEN INSERT (input, owner) VALUES ('x', '$_other')",
                        "_other");
                as(database, "_other", "INSERT INTO task (input, state) VALUES ('o', 'STOP')");
                refused(
                        database,
                        "_app",
                        "MERGE INTO task USING (SELECT 1) s ON owner = '$_other' WHEN MATCHED THEN UPDATE SET input = 'x'",
                        "_other");
                database.execute("GRANT SET ON PARAMETER session_replication_role TO " + database.name() + "_app");
                refused(
                        database,
                        "_app",
                        "SET session_replication_role = replica; INSERT INTO task (input, owner) VALUES ('x', 'postgres')",
                        "postgres");
            }
            drop(database);
        }
    }

    private static void forge(TestDatabase database) throws SQLException {
        refused(
                database,
                "_app",
                "INSERT INTO task (input, owner) VALUES ('x', '$_other')",
                "role \"" + database.name() + "_app\" may not add a task of role \"" + database.name() + "_other\"");
        refused(database, "_app", "INSERT INTO task (input, owner) SELECT 'x', 'postgres'", "postgres");
        refused(database, "_app", "INSERT INTO task (input, owner) VALUES ('x', 'nobody at all')", "does not exist");
        refused(
                database,
                "_team".replace("team", "other"),
                "INSERT INTO task (input, owner) VALUES ('x', '$_team')",
                "_team");
        // The row gets an id of its own, so it meets none of another role.
        for (String change : new String[] {"input = 'forged'", "owner = 'postgres'"})
            as(
                    database,
                    "_app",
                    "INSERT INTO task (id, input, state) SELECT id, 'own', 'STOP' FROM task WHERE owner = '$_team' ORDER BY id LIMIT 1"
                            + " ON CONFLICT (id) DO UPDATE SET " + change);
        assertThat(database.value("SELECT count(*) || ' ' || min(owner) FROM task WHERE input = 'own'"))
                .isEqualTo("2 " + database.name() + "_app");
        refused(
                database,
                "_app",
                "WITH x AS (INSERT INTO task (input, owner) VALUES ('x', 'postgres') RETURNING id) SELECT * FROM x",
                "postgres");
        refused(
                database,
                "_app",
                "CREATE VIEW seen AS SELECT id, input, owner FROM task; INSERT INTO seen (input, owner) VALUES ('x', 'postgres')",
                "postgres");
        refused(
                database,
                "_app",
                "DO 'BEGIN INSERT INTO task (input, owner) VALUES (''x'', ''postgres''); END'",
                "postgres");
        refused(
                database,
                "_app",
                "CREATE FUNCTION f() RETURNS void LANGUAGE sql SECURITY DEFINER AS"
                        + " 'INSERT INTO public.task (input, owner) VALUES (''x'', ''postgres'')'; SELECT f()",
                "postgres");
        refused(
                database,
                "_app",
                "CREATE TEMP TABLE task_guard (); CREATE FUNCTION pg_temp.pg_has_role(oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';"
                        + " SET search_path = pg_temp, pg_catalog, public; INSERT INTO public.task (input, owner) VALUES ('x', 'postgres')",
                "postgres");
        refused(
                database,
                "_app",
                "CREATE FUNCTION public.pg_has_role(oid, unknown) RETURNS boolean LANGUAGE sql AS 'SELECT true';"
                                .replace("unknown", "text")
                        + " SET search_path = public, pg_catalog; INSERT INTO task (input, owner) VALUES ('x', 'postgres')",
                "postgres");
        refused(database, "_app", "ALTER TABLE task DISABLE TRIGGER task_added", "owner of");
        refused(
                database,
                "_app",
                "CREATE TRIGGER t AFTER UPDATE ON task FOR EACH ROW EXECUTE FUNCTION task_guard()",
                "permission denied");
        // A function of another's works with his rights, and its task has them, too.
        as(
                database,
                "_app",
                "CREATE FUNCTION by_app() RETURNS void LANGUAGE sql SECURITY DEFINER AS"
                        + " 'INSERT INTO public.task (input, state) VALUES (''defined'', ''STOP'')'");
        as(database, "_other", "SELECT by_app()");
        assertThat(database.value("SELECT owner FROM task WHERE input = 'defined'"))
                .isEqualTo(database.name() + "_app");
    }

    private static void change(TestDatabase database) throws SQLException {
        refused(
                database,
                "_other",
                "UPDATE task SET input = 'x' WHERE owner = '$_app'",
                "may not change what task",
                "_app");
        refused(database, "_other", "UPDATE task SET remote = '' WHERE owner = '$_app'", "may not change what task");
        refused(
                database,
                "_other",
                "UPDATE task SET owner = '$_other' WHERE owner = '$_app'",
                "may not change what task");
        refused(
                database,
                "_app",
                "UPDATE task SET owner = 'postgres' WHERE owner = '$_app'",
                "may not add a task of role \"postgres\"");
        as(database, "_other", "UPDATE task SET state = 'STOP', plan = now(), input = input, owner = owner");
        as(database, "_member", "UPDATE task SET input = 'changed by a member' WHERE owner = '$_team'");
        as(database, "_app", "UPDATE task SET input = 'mine' WHERE owner = '$_app'");
        assertThat(database.value("SELECT count(*) FROM task WHERE input IN ('x', 'forged')"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAnd16AndNewest")
    void copy_ofForgedOwner_isRefused(int major) throws Exception {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            prepare(database);
            try (Connection connection = Database.of(database.uri())
                    .withUser(database.name() + "_app")
                    .connect()) {
                org.postgresql.copy.CopyManager copy =
                        connection.unwrap(org.postgresql.PGConnection.class).getCopyAPI();
                copy.copyIn("COPY task (input) FROM STDIN", new java.io.StringReader("SELECT 1\n"));
                assertThatThrownBy(() -> copy.copyIn(
                                "COPY task (input, owner) FROM STDIN",
                                new java.io.StringReader("SELECT 1\tpostgres\n")))
                        .hasMessageContaining("may not add a task of role \"postgres\"");
            }
            assertThat(database.value("SELECT string_agg(owner, ',') FROM task"))
                    .isEqualTo(database.name() + "_app");
            drop(database);
        }
    }
}
