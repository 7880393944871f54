package dev.howdah.process;

import static dev.howdah.process.Scripted.NAMESPACE;
import static dev.howdah.process.Scripted.ids;
import static dev.howdah.process.Scripted.reason;
import static dev.howdah.process.Scripted.script;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.TaskStatus;
import dev.howdah.process.query.TraceEntry;
import dev.howdah.spi.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Timers, retries, and who goes first. */
@PostgresTest
class ProcessTimerTest {
    private static final Action NOW = Action.timeout();
    private static final Action LATER = Action.timeout(Duration.ofHours(1));
    private static final Processor NOTHING = (task, process) -> Intent.none();
    private static final Processor FAILS = fails("for now");

    private static Scripted node;

    @BeforeAll
    static void start(TestDatabase database) {
        node = Scripted.in(database);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Processor fails(String reason) {
        return (task, process) -> {
            throw new StepFailedException(reason);
        };
    }

    private static CompletableFuture<String> callLater(String id) {
        return CompletableFuture.supplyAsync(() -> reason(() -> node.call(id)));
    }

    private static void awaitQueued(String id, int calls) {
        Scripted.awaiting(calls + " calls of " + id)
                .until(() -> node.processes().list(ProcessQuery.of(NAMESPACE).limit(1000)).stream()
                        .anyMatch(each -> each.id().equals(id) && each.queued() >= calls));
    }

    @Test // a task for each attempt, the process stays running, the context goes on
    void timer_failsTwice_isTriedAgainWithItsContext() {
        String id = script(
                (task, process) -> Intent.of(NOW),
                FAILS,
                FAILS,
                (task, process) -> Intent.none().event("done"));
        node.processes().init(Request.of(NAMESPACE, id).context("mine"));
        assertThat(node.awaitQuiet(id, 4).status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(node.seen(id)).extracting(each -> each.task().attempt()).containsExactly(1, 1, 2, 3);
        assertThat(node.seen(id)).allSatisfy(each -> {
            assertThat(each.task().context().as(String.class)).isEqualTo("mine");
            assertThat(each.process().detail()).isNull();
        });
        assertThat(node.seen(id, 2).process().status()).isEqualTo(ProcessStatus.RUNNING);
        List<TraceEntry> trace = node.trace(id);
        assertThat(trace)
                .extracting(TraceEntry::status)
                .containsExactly(TaskStatus.FINISHED, TaskStatus.ERROR, TaskStatus.ERROR, TaskStatus.FINISHED);
        assertThat(trace).extracting(TraceEntry::retryAttempts).containsExactly(0, 0, 1, 2);
        assertThat(trace)
                .extracting(TraceEntry::retryInterval)
                .containsExactly(Duration.ZERO, Duration.ZERO, Duration.ofMillis(50), Duration.ofMillis(50));
        assertThat(trace.get(1).error()).isEqualTo("for now");
        assertThat(trace).extracting(TraceEntry::task).doesNotHaveDuplicates();
    }

    @Test
    void timer_ofCenturies_isSetForThatMoment() {
        Duration far = Duration.ofDays(365 * 200);
        String id = script((task, process) -> Intent.of(Action.timeout(far)));
        // The caller waits for ever, if it has to.
        node.processes().init(Request.of(NAMESPACE, id).timeout(Duration.ofSeconds(Long.MAX_VALUE)));
        Scripted.awaiting("its timer is set").until(() -> node.get(id).timer() != null);
        Instant timer = node.get(id).timer();
        assertThat(timer)
                .isBetween(
                        Instant.now().plus(far).minusSeconds(86_400),
                        Instant.now().plus(far));
    }

    @Test
    void timer_setByACallAfterAnotherHasFailedTwice_hasAllItsAttempts() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String id = script(
                (task, process) -> Intent.of(NOW),
                FAILS,
                failsAfter(go),
                (task, process) -> Intent.of(NOW),
                FAILS,
                FAILS,
                (task, process) -> Intent.none().event("done"));
        callDuringTheSecondAttempt(id, go);
        Scripted.awaiting("the second timer has run, or has broken the process")
                .until(() -> node.seen(id).size() == 7 || node.get(id).status() == ProcessStatus.ERROR);
        assertThat(node.awaitQuiet(id, node.seen(id).size()).status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(node.seen(id)).extracting(each -> each.task().attempt()).containsExactly(1, 1, 2, 1, 1, 2, 3);
        assertThat(node.trace(id))
                .filteredOn(each -> each.type() == TaskType.TIMEOUT && each.status() != TaskStatus.CANCELLED)
                .extracting(TraceEntry::retryInterval)
                .containsExactly(
                        Duration.ZERO,
                        Duration.ofMillis(50),
                        Duration.ZERO,
                        Duration.ofMillis(50),
                        Duration.ofMillis(50));
    }

    @Test
    void timer_keptByACallAfterItHasFailedTwice_hasItsLastAttempt() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String id = script((task, process) -> Intent.of(NOW), FAILS, failsAfter(go), NOTHING, FAILS);
        callDuringTheSecondAttempt(id, go);
        assertThat(node.awaitQuiet(id, 5).status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(node.seen(id)).extracting(each -> each.task().attempt()).containsExactly(1, 1, 2, 1, 3);
    }

    private static Processor failsAfter(CountDownLatch go) {
        return (task, process) -> {
            go.await();
            throw new StepFailedException("for now");
        };
    }

    /** The call waits behind the attempt, and goes before the next one. */
    private static void callDuringTheSecondAttempt(String id, CountDownLatch go) throws Exception {
        node.init(id);
        node.awaitBegun(id, 3);
        CompletableFuture<String> call = callLater(id);
        awaitQueued(id, 1);
        go.countDown();
        assertThat(call.get(30, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void repair_askedForWhileARepairRunsThatFails_isRefused() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String id = script(NOTHING, FAILS, failsAfter(go), NOTHING);
        node.init(id);
        assertThat(reason(() -> node.call(id))).isEqualTo("for now");
        CompletableFuture<String> first = repairLater(id);
        node.awaitBegun(id, 3);
        CompletableFuture<String> second = repairLater(id);
        Scripted.awaiting("it is refused, or waits behind the first one")
                .until(() -> second.isDone()
                        || "2"
                                .equals(node.database()
                                        .value("SELECT queued FROM howdah_internal.process WHERE id = '" + id + "'")));
        go.countDown();
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("for now");
        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo("process is running");
        assertThat(node.awaitQuiet(id, 3).status()).isEqualTo(ProcessStatus.ERROR);
    }

    private static CompletableFuture<String> repairLater(String id) {
        return CompletableFuture.supplyAsync(() -> reason(() -> node.processes().repair(NAMESPACE, id, null)));
    }

    @Test // worked examples of retries
    void backoff_delays_areThoseOfTheSpecification() {
        Backoff hellgate = Backoff.of(Duration.ofSeconds(5), 2, Duration.ofSeconds(1800), 10);
        assertThat(delays(hellgate)).containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 320L, 640L, 1280L);
        assertThat(delays(Backoff.of(Duration.ofSeconds(5), 2, Duration.ofSeconds(1800), Integer.MAX_VALUE)))
                .hasSize(9);
        assertThat(delays(Backoff.of(Duration.ofSeconds(3), 1.2, Duration.ofSeconds(180), 2)))
                .containsExactly(3L);
        assertThat(delays(Backoff.of(Duration.ofSeconds(3), 1.2, Duration.ofSeconds(180), 5)))
                .containsExactly(3L, 3L, 3L, 3L);
        assertThat(delays(Backoff.of(Duration.ofSeconds(1), 2, Duration.ofSeconds(8), 100)))
                .containsExactly(1L, 2L, 4L);
        assertThat(delays(Backoff.STANDARD)).containsExactly(5L, 5L);
        assertThat(Backoff.STANDARD.never("this").delay(1, new StepFailedException("this")))
                .isEmpty();
        assertThat(Backoff.STANDARD.never("this").delay(1, new StepFailedException("this one")))
                .isPresent();
    }

    private static List<Long> delays(Backoff backoff) {
        List<Long> delays = new ArrayList<>();
        for (int attempt = 1; attempt < 100; attempt++) {
            var delay = backoff.delay(attempt, new StepFailedException("no"));
            if (delay.isEmpty()) break;
            delays.add(delay.get().toSeconds());
        }
        return delays;
    }

    @Test
    void timer_exhausted_saysWhichTaskHasBrokenTheProcess() {
        String id = script((task, process) -> Intent.of(NOW), FAILS, FAILS, FAILS);
        node.init(id);
        ProcessState broken = node.awaitQuiet(id, 4);
        assertThat(broken.detail()).isEqualTo("for now");
        assertThat(broken.corruptedBy()).isEqualTo(node.seen(id, 3).task().id());
        assertThat(broken.timer()).isNull();
        assertThat(node.processes().timers(NAMESPACE, 1000))
                .noneMatch(each -> each.process().equals(id));
    }

    @Test
    void call_fails_timerAndWaitingCallsAreCancelledAtOnce() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String id = script((task, process) -> Intent.of(LATER), (task, process) -> {
            go.await();
            throw new StepFailedException("no");
        });
        node.init(id);
        CompletableFuture<String> first = callLater(id);
        node.awaitBegun(id, 2);
        List<CompletableFuture<String>> rest = new ArrayList<>();
        for (int i = 0; i < 5; i++) rest.add(callLater(id));
        awaitQueued(id, 6);
        go.countDown();
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("no");
        for (CompletableFuture<String> each : rest)
            assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo("process is error");
        ProcessState broken = node.awaitQuiet(id, 2);
        assertThat(broken.corruptedBy()).isNull();
        assertThat(broken.timer()).isNull();
        assertThat(node.trace(id))
                .filteredOn(each -> each.status() == TaskStatus.CANCELLED)
                .hasSize(6);
    }

    @Test
    void repair_withAction_runsNothingAgain_withoutRunsItOnce() {
        Processor broken = fails("do_not_retry");
        String with = script((task, process) -> Intent.of(NOW), broken, (task, process) -> Intent.of(LATER));
        node.init(with);
        node.awaitQuiet(with, 2);
        node.processes().repair(NAMESPACE, with, null);
        assertThat(node.get(with).timer()).isNotNull();
        assertThat(node.seen(with)).hasSize(3);

        CountDownLatch go = new CountDownLatch(1);
        String without = script((task, process) -> Intent.of(NOW), broken, NOTHING, (task, process) -> {
            go.await();
            return Intent.none();
        });
        node.processes().init(Request.of(NAMESPACE, without).context("first"));
        ProcessState state = node.awaitQuiet(without, 2);
        assertThat(state.corruptedBy()).isNotNull();
        node.processes().repair(Request.of(NAMESPACE, without).context("second"));
        node.awaitBegun(without, 4);
        assertThat(node.seen(without, 3).task().context().as(String.class)).isEqualTo("first");
        assertThat(node.seen(without, 3).task().attempt()).isEqualTo(1);
        assertThat(node.seen(without, 3).task().scheduled())
                .isEqualTo(node.seen(without, 1).task().scheduled());
        go.countDown();
        node.awaitQuiet(without, 4);
    }

    @Test // calls first, in their order; the timer waits for the last one
    void calls_queued_goBeforeAnImmediateTimerInTheirOrder() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Processor echo = (task, process) -> Intent.none().event(task.args());
        String id = script(
                (task, process) -> Intent.of(NOW),
                (task, process) -> {
                    go.await();
                    return Intent.of(NOW);
                },
                echo,
                echo,
                echo,
                (task, process) -> Intent.none().event("timer"));
        node.init(id);
        node.awaitBegun(id, 2);
        for (int i = 1; i <= 3; i++) node.processes().notify(NAMESPACE, id, "call " + i);
        assertThat(node.trace(id))
                .filteredOn(each -> each.type() == TaskType.TIMEOUT)
                .extracting(TraceEntry::status)
                .containsExactly(TaskStatus.RUNNING);
        go.countDown();
        ProcessState state = node.awaitQuiet(id, 6);
        assertThat(state.history())
                .extracting(each -> each.payload().as(String.class))
                .containsExactly("call 1", "call 2", "call 3", "timer");
    }

    @Test
    void action_absent_afterATimerLeavesNone_afterACallKeepsIt() {
        Instant at = Instant.parse("2100-01-01T00:00:00.123456Z");
        String id = script(
                (task, process) -> Intent.of(Action.timeout(at)), NOTHING, (task, process) -> Intent.of(NOW), NOTHING);
        node.processes().init(Request.of(NAMESPACE, id).context("of init"));
        node.processes().call(Request.of(NAMESPACE, id).context("of call"));
        assertThat(node.get(id).timer()).isEqualTo(at);
        TraceEntry timer = node.trace(id).get(2);
        assertThat(timer.status()).isEqualTo(TaskStatus.WAITING);
        assertThat(timer.scheduled()).isEqualTo(at);
        assertThat(timer.context().as(String.class)).isEqualTo("of init");
        node.call(id);
        assertThat(node.awaitQuiet(id, 4).timer()).isNull();
    }

    @Test
    void simpleRepair_twice_isOneRun() {
        CountDownLatch go = new CountDownLatch(1);
        String id = script((task, process) -> Intent.of(NOW), fails("do_not_retry"), (task, process) -> {
            go.await();
            return Intent.none().event("done");
        });
        node.init(id);
        node.awaitQuiet(id, 2);
        node.processes().simpleRepair(NAMESPACE, id);
        node.processes().simpleRepair(NAMESPACE, id);
        node.awaitBegun(id, 3);
        assertThat(node.get(id).status()).isEqualTo(ProcessStatus.ERROR);
        node.processes().simpleRepair(NAMESPACE, id);
        go.countDown();
        ProcessState state = node.awaitQuiet(id, 3);
        assertThat(state.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(ids(state)).containsExactly(1L);
    }

    @Test
    void simpleRepair_failsAgain_isAnOrdinaryAttempt() {
        String id = script((task, process) -> Intent.of(NOW), fails("do_not_retry"), FAILS, FAILS, FAILS);
        node.init(id);
        node.awaitQuiet(id, 2);
        node.processes().simpleRepair(NAMESPACE, id);
        ProcessState state = node.awaitQuiet(id, 5);
        assertThat(state.status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(state.detail()).isEqualTo("for now");
        assertThat(state.corruptedBy()).isEqualTo(node.seen(id, 4).task().id());
    }

    @Test // neither for the processor nor for whoever looks
    void timer_cancelled_isNotThereAnyMore(TestDatabase database) {
        Processor processor = (task, process) -> {
            if (task.type() == TaskType.INIT) return Intent.of(Action.timeout(Duration.ofHours(1)));
            switch (task.args().as(String.class)) {
                case "suspend" -> {
                    return Intent.of(Action.suspend());
                }
                case "hang" -> new CountDownLatch(1).await();
                default -> {}
            }
            return Intent.none().response("timer " + process.timer());
        };
        try (Processes processes = Processes.on(Scripted.dataSource(database))
                .namespace(Namespace.builder("cancelled", processor)
                        .stepTimeout(Duration.ofSeconds(2))
                        .build())
                .start()) {
            for (String id : List.of("suspended", "broken")) {
                processes.init("cancelled", id, null);
                assertThat(processes.get("cancelled", id).timer()).isNotNull();
            }
            processes.call("cancelled", "suspended", "suspend");
            assertThat(processes.call("cancelled", "suspended", "look").as(String.class))
                    .isEqualTo("timer null");
            assertThat(Scripted.reason(() -> processes.call("cancelled", "broken", "hang")))
                    .isEqualTo("timeout");
            Scripted.awaiting("it is broken")
                    .until(() -> processes.get("cancelled", "broken").corruptedBy() != null);
            for (String id : List.of("suspended", "broken"))
                assertThat(processes.get("cancelled", id).timer()).isNull();
            assertThat(processes.list(ProcessQuery.of("cancelled").limit(10)))
                    .allSatisfy(each -> assertThat(each.timer()).isNull());
        }
    }
}
