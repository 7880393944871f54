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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Upstream's own suite. */
@PostgresTest
class ProcessBaseTest {
    private static final Action NOW = Action.timeout();
    private static final Action SOON = Action.timeout(Duration.ofMillis(200));
    private static final Map<String, Integer> FORMAT = Map.of("format_version", 1);

    private static Scripted node;

    @BeforeAll
    static void start(TestDatabase database) {
        node = Scripted.in(database);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Intent event(long id) {
        return Intent.none().event(NewEvent.of(id, "event " + id).metadata(FORMAT));
    }

    private static CompletableFuture<Payload> callLater(String id) {
        return CompletableFuture.supplyAsync(() -> node.call(id));
    }

    /** Waits until that many calls of a process wait or run. */
    private static void awaitQueued(String id, int calls) {
        Scripted.awaiting(calls + " calls of " + id)
                .until(() -> node.processes().list(ProcessQuery.of(NAMESPACE).limit(1000)).stream()
                        .anyMatch(each -> each.id().equals(id) && each.queued() >= calls));
    }

    @Test
    void timers_simple_runOneAfterTheOther() {
        String id = script(
                (task, process) ->
                        event(1).auxState("aux 1").metadata(Map.of("k", "v")).then(SOON),
                (task, process) -> event(2).auxState("aux 2").then(NOW),
                (task, process) -> Intent.none());
        assertThat(node.init(id).as(String.class)).isEqualTo("ok");
        ProcessState state = node.awaitQuiet(id, 3);
        assertThat(state.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(state.auxState().as(String.class)).isEqualTo("aux 2");
        assertThat(Scripted.said(state.metadata(), Map.class)).isEqualTo(Map.of("k", "v"));
        assertThat(ids(state)).containsExactly(1L, 2L);
        assertThat(state.history())
                .allSatisfy(each ->
                        assertThat(Scripted.said(each.metadata(), Map.class)).isEqualTo(FORMAT))
                .allSatisfy(each -> assertThat(each.timestamp()).isNotNull());
        assertThat(state.history().get(1).payload().as(String.class)).isEqualTo("event 2");
        assertThat(node.seen(id))
                .extracting(each -> each.task().type())
                .containsExactly(TaskType.INIT, TaskType.TIMEOUT, TaskType.TIMEOUT);
    }

    @Test // the timer becomes due while a call runs, and runs right after it
    void call_whileTheTimerBecomesDue_goesFirst() throws Exception {
        CountDownLatch due = new CountDownLatch(1);
        String id = script(
                (task, process) -> event(1).then(Action.timeout(Duration.ofSeconds(2))),
                (task, process) -> {
                    due.await();
                    return event(2).response("done");
                },
                (task, process) -> event(3));
        node.init(id);
        CompletableFuture<Payload> call = callLater(id);
        node.awaitBegun(id, 2);
        Scripted.awaiting("the timer is due")
                .until(() -> "t"
                        .equals(node.database()
                                .value("SELECT timer_at < now() FROM howdah_internal.process WHERE id = '" + id
                                        + "'")));
        due.countDown();
        assertThat(call.get(30, TimeUnit.SECONDS).as(String.class)).isEqualTo("done");
        assertThat(ids(node.awaitQuiet(id, 3))).containsExactly(1L, 2L, 3L);
        assertThat(ids(node.seen(id, 2).process())).containsExactly(1L, 2L);
    }

    @Test
    void timer_callBeforeItIsDue_firesInTime() {
        String id = script(
                (task, process) -> event(1).then(Action.timeout(Duration.ofSeconds(2))),
                (task, process) -> event(2).response("done"),
                (task, process) -> event(3));
        node.init(id);
        assertThat(node.call(id).as(String.class)).isEqualTo("done");
        assertThat(node.get(id).timer()).isNotNull();
        assertThat(ids(node.awaitQuiet(id, 3))).containsExactly(1L, 2L, 3L);
        TraceEntry timer = node.trace(id).get(2);
        assertThat(timer.running()).isAfterOrEqualTo(timer.scheduled());
    }

    @Test
    void call_withRange_seesThatPartOfTheHistory() {
        String id = script(
                (task, process) -> event(1).event(2, "").event(3, "").event(4, ""),
                (task, process) -> event(5),
                (task, process) -> event(6).then(NOW),
                (task, process) -> event(7));
        node.init(id);
        node.processes().call(Request.of(NAMESPACE, id).range(HistoryRange.after(1, 2)));
        node.processes().call(Request.of(NAMESPACE, id).range(HistoryRange.before(5, 2)));
        node.awaitQuiet(id, 4);
        assertThat(node.seen(id))
                .extracting(each -> ids(each.process()))
                .containsExactly(List.of(), List.of(2L, 3L), List.of(4L, 3L), List.of(1L, 2L, 3L, 4L, 5L, 6L));
        assertThat(node.seen(id))
                .extracting(each -> each.process().lastEventId())
                .containsExactly(0L, 4L, 5L, 6L);
        HistoryRange back = new HistoryRange(6L, null, true);
        ProcessState state = node.processes().get(NAMESPACE, id, back);
        assertThat(ids(state)).containsExactly(5L, 4L, 3L, 2L, 1L);
        assertThat(state.lastEventId()).isEqualTo(7);
        assertThat(state.range()).isEqualTo(back);
        assertThat(ids(node.get(id))).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    @Test
    void call_setsATimer_theFormerIsCancelled() {
        String id = script(
                (task, process) -> event(1).then(Action.remove(Duration.ofHours(1))),
                (task, process) -> event(2).event(3, "").response("answer").then(NOW),
                (task, process) -> event(4));
        node.init(id);
        node.processes().call(NAMESPACE, id, "args");
        node.awaitQuiet(id, 3);
        assertThat(ids(node.seen(id, 2).process())).containsExactly(1L, 2L, 3L);
        List<TraceEntry> trace = node.trace(id);
        assertThat(trace)
                .extracting(TraceEntry::type)
                .containsExactly(TaskType.INIT, TaskType.CALL, TaskType.TIMEOUT, TaskType.REMOVE);
        assertThat(trace)
                .extracting(TraceEntry::status)
                .containsExactly(TaskStatus.FINISHED, TaskStatus.FINISHED, TaskStatus.FINISHED, TaskStatus.CANCELLED);
        assertThat(trace.get(0).events()).extracting(Event::id).containsExactly(1L);
        assertThat(trace.get(1).events()).extracting(Event::id).containsExactly(2L, 3L);
        assertThat(trace.get(1).args().as(String.class)).isEqualTo("args");
        assertThat(Scripted.said(trace.get(1).response(), String.class)).isEqualTo("answer");
        assertThat(trace.subList(0, 3)).allSatisfy(each -> {
            assertThat(each.running()).isNotNull();
            assertThat(each.finished()).isNotNull();
            assertThat(each.retryAttempts()).isZero();
        });
        assertThat(trace.get(3).running()).isNull();
        assertThat(trace.get(3).finished()).isNull();
    }

    @Test
    void call_suspends_theTimerNeverComes() {
        String id = script(
                (task, process) -> event(1).then(Action.timeout(Duration.ofHours(1))),
                (task, process) -> Intent.none().response("stopped").then(Action.suspend()));
        node.init(id);
        assertThat(node.call(id).as(String.class)).isEqualTo("stopped");
        assertThat(ids(node.awaitQuiet(id, 2))).containsExactly(1L);
        assertThat(node.get(id).timer()).isNull();
        assertThat(node.trace(id))
                .extracting(TraceEntry::status)
                .containsExactly(TaskStatus.FINISHED, TaskStatus.FINISHED, TaskStatus.CANCELLED);
    }

    @Test
    void call_duringATimer_runsBeforeTheNextTimer() throws Exception {
        CountDownLatch queued = new CountDownLatch(1);
        String id = script(
                (task, process) -> Intent.of(NOW),
                (task, process) -> {
                    queued.await();
                    return event(1).then(NOW);
                },
                (task, process) -> event(2).response("done"),
                (task, process) -> event(3));
        node.init(id);
        node.awaitBegun(id, 2);
        CompletableFuture<Payload> call = callLater(id);
        awaitQueued(id, 1);
        queued.countDown();
        assertThat(call.get(30, TimeUnit.SECONDS).as(String.class)).isEqualTo("done");
        assertThat(ids(node.awaitQuiet(id, 4))).containsExactly(1L, 2L, 3L);
        assertThat(node.seen(id))
                .extracting(each -> each.task().type())
                .containsExactly(TaskType.INIT, TaskType.TIMEOUT, TaskType.CALL, TaskType.TIMEOUT);
        assertThat(ids(node.seen(id, 3).process())).containsExactly(1L, 2L);
    }

    @Test
    void call_duringATimerThatSetsNone_runs() throws Exception {
        CountDownLatch queued = new CountDownLatch(1);
        String id = script(
                (task, process) -> Intent.of(NOW),
                (task, process) -> {
                    queued.await();
                    return event(1).then(Action.suspend());
                },
                (task, process) -> event(2).response("done"));
        node.init(id);
        node.awaitBegun(id, 2);
        CompletableFuture<Payload> call = callLater(id);
        awaitQueued(id, 1);
        queued.countDown();
        call.get(30, TimeUnit.SECONDS);
        assertThat(ids(node.awaitQuiet(id, 3))).containsExactly(1L, 2L);
        assertThat(ids(node.seen(id, 2).process())).containsExactly(1L);
    }

    @Test
    void calls_tenAtOnce_areAllExecutedOneAfterTheOther() throws Exception {
        Processor[] lines = new Processor[11];
        lines[0] = (task, process) -> Intent.none();
        for (int i = 1; i <= 10; i++)
            lines[i] = (task, process) -> event(task.args().as(Long.class)).response(task.args());
        String id = script(lines);
        node.init(id);
        List<CompletableFuture<Payload>> calls = new ArrayList<>();
        for (long i = 10; i >= 1; i--) {
            long number = i;
            calls.add(CompletableFuture.supplyAsync(() -> node.processes().call(NAMESPACE, id, number)));
        }
        for (CompletableFuture<Payload> call : calls) call.get(30, TimeUnit.SECONDS);
        assertThat(ids(node.awaitQuiet(id, 11)))
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 10).boxed().toList());
        List<TraceEntry> trace = node.trace(id);
        for (int i = 1; i < trace.size(); i++)
            assertThat(trace.get(i).running()).isAfterOrEqualTo(trace.get(i - 1).finished());
    }

    @Test
    void repair_afterATimerFailed_runsItAgain() {
        String id = script(
                (task, process) -> Intent.of(NOW),
                (task, process) -> {
                    throw new StepFailedException("do_not_retry");
                },
                (task, process) -> event(1),
                (task, process) -> event(2));
        node.init(id);
        ProcessState broken = node.awaitQuiet(id, 2);
        assertThat(broken.status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(broken.detail()).isEqualTo("do_not_retry");
        assertThat(broken.history()).isEmpty();
        assertThat(node.processes().repair(NAMESPACE, id, null).as(String.class))
                .isEqualTo("ok");
        ProcessState repaired = node.awaitQuiet(id, 4);
        assertThat(repaired.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(repaired.detail()).isNull();
        assertThat(repaired.corruptedBy()).isNull();
        assertThat(ids(repaired)).containsExactly(1L, 2L);
        assertThat(ids(node.seen(id, 3).process())).containsExactly(1L);
    }

    @Test
    void timer_transportFails_isTriedThreeTimesInAll() {
        Processor fails = (task, process) -> {
            throw new java.io.IOException("result_unknown");
        };
        String id = script((task, process) -> Intent.of(NOW), fails, fails, fails);
        node.init(id);
        ProcessState broken = node.awaitQuiet(id, 4);
        assertThat(broken.status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(broken.detail()).isEqualTo("java.io.IOException: result_unknown");
        assertThat(broken.history()).isEmpty();
    }

    @Test
    void repair_afterACallFailed() {
        String id = script(
                (task, process) -> Intent.none().metadata(Map.of("k", "v")),
                (task, process) -> {
                    throw new StepFailedException("retry_this");
                },
                (task, process) -> {
                    throw new StepFailedException("bad args");
                },
                (task, process) -> event(1).metadata(Map.of("k2", "v2")));
        node.init(id);
        assertThat(reason(() -> node.call(id))).isEqualTo("retry_this");
        ProcessState broken = node.awaitQuiet(id, 2);
        assertThat(broken.status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(broken.detail()).isEqualTo("retry_this");
        assertThat(Scripted.said(broken.metadata(), Map.class)).isEqualTo(Map.of("k", "v"));
        assertThat(reason(() -> node.processes().repair(NAMESPACE, id, null))).isEqualTo("bad args");
        assertThat(node.get(id).detail()).isEqualTo("retry_this");
        node.processes().repair(NAMESPACE, id, null);
        ProcessState repaired = node.awaitQuiet(id, 4);
        assertThat(repaired.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(Scripted.said(repaired.metadata(), Map.class)).isEqualTo(Map.of("k2", "v2"));
        assertThat(ids(repaired)).containsExactly(1L);
    }

    @Test
    void process_removedByItsTimer_isGone() {
        String id = script((task, process) -> event(1).event(2, "").then(Action.remove(Duration.ofSeconds(2))));
        node.init(id);
        assertThat(node.history(id)).containsExactly(1L, 2L);
        node.awaitGone(id);
    }

    @Test
    void process_removedByAStep_isGone() {
        String id = script((task, process) -> event(1).then(SOON), (task, process) -> Intent.of(Action.remove()));
        node.init(id);
        node.awaitGone(id);
        assertThat(node.seen(id)).hasSize(2);
    }

    @Test
    void process_putIn_isThere() {
        String id = script();
        ProcessImport process = ProcessImport.of(
                NAMESPACE,
                id,
                List.of(
                        NewEvent.of(1, "a"),
                        NewEvent.of(2, "b"),
                        NewEvent.of(3, "c").metadata(FORMAT)));
        node.processes().importProcess(process);
        assertThat(node.get(id).status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(node.history(id)).containsExactly(1L, 2L, 3L);
        assertThat(reason(() -> node.processes().importProcess(process))).isEqualTo("process already exists");
    }

    @Test // get answers at once, with the status that the process has
    void get_duringInit_answersInit() throws Exception {
        CountDownLatch looked = new CountDownLatch(1);
        String id = script((task, process) -> {
            looked.await();
            return event(1).auxState("aux");
        });
        CompletableFuture<Payload> init = CompletableFuture.supplyAsync(() -> node.init(id));
        node.awaitBegun(id, 1);
        assertThat(node.get(id).status()).isEqualTo(ProcessStatus.INIT);
        assertThat(reason(() -> node.call(id))).isEqualTo("process is init");
        looked.countDown();
        init.get(30, TimeUnit.SECONDS);
        ProcessState state = node.get(id);
        assertThat(state.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(state.range()).isEqualTo(HistoryRange.ALL);
        assertThat(state.lastEventId()).isEqualTo(1);
        assertThat(ids(state)).containsExactly(1L);
    }

    @Test
    void simpleRepair_afterATimerFailed_runsItWithTheNewContext() {
        String id = script(
                (task, process) -> Intent.of(NOW),
                (task, process) -> {
                    throw new StepFailedException("do_not_retry");
                },
                (task, process) -> event(1).then(NOW),
                (task, process) -> event(2));
        node.init(id);
        ProcessState broken = node.awaitQuiet(id, 2);
        assertThat(broken.previousStatus()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(broken.history()).isEmpty();
        node.processes().simpleRepair(Request.of(NAMESPACE, id).context("new"));
        ProcessState repaired = node.awaitQuiet(id, 4);
        assertThat(node.seen(id, 2).task().context().as(String.class)).isEqualTo("new");
        assertThat(node.seen(id, 2).process().history()).isEmpty();
        assertThat(repaired.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(repaired.previousStatus()).isEqualTo(ProcessStatus.ERROR);
        assertThat(repaired.detail()).isNull();
        assertThat(ids(repaired)).containsExactly(1L, 2L);
    }

    @Test
    void simpleRepair_afterACallFailed_isRunningWithoutAStep() {
        String id = script((task, process) -> Intent.none().metadata(Map.of("k", "v")), (task, process) -> {
            throw new StepFailedException("no");
        });
        node.init(id);
        assertThat(reason(() -> node.call(id))).isEqualTo("no");
        assertThat(node.get(id).previousStatus()).isEqualTo(ProcessStatus.RUNNING);
        node.processes().simpleRepair(NAMESPACE, id);
        ProcessState repaired = node.awaitQuiet(id, 2);
        assertThat(repaired.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(repaired.previousStatus()).isEqualTo(ProcessStatus.ERROR);
        assertThat(repaired.detail()).isNull();
        assertThat(Scripted.said(repaired.metadata(), Map.class)).isEqualTo(Map.of("k", "v"));
    }

    @Test
    void process_putInWithATimer_runsIt() {
        String id = script((task, process) -> event(2));
        node.processes()
                .importProcess(ProcessImport.of(NAMESPACE, id, List.of(NewEvent.of(1, "a")))
                        .timer(SOON));
        assertThat(node.history(id)).startsWith(1L);
        assertThat(ids(node.awaitQuiet(id, 1))).containsExactly(1L, 2L);
    }

    @Test
    void process_putInWithARemoval_goes() {
        String id = script();
        node.processes()
                .importProcess(ProcessImport.of(NAMESPACE, id, List.of(NewEvent.of(1, "a")))
                        .timer(Action.remove(Duration.ofSeconds(2))));
        assertThat(node.history(id)).containsExactly(1L);
        node.awaitGone(id);
    }
}
