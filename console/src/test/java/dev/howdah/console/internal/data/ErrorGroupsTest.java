package dev.howdah.console.internal.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.Jobs;
import dev.howdah.operations.read.EngineReads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Errors are grouped as the database's function does, and of the newest jobs only, whatever there is. */
@PostgresTest
class ErrorGroupsTest {
    private static final Sql GROUPS = SqlFile.of(EngineReads.class, "reads.sql").statement("job_error_groups");

    /** Each is a group of its own, and none is of the same pattern as another unless it is among {@link #ALIKE}. */
    private static final List<String> HOSTILE = List.of(
            "id 0f8fad5b-d9cb-469f-a165-70867728950e is gone",
            "no id 0f8fad5bb-d9cbb-469ff-a165f-70867728950ee",
            "digits next to hex 12ab-34cd-56ef-78-90 and more-than-four-dashes-1-2",
            "quoted \"12 \\\" 'a 5' \" and 'it''s 7' and ' \" '",
            "\u0663 is a digit elsewhere; 99 % \\d+ (a|b) * [",
            "",
            "first line 4711\nsecond line",
            "x".repeat(499) + "1234567",
            "A0000000-B111-C222-D333-E44444444444 in capitals");

    private static final String ALIKE = "id 7c9e6679-7425-40de-944b-e07fc1f90ae7 is gone";

    private static TestDatabase database;

    @BeforeAll
    static void fill(TestDatabase shared) throws SQLException {
        database = shared;
        try (Connection connection = shared.connect()) {
            Jobs.install(connection);
            connection.createStatement().execute("SELECT howdah.add('mail', 'welcome', '1')");
            connection
                    .createStatement()
                    .execute(
                            "INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error,"
                                    + " payload) SELECT nextval('howdah_internal.job_id_seq'), max(l.id), 'failed', 'welcome', 0, 3, 0, now(),"
                                    + " now() - n * interval '1 s', 'refused customer ' || n || E'\\n\\tat Main.java:7', '1'"
                                    + " FROM generate_series(1, 50000) n, howdah_internal.lane l WHERE l.queue = 'mail' GROUP BY n;"
                                    + " INSERT INTO howdah_internal.job (lane, kind, run_at, payload, attempt, more) SELECT max(l.id), 'welcome',"
                                    + " now() + n * interval '1 h', '1', 1, jsonb_build_object('error', 'timeout ' || n)"
                                    + " FROM generate_series(1, 50000) n, howdah_internal.lane l WHERE l.queue = 'mail' GROUP BY n;"
                                    + " ANALYZE howdah_internal.failed; ANALYZE howdah_internal.job");
        }
    }

    private static List<String> plan(String which) throws SQLException {
        return plan(which, null, null);
    }

    private static List<String> plan(String which, @Nullable String queue, @Nullable String kind) throws SQLException {
        List<String> plan = new ArrayList<>();
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(
                        "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF) " + GROUPS.jdbc(connection))) {
            GROUPS.bind(statement, EngineReads.ERRORS, which, queue, kind, EngineReads.GROUPS + 1);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) plan.add(row.getString(1).strip());
            }
        }
        return plan;
    }

    @Test
    void plan_readsTheNewestByTheirIndex_andNoOthers() throws SQLException {
        for (String which : List.of("failed", "retrying")) {
            String index = which.equals("failed") ? "failed_lane on failed r" : "job_retrying on job r";
            assertThat(plan(which))
                    .filteredOn(line -> line.contains("Index Scan Backward using " + index))
                    .singleElement()
                    .asString()
                    .containsPattern("rows=" + (EngineReads.ERRORS + 1) + "(\\.00)? loops=1");
            assertThat(plan(which))
                    .noneMatch(line -> line.contains("Seq Scan on failed") || line.contains("Seq Scan on job "))
                    .as("groups fit into memory")
                    .noneMatch(line -> line.contains("Disk Usage"));
        }
    }

    @Test
    void plan_ofARareKind_readsABoundedNumberAndSaysSo() throws SQLException {
        for (String which : List.of("failed", "retrying"))
            assertThat(plan(which, null, "rare"))
                    .noneMatch(line -> line.contains("Seq Scan on failed") || line.contains("Seq Scan on job "))
                    .filteredOn(line -> line.startsWith("Rows Removed by Filter"))
                    .contains("Rows Removed by Filter: " + 2 * EngineReads.ERRORS)
                    .noneMatch(line -> line.endsWith(": 50000"));
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            // Among those that are looked at, the last one, and behind them.
            statement.execute("UPDATE howdah_internal.failed SET kind = 'rare' WHERE id IN ("
                    + "(SELECT id FROM howdah_internal.failed ORDER BY ended DESC OFFSET 39999 LIMIT 1),"
                    + " (SELECT id FROM howdah_internal.failed ORDER BY ended DESC OFFSET 40000 LIMIT 1))");
            assertThat(rows(GROUPS.prepare(connection, EngineReads.ERRORS, "failed", null, "rare", 100)))
                    .containsExactly("refused customer ... 1");
            try (PreparedStatement groups =
                            GROUPS.prepare(connection, EngineReads.ERRORS, "failed", null, "rare", 100);
                    ResultSet row = groups.executeQuery()) {
                assertThat(row.next()).isTrue();
                assertThat(row.getBoolean("is_all")).isFalse();
                assertThat(row.getTimestamp("since")).isNotNull();
            }
            connection.rollback();
        }
    }

    @Test
    void groups_ofAnyText_areThoseOfTheFunction() throws SQLException {
        List<String> texts = new ArrayList<>(HOSTILE);
        texts.add(ALIKE);
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("DELETE FROM howdah_internal.failed");
            try (PreparedStatement add = connection.prepareStatement(
                    "INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error, payload)"
                            + " SELECT nextval('howdah_internal.job_id_seq'), max(l.id), 'failed', 'k', 0, 1, 0, now(), now(), ?, '1'"
                            + " FROM howdah_internal.lane l WHERE l.queue = 'mail'")) {
                for (String text : texts) {
                    add.setString(1, text);
                    add.execute();
                }
            }
            List<String> seen = rows(GROUPS.prepare(connection, EngineReads.ERRORS, "failed", "mail", "k", 100));
            List<String> wanted = rows(connection.prepareStatement(
                    "SELECT howdah.error_pattern(f.error) COLLATE \"C\" AS pattern, count(*) AS jobs FROM howdah_internal.failed f"
                            + " GROUP BY 1 ORDER BY 2 DESC, 1"));
            assertThat(seen).isEqualTo(wanted).hasSize(HOSTILE.size());
            connection.rollback();
        }
    }

    private static List<String> rows(PreparedStatement statement) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (statement;
                ResultSet row = statement.executeQuery()) {
            while (row.next()) rows.add(row.getString("pattern") + " " + row.getLong("jobs"));
        }
        return rows;
    }
}
