package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Issue 4 point 2: a duty has the rights that it needs and no other one, on anything in the schema; everybody else has none. */
class JobRightsTest {
    /** What somebody may do: a privilege and the objects or columns that he has it on. */
    private static final String RIGHTS = """
            SELECT a.privilege_type, r.name FROM (
                SELECT c.relacl AS acl, c.relname::text AS name FROM pg_class c WHERE c.relnamespace::regnamespace::text ~ '^howdah'
                UNION ALL SELECT t.attacl, c.relname || '.' || t.attname FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid
                    WHERE c.relnamespace::regnamespace::text ~ '^howdah'
                -- What converts the arguments of others is of each duty, and has no privileges of its own.
                UNION ALL SELECT p.proacl, p.proname || '()' FROM pg_proc p WHERE p.pronamespace::regnamespace::text ~ '^howdah'
                    AND p.proname !~ '^given_'
                UNION ALL SELECT n.nspacl, n.nspname FROM pg_namespace n WHERE n.nspname ~ '^howdah') r,
            aclexplode(r.acl) a WHERE a.grantee = %s ORDER BY 1, 2""";

    private static final Pattern FUNCTION =
            Pattern.compile("CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) howdah\\w*\\.(\\w+)");

    private static Map<String, Set<String>> rights(TestDatabase database, String grantee) {
        Map<String, Set<String>> rights = new TreeMap<>();
        for (List<@Nullable String> row : database.query(RIGHTS.formatted(grantee)))
            rights.computeIfAbsent(String.valueOf(row.get(0)), privilege -> new TreeSet<>())
                    .add(String.valueOf(row.get(1)));
        return rights;
    }

    private static Set<String> names(TestDatabase database, String condition) {
        Set<String> names = new TreeSet<>();
        for (List<@Nullable String> row : database.query(
                "SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text ~ '^howdah' AND NOT relispartition AND "
                        + condition)) names.add(String.valueOf(row.get(0)));
        return names;
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void rights_ofEachDuty_areThoseAndNoMore(int major) {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            JobsDatabase.in(database);
            Set<String> tables = names(database, "relkind IN ('r', 'p')");
            Set<String> all = names(database, "relkind IN ('r', 'p', 'v')");
            // What belongs to others is nobody's who works jobs.
            database.execute(
                    "CREATE TABLE howdah.process_of_others (a int); CREATE VIEW howdah.view_of_others AS SELECT 1;"
                            + " CREATE FUNCTION howdah.function_of_others() RETURNS int LANGUAGE sql AS 'SELECT 1';"
                            + " REVOKE EXECUTE ON FUNCTION howdah.function_of_others() FROM PUBLIC");
            List<String> duties = List.of("producer", "sender", "reader", "operator", "worker", "handler");
            try {
                for (String duty : duties) {
                    database.execute("CREATE ROLE " + role(database, duty) + " LOGIN");
                    database.execute("SELECT howdah.allow('" + role(database, duty) + "', '" + duty + "')");
                }
                assertThat(rights(database, "0")).as("everybody").isEmpty();
                Map<String, Set<String>> producer = rights(database, oid(database, "producer"));
                assertThat(producer.get("SELECT"))
                        .containsExactly(
                                "job.id", "job.lane", "lane", "lane_priority", "log_queue", "log_reader", "migration");
                assertThat(producer.get("INSERT")).allMatch(name -> name.matches("(job|lane)\\.\\w+|lane_priority"));
                assertThat(producer.get("EXECUTE"))
                        .containsExactly(
                                "add()",
                                "add_each()",
                                "add_keyed_many()",
                                "add_many()",
                                "add_ordered()",
                                "add_to_pipeline()",
                                "add_to_workflow()",
                                "add_workflow()",
                                "added()",
                                "async_trigger()",
                                "close_workflow()",
                                "log_put()",
                                "log_put_each()",
                                "put_grouped()",
                                "put_large()",
                                "put_ordered()",
                                "put_workflow()",
                                "signal_or_add()",
                                "tell()",
                                "workflow_added()",
                                "workflow_keep()");
                assertThat(producer.get("INSERT")).doesNotContain("job.id", "job.attempt");
                assertThat(producer.keySet()).containsExactly("EXECUTE", "INSERT", "SELECT", "USAGE");
                Map<String, Set<String>> sender = rights(database, oid(database, "sender"));
                assertThat(sender.get("EXECUTE")).containsExactly("emit()", "signal()");
                assertThat(sender.keySet()).containsExactly("EXECUTE", "USAGE");
                Map<String, Set<String>> reader = rights(database, oid(database, "reader"));
                // What others wait for is theirs.
                Set<String> read = new TreeSet<>(all);
                read.remove("awaited");
                assertThat(reader.get("SELECT")).isEqualTo(read);
                assertThat(reader.get("EXECUTE"))
                        .containsExactly(
                                "attempts()",
                                "await_jobs()",
                                "await_over()",
                                "error_pattern()",
                                "find()",
                                "holidays()",
                                "log_find()",
                                "log_readers()",
                                "log_waiting()",
                                "next_runs()",
                                "payload_contains()",
                                "schedule_runs()",
                                "stages()",
                                "unread()",
                                "wait_job()",
                                "why_job()",
                                "why_schedule()");
                assertThat(reader.keySet()).containsExactly("EXECUTE", "SELECT", "USAGE");
                Map<String, Set<String>> operator = rights(database, oid(database, "operator"));
                assertThat(operator.get("SELECT")).isEqualTo(read);
                assertThat(operator.get("UPDATE")).containsExactly("schedule.paused");
                assertThat(operator.get("EXECUTE"))
                        .containsExactly(
                                "add_reader()",
                                "age()",
                                "attempts()",
                                "await_jobs()",
                                "await_over()",
                                "cancel()",
                                "cancel_workflow()",
                                "change_jobs()",
                                "change_step()",
                                "check_change()",
                                "close_workflow()",
                                "delete_job()",
                                "drop_reader()",
                                "drop_record()",
                                "emit()",
                                "error_pattern()",
                                "find()",
                                "holidays()",
                                "hurry()",
                                "limit()",
                                "limit_unread()",
                                "log_find()",
                                "log_readers()",
                                "log_waiting()",
                                "move_jobs()",
                                "next_runs()",
                                "pause()",
                                "pause_schedule()",
                                "payload_contains()",
                                "queue()",
                                "rate_limit()",
                                "release_signals()",
                                "reprioritize()",
                                "rerun()",
                                "reschedule()",
                                "resume()",
                                "resume_schedule()",
                                "retry()",
                                "run_schedule()",
                                "schedule_runs()",
                                "seek_reader()",
                                "set_tags()",
                                "set_version()",
                                "share()",
                                "signal()",
                                "signal_token()",
                                "spread()",
                                "stages()",
                                "tell()",
                                "token_find()",
                                "token_use()",
                                "unread()",
                                "wait_job()",
                                "why_job()",
                                "why_schedule()");
                assertThat(operator.keySet()).containsExactly("EXECUTE", "SELECT", "UPDATE", "USAGE");
                Map<String, Set<String>> worker = rights(database, oid(database, "worker"));
                tables.remove("migration");
                // A trigger writes it, as the owner.
                tables.remove("node_end");
                for (String write : List.of("DELETE", "UPDATE", "INSERT"))
                    assertThat(plain(worker.get(write))).as(write).isEqualTo(tables);
                assertThat(plain(worker.get("SELECT"))).isEqualTo(all);
                assertThat(worker.get("EXECUTE")).isEqualTo(functions());
                assertThat(rights(database, oid(database, "handler")).toString())
                        .isEqualTo("{EXECUTE=[begin_own(), end_own()], USAGE=[howdah, howdah_internal]}");
            } finally {
                for (String duty : duties)
                    database.execute("DROP OWNED BY " + role(database, duty) + "; DROP ROLE " + role(database, duty));
            }
        }
    }

    private static String role(TestDatabase database, String duty) {
        return database.name() + "_" + duty;
    }

    private static String oid(TestDatabase database, String duty) {
        return "'" + role(database, duty) + "'::regrole";
    }

    /** Without those on columns. */
    private static Set<String> plain(@Nullable Set<String> names) {
        Set<String> plain = new TreeSet<>(names == null ? Set.of() : names);
        plain.removeIf(name -> name.contains("."));
        return plain;
    }

    /** Those that nodes call; triggers need no right, and rights are given by whoever owns the tables. */
    private static Set<String> functions() {
        Set<String> made = new TreeSet<>();
        FUNCTION.matcher(Jobs.schema()).results().forEach(found -> made.add(found.group(1) + "()"));
        made.removeIf(name -> name.startsWith("given_"));
        made.removeAll(Set.of(
                "allow()",
                "for_drivers()",
                "bell_ring()",
                "child_over()",
                "failed_awaited()",
                "failed_workflow()",
                "holiday_changed()",
                "job_replaced()",
                "lane_priority_guard()",
                "lane_tell()",
                "node_note_end()",
                "order_over()",
                "parent_over()",
                "retention_fits()",
                "schedule_changed()"));
        return made;
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void functions_withTheirOwnersRights_searchNoSchemaOfOthers(int major) {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            JobsDatabase.in(database);
            assertThat(
                            database.query(
                                    "SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace::regnamespace::text ~ '^howdah'"
                                            + " AND p.prosecdef AND NOT 'search_path=pg_catalog, pg_temp' = ANY (COALESCE(p.proconfig, '{}'))"))
                    .isEmpty();
            assertThat(
                            database.value(
                                    "SELECT count(*) > 10 FROM pg_proc p WHERE p.pronamespace::regnamespace::text ~ '^howdah' AND p.prosecdef"))
                    .isEqualTo("t");
        }
    }

    @ParameterizedTest // what would keep others from adding, or run their jobs early, or make claims slow
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void producer_choosesIdsOrFloodsPriorities_isRefused(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            JobsDatabase.in(database).execute("SELECT howdah.add('q', 'k', '1')");
            String producer = role(database, "producer");
            database.execute("CREATE ROLE " + producer + " LOGIN");
            database.execute("SELECT howdah.allow('" + producer + "', 'producer')");
            try {
                for (String evil : List.of(
                        "INSERT INTO howdah_internal.job (id, lane, kind, run_at, payload) VALUES (7, 1, 'k', now(), '1')",
                        "INSERT INTO howdah_internal.job (id, lane, kind, run_at) OVERRIDING SYSTEM VALUE VALUES (7, 1, 'k', now())",
                        "INSERT INTO howdah_internal.body (job, payload) VALUES (7, '1')",
                        "INSERT INTO howdah_internal.ordered (id, queue, key, run_at, lane, priority, kind, payload, more)"
                                + " VALUES (7, 'q', 'o', now(), 1, 0, 'k', '1', '{}')",
                        "SELECT setval('howdah_internal.job_id_seq', 1)"))
                    assertThatThrownBy(() -> JobsDatabase.run(JobsDatabase.as(database, producer), evil))
                            .as(evil)
                            .hasMessageContaining("permission denied");
                assertThatThrownBy(
                                () -> JobsDatabase.run(
                                        JobsDatabase.as(database, producer),
                                        "INSERT INTO howdah_internal.lane_priority SELECT 1, p FROM generate_series(-300, 300) p"))
                        .hasMessageContaining("violates check constraint");
                JobsDatabase.run(
                        JobsDatabase.as(database, producer),
                        "INSERT INTO howdah_internal.lane_priority SELECT l, i % 201 - 100 FROM generate_series(1, 2000) i,"
                                + " generate_series(1, 3) l");
                assertThat(database.value(
                                "SELECT count(*) || ' ' || count(DISTINCT lane) FROM howdah_internal.lane_priority"))
                        .isEqualTo("201 1");
            } finally {
                database.execute("DROP OWNED BY " + producer + "; DROP ROLE " + producer);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void producersAndOperators_doWhatTheyAreFor(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            JobsDatabase.in(database);
            Kind<String> kind = Kind.of("k", String.class);
            String producer = role(database, "producer");
            String operator = role(database, "operator");
            database.execute("CREATE ROLE " + producer + " LOGIN; CREATE ROLE " + operator + " LOGIN");
            database.execute("SELECT howdah.allow('" + producer + "', 'producer'), howdah.allow('" + operator
                    + "', 'operator')");
            try {
                try (Jobs jobs = Jobs.on(JobsDatabase.as(database, producer)).start()) {
                    List<NewJob<String>> some = new ArrayList<>();
                    for (String text : List.of("small", "large".repeat(2_000)))
                        for (NewJob<String> each : List.of(
                                NewJob.of(kind, text),
                                NewJob.of(kind, text).key(text.substring(0, 5)),
                                NewJob.of(kind, text).orderKey("customer").queue("shop"))) some.add(each);
                    for (NewJob<String> each : some) jobs.add(each);
                    jobs.addAll(some);
                }
                JobsDatabase.run(
                        JobsDatabase.as(database, producer),
                        "SELECT howdah.add_ordered('new shop', 'k', '1', 'c'), howdah.add_ordered('shop', 'k', '1'::jsonb, 'c'),"
                                + " howdah.add_ordered('shop', 'k', '1'::text, 'c', priority => 7)");
                assertThat(database.value("SELECT count(*) FROM howdah_internal.ordered"))
                        .isEqualTo("7");
                assertThatThrownBy(() -> JobsDatabase.run(
                                JobsDatabase.as(database, producer), "SELECT payload FROM howdah_internal.ordered"))
                        .hasMessageContaining("permission denied");
                database.execute("SELECT howdah.schedule('s', 'q', 'k', period => '1 h')");
                try (Jobs jobs = Jobs.on(JobsDatabase.as(database, operator)).start()) {
                    assertThat(jobs.schedules().pause("s")).isTrue();
                    assertThat(jobs.schedules().all().get(0).paused()).isTrue();
                    assertThat(jobs.schedules().resume("s")).isTrue();
                    assertThatThrownBy(() -> jobs.schedules().remove("s")).hasMessageContaining("permission denied");
                }
                assertThatThrownBy(() -> JobsDatabase.run(
                                JobsDatabase.as(database, operator), "UPDATE howdah.schedule SET payload = '1'"))
                        .hasMessageContaining("permission denied");
            } finally {
                for (String role : List.of(producer, operator))
                    database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
            }
        }
    }
}
