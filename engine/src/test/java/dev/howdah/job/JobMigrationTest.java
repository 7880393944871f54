package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Migrations;
import dev.howdah.job.internal.store.JobSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Issue 4, point 6: tables are made and brought up to date by whoever comes first, while others work, and go again. */
@PostgresTest
class JobMigrationTest {
    /** Everything in the schema of Howdah, as text: relations, columns, indexes, constraints, triggers, functions, rights, comments. */
    private static final String CATALOG = """
            WITH ours AS (SELECT c.oid, c.relname, c.relkind, c.relacl, c.reloptions FROM pg_class c
                          WHERE c.relnamespace = to_regnamespace('howdah') AND c.relname !~ '^batch_[0-9]{8}')
            SELECT concat_ws(' ', 'relation', relname, relkind, relacl, reloptions) FROM ours
            UNION ALL SELECT concat_ws(' ', 'column', o.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                a.attidentity, a.attstorage, pg_get_expr(d.adbin, d.adrelid), a.attacl)
            FROM ours o JOIN pg_attribute a ON a.attrelid = o.oid LEFT JOIN pg_attrdef d ON d.adrelid = o.oid AND d.adnum = a.attnum
            WHERE a.attnum > 0
            UNION ALL SELECT concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid)) FROM ours o JOIN pg_index i ON i.indrelid = o.oid
            UNION ALL SELECT concat_ws(' ', 'constraint', o.relname, pg_get_constraintdef(k.oid)) FROM ours o JOIN pg_constraint k ON k.conrelid = o.oid
            UNION ALL SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid)) FROM ours o JOIN pg_trigger t ON t.tgrelid = o.oid AND NOT t.tgisinternal
            UNION ALL SELECT concat_ws(' ', 'view', o.relname, pg_get_viewdef(o.oid)) FROM ours o WHERE o.relkind = 'v'
            UNION ALL SELECT concat_ws(' ', 'function', pg_get_functiondef(p.oid), p.proacl) FROM pg_proc p
            WHERE p.pronamespace::regnamespace::text ~ '^howdah'
            UNION ALL SELECT concat_ws(' ', 'comment', o.relname, d.objsubid, d.description) FROM ours o JOIN pg_description d ON d.objoid = o.oid
            UNION ALL SELECT concat_ws(' ', 'comment', p.proname, d.description) FROM pg_proc p JOIN pg_description d ON d.objoid = p.oid
            WHERE p.pronamespace::regnamespace::text ~ '^howdah'
            UNION ALL SELECT concat_ws(' ', 'type', t.typname) FROM pg_type t WHERE t.typnamespace::regnamespace::text ~ '^howdah'
                AND t.typname !~ '^_?batch_[0-9]{8}$'
            UNION ALL SELECT concat_ws(' ', 'schema', n.nspname, n.nspacl) FROM pg_namespace n WHERE n.nspname ~ '^howdah'
            ORDER BY 1
            """;

    private static final Kind<Long> WORK = Kind.of("work", Long.class);

    private final TestDatabase database;

    JobMigrationTest(TestDatabase database) {
        this.database = database;
    }

    private PGSimpleDataSource source() {
        return JobsDatabase.source(database.uri());
    }

    private List<String> catalog() {
        return catalog(database);
    }

    private static List<String> catalog(TestDatabase database) {
        List<String> lines = new ArrayList<>();
        for (List<@Nullable String> row : database.query(CATALOG)) lines.add(String.valueOf(row.get(0)));
        return lines;
    }

    @Test // any role that may connect can hold it: the program does not hang, and goes on when that session ends
    void install_lockHeldByAnotherRole_isDoneWhenItEnds() throws Exception {
        String mallory = "mallory_" + database.name();
        database.execute("CREATE ROLE \"" + mallory + "\" LOGIN");
        ExecutorService one = Executors.newSingleThreadExecutor();
        try (Connection holder = JobsDatabase.as(database, mallory).getConnection();
                Statement statement = holder.createStatement();
                Connection connection = source().getConnection()) {
            statement.execute("SELECT pg_advisory_lock(1215264877, 0)");
            Future<?> installed = one.submit(() -> {
                Jobs.install(connection);
                return null;
            });
            JobsDatabase.awaiting("it has asked for the holder of the lock")
                    .until(() -> "1"
                            .equals(database.value("SELECT count(*) FROM pg_stat_activity"
                                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                                    + " AND state = 'idle' AND query LIKE '%has_database_privilege(a.usesysid%'")));
            holder.close();
            installed.get(60, java.util.concurrent.TimeUnit.SECONDS);
            assertThat(database.value("SELECT to_regclass('howdah_internal.job')::text"))
                    .isEqualTo("howdah_internal.job");
        } finally {
            one.shutdownNow();
            database.execute("DROP ROLE \"" + mallory + "\"");
        }
    }

    @Test
    void install_byTenAtOnce_isDoneOnce() throws Exception {
        ExecutorService ten = Executors.newFixedThreadPool(10);
        CountDownLatch ready = new CountDownLatch(10);
        List<Future<Long>> added = new ArrayList<>();
        for (int i = 0; i < 10; i++)
            added.add(ten.submit(() -> {
                ready.countDown();
                ready.await();
                try (Jobs jobs =
                        Jobs.on(source()).handle(WORK, (payload, job) -> {}).start()) {
                    return jobs.add(WORK, 1L);
                }
            }));
        for (Future<Long> each : added) assertThat(each.get()).isPositive();
        ten.shutdown();
        assertThat(database.value("SELECT count(*) || ' ' || max(version) FROM howdah.migration WHERE feature = 'job'"))
                .isEqualTo(JobSchema.MIGRATIONS.files().size() + " "
                        + JobSchema.MIGRATIONS.files().size());
    }

    @Test
    void schema_exported_isWhatTheLibraryMakes() throws SQLException {
        try (TestDatabase other = TestDatabase.create();
                Connection connection = source().getConnection()) {
            other.execute(Jobs.schema());
            Jobs.install(connection);
            assertThat(catalog(other)).hasSizeGreaterThan(200).isEqualTo(catalog());
        }
    }

    @Test
    void uninstall_nobodyThere_leavesNothing() throws SQLException {
        List<String> before = catalog();
        try (Connection connection = source().getConnection()) {
            Jobs.install(connection);
            Jobs.uninstall(connection, false);
            assertThat(catalog()).isEqualTo(before);
            assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL"))
                    .isEqualTo("t");
            // What is not Howdah's stays.
            database.execute("CREATE SCHEMA howdah; CREATE TABLE howdah.mine (a int)");
            before = catalog();
            Jobs.install(connection);
            Jobs.uninstall(connection, false);
            assertThat(catalog()).isEqualTo(before);
        }
    }

    @Test
    void uninstall_nodesWorkOrJobsWait_isRefusedUnlessForced() throws SQLException {
        try (Connection connection = source().getConnection()) {
            try (Jobs jobs = Jobs.on(source())
                    .nodeName("busy")
                    .handle(WORK, (payload, job) -> {})
                    .start()) {
                assertThatThrownBy(() -> Jobs.uninstall(connection, false))
                        .isInstanceOf(JobsException.class)
                        .hasMessage("nodes still work here: " + jobs.node() + " (busy); stop them first");
            }
            database.execute("SELECT howdah.add('q', 'k'); SELECT howdah.add('q', 'k')");
            assertThatThrownBy(() -> Jobs.uninstall(connection, false)).hasMessage("jobs are still there: 2 wait");
            database.execute("CREATE TABLE audited (a int); CREATE TRIGGER audit AFTER INSERT ON audited FOR EACH ROW"
                    + " EXECUTE FUNCTION howdah.async_trigger('q', 'k')");
            assertThatThrownBy(() -> Jobs.uninstall(connection, true))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("trigger audit on table audited depends on function howdah.async_trigger()");
            database.execute("INSERT INTO audited VALUES (1)");
            assertThat(database.value("SELECT count(*) FROM howdah_internal.job"))
                    .isEqualTo("3");
            database.execute("DROP TABLE audited");
            Jobs.uninstall(connection, true);
            assertThat(catalog()).isEmpty();
        }
    }

    @Test
    void tables_newerThanTheProgram_areUsedUnlessTheyNeedAnotherOne() {
        JobsDatabase jobs = JobsDatabase.in(database);
        int known = JobSchema.MIGRATIONS.files().size();
        database.execute("INSERT INTO howdah.migration (feature, version, needs) VALUES ('job', " + (known + 3) + ", "
                + known + ")");
        try (Jobs works = jobs.jobs().handle(WORK, (payload, job) -> {}).start()) {
            jobs.awaitLetters(works.add(WORK, 1L), "d");
        }
        database.execute("INSERT INTO howdah.migration (feature, version, needs) VALUES ('job', " + (known + 4) + ", "
                + (known + 4) + ")");
        assertThatThrownBy(() -> jobs.jobs().start())
                .isInstanceOf(JobsException.class)
                .hasMessage("jobs cannot run on this database: the tables of jobs are of version " + (known + 4)
                        + " and need a program that knows version " + (known + 4) + " of them; this one knows version "
                        + known
                        + ": it has to be upgraded");
    }

    /** Whether so many were added; fails if the one who adds has failed. */
    private static boolean isPast(long number, AtomicLong added, Future<?> producer) throws Exception {
        if (producer.isDone()) producer.get();
        return added.get() > number;
    }

    @Test // its numbers are not taken for those of a newer program; it is left as it is, and can be emptied by this one
    void tables_ofAnUnreleasedVersion_areRefusedAndCanBeRemoved() throws SQLException {
        database.execute(
                "CREATE SCHEMA howdah; CREATE TABLE howdah.migration (feature text NOT NULL, version integer NOT NULL,"
                        + " file text, needs integer NOT NULL DEFAULT 0, applied timestamptz NOT NULL DEFAULT now(),"
                        + " PRIMARY KEY (feature, version));"
                        + " INSERT INTO howdah.migration (feature, version) SELECT 'job', v FROM generate_series(1, 10) v;"
                        + " INSERT INTO howdah.migration (feature, version) VALUES ('node', 1);"
                        + " CREATE TABLE howdah.lane (id integer);"
                        + " CREATE FUNCTION howdah.begin_own(integer, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true'");
        List<String> before = catalog();
        try (Connection connection = source().getConnection()) {
            String words =
                    "the tables in the schema howdah (job 10, node 1) were made by an unreleased version of Howdah, and"
                            + " cannot be brought up to date: if nothing in the schema is of another program, remove it with its"
                            + " rows (DROP SCHEMA IF EXISTS howdah, howdah_internal CASCADE)";
            assertThatThrownBy(() -> Jobs.install(connection))
                    .isInstanceOf(SQLException.class)
                    .hasMessage(words);
            assertThatThrownBy(() ->
                            Jobs.on(source()).handle(WORK, (payload, job) -> {}).start())
                    .isInstanceOf(JobsException.class)
                    .hasMessage("jobs cannot run on this database: " + words);
            assertThat(catalog()).isEqualTo(before);
            Jobs.uninstall(connection, true);
            assertThat(catalog()).isEmpty();
            Jobs.install(connection);
        }
        assertThat(database.value("SELECT string_agg(version || file, ' ' ORDER BY file) FROM howdah.migration"))
                .isEqualTo("1001-job.sql 1001-node.sql");
    }

    @Test
    void install_tableOfNodesOfAnUnreleasedVersion_isRefusedAndNothingIsChanged() throws Exception {
        try (Connection connection = source().getConnection()) {
            Jobs.install(connection);
            database.execute("DELETE FROM howdah.migration WHERE feature = 'node'");
            List<String> before = catalog();
            assertThatThrownBy(() -> Jobs.install(connection))
                    .isInstanceOf(SQLException.class)
                    .hasMessage(
                            "howdah_internal.node exists, and howdah.migration has no version of the tables of nodes:"
                                    + " another program made it, or an unreleased version of Howdah, which cannot be brought up to"
                                    + " date. Keep Howdah's tables in another schema (installation); or, if nothing in the schema"
                                    + " is of another program, remove it with its rows (DROP SCHEMA IF EXISTS howdah, howdah_internal CASCADE)");
            assertThat(catalog()).isEqualTo(before);
        }
    }

    @Test // two versions at once: nodes of the one before go on while the next one is made, whoever has the tables
    // locked
    void upgrade_whileNodesWorkAndATransactionHoldsTheTables_stopsNobodyAndLosesNothing() throws Exception {
        JobsDatabase jobs = JobsDatabase.in(database);
        database.execute("CREATE TABLE effect (job bigint)");
        List<String> files = new ArrayList<>(JobSchema.MIGRATIONS.files());
        files.add("002-job.sql");
        Migrations next = new Migrations("job", "jobs", JobSchema.class, files);
        AtomicBoolean enough = new AtomicBoolean();
        AtomicLong added = new AtomicLong();
        AtomicLong slowest = new AtomicLong();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Jobs plain = jobs.jobs()
                        .handle(WORK, (payload, job) -> effect(jobs, job))
                        .start();
                Jobs own = jobs.jobs()
                        .handleInTransaction(WORK, (payload, job, connection) -> {
                            try (Statement statement = connection.createStatement()) {
                                statement.execute("INSERT INTO effect VALUES (" + job.id() + ")");
                            }
                        })
                        .start();
                Connection holder = jobs.connect();
                Connection migrating = jobs.connect()) {
            Future<?> producer = threads.submit(() -> {
                while (!enough.get()) {
                    long began = System.nanoTime();
                    plain.addAll(List.of(NewJob.of(WORK, 1L), NewJob.of(WORK, 2L)));
                    database.execute("SELECT howdah.add('default', 'work', '3')");
                    slowest.accumulateAndGet(System.nanoTime() - began, Math::max);
                    added.addAndGet(3);
                }
            });
            // Somebody who has added a job and does not come to an end.
            holder.setAutoCommit(false);
            own.add(holder, WORK, 4L);
            added.incrementAndGet();
            Future<?> upgrade = threads.submit(() -> {
                next.migrate(migrating);
                return null;
            });
            String version = "SELECT max(version) FROM howdah.migration WHERE feature = 'job'";
            await(
                    "the upgrade waits for the lock",
                    upgrade,
                    "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'howdah_internal.job'::regclass"
                            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                            + " AND mode = 'AccessExclusiveLock'");
            await(
                    "and gives up",
                    upgrade,
                    "SELECT count(*) = 0 FROM pg_locks WHERE NOT granted AND relation = 'howdah_internal.job'::regclass"
                            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
            long before = added.get();
            JobsDatabase.awaiting("jobs are added meanwhile").until(() -> isPast(before + 30, added, producer));
            assertThat(upgrade.isDone()).isFalse();
            holder.commit();
            upgrade.get();
            assertThat(database.value(version)).isEqualTo(Integer.toString(files.size()));
            long then = added.get();
            JobsDatabase.awaiting("the old ones go on").until(() -> isPast(then + 30, added, producer));
            try (Jobs late = jobs.jobs()
                    .handle(WORK, (payload, job) -> effect(jobs, job))
                    .start()) {
                enough.set(true);
                producer.get();
                jobs.awaitEmpty();
                assertThat(late.node()).isPositive();
            }
            assertThat(jobs.number("SELECT count(*) FROM effect")).isEqualTo(added.get());
            assertThat(jobs.number("SELECT count(DISTINCT job) FROM effect")).isEqualTo(added.get());
            assertThat(jobs.ended("rfcx")).isZero();
            assertThat(Duration.ofNanos(slowest.get())).isLessThan(Duration.ofSeconds(20));
        } finally {
            enough.set(true);
            threads.shutdownNow();
        }
    }

    private void await(String what, Future<?> upgrade, String question) {
        JobsDatabase.awaiting(what).until(() -> {
            if (upgrade.isDone()) upgrade.get();
            return "t".equals(database.value(question));
        });
    }

    private static void effect(JobsDatabase jobs, Job job) {
        jobs.execute("INSERT INTO effect VALUES (" + job.id() + ")");
    }
}
