package dev.howdah.process;

import static dev.howdah.process.Scripted.NAMESPACE;
import static dev.howdah.process.Scripted.reason;
import static dev.howdah.process.Scripted.script;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A call that is accepted in the moment in which its process becomes idle, or the node falls asleep, starts at once. Locks
 * hold the transactions of the caller and of the step, so that they meet in each order. The caller is another node, of which the
 * working node knows nothing. Lost, a call would wait for the poll of a minute.
 */
@PostgresTest
class ProcessWakeTest {
    private static final int ROUNDS = 5;
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final Duration POLL = Duration.ofSeconds(30);

    /** Not one of the common pool, whose threads other tests may occupy. */
    private static final Executor OWN_THREAD = task -> new Thread(task, "asker").start();

    private final TestDatabase database;

    ProcessWakeTest(TestDatabase database) {
        this.database = database;
    }

    private enum Race {
        /** The call is written and not committed; the step's commit waits for it. */
        CALL_WRITTEN_STEP_ENDS,
        /** The call is written and not committed, the process is idle, and the node sleeps. */
        CALL_WRITTEN_PROCESS_IDLE,
        /** The step's commit is the first to get the process's row, the call is the second. */
        STEP_THEN_CALL,
        /** The call is the first to get the process's row, the step's commit is the second. */
        CALL_THEN_STEP
    }

    @ParameterizedTest
    @EnumSource(Race.class)
    void call_meetsTheEndOfAStep_startsAtOnce(Race race) throws Exception {
        List<Duration> delays = new ArrayList<>();
        try (Scripted worker = Scripted.in(database);
                Processes client = Processes.on(Scripted.dataSource(database))
                        .nodeName("client")
                        .start()) {
            for (int i = 0; i < ROUNDS; i++) delays.add(delay(race, worker, client, "key " + i));
        }
        assertThat(delays).allSatisfy(each -> assertThat(each).isLessThan(POLL));
        // The median: a single round may fall into a pause of the machine.
        assertThat(delays.stream().sorted().toList().get(ROUNDS / 2))
                .as(delays.toString())
                .isLessThan(AT_ONCE);
    }

    /** How long after the locks are released the call starts, by the clock of the database. */
    private Duration delay(Race race, Scripted worker, Processes client, String key) throws Exception {
        CountDownLatch stepMayEnd = new CountDownLatch(1);
        boolean idle = race == Race.CALL_WRITTEN_PROCESS_IDLE;
        String id = script(
                (task, process) -> Intent.none(),
                (task, process) -> {
                    if (!idle) stepMayEnd.await();
                    return Intent.none();
                },
                (task, process) -> Intent.none());
        worker.init(id);
        CompletableFuture<String> first =
                CompletableFuture.supplyAsync(() -> reason(() -> worker.call(id)), OWN_THREAD);
        worker.awaitBegun(id, 2);
        if (idle) worker.awaitQuiet(id, 2);
        try (Connection connection = Scripted.source(database).getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            boolean written = race == Race.CALL_WRITTEN_STEP_ENDS || idle;
            statement.execute(
                    written
                            ? "INSERT INTO howdah_internal.process_key (namespace, key, process, task, request)"
                                    + " SELECT namespace, '" + key + "', number, 0, '' FROM howdah_internal.process"
                                    + " WHERE id = '" + id + "'"
                            : "SELECT FROM howdah_internal.process WHERE id = '" + id + "' FOR UPDATE");
            if (race == Race.STEP_THEN_CALL) {
                stepMayEnd.countDown();
                awaitBlocked(1);
            }
            Request request = Request.of(NAMESPACE, id).key(key).timeout(Duration.ofMinutes(2));
            CompletableFuture<String> call =
                    CompletableFuture.supplyAsync(() -> reason(() -> client.call(request)), OWN_THREAD);
            if (race == Race.STEP_THEN_CALL) awaitBlocked(2);
            else awaitBlocked(1);
            if (race == Race.CALL_THEN_STEP || race == Race.CALL_WRITTEN_STEP_ENDS) {
                stepMayEnd.countDown();
                awaitBlocked(2);
            }
            Instant released = now(statement);
            connection.rollback();
            assertThat(call.get(2, TimeUnit.MINUTES)).isEmpty();
            assertThat(first.get(30, TimeUnit.SECONDS)).isEmpty();
            worker.awaitQuiet(id, 3);
            return Duration.between(released, worker.trace(id).get(2).running());
        }
    }

    private static Instant now(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
            row.next();
            return row.getObject(1, java.time.OffsetDateTime.class).toInstant();
        }
    }

    private void awaitBlocked(int sessions) {
        Scripted.awaiting(sessions + " sessions wait for a lock")
                .until(() -> Integer.parseInt(database.value("SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND wait_event_type = 'Lock'"))
                        == sessions);
    }
}
