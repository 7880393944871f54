package dev.howdah.process;

import static dev.howdah.process.Scripted.NAMESPACE;
import static dev.howdah.process.Scripted.ids;
import static dev.howdah.process.Scripted.reason;
import static dev.howdah.process.Scripted.script;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.error.HostileException;
import dev.howdah.process.query.ProcessHealth;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.TaskStatus;
import dev.howdah.process.query.TraceEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What requests are answered with, and what they leave behind. */
@Tag("long")
@PostgresTest
class ProcessAnswersTest {
    private static final Processor NOTHING = (task, process) -> Intent.none();

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

    private static Intent many(long events) {
        Intent intent = Intent.none();
        for (long i = 1; i <= events; i++) intent = intent.event(i, "event");
        return intent;
    }

    @Test
    void namespace_unknown_isSaidByEveryOperation() {
        Processes processes = node.processes();
        List<Runnable> all = List.of(
                () -> processes.init("nobody", "a", null),
                () -> processes.call("nobody", "a", null),
                () -> processes.notify("nobody", "a", null),
                () -> processes.repair("nobody", "a", null),
                () -> processes.simpleRepair("nobody", "a"),
                () -> processes.remove("nobody", "a"),
                () -> processes.get("nobody", "a"),
                () -> processes.importProcess(ProcessImport.of("nobody", "a", List.of())),
                () -> processes.trace("nobody", "a"),
                () -> processes.list(ProcessQuery.of("nobody").limit(1)),
                () -> processes.timers("nobody", 1));
        assertThat(all).allSatisfy(each -> assertThat(reason(each)).isEqualTo("namespace not found"));
    }

    @Test
    void process_notInTheStateForIt_isSaidWordForWord() {
        Processes processes = node.processes();
        String none = script();
        List<Runnable> all = List.of(
                () -> node.call(none),
                () -> processes.notify(NAMESPACE, none, null),
                () -> processes.repair(NAMESPACE, none, null),
                () -> processes.simpleRepair(NAMESPACE, none),
                () -> processes.remove(NAMESPACE, none),
                () -> node.get(none),
                () -> node.trace(none));
        assertThat(all).allSatisfy(each -> assertThat(reason(each)).isEqualTo("process not found"));
        String well = script(NOTHING);
        node.init(well);
        assertThat(reason(() -> node.init(well))).isEqualTo("process already exists");
        assertThat(reason(() -> processes.repair(NAMESPACE, well, null))).isEqualTo("process is running");
        assertThat(reason(() -> processes.simpleRepair(NAMESPACE, well))).isEqualTo("process is running");
        String broken = script(fails("no"));
        assertThat(reason(() -> node.init(broken))).isEqualTo("no");
        assertThat(reason(() -> node.init(broken))).isEqualTo("process already exists");
        assertThat(reason(() -> node.call(broken))).isEqualTo("process is error");
        assertThat(reason(() -> processes.notify(NAMESPACE, broken, null))).isEqualTo("process is error");
    }

    @Test
    void init_failed_leavesAProcessInErrorThatCanBeRepaired() {
        String id = script(fails("no"), (task, process) -> Intent.none().event("repaired"));
        assertThat(reason(() -> node.init(id))).isEqualTo("no");
        ProcessState broken = node.get(id);
        assertThat(broken.status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(broken.previousStatus()).isEqualTo(ProcessStatus.INIT);
        assertThat(broken.detail()).isEqualTo("no");
        assertThat(broken.corruptedBy()).isNull();
        node.processes().repair(NAMESPACE, id, null);
        assertThat(node.get(id).status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(node.history(id)).containsExactly(1L);
    }

    @Test
    void response_absentGivenOrRefused() {
        String id = script(
                NOTHING,
                NOTHING,
                (task, process) -> Intent.none().response(Map.of("a", 1)),
                (task, process) -> Intent.none().event("kept").refuse("not now"));
        node.init(id);
        assertThat(node.call(id).as(String.class)).isEqualTo("ok");
        assertThat(node.call(id).as(Map.class)).isEqualTo(Map.of("a", 1));
        assertThatThrownBy(() -> node.call(id))
                .isInstanceOfSatisfying(
                        ProcessException.class,
                        e -> assertThat(e.reason()).isEqualTo(ProcessException.Reason.STEP_FAILED))
                .hasMessage("not now");
        assertThat(node.get(id).status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(node.history(id)).containsExactly(1L);
        TraceEntry last = node.trace(id).get(3);
        assertThat(last.status()).isEqualTo(TaskStatus.FINISHED);
        assertThat(last.error()).isEqualTo("not now");
    }

    @Test
    void state_absentIsUnchanged_presentReplacesAll() {
        String id = script(
                (task, process) -> Intent.none().auxState("one").metadata(Map.of("a", 1, "b", 2)),
                NOTHING,
                (task, process) -> Intent.none().auxState("two").metadata(Map.of("c", 3)));
        node.init(id);
        node.call(id);
        assertThat(node.get(id).auxState().as(String.class)).isEqualTo("one");
        assertThat(Scripted.said(node.get(id).metadata(), Map.class)).isEqualTo(Map.of("a", 1, "b", 2));
        node.call(id);
        assertThat(node.get(id).auxState().as(String.class)).isEqualTo("two");
        assertThat(Scripted.said(node.get(id).metadata(), Map.class)).isEqualTo(Map.of("c", 3));
    }

    @Test
    void key_askedAgain_getsTheFirstAnswerWithoutAStep() {
        Request request = Request.of(
                NAMESPACE, script(NOTHING, (task, process) -> Intent.none().response(42), fails("no")));
        String id = request.id();
        node.processes().init(request.key("init " + id));
        node.processes().init(request.key("init " + id));
        assertThat(node.processes().call(request.key("call " + id)).as(Long.class))
                .isEqualTo(42);
        assertThat(reason(() -> node.processes().call(request.key("bad " + id))))
                .isEqualTo("no");
        assertThat(node.get(id).status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(node.processes().call(request.key("call " + id)).as(Long.class))
                .isEqualTo(42);
        assertThat(reason(() -> node.processes().call(request.key("bad " + id))))
                .isEqualTo("no");
        assertThat(node.seen(id)).hasSize(3);
        assertThat(reason(() -> node.processes().call(request.args("other").key("call " + id))))
                .isEqualTo("key belongs to another request");
        assertThat(reason(() -> node.processes().repair(request.key("call " + id))))
                .isEqualTo("key belongs to another request");
    }

    @Test // at the same time
    void key_askedTenTimesAtOnce_isOneStepAndOneAnswer() throws Exception {
        String id = script(NOTHING, (task, process) -> Intent.none().response("once"));
        node.init(id);
        Request request = Request.of(NAMESPACE, id).key("at once " + id);
        List<CompletableFuture<Payload>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++)
            calls.add(CompletableFuture.supplyAsync(() -> node.processes().call(request)));
        for (CompletableFuture<Payload> call : calls)
            assertThat(call.get(30, TimeUnit.SECONDS).as(String.class)).isEqualTo("once");
        assertThat(node.seen(id)).hasSize(2);
    }

    @Test
    void caller_withoutPatience_doesNotCancelItsCall() {
        CountDownLatch go = new CountDownLatch(1);
        String id = script(NOTHING, (task, process) -> {
            go.await();
            return Intent.none().response("late");
        });
        node.init(id);
        Request request = Request.of(NAMESPACE, id).key("late " + id);
        assertThat(reason(() -> node.processes().call(request.timeout(Duration.ofMillis(50)))))
                .isEqualTo("timeout");
        go.countDown();
        assertThat(node.processes().call(request).as(String.class)).isEqualTo("late");
        assertThat(node.seen(id)).hasSize(2);
    }

    @Test
    void range_forwardsBackwardsAndEmpty() {
        Processor none = NOTHING;
        String id = script((task, process) -> many(100), none, none, none, fails("no"), none);
        node.init(id);
        Request request = Request.of(NAMESPACE, id);
        node.processes().call(request.range(HistoryRange.before(10, 9)));
        node.processes().call(request.range(HistoryRange.after(2, 9)));
        node.processes().call(request.range(HistoryRange.NONE));
        assertThat(reason(() -> node.call(id))).isEqualTo("no");
        node.processes().repair(request.range(HistoryRange.after(20, 10)));
        assertThat(ids(node.seen(id, 1).process())).containsExactly(9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L);
        assertThat(ids(node.seen(id, 2).process())).containsExactly(3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
        assertThat(node.seen(id, 3).process().history()).isEmpty();
        assertThat(node.seen(id, 4).process().history()).hasSize(100);
        assertThat(node.seen(id, 5).process().history()).hasSize(10);
        assertThat(node.seen(id))
                .extracting(each -> each.process().lastEventId())
                .containsExactly(0L, 100L, 100L, 100L, 100L, 100L);
        assertThat(ids(node.processes().get(NAMESPACE, id, HistoryRange.last(2))))
                .containsExactly(100L, 99L);
        assertThat(node.processes().get(NAMESPACE, id, HistoryRange.NONE).lastEventId())
                .isEqualTo(100);
    }

    @Test // of a call that had to wait behind another one, too
    void range_ofACallThatWaited_isHonoured() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String id = script(
                (task, process) -> many(20),
                (task, process) -> {
                    go.await();
                    return Intent.none().event("one more");
                },
                NOTHING,
                NOTHING);
        node.init(id);
        CompletableFuture<Payload> first = CompletableFuture.supplyAsync(() -> node.call(id));
        node.awaitBegun(id, 2);
        CompletableFuture<Payload> second = CompletableFuture.supplyAsync(
                () -> node.processes().call(Request.of(NAMESPACE, id).range(HistoryRange.before(10, 3))));
        Scripted.awaiting("the second one waits")
                .until(() -> node.processes().list(ProcessQuery.of(NAMESPACE).limit(1000)).stream()
                        .anyMatch(each -> each.id().equals(id) && each.queued() == 2));
        go.countDown();
        first.get(30, TimeUnit.SECONDS);
        second.get(30, TimeUnit.SECONDS);
        node.processes().call(Request.of(NAMESPACE, id).range(HistoryRange.NONE));
        assertThat(ids(node.seen(id, 2).process())).containsExactly(9L, 8L, 7L);
        assertThat(node.seen(id, 2).process().lastEventId()).isEqualTo(21);
        assertThat(node.seen(id, 3).process().history()).isEmpty();
    }

    @Test // the call that removes had waited itself
    void call_thatWaited_removes_isAnswered() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String id = script(
                NOTHING,
                (task, process) -> {
                    go.await();
                    return Intent.none();
                },
                (task, process) -> Intent.none().response("removed").then(Action.remove()),
                NOTHING);
        node.init(id);
        CompletableFuture<Payload> first = CompletableFuture.supplyAsync(() -> node.call(id));
        node.awaitBegun(id, 2);
        CompletableFuture<Payload> second = CompletableFuture.supplyAsync(() -> node.call(id));
        Scripted.awaiting("the second one waits")
                .until(() -> node.processes().list(ProcessQuery.of(NAMESPACE).limit(1000)).stream()
                        .anyMatch(each -> each.id().equals(id) && each.queued() == 2));
        go.countDown();
        first.get(30, TimeUnit.SECONDS);
        assertThat(second.get(30, TimeUnit.SECONDS).as(String.class)).isEqualTo("removed");
        assertThat(reason(() -> node.call(id))).isEqualTo("process not found");
        node.init(id);
        assertThat(node.history(id)).isEmpty();
    }

    @Test // broken by its timer
    void process_brokenByItsTimer_isRemoved() {
        String id = script(
                (task, process) -> Intent.none().event("first").then(Action.timeout(Duration.ZERO)),
                (task, process) -> {
                    throw new StepFailedException("do_not_retry");
                },
                NOTHING);
        node.init(id);
        Scripted.awaiting("its timer has broken it").until(() -> node.get(id).status() == ProcessStatus.ERROR);
        assertThat(node.get(id).corruptedBy()).isNotNull();
        node.processes().remove(NAMESPACE, id);
        assertThat(reason(() -> node.get(id))).isEqualTo("process not found");
        node.init(id);
        assertThat(node.history(id)).isEmpty();
    }

    @Test
    void call_throws_callerGetsItAndARepairBringsTheProcessBack() {
        String id = script(
                (task, process) -> many(100),
                (task, process) -> {
                    throw new IllegalStateException("unexpected");
                },
                fails("not so"),
                (task, process) -> Intent.none().event("repaired").response("done"),
                NOTHING);
        node.init(id);
        assertThat(reason(() -> node.call(id))).isEqualTo("java.lang.IllegalStateException: unexpected");
        assertThat(reason(() -> node.processes().repair(NAMESPACE, id, null))).isEqualTo("not so");
        assertThat(node.get(id).status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(node.get(id).detail()).isEqualTo("java.lang.IllegalStateException: unexpected");
        assertThat(node.processes().trace(NAMESPACE, id).get(1).error())
                .startsWith("java.lang.IllegalStateException: unexpected\n\tat ");
        assertThat(node.processes().repair(NAMESPACE, id, null).as(String.class))
                .isEqualTo("done");
        node.call(id);
        assertThat(node.seen(id, 4).process().history()).hasSize(101);
    }

    @Test
    void processor_throwsWhateverItLikes_processIsBrokenAndOthersGoOn() {
        for (HostileException.Way way : HostileException.Way.values()) {
            String id = script(NOTHING, (task, process) -> {
                throw new HostileException(way);
            });
            node.init(id);
            assertThat(reason(() -> node.call(id))).as(way.name()).startsWith(HostileException.class.getName());
            assertThat(node.get(id).status()).isEqualTo(ProcessStatus.ERROR);
        }
        String fine = script(NOTHING, NOTHING);
        node.init(fine);
        node.call(fine);
    }

    @Test
    void call_removes_isAnsweredAndNothingIsLeft() {
        String id = script(
                (task, process) -> many(3),
                fails("no"),
                NOTHING,
                (task, process) ->
                        Intent.none().event("lost").response("removed").then(Action.remove()),
                NOTHING);
        node.processes().init(Request.of(NAMESPACE, id).key("removed " + id));
        assertThat(reason(() -> node.call(id))).isEqualTo("no");
        node.processes().repair(NAMESPACE, id, null);
        String number = node.database().value("SELECT number FROM howdah_internal.process WHERE id = '" + id + "'");
        assertThat(node.call(id).as(String.class)).isEqualTo("removed");
        assertThat(reason(() -> node.call(id))).isEqualTo("process not found");
        for (String table : List.of("process_event", "process_task", "process_key"))
            assertThat(node.database()
                            .value("SELECT count(*) FROM howdah_internal." + table + " WHERE process = " + number))
                    .as(table)
                    .isEqualTo("0");
        node.processes().init(Request.of(NAMESPACE, id).key("removed " + id));
        assertThat(node.history(id)).isEmpty();
    }

    @Test // those who wait behind it are told
    void process_removedWithCallsWaiting_theyAreTold() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String id = script(NOTHING, (task, process) -> {
            go.await();
            return Intent.none().response("removed").then(Action.remove());
        });
        node.init(id);
        CompletableFuture<Payload> first = CompletableFuture.supplyAsync(() -> node.call(id));
        node.awaitBegun(id, 2);
        List<CompletableFuture<String>> rest = new ArrayList<>();
        for (int i = 0; i < 3; i++) rest.add(CompletableFuture.supplyAsync(() -> reason(() -> node.call(id))));
        Scripted.awaiting("all of them wait")
                .until(() -> node.processes().list(ProcessQuery.of(NAMESPACE).limit(1000)).stream()
                        .anyMatch(each -> each.id().equals(id) && each.queued() == 4));
        go.countDown();
        assertThat(first.get(30, TimeUnit.SECONDS).as(String.class)).isEqualTo("removed");
        for (CompletableFuture<String> each : rest)
            assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo("process not found");
    }

    @Test // what upstream has not: remove, notify, list, timers
    void remove_notify_list_timers() {
        String id = script(
                NOTHING, (task, process) -> Intent.none().event(task.args()).then(Action.timeout(Duration.ofHours(1))));
        node.init(id);
        node.processes().notify(NAMESPACE, id, "news");
        Scripted.awaiting("the notice has come").until(() -> node.get(id).timer() != null);
        assertThat(node.seen(id, 1).task().type()).isEqualTo(TaskType.NOTIFY);
        assertThat(node.get(id).history().get(0).payload().as(String.class)).isEqualTo("news");
        assertThat(node.processes().timers(NAMESPACE, 1000))
                .anyMatch(each -> each.process().equals(id));
        assertThat(node.processes()
                        .list(ProcessQuery.of(NAMESPACE)
                                .status(ProcessStatus.RUNNING)
                                .limit(1000)))
                .anyMatch(each -> each.id().equals(id));
        assertThat(node.processes()
                        .list(ProcessQuery.of(NAMESPACE)
                                .status(ProcessStatus.ERROR)
                                .limit(1000)))
                .noneMatch(each -> each.id().equals(id));
        node.processes().remove(NAMESPACE, id);
        assertThat(reason(() -> node.get(id))).isEqualTo("process not found");
    }

    @Test
    void notify_leavesItsEvent() {
        String id = script(NOTHING, (task, process) -> Intent.none().event("noticed"));
        node.init(id);
        node.processes().notify(Request.of(NAMESPACE, id).key("notice " + id));
        node.processes().notify(Request.of(NAMESPACE, id).key("notice " + id));
        assertThat(ids(node.awaitQuiet(id, 2))).containsExactly(1L);
    }

    @Test
    void timers_setByInitAndCall_seeTheirEvents() {
        Processor timer =
                (task, process) -> Intent.none().auxState(process.history().size());
        String id = script(
                (task, process) -> many(10).then(Action.timeout()),
                timer,
                (task, process) -> Intent.none().response("done").then(Action.timeout(Duration.ofMillis(20))),
                timer);
        node.processes().init(Request.of(NAMESPACE, id).context("otel 1"));
        node.awaitQuiet(id, 2);
        node.processes().call(Request.of(NAMESPACE, id).args("args").context("woody 2"));
        assertThat(node.awaitQuiet(id, 4).auxState().as(Long.class)).isEqualTo(10);
        List<TraceEntry> trace = node.trace(id);
        assertThat(trace)
                .extracting(each -> each.context().as(String.class))
                .containsExactly("otel 1", "otel 1", "woody 2", "woody 2");
        assertThat(trace.get(0).events()).hasSize(10);
        assertThat(trace.get(2).args().as(String.class)).isEqualTo("args");
        assertThat(Scripted.said(trace.get(2).response(), String.class)).isEqualTo("done");
    }

    @Test
    void process_putIn_withPastTimerOrInError() {
        String past = script(NOTHING);
        node.processes()
                .importProcess(ProcessImport.of(NAMESPACE, past, List.of(NewEvent.of(1, "a")))
                        .timer(Action.timeout(java.time.Instant.EPOCH)));
        node.awaitQuiet(past, 1);
        TraceEntry init = node.trace(past).get(0);
        assertThat(init.type()).isEqualTo(TaskType.INIT);
        assertThat(init.status()).isEqualTo(TaskStatus.FINISHED);
        assertThat(init.events()).extracting(Event::id).containsExactly(1L);
        String broken = script();
        node.processes()
                .importProcess(
                        ProcessImport.of(NAMESPACE, broken, List.of()).status(ProcessStatus.ERROR, "broken there"));
        assertThat(reason(() -> node.call(broken))).isEqualTo("process is error");
        assertThat(node.get(broken).detail()).isEqualTo("broken there");
    }

    @SuppressWarnings("NullAway") // on purpose
    @Test // the step fails for good with a clear detail, others go on
    void step_thatCannotBeWritten_failsClearly() {
        assertThat(detailOf((task, process) -> Intent.none().event(1, "again"))).isEqualTo("event 1 exists already");
        assertThat(detailOf((task, process) -> Intent.none().event(7, "a").event(7, "b")))
                .isEqualTo("event 7 exists already");
        assertThat(detailOf((task, process) -> Intent.none().event(0, "zero")))
                .contains("an event with the id 0: 1 or more");
        assertThat(detailOf((task, process) -> Intent.none().event((Object) null)))
                .contains("needs a payload");
        assertThat(detailOf((task, process) -> Intent.none().metadata("{\"a\":\"\\u0000\"}".getBytes())))
                .contains("\\u0000");
        assertThat(detailOf((task, process) -> Intent.none().metadata("no json".getBytes())))
                .contains("invalid input syntax for type json");
        assertThat(detailOf((task, process) -> Intent.none().metadata("no object")))
                .isEqualTo("metadata is a JSON object, not \"no object\"");
        assertThat(detailOf((task, process) -> null)).isEqualTo("unsupported_result");
        assertThat(detailOf(fails("with\0zero"))).isEqualTo("with\uFFFDzero");
    }

    private static String detailOf(Processor call) {
        String id = script((task, process) -> Intent.none().event(1, "first"), call, NOTHING);
        node.init(id);
        String reason = reason(() -> node.call(id));
        ProcessState state = node.get(id);
        assertThat(state.status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(state.detail()).isEqualTo(reason);
        assertThat(state.corruptedBy()).isNull();
        assertThat(ids(state)).containsExactly(1L);
        node.processes().repair(NAMESPACE, id, null);
        return reason;
    }

    @Test // payloads with NUL and of many megabytes
    void events_beyond32767_andLargeOnes() {
        byte[] large = new byte[50_000_000];
        Arrays.fill(large, (byte) 0);
        String id = script(
                (task, process) -> Intent.none().event(NewEvent.of(32_768, new byte[] {0, 1, 0})),
                (task, process) -> Intent.none()
                        .event(NewEvent.of(Long.MAX_VALUE - 1, large))
                        .response(task.args()));
        node.init(id);
        assertThat(node.processes().call(NAMESPACE, id, large).size()).isEqualTo(large.length);
        ProcessState state = node.get(id);
        assertThat(ids(state)).containsExactly(32_768L, Long.MAX_VALUE - 1);
        assertThat(state.history().get(0).payload().bytes()).containsExactly(0, 1, 0);
        assertThat(state.history().get(1).payload().size()).isEqualTo(large.length);
    }

    @Test
    void health_passingOrCritical() {
        assertThat(node.processes().health()).isEqualTo(new ProcessHealth(true, null, null));
        assertThat(node.processes().health(NAMESPACE).passing()).isTrue();
        assertThat(node.processes().health("nobody"))
                .isEqualTo(new ProcessHealth(false, "nobody", "namespace not found"));
    }

    @Test // the database is away, and comes back
    void health_withoutTheDatabase_isCritical(TestDatabase database) {
        String address = database.uri();
        try (TcpProxy network = TcpProxy.to("127.0.0.1", database.server().port());
                Processes apart = Processes.on(Scripted.source(
                                address.replace(":" + database.server().port() + "/", ":" + network.port() + "/")))
                        .namespace(Namespace.of("apart", NOTHING))
                        .start()) {
            assertThat(apart.health()).isEqualTo(new ProcessHealth(true, null, null));
            network.refuse();
            network.cut();
            Scripted.awaiting("it is critical").until(() -> !apart.health().passing());
            assertThat(apart.health().namespace()).isEqualTo("apart");
            assertThat(apart.health().error()).isNotBlank();
            network.accept();
            Scripted.awaiting("it is well again").until(() -> apart.health().passing());
        }
    }

    @Test // the database has removed the process, its word on that never comes
    void removal_writtenWithoutAnAnswerOfTheDatabase_isAnswered(TestDatabase database) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Processor removing = (task, process) -> {
            if (task.type() == TaskType.INIT) return Intent.none();
            begun.countDown();
            go.await();
            return Intent.none().response("removed").then(Action.remove());
        };
        try (TcpProxy network = TcpProxy.to("127.0.0.1", database.server().port());
                Processes apart = Processes.on(Scripted.source(database.uri()
                                .replace(":" + database.server().port() + "/", ":" + network.port() + "/")))
                        .namespace(Namespace.of("removing", removing))
                        .start()) {
            apart.init("removing", "by a call", null);
            CompletableFuture<Payload> call =
                    CompletableFuture.supplyAsync(() -> apart.call("removing", "by a call", null));
            begun.await();
            network.freezeAnswers();
            go.countDown();
            awaitGone("by a call");
            network.cut();
            network.thaw();
            assertThat(call.get(30, TimeUnit.SECONDS).as(String.class)).isEqualTo("removed");
        }
    }

    private static void awaitGone(String id) {
        Scripted.awaiting("it is gone")
                .until(() -> "0"
                        .equals(node.database()
                                .value("SELECT count(*) FROM howdah_internal.process WHERE id = '" + id + "'")));
    }

    @Test
    void requests_outOfBounds_areRefused() {
        assertThatThrownBy(() -> node.init("")).hasMessageContaining("1 to 256 characters");
        assertThatThrownBy(() -> node.init("x".repeat(257))).hasMessageContaining("not 257");
        assertThatThrownBy(() -> node.init("a\0b")).hasMessageContaining("a\\0b");
        assertThatThrownBy(() -> Request.of(NAMESPACE, "a").key("x".repeat(201)))
                .hasMessageContaining("key");
        assertThatThrownBy(
                        () -> node.processes().list(ProcessQuery.of(NAMESPACE).limit(0)))
                .hasMessageContaining("1 to 10000");
        assertThatThrownBy(() -> new HistoryRange(null, -1L, false)).hasMessageContaining("0 or more");
        assertThatThrownBy(() -> Namespace.of("", NOTHING)).hasMessageContaining("1 to 200");
    }
}
