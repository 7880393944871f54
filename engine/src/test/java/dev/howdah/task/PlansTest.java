package dev.howdah.task;

import static java.util.Map.entry;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.sql.Plans;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No figure depends on it, because each statement finds its rows by an index, whatever the table is like. */
@Tag("long")
class PlansTest {
    private static final TableName TABLE = new TableName("public", "task");
    private static final SqlFile PLAIN = TABLE.sql("scheduler.sql");

    /** As they are where tasks have owners, the usual case; and without. */
    private static final List<SqlFile> FILES =
            List.of(PLAIN.with(Map.of("owner", LeaderSession.OWNER, "owner_name", "owner", "owners", "true")), PLAIN);

    /** What is sorted there are the numbers in one row, a few ids that are given, or a few owners and their settings. */
    private static final Set<String> SORTING = Set.of("task_judge", "task_stopped", "task_next_plan");

    /** The statements that run while there is work, and the index that each one lives by. */
    private static final Map<String, String> HOT = Map.ofEntries(
            entry("task_look", "task_due_idx"),
            entry("task_peek", "task_turn_idx"),
            entry("task_next_plan", "task_due_idx"),
            entry("task_claim", "task_pkey"),
            entry("task_take", "task_pkey"),
            entry("task_begin", "task_pkey"),
            entry("task_finish", "task_pkey"),
            entry("task_drop_empty", "task_pkey"),
            entry("task_reset", "task_busy_idx"),
            entry("session_end_orphans", "task_busy_idx"),
            entry("task_waiting", "task_waiting_idx"),
            entry("task_dependents", "task_dependents_idx"),
            entry("task_judge", "task_pkey"),
            entry("task_give_back", "task_pkey"),
            entry("task_finish_any", "task_pkey"),
            entry("task_stopped", "task_pkey"),
            entry("task_close", "task_pkey"),
            entry("task_marked", "task_busy_idx"),
            entry("task_remote_orphans", "task_busy_idx"),
            entry("task_expire", "task_pkey"),
            entry("task_remove_old", "task_pkey"),
            entry("task_walked", "task_pkey"));

    private static final String WAITING = "a table of tasks that wait for others";

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void statements_tableOfAnySize_useTheirIndex(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            try (Connection connection =
                    SharedLeaderSession.connect(Database.of(database.uri()), "test", Duration.ofSeconds(10))) {
                new TableInstaller(connection, TABLE, null, false).complete();
            }
            int rows = major == TestServer.NEWEST ? 200_000 : 20_000;
            database.execute("ALTER TABLE task SET (autovacuum_enabled = off)");
            check(database, "an empty table");
            database.execute(
                    "INSERT INTO task (\"group\", input, plan, max, state) SELECT 'g' || i % 10, 'SELECT 1', now() + (i - "
                            + rows / 2 + ") *" + " interval '1 s', i % 3, 'PLAN' FROM generate_series(1, " + rows
                            + ") i");
            database.execute(
                    "INSERT INTO task (\"group\", input, plan, state, output) SELECT 'g' || i % 10, 'SELECT 1', now(), 'DONE', 'x'"
                            + " FROM generate_series(1, " + rows + ") i");
            check(database, "a full table without statistics");
            database.execute("ANALYZE task");
            check(database, "a full table with statistics");
            database.execute("UPDATE task SET state = 'DONE' WHERE state = 'PLAN'; ANALYZE task");
            check(database, "a table of finished tasks");
            database.execute(
                    "INSERT INTO task (input, after) SELECT 'SELECT 1', ARRAY[i, i + 1] FROM generate_series(1, "
                            + rows / 10 + ") i; ANALYZE task");
            check(database, WAITING);
        }
    }

    private static void check(TestDatabase database, String table) throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        try (Connection connection =
                        SharedLeaderSession.connect(Database.of(database.uri()), "test", Duration.ofSeconds(10));
                Statement statement = connection.createStatement()) {
            for (SqlFile file : FILES) {
                for (Map.Entry<String, String> hot : HOT.entrySet()) {
                    String plan = plan(file, statement, hot.getKey());
                    var asserted = softly.assertThat(plan)
                            .as("%s on %s", hot.getKey(), table)
                            .doesNotContain("Seq Scan on task")
                            .doesNotContain("Seq Scan on public.task");
                    // Planned each time: where nothing waits others are as good.
                    if (!hot.getKey().equals("task_dependents") || table.equals(WAITING))
                        asserted.contains(hot.getValue());
                    if (!SORTING.contains(hot.getKey())) asserted.doesNotContain("Sort");
                }
            }
        }
        softly.assertAll();
    }

    /** That of {@code dependents} is made anew each time, for real numbers. */
    private static String plan(SqlFile file, Statement statement, String name) throws SQLException {
        boolean anew = name.equals("task_dependents");
        statement.execute("BEGIN");
        if (anew) statement.execute(file.text("task_planned_anew"));
        String plan = anew ? Plans.of(statement, file, name, "('{5,6,7}', 300)") : Plans.of(statement, file, name);
        statement.execute("ROLLBACK");
        return plan;
    }
}
