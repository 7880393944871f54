package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.log.LogQueueFullException;
import dev.howdah.job.log.LogQueues;
import dev.howdah.job.log.LogReader;
import dev.howdah.job.query.JobOrder;
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;

/** Queues whose jobs are entries of a log. */
@PostgresTest
class LogQueueTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final String LANE = "(SELECT q.lane FROM howdah_internal.log_queue q)";
    private static final String ROTATE = "SELECT howdah_internal.log_rotate(" + LANE + ", 1)";

    private final JobsDatabase database;

    LogQueueTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @BeforeEach
    void make() {
        try (Jobs jobs = database.jobs().start()) {
            jobs.admin().logQueues().create("events", Duration.ZERO);
        }
    }

    private List<Long> add(int from, int to) {
        try (Jobs jobs = database.jobs().start()) {
            return jobs.addAll(IntStream.range(from, to)
                    .mapToObj(i -> NewJob.of(WORK, i).queue("events"))
                    .toList());
        }
    }

    private LogReader reader(String queue) {
        try (Jobs jobs = database.jobs().start()) {
            return jobs.admin().logQueues().readers().stream()
                    .filter(each -> each.queue().equals(queue))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** False: a transaction had the segment locked for longer than others are to wait. */
    private boolean rotate() {
        try {
            run(ROTATE);
            return true;
        } catch (PSQLException e) {
            assertThat(e.getSQLState()).isEqualTo("55P03");
            return false;
        }
    }

    @Test
    void jobs_added_runOnceInOrderAndLeaveNoRow() {
        List<Long> ids = add(0, 2_500);
        Queue<Long> ran = new ConcurrentLinkedQueue<>();
        try (Jobs node = database.jobs()
                .queues("events")
                .concurrency(1)
                .handle(WORK, (payload, job) -> {
                    assertThat(job.queue()).isEqualTo("events");
                    assertThat(ids.get(payload)).isEqualTo(job.id());
                    ran.add(job.id());
                })
                .start()) {
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == 2_500);
            JobsDatabase.awaiting("all are written")
                    .until(() -> reader("events").running() == 0);
            assertThat(node.node()).isPositive();
        }
        assertThat(ran).containsExactlyElementsOf(ids);
        assertThat(database.waiting()).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.batch"))
                .isZero();
        assertThat(reader("events").waiting()).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.log_lease"))
                .isLessThan(10);
        assertThat(
                        database.text(
                                "SELECT s.queue || ' ' || s.kind || ' ' || sum(s.done) FROM howdah.stats s GROUP BY s.queue, s.kind"))
                .isEqualTo("events work 2500");
        assertThat(
                        database.number(
                                "SELECT count(*) FROM pg_stat_user_tables t WHERE t.relname ~ '^entry_' AND t.seq_tup_read > 0"))
                .as("segments are read by their index")
                .isZero();
    }

    @Test
    void job_isLookedFor_itsStateIsKnownAndItsEndAwaited() throws Exception {
        List<Long> ids = add(0, 3);
        CountDownLatch go = new CountDownLatch(1);
        try (Jobs node = database.jobs()
                .queues("events")
                .concurrency(1)
                .handle(WORK, (payload, job) -> {
                    if (payload == 1) go.await();
                })
                .start()) {
            JobsDatabase.awaiting("it runs")
                    .until(() -> node.admin().find(ids.get(1)).orElseThrow().state() == JobState.RUNNING);
            long later = add(3, 4).get(0);
            assertThat(node.admin().find(later).orElseThrow().state()).isIn(JobState.WAITING, JobState.RUNNING);
            assertThat(node.admin().find(later).orElseThrow().queue()).isEqualTo("events");
            go.countDown();
            JobsDatabase.awaiting("it is done")
                    .until(() -> node.admin().find(later).orElseThrow().state() == JobState.DONE);
            assertThat(database.text("SELECT w.state FROM howdah.wait_job(" + ids.get(0) + ", '10 s') w"))
                    .isEqualTo("done");
        }
        assertThat(database.number("SELECT count(*) FROM howdah.find(" + (ids.get(2) + 1_000_000) + ")"))
                .isZero();
    }

    @Test
    void job_waitsInALog_itIsSaidWhy() {
        long id = add(0, 1).get(0);
        String why = "SELECT w.code || ': ' || w.sentence FROM howdah.why_job(" + id + ") w LIMIT 1";
        assertThat(database.text(why)).startsWith("no-node: ");
        database.execute("SELECT howdah.pause('events')");
        assertThat(database.text(why)).startsWith("paused: ");
        database.execute("SELECT howdah.resume('events')");
        try (Jobs node = database.jobs()
                .queues("events")
                .handle(WORK, (payload, job) -> {})
                .start()) {
            JobsDatabase.awaiting("it is done")
                    .until(() ->
                            reader("events").waiting() == 0 && reader("events").running() == 0);
            assertThat(database.text(why)).isEqualTo("ended: It is done. A log queue does not keep when.");
            assertThat(node.node()).isPositive();
        }
    }

    @Test
    void tables_areRemoved_nothingIsLeft() throws SQLException {
        rotate();
        add(0, 1);
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> Jobs.uninstall(connection, false)).hasMessageContaining("1 wait");
            Jobs.uninstall(connection, true);
        }
        assertThat(database.number("SELECT count(*) FROM pg_class c WHERE c.relname ~ '^(entry|log)_'"))
                .isZero();
    }

    @Test // woken by the doorbell, from SQL and from Java
    void job_addedWhileTheNodeSleeps_beginsAtOnce() {
        Queue<Integer> ran = new ConcurrentLinkedQueue<>();
        try (Jobs node = database.jobs()
                .queues("events")
                .handle(WORK, (payload, job) -> ran.add(payload))
                .start()) {
            JobsDatabase.awaiting("the node sleeps")
                    .until(() -> database.number("SELECT count(*) FROM pg_locks l WHERE l.classid = 1215264875"
                                    + " AND l.objid = " + LANE + " AND l.mode = 'ExclusiveLock'")
                            > 0);
            database.execute("SELECT howdah.add('events', 'work', '1')");
            JobsDatabase.awaiting("it has run").atMost(Duration.ofSeconds(20)).until(() -> ran.contains(1));
            node.add(NewJob.of(WORK, 2).queue("events"));
            JobsDatabase.awaiting("it has run").atMost(Duration.ofSeconds(20)).until(() -> ran.contains(2));
        }
    }

    @Tag("long")
    @Test // each reader has each committed entry once, whatever commits when
    void transactions_commitLateAndRollBack_nothingIsLostOrRunTwice() throws Exception {
        try (Jobs jobs = database.jobs().start()) {
            assertThat(jobs.admin().logQueues().addReader("events", "audit")).isEqualTo("events/audit");
        }
        Map<Integer, AtomicInteger> first = new ConcurrentHashMap<>();
        Map<Integer, AtomicInteger> second = new ConcurrentHashMap<>();
        Queue<Integer> committed = new ConcurrentLinkedQueue<>();
        List<Connection> late = new ArrayList<>();
        AtomicInteger number = new AtomicInteger();
        try (Jobs one = reading("events", first);
                Jobs another = reading("events", first);
                Jobs audit = reading("events/audit", second)) {
            for (int i = 0; i < 10; i++) {
                Connection connection = database.connect();
                connection.setAutoCommit(false);
                late.add(connection);
            }
            List<Thread> producers = new ArrayList<>();
            for (int p = 0; p < 3; p++) {
                Thread producer = new Thread(() -> produce(number, committed));
                producers.add(producer);
                producer.start();
            }
            List<Integer> open = new ArrayList<>();
            while (producers.stream().anyMatch(Thread::isAlive))
                for (Connection each : late) open.addAll(addIn(each, number, 3));
            assertThatThrownBy(() -> run(ROTATE))
                    .as("the segment ends when no transaction is open that has added to it")
                    .hasMessageContaining("lock timeout");
            for (Connection each : late) open.addAll(addIn(each, number, 3));
            for (Thread each : producers) each.join();
            // Nothing of them is visible yet, and everything else runs meanwhile.
            JobsDatabase.awaiting("the others have run")
                    .until(() -> first.keySet().containsAll(committed)
                            && second.keySet().containsAll(committed));
            assertThat(first).doesNotContainKey(open.get(0));
            for (int i = 0; i < late.size(); i++)
                if (i == 0) late.get(i).rollback();
                else late.get(i).commit();
            // The first one has added three of thirty each time.
            for (int i = 0; i < open.size(); i++) if (i % 30 >= 3) committed.add(open.get(i));
            JobsDatabase.awaiting("all have run")
                    .until(() -> first.size() >= committed.size() && second.size() >= committed.size());
            assertThat(one.node()).isNotEqualTo(another.node());
            assertThat(audit.node()).isPositive();
        } finally {
            for (Connection each : late) each.close();
        }
        assertThat(first.keySet()).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(second.keySet()).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(first.values()).allMatch(times -> times.get() == 1);
        assertThat(second.values()).allMatch(times -> times.get() == 1);
        assertThat(database.waiting()).isZero();
    }

    @Test // more than one lease has; others are added and run meanwhile
    void transaction_commitsVeryManyEntriesLate_allRunOnce() throws SQLException {
        Map<Integer, AtomicInteger> ran = new ConcurrentHashMap<>();
        AtomicInteger number = new AtomicInteger();
        try (Connection late = database.connect()) {
            late.setAutoCommit(false);
            addIn(late, number, 2_500);
            add(10_000, 10_010);
            addIn(late, number, 2_500);
            try (Jobs node = reading("events", ran)) {
                JobsDatabase.awaiting("the others have run").until(() -> ran.size() == 10);
                late.commit();
                add(20_000, 20_010);
                JobsDatabase.awaiting("all have run").until(() -> ran.size() == 5_020);
                assertThat(node.node()).isPositive();
            }
        }
        assertThat(ran.values()).allMatch(times -> times.get() == 1);
    }

    private Jobs reading(String queue, Map<Integer, AtomicInteger> ran) {
        return database.jobs()
                .queues(queue)
                .handle(
                        WORK,
                        (payload, job) -> ran.computeIfAbsent(payload, each -> new AtomicInteger())
                                .incrementAndGet())
                .start();
    }

    private void produce(AtomicInteger number, Queue<Integer> committed) {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 400; i++) {
                List<Integer> added = addIn(connection, number, 1 + i % 7);
                if (i % 10 == 9) {
                    connection.rollback();
                } else {
                    connection.commit();
                    committed.addAll(added);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Integer> addIn(Connection connection, AtomicInteger number, int count) throws SQLException {
        int from = number.getAndAdd(count);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT howdah.add_many('events', 'work', ARRAY(SELECT to_json(i) FROM generate_series("
                    + from + ", " + (from + count - 1) + ") i))");
        }
        return IntStream.range(from, from + count).boxed().toList();
    }

    @Tag("long")
    @Test // producers wait for a moment at most, and add to the next one
    void segments_endWhileJobsAreAdded_nothingIsLostOrRunTwice() throws Exception {
        Map<Integer, AtomicInteger> ran = new ConcurrentHashMap<>();
        Queue<Integer> committed = new ConcurrentLinkedQueue<>();
        AtomicInteger number = new AtomicInteger();
        int rotated = 0;
        try (Jobs one = reading("events", ran);
                Jobs another = reading("events", ran)) {
            List<Thread> producers = new ArrayList<>();
            for (int p = 0; p < 3; p++) {
                Thread producer = new Thread(() -> produce(number, committed));
                producers.add(producer);
                producer.start();
            }
            while (producers.stream().anyMatch(Thread::isAlive)) if (rotate()) rotated++;
            for (Thread each : producers) each.join();
            JobsDatabase.awaiting("all have run").until(() -> ran.size() >= committed.size());
            assertThat(one.node()).isNotEqualTo(another.node());
        }
        assertThat(rotated).isPositive();
        assertThat(ran.keySet()).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(ran.values()).allMatch(times -> times.get() == 1);
    }

    @Test
    void segment_isSealed_theNextOneIsReadAndItIsDropped() {
        Map<Integer, AtomicInteger> ran = new ConcurrentHashMap<>();
        add(0, 100);
        assertThat(rotate()).isTrue();
        add(100, 200);
        assertThat(rotate()).isTrue();
        add(200, 300);
        assertThat(database.text("SELECT howdah_internal.log_drop(" + LANE + ")"))
                .isEqualTo("f");
        try (Jobs node = reading("events", ran)) {
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == 300);
            JobsDatabase.awaiting("all are written")
                    .until(() -> reader("events").running() == 0);
            assertThat(node.node()).isPositive();
        }
        // The node may have dropped one, and a session that still reads holds a drop up.
        JobsDatabase.awaiting("two are dropped")
                .until(() -> !database.text("SELECT howdah_internal.log_drop(" + LANE + ")")
                                .isEmpty()
                        && database.number("SELECT count(*) FROM howdah_internal.log_entry") == 100);
        assertThat(database.text("SELECT howdah_internal.log_drop(" + LANE + ")"))
                .isEqualTo("f");
        assertThat(ran.values()).allMatch(times -> times.get() == 1);
    }

    @Test // the ordinary table has what is to be tried again, and what has failed
    void handler_fails_jobIsRetriedAloneAndFailsAlone() {
        add(0, 1_000);
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        try (Jobs node = database.jobs()
                .queues("events")
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(1)))
                .handle(WORK, (payload, job) -> {
                    ran.add(payload + " " + job.attempt());
                    if (payload == 7 && job.attempt() == 1) throw new IllegalStateException("once");
                    if (payload == 8) throw new IllegalStateException("always");
                })
                .start()) {
            JobsDatabase.awaiting("one has failed")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == 1);
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == 1_002);
            assertThat(node.node()).isPositive();
        }
        assertThat(ran).contains("7 1", "7 2", "8 1", "8 2").doesNotHaveDuplicates();
        assertThat(database.text("SELECT f.payload || ' ' || f.attempt || ' ' || split_part(f.error, E'\\n', 1)"
                        + " FROM howdah_internal.failed f"))
                .isEqualTo("8 2 java.lang.IllegalStateException: always");
        assertThat(database.waiting()).isZero();
    }

    @Test // jobs that take long are split off; those that wait for them go back
    void handler_isSlow_othersOfItsLeaseAreWritten() {
        add(0, 200);
        Queue<Integer> ran = new ConcurrentLinkedQueue<>();
        CountDownLatch go = new CountDownLatch(1);
        try (Jobs node = database.jobs()
                .queues("events")
                .concurrency(4)
                .handle(WORK, (payload, job) -> {
                    if (payload == 0) go.await();
                    ran.add(payload);
                })
                .start()) {
            JobsDatabase.awaiting("the others have run").until(() -> ran.size() == 199);
            JobsDatabase.awaiting("it is split off")
                    .until(() ->
                            database.number("SELECT count(*) FROM howdah_internal.batch b WHERE b.ended IS NULL") == 1
                                    && reader("events").running() == 0);
            go.countDown();
            JobsDatabase.awaiting("it has run").until(() -> ran.size() == 200);
            JobsDatabase.awaiting("it is written").until(() -> database.ended("d") == 1);
            assertThat(node.node()).isPositive();
        }
        assertThat(ran).doesNotHaveDuplicates();
    }

    @Test
    void node_dies_itsJobsRunElsewhereWithAnotherAttempt() {
        List<Long> ids = add(0, 50);
        // A node that is not there any more.
        assertThat(database.number("SELECT count(*) FROM howdah_internal.log_claim(4711, 99, " + LANE + ", 20, '{}') c"
                        + " WHERE c.job IS NOT NULL"))
                .isEqualTo(20);
        Map<Long, Integer> attempts = new ConcurrentHashMap<>();
        try (Jobs node = database.jobs()
                .queues("events")
                .handle(WORK, (payload, job) -> attempts.put(job.id(), job.attempt()))
                .start()) {
            JobsDatabase.awaiting("all have run").until(() -> attempts.size() == 50);
            assertThat(node.node()).isPositive();
        }
        for (int i = 0; i < 50; i++) assertThat(attempts.get(ids.get(i))).isEqualTo(i < 20 ? 2 : 1);
        assertThat(database.number(
                        "SELECT count(*) FROM howdah_internal.log_end(4711, ARRAY(SELECT l.id FROM howdah_internal.log_lease l),"
                                + " ARRAY[99], NULL, NULL, NULL, NULL, NULL)"))
                .as("what it says later is refused")
                .isZero();
    }

    @Test
    void handler_isTransactional_runsExactlyOnce() {
        database.execute("CREATE TABLE effect (job bigint NOT NULL)");
        add(0, 300);
        try (Jobs node = database.jobs()
                .queues("events")
                .handleInTransaction(WORK, (payload, job, connection) -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO effect VALUES (" + job.id() + ")");
                    }
                })
                .start()) {
            JobsDatabase.awaiting("all have run").until(() -> database.number("SELECT count(*) FROM effect") == 300);
            assertThat(node.node()).isPositive();
        }
        assertThat(database.number("SELECT count(DISTINCT job) FROM effect")).isEqualTo(300);
    }

    @Test
    void kind_isPaused_itsJobsWaitAndTheOthersRun() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        database.execute("SELECT howdah.pause('events', 'held')");
        database.execute("SELECT howdah.add('events', 'work', '1'), howdah.add('events', 'held', '2'),"
                + " howdah.add('events', 'work', '3')");
        try (Jobs node = database.jobs()
                .queues("events")
                .handle(WORK, (payload, job) -> ran.add("work " + payload))
                .handle(Kind.of("held", Integer.class), (payload, job) -> ran.add("held " + payload))
                .start()) {
            JobsDatabase.awaiting("the others have run").until(() -> ran.size() == 2);
            JobsDatabase.awaiting("it waits in the lane of its kind").until(() -> database.waiting() == 1);
            assertThat(node.admin().queues())
                    .filteredOn(queue -> queue.name().equals("events"))
                    .allMatch(queue -> queue.due() == 1);
            node.admin().resume("events", "held");
            JobsDatabase.awaiting("it has run").until(() -> ran.contains("held 2"));
        }
    }

    @Test
    void limit_ofTheQueue_isHeld() {
        add(0, 200);
        AtomicInteger running = new AtomicInteger();
        Queue<Integer> most = new ConcurrentLinkedQueue<>();
        try (Jobs node = database.jobs()
                .queues("events")
                .concurrency(8)
                .nodeLimit("events", 2)
                .handle(WORK, (payload, job) -> {
                    most.add(running.incrementAndGet());
                    running.decrementAndGet();
                })
                .start()) {
            JobsDatabase.awaiting("all have run").until(() -> most.size() == 200);
            assertThat(node.node()).isPositive();
        }
        assertThat(most).allMatch(jobs -> jobs <= 2);
    }

    @Test
    void reader_seeksBack_jobsRunAgain() {
        try (Jobs jobs = database.jobs().start()) {
            jobs.admin().logQueues().create("events", Duration.ofDays(1));
        }
        Queue<Integer> ran = new ConcurrentLinkedQueue<>();
        add(0, 10);
        Instant between = Instant.parse(database.text(
                "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"));
        add(10, 20);
        try (Jobs node = database.jobs()
                .queues("events")
                .handle(WORK, (payload, job) -> ran.add(payload))
                .start()) {
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == 20);
            ran.clear();
            node.admin().logQueues().seek("events", between);
            JobsDatabase.awaiting("they run again").until(() -> ran.size() == 10);
            assertThat(ran)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(10, 20).boxed().toList());
            // A new reader has them from then on, too, with ids of its own.
            String queue = node.admin().logQueues().addReader("events", "later", between);
            assertThat(queue).isEqualTo("events/later");
            assertThat(reader(queue).waiting()).isEqualTo(10);
            assertThat(node.admin().logQueues().addReader("events", "now")).isEqualTo("events/now");
            assertThat(reader("events/now").waiting()).isZero();
            node.admin().logQueues().dropReader("events", "later");
            assertThat(node.admin().logQueues().readers())
                    .extracting(LogReader::queue)
                    .containsExactly("events", "events/now");
        }
    }

    @Test
    void readers_retryTheSameEntry_eachHasAJobOfItsOwn() {
        try (Jobs jobs = database.jobs().start()) {
            jobs.admin().logQueues().addReader("events", "audit");
        }
        long entry = add(5, 6).get(0);
        Queue<Long> ran = new ConcurrentLinkedQueue<>();
        try (Jobs node = database.jobs()
                .queues("events", "events/audit")
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(1)))
                .handle(WORK, (payload, job) -> {
                    ran.add(job.id());
                    throw new IllegalStateException("no");
                })
                .start()) {
            JobsDatabase.awaiting("both have failed")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == 2);
            assertThat(node.node()).isPositive();
        }
        assertThat(ran).hasSize(4);
        assertThat(LongStream.of(ran.stream().mapToLong(id -> id).distinct().toArray())
                        .map(id -> id % (1L << 44)))
                .containsExactly(entry, entry);
    }

    @Test // transactions of the other server had higher numbers
    void entries_restoredFromAnotherServer_runOnce() {
        Map<Integer, AtomicInteger> ran = new ConcurrentHashMap<>();
        add(0, 30);
        try (Jobs node = reading("events", ran)) {
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == 30);
            assertThat(node.node()).isPositive();
        }
        add(30, 60);
        database.execute(
                "UPDATE howdah_internal.log_entry e SET xid = e.xid + 1000000;"
                        + " UPDATE howdah_internal.log_lease l SET at_seen = replace(s.moved, ' ', '')::txid_snapshot,"
                        + " at_xids = ARRAY(SELECT x + 1000000 FROM unnest(l.at_xids) x)"
                        + " FROM (SELECT o.id, concat(txid_snapshot_xmin(o.at_seen) + 1000000, ':',"
                        + " txid_snapshot_xmax(o.at_seen) + 1000000, ':') AS moved FROM howdah_internal.log_lease o) s WHERE s.id = l.id");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.log_claim(4711, 99, " + LANE + ", 10, '{}') c"
                        + " WHERE c.job IS NOT NULL"))
                .isEqualTo(10);
        try (Jobs node = reading("events", ran)) {
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == 60);
            add(60, 90);
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == 90);
            assertThat(node.node()).isPositive();
        }
        assertThat(ran.values()).allMatch(times -> times.get() == 1);
    }

    @Test
    void logQueue_whoseReaderHasTooMuchToRead_refusesMore_untilNodesHaveClaimed() throws Exception {
        run("SELECT howdah.add_reader('events', 'audit')");
        try (Jobs jobs = database.jobs().start()) {
            LogQueues logs = jobs.admin().logQueues();
            assertThatThrownBy(() -> logs.limitUnread("events", 1000))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("at most 1000 bytes unread: it has to be 1048576 or more");
            logs.limitUnread("events", 1 << 20);
            String full = "a job work could not be added to queue events: ERROR: the log queue \"events\" is full";
            List<NewJob<Integer>> many = IntStream.range(0, 3000)
                    .mapToObj(i -> NewJob.of(WORK, i).queue("events"))
                    .toList();
            int added = 0;
            while (database.number("SELECT max(unread) FROM howdah.unread()") < 1 << 20) {
                jobs.addAll(many);
                added += many.size();
            }
            assertThat(added).isBetween(6_000, 30_000);
            assertThatThrownBy(() -> jobs.add(many.get(0)))
                    .isInstanceOf(LogQueueFullException.class)
                    .hasMessageStartingWith(full)
                    .hasMessageContaining("to read, of 1024 kB at most");
            assertThatThrownBy(() -> jobs.addAsync(many.get(0)).join()).hasCauseInstanceOf(LogQueueFullException.class);
            assertThatThrownBy(() -> jobs.addAll(many)).isInstanceOf(LogQueueFullException.class);
            assertThatThrownBy(() -> run("SELECT howdah.add('events', 'work', '1')"))
                    .hasMessageContaining("the log queue \"events\" is full: its")
                    .hasMessageContaining("howdah.limit_unread changes the bound")
                    .extracting(each -> ((SQLException) each).getSQLState())
                    .isEqualTo("53H01");
            assertThat(jobs.add(NewJob.of(WORK, 1).queue("other")).id()).isPositive();
            // Each reader has a bound of its own: one of them is behind still.
            AtomicInteger ran = new AtomicInteger();
            try (Jobs node = database.jobs()
                    .queues("events")
                    .handle(WORK, (number, job) -> ran.incrementAndGet())
                    .start()) {
                assertThat(node.node()).isPositive();
                JobsDatabase.awaiting("all of the first reader")
                        .until(() -> database.number("SELECT unread FROM howdah.unread() WHERE reader IS NULL") == 0);
                assertThatThrownBy(() -> jobs.add(many.get(0)))
                        .hasMessageContaining("is full: its reader \"audit\" has");
                logs.dropReader("events", "audit");
                assertThat(jobs.add(many.get(0)).id()).isPositive();
            }
            logs.unlimitUnread("events");
            for (int i = 0; i < 10; i++) jobs.addAll(many);
            assertThat(database.number("SELECT max(unread) FROM howdah.unread()"))
                    .isGreaterThan(1 << 20);
        }
    }

    @Tag("long")
    @Test
    void entries_thatWait_areListedOnPages_andByFilters() throws Exception {
        run("SELECT howdah.add_reader('events', 'audit')");
        List<Long> ids = add(0, 25);
        assertThat(rotate()).isTrue();
        ids = new ArrayList<>(ids);
        ids.addAll(add(25, 30));
        run(
                "SELECT howdah.add('events', 'other', '{\"n\": [1, 2]}', options => '{\"tags\": [\"red\"], \"metadata\": {\"a\": 1}}')");
        run("SELECT howdah.add('orders', 'work', '1')");
        try (Jobs jobs = database.jobs().start()) {
            List<Long> listed = new ArrayList<>();
            JobQuery query = JobQuery.in(JobState.WAITING).queue("events").limit(7);
            for (JobQuery each = query; each != null; ) {
                JobPage page = jobs.admin().list(each);
                assertThat(page.jobs()).hasSizeLessThanOrEqualTo(7).allMatch(job -> job.attempt() == 0);
                page.jobs().forEach(job -> listed.add(job.id()));
                each = page.next();
            }
            Collections.reverse(listed);
            assertThat(listed.subList(0, 30)).isEqualTo(ids);
            assertThat(jobs.admin().cancel(ids.get(0))).isEqualTo(CancelResult.UNCLAIMED_ENTRY);
            assertThat(jobs.admin().counts().of(JobState.WAITING)).isEqualTo(1);
            assertThat(jobs.admin().counts().isExact(JobState.WAITING)).isFalse();
            assertThat(listed).hasSize(31);
            JobQuery oldest = query.order(JobOrder.OLDEST);
            List<Long> turned = new ArrayList<>();
            for (JobQuery each = oldest; each != null; ) {
                JobPage page = jobs.admin().list(each);
                page.jobs().forEach(job -> turned.add(job.id()));
                each = page.next();
            }
            assertThat(turned).isEqualTo(listed);
            JobQuery every = JobQuery.in(JobState.WAITING).limit(100);
            List<Long> both = new ArrayList<>();
            jobs.admin().list(every.order(JobOrder.OLDEST)).jobs().forEach(job -> both.add(job.id()));
            assertThat(both).hasSize(63).isSorted();
            for (JobQuery one : List.of(oldest.kind("other"), oldest.tag("red"), oldest.payload("{\"n\": [2]}")))
                assertThat(jobs.admin().list(one).jobs()).as("%s", one).hasSize(1);
            // Two readers have each of 31, and there is an ordinary one.
            assertThat(jobs.admin()
                            .list(JobQuery.in(JobState.WAITING).limit(100))
                            .jobs())
                    .hasSize(63);
            JobQuery all = JobQuery.in(JobState.WAITING).queue("events/audit").limit(100);
            assertThat(jobs.admin().list(all).jobs()).hasSize(31).allMatch(job -> job.id() > 1L << 44);
            for (JobQuery one :
                    List.of(all.kind("other"), all.tag("red"), all.metadata("{\"a\": 1}"), all.payload("{\"n\": [2]}")))
                assertThat(jobs.admin().list(one).jobs())
                        .as("%s", one)
                        .hasSize(1)
                        .allMatch(
                                job -> job.kind().equals("other") && job.queue().equals("events/audit"));
            assertThat(jobs.admin().list(all.key("k")).jobs()).isEmpty();
            assertThat(jobs.admin()
                            .list(all.until(Instant.parse("2020-01-01T00:00:00Z")))
                            .jobs())
                    .isEmpty();
            assertThat(jobs.admin()
                            .list(JobQuery.in(JobState.PLANNED).queue("events"))
                            .jobs())
                    .isEmpty();
        }
        try (Jobs node = database.jobs()
                .queues("events")
                .handle(WORK, (number, job) -> {})
                .handle(Kind.of("other", Map.class), (map, job) -> {})
                .start()) {
            JobsDatabase.awaiting("none of the first reader")
                    .until(() -> node.admin()
                            .list(JobQuery.in(JobState.WAITING).queue("events"))
                            .jobs()
                            .isEmpty());
            assertThat(node.admin()
                            .list(JobQuery.in(JobState.WAITING)
                                    .queue("events/audit")
                                    .limit(100))
                            .jobs())
                    .hasSize(31);
        }
    }

    @Test
    void entry_isFoundByARoleThatReads() throws Exception {
        long id = add(0, 1).get(0);
        String role =
                "reader_" + database.rows("SELECT current_database()").get(0).get(0);
        run("CREATE ROLE " + role);
        try {
            run("SELECT howdah.allow('" + role + "', 'reader')");
            run("SET ROLE " + role + "; SELECT howdah.find(" + id + "), howdah.find(" + (id + 1) + ")");
            assertThatThrownBy(() -> run("SET ROLE " + role + "; SELECT * FROM howdah_internal.entry_1"))
                    .hasMessageContaining("denied");
        } finally {
            run("RESET ROLE; DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    /** Whole pages, across segments, without what was claimed. */
    @Test
    void unread_isWhatNoNodeHasClaimed_acrossSegments() throws Exception {
        add(0, 5000);
        long first = database.number("SELECT unread FROM howdah.unread()");
        assertThat(first).isGreaterThan(300_000);
        assertThat(rotate()).isTrue();
        add(5000, 10_000);
        assertThat(database.number("SELECT unread FROM howdah.unread()")).isBetween(first * 19 / 10, first * 21 / 10);
        run("SELECT howdah.seek_reader('events', NULL, now())");
        assertThat(database.number("SELECT unread FROM howdah.unread()")).isZero();
    }

    @Test
    void job_hasWhatALogCannotKeep_isRefusedAtOnce() {
        try (Jobs jobs = database.jobs().start()) {
            NewJob<Integer> job = NewJob.of(WORK, 1).queue("events");
            assertThatThrownBy(() -> jobs.add(job.priority(3)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "a job work with the priority 3 cannot be added to the log queue events: add it to another queue");
            assertThatThrownBy(() -> jobs.add(job.delay(Duration.ofSeconds(1))))
                    .hasMessageContaining("a delay of PT1S");
            assertThatThrownBy(() -> jobs.add(job.key("k"))).hasMessageContaining("the key k");
        }
        Map<String, String> refused = Map.of(
                "priority => 3", "a priority (3)",
                "delay => '1 s'", "a delay (00:00:01)",
                "run_at => '2999-01-01 12:00Z'", "a time at which it runs (2999-01-01 12:00:00+00)",
                "options => '{\"group\": \"g\"}'", "the option group");
        refused.forEach((option, what) -> {
            for (String add : List.of("add('events', 'work', '1', ", "add_many('events', 'work', '{1,2}'::json[], "))
                assertThatThrownBy(() -> run("SET TimeZone = 'UTC'; SELECT howdah." + add + option + ")"))
                        .hasMessageContaining("a job with " + what + " cannot be added to the log queue \"events\"");
        });
        assertThatThrownBy(() -> run("SELECT howdah.add('events', 'work', '1', key => 'k')"))
                .hasMessageContaining("a job with a key (k) cannot be added to the log queue \"events\"")
                .hasMessageContaining("Add it to another queue.");
        assertThatThrownBy(() -> run("SELECT howdah.queue('events', 'table')"))
                .hasMessageContaining("the queue \"events\" is a log queue, and cannot become another one");
        assertThatThrownBy(() -> run("SELECT howdah.queue('events', 'heap')"))
                .hasMessageContaining("the storage \"heap\" is not known: it has to be table or log");
        assertThatThrownBy(() -> run("SELECT howdah.add_reader('orders', 'r')"))
                .hasMessageContaining("there is no log queue \"orders\"");
        assertThatThrownBy(() -> run("SELECT howdah.drop_reader('events', 'r')"))
                .hasMessageContaining("the log queue \"events\" has no reader \"r\"");
        assertThat(reader("events").waiting()).isZero();
    }

    private void run(String sql) throws PSQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (PSQLException e) {
            throw e;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
