package dev.howdah.process;

import static dev.howdah.process.Scripted.reason;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.process.internal.outbox.OutboxStore;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessMetrics;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.notice.BlockedNotice;
import dev.howdah.process.notice.DeliveryException;
import dev.howdah.process.notice.Notice;
import dev.howdah.process.notice.NoticeBacklog;
import dev.howdah.process.notice.Publisher;
import dev.howdah.spi.Metrics;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Others are told what has happened, after it has, in order for each process, at least once. */
@PostgresTest
class ProcessOutboxTest {
    private static final String NAMESPACE = "told";

    private final TestDatabase database;

    ProcessOutboxTest(TestDatabase database) {
        this.database = database;
    }

    private static Intent step(ProcessTask task, ProcessState process) {
        String args = task.args().size() == 0 ? "" : task.args().as(String.class);
        return switch (args) {
            case "fail" -> throw new StepFailedException("no");
            case "remove" -> Intent.none().event("lost").then(Action.remove());
            case "two" ->
                Intent.none().event("a").event(NewEvent.of("b").metadata(java.util.Map.of("format_version", 1)));
            default -> Intent.none();
        };
    }

    private Processes start(Publisher publisher) {
        return Processes.on(Scripted.dataSource(database))
                .namespace(Namespace.of(NAMESPACE, ProcessOutboxTest::step), publisher)
                .start();
    }

    private static String said(Notice notice) {
        String what = notice.kind() == Notice.Kind.EVENT
                ? "event " + notice.event()
                : notice.kind().name();
        return notice.process() + " " + what + (notice.detail() == null ? "" : " " + notice.detail());
    }

    /** Waits until no notice is left in the outbox. A publisher has returned before its notices are removed. */
    private void awaitNoNotice() {
        Scripted.awaiting("no notice is left")
                .until(() -> "0".equals(database.value("SELECT count(*) FROM howdah_internal.process_outbox")));
    }

    @Test
    void steps_areToldInTheOrderOfTheirProcess() {
        List<String> told = new CopyOnWriteArrayList<>();
        try (Processes processes = start(notices -> notices.forEach(each -> told.add(said(each))))) {
            processes.init(NAMESPACE, "a", "two");
            assertThat(reason(() -> processes.init(NAMESPACE, "b", "fail"))).isEqualTo("no");
            processes.call(NAMESPACE, "a", "two");
            processes.call(NAMESPACE, "a", "");
            assertThat(reason(() -> processes.call(NAMESPACE, "a", "fail"))).isEqualTo("no");
            assertThat(reason(() -> processes.repair(NAMESPACE, "a", "fail"))).isEqualTo("no");
            processes.repair(NAMESPACE, "a", "two");
            assertThat(reason(() -> processes.call(NAMESPACE, "a", "fail"))).isEqualTo("no");
            processes.simpleRepair(NAMESPACE, "a");
            processes.call(NAMESPACE, "a", "remove");
            Scripted.awaiting("all is told").until(() -> told.contains("a REMOVED"));
            awaitNoNotice();
        }
        assertThat(told)
                .filteredOn(each -> each.startsWith("a "))
                .containsExactly(
                        "a CREATED",
                        "a event 1",
                        "a event 2",
                        "a event 3",
                        "a event 4",
                        "a FAILED no",
                        "a REPAIRED",
                        "a event 5",
                        "a event 6",
                        "a FAILED no",
                        "a REPAIRED",
                        "a REMOVED");
        assertThat(told).filteredOn(each -> each.startsWith("b ")).containsExactly("b FAILED no");
        assertThat(database.value("SELECT count(*) FROM howdah_internal.process_outbox"))
                .isEqualTo("0");
    }

    @Test // howdah process repair --simple is such a program
    void simpleRepair_byAProgramThatWorksNothing_isTold() {
        List<String> told = new CopyOnWriteArrayList<>();
        try (Processes processes = start(notices -> notices.forEach(each -> told.add(said(each))));
                Processes client = Processes.on(Scripted.dataSource(database)).start();
                Processes asking = Processes.on(Scripted.dataSource(database))
                        .namespace(Namespace.builder(NAMESPACE, ProcessOutboxTest::step)
                                .concurrency(0)
                                .build())
                        .start()) {
            for (Processes each : List.of(client, asking)) {
                String id = each == client ? "a" : "b";
                assertThat(reason(() -> processes.init(NAMESPACE, id, "fail"))).isEqualTo("no");
                each.simpleRepair(NAMESPACE, id);
                Scripted.awaiting("it is told").until(() -> told.contains(id + " REPAIRED"));
            }
            awaitNoNotice();
        }
        assertThat(told).containsExactly("a FAILED no", "a REPAIRED", "b FAILED no", "b REPAIRED");
        // Who works it now tells nobody.
        try (Processes processes = Processes.on(Scripted.dataSource(database))
                        .namespace(Namespace.of(NAMESPACE, ProcessOutboxTest::step))
                        .start();
                Processes client = Processes.on(Scripted.dataSource(database)).start()) {
            assertThat(reason(() -> processes.call(NAMESPACE, "a", "fail"))).isEqualTo("no");
            client.simpleRepair(NAMESPACE, "a");
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.process_outbox"))
                .isEqualTo("0");
    }

    @Test // nobody answers for a while: it delays the notices and nothing else
    void publisher_failing_theSameNoticesComeAgain() {
        AtomicInteger calls = new AtomicInteger();
        List<Long> told = new CopyOnWriteArrayList<>();
        try (Processes processes = start(notices -> {
            if (calls.incrementAndGet() == 1) throw new java.io.IOException("nobody answers");
            for (Notice each : notices) if (each.event() != null) told.add(each.event());
        })) {
            processes.init(NAMESPACE, "a", "two");
            for (int i = 0; i < 5; i++) processes.call(NAMESPACE, "a", "two");
            Scripted.awaiting("all is told").until(() -> told.size() >= 12);
        }
        assertThat(told).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);
        assertThat(calls.get()).isGreaterThan(1);
    }

    @Test // its process waits for somebody to decide, no other does; nothing is lost and nothing overtakes
    void notice_thatIsNeverTaken_holdsItsProcessUntilSomebodyDecides() {
        Set<String> refused = ConcurrentHashMap.newKeySet();
        refused.addAll(List.of("a event 1", "b event 2"));
        List<String> told = new CopyOnWriteArrayList<>();
        try (Processes processes = start(notices -> {
            DeliveryException said = new DeliveryException("too large", null);
            Set<String> held = new HashSet<>();
            List<Notice> arrived = new ArrayList<>();
            for (Notice each : notices) {
                if (held.contains(each.process())) continue;
                if (refused.contains(said(each))) {
                    held.add(each.process());
                    said.refused(each, "too large for me");
                } else {
                    arrived.add(each);
                    told.add(said(each));
                }
            }
            if (!held.isEmpty()) throw said.arrived(arrived);
        })) {
            for (String id : List.of("a", "b", "c")) processes.init(NAMESPACE, id, "two");
            Scripted.awaiting("both are held")
                    .until(() -> processes.notices().held(NAMESPACE, 10).size() == 2);
            processes.call(NAMESPACE, "a", "two");
            processes.call(NAMESPACE, "c", "two");
            Scripted.awaiting("others go on").until(() -> told.contains("c event 4"));
            Scripted.awaiting("what is behind it is held, too")
                    .until(() -> processes.notices().held(NAMESPACE, 10).stream()
                            .anyMatch(each -> each.process().equals("a") && each.behind() == 3));
            BlockedNotice first = processes.notices().held(NAMESPACE, 10).stream()
                    .filter(each -> each.process().equals("a"))
                    .findFirst()
                    .orElseThrow();
            assertThat(first.reason()).isEqualTo("too large for me");
            assertThat(first.event()).isEqualTo(1);
            assertThat(told).doesNotContain("a event 1", "a event 2", "a event 3");
            Scripted.awaiting("those told wait no more")
                    .until(() -> processes.notices().backlog(NAMESPACE).waiting() == 0);
            NoticeBacklog backlog = processes.notices().backlog(NAMESPACE);
            assertThat(backlog.heldProcesses()).isEqualTo(2);
            assertThat(backlog.waiting()).isZero();
            assertThat(backlog.held()).isGreaterThanOrEqualTo(5);
            refused.clear();
            Notices.on(Scripted.dataSource(database)).tellAgain(NAMESPACE, "a");
            // As somebody would who has nothing but SQL.
            database.execute("UPDATE howdah.process_held SET decision = 'skip' WHERE process = 'b'");
            Scripted.awaiting("all is told")
                    .until(() -> processes.notices().backlog(NAMESPACE).held() == 0 && told.contains("a event 4"));
            assertThat(reason(() -> processes.notices().skip(NAMESPACE, "b")))
                    .isEqualTo("no notice of process b is blocked");
            processes.call(NAMESPACE, "b", "two");
            Scripted.awaiting("the other goes on").until(() -> told.contains("b event 4"));
        }
        assertThat(told)
                .filteredOn(each -> each.startsWith("a event"))
                .containsExactly("a event 1", "a event 2", "a event 3", "a event 4");
        assertThat(told)
                .filteredOn(each -> each.startsWith("b event"))
                .containsExactly("b event 1", "b event 3", "b event 4");
    }

    @Test
    void process_thatFails_keepsNoOtherWaiting() {
        AtomicInteger failures = new AtomicInteger();
        List<String> told = new CopyOnWriteArrayList<>();
        try (Processes processes = start(notices -> {
            List<Notice> fine = new ArrayList<>();
            for (Notice each : notices) {
                if (each.process().equals("a") && failures.get() < 2) continue;
                fine.add(each);
                told.add(said(each));
            }
            if (fine.size() == notices.size()) return;
            failures.incrementAndGet();
            throw new DeliveryException("not now", null).arrived(fine);
        })) {
            processes.init(NAMESPACE, "a", "two");
            Scripted.awaiting("it has failed").until(() -> failures.get() > 0);
            processes.init(NAMESPACE, "b", "two");
            Scripted.awaiting("all is told").until(() -> told.contains("a event 2") && told.contains("b event 2"));
        }
        assertThat(told.indexOf("b event 2")).isLessThan(told.indexOf("a CREATED"));
        assertThat(told)
                .filteredOn(each -> each.startsWith("a "))
                .containsExactly("a CREATED", "a event 1", "a event 2");
    }

    @Test // the only ring was the one before: the relay itself has to look again
    void pauseThatEndsWhileTheRelayLooks_isNotSleptThrough() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        try (Connection locking = database.connect()) {
            locking.setAutoCommit(false);
            AtomicLong failed = new AtomicLong();
            try (Processes processes = start(notices -> {
                if (failed.get() == 0) {
                    // From here on, each look of the relay waits.
                    try (Statement lock = locking.createStatement()) {
                        lock.execute("LOCK TABLE howdah_internal.process_outbox IN ACCESS EXCLUSIVE MODE");
                    }
                    failed.set(System.nanoTime());
                    throw new DeliveryException("not now", null);
                }
                notices.forEach(each -> told.add(said(each)));
            })) {
                processes.init(NAMESPACE, "a", "");
                Scripted.awaiting("its pause of a second is over while the relay looks")
                        .until(() -> failed.get() != 0
                                && System.nanoTime() - failed.get() > TimeUnit.MILLISECONDS.toNanos(1_200)
                                && !"0"
                                        .equals(database.value("SELECT count(*) FROM pg_locks"
                                                + " WHERE relation = 'howdah_internal.process_outbox'::regclass"
                                                + " AND mode = 'AccessShareLock' AND NOT granted")));
                locking.rollback();
                Scripted.awaiting("it is told").until(() -> told.contains("a CREATED"));
            }
        }
    }

    @Test // nor does the messenger ask all the time whether there is something to tell
    void namespace_thatIsSlow_keepsNoOtherWaiting() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        List<String> told = new CopyOnWriteArrayList<>();
        try (Processes processes = Processes.on(Scripted.dataSource(database))
                .namespace(Namespace.of("slow", ProcessOutboxTest::step), notices -> never.await())
                .namespace(
                        Namespace.of(NAMESPACE, ProcessOutboxTest::step),
                        notices -> notices.forEach(each -> told.add(said(each))))
                .start()) {
            processes.init("slow", "s", "two");
            processes.init(NAMESPACE, "a", "two");
            Scripted.awaiting("the other is told").until(() -> told.contains("a event 2"));
            assertThat(processes.notices().backlog("slow").waiting()).isEqualTo(3);
            Scripted.awaiting("the messenger has been silent for a while")
                    .until(
                            () -> "t"
                                    .equals(
                                            database.value(
                                                    "SELECT bool_or(now() - a.state_change > interval '2 s') FROM pg_locks l"
                                                            + " JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.classid = 1215264886 AND l.granted"
                                                            + " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())")));
            long began = System.nanoTime();
            processes.call(NAMESPACE, "a", "two");
            Scripted.awaiting("it is woken").until(() -> told.contains("a event 4"));
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(4));
            Scripted.awaiting("lag is seen")
                    .until(() -> processes.notices().backlog("slow").lag().toMillis() > 2_000);
        }
    }

    @Test // however large payloads are, few of them are in memory at a time
    void notices_large_comeInSmallBatches() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        byte[] large = new byte[9 << 20];
        try (Processes processes = Processes.on(Scripted.dataSource(database))
                .namespace(
                        Namespace.of(
                                "large",
                                (task, process) ->
                                        Intent.none().event(large).event(large).event(large)),
                        notices -> sizes.add(notices.size()))
                .start()) {
            processes.init(Request.of("large", "a").timeout(Scripted.PATIENCE));
            Scripted.awaiting("all is told")
                    .until(() -> sizes.stream().mapToInt(each -> each).sum() == 4);
        }
        assertThat(sizes).containsExactly(2, 1, 1);
    }

    @Test
    void node_thatTellsIsClosed_anotherGoesOn() {
        List<String> told = new CopyOnWriteArrayList<>();
        Publisher publisher = notices -> notices.forEach(each -> told.add(said(each)));
        Processes first = start(publisher);
        try (Processes second = start(publisher)) {
            first.init(NAMESPACE, "a", "two");
            Scripted.awaiting("all is told").until(() -> told.contains("a event 2"));
            awaitNoNotice();
            first.close();
            second.call(NAMESPACE, "a", "two");
            Scripted.awaiting("the rest is told").until(() -> told.contains("a event 4"));
        }
        assertThat(told).containsExactly("a CREATED", "a event 1", "a event 2", "a event 3", "a event 4");
    }

    /** No node works in the namespace; the test writes its notices. */
    private OutboxStore outbox() throws SQLException {
        Processes.on(Scripted.dataSource(database)).start().close();
        database.execute("INSERT INTO howdah_internal.process_namespace (name) VALUES ('told')");
        NamespaceSlots served = new NamespaceSlots(
                1,
                Namespace.of("told", ProcessOutboxTest::step),
                new JacksonCodec(),
                new ProcessMetrics(Metrics.none()).of("told"));
        return OutboxStore.open(ConnectionSource.of(Scripted.dataSource(database)), served, new JacksonCodec());
    }

    private static String notice(String process, boolean held) {
        return "INSERT INTO howdah_internal.process_outbox (namespace, process, at, kind, held) VALUES (1, '" + process
                + "', now(), 'created', " + held + ");";
    }

    private static List<Long> ids(OutboxStore.Batch batch) {
        return batch.notices().stream().map(Notice::id).toList();
    }

    @Test // the node that held them may be gone: its memory decides nothing
    void notices_heldInTheTable_areNotRead() throws SQLException {
        try (OutboxStore outbox = outbox()) {
            database.execute(notice("a", true) + notice("d", true) + notice("b", false) + notice("c", false)
                    + notice("a", false)
                    + "INSERT INTO howdah.process_held (namespace, process, notice, reason) VALUES (1, 'a', 1, 'no')");
            OutboxStore.Batch next = outbox.next(Set.of());
            assertThat(ids(next)).containsExactly(3L, 4L);
            assertThat(next.aside()).as("behind a notice that is held").containsExactly(5L);
            assertThat(ids(outbox.next(Set.of("b")))).containsExactly(4L);
        }
    }

    @Test // its number is smaller than those that have been told
    void notice_committedAfterLaterOnesWereTold_isRead() throws SQLException {
        try (OutboxStore outbox = outbox();
                Connection late = database.connect();
                Statement statement = late.createStatement()) {
            late.setAutoCommit(false);
            statement.execute(notice("late", false));
            for (long id = 2; id <= 4; id++) {
                database.execute(notice("other", false));
                OutboxStore.Batch next = outbox.next(Set.of());
                assertThat(ids(next)).containsExactly(id);
                outbox.allArrived(next.notices());
            }
            late.commit();
            assertThat(ids(outbox.next(Set.of()))).containsExactly(1L);
        }
    }

    @Test // an old snapshot keeps all of them in the index
    void notices_manyCarried_areNotReadAgain() throws Exception {
        Processes.on(Scripted.dataSource(database)).start().close();
        int[] ends = {0};
        try (Connection old = Scripted.source(database).getConnection();
                Statement snapshot = old.createStatement()) {
            database.execute("INSERT INTO howdah_internal.process_namespace (name) VALUES ('told'), ('other');"
                    + " INSERT INTO howdah_internal.process_outbox (namespace, process, at, kind)"
                    + " SELECT 1 + i % 2, 'p' || i % 1000, now(), 'created' FROM generate_series(1, 100000) i");
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            snapshot.execute("SELECT 1 FROM howdah_internal.process_namespace");
            database.execute(
                    "DELETE FROM howdah_internal.process_outbox WHERE id <= 90000; ANALYZE howdah_internal.process_outbox");
            NamespaceSlots served = new NamespaceSlots(
                    1,
                    Namespace.of("told", ProcessOutboxTest::step),
                    new JacksonCodec(),
                    new ProcessMetrics(Metrics.none()).of("told"));
            try (OutboxStore outbox =
                    OutboxStore.open(ConnectionSource.of(Scripted.dataSource(database)), served, new JacksonCodec())) {
                for (OutboxStore.Batch next = outbox.next(Set.of()); !next.isEmpty(); next = outbox.next(Set.of())) {
                    outbox.allArrived(next.notices());
                    ends[0] += next.notices().size();
                }
                assertThat(ends[0]).isEqualTo(5000);
                // It rises when no transaction is left that is older; others test beside this.
                Scripted.awaiting("what was carried is left behind").until(() -> {
                    database.execute("INSERT INTO howdah_internal.process_outbox (namespace, process, at, kind)"
                            + " VALUES (1, 'p', now(), 'created')");
                    outbox.allArrived(outbox.next(Set.of()).notices());
                    return outbox.floor() > 98_000;
                });
                assertThat(buffers(0)).isGreaterThan(200);
                assertThat(buffers(outbox.floor())).isLessThan(100);
            }
        }
    }

    private long buffers(long floor) throws SQLException, java.io.IOException {
        try (DedicatedSession session =
                        new DedicatedSession(Scripted.source(database).getConnection());
                Statement statement = session.connection().createStatement()) {
            statement.execute("PREPARE next AS " + ProcessSql.OUTBOX.text("outbox_next"));
            try (ResultSet row =
                    statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE next (1, "
                            + floor + ", 500, 1000000, '{}')")) {
                row.next();
                JsonNode plan = new ObjectMapper().readTree(row.getString(1)).at("/0/Plan");
                return plan.get("Shared Hit Blocks").asLong()
                        + plan.get("Shared Read Blocks").asLong();
            }
        }
    }
}
