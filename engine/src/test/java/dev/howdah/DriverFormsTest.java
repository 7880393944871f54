package dev.howdah;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each function of the schema {@code howdah}, with each argument in each form in which drivers send it: the call is neither ambiguous nor
 * unknown, and does the same.
 */
@PostgresTest
class DriverFormsTest {
    /** A right call of each function, with all its arguments: {@code name = value} of a kind. Several calls where variants differ in names. */
    private static final String CALLS = """
            add: queue text q; kind text k; payload json {"n": 1}; priority int 3; run_at time 2030-01-01 00:00:00+00; key text x; \
            version time 2030-01-01 00:00:00+00; attempts int 3; timeout interval 1 hour; options json {"tags": ["a"]}
            add: queue text q; kind text k; payload json {"n": 1}; delay interval PT5M
            add_many: queue text q; kind text k; payloads jsons [1, 2]; priority int 3; run_at time 2030-01-01 00:00:00+00; \
            attempts int 3; timeout interval 1 hour; options json {"tags": ["a"]}
            add_many: queue text q; kind text k; payloads jsons [1]; delay interval 90 seconds
            add_keyed_many: queue text q; kind text k; payloads jsons [1, 2]; keys texts {a,b}; \
            versions times {2030-01-01 00:00:00+00,2030-01-02 00:00:00+00}; priority int 3; options json {"tags": ["a"]}
            add_ordered: queue text q; kind text k; payload json 1; key text x; priority int 3; options json {"tags": ["a"]}
            add_workflow: jobs json [{"name": "a", "queue": "q", "kind": "k"}]; name text n; open bool false; \
            when_ended json {"queue": "q", "kind": "z"}; when_done json {"queue": "q", "kind": "z"}; when_failed json {"queue": "q", "kind": "z"}
            add_to_workflow: workflow int 1; queue text q; kind text k; payloads jsons [1]; priority int 3; \
            run_at time 2030-01-01 00:00:00+00; attempts int 3; timeout interval 1 hour; options json {"tags": ["a"]}
            add_to_workflow: workflow int 1; queue text q; kind text k; payloads jsons [1]; delay interval 1 hour
            add_to_workflow: workflow int 1; jobs json [{"name": "b", "queue": "q", "kind": "k"}]
            close_workflow: id int 1
            cancel_workflow: id int 1
            put_pipeline: name text p2; stages json [{"name": "a", "kind": "k"}]
            add_to_pipeline: name text p; input json {"n": 1}
            remove_pipeline: name text p
            schedule: name text s; queue text q; kind text k; payload json 1; cron text 0 3 * * *; zone text UTC; missed text once; \
            priority int 1; starts_at time 2030-01-01 00:00:00+00; overlap text allow; jitter interval 0 s; catch_up interval 1 hour; \
            key text x; calendar text c; on_holiday text skip; skipped_hour text run; doubled_hour text first; options json {"tags": ["a"]}
            schedule: name text s; queue text q; kind text k; period interval 1 day
            unschedule: name text known
            pause_schedule: name text known
            resume_schedule: name text known
            run_schedule: name text known
            schedule_runs: name text known; n int 2; after time 2030-01-01 00:00:00+00
            next_runs: cron text 0 3 * * *; zone text UTC; n int 2; after time 2030-01-01 00:00:00+00; skipped_hour text run; \
            doubled_hour text first; calendar text c; on_holiday text skip
            add_holidays: calendar text c; days days {2030-12-25}
            remove_holidays: calendar text c; days days {2026-12-25}
            why_schedule: name text known
            why_job: id int 1
            find: id int 1
            stages: job int 1
            attempts: job int 1
            wait_job: id int 3; timeout interval 1 ms
            error_pattern: error text timeout after 5 s
            cancel: id int 1
            retry: id int 1
            delete_job: id int 1
            hurry: id int 1
            hurry: queue text q; error text x
            spread: queue text q; over interval 1 hour
            rerun: id int 3; from_step text a
            reprioritize: id int 1; priority int 3
            set_tags: id int 1; tags texts {a,b}
            reschedule: id int 1; run_at time 2030-01-01 00:00:00+00
            set_payload: id int 1; payload json {"n": 1}; was json 1
            move_jobs: jobs ints {1}; to_queue text other
            change_jobs: action text retry; state text failed; queue text q; kind text k; key text x; error text e; \
            payload json {"n": 1}; since time 2030-01-01 00:00:00+00; before time 2030-02-01 00:00:00+00; \
            tags texts {a}; metadata json {"n": 1}; changed int 0
            pause: queue text q; kind text k
            resume: queue text q; kind text k
            limit: queue text q; most int 3; kind text k; each_node bool false
            limit: queue text q; most int 3; group_name text g; each_group bool false
            rate_limit: queue text q; most int 3; period interval 1 hour; burst int 3; kind text k; each_group bool false
            rate_limit: queue text q; most int 3; period interval 1 hour; group_name text g
            share: queue text q; group_name text g; share float 2
            age: queue text q; every interval 1 hour; most int 3
            queue: queue text q2; storage text log; keep interval 1 hour
            add_reader: queue text log; reader text r2; since time 2020-01-01 00:00:00+00
            seek_reader: queue text log; reader text r; since time 2020-01-01 00:00:00+00
            drop_reader: queue text log; reader text r
            log_readers:
            unread:
            limit_unread: queue text log; most text 10 MB
            retain: queue text q; outcome text done; keep interval 1 day; archive text public.archived
            retain: queue text q; outcome text done; keep interval 1 day
            count_tag: tag text a; most int 10
            uncount_tag: tag text a
            emit: topic text t; key text k; payload json {"n": 1}; keep interval 1 hour
            signal: job int 1; name text n; payload json {"n": 1}; id text i; once bool false
            signal: queue text q; kind text k; key text known; name text n; payload json {"n": 1}; id text i; once bool false
            signal_or_add: queue text q; kind text k; key text x; name text n; payload json {"n": 1}; job json {"n": 1}; id text i; \
            once bool false; priority int 1; delay interval 1 hour; attempts int 3; timeout interval 1 hour; options json {"tags": ["a"]}
            signal_token: job int 1; name text n; keep interval 1 day
            release_signals: job int 1
            drop_record: id int 1; type text step; name text a; nth int 1
            set_version: kind text k; version text 1; other text 2
            delegate: queue text q; kind text k; role text postgres
            undelegate: queue text q; kind text k; role text postgres
            allow: role role postgres; duty text reader
            make_days:
            start_process: namespace text n; id text new; args json {"n": 1}
            notify_process: namespace text n; id text known; args json {"n": 1}
            why_process: namespace text n; id text known
            why_sweep: name text s
            """;

    /** The types with which drivers declare a value of a kind; the empty one is a value without a type. */
    private static final Map<String, List<String>> FORMS = Map.ofEntries(
            Map.entry("text", List.of("", "text", "varchar", "name")),
            Map.entry("role", List.of("", "text", "varchar")),
            Map.entry("bool", List.of("", "boolean")),
            Map.entry("int", List.of("", "smallint", "integer", "bigint")),
            Map.entry("float", List.of("", "integer", "bigint", "double precision", "numeric")),
            Map.entry("json", List.of("", "json", "jsonb", "text", "varchar")),
            Map.entry(
                    "jsons",
                    List.of("", "json", "jsonb", "text", "varchar", "json[]", "jsonb[]", "text[]", "varchar[]")),
            Map.entry("interval", List.of("", "interval", "text", "varchar")),
            Map.entry("time", List.of("", "timestamptz", "timestamp", "text", "varchar")),
            Map.entry("times", List.of("", "timestamptz[]", "text[]", "varchar[]")),
            Map.entry("days", List.of("", "date[]", "text[]", "varchar[]")),
            Map.entry("texts", List.of("", "text[]", "varchar[]")),
            Map.entry("ints", List.of("", "smallint[]", "integer[]", "bigint[]")));

    private record Argument(String name, String kind, String value) {
        List<String> forms() {
            return requireNonNull(FORMS.get(kind), kind);
        }

        /** The text of the value as one of that type. */
        String as(String type) {
            String text = kind.equals("jsons") && type.endsWith("[]")
                    ? value.replace('[', '{').replace(']', '}')
                    : value;
            return "'" + text.replace("'", "''") + "'" + (type.isEmpty() ? "" : "::" + type);
        }
    }

    private record Call(String function, List<Argument> arguments) {
        String with(Argument other, String value) {
            return with(each -> each == other ? value : each.as(""));
        }

        String with(Function<Argument, String> values) {
            StringBuilder text = new StringBuilder(function.equals("change_jobs") ? "CALL" : "SELECT * FROM")
                    .append(" howdah." + function + "(");
            String between = "";
            for (Argument each : arguments) {
                text.append(between).append(each.name()).append(" => ").append(values.apply(each));
                between = ", ";
            }
            return text.append(")").toString();
        }
    }

    private final TestDatabase database;

    DriverFormsTest(TestDatabase database) {
        this.database = database;
        database.fill("driver-forms", DriverFormsTest::fill);
    }

    private static void fill(TestDatabase made) {
        try (Connection connection = made.connect()) {
            Jobs.install(connection);
            Processes.install(connection);
            Sweep.install(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        made.execute("SELECT howdah.add('q', 'k', '1', key => 'known'); SELECT howdah.add_workflow("
                + "'[{\"name\": \"a\", \"queue\": \"q\", \"kind\": \"k\"}]', open => true);"
                + " SELECT howdah.put_pipeline('p', '[{\"name\": \"a\", \"kind\": \"k\"}]');"
                + " SELECT howdah.schedule('known', 'q', 'k', cron => '0 3 * * *'); SELECT howdah.add_holidays('c', '{2026-12-25}');"
                + " SELECT howdah.queue('log', 'log'); SELECT howdah.add_reader('log', 'r');"
                + " INSERT INTO howdah_internal.process_namespace (name) VALUES ('n');"
                + " SELECT howdah.start_process('n', 'known'); UPDATE howdah_internal.process SET status = 'running';"
                + " CREATE FUNCTION public.archived(jsonb) RETURNS void LANGUAGE sql AS '';"
                + " SELECT howdah.cancel((SELECT a.id FROM howdah.add('q', 'gone', '1') a))");
    }

    private static List<Call> calls() {
        List<Call> calls = new ArrayList<>();
        for (String line : CALLS.split("\n")) {
            if (line.isBlank()) continue;
            int colon = line.indexOf(':');
            List<Argument> arguments = new ArrayList<>();
            for (String each : line.substring(colon + 1).split("; ")) {
                String[] parts = each.strip().split(" ", 3);
                if (parts.length == 3) arguments.add(new Argument(parts[0], parts[1], parts[2]));
            }
            calls.add(new Call(line.substring(0, colon), arguments));
        }
        return calls;
    }

    @Tag("long")
    @Test
    void eachArgument_inEachForm_doesTheSame() throws SQLException {
        Map<String, String> wrong = new LinkedHashMap<>();
        Map<String, String> refused = new LinkedHashMap<>();
        int tried = 0;
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            Savepoint before = connection.setSavepoint();
            for (Call call : calls()) {
                String expected = outcome(statement, connection, before, call.with(each -> each.as("")));
                if (expected.matches("(?s)[0-9A-Z]{5} .*")) refused.put(call.function(), expected);
                for (Argument argument : call.arguments())
                    for (String type : argument.forms()) {
                        tried++;
                        String text = call.with(argument, argument.as(type));
                        String found = outcome(statement, connection, before, text);
                        if (!found.equals(expected)) wrong.put(text, found + " in place of " + expected);
                    }
            }
        }
        assertThat(wrong).isEmpty();
        // The job has recorded no step.
        assertThat(refused.keySet()).as("calls that are right: %s", refused).containsExactly("rerun");
        assertThat(tried).isGreaterThan(900);
    }

    /** All arguments of a call as one driver sends them. */
    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "text, json, bigint, text, text",
        "text, jsonb, bigint, text, timestamptz",
        "varchar, varchar, integer, varchar, varchar",
        "varchar, json, integer, interval, timestamptz",
        "text, text, bigint, interval, timestamptz",
        "text, jsonb, integer, interval, timestamptz",
        "varchar, jsonb, bigint, varchar, timestamptz"
    })
    void allArguments_asOneDriverDeclaresThem_areTaken(
            String text, String json, String integer, String interval, String time) throws SQLException {
        Map<String, String> types =
                Map.of("text", text, "json", json, "jsons", json, "int", integer, "interval", interval, "time", time);
        Map<String, String> wrong = new LinkedHashMap<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            Savepoint before = connection.setSavepoint();
            for (Call call : calls()) {
                String expected = outcome(statement, connection, before, call.with(each -> each.as("")));
                String declared = call.with(each -> each.as(types.getOrDefault(each.kind(), "")));
                String found = outcome(statement, connection, before, declared);
                if (!found.equals(expected)) wrong.put(declared, found + " in place of " + expected);
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** What is absent is NULL for many drivers. */
    @Tag("long")
    @Test
    void optionalArguments_asNull_areAsIfTheyWereAbsent() throws SQLException {
        Map<String, String> wrong = new LinkedHashMap<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            Savepoint before = connection.setSavepoint();
            for (Call call : calls())
                for (Argument argument : call.arguments()) {
                    if (argument.name().equals("changed") || !optional(call).contains(argument.name())) continue;
                    List<Argument> others = new ArrayList<>(call.arguments());
                    others.remove(argument);
                    Call absent = new Call(call.function(), others);
                    String expected = outcome(statement, connection, before, absent.with(each -> each.as("")));
                    for (String type : argument.forms()) {
                        String text = call.with(argument, "NULL" + (type.isEmpty() ? "" : "::" + type));
                        String found = outcome(statement, connection, before, text);
                        if (!found.equals(expected)) wrong.put(text, found + " in place of " + expected);
                    }
                }
        }
        assertThat(wrong).isEmpty();
    }

    /**
     * Functions of the schema {@code howdah} run with the rights of another role where a function of that role calls them, and with the path
     * of the caller. What the path finds there first may be of a third role: no body may look for anything by it. A call refers to
     * what it does not come to, such as a default, as well.
     */
    @Tag("long")
    @ParameterizedTest
    @CsvSource({"'', '', ''", "pg_catalog.json, pg_catalog.interval, pg_catalog.timestamptz"})
    void calls_withAHostileSchemaFirstInThePath_findNothingOfIt(String json, String interval, String time)
            throws SQLException {
        Map<String, String> types = Map.of("json", json, "jsons", json, "interval", interval, "time", time);
        Map<String, String> wrong = new LinkedHashMap<>();
        String caller = database.name() + "_caller";
        HostileSchema.make(database);
        database.execute(
                "CREATE ROLE " + caller + "; GRANT USAGE ON SCHEMA hostile, howdah, howdah_internal TO " + caller
                        + "; GRANT ALL ON ALL TABLES IN SCHEMA howdah, howdah_internal TO " + caller
                        + "; GRANT ALL ON ALL SEQUENCES IN SCHEMA howdah, howdah_internal TO " + caller
                        + "; GRANT ALL ON ALL ROUTINES IN SCHEMA howdah, howdah_internal TO " + caller);
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION AUTHORIZATION " + caller + "; SET plan_cache_mode = force_generic_plan");
            connection.setAutoCommit(false);
            Savepoint before = connection.setSavepoint();
            for (Call call : calls()) {
                String text = call.with(each -> each.as(types.getOrDefault(each.kind(), "")));
                statement.execute("SET search_path = pg_catalog");
                String expected = outcome(statement, connection, before, text);
                statement.execute("SET search_path = hostile, pg_catalog");
                String found = outcome(statement, connection, before, text);
                if (!found.equals(expected)) wrong.put(text, found + " in place of " + expected);
            }
        } finally {
            database.execute("DROP OWNED BY " + caller + "; DROP ROLE " + caller + "; DROP SCHEMA hostile CASCADE");
        }
        assertThat(wrong).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "jsonb", "text", "varchar", "varchar(9)", "char(9)", "name", "word", "short_word"})
    void payloads_inAnArrayOfTexts_areJson(String type) {
        database.execute("CREATE DOMAIN word AS text; CREATE DOMAIN short_word AS char(9)");
        try {
            database.execute(
                    "SELECT howdah.add_many('q', '" + type + "', ARRAY['{\"a\":1}', '{\"a\":2}']::" + type + "[])");
            assertThat(database.value(
                            "SELECT string_agg(payload ->> 'a', ' ' ORDER BY id) FROM howdah.jobs WHERE kind = '" + type
                                    + "'"))
                    .isEqualTo("1 2");
        } finally {
            database.execute("DROP DOMAIN word, short_word");
        }
    }

    private TreeSet<String> optional(Call call) {
        TreeSet<String> names = new TreeSet<>();
        for (List<@Nullable String> row : database.query("""
                SELECT a.name
                FROM pg_proc p, unnest(p.proargnames[:p.pronargs]) WITH ORDINALITY AS a (name, n)
                WHERE p.pronamespace = 'howdah'::regnamespace AND p.proname = '%s' AND a.n > p.pronargs - p.pronargdefaults""".formatted(call.function())))
            names.add(String.valueOf(row.get(0)));
        if (call.function().equals("signal") && call.arguments().get(0).name().equals("job")) names.remove("job");
        return names;
    }

    @Test
    void calls_areOfEachFunction_withEachArgument() {
        TreeSet<String> called = new TreeSet<>();
        for (Call call : calls()) {
            called.add(call.function());
            for (Argument each : call.arguments()) called.add(call.function() + " " + each.name());
        }
        TreeSet<String> made = new TreeSet<>();
        for (List<@Nullable String> row : database.query("""
                SELECT DISTINCT p.proname || COALESCE(' ' || a.name, '')
                FROM pg_proc p
                LEFT JOIN unnest(p.proargnames[:p.pronargs] || NULL::text) AS a (name) ON true
                WHERE p.pronamespace = 'howdah'::regnamespace AND p.prorettype IS DISTINCT FROM 'trigger'::regtype""")) made.add(String.valueOf(row.get(0)));
        made.remove("change_jobs to_queue");
        assertThat(called).isEqualTo(made);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "delay => '5000' | delay is 5000 without a unit: say '5000 seconds', for instance",
                "delay => 'soon' | delay has to be an interval, such as '90 seconds' or PT90S",
                "run_at => 'soon' | run_at has to be a time, such as 2030-01-31T12:00:00Z",
                "options => '{\"tags\": \"\\u0000\"}' | options has to be JSON",
                "options => 'x' | options has to be JSON",
                "payload => '{' | payload has to be JSON",
                "priority => 3000000000 | priority is 3000000000: it has to be from -2147483648 to 2147483647"
            })
    void argument_thatIsWrong_isNamed(String argument, String said) {
        assertThatThrownBy(() -> database.execute("SELECT howdah.add(queue => 'q', kind => 'k', " + argument + ")"))
                .hasMessageContaining(said);
    }

    /** What it returns, or the SQLSTATE; numbers of sequences and random texts left out. */
    private static String outcome(Statement statement, Connection connection, Savepoint before, String text)
            throws SQLException {
        try {
            StringBuilder rows = new StringBuilder();
            if (statement.execute(text))
                try (ResultSet row = statement.getResultSet()) {
                    while (row.next()) {
                        for (int column = 1; column <= row.getMetaData().getColumnCount(); column++)
                            rows.append(row.getString(column)).append(' ');
                        rows.append('\n');
                    }
                }
            return text.contains("howdah.signal_token")
                    ? "a token"
                    : rows.toString().replaceAll("\\b\\d+\\b", "n");
        } catch (SQLException e) {
            return e.getSQLState() + " "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        } finally {
            connection.rollback(before);
        }
    }
}
