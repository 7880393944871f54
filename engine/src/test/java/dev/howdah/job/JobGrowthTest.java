package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Plans;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Databases with many queues, groups and long histories: what a program asks for does not grow with those of others. */
@PostgresTest
class JobGrowthTest {
    private static final int QUEUES = 400;
    private static final int GROUPS = 20_000;

    private final TestDatabase database;

    JobGrowthTest(TestDatabase database) {
        this.database = database;
        JobsDatabase.in(database);
    }

    private void makeLanes() {
        database.execute(
                "INSERT INTO howdah_internal.lane (queue) SELECT 'q' || i FROM generate_series(1, " + QUEUES + ") i;"
                        + " INSERT INTO howdah_internal.lane (id, queue, home, group_name) OVERRIDING SYSTEM VALUE"
                        + " SELECT -1000000 - i, l.queue, l.id, 'g' || i FROM howdah_internal.lane l, generate_series(1, "
                        + GROUPS
                        + ") i WHERE l.queue = 'q1';"
                        + " ANALYZE howdah_internal.lane");
    }

    private static int lanesOf(Statement session, String queues) throws SQLException {
        int grouped = 0;
        try (ResultSet row = session.executeQuery("EXECUTE asked (" + queues + ")")) {
            while (row.next()) if (row.getBoolean(6)) grouped++;
        }
        return grouped;
    }

    @Test
    void lanes_ofAllQueues_areReadOnceEach_andThoseOfOneWithoutTheOthers() throws SQLException {
        makeLanes();
        try (Connection connection = database.connect();
                Statement session = connection.createStatement()) {
            connection.setAutoCommit(false);
            session.execute("PREPARE asked AS " + JobSql.LANE.text("lane_list"));
            assertThat(lanesOf(session, "'{q2}'")).isZero();
            assertThat(Plans.rowsRead(session)).isLessThan(100);
            assertThat(lanesOf(
                            session,
                            IntStream.rangeClosed(1, QUEUES)
                                    .mapToObj(each -> "q" + each)
                                    .collect(Collectors.joining(",", "'{", "}'"))))
                    .isOne();
            assertThat(Plans.rowsRead(session)).isLessThan(2 * (QUEUES + GROUPS));
        }
    }

    @Test
    void retention_thatTheLockTableDoesNotBear_isRefusedWithTheSettingThatItNeeds() {
        int each = Integer.parseInt(String.valueOf(database.value("SHOW max_locks_per_transaction")));
        int sessions =
                Integer.parseInt(String.valueOf(database.value("SELECT current_setting('max_connections')::integer"
                        + " + current_setting('max_prepared_transactions')::integer")));
        int most = each * sessions / 16;
        database.execute("SELECT howdah.retain('payments', 'done', '" + most + " days')");
        int more = most + 16 * sessions;
        assertThatThrownBy(() -> database.execute("SELECT howdah.retain('payments', 'done', '" + more + " days')"))
                .hasMessageContaining("a retention of " + more + " days")
                .hasMessageContaining("bears " + most)
                .hasMessageContaining("max_locks_per_transaction to " + (more * 16 + sessions - 1) / sessions
                        + " or more, instead of " + each);
        // Those that failed are rows of one table.
        database.execute("SELECT howdah.retain('payments', 'failed', '" + more + " days')");
        assertThatThrownBy(() -> database.execute(
                        "UPDATE howdah.retention SET keep = '" + more + " days' WHERE outcome = 'done'"))
                .hasMessageContaining("a retention of " + more + " days");
    }
}
