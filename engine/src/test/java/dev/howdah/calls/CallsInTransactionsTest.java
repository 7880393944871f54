package dev.howdah.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.calls.PublicCalls.Call;
import dev.howdah.calls.ServerPool.Transaction;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Every public call in every state of the calling thread's transaction: a call that joins is committed and rolled back with it, any other one does its
 * work beside it; none keeps a connection, or uses one in another thread than that which got it.
 */
@PostgresTest
@Execution(ExecutionMode.SAME_THREAD)
class CallsInTransactionsTest {
    private final TestDatabase database;
    private final List<PublicCalls> programs = new ArrayList<>();

    CallsInTransactionsTest(TestDatabase database) {
        this.database = database;
    }

    /** What a caller's thread is in when it calls, and whether what joins is there afterwards. */
    private enum Situation {
        NO_TRANSACTION(true),
        COMMITTED(true),
        ROLLED_BACK(false),
        AFTER_A_STATEMENT(false),
        SUSPENDED(true),
        AFTER_THE_COMMIT(true),
        ROLLBACK_ONLY(false),
        READ_ONLY(false),
        FAILED(false);

        private final boolean stays;

        Situation(boolean stays) {
            this.stays = stays;
        }

        /** Whether a call that writes in the caller's transaction is refused. */
        boolean isRefused() {
            return this == READ_ONLY || this == FAILED;
        }
    }

    /** Undoes a transaction. */
    private static final class Undone extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @TestFactory
    Stream<DynamicContainer> calls() throws Exception {
        try (Connection connection = Sources.of(database).getConnection()) {
            new TableInstaller(connection, new TableName("public", "task"), null, false).complete();
        }
        List<DynamicContainer> all = new ArrayList<>();
        for (boolean bridged : new boolean[] {true, false}) {
            // Each with the mode in which mistakes show: what is not committed is lost, and what joins nothing stays.
            ServerPool pool = new ServerPool(Sources.of(database), 4, !bridged);
            PublicCalls calls = new PublicCalls(database, pool, bridged);
            programs.add(calls);
            all.add(DynamicContainer.dynamicContainer(
                    bridged ? "with a bridge, auto-commit off" : "without a bridge, auto-commit on",
                    Stream.of(Situation.values()).map(each -> tests(pool, each, calls))));
        }
        return all.stream();
    }

    private DynamicContainer tests(ServerPool pool, Situation situation, PublicCalls calls) {
        return DynamicContainer.dynamicContainer(
                situation.name(),
                calls.all().stream()
                        .map(each -> DynamicTest.dynamicTest(each.name(), () -> check(pool, situation, each))));
    }

    @AfterEach
    void close() throws Exception {
        for (PublicCalls each : programs) each.close();
    }

    private long rows() {
        return Long.parseLong(Objects.requireNonNull(database.value(
                "SELECT (SELECT count(*) FROM howdah_internal.job) + (SELECT count(*) FROM howdah_internal.process)"
                        + " + (SELECT count(*) FROM task)")));
    }

    private void check(ServerPool pool, Situation situation, Call call) throws Exception {
        long before = rows();
        if (call.joins() && situation.isRefused())
            assertThatThrownBy(() -> run(pool, situation, call))
                    .hasStackTraceContaining(situation == Situation.READ_ONLY ? "read" : "transaction");
        else run(pool, situation, call);
        pool.awaitWhole();
        assertThat(pool.misuses()).isEmpty();
        if (call.joins()) assertThat(rows() > before).as("it is there").isEqualTo(situation.stays);
    }

    private static void run(ServerPool pool, Situation situation, Call call) throws Exception {
        switch (situation) {
            case NO_TRANSACTION -> call.work().run();
            case COMMITTED -> pool.inTransaction(false, () -> counted(pool, call));
            case ROLLED_BACK -> undone(pool, false, () -> counted(pool, call));
            case AFTER_A_STATEMENT ->
                undone(pool, false, () -> {
                    pool.execute("CREATE TABLE of_the_caller ()");
                    counted(pool, call);
                    pool.execute("DROP TABLE of_the_caller");
                    return 0;
                });
            case SUSPENDED -> undone(pool, false, () -> pool.suspended(call.work()));
            case AFTER_THE_COMMIT -> {
                pool.inTransaction(false, () -> 0);
                call.work().run();
            }
            case ROLLBACK_ONLY ->
                pool.inTransaction(false, () -> {
                    Objects.requireNonNull(pool.current()).setRollbackOnly();
                    return counted(pool, call);
                });
            case READ_ONLY -> undone(pool, true, () -> counted(pool, call));
            case FAILED ->
                undone(pool, false, () -> {
                    assertThatThrownBy(() -> pool.execute("SELECT 1 / 0")).hasMessageContaining("division");
                    return counted(pool, call);
                });
        }
    }

    /** Only what joins has statements in the caller's transaction. */
    private static int counted(ServerPool pool, Call call) throws Exception {
        Transaction own = Objects.requireNonNull(pool.current());
        int before = own.statements();
        call.work().run();
        assertThat(own.statements() > before)
                .as("has statements in the transaction of the caller")
                .isEqualTo(call.joins());
        return 0;
    }

    private static void undone(ServerPool pool, boolean readOnly, ServerPool.Work<?> work) throws Exception {
        try {
            pool.inTransaction(readOnly, () -> {
                work.run();
                throw new Undone();
            });
        } catch (Undone e) {
            // As intended.
        }
    }
}
