package dev.howdah.process;

import static dev.howdah.process.Scripted.reason;
import static dev.howdah.process.Scripted.said;
import static dev.howdah.process.Scripted.script;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims and nodes whose ids come again after a failover that lost WAL, and restarts of sessions. */
@Tag("long")
@PostgresTest
class ProcessClaimTest {
    private static final Processor NOTHING = (task, process) -> Intent.none();

    private final TestDatabase database;

    ProcessClaimTest(TestDatabase database) {
        this.database = database;
    }

    @Test // the row is as it was before the claim, and the same node takes it a second time
    void claim_isLostByTheDatabase_outcomeOfItIsRefused() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        String id = script(
                NOTHING,
                (task, process) -> {
                    first.await();
                    return Intent.none().event("first");
                },
                (task, process) -> {
                    second.await();
                    return Intent.none().event("second");
                });
        try (Scripted node = Scripted.in(database)) {
            node.init(id);
            String turn =
                    String.valueOf(database.value("SELECT turn FROM howdah_internal.process WHERE id = '" + id + "'"));
            CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> reason(() -> node.call(id)));
            node.awaitBegun(id, 2);
            database.execute("UPDATE howdah_internal.process SET node = NULL, turn = " + turn
                    + ", lane = 0, due_at = now(), task = NULL WHERE id = '" + id
                    + "'; NOTIFY howdah_process, '1'");
            node.awaitBegun(id, 3);
            first.countDown();
            // Another process of the node: its outcome is written after that one.
            String other = script(NOTHING, NOTHING);
            node.init(other);
            node.call(other);
            assertThat(node.get(id).history()).isEmpty();
            second.countDown();
            assertThat(call.get(30, TimeUnit.SECONDS)).isEmpty();
            assertThat(node.get(id).history())
                    .extracting(each -> each.payload().as(String.class))
                    .containsExactly("second");
        } finally {
            first.countDown();
            second.countDown();
        }
    }

    @ParameterizedTest // at the node that works the process, and at one that only asks
    @ValueSource(booleans = {true, false})
    void call_isLostByTheDatabaseAndItsIdComesAgain_callerDoesNotGetTheAnswerOfTheOther(boolean here) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        String id = script(
                NOTHING,
                (task, process) -> {
                    over.await();
                    return Intent.none().response("first");
                },
                (task, process) -> Intent.none().response("second"));
        try (Scripted node = Scripted.in(database);
                Processes other = Processes.on(Scripted.source(database)).start()) {
            Processes caller = here ? node.processes() : other;
            node.init(id);
            String own = " WHERE id = '" + id + "'";
            String turn = String.valueOf(database.value("SELECT turn FROM howdah_internal.process" + own));
            CompletableFuture<String> first =
                    CompletableFuture.supplyAsync(() -> reason(() -> caller.call(Scripted.NAMESPACE, id, "")));
            node.awaitBegun(id, 2);
            String task = String.valueOf(database.value("SELECT task FROM howdah_internal.process" + own));
            // As it was before the call, the sequence too.
            database.execute("DELETE FROM howdah_internal.process_task WHERE id = " + task
                    + "; UPDATE howdah_internal.process SET node = NULL, queued = 0, task = NULL, due_at = NULL, turn = "
                    + turn
                    + own
                    + "; SELECT setval('howdah_internal.process_task_id', " + task + ", false)");
            assertThat(said(caller.call(Scripted.NAMESPACE, id, ""), String.class))
                    .isEqualTo("second");
            assertThat(database.value("SELECT max(id) FROM howdah_internal.process_task"))
                    .isEqualTo(task);
            assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(ProcessException.Reason.LOST.message());
        } finally {
            over.countDown();
        }
    }

    @Test // its caller waits, and nothing is a zombie
    void presenceSession_endedInALoop_noStepIsLost() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        String id = script(NOTHING, (task, process) -> {
            over.await();
            return Intent.none().response("done");
        });
        try (Scripted node = Scripted.in(database);
                Processes watcher = Processes.on(Scripted.dataSource(database))
                        .nodeName("watcher")
                        .start()) {
            node.init(id);
            CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> reason(() -> node.call(id)));
            node.awaitBegun(id, 2);
            for (int i = 0; i < 30; i++) {
                database.execute("SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.classid = 1215264874"
                        + " AND l.granted AND l.objsubid = 2 AND l.database = (SELECT oid FROM pg_database"
                        + " WHERE datname = current_database())");
                Scripted.awaiting("both nodes are back")
                        .until(() -> "2"
                                .equals(database.value("SELECT count(*) FROM howdah_internal.node n"
                                        + " WHERE NOT pg_try_advisory_xact_lock_shared(1215264874, n.id)")));
            }
            over.countDown();
            assertThat(call.get(30, TimeUnit.SECONDS)).isEmpty();
            assertThat(database.value("SELECT count(*) FROM howdah_internal.node WHERE returned > 3"))
                    .isEqualTo("2");
            assertThat(watcher.get(Scripted.NAMESPACE, id).status()).isEqualTo(ProcessStatus.RUNNING);
        } finally {
            over.countDown();
        }
    }

    @Test
    void node_comesBackToARowOfAnother_isAnotherNode() {
        try (Scripted node = Scripted.in(database)) {
            String id = script(NOTHING, NOTHING);
            node.init(id);
            database.execute("UPDATE howdah_internal.node SET incarnation = gen_random_uuid()");
            Scripted.awaiting("it is another node")
                    .until(() -> "1"
                            .equals(database.value("SELECT count(*) FROM howdah_internal.node"
                                    + " WHERE id > 1 AND NOT pg_try_advisory_xact_lock_shared(1215264874, id)")));
            node.call(id);
        }
    }

    @Test // M10
    void call_stepTakesTooLong_callerIsToldSoByTheStepNotByItsOwnTimeout() {
        String id = "slow";
        try (Processes node = Processes.on(Scripted.dataSource(database))
                .namespace(Namespace.builder("slow", (task, process) -> {
                            if (task.type() == TaskType.CALL) new CountDownLatch(1).await();
                            return Intent.none();
                        })
                        .stepTimeout(Duration.ofMillis(300))
                        .build())
                .start()) {
            node.init("slow", id, "");
            assertThat(reason(() -> node.call("slow", id, ""))).isEqualTo("timeout");
            assertThat(node.get("slow", id).status()).isEqualTo(ProcessStatus.ERROR);
        }
    }
}
