package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
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

    /** Says that each thread is in a transaction of that connection. */
    private record Always(Connection connection) implements TransactionBridge {
        @Override
        public boolean isActive() {
            return true;
        }

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
                Jobs jobs = database.jobs().transactions(new Always(connection)).start()) {
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
}
