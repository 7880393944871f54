package dev.howdah.examples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.query.JobState;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweeps;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Calls in all transactions of JTA: what joins is there if, and only if, the transaction commits; nothing else joins, and no connection is lost. */
@QuarkusTest
@QuarkusTestResource(ShopDatabase.class)
@SuppressWarnings("NullAway.Init") // injected
class QuarkusTransactionsTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class).queue("idle");
    private static final Kind<String> STEPS = Kind.of("steps", String.class).queue("steps");

    private static final AtomicInteger NUMBER = new AtomicInteger();

    @Inject
    DataSource pool;

    @Inject
    TransactionSynchronizationRegistry synchronizations;

    TestDatabase database;

    private Jobs jobs;

    private Processes processes;

    /** Those of the application may be closed: another test tries its end. */
    @BeforeEach
    void start() {
        jobs = Jobs.on(pool)
                .sessionDataSource(direct())
                .transactions(new JtaTransactions(pool))
                .start();
        processes = Processes.on(pool)
                .sessionDataSource(direct())
                .transactions(new JtaTransactions(pool))
                .namespace(Namespace.of("n", (task, process) -> Intent.none()))
                .start();
    }

    @AfterEach
    void stop() throws SQLException {
        processes.close();
        jobs.close();
        checkPool();
    }

    private PGSimpleDataSource direct() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.uri().replace("postgresql://postgres@", "jdbc:postgresql://"));
        source.setUser("postgres");
        return source;
    }

    /** All its connections can be had. */
    private void checkPool() throws SQLException {
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < ShopDatabase.POOL; i++) all.add(pool.getConnection());
        } finally {
            for (Connection each : all) each.close();
        }
    }

    private enum Situation {
        NO_TRANSACTION(true),
        COMMITTED(true),
        ROLLED_BACK(false),
        SUSPENDED(true),
        BEFORE_THE_COMMIT(true),
        BEFORE_A_COMMIT_THAT_IS_REFUSED(false),
        AFTER_THE_COMMIT(true),
        ROLLBACK_ONLY(false),
        AFTER_A_STATEMENT(false);

        private final boolean stays;

        Situation(boolean stays) {
            this.stays = stays;
        }
    }

    /** Undoes a transaction. */
    private static final class Undone extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static void undone(Runnable work) {
        try {
            QuarkusTransaction.requiringNew().run(() -> {
                work.run();
                throw new Undone();
            });
        } catch (Undone e) {
            // As intended.
        }
    }

    private void run(Situation situation, Runnable call) {
        switch (situation) {
            case NO_TRANSACTION -> call.run();
            case COMMITTED -> QuarkusTransaction.requiringNew().run(call);
            case ROLLED_BACK -> undone(call);
            case SUSPENDED ->
                undone(() -> QuarkusTransaction.suspendingExisting().run(call));
            case BEFORE_THE_COMMIT -> QuarkusTransaction.requiringNew().run(() -> before(call));
            case BEFORE_A_COMMIT_THAT_IS_REFUSED -> refused(call);
            case AFTER_THE_COMMIT -> QuarkusTransaction.requiringNew().run(() -> after(call));
            case ROLLBACK_ONLY ->
                QuarkusTransaction.requiringNew().run(() -> {
                    QuarkusTransaction.setRollbackOnly();
                    call.run();
                });
            case AFTER_A_STATEMENT ->
                undone(() -> {
                    try (Connection connection = pool.getConnection();
                            Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO orders (customer) VALUES ('of the caller')");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                    call.run();
                });
        }
    }

    private void refused(Runnable call) {
        try {
            QuarkusTransaction.requiringNew()
                    .run(() -> before(() -> {
                        call.run();
                        throw new Undone();
                    }));
        } catch (RuntimeException e) {
            assertThat(e).hasStackTraceContaining("Undone");
        }
    }

    private void before(Runnable call) {
        synchronizations.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                call.run();
            }

            @Override
            public void afterCompletion(int status) {}
        });
    }

    private void after(Runnable call) {
        synchronizations.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                call.run();
            }
        });
    }

    private static int next() {
        return NUMBER.incrementAndGet();
    }

    private long rows() {
        return Long.parseLong(Objects.requireNonNull(database.value(
                "SELECT (SELECT count(*) FROM howdah_internal.job) + (SELECT count(*) FROM howdah_internal.process)")));
    }

    @ParameterizedTest
    @EnumSource
    void whatJoins_isThereIfTheTransactionCommits(Situation situation) {
        Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("add", () -> jobs.add(WORK, next()));
        calls.put("add with a key", () -> jobs.add(NewJob.of(WORK, next()).key("k" + next())));
        calls.put("addAll", () -> jobs.addAll(List.of(NewJob.of(WORK, next()))));
        calls.put("addEach", () -> jobs.addEach(List.of(NewJob.of(WORK, next()))));
        calls.put("workflows.add", () -> jobs.workflows().add(Workflow.of("w").jobs(List.of(NewJob.of(WORK, next())))));
        calls.put("processes.init", () -> processes.init("n", "p" + next(), null));
        calls.forEach((name, call) -> {
            long before = rows();
            try {
                run(situation, call);
            } catch (JobsException | ProcessException e) {
                // Agroal gives no connection in such a transaction.
                assertThat(situation).as(name).isEqualTo(Situation.ROLLBACK_ONLY);
            }
            assertThat(rows() > before).as(name).isEqualTo(situation.stays);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ROLLBACK_ONLY")
    void whatDoesNotJoin_isDoneBesideTheTransaction(Situation situation) {
        List<Runnable> calls = List.of(
                () -> assertThat(jobs.admin()
                                .cancel(jobs.add(NewJob.of(WORK, next()).delay(Duration.ofDays(1)))
                                        .id()))
                        .isNotNull(),
                () -> jobs.admin().find(1),
                () -> jobs.admin().counts(),
                () -> jobs.admin().pause("held"),
                () -> jobs.admin().resume("held"),
                () -> jobs.schedule(Schedule.every("s", Duration.ofDays(1)), NewJob.of(WORK, 1)),
                () -> jobs.schedules().all(),
                () -> jobs.workflows().list(true, Long.MAX_VALUE, 10),
                () -> Sweeps.on(pool).list());
        for (Runnable call : calls) run(situation, call);
    }

    @ParameterizedTest
    @EnumSource(names = {"NO_TRANSACTION", "COMMITTED", "ROLLED_BACK", "SUSPENDED", "AFTER_A_STATEMENT"})
    void steps_areRecordedAndLeaveThePoolWhole(Situation situation) throws Exception {
        try (Jobs node = Jobs.on(pool)
                .sessionDataSource(direct())
                .transactions(new JtaTransactions(pool))
                .queues("steps")
                .handle(
                        STEPS,
                        (payload, job) -> run(situation, () -> {
                            try {
                                job.step("charge", String.class, () -> "paid");
                                job.stepInTransaction("book", String.class, connection -> {
                                    try (Statement statement = connection.createStatement()) {
                                        statement.execute("INSERT INTO orders (customer) VALUES ('booked')");
                                    }
                                    return "booked";
                                });
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        }))
                .start()) {
            for (int i = 0; i < ShopDatabase.POOL + 1; i++)
                assertThat(node.await(node.add(STEPS, "x"), Duration.ofSeconds(60))
                                .state())
                        .isEqualTo(JobState.DONE);
        }
    }

    @Test
    void calls_withoutABridge_workBesideTheTransaction() throws Exception {
        try (Jobs alone = Jobs.on(pool).sessionDataSource(direct()).start()) {
            long before = rows();
            undone(() -> {
                alone.add(WORK, next());
                alone.add(NewJob.of(WORK, next()).key("k" + next()));
                alone.admin().counts();
            });
            assertThat(rows()).isEqualTo(before + 2);
        }
    }
}
