package dev.howdah.internal.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.health.DatabaseHealth;
import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.TaskScheduler;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Each check of the health of a database: the sick state made on a real server, on the oldest and the newest major. Where
 * it would take hours or gigabytes, the bound is moved instead.
 */
class HealthReaderTest {
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) opened.get(i).close();
    }

    private TestDatabase database(TestServer server) {
        TestDatabase made = TestDatabase.create(server);
        opened.add(made);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url(made, "postgres"));
        Jobs.on(source).start().close();
        return made;
    }

    private TestDatabase database(int major) {
        return database(TestServer.of(major));
    }

    private static String url(TestDatabase database, String role) {
        return "jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length()) + "?user=" + role;
    }

    private static HealthCheck check(TestDatabase database, double patience, String name) {
        try {
            return new HealthReader(database::connect, SchemaName.howdah(), patience)
                    .check().stream()
                            .filter(each -> each.name().equals(name))
                            .findFirst()
                            .orElseThrow();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A check with other bounds than those that it has. */
    private static HealthCheck bounded(TestDatabase database, String name, Object... bounds) {
        try (Connection connection = database.connect();
                PreparedStatement statement = SqlFile.of(HealthReader.class, "health.sql")
                        .statement("check_" + name)
                        .prepare(connection, bounds);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new HealthCheck(
                    name,
                    Level.valueOf(row.getString("level").toUpperCase(Locale.ROOT)),
                    row.getString("value"),
                    row.getString("threshold"),
                    row.getString("sentence"),
                    row.getString("remedy"));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private Statement session(TestDatabase database) throws SQLException {
        Connection connection = database.connect();
        opened.add(connection);
        return connection.createStatement();
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void check_ofHealthyDatabase_findsNothing(int major) throws SQLException {
        TestDatabase database = database(major);
        assertThat(DatabaseHealth.on(Database.of(database.uri())).check())
                .hasSize(25)
                // Servers of tests run with fsync off, and other tests have sessions and make databases on the same
                // server.
                .filteredOn(each -> !List.of("durability", "snapshot", "size", "checkpoints")
                        .contains(each.name()))
                .allSatisfy(each -> {
                    assertThat(each.level()).as(each.toString()).isEqualTo(Level.OK);
                    assertThat(each.remedy()).as(each.toString()).isNull();
                    assertThat(each.sentence()).endsWith(".");
                    assertThat(each.value()).isNotNull();
                });
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void snapshot_heldByASession_namesIt(int major) throws SQLException {
        TestDatabase database = database(major);
        Statement holder = session(database);
        holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 17");
        HealthCheck found = check(database, 0, "snapshot");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence()).matches("Session \\d+ \\(postgres.*, database .*\\) holds a snapshot since .*\\.");
        assertThat(found.remedy()).matches("SELECT pg_terminate_backend\\(\\d+\\);");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void idleTransaction_isNamedWithItsStatement_andIsCriticalIfOthersWait(int major) throws Exception {
        TestDatabase database = database(major);
        Statement holder = session(database);
        holder.execute("BEGIN; LOCK TABLE howdah_internal.job IN ACCESS EXCLUSIVE MODE");
        assertThat(check(database, 1, "idle_transaction").level()).isEqualTo(Level.OK);
        assertThat(check(database, 0, "idle_transaction").level()).isEqualTo(Level.CRITICAL);
        assertThat(check(database, 0, "idle_transaction").sentence())
                .matches(
                        "Session \\d+ \\(postgres.*\\) is idle in a transaction; its last statement: .*LOCK TABLE.*\\.");
        Statement waiting = session(database);
        CompletableFuture<?> waits = CompletableFuture.runAsync(() -> {
            try {
                waiting.execute("SELECT FROM howdah_internal.job");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> check(database, 1, "idle_transaction").level() == Level.CRITICAL);
        assertThat(check(database, 1, "idle_transaction").sentence()).contains("and 1 session waits for its locks");
        HealthCheck blocked = check(database, 0, "blocked");
        assertThat(blocked.level()).isEqualTo(Level.CRITICAL);
        assertThat(blocked.sentence())
                .matches("1 session waits for locks of session \\d+ \\(postgres, idle in transaction\\)\\.");
        assertThat(blocked.remedy()).matches("SELECT pg_cancel_backend\\(\\d+\\);");
        holder.execute("ROLLBACK");
        waits.join();
    }

    @Test
    void connections_almostUsedUp_areCounted() throws SQLException {
        TestDatabase database = database(TestServer.with(Map.of("max_connections", "12")));
        for (int i = 0; i < 5; i++) session(database);
        for (String name : List.of("howdah console", "howdah", "pg_task public task one"))
            session(database).execute("SET application_name = '" + name + "'");
        HealthCheck found = check(database, 1, "connections");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence())
                .matches("\\d+ of 9 connections are used, 3 by Howdah \\(1 for tasks\\); 3 more are for superusers\\.");
        assertThat(found.remedy()).contains("max_connections");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void deadRowsAndOldStatistics_areNamed(int major) {
        TestDatabase database = database(major);
        database.execute("SELECT howdah.queue('clicks', 'log')");
        assertThat(check(database, 1, "autovacuum").level())
                .as("segments of log queues")
                .isEqualTo(Level.OK);
        // More changes than the table below has, so that it would be named first.
        database.execute("SELECT howdah.add_many('clicks', 'click', array_fill('1'::json, ARRAY[250000]))");
        database.execute("ALTER TABLE howdah_internal.body SET (autovacuum_enabled = off);"
                + " INSERT INTO howdah_internal.body SELECT n, '1' FROM generate_series(1, 110000) n");
        database.execute("UPDATE howdah_internal.body SET payload = '2'");
        await().until(() -> check(database, 1, "dead_rows").level() == Level.CRITICAL);
        HealthCheck dead = check(database, 1, "dead_rows");
        assertThat(dead.sentence())
                .isEqualTo(
                        "howdah_internal.body has 110000 dead rows beside 110000 live ones; autovacuum was never there.");
        assertThat(dead.remedy()).startsWith("VACUUM (ANALYZE) howdah_internal.body;");
        HealthCheck statistics = check(database, 1, "statistics");
        assertThat(statistics.level()).isEqualTo(Level.WARNING);
        assertThat(statistics.sentence())
                .isEqualTo("howdah_internal.body was never analyzed: 220000 changed rows, 110000 live ones.");
        assertThat(statistics.remedy()).isEqualTo("ANALYZE howdah_internal.body;");
        HealthCheck autovacuum = check(database, 1, "autovacuum");
        assertThat(autovacuum.level()).isEqualTo(Level.WARNING);
        assertThat(autovacuum.sentence()).isEqualTo("Autovacuum is off for howdah_internal.body.");
        assertThat(autovacuum.remedy()).isEqualTo("ALTER TABLE howdah_internal.body RESET (autovacuum_enabled);");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void index_thatIsInvalid_isNamed(int major) {
        TestDatabase database = database(major);
        database.execute(
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'howdah_internal.job_ready'::regclass");
        HealthCheck found = check(database, 1, "indexes");
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.sentence()).isEqualTo("howdah_internal.job_ready of howdah_internal.job is invalid.");
        assertThat(found.remedy()).isEqualTo("REINDEX INDEX CONCURRENTLY howdah_internal.job_ready;");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void trigger_thatIsDisabled_isNamed(int major) {
        TestDatabase database = database(major);
        database.execute("ALTER TABLE howdah_internal.failed DISABLE TRIGGER failed_order");
        HealthCheck found = check(database, 1, "triggers");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence()).isEqualTo("Trigger failed_order of howdah_internal.failed is disabled.");
        assertThat(found.remedy()).isEqualTo("ALTER TABLE howdah_internal.failed ENABLE TRIGGER failed_order;");
    }

    @Test
    void durability_switchedOff_isCritical() {
        TestDatabase database = database(TestServer.with(Map.of("fsync", "off")));
        HealthCheck found = check(database, 1, "durability");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence()).startsWith("fsync is off");
        assertThat(found.remedy()).isEqualTo("ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf();");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void day_withoutTable_isNamed(int major) {
        TestDatabase database = database(major);
        String tomorrow = database.value("SELECT to_char(CURRENT_DATE + 1, 'YYYYMMDD')");
        String today = database.value("SELECT to_char(CURRENT_DATE, 'YYYYMMDD')");
        database.execute("DROP TABLE howdah_internal.batch_" + tomorrow);
        assertThat(check(database, 1, "days").level()).isEqualTo(Level.WARNING);
        database.execute("DROP TABLE howdah_internal.batch_" + today);
        HealthCheck found = check(database, 1, "days");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.remedy()).startsWith("SELECT howdah.make_days();");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void times_thatHaveNotCome_areNamed(int major) throws InterruptedException {
        TestDatabase database = database(major);
        assertThat(check(database, 1, "ahead").sentence())
                .isEqualTo("No node, schedule or task began at a time that has not come.");
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler.awaitServed(Patience.LIMIT)).isTrue();
        }
        database.execute("SELECT howdah.schedule('tick', 'q', 'k', cron => '@daily');"
                + " UPDATE howdah.schedule SET last_at = now() + interval '2 hours', next_at = now() + interval '1 day';"
                + " INSERT INTO howdah_internal.node (name, features, started) VALUES ('a', '{job}', now() + interval '1 hour'),"
                + " ('b', '{job}', now() - interval '1 hour');"
                + " INSERT INTO task (input, state, start) SELECT 'SELECT 1', 'DONE', now() + interval '3 hours'"
                + " FROM generate_series(1, 2)");
        HealthCheck found = check(database, 1, "ahead");
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.value()).isEqualTo("3");
        assertThat(found.sentence())
                .matches("The clock of the server was ahead, and was set back: node 1 \\(a\\) began at \\S+,"
                        + " schedule tick added a job at \\S+, 2 tasks of public\\.task began at \\S+\\.");
        assertThat(found.remedy()).startsWith("Let NTP keep the clock of the server. ");
    }

    // what needs a privilege is unknown, with the GRANT
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void lock_ofAStranger_isNamed_andAStrangerSeesWhichPrivilegeIsMissing(int major) throws SQLException {
        TestDatabase database = database(major);
        String role = database.name() + "_stranger";
        database.execute("CREATE ROLE " + role + " LOGIN");
        opened.add(1, () -> database.execute("DROP ROLE " + role));
        Connection strange = DriverManager.getConnection(url(database, role));
        opened.add(strange);
        strange.createStatement().execute("SELECT pg_advisory_lock(1215264884, 1)");
        HealthCheck found = check(database, 1, "foreign_locks");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence())
                .matches("Session \\d+ of role " + role
                        + " holds advisory lock 1215264884, which only nodes take, and is none\\.");
        List<HealthCheck> seen =
                new HealthReader(() -> DriverManager.getConnection(url(database, role)), SchemaName.howdah()).check();
        assertThat(seen)
                .filteredOn(each -> List.of("snapshot", "idle_transaction", "blocked", "replication")
                        .contains(each.name()))
                .hasSize(4)
                .allSatisfy(each -> {
                    assertThat(each.level()).isEqualTo(Level.UNKNOWN);
                    assertThat(each.remedy()).isEqualTo("GRANT pg_monitor TO " + role + ";");
                });
        assertThat(seen)
                .filteredOn(each -> each.name().equals("connections"))
                .extracting(HealthCheck::level)
                .containsExactly(Level.OK);
    }

    @Test
    @Tag("long")
    void snapshot_ofAPreparedTransactionOrASlot_isNamed() {
        TestDatabase database =
                database(TestServer.with(Map.of("max_prepared_transactions", "5", "wal_level", "logical")));
        database.execute("CREATE TABLE left_over (n int)");
        database.execute("BEGIN; INSERT INTO left_over VALUES (1); PREPARE TRANSACTION 'left'");
        HealthCheck prepared = check(database, 0, "snapshot");
        assertThat(prepared.level()).isEqualTo(Level.CRITICAL);
        assertThat(prepared.sentence()).startsWith("The prepared transaction left of postgres is open since ");
        assertThat(prepared.remedy())
                .isEqualTo("ROLLBACK PREPARED 'left'; -- or COMMIT PREPARED, in database " + database.name());
        database.execute("ROLLBACK PREPARED 'left'");
        database.execute("SELECT pg_create_logical_replication_slot('unused', 'pgoutput')");
        await().untilAsserted(() -> assertThat(check(database, 1, "snapshot").sentence())
                .matches("The replication slot unused, which no client uses, keeps dead rows of the last \\d+"
                        + " transactions\\."));
    }

    @Test
    @Tag("long")
    void workersOfAutovacuum_allBusy_areSaidWithWhatTheyDo() {
        TestDatabase database = database(TestServer.with(Map.of(
                "autovacuum_max_workers",
                "1",
                "autovacuum_naptime",
                "1s",
                "autovacuum_vacuum_cost_delay",
                "100ms",
                "autovacuum_vacuum_cost_limit",
                "1")));
        database.execute("CREATE TABLE large (n int, filler text);"
                + " INSERT INTO large SELECT n, repeat('x', 200) FROM generate_series(1, 20000) n");
        database.execute("UPDATE large SET n = - n");
        await().atMost(Patience.LIMIT).untilAsserted(() -> {
            HealthCheck found = check(database, 0, "vacuum_workers");
            assertThat(found.level()).isEqualTo(Level.WARNING);
            assertThat(found.sentence())
                    .matches("1 of 1 workers of autovacuum is busy, the longest with (VACUUM|ANALYZE) .*\\.");
            assertThat(found.remedy()).contains("autovacuum_max_workers");
        });
        assertThat(check(database, 1, "vacuum_workers").level())
                .as("not for ten minutes yet")
                .isEqualTo(Level.OK);
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void numbers_aboveTheirBounds_areWarnedOf(int major) {
        TestDatabase database = database(major);
        assertThat(bounded(database, "wraparound", 1L, Long.MAX_VALUE).level()).isEqualTo(Level.WARNING);
        HealthCheck old = bounded(database, "wraparound", 1L, 2L);
        assertThat(old.level()).isEqualTo(Level.CRITICAL);
        assertThat(old.sentence())
                .matches("The oldest transaction id in database \\w+ is [\\d,]+ transactions old; .*");
        assertThat(old.remedy()).matches("In database \\w+: VACUUM \\(FREEZE\\); -- .*");
        assertThat(bounded(database, "notifications", 0.0, 1.1).level()).isEqualTo(Level.WARNING);
        HealthCheck full = bounded(database, "notifications", 0.0, 0.0);
        assertThat(full.level()).isEqualTo(Level.CRITICAL);
        assertThat(full.sentence()).matches("The queue of notifications is full to [\\d.]+ %; .*");
        assertThat(full.remedy()).startsWith("End the session that listens and does not read");
        assertThat(bounded(database, "lock_table", 0, 100, 16).level()).isEqualTo(Level.WARNING);
        HealthCheck locks = bounded(database, "lock_table", 0, 0, 16);
        assertThat(locks.level()).isEqualTo(Level.CRITICAL);
        assertThat(locks.sentence()).matches("\\d+ of \\d+ places of the lock table are used\\.");
        assertThat(locks.remedy()).contains("max_locks_per_transaction");
        HealthCheck days = bounded(database, "lock_table", 100, 100, 1_000_000);
        assertThat(days.level()).isEqualTo(Level.WARNING);
        assertThat(days.sentence())
                .matches(".* used, and \\d+ days of history are more than the \\d+ that it bears\\.");
        assertThat(days.remedy()).matches("Keep fewer days, or set max_locks_per_transaction to \\d{5,} or more\\.");
        assertThat(check(database, 1, "size").sentence()).matches("The tables of Howdah take .*, the largest is .*\\.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void index_thatIsMissing_isNamed_andMadeAgainByTheRemedy(int major) throws SQLException {
        TestDatabase database = database(major);
        try (Connection connection = database.connect()) {
            Processes.install(connection);
            Sweep.install(connection);
        }
        String indexes = "SELECT string_agg(pg_get_indexdef(i.indexrelid), '; ' ORDER BY o.relname) FROM pg_index i"
                + " JOIN pg_class o ON o.oid = i.indexrelid JOIN pg_class c ON c.oid = i.indrelid"
                + " WHERE c.relnamespace::regnamespace::text ~ '^howdah' AND NOT c.relispartition AND c.relkind IN ('r', 'p')"
                + " AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)";
        String before = database.value(indexes);
        List<String> names = List.of(
                String.valueOf(database.value(indexes.replace("pg_get_indexdef(i.indexrelid), '; '", "o.relname, ','")))
                        .split(","));
        assertThat(names)
                .contains("job_ready", "process_due", "sweep_error_retry")
                .hasSizeGreaterThan(45);
        // Each costs two reports: all of them in the long build.
        int stride = Boolean.getBoolean("howdah.test.variants") ? 1 : 6;
        for (int i = 0; i < names.size(); i += stride) {
            String each = names.get(i);
            database.execute("DROP INDEX "
                    + database.value("SELECT oid::regclass FROM pg_class WHERE relname = '" + each + "'"));
            HealthCheck found = bounded(database, "indexes");
            assertThat(found.sentence()).endsWith(" has no index " + each + ".");
            assertThat(found.level())
                    .as(each)
                    .isEqualTo(
                            String.valueOf(found.remedy()).startsWith("CREATE UNIQUE")
                                            || List.of("job_ready", "batch_open", "process_due")
                                                    .contains(each)
                                    ? Level.CRITICAL
                                    : Level.WARNING);
            database.execute(String.valueOf(found.remedy()));
            assertThat(bounded(database, "indexes").level()).as(each).isEqualTo(Level.OK);
        }
        assertThat(database.value(indexes)).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void index_thatATableOfTasksLacks_isNamed(int major) throws Exception {
        TestDatabase database = database(major);
        serveOnce(database);
        database.execute("DROP INDEX task_due_idx");
        HealthCheck found = check(database, 1, "indexes");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence()).isEqualTo("public.task has no index task_due_idx.");
    }

    private static void serveOnce(TestDatabase database) throws InterruptedException {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler.awaitServed(Duration.ofMinutes(1))).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void trigger_ofATableOfTasks_isNamed(int major) throws Exception {
        TestDatabase database = database(major);
        serveOnce(database);
        database.execute("ALTER TABLE task DISABLE TRIGGER task_wake_up");
        HealthCheck found = check(database, 1, "triggers");
        assertThat(found.sentence()).isEqualTo("Trigger task_wake_up of public.task is disabled.");
        assertThat(found.remedy()).isEqualTo("ALTER TABLE public.task ENABLE ALWAYS TRIGGER task_wake_up;");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void index_muchLargerThanItsEntries_isNamed(int major) {
        TestDatabase database = database(major);
        database.execute("INSERT INTO howdah_internal.body SELECT n, '1' FROM generate_series(1, 50000) n");
        database.execute("ANALYZE howdah_internal.body");
        assertThat(bounded(database, "bloat", 100_000L, 4).level()).isEqualTo(Level.OK);
        database.execute("DELETE FROM howdah_internal.body WHERE job % 100 > 0");
        database.execute("VACUUM (ANALYZE) howdah_internal.body");
        HealthCheck found = bounded(database, "bloat", 100_000L, 4);
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.sentence())
                .matches(
                        "Index howdah_internal\\.body_pkey of howdah_internal\\.body takes \\d+ kB; its entries need about \\d+ (kB|bytes),"
                                + " an estimate\\.");
        assertThat(found.remedy()).isEqualTo("REINDEX INDEX CONCURRENTLY howdah_internal.body_pkey;");
        database.execute(String.valueOf(found.remedy()));
        assertThat(bounded(database, "bloat", 100_000L, 4).level()).isEqualTo(Level.OK);
    }

    @Test
    @Tag("long")
    void slot_thatNoClientUses_isNamedWithWhatItKeeps() {
        TestDatabase database = database(TestServer.with(Map.of("wal_level", "replica")));
        assertThat(check(database, 0, "replication").sentence()).isEqualTo("No server replicates this one.");
        database.execute("SELECT pg_create_physical_replication_slot('unused', true)");
        HealthCheck found = check(database, 0, "replication");
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.sentence()).matches("Replication slot unused is reserved and keeps .* of WAL\\.");
        assertThat(found.remedy()).startsWith("SELECT pg_drop_replication_slot('unused');");
        assertThat(check(database, 1, "replication").level())
                .as("less than 1 GB")
                .isEqualTo(Level.OK);
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void checkpoints_moreRequestedThanDue_areNoted(int major) {
        TestDatabase database = database(major);
        String name = major >= 17 ? "checkpoints_17" : "checkpoints";
        await().until(() -> {
            database.execute("CHECKPOINT");
            return bounded(database, name, 1L).level() == Level.NOTICE;
        });
        HealthCheck found = bounded(database, name, 1L);
        assertThat(found.sentence()).matches("\\d+ of \\d+ checkpoints were requested and not due by time\\.");
        assertThat(found.remedy()).contains("raise max_wal_size, now ");
        assertThat(bounded(database, name, Long.MAX_VALUE).level()).isEqualTo(Level.OK);
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void lockOfASchedulerOrASweep_heldByAStranger_isNamed(int major) throws Exception {
        TestDatabase database = database(major);
        serveOnce(database);
        try (Connection connection = database.connect()) {
            Sweep.install(connection);
        }
        String role = database.name() + "_stranger";
        database.execute("CREATE ROLE " + role + " LOGIN");
        opened.add(1, () -> database.execute("DROP ROLE " + role));
        Statement trusted = session(database);
        trusted.execute("SELECT pg_advisory_lock(1215264867, hashtext('\"public\".\"task\"'))");
        assertThat(check(database, 1, "foreign_locks").level())
                .as("a role that may be one")
                .isEqualTo(Level.OK);
        Connection strange = DriverManager.getConnection(url(database, role));
        opened.add(strange);
        Statement stranger = strange.createStatement();
        stranger.execute("SELECT pg_advisory_lock_shared(1215264890, 1)");
        assertThat(check(database, 1, "foreign_locks").sentence())
                .matches("Session \\d+ of role " + role + " holds the lock of a process of a sweep, and is none\\.");
        stranger.execute("SELECT pg_advisory_unlock_all()");
        trusted.execute("SELECT pg_advisory_unlock_all()");
        stranger.execute("SELECT pg_advisory_lock(1215264867, hashtext('\"public\".\"task\"'))");
        HealthCheck found = check(database, 1, "foreign_locks");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence())
                .matches("Session \\d+ of role " + role
                        + " holds the lock of the scheduler of public\\.task, and is none: its tasks do not run\\.");
        assertThat(found.remedy()).matches("SELECT pg_terminate_backend\\(\\d+\\);");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void nodes_ofTwoVersions_areNamed_thoseThatAreDeadAreNot(int major) throws SQLException {
        TestDatabase database = database(major);
        database.execute("INSERT INTO howdah_internal.node (name, features, serves) VALUES"
                + " ('a', '{job}', '{\"job\": {\"version\": \"1.0\"}}'),"
                + " ('b', '{job}', '{\"job\": {\"version\": \"1.1\"}}'), ('c', '{process}', '{}')");
        Statement node = session(database);
        node.execute("SELECT pg_advisory_lock(1215264874, id) FROM howdah_internal.node WHERE name <> 'b'");
        assertThat(check(database, 1, "nodes").level()).isEqualTo(Level.OK);
        node.execute("SELECT pg_advisory_lock(1215264874, id) FROM howdah_internal.node WHERE name = 'b'");
        HealthCheck found = check(database, 1, "nodes");
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.sentence())
                .matches("Nodes have different versions: node \\d+ \\(a\\) version 1\\.0, node \\d+ \\(b\\) version"
                        + " 1\\.1\\.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void suspendedJobs_thatNoNodeGoesOnWith_areNamed(int major) throws SQLException {
        TestDatabase database = database(major);
        database.execute("INSERT INTO howdah_internal.node (name, features, serves) VALUES ('a', '{job}',"
                + " '{\"job\": {\"queues\": [\"default\"], \"kinds\": [\"known\", \"odd\"]}}');"
                + " SELECT howdah.add('default', 'known', '1'::json), howdah.add('default', 'lost', '1'::json),"
                + " howdah.add('default', 'odd', '1'::json);"
                + " INSERT INTO howdah_internal.job_record (job, kind, number, type, name, nth, at, node)"
                + " SELECT id, kind, 1, 'signal', 'ok', 1, now(), 1 FROM howdah_internal.job;"
                + " UPDATE howdah_internal.job SET run_at = now() + interval '1 hour', more = jsonb_build_object('wait',"
                + " jsonb_build_object('type', CASE kind WHEN 'odd' THEN 'diverged' ELSE 'signal' END))");
        session(database).execute("SELECT pg_advisory_lock(1215264874, id) FROM howdah_internal.node");
        HealthCheck found = check(database, 1, "waits");
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.sentence())
                .isEqualTo(
                        "2 suspended jobs have no program that goes on with them: kind lost of queue default (no node"
                                + " handles it), kind odd of queue default (its records do not fit the code).");
        database.execute("DELETE FROM howdah_internal.job WHERE kind = 'odd';"
                + " INSERT INTO howdah_internal.node_end (incarnation, id, name, features, started, ended, reason, serves)"
                + " SELECT gen_random_uuid(), 9, name, '{job}', now() - interval '1 h', now() - interval '5 min',"
                + " 'stopped', '{\"job\": {\"queues\": [\"default\"], \"kinds\": [\"lost\"]}}'"
                + " FROM unnest(ARRAY['b', 'http workers']) AS n (name)");
        assertThat(check(database, 1, "waits").level())
                .as("workers that ask every few minutes")
                .isEqualTo(Level.OK);
        database.execute("DELETE FROM howdah_internal.node_end WHERE name = 'http workers'");
        assertThat(check(database, 1, "waits").level())
                .as("a node that has stopped")
                .isEqualTo(Level.WARNING);
        database.execute("DELETE FROM howdah_internal.job WHERE kind <> 'known'");
        assertThat(check(database, 1, "waits").level()).isEqualTo(Level.OK);
        TestDatabase empty = TestDatabase.create(TestServer.of(major));
        opened.add(empty);
        assertThat(check(empty, 1, "waits").sentence()).isEqualTo("There are no jobs in this database.");
    }

    @Test
    @Tag("long")
    void archiving_thatFails_isCriticalAfterAnHour() {
        TestDatabase database = database(
                TestServer.with(Map.of("wal_level", "replica", "archive_mode", "on", "archive_command", "false")));
        database.execute("CREATE TABLE written (n int)");
        database.execute("SELECT pg_switch_wal()");
        await().atMost(Patience.LIMIT)
                .until(() -> check(database, 1, "archiving").level() == Level.WARNING);
        HealthCheck found = check(database, 0, "archiving");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence())
                .matches("WAL cannot be archived since the server began: [0-9A-F]{24} failed at .*\\.");
        assertThat(found.remedy()).contains("archive_command");
    }

    private static HealthCheck nodes(TestDatabase database, String role) throws SQLException {
        return new HealthReader(() -> DriverManager.getConnection(url(database, role)), SchemaName.howdah())
                .check().stream()
                        .filter(each -> each.name().equals("nodes"))
                        .findFirst()
                        .orElseThrow();
    }

    // what a role may not read is unknown, with the GRANT
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void role_thatMayNotReadNodes_isToldTheGrant_andADatabaseWithoutNodesHasNone(int major) throws SQLException {
        TestDatabase database = database(major);
        String role = database.name() + "_reader";
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT USAGE ON SCHEMA howdah TO " + role);
        assertThat(nodes(database, role).remedy())
                .isEqualTo("GRANT USAGE ON SCHEMA howdah, howdah_internal TO " + role + ";");
        database.execute("GRANT USAGE ON SCHEMA howdah_internal TO " + role);
        opened.add(1, () -> database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role));
        HealthCheck found = nodes(database, role);
        assertThat(found.level()).isEqualTo(Level.UNKNOWN);
        assertThat(found.remedy()).isEqualTo("GRANT SELECT ON howdah_internal.node TO " + role + ";");
        TestDatabase empty = TestDatabase.create(TestServer.of(major));
        opened.add(empty);
        assertThat(check(empty, 1, "nodes").sentence()).isEqualTo("There are no nodes in this database.");
    }
}
