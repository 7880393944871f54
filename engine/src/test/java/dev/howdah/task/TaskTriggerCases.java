package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code howdah.task_trigger}: a change of a row becomes a task. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TaskTriggerCases {
    private final TestDatabase database;
    private final ServedTable tasks;

    TaskTriggerCases(TestServer server) {
        database = TestDatabase.create(server);
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.functions = 'on'");
        tasks = ServedTable.in(database);
    }

    @AfterAll
    void close() {
        tasks.close();
        database.close();
    }

    @BeforeEach
    void makeTables() {
        tasks.execute("DROP TABLE IF EXISTS payment, seen CASCADE; DELETE FROM task;"
                + " CREATE TABLE payment (id bigserial PRIMARY KEY, customer text, amount numeric, at timestamptz, raw bytea);"
                + " CREATE TABLE seen (n bigserial, was text)");
    }

    private static final String SEE =
            "INSERT INTO public.seen (was) SELECT concat_ws(''|'', $3, ($1).amount, ($2).amount,"
                    + " ($2).customer, ($2).raw)";

    private void trigger(String more) {
        tasks.value("SELECT howdah.task_trigger('payment', " + more + ")");
    }

    private void seen(String expected) {
        await().atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(tasks.value(
                                "SELECT concat_ws(' / ', (SELECT string_agg(was, ' / ' ORDER BY n) FROM seen),"
                                        + " (SELECT string_agg(error, ' / ') FROM task))"))
                        .isEqualTo(expected));
    }

    @Test
    void row_oldAndNew_areParametersOfTheStatement() {
        trigger("'" + SEE + "', 'INSERT OR UPDATE OR DELETE'");
        tasks.execute("INSERT INTO payment (customer, amount, raw) VALUES ('a', 1.50, '\\x00ff')");
        tasks.execute("UPDATE payment SET amount = 2.5");
        tasks.execute("DELETE FROM payment");
        seen("INSERT|1.50|a|\\x00ff / UPDATE|1.50|2.5|a|\\x00ff / DELETE|2.5");
        assertThat(tasks.value("SELECT count(*) FROM task WHERE once AND \"group\" = 'public.payment task'"))
                .isEqualTo(tasks.value("SELECT count(*) FROM task"));
    }

    @Test
    void values_thatLookLikeSql_stayData() {
        trigger("'" + SEE + "'");
        String hostile = "x'; DROP TABLE seen; -- \\ $$ $howdah$ %s %L {\"a\": \"\\u0027\"}\n\t";
        try (Connection connection = database.connect();
                java.sql.PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO payment (customer) VALUES (?)")) {
            insert.setString(1, hostile);
            insert.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        seen("INSERT|" + hostile);
    }

    @Test
    void rollback_addsNoTask_whenAndColumnsAreTheTriggers() throws SQLException {
        trigger("'" + SEE + "', 'UPDATE', \"when\" => 'OLD.amount IS DISTINCT FROM NEW.amount', columns => '{amount}'");
        tasks.execute("INSERT INTO payment (customer, amount) VALUES ('a', 1)");
        tasks.execute("UPDATE payment SET customer = 'b'");
        tasks.execute("UPDATE payment SET amount = amount");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("UPDATE payment SET amount = 7");
            connection.rollback();
        }
        assertThat(tasks.value("SELECT count(*) FROM task")).isEqualTo("0");
        tasks.execute("UPDATE payment SET amount = 3");
        seen("UPDATE|1|3|b");
    }

    @Test
    void statement_rows_comeTogether() {
        trigger("'INSERT INTO public.seen (was) SELECT concat_ws(''|'', $3, cardinality($1), cardinality($2),"
                + " (SELECT sum(p.amount) FROM unnest($2) p))', 'INSERT OR UPDATE OR DELETE', level => 'statement'");
        tasks.execute("INSERT INTO payment (amount) SELECT n FROM generate_series(1, 10005) n");
        seen("INSERT|10000|50005000 / INSERT|5|50015");
        tasks.execute("DELETE FROM payment WHERE amount > 3; TRUNCATE seen");
        tasks.execute("UPDATE payment SET amount = amount + 1");
        tasks.execute("DELETE FROM payment WHERE amount > 100");
        await().atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(tasks.value("SELECT string_agg(was, ' / ' ORDER BY n) FROM seen"))
                        .contains("UPDATE|3|3|9")
                        .doesNotContain("DELETE|0"));
    }

    @Test
    void key_changesOfOneKey_runOneAfterTheOtherAndLatestAlone() {
        tasks.execute(
                "INSERT INTO task (\"group\", input, max) VALUES ('public.payment task:a', 'SELECT pg_sleep(3)', 0)");
        trigger("'" + SEE + "', key => '{customer}', latest => true");
        tasks.execute(
                "INSERT INTO payment (customer, amount) SELECT c, n FROM generate_series(1, 20) n, unnest('{a,b}'::text[]) c");
        await().atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(
                                tasks.value("SELECT count(*) FROM task WHERE state IN ('PLAN', 'TAKE', 'WORK')"))
                        .isEqualTo("0"));
        assertThat(tasks.value("SELECT string_agg(was, ' / ') FROM seen WHERE was LIKE '%|a'"))
                .isEqualTo("INSERT|20|a");
        assertThat(tasks.value("SELECT max(was) FROM seen WHERE was LIKE '%20|b'"))
                .isEqualTo("INSERT|20|b");
        assertThat(tasks.value("SELECT string_agg(error, ',') FROM task")).isNull();
    }

    @Test
    void key_changesOfOneKey_runInTheirOrder() {
        trigger("'" + SEE + "', key => '{customer}'");
        tasks.execute("INSERT INTO payment (customer, amount) SELECT c, n"
                + " FROM generate_series(10, 29) n, unnest('{a,b,c}'::text[]) c ORDER BY n");
        await().atMost(Patience.LIMIT)
                .untilAsserted(() ->
                        assertThat(tasks.value("SELECT count(*) FROM seen")).isEqualTo("60"));
        assertThat(
                        tasks.value(
                                "SELECT string_agg(DISTINCT amounts, ';') FROM (SELECT string_agg("
                                        + "split_part(was, '|', 2), ',' ORDER BY n) AS amounts FROM seen GROUP BY split_part(was, '|', 3)) k"))
                .isEqualTo(tasks.value("SELECT string_agg(n::text, ',' ORDER BY n) FROM generate_series(10, 29) n"));
    }

    @Test
    void sameName_replaces_andDropRemovesAllOfIt() {
        trigger("'" + SEE + "', 'INSERT OR UPDATE', level => 'statement'");
        trigger("'" + SEE + "'");
        trigger("'" + SEE + "', name => 'it''s \\ other'");
        assertThat(
                        tasks.value(
                                "SELECT string_agg(tgname, ',' ORDER BY tgname) FROM pg_trigger WHERE tgrelid = 'payment'::regclass"))
                .isEqualTo("it's \\ other,task");
        assertThat(tasks.value("SELECT howdah.drop_task_trigger('payment', 'it''s \\ other')"))
                .isEqualTo("t");
        assertThat(tasks.value("SELECT howdah.drop_task_trigger('payment')")).isEqualTo("t");
        assertThat(tasks.value("SELECT howdah.drop_task_trigger('payment')")).isEqualTo("f");
    }

    private void assertSame(String type, String value) {
        assertSame(type, value, "DO %s");
    }

    /** Checks that the tasks of a change get the row as it was. */
    private void assertSame(String type, String value, String how) {
        tasks.execute("DROP TABLE IF EXISTS odd CASCADE; CREATE TABLE odd (id int PRIMARY KEY, v " + type + ");"
                + " CREATE TABLE same (was odd); DELETE FROM seen");
        tasks.value("SELECT howdah.task_trigger('odd', 'INSERT INTO public.same VALUES ($2)')");
        tasks.value(
                "SELECT howdah.task_trigger('odd', 'INSERT INTO public.same SELECT unnest($2)', level => 'statement',"
                        + " name => 'all')");
        String insert = "INSERT INTO odd VALUES (1, NULL), (2, " + value + ");";
        tasks.execute(
                String.format(how, how.startsWith("DO") ? "$i$ BEGIN " + insert + " END $i$" : "$i$" + insert + "$i$"));
        await().atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(tasks.value(
                                "SELECT concat_ws(' ', (SELECT count(*) FROM same s JOIN odd o ON (s.was).id = o.id"
                                        + " AND s.was *= o), (SELECT string_agg(error, ' ') FROM task))"))
                        .isEqualTo("4"));
        tasks.execute("DROP TABLE same; DROP TABLE odd");
    }

    @Test
    void values_thatJsonDoesNotKeep_areAsTheyWere() {
        tasks.execute(
                "CREATE TYPE pair AS (a int[], b json); CREATE FUNCTION as_json(pair) RETURNS json LANGUAGE sql AS"
                        + " 'SELECT ''[1]''::json'; CREATE CAST (pair AS json) WITH FUNCTION as_json(pair)");
        try {
            assertSame("json", "'{\"text\": \"a\\u0000b\", \"a\": 1,  \"a\": 2}'");
            assertSame("int[]", "'[5:6]={1,2}'");
            // In the functions of PostgreSQL 10 a row within a row is never null.
            if (Integer.parseInt(String.valueOf(tasks.value("SELECT current_setting('server_version_num')")))
                    >= 110_000) assertSame("pair", "ROW('[0:1]={1,2}', '{ \"x\":1}')::pair");
            assertSame("float8", "0.1::float8 + 0.2");
            assertSame("text", "E'a\\\\b''\"\\n$1 ?'");
            assertSame("daterange", "'[2024-02-01,2024-03-04)'");
            assertSame("interval", "'-1 day 02:00:00'");
        } finally {
            tasks.execute("DROP TYPE pair CASCADE");
        }
    }

    @Test
    void settings_thatChangeHowValuesLook_changeNoValue() {
        assumeThat(Integer.parseInt(String.valueOf(tasks.value("SELECT current_setting('server_version_num')"))))
                .as("before 14 the driver hears of a DateStyle within a function, and gives up")
                .isGreaterThanOrEqualTo(140_000);
        tasks.execute(
                "CREATE OR REPLACE FUNCTION run_oddly(text) RETURNS void LANGUAGE plpgsql SET datestyle = 'German'"
                        + " SET intervalstyle = 'sql_standard' SET extra_float_digits = 0 SET bytea_output = 'escape'"
                        + " AS $f$ BEGIN EXECUTE $1; END $f$");
        assertSame("daterange", "'[01.02.2024,04.03.2024)'", "SELECT run_oddly(%s)");
        assertSame("interval", "'-1 2:00:00'", "SELECT run_oddly(%s)");
        assertSame("float8", "0.1::float8 + 0.2", "SELECT run_oddly(%s)");
        assertSame("bytea", "E'\\\\x00ff'", "SELECT run_oddly(%s)");
    }

    @Test
    void key_ofARowThatJsonDoesNotKeep_isItsGroup() {
        tasks.execute("DROP TABLE IF EXISTS odd; CREATE TABLE odd (id int, body json)");
        tasks.value("SELECT howdah.task_trigger('odd', 'SELECT 1', key => '{id}')");
        tasks.execute("INSERT INTO odd VALUES (7, '\"\\u0000\"'), (7, '1')");
        assertThat(tasks.value(
                        "SELECT string_agg(DISTINCT \"group\", ' ') FROM task WHERE \"group\" LIKE 'public.odd%'"))
                .isEqualTo("public.odd task:7");
        tasks.execute("DROP TABLE odd");
    }

    @Test
    void partitions_haveTheRowTypeOfTheWhole() {
        assumeThat(Integer.parseInt(String.valueOf(tasks.value("SELECT current_setting('server_version_num')"))))
                .as("10 has no triggers for rows of partitioned tables")
                .isGreaterThanOrEqualTo(110_000);
        tasks.execute("DROP TABLE payment; CREATE TABLE payment (id int, amount numeric) PARTITION BY RANGE (id);"
                + " CREATE TABLE payment_1 PARTITION OF payment FOR VALUES FROM (1) TO (10);"
                + " CREATE OR REPLACE FUNCTION settle(payment) RETURNS void LANGUAGE sql AS"
                + " 'INSERT INTO public.seen (was) VALUES ($1.amount)'");
        trigger("'SELECT public.settle($2)'");
        tasks.execute("INSERT INTO payment VALUES (1, 7)");
        seen("7");
    }

    @Test
    void nameOfTheTable_isNoFormat() {
        tasks.execute("CREATE TABLE \"a%b %s\" (id int)");
        tasks.value("SELECT howdah.task_trigger('\"a%b %s\"', 'SELECT cardinality($2)', level => 'statement',"
                + " options => '{\"plan\": \"infinity\"}')");
        tasks.execute("INSERT INTO \"a%b %s\" VALUES (1), (2); DROP TABLE \"a%b %s\"");
        assertThat(tasks.value("SELECT count(*) FROM task WHERE input LIKE '%a\\%b%'"))
                .isEqualTo("1");
    }

    @Test
    void remote_withoutSql_getsTheChangeAsJson() {
        trigger("options => '{\"remote\": \"https://api.example/payments\", \"attempts\": 5, \"plan\": \"infinity\"}'");
        tasks.execute("INSERT INTO payment (customer, amount) VALUES ('a', 1)");
        assertThat(tasks.value("SELECT concat_ws(' ', remote, attempts, once, input::json ->> 'operation',"
                        + " input::json -> 'new' ->> 'customer') FROM task"))
                .isEqualTo("https://api.example/payments 5 f INSERT a");
    }

    @Test
    void options_areColumnsOfTheTask_withAFunctionOfTheirOwn() {
        trigger("'" + SEE
                + "', options => '{\"attempts\": 5, \"timeout\": \"1 min\", \"after\": [], \"plan\": \"infinity\"}'");
        trigger("'" + SEE + "', once => false, level => 'statement', name => 'all',"
                + " options => '{\"max\": 3, \"plan\": \"infinity\"}'");
        tasks.execute("ALTER TABLE task ALTER backoff SET DEFAULT '7 s'");
        tasks.execute("INSERT INTO payment (customer, amount) VALUES ('a', 1)");
        assertThat(tasks.value(
                        "SELECT string_agg(concat_ws(' ', \"group\", attempts, timeout, after, max, once, backoff),"
                                + " ' / ' ORDER BY id) FROM task"))
                .isEqualTo(
                        "public.payment task 5 00:01:00 {} 0 t 00:00:07 / public.payment all 1 00:00:00 3 f 00:00:07");
        tasks.execute("ALTER TABLE task ALTER backoff SET DEFAULT '10 s'");
        String own = "p.proname ~ '^task_of_(change|row|statement)_[0-9a-f]{32}$'";
        assertThat(tasks.value("SELECT count(*) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
                        + " WHERE t.tgrelid = 'payment'::regclass AND " + own))
                .isEqualTo("2");
        assertThat(tasks.value("SELECT count(*) FROM pg_proc p WHERE " + own + " AND (p.prosecdef"
                        + " OR p.prosrc LIKE '%EXECUTE format%' OR p.proconfig IS NULL)"))
                .as("with the rights of the caller, and no statement that is planned each time")
                .isEqualTo("0");
        String made = tasks.value("SELECT count(*) FROM pg_proc p WHERE " + own);
        trigger(
                "'SELECT 1', name => 'same', options => '{\"timeout\": \"1 h\", \"attempts\": 2, \"after\": [1], \"plan\": \"infinity\"}'");
        assertThat(tasks.value("SELECT count(*) FROM pg_proc p WHERE " + own))
                .as("the same columns have the same function")
                .isEqualTo(made);
        for (String each : new String[] {"task", "all", "same"})
            assertThat(tasks.value("SELECT howdah.drop_task_trigger('payment', '" + each + "')"))
                    .isEqualTo("t");
        assertThat(tasks.value("SELECT count(*) FROM pg_trigger WHERE tgrelid = 'payment'::regclass"))
                .isEqualTo("0");
    }

    @Test
    void functionsOfTriggers_haveABound_andNamesThatLookLikeSqlStayNames() {
        tasks.execute(
                "CREATE TABLE \"x; DROP TABLE seen; --' $howdah$ \\ %s := (\" (\"a'; %L \\\" text, input text, data text,"
                        + " \"group\" text)");
        String hostile = "'public.\"x; DROP TABLE seen; --'' $howdah$ \\ %s := (\"'::regclass";
        assertThat(tasks.value("SELECT howdah.task_trigger('payment', 'SELECT 1', once => NULL, \"table\" => " + hostile
                        + ", options => '{\"a''; %L \\\\\": \"b\"}')"))
                .isEqualTo("task");
        tasks.execute("INSERT INTO payment (customer) VALUES ('a')");
        assertThat(tasks.value("SELECT \"a'; %L \\\" FROM \"x; DROP TABLE seen; --' $howdah$ \\ %s := (\""))
                .isEqualTo("b");
        assertThat(tasks.value("SELECT howdah.task_trigger_function('payment', '{colour}', 'row')"))
                .isEqualTo("howdah.task_of_row");
        tasks.execute("DO $$ BEGIN FOR i IN 1..1000 LOOP EXECUTE format('CREATE FUNCTION howdah.task_of_row_%s()"
                + " RETURNS int LANGUAGE sql AS ''SELECT 1''', md5(i::text)); END LOOP; END $$");
        try {
            trigger("'" + SEE + "', options => '{\"attempts\": 4, \"live\": \"1 s\"}'");
            tasks.execute("INSERT INTO payment (customer) VALUES ('a')");
            seen("INSERT|a");
        } finally {
            tasks.execute("DO $$ BEGIN FOR i IN 1..1000 LOOP EXECUTE format('DROP FUNCTION howdah.task_of_row_%s()',"
                    + " md5(i::text)); END LOOP; END $$");
        }
    }

    @Test
    void badArguments_areRefusedInASentence() {
        for (String[] each : new String[][] {
            {"'x', 'TRUNCATE'", "it has to be INSERT, UPDATE, DELETE"},
            {"'x', level => 'table'", "row or statement"},
            {"'x', level => 'statement', key => '{id}'", "are for level row"},
            {"'x', key => '{colour}'", "public.payment has no column \"colour\""},
            {"'x', options => '{\"owner\": \"postgres\"}'", "options cannot have \"owner\""},
            {"'x', options => '{\"colour\": 1}'", "options cannot have \"colour\""},
            {"NULL", "it needs SQL, or a remote"},
            {"'x', columns => '{id}'", "columns is for UPDATE"},
            {"'x', name => ''", "a name of 1 to 50 bytes"},
            {"'x', \"when\" => 'true) EXECUTE FUNCTION evil('", "syntax error"}
        }) assertThatThrownBy(() -> trigger(each[0])).as(each[0]).hasMessageContaining(each[1]);
        assertThat(tasks.value("SELECT count(*) FROM pg_trigger WHERE tgrelid = 'payment'::regclass"))
                .isEqualTo("0");
    }

    private @Nullable String as(String role, String sql) {
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:" + database.uri().replace("postgres@", "") + "?user=" + role);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return null;
        } catch (SQLException e) {
            return e.getMessage();
        }
    }

    @Test
    void hostileRole_getsNoMoreThanItsOwnPrivileges() {
        String app = database.name() + "_app";
        String mallory = database.name() + "_mallory";
        tasks.execute("CREATE ROLE " + app + " LOGIN; CREATE ROLE " + mallory
                + " LOGIN; CREATE TABLE IF NOT EXISTS vault (x text);"
                + " GRANT INSERT ON payment TO " + app + ", " + mallory
                + "; GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO "
                + app + ", " + mallory + "; GRANT INSERT, SELECT ON task, seen TO " + app);
        try {
            trigger(
                    "'INSERT INTO public.seen (was) SELECT current_user || ($2).amount', key => '{customer}', latest => true");
            // No right to add tasks: the change itself fails.
            assertThat(as(mallory, "INSERT INTO payment (customer) VALUES ('a')"))
                    .containsPattern("permission denied for (table|relation) task");
            assertThat(as(mallory, "SELECT howdah.task_trigger('payment', 'SELECT 1', name => 'mine')"))
                    .containsPattern("permission denied for (table|relation) payment");
            assertThat(as(mallory, "SELECT howdah.drop_task_trigger('payment')"))
                    .contains("must be owner");
            tasks.execute("GRANT INSERT, SELECT ON task TO " + mallory);
            assertThat(as(
                            mallory,
                            "SELECT howdah.task_of_change(jsonb_build_object('table', 'public.task', 'group', 'g',"
                                    + " 'name', 'n', 'level', 'row', 'sql', 'SELECT 1', 'columns', '{\"owner\": \"postgres\"}'::jsonb),"
                                    + " 'INSERT', 'payment', NULL, NULL)"))
                    .contains("may not add a task of role \"postgres\"");
            assertThat(as(
                            mallory,
                            "SELECT howdah.task_of_change('{\"table\": \"public.task (input) SELECT 1 --\"}',"
                                    + " 'INSERT', 'payment', NULL, NULL)"))
                    .isNotNull();
            // A task of the same lane keeps no change of another role from being seen.
            assertThat(as(app, "INSERT INTO payment (customer, amount) VALUES ('a', 1)"))
                    .isNull();
            seen(app + "1");
            assertThat(
                            as(
                                    mallory,
                                    "INSERT INTO task (\"group\", data, input) SELECT 'public.payment task:a',"
                                            + " 'trigger public.payment task', 'SELECT pg_sleep(0.2)' FROM generate_series(1, 5)"))
                    .isNull();
            assertThat(as(app, "INSERT INTO payment (customer, amount) VALUES ('a', 2)"))
                    .isNull();
            assertThat(
                            as(
                                    mallory,
                                    "INSERT INTO task (\"group\", data, input) SELECT 'public.payment task:a',"
                                            + " 'trigger public.payment task', 'SELECT pg_sleep(0.2)' FROM generate_series(1, 5)"))
                    .isNull();
            seen(app + "1 / " + app + "2");
            // It runs as the role that wrote the row: that one may not write to the table.
            assertThat(as(mallory, "INSERT INTO payment (customer, amount) VALUES ('m', 3)"))
                    .isNull();
            await().atMost(Patience.LIMIT)
                    .untilAsserted(
                            () -> assertThat(tasks.value("SELECT max(error) FROM task WHERE owner = '" + mallory + "'"))
                                    .containsPattern("permission denied for (table|relation) seen"));
        } finally {
            tasks.execute("DROP OWNED BY " + app + ", " + mallory + "; DROP ROLE " + app + ", " + mallory);
        }
    }
}
