package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What other roles have put where Howdah's functions and types belong is not taken for Howdah's own. */
class TableTrustTest {
    private static final SqlFile SQL = SqlFile.of(TaskSql.class, "task-table.sql");

    private static String role(TestDatabase database) {
        String role = database.name() + "_mallory";
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT CREATE ON SCHEMA public TO " + role);
        return role;
    }

    private static void drop(TestDatabase database, String role) {
        database.execute("DROP OWNED BY " + role + " CASCADE; DROP ROLE " + role);
    }

    private static void as(TestDatabase database, String role, String sql) throws SQLException {
        try (Connection connection = Database.of(database.uri()).withUser(role).connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String refusal(TestDatabase database, String uri) {
        try (ServedTable tasks = ServedTable.begin(database, uri, "public", "task")) {
            return tasks.refused();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void doneFunction_madeInAdvanceByAnotherRole_isRefused(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            String mallory = role(database);
            String same = SQL.text("done_function");
            for (String text : new String[] {
                same,
                same.replace("SECURITY DEFINER", ""),
                "CREATE FUNCTION public.task_done(bigint, text) RETURNS text LANGUAGE sql AS 'SELECT ''DONE'''"
            }) {
                as(database, mallory, "SET check_function_bodies = off; " + text);
                assertThat(refusal(database, database.uri()))
                        .contains("task_done\"(bigint, text) belongs to role " + mallory)
                        .contains("DROP FUNCTION \"public\".\"task_done\"(bigint, text)")
                        .contains("OWNER TO postgres");
                database.execute("DROP FUNCTION public.task_done(bigint, text)");
            }
            ServedTable.in(database).close();
            assertThat(database.value("SELECT proowner::regrole FROM pg_proc WHERE proname = 'task_done'"))
                    .isEqualTo("postgres");
            drop(database, mallory);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wake_up", "after", "guard"})
    void triggerFunction_madeInAdvanceByAnotherRole_isRefused(String what) throws SQLException {
        try (TestDatabase database = TestDatabase.create()) {
            String mallory = role(database);
            as(
                    database,
                    mallory,
                    "CREATE FUNCTION public.task_" + what
                            + "() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
            assertThat(refusal(database, database.uri())).contains("task_" + what + "\"() belongs to role " + mallory);
            drop(database, mallory);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER FUNCTION task_done(bigint, text) SET search_path = public",
                "ALTER FUNCTION task_wake_up() RESET ALL"
            })
    void function_ofOursThatWasChanged_isMended(String change) {
        try (TestDatabase database = TestDatabase.create()) {
            String all =
                    "SELECT string_agg(concat_ws(' ', proname, prosecdef, proconfig, md5(prosrc)), ',' ORDER BY proname)"
                            + " FROM pg_proc WHERE pronamespace = 'public'::regnamespace";
            ServedTable.in(database).close();
            String before = database.value(all);
            database.execute(change);
            assertThat(database.value(all)).isNotEqualTo(before);
            ServedTable.in(database).close();
            assertThat(database.value(all)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(
            strings = {
                "ALTER FUNCTION task_done(bigint, text) SECURITY INVOKER",
                "ALTER FUNCTION task_done(bigint, text) RESET search_path",
                "ALTER FUNCTION task_guard() SECURITY DEFINER"
            })
    void function_ofOursThatWasChangedOtherwise_isMended(String change) {
        function_ofOursThatWasChanged_isMended(change);
    }

    @Test
    void functions_overloadedByAnotherRole_areNotMistaken() throws SQLException {
        try (TestDatabase database = TestDatabase.create()) {
            String mallory = role(database);
            ServedTable.in(database).close();
            for (String each : new String[] {"wake_up", "after", "guard"})
                as(
                        database,
                        mallory,
                        "CREATE FUNCTION public.task_" + each + "(int) RETURNS int LANGUAGE sql AS 'SELECT 1'");
            try (ServedTable tasks = ServedTable.in(database)) {
                assertThat(tasks.run("SELECT 1").output()).isEqualTo("1");
            }
            drop(database, mallory);
        }
    }

    @Test
    void trigger_ofOursThatCallsAnotherFunction_isMended() {
        try (TestDatabase database = TestDatabase.create()) {
            ServedTable.in(database).close();
            database.execute(
                    "DROP TRIGGER task_after ON task; CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
                            + " CREATE TRIGGER task_after BEFORE INSERT ON task FOR EACH ROW EXECUTE FUNCTION other()");
            ServedTable.in(database).close();
            assertThat(database.value("SELECT tgfoid::regproc FROM pg_trigger WHERE tgname = 'task_after'"))
                    .isEqualTo("task_after");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TABLE public.state (code text)",
                "DOMAIN public.state AS text",
                "VIEW public.state AS SELECT 1 AS a"
            })
    void state_thatIsAnotherThing_isNamedAsWhatItIs(String what) {
        try (TestDatabase database = TestDatabase.create()) {
            database.execute("CREATE " + what);
            assertThat(refusal(database, database.uri()))
                    .contains("\"public\".\"state\" is already the name of another "
                            + what.split(" ")[0].toLowerCase(java.util.Locale.ROOT))
                    .contains("--schema")
                    .doesNotContain("ALTER TYPE");
            assertThat(database.value("SELECT to_regclass('task')")).isNull();
        }
    }

    @Test
    void state_thatIsAnEnumOfTheUser_isLeftAlone() {
        try (TestDatabase database = TestDatabase.create()) {
            database.execute("CREATE TYPE public.state AS ENUM ('open', 'closed')");
            assertThat(refusal(database, database.uri()))
                    .contains("the name of another enum")
                    .contains("--schema")
                    .doesNotContain("ALTER TYPE");
        }
    }

    @Test
    void state_missingForATableMadeByHand_isMade() {
        try (TestDatabase database = TestDatabase.create()) {
            database.execute("CREATE SCHEMA h; CREATE TABLE h.mini (id bigint, input text, customer text)");
            try (ServedTable tasks = ServedTable.begin(database, database.uri(), "h", "mini", how -> how.adopt(true))) {
                tasks.active();
                database.execute("INSERT INTO h.mini (input, customer) VALUES ('SELECT 7', 'c')");
                tasks.awaitTrue("SELECT state = 'DONE' AND output = '7' AND customer = 'c' FROM h.mini");
            }
        }
    }

    @Test
    void name_thatLeavesNoRoom_isRefusedWithTheLongest() {
        try (TestDatabase database = TestDatabase.create()) {
            String longest = "é".repeat(21);
            try (ServedTable tasks = ServedTable.begin(database, database.uri(), "public", longest)) {
                tasks.active();
            }
            try (ServedTable tasks = ServedTable.begin(database, database.uri(), "public", longest)) {
                tasks.active();
            }
            assertThatThrownBy(() -> ServedTable.begin(database, database.uri(), "public", longest + "x"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at most 42 bytes")
                    .hasMessageContaining("has 43");
        }
    }
}
