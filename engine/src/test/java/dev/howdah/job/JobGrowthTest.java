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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** Kind: a plan that was made for an empty table, and is kept while that fills: nothing has analyzed it yet. */
    @Test
    void signalToOneOfManySuspendedJobs_readsAFewRows_byPlansOfBefore() throws SQLException {
        try (Connection connection = database.connect();
                Statement session = connection.createStatement()) {
            session.execute("PREPARE paired AS " + JobSql.WAIT.text("signal_pair"));
            session.execute("PREPARE records AS " + JobSql.WAIT.text("wait_read"));
            session.execute("PREPARE steps AS " + JobSql.STEP.text("step_read_resumed"));
            session.execute("PREPARE taken AS " + JobSql.WAIT.text("signal_take"));
            for (int i = 0; i < 10; i++) ask(session, 1);
            database.execute("INSERT INTO howdah_internal.lane (queue) VALUES ('default') ON CONFLICT DO NOTHING;"
                    + " INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)"
                    + " SELECT 1000000 + i, (SELECT min(id) FROM howdah_internal.lane), 'k', 0, now() + interval '1 day', '1',"
                    + " '{\"wait\": {\"type\": \"signal\", \"name\": \"ok\"}, \"waits\": 2}' FROM generate_series(1, "
                    + GROUPS
                    + ") i; INSERT INTO howdah_internal.job_record (job, kind, number, type, name, nth, at, until,"
                    + " fresh, node) SELECT 1000000 + i, 'k', 2, 'signal', 'ok', 1, now(), now() + interval '1 day', false, 1"
                    + " FROM generate_series(1, " + GROUPS
                    + ") i; INSERT INTO howdah_internal.job_step (job, kind, name,"
                    + " attempt, at, result) SELECT 1000000 + i, 'k', 'a', 1, now(), '1' FROM generate_series(1, "
                    + GROUPS
                    + ") i; INSERT INTO howdah_internal.job_signal (job, name, payload, sender, fresh)"
                    + " SELECT 1000000 + i, 'other', '1', 'ann', false FROM generate_series(1, " + GROUPS + ") i");
            database.execute("INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)"
                    + " SELECT 2000000 + i, (SELECT min(id) FROM howdah_internal.lane), 'k', 0, now() + interval '1 day', '1',"
                    + " '{\"wait\": {\"type\": \"event\", \"name\": \"paid\"}, \"waits\": 2}' FROM generate_series(1, "
                    + GROUPS
                    + ") i; INSERT INTO howdah_internal.job_record (job, kind, number, type, name, nth, at, until,"
                    + " fresh, node, event_key, since) SELECT 2000000 + i, 'k', 2, 'event', 'paid', 1, now(),"
                    + " now() + interval '1 day', false, 1, i::text, now() - interval '1 day' FROM generate_series(1, "
                    + GROUPS + ") i");
            database.execute("INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)"
                    + " SELECT 3000000 + i, (SELECT min(id) FROM howdah_internal.lane), 'k', 0, now() + interval '1 day', '1',"
                    + " '{\"wait\": {\"type\": \"children\"}, \"waits\": 2}' FROM generate_series(1, " + GROUPS
                    + ") i; INSERT INTO howdah_internal.job_record (job, kind, number, type, name, nth, at, closed, fresh,"
                    + " node, child) SELECT 3000000 + i, 'k', 2, 'child', 'c', 1, now(), now(), false, 1, 4000000 + i"
                    + " FROM generate_series(1, " + GROUPS + ") i; INSERT INTO howdah_internal.child_end"
                    + " (child, parent, state, kind) VALUES (4000007, 3000007, 'done', 'k')");
            connection.setAutoCommit(false);
            assertThat(ask(session, 1_000_007))
                    .allSatisfy(
                            (statement, rows) -> assertThat(rows).as(statement).isLessThan(100));
            assertThat(due(session)).isEqualTo("1000007 2000007 3000007");
        }
    }

    private static String due(Statement session) throws SQLException {
        try (ResultSet row = session.executeQuery(
                "SELECT string_agg(id::text, ' ' ORDER BY id) FROM howdah_internal.job WHERE run_at <= now()")) {
            row.next();
            return row.getString(1);
        }
    }

    /** What a signal to a suspended job executes, from the sender to the next line of the handler: how many rows each statement reads. */
    private static Map<String, Long> ask(Statement session, long job) throws SQLException {
        Map<String, Long> read = new LinkedHashMap<>();
        for (String each : List.of(
                "SELECT howdah.signal(" + job + ", 'ok', '1')",
                "SELECT howdah.emit('paid', '" + job % 1_000 + "')",
                "EXECUTE paired (1000)",
                "EXECUTE records (" + job + ", 'k', 'default')",
                "EXECUTE steps (" + job + ", 'k', 'default')",
                "EXECUTE taken (1, 1, " + job + ", 'k', 2, 'ok', 1, false)")) {
            long before = Plans.rowsRead(session);
            session.execute(each);
            read.put(each, Plans.rowsRead(session) - before);
        }
        return read;
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
