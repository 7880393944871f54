package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.job.Jobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What Howdah has made for a table of tasks is taken out, and nothing else. */
class TaskUninstallTest {
    /** Everything of users in a database, as text, with the roles of the server that are named after it. */
    private static final String CATALOG = """
            WITH spaces AS (SELECT n.oid, n.nspname FROM pg_namespace n
                WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'),
            relations AS (SELECT c.* FROM pg_class c JOIN spaces s ON s.oid = c.relnamespace)
            SELECT concat_ws(' ', 'schema', s.nspname, n.nspacl) FROM spaces s JOIN pg_namespace n ON n.oid = s.oid
            UNION ALL SELECT concat_ws(' ', 'relation', r.oid::regclass, r.relkind, r.relacl, r.reloptions) FROM relations r
            UNION ALL SELECT concat_ws(' ', 'column', r.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
                a.attnotnull, pg_get_expr(d.adbin, d.adrelid), col_description(r.oid, a.attnum))
            FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid
            LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum WHERE a.attnum > 0 AND NOT a.attisdropped
            UNION ALL SELECT concat_ws(' ', 'constraint', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
            FROM pg_constraint k JOIN spaces s ON s.oid = k.connamespace
            UNION ALL SELECT concat_ws(' ', 'trigger', t.tgrelid::regclass, t.tgname, pg_get_triggerdef(t.oid))
            FROM pg_trigger t JOIN relations r ON r.oid = t.tgrelid
            UNION ALL SELECT concat_ws(' ', 'function', p.oid::regprocedure, md5(p.prosrc), p.proacl)
            FROM pg_proc p JOIN spaces s ON s.oid = p.pronamespace
            UNION ALL SELECT concat_ws(' ', 'type', t.oid::regtype, t.typtype) FROM pg_type t JOIN spaces s ON s.oid = t.typnamespace
            UNION ALL SELECT concat_ws(' ', 'login', l.rolname) FROM pg_roles l
            WHERE l.rolname LIKE 'howdah\\_' || (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()) || '\\_%'
            ORDER BY 1
            """;

    private static List<String> catalog(TestDatabase database) {
        return database.query(CATALOG).stream()
                .map(row -> String.valueOf(row.get(0)))
                .collect(Collectors.toList());
    }

    private static void uninstall(TestDatabase database, String table, boolean force, boolean drop)
            throws SQLException {
        try (Connection connection = database.connect()) {
            TaskTable.uninstall(connection, "public", table, force, drop);
        }
    }

    private static TestDatabase database(int major) {
        TestDatabase database = TestDatabase.create(TestServer.of(major));
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.functions = 'on'");
        return database;
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void table_ofHowdah_isGoneWithAllThatBelongsToIt(int major) throws SQLException {
        try (TestDatabase database = database(major)) {
            String role = database.name() + "_app";
            database.execute("CREATE ROLE " + role + "; CREATE SCHEMA other; CREATE TYPE other.state AS ENUM ('A');"
                    + " CREATE FUNCTION public.task_mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'");
            List<String> before = catalog(database);
            try (ServedTable tasks = ServedTable.in(database)) {
                tasks.execute("INSERT INTO task (input, owner, delete) VALUES ('SELECT current_user', '" + role
                        + "', false)");
                tasks.awaitTrue("SELECT state = 'DONE' FROM task");
                assertThat(catalog(database)).anyMatch(each -> each.startsWith("login howdah_"));
                assertThat(catalog(database)).anyMatch(each -> each.startsWith("schema howdah"));
                assertThatThrownBy(() -> uninstall(database, "task", false, true))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("a scheduler still serves the table public.task; stop it first");
            }
            database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 1', 'infinity')");
            List<String> served = catalog(database);
            assertThatThrownBy(() -> uninstall(database, "task", false, false))
                    .hasMessage("1 task waits or runs in public.task");
            database.execute("UPDATE task SET state = 'STOP'");
            database.execute("SELECT howdah.template('a', 'text')");
            assertThatThrownBy(() -> uninstall(database, "task", false, false)).hasMessage("1 template is still there");
            database.execute("ALTER TABLE task ADD COLUMN mine integer");
            assertThatThrownBy(() -> uninstall(database, "task", true, true))
                    .hasMessage("the table public.task has columns that Howdah has not made: mine; drop it yourself");
            database.execute("ALTER TABLE task DROP COLUMN mine");
            assertThat(catalog(database)).isEqualTo(served);
            uninstall(database, "task", true, true);
            assertThat(catalog(database)).isEqualTo(before);
            uninstall(database, "task", false, true);
            database.execute("DROP ROLE " + role);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void table_ofAUser_isAsItWas(int major) throws SQLException {
        try (TestDatabase database = database(major)) {
            ServedTable.in(database).close();
            // A table that has all that is needed, as a user makes one.
            database.execute("CREATE TABLE own (LIKE task INCLUDING ALL, mine text);"
                    + " ALTER TABLE own RENAME CONSTRAINT own_pkey TO own_key; CREATE SEQUENCE own_id_seq OWNED BY own.id;"
                    + " ALTER TABLE own ALTER COLUMN id SET DEFAULT nextval('own_id_seq');"
                    + " CREATE FUNCTION own_look() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
                    + " CREATE TRIGGER own_look BEFORE INSERT ON own FOR EACH ROW EXECUTE PROCEDURE own_look()");
            uninstall(database, "task", true, true);
            ServedTable.begin(database, database.uri(), "public", "own")
                    .active()
                    .close();
            // Names of indexes and checks of a table made by hand are others: those of Howdah stay.
            uninstall(database, "own", false, false);
            List<String> once = catalog(database);
            assertThat(once)
                    .noneMatch(each -> each.matches(".*\\bhowdah\\b.*"))
                    .filteredOn(each -> each.startsWith("function ") || each.startsWith("trigger "))
                    .extracting(each -> each.split(" ")[1])
                    .containsExactlyInAnyOrder("own_look()", "own");
            database.execute("INSERT INTO own (input, mine) VALUES ('SELECT 1', 'a')");
            database.execute("UPDATE own SET state = 'DONE'");
            ServedTable.begin(database, database.uri(), "public", "own")
                    .active()
                    .close();
            uninstall(database, "own", false, false);
            assertThat(catalog(database)).isEqualTo(once);
            assertThat(database.value("SELECT mine FROM own")).isEqualTo("a");
            assertThatThrownBy(() -> uninstall(database, "own", true, false))
                    .hasMessage("the table public.own is not a table of tasks that Howdah keeps, and is left as it is");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void functions_ofAllTables_stayWhileThereIsAnother(int major) throws SQLException {
        try (TestDatabase database = database(major)) {
            try (Connection connection = database.connect()) {
                Jobs.install(connection);
            }
            List<String> before = catalog(database);
            ServedTable.in(database).close();
            List<String> one = catalog(database);
            ServedTable.begin(database, database.uri(), "public", "second")
                    .active()
                    .close();
            uninstall(database, "second", false, true);
            assertThat(catalog(database)).isEqualTo(one);
            // What a user has made with these functions depends on them.
            database.execute("CREATE VIEW plans AS SELECT * FROM howdah.cron_list()");
            assertThatThrownBy(() -> uninstall(database, "task", false, true))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("howdah.cron_list");
            database.execute("DROP VIEW plans");
            assertThat(catalog(database)).isEqualTo(one);
            uninstall(database, "task", false, true);
            assertThat(catalog(database)).isEqualTo(before);
        }
    }
}
