package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.internal.read.DeadEntryPruner;
import dev.howdah.sweep.internal.read.KeyCursor;
import dev.howdah.sweep.internal.read.KeyScanner;
import dev.howdah.sweep.internal.read.ScanCheckpoints;
import dev.howdah.sweep.internal.statements.ReadStatements;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.store.SweepStore;
import dev.howdah.sweep.internal.store.TargetTable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That nothing is forgotten: passes over a table, of which later ones go from milestone to milestone. */
@Tag("long")
@PostgresTest
class SweepPassTest {
    private static final int ROWS = 500;

    private final SweepDatabase database;

    SweepPassTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, 1);
        this.database.execute("DROP TABLE subscription");
    }

    private KeyScanner candidates(String key, @Nullable String order, String where, int spacing) throws SQLException {
        try (DedicatedSession session = new DedicatedSession(database.source().getConnection())) {
            Sweep.install(session.connection());
            SweepDefinition definition =
                    new SweepDefinition("thing", where, List.of(key.split(",")), order, "state = 'x'", null, null);
            TargetTable target = TargetTable.find(session, definition);
            SweepStatements statements = new SweepStatements(definition, target, SweepStore.now(session), 1);
            KeyCursor reader = new KeyCursor(ConnectionSource.of(database.dataSource()), 1, statements);
            return new KeyScanner(reader, target, statements, () -> new ScanCheckpoints(spacing, 40));
        }
    }

    private static List<String> pass(KeyScanner candidates, int most) throws SQLException {
        List<String> seen = new ArrayList<>();
        candidates.rewind();
        while (!candidates.isAtEnd()) candidates.read(most).forEach(each -> seen.add(String.join("|", each.columns())));
        return seen;
    }

    @ParameterizedTest // whatever the key and the order are: each pass has every row that is to do, once
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "a bigint # i # a # ",
                "a text # 'Ä {},\\ ''' || i # a # ",
                "a uuid # md5(i::text)::uuid # a # ",
                "a integer, b text # i / 7, 'x' || i # a,b # ",
                "a text, b integer # 'x' || i, i % 10 # a # b DESC",
                "a integer, b timestamptz # i, CASE WHEN i % 3 > 0 THEN timestamptz '2026-01-01' + (i % 50) * interval '1 h' END # a # b",
            })
    void passes_laterOnes_haveEveryRowThatIsToDo(String columns, String values, String key, @Nullable String order)
            throws SQLException {
        database.execute("CREATE TABLE thing (" + columns + ", state text, n integer, PRIMARY KEY (" + key + "));"
                + (order == null ? "" : " CREATE INDEX ON thing (" + order.replace(" DESC", "") + ", " + key + ");")
                + " INSERT INTO thing SELECT " + values + ", NULL, i FROM generate_series(1, " + ROWS + ") i");
        try (KeyScanner candidates = candidates(key, order, "state IS NULL", 20)) {
            List<String> first = pass(candidates, 30);
            assertThat(first).hasSize(ROWS).doesNotHaveDuplicates();
            assertThat(pass(candidates, 30)).isEqualTo(first);
            assertThat(pass(candidates, 7)).isEqualTo(first);
            database.execute("UPDATE thing SET state = 'x' WHERE n NOT IN (3, 100, 101, 499)");
            assertThat(pass(candidates, 30)).hasSize(4).isSubsetOf(first);
            // Behind, between and in front of what was read before.
            database.execute("DELETE FROM thing WHERE n % 50 = 0");
            database.execute("INSERT INTO thing SELECT " + values
                    + ", NULL, i FROM unnest(ARRAY[-1000, 50, 250, 500, 99999]) i");
            assertThat(pass(candidates, 30)).hasSize(8).doesNotHaveDuplicates();
        }
    }

    @Test // a stretch that takes too long is read in shorter ones
    void stretches_tooLongForOneStatement_areReadInShorterOnes() throws SQLException {
        database.execute("CREATE TABLE thing (a integer PRIMARY KEY, state text); CREATE TABLE pace AS SELECT 0.0 AS s;"
                + " INSERT INTO thing SELECT i FROM generate_series(1, 40) i;"
                + " CREATE FUNCTION slow() RETURNS boolean LANGUAGE plpgsql VOLATILE AS"
                + " 'BEGIN PERFORM pg_sleep(s) FROM pace; RETURN true; END'");
        try (KeyScanner candidates = candidates("a", null, "state IS NULL AND slow()", 4)) {
            List<String> first = pass(candidates, 4);
            for (int i = 0; i < 5; i++) assertThat(pass(candidates, 1_000)).isEqualTo(first);
            database.execute("UPDATE pace SET s = 0.03");
            assertThat(pass(candidates, 1_000)).isEqualTo(first).hasSize(40);
        }
    }

    @Test // what lies behind is cleared away by the way, but not while an old snapshot sees it: then nothing is lost by
    // it
    void index_ofRowsThatAreDone_isWalkedOverOnceOnly() throws SQLException, IOException {
        database.execute(
                "CREATE TABLE thing (a integer PRIMARY KEY, state text, note text) WITH (autovacuum_enabled = off);"
                        + " CREATE INDEX thing_todo ON thing (a) WHERE state IS NULL;"
                        + " INSERT INTO thing SELECT i, NULL, repeat('x', 300) FROM generate_series(1, 20000) i; ANALYZE thing");
        try (Connection old = database.source().getConnection();
                Statement statement = old.createStatement();
                KeyScanner candidates = candidates("a", null, "state IS NULL", 1_000)) {
            assertThat(pass(candidates, 1_000)).hasSize(20_000);
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT 1");
            database.execute("UPDATE thing SET state = 'x'");
            long all = pages();
            assertThat(all).isGreaterThan(400);
            lookBack();
            assertThat(pages()).isGreaterThan(400);
            database.execute("UPDATE thing SET state = NULL WHERE a IN (1, 7000, 20000)");
            assertThat(pass(candidates, 1_000)).containsExactly("1", "7000", "20000");
            old.commit();
            // A transaction in any database of the server may be in the way for a while.
            SweepDatabase.awaiting("index entries are marked").until(() -> {
                lookBack();
                return pages() < all / 4;
            });
            assertThat(pass(candidates, 1_000)).containsExactly("1", "7000", "20000");
        }
    }

    /** As it is done while a sweep goes on. */
    private void lookBack() throws SQLException {
        try (DedicatedSession session = new DedicatedSession(database.source().getConnection())) {
            SweepDefinition definition =
                    new SweepDefinition("thing", "state IS NULL", List.of("a"), null, "state = 'x'", null, null);
            SweepStatements statements =
                    new SweepStatements(definition, TargetTable.find(session, definition), SweepStore.now(session), 1);
            ScanCheckpoints marks = new ScanCheckpoints(1_000, 40);
            for (int i = 1_000; i <= 20_000; i += 1_000) marks.passed(1_000, List.of(Integer.toString(i)));
            try (KeyCursor reader = new KeyCursor(ConnectionSource.of(database.dataSource()), 1, statements)) {
                DeadEntryPruner lookBack = new DeadEntryPruner(reader, 0);
                while (lookBack.isDue(marks)) lookBack.look(ReadStatements.Segment.ALL, marks);
            }
        }
    }

    /** How many pages a look at the first 10,000 reads, of the index and of the table. */
    private long pages() throws SQLException, IOException {
        try (DedicatedSession session = new DedicatedSession(database.source().getConnection())) {
            SweepDefinition definition =
                    new SweepDefinition("thing", "state IS NULL", List.of("a"), null, "state = 'x'", null, null);
            SweepStatements statements =
                    new SweepStatements(definition, TargetTable.find(session, definition), SweepStore.now(session), 1);
            Sql sql = statements.reads().reading("key_next", ReadStatements.Segment.ALL, false, true);
            try (PreparedStatement explain =
                    session.connection().prepareStatement("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql.jdbc())) {
                sql.bind(explain, 1, 100_000, "10000");
                try (ResultSet row = explain.executeQuery()) {
                    row.next();
                    var plan = new ObjectMapper()
                            .readTree(row.getString(1))
                            .path(0)
                            .path("Plan");
                    return plan.path("Shared Hit Blocks").asLong()
                            + plan.path("Shared Read Blocks").asLong();
                }
            }
        }
    }
}
