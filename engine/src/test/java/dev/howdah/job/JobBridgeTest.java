package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Bridges that are wrong about the transaction of a thread. */
@PostgresTest
class JobBridgeTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final JobsDatabase database;

    JobBridgeTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** Says that each thread is in a transaction of that connection, or none is. */
    private record Always(Connection connection, boolean isActive) implements TransactionBridge {
        @Override
        public <T extends @Nullable Object> T join(Work<T> work) throws Exception {
            return work.run(connection);
        }

        @Override
        public <T extends @Nullable Object> T begin(Work<T> work) throws Exception {
            return work.run(connection);
        }
    }

    @Test
    void jobs_ofABridgeWhoseConnectionIsInNoTransaction_areRefusedBeforeAnythingIsWritten() throws SQLException {
        try (Connection connection = database.connect();
                Jobs jobs = database.jobs()
                        .transactions(new Always(connection, true))
                        .start()) {
            for (Runnable add : List.<Runnable>of(
                    () -> jobs.add(WORK, 1),
                    () -> jobs.add(NewJob.of(WORK, 2).key("k")),
                    () -> jobs.addAll(List.of(NewJob.of(WORK, 3))),
                    () -> jobs.workflows().add(Workflow.of("w").jobs(List.of(NewJob.of(WORK, 4))))))
                assertThatThrownBy(add::run)
                        .isInstanceOf(JobsException.class)
                        .hasMessageContaining("Always gave a connection in autocommit mode");
            assertThat(database.waiting()).isZero();
        }
    }

    @Test
    void handler_ofABridgeThatBeginsNoTransaction_isNotCalled() throws SQLException {
        AtomicInteger called = new AtomicInteger();
        try (Connection connection = database.connect();
                Jobs jobs = database.jobs()
                        .transactions(new Always(connection, false))
                        .handleInTransaction(WORK, (payload, job, transaction) -> called.incrementAndGet())
                        .start()) {
            jobs.add(WORK, 1);
            await().atMost(JobsDatabase.PATIENCE)
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.job WHERE run_at > now()") == 1);
            assertThat(called).hasValue(0);
        }
    }

    @Test
    void jobs_inAReadOnlyOrFailedTransactionOfTheCaller_areRefusedAndLeaveItAsItIs() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                Jobs jobs = database.jobs()
                        .transactions(new Always(connection, true))
                        .start()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> jobs.add(WORK, 1))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("it is read only");
            statement.execute("SELECT 1");
            connection.rollback();
            connection.setReadOnly(false);
            Savepoint before = connection.setSavepoint();
            assertThatThrownBy(() -> statement.execute("SELECT 1 / 0")).hasMessageContaining("division");
            assertThatThrownBy(() -> jobs.add(WORK, 2))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("roll back to a savepoint");
            connection.rollback(before);
            jobs.add(WORK, 3);
            connection.commit();
            assertThat(database.waiting()).isEqualTo(1);
        }
    }
}
