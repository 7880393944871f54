package dev.howdah.job;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.node.NodeSql;
import dev.howdah.internal.sql.Plans;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each statement of the hot path finds its rows by an index, whatever the tables are like. */
@PostgresTest
@Tag("long")
class JobPlansTest {
    /** By its number, or among the open ones of its node: either has a few rows. */
    private static final String BATCH = "Scan using batch_";

    /** The statements that run while there is work, and the index that each one lives by. */
    private static final Map<String, String> JOB = Map.ofEntries(
            entry("job_claim", "job_ready"),
            entry("job_claim_one", "job_ready"),
            entry("batch_done", BATCH),
            entry("batch_settle", BATCH),
            entry("batch_turns", BATCH),
            entry("job_next_due", "job_ready"),
            entry("batch_give_back", BATCH),
            entry("kind_move", "job_ready"),
            entry("batch_mine", BATCH),
            entry("batch_still_mine", BATCH),
            entry("batch_end", BATCH),
            entry("batch_end_own", BATCH),
            entry("batch_end_own_all", BATCH),
            entry("batch_begin", BATCH),
            entry("body_read", "body_pkey"));

    /** They find their batches by their numbers: among the open ones, an old snapshot keeps all that have ended. */
    private static final Set<String> BY_NUMBER = Set.of(
            "job_claim",
            "batch_done",
            "batch_settle",
            "batch_turns",
            "batch_still_mine",
            "batch_end",
            "batch_end_own",
            "batch_end_own_all",
            "batch_begin");

    private static final Map<String, String> NODE = Map.of("batch_orphans", BATCH);
    private static final Map<String, String> SCHEDULE = Map.of("schedule_due", "job_pkey");
    private static final Map<String, String> PRESENCE = Map.of("node_watch", "node_pkey");

    private final JobsDatabase database;

    JobPlansTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Test
    void statements_tablesOfAnySize_useTheirIndex() throws SQLException {
        database.execute("ALTER TABLE howdah_internal.job SET (autovacuum_enabled = off)");
        check("empty tables");
        database.execute(
                "INSERT INTO howdah_internal.job (lane, kind, priority, run_at, payload) VALUES (1, 'k', 0, now(), '1');"
                        + " INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads)"
                        + " SELECT 1, 1, true, false, 1, 1, 1, ARRAY[1], now(), 'k', ARRAY['1'::json]; ANALYZE howdah_internal.job; ANALYZE howdah_internal.batch");
        check("tables of one row, with statistics");
        fill();
        check("full tables without statistics");
        database.execute("ANALYZE howdah_internal.job; ANALYZE howdah_internal.batch; ANALYZE howdah_internal.node");
        check("full tables");
        database.execute("DELETE FROM howdah_internal.job; ANALYZE howdah_internal.job");
        check("a table of dead rows");
    }

    private void fill() {
        database.execute(
                "INSERT INTO howdah_internal.lane_priority SELECT l.id, p FROM howdah_internal.lane l, generate_series(-2, 2) p;"
                        + " INSERT INTO howdah_internal.lane (queue) VALUES ('q') ON CONFLICT DO NOTHING;"
                        + " INSERT INTO howdah_internal.job (lane, kind, priority, run_at, payload)"
                        + " SELECT (SELECT max(id) FROM howdah_internal.lane), 'k', i % 5 - 2, now() + (i - 50000) * interval '1 s', '1'"
                        + " FROM generate_series(1, 100000) i;"
                        + " INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads, ended)"
                        + " SELECT 1, 1, true, false, 1, i, i, ARRAY[i], now(), 'k', ARRAY['1'::json], now() FROM generate_series(1, 20000) i");
    }

    private void check(String tables) throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        try (JobSession session = JobSession.open(ConnectionSource.of(database.dataSource()));
                Statement statement = session.connection().createStatement()) {
            check(softly, statement, JobSql.JOB, JOB, tables);
            check(softly, statement, JobSql.NODE, NODE, tables);
            check(softly, statement, JobSql.SCHEDULE, SCHEDULE, tables);
            check(softly, statement, NodeSql.NODE, PRESENCE, tables);
        }
        softly.assertAll();
    }

    private static void check(
            SoftAssertions softly, Statement statement, SqlFile file, Map<String, String> hot, String tables)
            throws SQLException {
        for (Map.Entry<String, String> each : hot.entrySet())
            softly.assertThat(Plans.of(statement, file, each.getKey()))
                    .doesNotContainPattern(
                            "Scan using (job|batch_\\d+_pkey|body)\\w* on \\w+( \\w+)?\n(?! *Index Cond)")
                    .as("%s on %s", each.getKey(), tables)
                    .doesNotContain("Seq Scan on job")
                    .doesNotContain("Seq Scan on batch")
                    .doesNotContain("Seq Scan on body")
                    .doesNotContain(BY_NUMBER.contains(each.getKey()) ? "_node_idx" : "no such index")
                    .contains(each.getValue());
    }

    /** For each of many lanes, also before the tables that have grown are analyzed. */
    @Test
    void countsOfManyLanes_readNoTableForEach() throws SQLException {
        database.execute(
                "ALTER TABLE howdah_internal.failed SET (autovacuum_enabled = off);"
                        + " ALTER TABLE howdah_internal.job SET (autovacuum_enabled = off);"
                        + " SELECT howdah_internal.lane_of('q' || n, 'k', 0::smallint) FROM generate_series(1, 2000) n;"
                        + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload)"
                        + " SELECT n, (SELECT max(id) FROM howdah_internal.lane), 'failed', 'k', 0, 3, 0, now(), 'x', '1' FROM generate_series(1, 20000) n");
        fill();
        for (String tables : new String[] {"tables without statistics", "analyzed tables"}) {
            try (Connection session = database.connect();
                    Statement statement = session.createStatement()) {
                assertThat(Plans.of(statement, JobSql.QUERY, "queue_overview", "(10001)"))
                        .as(tables)
                        .doesNotContain("Seq Scan on failed", "Seq Scan on job ", "failed_ended")
                        .contains("failed_lane", "job_ready");
                assertThat(Plans.of(statement, JobSql.STAT, "stat_depth"))
                        .as(tables)
                        .doesNotContain("Seq Scan on job ")
                        .contains("job_ready");
            }
            database.execute(
                    "ANALYZE howdah_internal.failed; ANALYZE howdah_internal.job; ANALYZE howdah_internal.lane");
        }
    }

    @Test // dead rows in front, and an old snapshot that keeps them
    void claim_behindDeadRowsThatASnapshotKeeps_readsHardlyMore() throws SQLException {
        Kind<Long> work = Kind.of("k", Long.class);
        try (Jobs jobs = database.jobs()
                        .handle(work, (payload, job) -> {})
                        .queues("q")
                        .start();
                Connection old = database.connect();
                Statement snapshot = old.createStatement()) {
            assertThat(jobs.node()).isPositive();
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            snapshot.execute("SELECT count(*) FROM howdah_internal.job");
            database.execute(
                    "INSERT INTO howdah_internal.lane_priority SELECT l.id, 0 FROM howdah_internal.lane l WHERE queue = 'q'");
            database.execute(
                    "INSERT INTO howdah_internal.job (lane, kind, run_at, payload) SELECT id, 'k', now() - interval '1 h', '1'"
                            + " FROM howdah_internal.lane, generate_series(1, 100000) WHERE queue = 'q'; DELETE FROM howdah_internal.job");
            try (JobSession session = JobSession.open(ConnectionSource.of(database.dataSource()));
                    Statement statement = session.connection().createStatement()) {
                database.execute(
                        "INSERT INTO howdah_internal.job (lane, kind, run_at, payload) SELECT id, 'nobody', now() + interval '1 s',"
                                + " '1' FROM howdah_internal.lane WHERE queue = 'q'");
                statement.execute("PREPARE hot AS " + JobSql.JOB.text("job_claim"));
                long low = pages(statement, "ARRAY[0], ARRAY[now() - interval '1 s']", "ARRAY[1]");
                long all = pages(statement, "ARRAY[]::integer[], ARRAY[]::timestamptz[]", "ARRAY[]::bigint[]");
                assertThat(low).as("pages read from the lower bound").isLessThan(200);
                assertThat(all).as("pages read from the beginning").isGreaterThan(low);
            }
        }
    }

    /** How many pages a claim of up to 500 jobs reads. */
    private long pages(Statement statement, String bounds, String ids) throws SQLException {
        long lane = database.number("SELECT id FROM howdah_internal.lane WHERE queue = 'q' AND kind IS NULL");
        StringBuilder plan = new StringBuilder();
        try (ResultSet rows = statement.executeQuery(
                "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, FORMAT JSON) EXECUTE hot" + "(0, '{}', '{}', '{}', "
                        + lane + ", 500, " + bounds + ", '{}', " + ids + ", 200, 1, '{}', NULL, false, false, NULL)")) {
            while (rows.next()) plan.append(rows.getString(1));
        }
        String hits = plan.toString().replaceAll("(?s).*?\"Shared Hit Blocks\": (\\d+).*", "$1");
        String reads = plan.toString().replaceAll("(?s).*?\"Shared Read Blocks\": (\\d+).*", "$1");
        return Long.parseLong(hits) + Long.parseLong(reads);
    }
}
