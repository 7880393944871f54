package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.internal.statements.ReadStatements;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.store.SweepStore;
import dev.howdah.sweep.internal.store.TargetTable;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Statements of a sweep, as they run, over a table of which half is done and nothing has been cleared away: none reads more rows than it is about. */
@PostgresTest
@Tag("long")
class SweepPlansTest {
    private static final int ROWS = 100_000;
    private static final int BATCH = 100;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SweepDatabase database;

    SweepPlansTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
        this.database.execute("ALTER TABLE subscription SET (autovacuum_enabled = off);"
                + " ALTER TABLE subscription ADD run integer; CREATE INDEX ON subscription (run, email, id);"
                + " CREATE INDEX ON subscription (run, id);"
                + " UPDATE subscription SET run = 1;"
                + " UPDATE subscription SET last_mail_at = now() WHERE id <= 50000; ANALYZE subscription");
    }

    private static SweepDefinition definition(@Nullable String order, @Nullable String run) {
        return new SweepDefinition(
                "subscription",
                "last_mail_at IS NULL",
                List.of("id"),
                order,
                "last_mail_at = now(), mails = mails + 1",
                "UPDATE subscription s SET email = s.email FROM batch b WHERE s.id = b.id",
                run);
    }

    private static List<RowKey> keys(int from) {
        return IntStream.range(from, from + BATCH)
                .mapToObj(i -> new RowKey(List.of(Integer.toString(i))))
                .toList();
    }

    @Test // the second look, the mark, the lock, and what the user's statement sees
    void statements_ofABatch_readItsRowsOnly() throws SQLException, IOException {
        try (DedicatedSession session = new DedicatedSession(database.source().getConnection())) {
            Sweep.install(session.connection());
            SweepStatements statements = statements(session, definition(null, null));
            session.query(statements.row("row_prepare"), "800").close();
            String[][] arrays = RowKey.arrays(keys(60_000), 1);
            session.query(statements.row("row_choose"), (Object) arrays[0]).close();
            for (String name : List.of("row_look", "row_hold", "row_mark", "row_mark_todo", "row_work", "row_still")) {
                Sql sql = statements.row(name);
                session.query(statements.row("row_choose"), (Object) arrays[0]).close();
                session.connection().setAutoCommit(false);
                check(name, BATCH * 2L, session, sql, sql.parameters() == 0 ? new Object[0] : new Object[] {1});
                session.connection().rollback();
                session.connection().setAutoCommit(true);
            }
            check("lock", 0, session, statements.row("row_lock"), (Object) arrays[0]);
            check("unlock", 0, session, statements.row("row_unlock"), (Object) arrays[0]);
        }
    }

    @Test // whoever reads on does not walk over what is done
    void statements_ofTheScout_readOnFromTheLastRow() throws SQLException, IOException {
        try (DedicatedSession session = new DedicatedSession(database.source().getConnection())) {
            Sweep.install(session.connection());
            SweepStatements byKey = statements(session, definition(null, null));
            for (String name : List.of("key_next", "key_window"))
                check(
                        name,
                        1_001,
                        session,
                        byKey.reads().reading(name, ReadStatements.Segment.ALL, true, false),
                        1,
                        1_000,
                        "60000");
            SweepStatements run = statements(session, definition("email", "run"));
            check(
                    "next of a run",
                    2_001, // some that are done lie between
                    session,
                    run.reads().reading("key_next", ReadStatements.Segment.ALL, true, false),
                    1,
                    1_000,
                    "p60000@example.com",
                    "60000");
            check("step of a run", 2_001, session, run.stamps().step(true), 1, 1_000, "60000");
            SweepStatements stamps = statements(session, definition("email", SweepDefinition.STAMPS));
            check("step of stamps", 1_001, session, stamps.stamps().step(true), 1, 1_000, "60000");
            database.execute(
                    "INSERT INTO howdah_internal.sweep_run SELECT 1, 0, email, ARRAY[id::text] FROM subscription");
            check(
                    "next stamps",
                    2_003, // PostgreSQL 13 reads a stamp or two ahead
                    session,
                    stamps.stamps().reading(true),
                    1,
                    1_000,
                    "0",
                    "p60000@example.com",
                    "60000");
        }
    }

    @Test // a later pass goes from one place to the next: it reads what lies between, by the index that has the order
    void statements_betweenTwoPlaces_readWhatLiesBetween() throws SQLException, IOException {
        try (DedicatedSession session = new DedicatedSession(database.source().getConnection())) {
            Sweep.install(session.connection());
            SweepStatements byKey = statements(session, definition(null, null));
            SweepStatements run = statements(session, definition("email", "run"));
            SweepStatements ordered = statements(session, definition("run DESC", null));
            for (String name : List.of("key_next", "key_window", "key_walk")) {
                check(name, 500, session, between(byKey, name), 1, 10_000, "60000", "60500");
                check(name, 700, session, between(run, name), 1, 10_000, "p600", "0", "p6005", "0");
                Sql descending = ordered.reads().reading(name, ReadStatements.Segment.ORDERED, true, true);
                check(name, 500, session, descending, 1, 10_000, "1", "60500", "1", "60000");
                Sql first = byKey.reads().reading(name, ReadStatements.Segment.ALL, false, true);
                check(name, name.equals("key_window") ? 50 : 0, session, first, 1, 10_000, "50");
            }
        }
    }

    private static Sql between(SweepStatements statements, String name) {
        return statements.reads().reading(name, ReadStatements.Segment.ALL, true, true);
    }

    private static SweepStatements statements(DedicatedSession session, SweepDefinition definition)
            throws SQLException {
        return new SweepStatements(definition, TargetTable.find(session, definition), SweepStore.now(session), 1);
    }

    private void check(String name, long most, DedicatedSession session, Sql sql, @Nullable Object... values)
            throws SQLException, IOException {
        JsonNode plan;
        try (PreparedStatement statement =
                session.connection().prepareStatement("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql.jdbc())) {
            sql.bind(statement, values);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                plan = JSON.readTree(row.getString(1)).path(0).path("Plan");
            }
        }
        assertThat(plan.toString()).as(name).doesNotContain("\"Seq Scan\"", "Incremental Sort");
        // These sort what they have read.
        if (!name.startsWith("step") && !name.endsWith("stamps"))
            assertThat(plan.toString()).as(name).doesNotContain("\"Sort\"");
        assertThat(read(plan)).as("%s reads rows: %s", name, plan).isBetween(Math.min(most, 1), most);
        assertThat(plan.path("Shared Hit Blocks").asLong()
                        + plan.path("Shared Read Blocks").asLong())
                .as("%s reads pages: %s", name, plan)
                .isLessThan(40 * Math.max(most, 10));
    }

    /** How many rows of tables a plan has read, whether it could use them or not. */
    private static long read(JsonNode plan) {
        long rows = 0;
        if (plan.has("Relation Name") && plan.path("Node Type").asText().contains("Scan"))
            rows = (long) ((plan.path("Actual Rows").asDouble()
                            + plan.path("Rows Removed by Filter").asDouble()
                            + plan.path("Rows Removed by Index Recheck").asDouble())
                    * plan.path("Actual Loops").asLong());
        for (JsonNode each : plan.path("Plans")) rows += read(each);
        return rows;
    }
}
