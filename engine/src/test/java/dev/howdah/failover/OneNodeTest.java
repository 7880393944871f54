package dev.howdah.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.process.TaskType;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A program that runs jobs and processes over one data source is one node. */
@Tag("long")
@PostgresTest
class OneNodeTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final String NAMES =
            "SELECT string_agg(array_to_string(ARRAY(SELECT f FROM unnest(n.features) f ORDER BY f), '+'), ' ' ORDER BY n.id)"
                    + " FROM howdah_internal.node n";

    private final TestDatabase database;
    private final Set<String> ran = ConcurrentHashMap.newKeySet();
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch stuck = new CountDownLatch(1);

    OneNodeTest(TestDatabase database) {
        this.database = database;
    }

    private DataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name()
                + "?user=postgres&ApplicationName=program");
        return source;
    }

    private Jobs jobs(DataSource source) {
        return Jobs.on(source)
                .concurrency(2)
                .shutdownTimeout(Duration.ofSeconds(1))
                .handle(WORK, (payload, job) -> {
                    if (payload.equals("stuck")) {
                        stuck.countDown();
                        awaitReleased();
                    }
                    ran.add(payload);
                })
                .start();
    }

    /** However often it is interrupted. */
    private void awaitReleased() {
        boolean interrupted = false;
        while (released.getCount() > 0) {
            try {
                released.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    private static Processes processes(DataSource source) {
        return Processes.on(source)
                .shutdownTimeout(Duration.ofSeconds(1))
                .namespace(Namespace.builder(
                                "calls",
                                (task, process) -> task.type() == TaskType.CALL
                                        ? Intent.none().event("called").response(process.lastEventId() + 1)
                                        : Intent.none())
                        .repeatable(true)
                        .build())
                .start();
    }

    private static long call(Processes processes) {
        return processes.call("calls", "a", "x").as(Long.class);
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(2, TimeUnit.MINUTES)
                .pollInterval(Duration.ofMillis(20))
                .until(condition);
    }

    private void awaitRan(Jobs jobs, String payload) {
        jobs.add(WORK, payload);
        await(payload + " has run", () -> ran.contains(payload));
    }

    private String value(String query) {
        return String.valueOf(database.value(query));
    }

    private String nodes() {
        return value(NAMES);
    }

    private long id() {
        return Long.parseLong(value("SELECT max(id) FROM howdah_internal.node"));
    }

    /** How many locks of nodes are held. */
    private String locks() {
        return value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 1215264874"
                + " AND objsubid = 2 AND granted AND database ="
                + " (SELECT oid FROM pg_database WHERE datname = current_database())");
    }

    private String sessions() {
        return value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name = 'program'");
    }

    @Test
    void features_overOneDataSource_shareTheRowTheLockAndTheSession() {
        DataSource one = source();
        try (Jobs jobs = jobs(one);
                Processes processes = processes(one)) {
            assertThat(nodes()).isEqualTo("job+process");
            processes.init("calls", "a", null);
            assertThat(call(processes)).isEqualTo(1);
            awaitRan(jobs, "one");
            assertThat(locks()).isEqualTo("1");
        }
        assertThat(nodes()).isEqualTo("null");
        await("no session is left", () -> sessions().equals("0"));
    }

    @Test
    void features_overTwoDataSourcesOrTwice_areNodesOfTheirOwn() {
        DataSource one = source();
        try (Jobs jobs = jobs(one);
                Processes processes = processes(source());
                Jobs more = jobs(one)) {
            assertThat(nodes()).isEqualTo("job process job");
            processes.init("calls", "a", null);
            assertThat(call(processes)).isEqualTo(1);
            awaitRan(jobs, "one");
            awaitRan(more, "two");
            try (Processes third = processes(one)) {
                assertThat(nodes()).isEqualTo("job+process process job");
                assertThat(call(third)).isEqualTo(2);
            }
        }
        assertThat(nodes()).isEqualTo("null");
    }

    @Test // they are no node of their own, whichever comes first or goes first
    void objectsThatOnlyCall_areInTheNodeOfTheirProgram() {
        DataSource one = source();
        try (Processes caller = Processes.on(one).start()) {
            assertThat(nodes()).isEqualTo("process");
            try (Jobs jobs = jobs(one);
                    Processes processes = processes(one);
                    Processes second = Processes.on(one).start()) {
                assertThat(nodes()).isEqualTo("job+process");
                assertThat(value("SELECT serves -> 'process' ->> 'calls' > '0' FROM howdah_internal.node"))
                        .isEqualTo("t");
                assertThat(locks()).isEqualTo("1");
                caller.init("calls", "a", null);
                for (int i = 1; i <= 12; i++)
                    assertThat(call(List.of(caller, second, processes).get(i % 3)))
                            .isEqualTo(i);
                awaitRan(jobs, "one");
                long former = id();
                database.execute("UPDATE howdah_internal.node SET incarnation = gen_random_uuid()");
                await("the program is another node", () -> id() > former);
                await("former nodes are recovered", () -> nodes().equals("job+process"));
                await(
                        "it says what it works",
                        () -> value("SELECT serves::text FROM howdah_internal.node")
                                .contains("calls"));
                assertThat(call(caller)).isEqualTo(13);
                assertThat(call(second)).isEqualTo(14);
            }
            assertThat(nodes()).isEqualTo("process");
            assertThat(value("SELECT serves ->> 'process' FROM howdah_internal.node"))
                    .isEqualTo("{}");
            try (Processes elsewhere = processes(source())) {
                assertThat(call(caller)).isEqualTo(15);
                assertThat(call(elsewhere)).isEqualTo(16);
                // Taken in the last moment of the object that has left.
                database.execute(
                        "UPDATE howdah_internal.process SET node = " + value("SELECT min(id) FROM howdah_internal.node")
                                + ", turn = turn + 1, taken = now(), due_at = NULL");
                assertThat(call(elsewhere)).isEqualTo(17);
            }
        }
        assertThat(nodes()).isEqualTo("null");
    }

    @Test // what runs as the node is another object's
    void objectThatOnlyCalls_closedWhileAStepRuns_leavesItAlone() throws Exception {
        DataSource one = source();
        try (Processes processes = Processes.on(one)
                .namespace(Namespace.of("calls", (task, process) -> {
                    if (task.type() != TaskType.CALL) return Intent.none();
                    stuck.countDown();
                    awaitReleased();
                    return Intent.none().response(1L);
                }))
                .start()) {
            processes.init("calls", "a", null);
            CompletableFuture<Long> called = CompletableFuture.supplyAsync(() -> call(processes));
            stuck.await();
            String running = value("SELECT node || ' ' || turn FROM howdah_internal.process");
            try (Processes caller = Processes.on(one).start()) {
                assertThat(caller.get("calls", "a").status()).isNotNull();
            }
            assertThat(value("SELECT node || ' ' || turn FROM howdah_internal.process"))
                    .isEqualTo(running);
            assertThat(nodes()).isEqualTo("process");
            released.countDown();
            assertThat(called.get(1, TimeUnit.MINUTES)).isEqualTo(1);
        } finally {
            released.countDown();
        }
    }

    /**
     * Seven: one that says that the node lives, two that claim jobs and one for their maintenance, two that write processes and one
     * that claims them; as two nodes eight. All but the first open when there is something to do; one more in passing removes
     * what has finished.
     */
    @Test
    void connections_ofOneNode_areOneLessThanOfTwo() {
        assertThat(holders(source())).isEqualTo(1);
        assertThat(holders(source(), source())).isEqualTo(2);
    }

    private int holders(DataSource... kept) {
        PGSimpleDataSource calls = (PGSimpleDataSource) source();
        calls.setApplicationName("calls");
        try (Jobs jobs = Jobs.on(calls)
                        .sessionDataSource(kept[0])
                        .handle(WORK, (payload, job) -> ran.add(payload))
                        .start();
                Processes processes = Processes.on(calls)
                        .sessionDataSource(kept[kept.length - 1])
                        .namespace(Namespace.builder("calls", (task, process) -> Intent.none())
                                .build())
                        .start();
                Jobs adding = Jobs.on(calls).start()) {
            List<NewJob<String>> many = IntStream.range(0, 3_000)
                    .mapToObj(i -> NewJob.of(WORK, "n" + i))
                    .toList();
            jobs.schedule(Schedule.every("s", Duration.ofHours(1)), NewJob.of(WORK, "scheduled"));
            adding.addAll(many);
            for (int i = 0; i < 100; i++) processes.init("calls", kept.length + " " + i, null);
            await("all have run", () -> ran.size() >= many.size());
            ran.clear();
            await("sessions that stay", () -> {
                int found = Integer.parseInt(sessions());
                return found >= kept.length + 4 && found <= kept.length + 6;
            });
            return Integer.parseInt(
                    value("SELECT count(DISTINCT l.pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
                            + " WHERE l.locktype = 'advisory' AND l.classid = 1215264874 AND l.objsubid = 2 AND l.granted"
                            + " AND a.application_name = 'program' AND a.datname = current_database()"));
        }
    }

    @Test
    void feature_thatStops_leavesTheOtherAndMayComeBack() {
        DataSource one = source();
        try (Processes processes = processes(one)) {
            processes.init("calls", "a", null);
            long id = id();
            try (Jobs jobs = jobs(one)) {
                awaitRan(jobs, "one");
                assertThat(call(processes)).isEqualTo(1);
            }
            assertThat(nodes()).isEqualTo("process");
            assertThat(locks()).as("the node lives").isEqualTo("1");
            assertThat(call(processes)).isEqualTo(2);
            try (Jobs jobs = jobs(one)) {
                assertThat(nodes()).isEqualTo("job+process");
                processes.close();
                assertThat(nodes()).isEqualTo("job");
                assertThat(locks()).as("the node lives").isEqualTo("1");
                awaitRan(jobs, "two");
                assertThat(id()).isEqualTo(id);
            }
        }
        assertThat(nodes()).isEqualTo("null");
    }

    @Test // a handler that ignores the interrupt does not keep processes from going on
    void nodeIsLost_eachFeatureGoesOnAsAnother_withoutWaitingForTheOther() throws Exception {
        DataSource one = source();
        try (Jobs jobs = jobs(one);
                Processes processes = processes(one)) {
            processes.init("calls", "a", null);
            jobs.add(WORK, "stuck");
            stuck.await();
            for (int loss = 1; loss <= 3; loss++) {
                long former = id();
                database.execute("UPDATE howdah_internal.node SET incarnation = gen_random_uuid()");
                await("the program is another node", () -> id() > former);
                await(
                        "of both features",
                        () -> value("SELECT array_length(features, 1) FROM howdah_internal.node WHERE id > " + former)
                                .equals("2"));
                assertThat(call(processes)).isEqualTo(loss);
                awaitRan(jobs, "after " + loss);
            }
            assertThat(ran).doesNotContain("stuck");
            released.countDown();
            await("it has run", () -> ran.contains("stuck"));
            await("former nodes are recovered", () -> nodes().equals("job+process"));
        } finally {
            released.countDown();
        }
        assertThat(nodes()).isEqualTo("null");
    }

    @Test // it has not noticed
    void featureJoins_aNodeThatOthersTookForDead_bothAreAnother() {
        DataSource one = source();
        try (Processes processes = processes(one)) {
            processes.init("calls", "a", null);
            for (int i = 1; i <= 5; i++) {
                long former = id();
                database.execute("UPDATE howdah_internal.node SET incarnation = gen_random_uuid()");
                try (Jobs jobs = jobs(one)) {
                    assertThat(id()).isGreaterThan(former);
                    awaitRan(jobs, "n" + i);
                    await(
                            "processes have joined",
                            () -> value(
                                            "SELECT features @> '{job,process}' FROM howdah_internal.node ORDER BY id DESC LIMIT 1")
                                    .equals("t"));
                    assertThat(call(processes)).isEqualTo(i);
                }
            }
        }
    }

    /** Gives no connections while {@link #isShut}; those that it has given stay. */
    private final class Gate extends PGSimpleDataSource {
        private static final long serialVersionUID = 1;
        private volatile boolean isShut;

        Gate() {
            setUrl(((PGSimpleDataSource) source()).getUrl());
            setUser("postgres");
            setApplicationName("program");
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (isShut) throw new SQLException("no connection is free", "53300");
            return super.getConnection();
        }
    }

    @Test // claims of a node that lives are recovered by none: those that could not be given back must not stay with it
    void feature_thatCannotLeave_endsTheNode_theOtherGoesOnAsAnother() throws Exception {
        Gate gate = new Gate();
        try (Processes processes = processes(gate)) {
            processes.init("calls", "a", null);
            long former = id();
            Jobs jobs = jobs(gate);
            jobs.add(WORK, "stuck");
            stuck.await();
            gate.isShut = true;
            jobs.close();
            gate.isShut = false;
            await("processes are another node", () -> id() > former);
            await("they go on", () -> call(processes) > 0);
            released.countDown();
            try (Jobs others = jobs(source())) {
                await(
                        "its row is gone",
                        () -> value("SELECT count(*) FROM howdah_internal.node WHERE id = " + former)
                                .equals("0"));
                await(
                        "the job has run",
                        () -> value("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL")
                                .equals("0"));
                awaitRan(others, "more");
                assertThat(ran).contains("stuck");
            }
        } finally {
            released.countDown();
        }
    }

    @Test // sessions end in a loop: the node comes back each time, with both
    void session_endedAgainAndAgain_theNodeStays() {
        DataSource one = source();
        try (Jobs jobs = jobs(one);
                Processes processes = processes(one)) {
            processes.init("calls", "a", null);
            long id = id();
            for (int i = 1; i <= 20; i++) {
                database.execute("SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.classid = 1215264874"
                        + " AND l.granted AND l.objsubid = 2 AND l.database = (SELECT oid FROM pg_database"
                        + " WHERE datname = current_database())");
                int times = i;
                await(
                        "it is back",
                        () -> Integer.parseInt(value("SELECT returned FROM howdah_internal.node")) >= times);
                assertThat(call(processes)).isEqualTo(i);
                awaitRan(jobs, "n" + i);
            }
            assertThat(id()).isEqualTo(id);
        }
    }

    @Test // a program with both has crashed: each feature is recovered by nodes of its own
    void crashOfANodeOfBoth_recoveredByNodesOfOneEach() {
        DataSource one = source();
        try (Processes processes = processes(one)) {
            processes.init("calls", "a", null);
        }
        jobs(one).close();
        database.execute("INSERT INTO howdah_internal.node (name, features) VALUES ('dead', '{job,process}');"
                + " UPDATE howdah_internal.process SET node = (SELECT max(id) FROM howdah_internal.node), turn = 7, taken = now(),"
                + " due_at = NULL;"
                + " INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads)"
                + " SELECT (SELECT max(id) FROM howdah_internal.node), (SELECT min(id) FROM howdah_internal.lane), true, false, 1, 101, 101,"
                + " '{101}', now(), 'work', ARRAY['\"left\"']::json[]");
        try (Jobs jobs = jobs(source())) {
            await("its job has run", () -> ran.contains("left"));
            await("the dead node is left to one for processes", () -> nodes().equals("process job"));
            assertThat(value("SELECT count(node) FROM howdah_internal.process")).isEqualTo("1");
            try (Processes processes = processes(source())) {
                assertThat(call(processes)).isEqualTo(1);
                await("its row is gone", () -> nodes().equals("job process"));
            }
            awaitRan(jobs, "more");
        }
    }

    @Test // they start and stop in many threads at the same time
    void features_startedAndStoppedAtOnce_shareNodesAndLeaveNone() {
        DataSource one = source();
        try (Processes first = processes(one)) {
            first.init("calls", "a", null);
        }
        for (int round = 0; round < 5; round++) {
            CompletableFuture<?> jobs = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 5; i++) jobs(one).close();
            });
            CompletableFuture<?> processes = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 5; i++) {
                    try (Processes each = processes(one)) {
                        assertThat(call(each)).isPositive();
                    }
                }
            });
            CompletableFuture.allOf(jobs, processes).join();
            assertThat(nodes()).isEqualTo("null");
        }
    }
}
