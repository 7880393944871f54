package dev.howdah.internal.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.health.DatabaseHealth;
import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.job.Jobs;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Each check of the health of a database: the sick state made on a real server, on the oldest and the newest major. */
class HealthReaderTest {
    private final List<AutoCloseable> opened = new ArrayList<>();

    static IntStream majors() {
        return IntStream.of(TestServer.majors().get(0), TestServer.NEWEST).distinct();
    }

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

    private Statement session(TestDatabase database) throws SQLException {
        Connection connection = database.connect();
        opened.add(connection);
        return connection.createStatement();
    }

    @ParameterizedTest
    @MethodSource("majors")
    void check_ofHealthyDatabase_findsNothing(int major) throws SQLException {
        TestDatabase database = database(major);
        assertThat(DatabaseHealth.on(Database.of(database.uri())).check())
                .hasSize(17)
                // Servers of tests run with fsync off, and other tests have sessions on the same server.
                .filteredOn(each -> !List.of("durability", "snapshot", "size").contains(each.name()))
                .allSatisfy(each -> {
                    assertThat(each.level()).as(each.toString()).isEqualTo(Level.OK);
                    assertThat(each.remedy()).as(each.toString()).isNull();
                    assertThat(each.sentence()).endsWith(".");
                    assertThat(each.value()).isNotNull();
                });
    }

    @ParameterizedTest
    @MethodSource("majors")
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
    @MethodSource("majors")
    void idleTransaction_isNamedWithItsStatement_andIsCriticalIfOthersWait(int major) throws Exception {
        TestDatabase database = database(major);
        Statement holder = session(database);
        holder.execute("BEGIN; LOCK TABLE howdah.job IN ACCESS EXCLUSIVE MODE");
        assertThat(check(database, 1, "idle_transaction").level()).isEqualTo(Level.OK);
        assertThat(check(database, 0, "idle_transaction").level()).isEqualTo(Level.CRITICAL);
        assertThat(check(database, 0, "idle_transaction").sentence())
                .matches(
                        "Session \\d+ \\(postgres.*\\) is idle in a transaction; its last statement: .*LOCK TABLE.*\\.");
        Statement waiting = session(database);
        CompletableFuture<?> waits = CompletableFuture.runAsync(() -> {
            try {
                waiting.execute("SELECT FROM howdah.job");
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
        for (int i = 0; i < 8; i++) session(database);
        HealthCheck found = check(database, 1, "connections");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence()).matches("\\d+ of 9 connections are used; 3 more are for superusers\\.");
        assertThat(found.remedy()).contains("max_connections");
    }

    @ParameterizedTest
    @MethodSource("majors")
    void deadRowsAndOldStatistics_areNamed(int major) {
        TestDatabase database = database(major);
        database.execute("SELECT howdah.queue('clicks', 'log')");
        assertThat(check(database, 1, "autovacuum").level())
                .as("segments of log queues")
                .isEqualTo(Level.OK);
        // More changes than the table below has, so that it would be named first.
        database.execute("SELECT howdah.add_many('clicks', 'click', array_fill('1'::json, ARRAY[250000]))");
        database.execute("ALTER TABLE howdah.body SET (autovacuum_enabled = off);"
                + " INSERT INTO howdah.body SELECT n, '1' FROM generate_series(1, 110000) n");
        database.execute("UPDATE howdah.body SET payload = '2'");
        await().until(() -> check(database, 1, "dead_rows").level() == Level.CRITICAL);
        HealthCheck dead = check(database, 1, "dead_rows");
        assertThat(dead.sentence())
                .isEqualTo("howdah.body has 110000 dead rows beside 110000 live ones; autovacuum was never there.");
        assertThat(dead.remedy()).startsWith("VACUUM (ANALYZE) howdah.body;");
        HealthCheck statistics = check(database, 1, "statistics");
        assertThat(statistics.level()).isEqualTo(Level.WARNING);
        assertThat(statistics.sentence())
                .isEqualTo("howdah.body was never analyzed: 220000 changed rows, 110000 live ones.");
        assertThat(statistics.remedy()).isEqualTo("ANALYZE howdah.body;");
        HealthCheck autovacuum = check(database, 1, "autovacuum");
        assertThat(autovacuum.level()).isEqualTo(Level.WARNING);
        assertThat(autovacuum.sentence()).isEqualTo("Autovacuum is off for howdah.body.");
        assertThat(autovacuum.remedy()).isEqualTo("ALTER TABLE howdah.body RESET (autovacuum_enabled);");
    }

    @ParameterizedTest
    @MethodSource("majors")
    void index_thatIsInvalid_isNamed(int major) {
        TestDatabase database = database(major);
        database.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'howdah.job_ready'::regclass");
        HealthCheck found = check(database, 1, "indexes");
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.sentence()).isEqualTo("howdah.job_ready of howdah.job is invalid.");
        assertThat(found.remedy()).isEqualTo("REINDEX INDEX CONCURRENTLY howdah.job_ready;");
    }

    @ParameterizedTest
    @MethodSource("majors")
    void trigger_thatIsDisabled_isNamed(int major) {
        TestDatabase database = database(major);
        database.execute("ALTER TABLE howdah.failed DISABLE TRIGGER failed_order");
        HealthCheck found = check(database, 1, "triggers");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.sentence()).isEqualTo("Trigger failed_order of howdah.failed is disabled.");
        assertThat(found.remedy()).isEqualTo("ALTER TABLE howdah.failed ENABLE TRIGGER failed_order;");
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
    @MethodSource("majors")
    void day_withoutTable_isNamed(int major) {
        TestDatabase database = database(major);
        String tomorrow = database.value("SELECT to_char(CURRENT_DATE + 1, 'YYYYMMDD')");
        String today = database.value("SELECT to_char(CURRENT_DATE, 'YYYYMMDD')");
        database.execute("DROP TABLE howdah.batch_" + tomorrow);
        assertThat(check(database, 1, "days").level()).isEqualTo(Level.WARNING);
        database.execute("DROP TABLE howdah.batch_" + today);
        HealthCheck found = check(database, 1, "days");
        assertThat(found.level()).isEqualTo(Level.CRITICAL);
        assertThat(found.remedy()).startsWith("SELECT howdah.make_days();");
    }

    @ParameterizedTest
    @MethodSource("majors")
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
}
