package dev.howdah.task;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.text.Identifiers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever the columns of a row hold, tasks of other owners go on: values at the bounds of their types, alone and in any
 * combination, while the scheduler works and when it starts. The seed is fixed; {@code -Dhowdah.fuzz.seed} and {@code
 * -Dhowdah.fuzz.rows} choose another and more rows.
 */
class TaskFieldFuzzTest {
    private static final int ROWS = Integer.getInteger("howdah.fuzz.rows", 250);
    private static final long SEED = Long.getLong("howdah.fuzz.seed", 20261122);

    private static final List<String> TIMES = List.of(
            "'4714-11-24 00:00:00+00 BC'",
            "'0001-01-01 00:00:00+00'",
            "'1677-09-21 00:12:42+00'",
            "'1970-01-01 00:00:00+00'",
            "now()",
            "now() + interval '1 h'",
            "'9999-12-31 23:59:59+00'",
            "'294247-01-11 00:00:00+00'",
            "'294276-12-31 23:59:59.999999+00'",
            "'infinity'",
            "'-infinity'",
            "NULL");
    private static final List<String> INTERVALS = List.of(
            "'0'",
            "'1 microsecond'",
            "'1 day'",
            "'1 mon'",
            "'1 mon -30 days 1 us'",
            "'-1 s'",
            "'100000 years'",
            "'178000000 years'",
            "'-178000000 years'",
            "'2147483647 days'",
            // Less than 100,000 years in all, but beyond the calendar when its months are added first.
            "'-5882500 years 2147483647 days'",
            "'5882500 years -2117400000 days'",
            "'2562047788:00:54.775807'",
            "'infinity'",
            "NULL");
    private static final List<String> SLOW_INTERVALS = INTERVALS.stream()
            .filter(each -> !each.matches("'0'|.*(micro|us').*"))
            .collect(Collectors.toList());
    private static final List<String> INTS = List.of("-2147483648", "-1", "0", "1", "7", "2147483647", "NULL");
    private static final List<String> BIGINTS =
            List.of("-9223372036854775808", "-1", "0", "1", "9223372036854775806", "9223372036854775807", "NULL");
    private static final List<String> BOOLEANS = List.of("true", "false", "NULL");
    private static final List<String> CHARS =
            List.of("''", "'a'", "'\"'", "E'\\t'", "E'\\n'", "'é'", "'🐘'", "'ab'", "NULL");
    private static final List<String> TEXTS = List.of(
            "''",
            "' '",
            "'x'",
            "'é🐘'",
            "E'\\u0001\\n\\t\\\\'",
            "E'\\uFFFF'",
            "repeat('x', 200000)",
            "repeat(md5(random()::text), 3000)",
            "NULL");

    private static final Map<String, List<String>> VALUES = new LinkedHashMap<>();

    static {
        for (String each : List.of("plan", "start", "stop")) VALUES.put(each, TIMES);
        for (String each : List.of("active", "live", "timeout")) VALUES.put(each, INTERVALS);
        for (String each : List.of("repeat", "backoff")) VALUES.put(each, SLOW_INTERVALS);
        for (String each : List.of("count", "max", "pid", "attempts")) VALUES.put(each, INTS);
        for (String each : List.of("id", "parent", "retry")) VALUES.put(each, BIGINTS);
        for (String each : List.of("delete", "drift", "header", "save", "string", "once")) VALUES.put(each, BOOLEANS);
        for (String each : List.of("delimiter", "escape", "quote")) VALUES.put(each, CHARS);
        for (String each : List.of("data", "error", "group", "null", "output")) VALUES.put(each, TEXTS);
        VALUES.put("state", List.of("'PLAN'", "'GONE'", "'TAKE'", "'WORK'", "'DONE'", "'FAIL'", "'STOP'", "NULL"));
        VALUES.put(
                "input",
                List.of(
                        "''",
                        "';;'",
                        "'SELECT'",
                        "'nonsense'",
                        "'SELECT 1/0'",
                        "E'SELECT \\u0001'",
                        "'SELECT 1 /*' || repeat('x', 1000000) || '*/'",
                        "'SELECT repeat(''x'', 1000000)'",
                        "'BEGIN; SET ROLE NONE'"));
        VALUES.put(
                "remote",
                List.of(
                        "'=nonsense'",
                        "''",
                        "'host=127.0.0.1 port=1 connect_timeout=2'",
                        "'postgresql://['",
                        "repeat('x', 100000)",
                        "E'host=\\n'",
                        "NULL"));
        VALUES.put("notify", List.of("''", "'x'", "repeat('n', 63)", "repeat('n', 64)", "'howdah_task'", "NULL"));
        VALUES.put(
                "cron",
                List.of(
                        "'* * * * *'",
                        "'*/20 * * * * *'",
                        "'61 * * * *'",
                        "'0 0 30 2 *'",
                        "'0 0 29 2 1#5'",
                        "'@yearly'",
                        "'@nonsense'",
                        "'0-59/0 * * * *'",
                        "'0 0 LW 2 *'",
                        "'9999 9999 9999 9999 9999'",
                        "'? ? ? ? ?'",
                        "NULL"));
        VALUES.put(
                "zone",
                List.of(
                        "'Europe/Berlin'",
                        "'Mars/Phobos'",
                        "''",
                        "'../../etc/passwd'",
                        "'UTC+3'",
                        "'<+03>-3'",
                        "'<x>+99:99'",
                        "repeat('Z', 10000)",
                        "NULL"));
        VALUES.put(
                "after",
                List.of("'{}'", "'{1}'", "'{-1}'", "'{9223372036854775807}'", "'{1,1,1}'", "'{NULL}'", "'{{1},{2}}'"));
        VALUES.put("owner", List.of("'postgres'", "'nobody at all'", "''", "'public'", "NULL"));
    }

    private static void server(TestDatabase database) {
        database.execute("CREATE ROLE " + database.name() + "_victim LOGIN; ALTER DATABASE " + database.name()
                + " SET pg_task.retention = '1 hour'; ALTER DATABASE " + database.name()
                + " SET pg_task.cancel = 'on'");
    }

    private static void drop(TestDatabase database) {
        String victim = database.name() + "_victim";
        for (List<String> login : database.query("SELECT m.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid ="
                + " a.member JOIN pg_roles o ON o.oid = a.roleid WHERE o.rolname = '" + victim + "'"))
            database.execute("DROP OWNED BY " + Identifiers.quote(login.get(0)) + "; DROP ROLE "
                    + Identifiers.quote(login.get(0)));
        database.execute("DROP OWNED BY " + victim + " CASCADE; DROP ROLE " + victim);
    }

    /** Adds tasks of another role, in a group of their own and in that of the others, and waits for their ends. */
    private static void assertGoesOn(TestDatabase database, Scheduled tasks, String what) throws SQLException {
        String victim = database.name() + "_victim";
        long id;
        try (Connection connection =
                        Database.of(database.uri()).withUser(victim).connect();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO task (input, max, data) VALUES ('SELECT current_user', 9, 'victim')");
            statement.execute(
                    "INSERT INTO task (input, \"group\", data) VALUES ('SELECT current_user', 'apart', 'victim')");
        }
        Scheduled.awaiting("tasks of another owner after " + what)
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE data = 'victim' AND state <> 'DONE'") == 0);
        assertThat(tasks.times("waiting")).as("terms that ended: " + tasks.told).isZero();
        assertThat(tasks.list("SELECT DISTINCT output FROM task WHERE data = 'victim'"))
                .containsExactly(victim);
        tasks.execute("DELETE FROM task WHERE data = 'victim'");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void rows_withAnyValues_leaveTasksOfOthersAlone(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            server(database);
            Random random = new Random(SEED);
            int added;
            try (Scheduled tasks = Scheduled.at(database.uri()).serve()) {
                grant(database);
                added = addRows(database, tasks, random);
                assertGoesOn(database, tasks, "all rows, seed " + SEED);
                assertThat(tasks.times("active")).as("terms: " + tasks.told).isEqualTo(1);
            }
            assertThat(added).as("rows that the table took").isGreaterThan(ROWS / 3);
            restart(database);
            drop(database);
        }
    }

    private static void grant(TestDatabase database) {
        database.execute("GRANT INSERT, SELECT ON task TO " + database.name() + "_victim;"
                + " GRANT USAGE ON SEQUENCE task_id_seq TO " + database.name() + "_victim");
    }

    private static int addRows(TestDatabase database, Scheduled tasks, Random random) throws SQLException {
        int added = 0;
        List<String> names = List.copyOf(VALUES.keySet());
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < ROWS; i++) {
                Map<String, String> row = new TreeMap<>(Map.of("input", "'SELECT 1'"));
                for (int n = random.nextInt(4); n >= 0; n--) {
                    String name = names.get(random.nextInt(names.size()));
                    List<String> values = requireNonNull(VALUES.get(name));
                    row.put(name, values.get(random.nextInt(values.size())));
                }
                added += insert(statement, row);
                if (i % 60 == 59) assertGoesOn(database, tasks, i + " rows, seed " + SEED + ", last " + row);
            }
        }
        return added;
    }

    private static int insert(Statement statement, Map<String, String> row) {
        String columns = row.keySet().stream().map(Identifiers::quote).collect(Collectors.joining(", "));
        String insert = "INSERT INTO task (" + columns + ") VALUES (" + String.join(", ", row.values()) + ")";
        try {
            statement.execute(insert);
            return 1;
        } catch (SQLException e) {
            if (!String.valueOf(e.getSQLState()).matches("(22|23|42|54|0A).*")) fail(insert, e);
            return 0;
        }
    }

    /** The rows are there from the beginning of a term, with whatever states they claim to be in. */
    private static void restart(TestDatabase database) throws SQLException {
        database.execute("ALTER TABLE task DISABLE TRIGGER USER;"
                + " UPDATE task SET state = (ARRAY['PLAN', 'TAKE', 'WORK', 'DONE']::state[])[1 + abs(hashint8(id)) % 4],"
                + " stop = CASE WHEN id % 2 = 0 THEN stop END WHERE id % 3 <> 0; ALTER TABLE task ENABLE TRIGGER USER");
        try (Scheduled tasks = Scheduled.at(database.uri()).serve()) {
            assertGoesOn(database, tasks, "a start with all rows, seed " + SEED);
            assertThat(tasks.times("active")).as("terms: " + tasks.told).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cron, plan) VALUES ('SELECT 1', '* * * * *', '4714-11-24 00:00:00+00 BC')",
                "state, stop) VALUES ('SELECT 1', 'DONE', 'infinity')"
            })
    void row_thatCannotBeComputed_failsAlone(String row) throws SQLException {
        try (TestDatabase database =
                TestDatabase.create(TestServer.of(TestServer.majors().get(0)))) {
            server(database);
            for (boolean before : new boolean[] {false, true}) {
                try (Scheduled tasks = Scheduled.at(database.uri()).serve()) {
                    if (!before) grant(database);
                    if (!before) tasks.execute("INSERT INTO task (input, " + row);
                    assertGoesOn(database, tasks, row);
                    assertThat(tasks.times("active")).as("terms: " + tasks.told).isEqualTo(1);
                }
            }
            drop(database);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(
            strings = {
                "cron, plan) VALUES ('SELECT 1', '* * * * *', '0001-01-01')",
                "active, plan) VALUES ('SELECT 1', '-5882500 years 2147483647 days', now())",
                "state, remote, pid, start) VALUES ('SELECT 1', 'WORK', 'host=127.0.0.1 port=1', 1, 'infinity')",
                "state, remote, pid, start) VALUES ('SELECT 1', 'WORK', 'host=127.0.0.1 port=1', 1, '-infinity')",
                "state, stop) VALUES ('SELECT 1', 'DONE', '294276-12-31 23:59:59+00')",
                "state, stop) VALUES ('SELECT 1', 'DONE', '4714-11-24 00:00:00+00 BC')"
            })
    void row_thatCannotBeComputedEither_failsAlone(String row) throws SQLException {
        row_thatCannotBeComputed_failsAlone(row);
    }

    @Test
    void row_thatCannotBePutBack_leavesTheOthersTheirStart() throws SQLException {
        try (TestDatabase database = TestDatabase.create()) {
            server(database);
            Scheduled.at(database.uri()).serve().close();
            grant(database);
            database.execute(
                    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;"
                            + " CREATE TRIGGER refuse BEFORE UPDATE ON task FOR EACH ROW WHEN (NEW.data = 'bad')"
                            + " EXECUTE FUNCTION refuse();"
                            + " INSERT INTO task (input, data, state) VALUES ('SELECT 1', 'bad', 'WORK'),"
                            + " ('SELECT 1', 'bad', 'TAKE'), ('SELECT 1', 'good', 'WORK')");
            try (Scheduled tasks = Scheduled.at(database.uri()).serve()) {
                tasks.execute(
                        "INSERT INTO task (input, data, remote) VALUES ('SELECT 1', 'bad', 'host=127.0.0.1 port=1')");
                assertGoesOn(database, tasks, "rows that nobody may change");
                Scheduled.awaiting("what was put back")
                        .until(() -> tasks.value("SELECT state FROM task WHERE data = 'good'")
                                .equals("DONE"));
                assertThat(tasks.times("active")).as("terms: " + tasks.told).isEqualTo(1);
                List<String> states = new ArrayList<>(tasks.list("SELECT state::text FROM task WHERE data = 'bad'"));
                assertThat(states).containsExactlyInAnyOrder("WORK", "TAKE", "PLAN");
            }
            drop(database);
        }
    }
}
