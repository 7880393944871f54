package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.job.workflow.WorkflowJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions that hold the only connection of a pool: nothing that is done in them needs a second one. */
@PostgresTest
@Timeout(300)
class JobPoolOfOneTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<Integer> FIRST = Kind.of("first", Integer.class);
    private static final Kind<Integer> OTHER = Kind.of("other", Integer.class);

    private final JobsDatabase database;
    private final SmallPool pool;
    private final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();

    JobPoolOfOneTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
        this.pool = new SmallPool(this.database.source(), 1);
    }

    private JobsBuilder jobs() {
        return Jobs.on(pool).sessionDataSource(database.source());
    }

    private Object seen() throws InterruptedException {
        Object next = seen.poll(JobsDatabase.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        return next == null ? "nothing" : next;
    }

    @Test
    void times_ofAJob_areReadInItsTransaction() throws InterruptedException {
        try (Jobs jobs = jobs().handleInTransaction(WORK, (payload, job, connection) -> {
                    seen.add(job.runAt());
                    seen.add(job.createdAt());
                })
                .start()) {
            database.awaitLetters(jobs.add(WORK, 1), "d");
            assertThat(seen()).isInstanceOf(Instant.class);
            assertThat(seen()).isInstanceOf(Instant.class);
        }
    }

    @Test
    void predecessors_ofAJob_areReadInItsTransaction() throws InterruptedException {
        try (Jobs jobs = jobs().handle(FIRST, (payload, job) -> job.result(payload + 1))
                .handleInTransaction(WORK, (payload, job, connection) -> {
                    seen.add(job.predecessors());
                    seen.add(job.resultsOf(Integer.class));
                    seen.add(job.workflow().orElseThrow().name());
                })
                .start()) {
            jobs.workflows()
                    .add(Workflow.of("w").job("a", NewJob.of(FIRST, 1)).job("b", NewJob.of(WORK, 2), After.done("a")));
            assertThat(seen()).isEqualTo(Map.of("a", WorkflowJob.State.DONE));
            assertThat(seen()).isEqualTo(Map.of("a", 2));
            assertThat(seen()).isEqualTo("w");
        }
    }

    @Test
    void time_inAStepInTransaction_isReadThere() throws InterruptedException {
        try (Jobs jobs = jobs().handle(
                        WORK,
                        (payload, job) -> seen.add(String.valueOf(
                                job.stepInTransaction("s", Boolean.class, connection -> job.runAt() != null))))
                .start()) {
            jobs.add(WORK, 1);
            assertThat(seen()).isEqualTo("true");
        }
    }

    @Test
    void time_whereTheHandlerHasSetARoleWithoutRights_isReadBesideAndTheTransactionGoesOn()
            throws InterruptedException {
        database.execute("DO $$ BEGIN CREATE ROLE tenant_of_test; EXCEPTION WHEN duplicate_object THEN END $$");
        database.execute("CREATE TABLE effect (id bigint)");
        try (Jobs jobs = Jobs.on(database.source())
                .handleInTransaction(WORK, (payload, job, connection) -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO effect VALUES (" + job.id() + ")");
                        statement.execute("SET LOCAL ROLE tenant_of_test");
                        seen.add(job.runAt());
                        statement.execute("RESET ROLE");
                    }
                })
                .start()) {
            database.awaitLetters(jobs.add(WORK, 1), "d");
            assertThat(seen()).isInstanceOf(Instant.class);
            assertThat(database.number("SELECT count(*) FROM effect")).isEqualTo(1);
        }
    }

    @Test
    void job_toANewQueueAndPriority_isAddedInTheTransactionOfTheHandler() {
        try (Jobs jobs = jobs().start();
                Jobs node = jobs().handleInTransaction(
                                WORK,
                                (payload, job, connection) -> jobs.add(
                                        connection,
                                        NewJob.of(OTHER, 1).queue("new").priority(3)))
                        .start()) {
            database.awaitLetters(node.add(WORK, 1), "d");
            assertThat(database.waiting()).isEqualTo(1);
        }
    }

    @Test
    void connection_ofTheCaller_isTheOnlyOneThatAddsTake() throws SQLException {
        try (Jobs jobs = jobs().start();
                Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            jobs.add(connection, NewJob.of(OTHER, 1).queue("new").key("k"));
            jobs.workflows()
                    .add(
                            connection,
                            Workflow.of("w").jobs(List.of(NewJob.of(OTHER, 2).queue("new too"))));
            connection.commit();
            assertThat(database.waiting()).isEqualTo(2);
            assertThatThrownBy(() -> jobs.admin().find(1)).hasMessageContaining("no connection");
        }
    }
}
