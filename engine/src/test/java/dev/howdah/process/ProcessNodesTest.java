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
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Several nodes, and nodes that die. */
@PostgresTest
class ProcessNodesTest {
    private static final Processor NOTHING = (task, process) -> Intent.none();

    private final TestDatabase database;

    ProcessNodesTest(TestDatabase database) {
        this.database = database;
    }

    private Processes client() {
        return Processes.on(Scripted.dataSource(database)).nodeName("client").start();
    }

    private Processes survivor(boolean repeatable) {
        return Processes.on(Scripted.dataSource(database))
                .nodeName("survivor")
                .namespace(ProcessProgram.namespace(false, repeatable))
                .start();
    }

    private static CompletableFuture<String> later(Runnable asked) {
        return CompletableFuture.supplyAsync(() -> reason(asked));
    }

    @Test // what was running when its node was killed; timers go on, calls break their process, all callers
    // are told
    void node_killed_itsProcessesGoOnElsewhere() throws Exception {
        try (ProcessProgram doomed = ProcessProgram.at(database.uri(), false);
                Processes client = client()) {
            client.init(ProcessProgram.NAMESPACE, "call", "");
            client.init(ProcessProgram.NAMESPACE, "timer", "timer");
            doomed.awaitSaid("began timer");
            CompletableFuture<String> first = later(() -> client.call(ProcessProgram.NAMESPACE, "call", "hang"));
            doomed.awaitSaid("began call");
            CompletableFuture<String> second = later(() -> client.call(ProcessProgram.NAMESPACE, "call", "hang"));
            Scripted.awaiting("the second call waits")
                    .until(() -> client.list(ProcessQuery.of(ProcessProgram.NAMESPACE))
                                    .get(0)
                                    .queued()
                            == 2);
            try (Processes survivor = survivor(false)) {
                doomed.kill();
                assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("zombie detected");
                assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo("process is error");
                ProcessState broken = client.get(ProcessProgram.NAMESPACE, "call");
                assertThat(broken.status()).isEqualTo(ProcessStatus.ERROR);
                assertThat(broken.previousStatus()).isEqualTo(ProcessStatus.RUNNING);
                assertThat(broken.detail()).isEqualTo("zombie detected");
                assertThat(broken.corruptedBy()).isNotNull();
                assertThat(broken.statusChanged()).isAfter(broken.created());
                assertThat(client.trace(ProcessProgram.NAMESPACE, "call"))
                        .extracting(each -> each.error() == null
                                ? ""
                                : each.error().lines().findFirst().orElse(""))
                        .containsExactly("", "zombie detected", "process is error");
                Scripted.awaiting("the timer has run")
                        .until(() ->
                                survivor.get(ProcessProgram.NAMESPACE, "timer").lastEventId() == 1);
                assertThat(client.trace(ProcessProgram.NAMESPACE, "timer")
                                .get(1)
                                .retryAttempts())
                        .isEqualTo(1);
                client.repair(ProcessProgram.NAMESPACE, "call", "fine");
                assertThat(client.get(ProcessProgram.NAMESPACE, "call").status())
                        .isEqualTo(ProcessStatus.RUNNING);
            }
        }
    }

    @Tag("long")
    @Test // the namespace says that its calls may run again
    void node_killed_repeatableCallsRunAgain() throws Exception {
        try (ProcessProgram doomed = ProcessProgram.at(database.uri(), true);
                Processes client = client()) {
            client.init(ProcessProgram.NAMESPACE, "call", "");
            CompletableFuture<String> call = CompletableFuture.supplyAsync(
                    () -> client.call(ProcessProgram.NAMESPACE, "call", "hang").as(String.class));
            doomed.awaitSaid("began call");
            try (Processes survivor = survivor(true)) {
                doomed.kill();
                assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("done");
                assertThat(survivor.get(ProcessProgram.NAMESPACE, "call").lastEventId())
                        .isEqualTo(1);
            }
        }
    }

    @Tag("long")
    @Test // nothing is lost and nothing is there twice
    void node_killedInTheMiddleOfChains_theyAreFinishedElsewhere() {
        try (ProcessProgram doomed = ProcessProgram.at(database.uri(), false);
                Processes client = client()) {
            for (int i = 0; i < 20; i++) client.init(ProcessProgram.NAMESPACE, "chain " + i, "chain");
            doomed.kill();
            try (Processes survivor = survivor(false)) {
                for (int i = 0; i < 20; i++) {
                    String id = "chain " + i;
                    Scripted.awaiting(id + " is done")
                            .until(() -> survivor.get(ProcessProgram.NAMESPACE, id, HistoryRange.NONE)
                                            .lastEventId()
                                    == 200);
                    assertThat(ids(survivor.get(ProcessProgram.NAMESPACE, id)))
                            .containsExactlyElementsOf(
                                    LongStream.rangeClosed(1, 200).boxed().toList());
                }
            }
        }
    }

    @Test // a frozen node is taken for dead after ten seconds; what it then says is refused
    @Tag("long")
    void node_frozen_itsProcessesGoOnElsewhereAndItsEndIsRefused() throws Exception {
        try (ProcessProgram frozen = ProcessProgram.at(database.uri(), true);
                Processes client = client()) {
            client.init(ProcessProgram.NAMESPACE, "call", "");
            CompletableFuture<String> call = later(() -> client.call(ProcessProgram.NAMESPACE, "call", "hang"));
            frozen.awaitSaid("began call");
            frozen.freeze();
            try (Processes survivor = survivor(true)) {
                assertThat(call.get(60, TimeUnit.SECONDS)).isEmpty();
                frozen.thaw();
                client.call(ProcessProgram.NAMESPACE, "call", "fine");
                assertThat(survivor.get(ProcessProgram.NAMESPACE, "call").lastEventId())
                        .isEqualTo(2);
            }
        }
    }

    @Test // a call that takes too long; the worker lives on
    @Tag("long")
    void step_tooLong_isEnded() {
        CountDownLatch never = new CountDownLatch(1);
        Processor hangs = (task, process) -> {
            never.await();
            return Intent.none();
        };
        try (Scripted node = Scripted.in(
                database,
                namespace -> namespace.stepTimeout(Duration.ofMillis(300)).concurrency(1))) {
            String call = script(NOTHING, hangs);
            node.init(call);
            assertThat(reason(() ->
                            node.processes().call(Request.of(NAMESPACE, call).timeout(Duration.ofSeconds(30)))))
                    .isEqualTo("timeout");
            assertThat(node.get(call).detail()).isEqualTo("zombie detected");
            String timer = script((task, process) -> Intent.of(Action.timeout()), hangs, hangs, hangs);
            node.init(timer);
            ProcessState broken = node.awaitQuiet(timer, 4);
            assertThat(broken.status()).isEqualTo(ProcessStatus.ERROR);
            assertThat(broken.detail()).isEqualTo("zombie detected");
            String fine = script(NOTHING);
            assertThat(reason(() -> node.init(fine))).isEmpty();
        }
    }

    @Test // a caller that names no timeout waits longer than a step may take
    void call_ofAStepThatHangs_isToldWhenTheProcessIsBroken() {
        CountDownLatch never = new CountDownLatch(1);
        try (Scripted node = Scripted.in(database, namespace -> namespace.stepTimeout(Duration.ofMillis(300)))) {
            String id = script(NOTHING, (task, process) -> {
                never.await();
                return Intent.none();
            });
            node.init(id);
            assertThat(reason(() -> node.processes().call(NAMESPACE, id, ""))).isNotEmpty();
            assertThat(node.get(id).detail()).isEqualTo("zombie detected");
        }
    }

    @Test // through other nodes; and without any namespace of its own
    void node_thatWorksNothing_asksThroughOthers() {
        try (Scripted worker = Scripted.in(database);
                Processes client = client();
                Processes lazy = Processes.on(Scripted.dataSource(database))
                        .namespace(Namespace.builder(NAMESPACE, NOTHING)
                                .concurrency(0)
                                .build())
                        .start()) {
            for (Processes each : List.of(client, lazy)) {
                String id = script(
                        (task, process) -> Intent.none().event("made"),
                        (task, process) -> Intent.none().response("called"),
                        (task, process) -> {
                            throw new StepFailedException("no");
                        },
                        (task, process) -> Intent.none().response("repaired"),
                        (task, process) -> Intent.none().response("gone").then(Action.remove()));
                each.init(NAMESPACE, id, null);
                assertThat(each.call(NAMESPACE, id, null).as(String.class)).isEqualTo("called");
                assertThat(reason(() -> each.call(NAMESPACE, id, null))).isEqualTo("no");
                assertThat(each.repair(NAMESPACE, id, null).as(String.class)).isEqualTo("repaired");
                assertThat(each.call(NAMESPACE, id, null).as(String.class)).isEqualTo("gone");
                assertThat(reason(() -> each.get(NAMESPACE, id))).isEqualTo("process not found");
                assertThat(worker.seen(id)).hasSize(5);
            }
        }
    }

    @Test // what is not told is asked for, a second later
    void call_workedByAnotherNode_itsNodeIsNotified() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String id = script(NOTHING, NOTHING, (task, process) -> {
            go.await();
            return Intent.of(Action.remove());
        });
        try (Scripted worker = Scripted.in(database);
                Processes client = client();
                Connection listening = database.connect();
                Statement listen = listening.createStatement()) {
            listen.execute("LISTEN howdah_process_"
                    + database.value("SELECT id FROM howdah_internal.node WHERE name = 'client'"));
            client.init(NAMESPACE, id, null);
            assertThat(told(listening, 1)).hasSize(1);
            client.call(NAMESPACE, id, null);
            assertThat(told(listening, 1)).hasSize(1);
            CompletableFuture<String> removing = later(() -> client.call(NAMESPACE, id, null));
            worker.awaitBegun(id, 3);
            CompletableFuture<String> behind = later(() -> client.call(NAMESPACE, id, null));
            Scripted.awaiting("the second call waits")
                    .until(() -> "2".equals(database.value("SELECT queued FROM howdah_internal.process")));
            go.countDown();
            assertThat(told(listening, 2)).hasSize(2).doesNotHaveDuplicates();
            assertThat(removing.get(30, TimeUnit.SECONDS)).isEmpty();
            assertThat(behind.get(30, TimeUnit.SECONDS)).isEqualTo("process not found");
        }
    }

    /** The tasks that a session is told of, so many or what comes within five seconds. */
    private static List<String> told(Connection listening, int count) throws SQLException {
        List<String> tasks = new ArrayList<>();
        while (tasks.size() < count) {
            PGNotification[] some = listening.unwrap(PGConnection.class).getNotifications(5_000);
            if (some == null || some.length == 0) break;
            for (PGNotification each : some) tasks.add(each.getParameter());
        }
        return tasks;
    }

    @Test // an answer that is asked for comes after a second or more, twenty after twenty
    void calls_workedByAnotherNode_areAnsweredWithoutWaitingForThePoll() {
        Processor[] lines = new Processor[21];
        Arrays.fill(lines, NOTHING);
        String id = script(lines);
        try (Scripted worker = Scripted.in(database);
                Processes client = client()) {
            worker.init(id);
            long began = System.nanoTime();
            for (int i = 0; i < 20; i++) client.call(NAMESPACE, id, null);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
        }
    }

    @Test // calls and timers on two nodes; never two steps of one process at a time, never one lost
    void nodes_two_neverWorkOnOneProcessTogether() throws Exception {
        Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
        AtomicInteger together = new AtomicInteger();
        Processor busy = (task, process) -> {
            AtomicInteger count = inside.computeIfAbsent(process.id(), id -> new AtomicInteger());
            if (count.incrementAndGet() > 1) together.incrementAndGet();
            try {
                Thread.yield();
                Intent intent = Intent.none().event(task.type().text());
                return task.type() == TaskType.TIMEOUT ? intent : intent.then(Action.timeout(Duration.ofMillis(1)));
            } finally {
                count.decrementAndGet();
            }
        };
        Namespace namespace = Namespace.builder("busy", busy).concurrency(8).build();
        try (Processes one = Processes.on(Scripted.dataSource(database))
                        .namespace(namespace)
                        .start();
                Processes two = Processes.on(Scripted.dataSource(database))
                        .namespace(namespace)
                        .start()) {
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int p = 0; p < 8; p++) one.init("busy", "p" + p, null);
            for (int c = 0; c < 12; c++) {
                int caller = c;
                callers.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 25; i++) (i % 2 == 0 ? one : two).call("busy", "p" + (caller + i) % 8, null);
                }));
            }
            for (CompletableFuture<Void> each : callers) each.get(60, TimeUnit.SECONDS);
            assertThat(together).hasValue(0);
            int calls = 0;
            for (int p = 0; p < 8; p++) {
                ProcessState state = two.get("busy", "p" + p);
                assertThat(ids(state))
                        .containsExactlyElementsOf(LongStream.rangeClosed(1, state.lastEventId())
                                .boxed()
                                .toList());
                calls += (int) state.history().stream()
                        .filter(each -> each.payload().as(String.class).equals("call"))
                        .count();
            }
            assertThat(calls).isEqualTo(12 * 25);
        }
    }

    @Test
    void nodes_startingAtOnceOnAnEmptyDatabase_allWork() throws Exception {
        List<CompletableFuture<Processes>> starts = new ArrayList<>();
        for (int i = 0; i < 5; i++)
            starts.add(CompletableFuture.supplyAsync(() -> Processes.on(Scripted.dataSource(database))
                    .namespace(Namespace.of("new", NOTHING))
                    .start()));
        for (int i = 0; i < 5; i++) {
            try (Processes node = starts.get(i).get(60, TimeUnit.SECONDS)) {
                node.init("new", "p" + i, null);
            }
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("0");
    }

    @Test // others took the process meanwhile
    void step_thatComesTooLate_changesNothing() {
        CountDownLatch go = new CountDownLatch(1);
        String id = script(
                NOTHING,
                (task, process) -> {
                    go.await();
                    return Intent.none().event("too late").auxState("too late");
                },
                (task, process) -> Intent.none().event("in time"));
        try (Scripted node = Scripted.in(database, namespace -> namespace.repeatable(true))) {
            node.init(id);
            CompletableFuture<String> call = later(() -> node.call(id));
            node.awaitBegun(id, 2);
            database.execute(
                    "UPDATE howdah_internal.process SET node = NULL, turn = turn + 1, due_at = now(), lane = 0, lost = true"
                            + " WHERE id = '" + id + "'; NOTIFY howdah_process");
            node.awaitBegun(id, 3);
            go.countDown();
            assertThat(call.orTimeout(30, TimeUnit.SECONDS).join()).isEmpty();
            ProcessState state = node.awaitQuiet(id, 3);
            assertThat(state.history())
                    .extracting(each -> each.payload().as(String.class))
                    .containsExactly("in time");
            assertThat(state.auxState().size()).isZero();
        }
    }

    @Test // through another node, so that nothing in memory helps
    void call_acceptedWhileAStepEnds_startsAtOnce() {
        try (Scripted worker = Scripted.in(database);
                Processes client = client()) {
            Processor[] lines = new Processor[61];
            lines[0] = NOTHING;
            for (int i = 1; i <= 60; i++)
                lines[i] = (task, process) -> Intent.none().event(task.args());
            String id = script(lines);
            worker.init(id);
            List<CompletableFuture<String>> calls = new ArrayList<>();
            long began = System.nanoTime();
            for (int i = 0; i < 30; i++) {
                calls.add(later(() -> client.call(NAMESPACE, id, "far")));
                calls.add(later(() -> worker.processes().call(NAMESPACE, id, "near")));
            }
            for (CompletableFuture<String> each : calls)
                assertThat(each.orTimeout(60, TimeUnit.SECONDS).join()).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
            assertThat(worker.awaitQuiet(id, 61).lastEventId()).isEqualTo(60);
        }
    }

    @Test // not a few in each period
    void timers_overdue_areWorkedAsFastAsTheyCan() {
        AtomicInteger ran = new AtomicInteger();
        Namespace namespace = Namespace.builder("overdue", (task, process) -> {
                    ran.incrementAndGet();
                    return Intent.none();
                })
                .concurrency(50)
                .build();
        try (Processes client = client();
                Processes first = Processes.on(Scripted.dataSource(database))
                        .namespace(namespace.toBuilder().concurrency(0).build())
                        .start()) {
            assertThat(first.health().passing()).isTrue();
            database.execute(
                    "INSERT INTO howdah_internal.process (namespace, id, status, previous_status, timer_type, timer_task, timer_at, due_at, lane)"
                            + " SELECT n.id, 'p' || i, 'running', 'running', 'timeout', nextval('howdah_internal.process_task_id'), now(), now(), 1"
                            + " FROM howdah_internal.process_namespace n, generate_series(1, 5000) i WHERE n.name = 'overdue'");
            assertThat(client.timers("overdue", 10)).hasSize(10);
            try (Processes worker = Processes.on(Scripted.dataSource(database))
                    .namespace(namespace)
                    .start()) {
                Scripted.awaiting("all have run")
                        .until(() -> worker.timers("overdue", 1).isEmpty() && ran.get() >= 5000);
            }
            assertThat(ran).hasValue(5000);
        }
    }

    @Test
    @Tag("long")
    void zone_otherThanUtc_changesNothing() {
        database.execute("ALTER DATABASE " + database.name() + " SET TimeZone = 'Europe/Moscow'");
        Instant stamp = Instant.parse("2026-03-29T01:30:00.000001Z");
        Instant far = Instant.parse("2100-06-01T12:00:00Z");
        try (Scripted node = Scripted.in(database)) {
            String id = script(
                    (task, process) ->
                            Intent.none().event(NewEvent.of("a").at(stamp)).then(Action.timeout(Duration.ofMillis(50))),
                    (task, process) -> Intent.of(Action.timeout(far)));
            node.init(id);
            node.awaitBegun(id, 2);
            Scripted.awaiting("the timer is set")
                    .until(() -> far.equals(node.get(id).timer()));
            assertThat(node.get(id).history().get(0).timestamp()).isEqualTo(stamp);
            TraceEntry timer = node.trace(id).get(1);
            assertThat(timer.running()).isAfterOrEqualTo(timer.scheduled());
            assertThat(Duration.between(node.get(id).created(), timer.running()))
                    .isLessThan(Duration.ofMinutes(10));
        }
    }

    @Test // a deploy: what runs is finished, what runs too long goes on elsewhere
    void node_stopped_handsBackWhatItHas() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        String id = script((task, process) -> Intent.of(Action.timeout()), (task, process) -> {
            never.await();
            return Intent.none();
        });
        Processes first = Processes.on(Scripted.dataSource(database))
                .shutdownTimeout(Duration.ofMillis(100))
                .namespace(Namespace.of("stopped", (task, process) -> {
                    if (task.type() == TaskType.INIT) return Intent.of(Action.timeout());
                    never.await();
                    return Intent.none();
                }))
                .start();
        first.init("stopped", id, null);
        Scripted.awaiting("the timer runs")
                .until(() -> first.trace("stopped", id).size() == 2
                        && first.trace("stopped", id).get(1).status() == TaskStatus.RUNNING);
        first.close();
        try (Processes second = Processes.on(Scripted.dataSource(database))
                .namespace(
                        Namespace.of("stopped", (task, process) -> Intent.none().event("done")))
                .start()) {
            Scripted.awaiting("it goes on")
                    .until(() -> second.get("stopped", id).lastEventId() == 1);
            assertThat(second.get("stopped", id).status()).isEqualTo(ProcessStatus.RUNNING);
        }
    }
}
