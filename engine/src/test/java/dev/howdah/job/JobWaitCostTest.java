package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.store.JobSession;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Jobs that never wait pay nothing for those that do. */
@PostgresTest
class JobWaitCostTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final String TOUCHED =
            "SELECT COALESCE(sum(seq_scan + COALESCE(idx_scan, 0) + n_tup_ins + n_tup_upd), 0)"
                    + " FROM pg_stat_user_tables WHERE relname IN ('job_record', 'job_signal')";

    private final JobsDatabase database;

    JobWaitCostTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** A data source that keeps the texts of what is prepared. */
    private static DataSource heard(DataSource source, List<String> texts) {
        return (DataSource) Proxy.newProxyInstance(
                JobWaitCostTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    Object answer = call(source, method, arguments);
                    return answer instanceof Connection made ? heard(made, texts) : answer;
                });
    }

    private static Connection heard(Connection connection, List<String> texts) {
        return (Connection) Proxy.newProxyInstance(
                JobWaitCostTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().startsWith("prepare") && arguments != null) texts.add("" + arguments[0]);
                    return call(connection, method, arguments);
                });
    }

    private static Object call(Object on, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Test
    void claimsAndSettlesOfJobsThatDoNotWait_touchNoTableOfWaits_andAskNothingMore() throws SQLException {
        try (Jobs adder = database.jobs().start()) {
            adder.addAll(
                    IntStream.range(0, 200).mapToObj(i -> NewJob.of(WORK, i)).toList());
        }
        Lane lane = new Lane((int) database.number("SELECT min(id) FROM howdah_internal.lane"), "default", null);
        long before = database.number(TOUCHED);
        long deleted = database.number(
                "SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'job' AND schemaname = 'howdah_internal'");
        List<String> texts = new ArrayList<>();
        try (JobSession session = JobSession.open(ConnectionSource.of(heard(database.dataSource(), texts)))) {
            int node = NodeIdentity.enter(session, "tested", null, "job").id();
            BatchStore store = new BatchStore(session, node, new String[0]);
            List<ClaimedBatch> ended = List.of();
            texts.clear();
            for (int i = 0; i < 4; i++) {
                List<ClaimedBatch> batches =
                        store.claim(ended, lane, 50, ScanBounds.NONE).batches();
                for (ClaimedBatch batch : batches)
                    for (int job = 0; job < batch.size(); job++)
                        batch.end(
                                job,
                                i == 3 && job == 0 ? AttemptResult.retry(1_000, "once more") : AttemptResult.DONE,
                                System.nanoTime(),
                                System.nanoTime());
                ended = batches;
            }
            for (ClaimedBatch batch : ended) store.settle(batch);
        }
        // Each is prepared once: the claim, the same with the day of the batches that it ends, what a settle of a retry
        // asks of
        // cancellations, and the settle.
        assertThat(texts).hasSize(4).noneMatch(text -> text.contains("pair_signals"));
        assertThat(texts.get(0)).contains("taken AS").doesNotContain("job_record", "job_signal", "'wait");
        JobsDatabase.awaiting("the statistics of the session")
                .until(() -> database.number("SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'job' AND"
                                + " schemaname = 'howdah_internal'")
                        >= deleted + 200);
        assertThat(database.number(TOUCHED)).isEqualTo(before);
    }

    /** The row of a step is as long as it was before there were waits. */
    @Test
    void recordOfAStep_ofAJobThatDoesNotWait_isNotLonger() {
        database.execute("CREATE TABLE before AS SELECT job, kind, name, attempt, at, result, problem"
                + " FROM howdah_internal.job_step WITH NO DATA;"
                + " INSERT INTO before VALUES (1, 'work', 'charge', 1, now(), '1', NULL);"
                + " INSERT INTO howdah_internal.job_step (job, kind, name, attempt, at, result)"
                + " VALUES (1, 'work', 'charge', 1, now(), '1')");
        assertThat(database.number("SELECT pg_column_size(s.*) FROM howdah_internal.job_step s"))
                .isEqualTo(database.number("SELECT pg_column_size(b.*) FROM before b"));
    }
}
