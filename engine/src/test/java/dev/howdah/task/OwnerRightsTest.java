package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A task has the rights of its owner, and finds no way to those of the scheduler, which is a superuser
 * here: not by what it resets, not by a function, a temporary object or a setting, not by what it leaves behind.
 */
class OwnerRightsTest {
    /** A served table, and two roles that may add tasks. */
    private static final class Served implements AutoCloseable {
        final TestDatabase database;
        final Scheduled tasks;
        final String app;
        final String other;

        Served(int major) {
            database = TestDatabase.create(TestServer.of(major));
            tasks = Scheduled.at(database.uri()).serve();
            app = database.name() + "_app";
            other = database.name() + "_Other's \"x\"";
            for (String role : new String[] {app, other}) {
                String quoted = '"' + role.replace("\"", "\"\"") + '"';
                tasks.execute("CREATE ROLE " + quoted + " LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON task TO "
                        + quoted + "; GRANT USAGE ON SEQUENCE task_id_seq TO " + quoted);
            }
            tasks.execute("CREATE SCHEMA mine; GRANT ALL ON SCHEMA mine TO " + app);
        }

        long add(String role, String input) {
            return add(role, input, "data", "NULL");
        }

        long add(String role, String input, String columns, String values) {
            try (Connection connection =
                            Database.of(database.uri()).withUser(role).connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("INSERT INTO public.task (input, " + columns
                            + ") VALUES ($input$" + input + "$input$, " + values + ") RETURNING id")) {
                row.next();
                return row.getLong(1);
            } catch (SQLException e) {
                throw new AssertionError(input, e);
            }
        }

        /** Output or error of a task. */
        String run(String role, String input) {
            long id = add(role, input);
            tasks.awaitState(id, tasks.awaitEnd(id));
            return tasks.value("SELECT COALESCE(error, output) FROM task WHERE id = " + id);
        }

        String login() {
            return tasks.value(
                    "SELECT 'howdah_' || d.oid || '_' || 'task'::regclass::oid || '_' || r.oid FROM pg_database d, pg_roles r"
                            + " WHERE datname = current_database() AND rolname = '" + app + "'");
        }

        @Override
        public void close() {
            tasks.close();
            for (String role : new String[] {app, other}) {
                String quoted = '"' + role.replace("\"", "\"\"") + '"';
                database.execute("DROP OWNED BY " + quoted + "; DROP ROLE " + quoted);
            }
            for (var login : database.query("SELECT rolname FROM pg_roles WHERE rolname LIKE 'howdah\\_'"
                    + " || (SELECT oid FROM pg_database WHERE datname = current_database()) || '\\_%'"))
                database.execute("DROP OWNED BY " + login.get(0) + "; DROP ROLE " + login.get(0));
            database.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAnd16AndNewest")
    void task_ofAnotherRole_hasItsRightsAndNoWayToMore(int major) {
        try (Served served = new Served(major)) {
            String who = "SELECT current_user || ' ' || current_setting('is_superuser')";
            String app = served.app;
            String login = served.login();
            assertThat(served.run("postgres", "SELECT current_user, session_user"))
                    .endsWith("postgres\tpostgres");
            assertThat(served.run(app, who)).isEqualTo(app + " off");
            assertThat(served.run(served.other, who)).isEqualTo(served.other + " off");
            for (String back : new String[] {
                "RESET ROLE",
                "RESET ALL",
                "SET ROLE DEFAULT".replace("DEFAULT", app),
                "BEGIN; SET LOCAL ROLE NONE; COMMIT"
            }) assertThat(served.run(app, back + "; " + who)).as(back).endsWith(app + " off");
            for (String down : new String[] {"SET SESSION AUTHORIZATION DEFAULT", "RESET SESSION AUTHORIZATION"})
                assertThat(served.run(app, down + "; " + who))
                        .as(down)
                        .matches("(?s).*(" + app + "|" + login + ") off");
            assertThat(served.run(app, "SET ROLE NONE; " + who)).endsWith(login + " off");
            for (String climb : new String[] {
                "SET ROLE postgres",
                "SET SESSION AUTHORIZATION postgres",
                "SET SESSION AUTHORIZATION \"" + served.other.replace("\"", "\"\"") + "\"",
                "SET ROLE NONE; SET ROLE postgres",
                "CREATE ROLE evil SUPERUSER",
                "ALTER ROLE " + app + " SUPERUSER",
                "SET ROLE NONE; ALTER ROLE " + login + " CREATEROLE",
                "SET ROLE NONE; GRANT postgres TO " + login,
                "SELECT rolpassword FROM pg_authid",
                "COPY (SELECT 1) TO PROGRAM 'true'",
                "COPY task TO '/tmp/howdah-never'",
                "SELECT pg_read_file('postgresql.conf')",
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'howdah%'",
                "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'howdah%'",
                "UPDATE task SET owner = 'postgres' WHERE id = current_setting('pg_task.id')::bigint",
                "INSERT INTO task (input, owner) VALUES ('SELECT 1', 'postgres')",
                "UPDATE task SET input = 'CREATE ROLE evil SUPERUSER' WHERE owner = 'postgres'",
                "CREATE FUNCTION mine.climb() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN CREATE ROLE evil SUPERUSER; RETURN NEW; END $$;"
                        + " CREATE TRIGGER climb BEFORE UPDATE ON task FOR EACH ROW EXECUTE FUNCTION mine.climb()",
                "CREATE FUNCTION mine.up() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN SET ROLE postgres; RETURN current_user; END $$; SELECT mine.up()",
                "ALTER ROLE " + app + " SET role = 'postgres'; SET ROLE postgres",
                "SET session_replication_role = replica",
                "CREATE OR REPLACE FUNCTION public.task_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$"
            }) assertThat(served.run(app, climb)).as(climb).startsWith("ERROR:  ");
            assertThat(served.tasks.value("SELECT count(*) FROM pg_roles WHERE rolname = 'evil'"))
                    .isEqualTo("0");
            served.tasks.execute("ALTER ROLE " + app + " RESET ALL");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAnd16AndNewest")
    void task_thatLeavesThingsBehind_meetsNobodyElse(int major) {
        try (Served served = new Served(major)) {
            String app = served.app;
            String shadow = "CREATE TEMP TABLE task (id bigint, input text, owner text);"
                    + " CREATE FUNCTION pg_temp.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT NULL::timestamptz';"
                    + " CREATE FUNCTION pg_temp.eq(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';"
                    + " CREATE OPERATOR pg_temp.= (FUNCTION = pg_temp.eq, LEFTARG = text, RIGHTARG = text);"
                    + " PREPARE p AS SELECT 'left behind'; LISTEN left_behind; SELECT pg_advisory_lock(42);"
                    + " SET search_path = pg_temp, mine; SET pg_task.role = 'postgres'; SET pg_task.owner = 'postgres'";
            long kept = served.add(app, shadow, "\"group\", count, save", "'shared', 9, true");
            served.tasks.awaitState(kept, "DONE");
            String look =
                    "SELECT current_user, to_regclass('pg_temp.task') IS NULL, (SELECT count(*) FROM pg_prepared_statements),"
                            + " (SELECT count(*) FROM pg_listening_channels()), current_setting('search_path'), pg_backend_pid()";
            for (String role : new String[] {"postgres", served.other}) {
                long id = served.add(role, look, "\"group\", count, save, header", "'shared', 9, true, false");
                served.tasks.awaitState(id, "DONE");
                assertThat(served.tasks.column("output", id))
                        .startsWith(role + "\tt\t0\t0\t\"$user\", public\t")
                        .doesNotEndWith("\t" + served.tasks.column("pid", kept));
            }
            // His own next task of the group may go on in his session, as save says.
            long own = served.add(app, "EXECUTE p", "\"group\", count, save", "'shared', 9, true");
            served.tasks.awaitState(own, served.tasks.awaitEnd(own));
            long clean = served.add(app, look, "header", "false");
            served.tasks.awaitState(clean, "DONE");
            assertThat(served.tasks.column("output", clean)).startsWith(app + "\tt\t0\t0\t\"$user\", public\t");
        }
    }

    /** Said in the manual: neither bounds the tasks of the role. */
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void limits_ofTheOwner_areNotThoseOfItsTasks(int major) {
        try (Served served = new Served(major)) {
            served.tasks.execute("ALTER ROLE " + served.app + " CONNECTION LIMIT 2; ALTER ROLE " + served.app
                    + " SET statement_timeout = '1s'");
            for (int i = 0; i < 4; i++) served.add(served.app, "SELECT pg_sleep(600)", "\"group\"", "'g" + i + "'");
            Scheduled.awaiting("four at a time")
                    .until(() -> served.tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 4);
            assertThat(served.run(served.app, "SHOW statement_timeout")).endsWith("0");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void settings_ofTheOwnerThatDoNotFitAnyMore_areLeftOut(int major) {
        try (Served served = new Served(major)) {
            String app = served.app;
            served.tasks.execute("ALTER ROLE " + app + " SET default_tablespace = 'nope'; ALTER ROLE " + app
                    + " SET default_text_search_config = 'no.such'; ALTER ROLE " + app + " SET work_mem = '11MB'");
            String show = "SELECT current_setting('default_tablespace'), current_setting('work_mem')";
            assertThat(served.run(app, show)).endsWith("\n\t11MB");
            served.tasks.execute("ALTER ROLE " + app + " SET default_tablespace = 'pg_default'");
            served.tasks.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + served.login() + "'");
            assertThat(served.run(app, show)).endsWith("pg_default\t11MB");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAnd16AndNewest")
    void settings_ofTheOwner_holdFromTheBeginning(int major) {
        try (Served served = new Served(major)) {
            String app = served.app;
            String database = served.database.name();
            served.tasks.execute("ALTER DATABASE " + database + " SET work_mem = '11MB'; ALTER DATABASE " + database
                    + " SET datestyle = 'SQL';"
                    + " ALTER ROLE " + app + " SET search_path = mine, \"Odd one\", public; ALTER ROLE " + app
                    + " SET datestyle = 'German';"
                    + " ALTER ROLE " + app + " SET my.own = 'a b=c'; ALTER ROLE " + app
                    + " SET pg_task.\"table\" = 'forged'; ALTER ROLE " + app
                    + " SET log_statement = 'mod'; ALTER ROLE " + app + " SET temp_file_limit = '7MB'; ALTER ROLE "
                    + app
                    + " IN DATABASE " + database + " SET my.own = 'here'");
            String show =
                    "SELECT current_setting('search_path'), current_setting('work_mem'), current_setting('datestyle'),"
                            + " current_setting('my.own'), current_setting('pg_task.table'),"
                            + " current_setting('log_statement'), current_setting('temp_file_limit')";
            String expected = "mine, \"Odd one\", public\t11MB\tGerman, DMY\there\ttask\tmod\t7MB";
            assertThat(served.run(app, show)).endsWith(expected);
            assertThat(served.run(app, "SET search_path = pg_catalog; SET my.own = 'x'; RESET ALL; " + show))
                    .endsWith(expected);
            served.tasks.execute(
                    "ALTER ROLE " + app + " SET search_path = mine; ALTER ROLE " + app + " RESET datestyle; ALTER ROLE "
                            + app + " SET temp_file_limit = '8MB'; ALTER ROLE " + app + " RESET log_statement");
            served.tasks.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + served.login() + "'");
            assertThat(served.run(app, show)).endsWith("mine\t11MB\tSQL, MDY\there\ttask\tnone\t8MB");
            served.tasks.execute("ALTER ROLE " + app + " IN DATABASE " + database + " RESET ALL");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAnd16AndNewest")
    void owner_dropped_failsHisTasksAndNobodyElses(int major) {
        try (Served served = new Served(major)) {
            String gone = served.database.name() + "_gone";
            served.tasks.execute("CREATE ROLE " + gone + "; INSERT INTO task (input, owner, plan) VALUES ('SELECT 1', '"
                    + gone + "', 'infinity'); DROP ROLE " + gone);
            long id = served.tasks.number("SELECT id FROM task WHERE owner = '" + gone + "'");
            served.tasks.execute("UPDATE task SET plan = now() WHERE id = " + id);
            long beside = served.add(served.app, "SELECT 1");
            served.tasks.awaitState(id, "FAIL");
            assertThat(served.tasks.column("error", id))
                    .isEqualTo("ERROR:  the task cannot run with the rights of role \"" + gone
                            + "\"\nDETAIL:  There is no such role any more.");
            assertThat(served.tasks.value(
                            "SELECT output = '' AND start IS NULL AND pid IS NULL AND stop IS NOT NULL FROM task WHERE id = "
                                    + id))
                    .isEqualTo("t");
            served.tasks.awaitState(beside, "DONE");
        }
    }
}
