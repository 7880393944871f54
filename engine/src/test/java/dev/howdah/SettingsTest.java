package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.internal.wire.WireListener;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.TaskScheduler;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Whatever settings a database, a role or a session has: what is added there is added, runs, and has the same values as without them.
 * The settings are those that PostgreSQL lists as settable by users.
 */
@PostgresTest
class SettingsTest {
    private static final Kind<Map> PLAIN = Kind.of("plain", Map.class);
    private static final Kind<Map> ROW = Kind.of("row", Map.class);

    /** What asks for something that cannot be as without it. */
    private static final Set<String> LEFT_OUT = Set.of(
            // of a transaction that has begun
            "transaction_deferrable",
            "transaction_isolation",
            "transaction_read_only",
            // refuses writes
            "default_transaction_read_only",
            // fires no triggers
            "session_replication_role",
            // refuses views
            "restrict_nonsystem_relation_kind",
            // ends a session at an error that is handled
            "exit_on_error",
            // delays each log-in
            "post_auth_delay",
            // run code of others
            "local_preload_libraries",
            "session_preload_libraries");

    /** Where it matters which value. Times are longer than any statement takes here. */
    private static final Map<String, List<String>> VALUES = Map.ofEntries(
            Map.entry("DateStyle", List.of("German", "SQL, DMY", "Postgres, YMD")),
            Map.entry("TimeZone", List.of("Asia/Kathmandu", "America/New_York")),
            Map.entry("application_name", List.of("x' \"y\\")),
            Map.entry("backtrace_functions", List.of("x")),
            Map.entry("client_encoding", List.of("LATIN1", "SQL_ASCII")),
            Map.entry("client_min_messages", List.of("error", "debug1")),
            Map.entry("commit_delay", List.of("10")),
            Map.entry("createrole_self_grant", List.of("set, inherit")),
            Map.entry("default_table_access_method", List.of("heap", "gone")),
            Map.entry("default_tablespace", List.of("pg_default", "gone")),
            // With the first one at once with others: tasks of users that are serializable may fail.
            Map.entry("default_transaction_isolation", List.of("repeatable read", "serializable", "read uncommitted")),
            Map.entry("default_text_search_config", List.of("simple", "gone")),
            Map.entry("dynamic_library_path", List.of("/nowhere:$libdir")),
            Map.entry("extension_control_path", List.of("/nowhere")),
            Map.entry("extra_float_digits", List.of("-15", "0")),
            Map.entry("idle_in_transaction_session_timeout", List.of("10min")),
            Map.entry("idle_session_timeout", List.of("10min")),
            Map.entry("lc_messages", List.of("POSIX")),
            Map.entry("lc_monetary", List.of("POSIX")),
            Map.entry("lc_numeric", List.of("POSIX")),
            Map.entry("lc_time", List.of("POSIX")),
            Map.entry("lock_timeout", List.of("10min")),
            Map.entry("log_connections", List.of("off", "on")),
            Map.entry("log_min_error_statement", List.of("error")),
            Map.entry("log_min_messages", List.of("error")),
            Map.entry("max_stack_depth", List.of("300")),
            Map.entry("plpgsql.extra_errors", List.of("all")),
            Map.entry("plpgsql.extra_warnings", List.of("all")),
            Map.entry("search_path", List.of("", "pg_catalog", "public, pg_catalog")),
            Map.entry("statement_timeout", List.of("10min")),
            Map.entry("temp_file_limit", List.of("1GB")),
            Map.entry("temp_tablespaces", List.of("pg_default", "gone")),
            Map.entry("timezone_abbreviations", List.of("India")),
            Map.entry("transaction_timeout", List.of("10min")),
            Map.entry("wal_consistency_checking", List.of("all")));

    private record Setting(String name, String value, boolean atStart) {
        @Override
        public String toString() {
            return name + " = " + value;
        }
    }

    private enum Level {
        DATABASE,
        ROLE,
        SESSION
    }

    private final TestDatabase database;
    private final Map<Integer, Map<String, List<String>>> seen = new ConcurrentSkipListMap<>();
    private final List<AutoCloseable> nodes = new ArrayList<>();
    private final String role;
    private Connection standard;
    private int runs;

    SettingsTest(TestDatabase database) {
        this.database = database;
        this.role = "r " + database.name();
    }

    @BeforeEach
    void make() throws Exception {
        database.fill("settings", made -> {
            made.execute("ALTER DATABASE " + made.name() + " SET pg_task.functions = on");
            try (Connection connection = made.connect();
                    TaskScheduler scheduler =
                            TaskScheduler.on(Database.of(made.uri())).start()) {
                Jobs.install(connection);
                Processes.install(connection);
                Sweep.install(connection);
                if (!scheduler.awaitServed(Patience.LIMIT)) throw new AssertionError("the table is not served");
            } catch (SQLException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        standard = database.connect();
        run(standard, "CREATE ROLE \"" + role + "\" SUPERUSER LOGIN");
        run(standard, """
                CREATE TYPE pair AS (a integer[], b json);
                CREATE TABLE value AS SELECT
                    E'x\\\\y "''$1' AS a, decode('00ff5c27', 'hex') AS b, 0.1::float8 + 0.2 AS c, 1::real / 3 AS d,
                    'NaN'::numeric AS e, make_interval(months => 1, days => -2, secs => 3.5) AS f, date '2024-02-03' AS g,
                    timestamptz '2024-02-03 04:05:06.789+00' AS h, timestamp '2024-02-03 04:05:06' AS i,
                    timetz '04:05:06+02' AS j, 1234.5::money AS k, E'{"a": 1,  "a": "\\\\u00e9"}'::json AS l,
                    xmlparse(CONTENT 'text <a/>') AS m, ARRAY[NULL, 'NULL', E'"\\\\'] AS n, daterange '[2024-02-01,2024-03-04)' AS o,
                    'pg_class'::regclass AS p, true AS q, B'101' AS r, point(0.1, 0.3) AS s, 'a b'::tsvector AS t,
                    ARRAY[make_interval(days => -1, hours => -2)] AS u, ARRAY[decode('00', 'hex')] AS v,
                    ARRAY[date '2024-02-03'] AS w, NULL::text AS x, ROW(ARRAY[NULL, 1], '{}')::pair AS y;
                CREATE TABLE "it em" (run integer, LIKE value);
                CREATE TABLE copied (LIKE "it em", how text);
                CREATE TABLE swept (run integer, k timestamptz, l bytea, m float8, done boolean NOT NULL DEFAULT false,
                    PRIMARY KEY (run, k, l));
                CREATE TRIGGER job AFTER INSERT ON "it em" FOR EACH ROW EXECUTE PROCEDURE howdah.async_trigger('q', 'row')
                """);
    }

    @AfterEach
    void close() throws Exception {
        stop();
        standard.close();
        database.close();
        try (Connection connection = postgres()) {
            run(connection, "DROP ROLE \"" + role + "\"");
        }
    }

    private Connection postgres() throws SQLException {
        PGSimpleDataSource source = source("postgres");
        source.setDatabaseName("postgres");
        return source.getConnection();
    }

    private PGSimpleDataSource source(String user) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setPortNumbers(new int[] {database.server().port()});
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setDatabaseName(database.name());
        source.setUser(user);
        return source;
    }

    @Test
    void settingsAllAtOnce_ofTheDatabase_changeNothing() throws Exception {
        check(Level.DATABASE, first());
    }

    @Test
    @Tag("long")
    void settingsAllAtOnce_ofTheRole_changeNothing() throws Exception {
        check(Level.ROLE, last());
    }

    @Test
    void settingsAllAtOnce_ofTheSessionThatAdds_changeNothing() throws Exception {
        check(Level.SESSION, last());
    }

    @Test
    @Tag("long")
    void firstValuesOfSettings_ofTheSessionThatAdds_changeNothing() throws Exception {
        check(Level.SESSION, first());
    }

    @Test
    @Tag("long")
    void eachSetting_ofTheSessionThatAdds_changesNothing() throws Exception {
        for (List<Setting> each : all().values()) for (Setting one : each) check(Level.SESSION, List.of(one));
    }

    @Test
    @Tag("long")
    void eachSetting_ofTheDatabase_changesNothing() throws Exception {
        for (List<Setting> each : all().values()) for (Setting one : each) check(Level.DATABASE, List.of(one));
    }

    @Test
    @Tag("long")
    void eachSetting_ofTheRole_changesNothing() throws Exception {
        for (List<Setting> each : all().values()) for (Setting one : each) check(Level.ROLE, List.of(one));
    }

    private List<Setting> first() throws SQLException {
        return all().values().stream().map(each -> each.get(0)).toList();
    }

    private List<Setting> last() throws SQLException {
        return all().values().stream().map(each -> each.get(each.size() - 1)).toList();
    }

    /** The values that differ from those of the server, by name. */
    private Map<String, List<Setting>> all() throws SQLException {
        Map<String, List<Setting>> all = new TreeMap<>();
        run(standard, "LOAD 'plpgsql'");
        for (List<@Nullable String> row : rows(
                "SELECT name, vartype, setting, array_to_string(enumvals, ','), min_val, max_val,"
                        + " context LIKE '%backend' FROM pg_settings WHERE context IN ('user', 'superuser', 'backend', 'superuser-backend')")) {
            String name = String.valueOf(row.get(0));
            // Refuse each other, and write to the server's log alone.
            if (LEFT_OUT.contains(name) || name.matches("log_.*_stats")) continue;
            List<Setting> settings = values(name, row).stream()
                    .filter(each -> !each.equals(row.get(2)))
                    .map(each -> new Setting(name, each, "t".equals(row.get(6))))
                    .toList();
            if (!settings.isEmpty()) all.put(name, settings);
        }
        assertThat(all).as("settings").hasSizeGreaterThan(100);
        return all;
    }

    private static List<String> values(String name, List<@Nullable String> row) {
        List<String> chosen = VALUES.get(name);
        if (chosen != null) return chosen;
        String type = String.valueOf(row.get(1));
        return switch (type) {
            case "bool" -> List.of("on", "off");
            case "enum" ->
                List.of(String.valueOf(row.get(3)).split(",")).stream()
                        .filter(each -> !each.startsWith("debug"))
                        .toList();
            case "integer", "real" ->
                List.of(
                        String.valueOf(row.get(4)).equals(row.get(2))
                                ? String.valueOf(Math.min(1, (long) Double.parseDouble(String.valueOf(row.get(5)))))
                                : String.valueOf(row.get(4)));
            default ->
                throw new AssertionError("the setting " + name + " needs a value that differs from " + row.get(2));
        };
    }

    private void check(Level level, List<Setting> settings) throws Exception {
        if (!seen.containsKey(0)) {
            start("postgres");
            work(0, List.of(), "postgres");
        }
        int run = ++runs;
        String what = level + " " + (settings.size() > 3 ? settings.size() + " settings" : settings);
        String user = level == Level.ROLE ? role : "postgres";
        try {
            if (level != Level.SESSION) {
                stop();
                for (Setting each : settings)
                    if (!each.atStart())
                        run(standard, "ALTER " + place(level) + " SET " + each.name() + " = " + value(each));
                start(user);
            }
            work(run, level == Level.SESSION ? settings : List.of(), user);
        } catch (Exception | AssertionError e) {
            throw new AssertionError(what + ": " + e.getMessage(), e);
        }
        assertThat(noted(run)).as(what).isEqualTo(noted(0));
        if (level == Level.SESSION) return;
        stop();
        run(standard, "ALTER " + place(level) + " RESET ALL");
        run(standard, "ALTER DATABASE " + database.name() + " SET pg_task.functions = on");
        if (level == Level.DATABASE) start("postgres");
    }

    private String place(Level level) {
        return level == Level.ROLE ? "ROLE \"" + role + "\"" : "DATABASE " + database.name();
    }

    private static String value(Setting each) {
        return each.value().matches("[A-Za-z_, ]*,[A-Za-z_, ]*") ? each.value() : "$s$" + each.value() + "$s$";
    }

    private void start(String user) throws Exception {
        Set<String> refusals = new ConcurrentSkipListSet<>();
        PGSimpleDataSource source = source(user);
        TaskScheduler scheduler = TaskScheduler.on(Database.of("postgresql://" + user.replace(" ", "%20")
                        + "@127.0.0.1:" + database.server().port() + "/" + database.name()))
                .listener(new TaskScheduler.Listener() {
                    @Override
                    public void refused(String reason) {
                        refusals.add(reason);
                    }

                    @Override
                    public void waiting(String reason) {
                        refusals.add(reason);
                    }
                })
                .start();
        nodes.add(scheduler);
        nodes.add(Jobs.on(source)
                .queues("q")
                .handle(PLAIN, (payload, job) -> note(payload, "plain"))
                .handle(
                        ROW,
                        (payload, job) -> note(
                                (Map<?, ?>) Objects.requireNonNull(payload.get("new")), "row " + payload.get("table")))
                .start());
        nodes.add(Processes.on(source)
                .namespace(Namespace.of(
                        "n",
                        (task, process) -> Intent.none()
                                .event(Map.of("at", "2024-02-03T04:05:06Z", "x", "\\ \"é'"))
                                .response(process.history().size())))
                .start());
        if (!scheduler.awaitServed(Patience.LIMIT)) throw new AssertionError(refusals.toString());
    }

    private void stop() throws Exception {
        Collections.reverse(nodes);
        for (AutoCloseable each : nodes) each.close();
        nodes.clear();
    }

    private void note(Map<?, ?> payload, String what) {
        Map<Object, Object> rest = new TreeMap<>(payload);
        int run = ((Number) Objects.requireNonNull(rest.remove("run"))).intValue();
        // The same moment in the zone of the session.
        if (rest.get("h") != null)
            rest.put("h", OffsetDateTime.parse(String.valueOf(rest.get("h"))).toInstant());
        note(run, what, String.valueOf(rest));
    }

    private Map<String, List<String>> noted(int run) {
        return seen.computeIfAbsent(run, each -> new ConcurrentSkipListMap<>());
    }

    private void note(int run, String what, String value) {
        noted(run)
                .computeIfAbsent(what, each -> Collections.synchronizedList(new ArrayList<>()))
                .add(value);
    }

    /** Adds some of everything in a session with these settings, and waits until it is done. */
    private void work(int run, List<Setting> settings, String user) throws Exception {
        add(run, settings, user);
        String tasks =
                "SELECT count(*) || ' ' || count(*) FILTER (WHERE state = 'DONE') FROM public.task WHERE data = 'run "
                        + run + "'";
        await(() -> "4 4".equals(value(tasks)), () -> rows("SELECT * FROM public.task WHERE state <> 'DONE'"));
        await(
                () -> "5".equals(value("SELECT count(*) FROM copied WHERE run = " + run)),
                () -> rows(
                        "SELECT state, error, input FROM public.task WHERE state IN ('FAIL', 'GONE') OR state = 'PLAN' AND plan < now()"));
        await(
                () -> noted(run).getOrDefault("plain", List.of()).size() == 4
                        && noted(run).values().stream().mapToInt(List::size).sum() == 5,
                () -> rows("SELECT * FROM howdah_internal.job UNION ALL SELECT * FROM howdah_internal.job"));
        noted(run).getOrDefault("plain", List.of()).sort(null);
        for (List<@Nullable String> row : rows(
                "SELECT cc.how, CASE WHEN cc::text = left(ii::text, -1) || ',' || cc.how || ')' THEN 'same' ELSE cc::text END"
                        + " FROM copied cc JOIN \"it em\" ii USING (run) WHERE run = " + run + " ORDER BY 1, 2"))
            note(run, "copied", String.valueOf(row));
        for (List<@Nullable String> row :
                rows("SELECT output, sqlstate, cron, repeat, timeout, \"null\", after IS NULL FROM public.task"
                        + " WHERE data = 'run " + run + "' ORDER BY id")) note(run, "task", String.valueOf(row));
        sweep(run, user);
        Processes processes = (Processes) nodes.get(nodes.size() - 1);
        processes.init("n", "p" + run, null);
        note(
                run,
                "process",
                String.valueOf(Objects.requireNonNull(processes.call("n", "p" + run, null))
                        .as(Integer.class)));
        note(
                run,
                "process",
                processes.get("n", "p" + run).history().toString().replaceAll("20\\d\\d-.*?Z|task=\\d+", ""));
    }

    private void sweep(int run, String user) throws Exception {
        run(
                standard,
                "INSERT INTO swept SELECT " + run + ", timestamptz '2024-02-03 04:05:06+00' + i * interval '1 us',"
                        + " decode('5c00ff27', 'hex'), i / 3.0 FROM generate_series(1, 5) i");
        Set<String> keys = new ConcurrentSkipListSet<>();
        try (Sweep sweep = Sweep.on(source(user))
                .name("s" + run)
                .table("public.swept")
                .where("run = " + run + " AND NOT done")
                .key("run", "k", "l")
                .mark("done = true")
                .forEachRow(row -> keys.add(row.key().subList(1, 3) + row.json().replaceAll("\"run\": ?\\d+", "")))
                .start()) {
            note(run, "sweep", sweep.join().state() + " " + keys);
        }
        note(run, "sweep", value("SELECT count(*) FROM swept WHERE done AND run = " + run));
    }

    private void add(int run, List<Setting> settings, String user) throws Exception {
        Map<String, String> startup = new TreeMap<>();
        for (Setting each : settings) if (each.atStart()) startup.put(each.name(), each.value());
        try (WireConnection session = WireConnection.open(
                Database.of("postgresql://" + user.replace(" ", "%20") + "@127.0.0.1:"
                        + database.server().port() + "/" + database.name()),
                startup,
                Patience.LIMIT)) {
            for (Setting each : settings)
                if (!each.atStart() && !each.value().equals("gone"))
                    query(session, "SET " + each.name() + " = " + value(each));
            for (String level : List.of("row", "statement"))
                for (String options : List.of("NULL", "$o${\"timeout\": \"10 min\"}$o$"))
                    query(
                            session,
                            "SELECT howdah.task_trigger($t$public.\"it em\"$t$, $t$INSERT INTO public.copied SELECT ($2"
                                    + (level.equals("row") ? "" : "[1]") + ").*, $h$" + level + "$h$$t$, level => $t$"
                                    + level
                                    + "$t$, options => " + options + ", name => $t$" + level + options.length()
                                    + "$t$)");
            query(
                    session,
                    "SELECT howdah.task_trigger($t$public.\"it em\"$t$, $t$INSERT INTO public.copied SELECT ($2).*, $h$key$h$$t$,"
                            + " key => ARRAY[$t$run$t$, $t$b$t$, $t$n$t$], latest => true, name => $t$key$t$)");
            query(
                    session,
                    "BEGIN ISOLATION LEVEL READ COMMITTED; INSERT INTO public.\"it em\" SELECT " + run
                            + ", * FROM public.value; COMMIT");
            for (String name : List.of("row4", "row27", "statement4", "statement27", "key"))
                query(
                        session,
                        "DO $d$ BEGIN IF NOT howdah.drop_task_trigger($t$public.\"it em\"$t$, $t$" + name
                                + "$t$) THEN RAISE $r$" + name + " is not there$r$; END IF; END $d$");
            String task = "INSERT INTO public.task (data, input, ";
            String data = ") VALUES ($t$run " + run + "$t$, ";
            query(session, task + "timeout" + data + "$t$SELECT 1 AS a, NULL AS b$t$, $t$10 min$t$)");
            query(session, task + "repeat, cron" + data + "$t$SELECT 2$t$, DEFAULT, NULL)");
            query(session, task + "once, attempts, header" + data + "$t$SELECT 3 AS a$t$, true, 3, false)");
            query(
                    session,
                    task + "after" + data
                            + "$t$SELECT 4$t$, (SELECT array_agg(id) FROM public.task WHERE data = $t$run " + run
                            + "$t$))");
            // Refused where a transaction does not see what others have changed.
            query(
                    session,
                    "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT howdah.cron($t$c$t$, $t$*/5 * * * MON-FRI$t$, $t$SELECT 1$t$, zone => $t$Asia/Tokyo$t$),"
                            + " howdah.cron_pause($t$c$t$), howdah.cron_remove($t$c$t$); COMMIT");
            String payload = "json_build_object($t$run$t$, " + run + ", $t$a$t$, chr(92) || $t$ \"'$t$, $t$n$t$, 1.50)";
            query(
                    session,
                    "SELECT howdah.add($t$q$t$, $t$plain$t$, " + payload + ", key => $t$k" + run
                            + "$t$, version => timestamptz $t$2024-02-03 04:05:06.000001+00$t$)");
            query(
                    session,
                    "SELECT howdah.add($t$q$t$, $t$plain$t$, " + payload
                            + "::jsonb, attempts => 4, timeout => $t$10 min$t$,"
                            + " options => $t${\"group\": \"g\", \"unique\": {\"by\": \"payload\"}, \"tags\": [\"a b\"]}$t$)");
            query(session, "SELECT howdah.add_ordered($t$q$t$, $t$plain$t$, " + payload + ", $t$order$t$)");
            query(session, "SELECT * FROM howdah.add_many($t$q$t$, $t$plain$t$, ARRAY[" + payload + "])");
            query(
                    session,
                    "SELECT howdah.schedule($t$s$t$, $t$later$t$, $t$plain$t$, cron => $t$*/5 * * * *$t$), howdah.unschedule($t$s$t$)");
            query(
                    session,
                    "SELECT * FROM howdah.next_runs($t$*/5 1 * * *$t$, $t$Europe/Berlin$t$); SELECT * FROM howdah.cron_list();"
                            + " SELECT * FROM howdah.jobs; SELECT * FROM howdah.stats; SELECT * FROM howdah.errors");
            query(session, "SELECT howdah.find(id), howdah.why_job(id) FROM generate_series(1, 5) x (id)");
        }
    }

    private static void query(WireConnection session, String sql) throws WireException {
        List<String> errors = new ArrayList<>();
        session.query(sql, new WireListener() {
            @Override
            public void error(ServerMessage message) {
                errors.add(String.valueOf(message));
            }
        });
        assertThat(errors).as(sql).isEmpty();
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }

    private interface Explained {
        Object now() throws SQLException;
    }

    private static void await(Condition condition, Explained explained) throws SQLException {
        try {
            Awaitility.await().atMost(Patience.LIMIT).pollInSameThread().until(condition::holds);
        } catch (RuntimeException e) {
            throw new AssertionError(explained.now().toString(), e);
        }
    }

    private String value(String sql) throws SQLException {
        return String.valueOf(rows(sql).get(0).get(0));
    }

    private List<List<@Nullable String>> rows(String sql) throws SQLException {
        List<List<@Nullable String>> rows = new ArrayList<>();
        try (Statement statement = standard.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                List<@Nullable String> values = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) values.add(row.getString(i));
                rows.add(values);
            }
        }
        return rows;
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
