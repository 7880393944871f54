package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The network between scheduler and server breaks. */
@Tag("long")
@PostgresTest
class NetworkFaultTest {
    /** What a call of close() may take at most; it promises 15 s. */
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(17);

    private final Scheduled tasks;
    private final TcpProxy network;
    private final Database through;

    NetworkFaultTest(TestDatabase database) {
        this.tasks = Scheduled.at(database.uri()).withWork();
        this.network = TcpProxy.to("127.0.0.1", database.server().port());
        this.through = Database.of(database.uri())
                .with("port", Integer.toString(network.port()))
                .with("connect_timeout", "2");
    }

    @AfterEach
    void close() {
        network.thaw();
        tasks.close();
        network.close();
    }

    private void load(int count) {
        tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(0.03, 2)', 'g' || n % 3, 2"
                + " FROM generate_series(1, " + count + ") n");
    }

    private void awaitRuns(long count) {
        Scheduled.awaiting(count + " runs").until(() -> tasks.number("SELECT count(*) FROM run") >= count);
    }

    @Test
    void network_cutUnderLoad_allTasksAreDone() {
        tasks.serve(through, 40);
        load(200);
        for (int i = 1; i <= 3; i++) {
            awaitRuns(i * 30);
            network.cut();
            tasks.awaitTold("active", i + 1);
        }
        tasks.assertAllDone(200);
    }

    /** The scheduler's own sessions, and one for tasks, stay. */
    @Test
    void network_ofTasksCut_theyRunAgainAndNeverTwiceAtOnce() {
        tasks.serve(through, 40);
        tasks.awaitAsleep();
        network.spareThese();
        tasks.execute("INSERT INTO task (input, \"group\") SELECT 'SELECT work(1.5)', 'g' || n % 6"
                + " FROM generate_series(1, 12) n");
        Scheduled.awaiting("six at work").until(() -> tasks.number(Scheduled.WORKING) == 6);
        List<@Nullable String> pids = tasks.list("SELECT pid FROM task WHERE state = 'WORK'");
        network.cutOthers();
        tasks.assertAllDone(12);
        assertThat(tasks.number("SELECT count(DISTINCT pid) FROM task WHERE pid IN ("
                        + String.join(", ", pids.stream().map(String::valueOf).toList()) + ")"))
                .as("sessions that were not cut")
                .isLessThanOrEqualTo(1);
        assertThat(tasks.number("SELECT count(*) FROM run")).isEqualTo(12);
        assertThat(tasks.times("active")).as("terms").isEqualTo(1);
    }

    @Test
    void network_refusedForAWhile_isWaitedForAndAllTasksAreDone() {
        tasks.serve(through, 40);
        load(100);
        awaitRuns(10);
        network.refuse();
        network.cut();
        tasks.awaitTold("waiting", 3);
        network.accept();
        tasks.assertAllDone(100);
    }

    @Test
    void network_frozenForAWhile_goesOnWhereItWas() {
        tasks.serve(through, 40);
        load(100);
        awaitRuns(10);
        network.freeze();
        Scheduled.awaiting("at rest")
                .until(() -> tasks.number(
                                "SELECT count(*) FROM pg_stat_activity"
                                        + " WHERE datname = current_database() AND application_name ~ '^pg_task ' AND state <> 'idle'")
                        == 0);
        long before = tasks.number("SELECT count(*) FROM run");
        await().during(Duration.ofSeconds(1))
                .atMost(Patience.LIMIT)
                .until(() -> tasks.number("SELECT count(*) FROM run") == before);
        network.thaw();
        tasks.assertAllDone(100);
        assertThat(tasks.number("SELECT count(*) FROM run")).isEqualTo(100);
        assertThat(tasks.times("active")).as("terms").isEqualTo(1);
    }

    @Test
    void network_frozenThenCut_allTasksAreDone() {
        tasks.serve(through, 40);
        load(100);
        awaitRuns(10);
        network.freeze();
        network.cut();
        network.thaw();
        tasks.assertAllDone(100);
    }

    @Test
    void close_withTasksAtFrozenServer_returnsWithinItsBound() {
        TaskScheduler scheduler = tasks.begin(through, 40);
        tasks.awaitTold("active", 1);
        long id = tasks.add("SELECT work(60)");
        tasks.awaitState(id, "WORK");
        tasks.awaitAsleep();
        network.freeze();
        long millis = millisToClose(scheduler);
        System.out.println("close with tasks at a frozen server: " + millis + " ms");
        network.cut();
        network.thaw();
        // Whoever comes next ends the session that was left behind.
        tasks.execute("UPDATE task SET input = 'SELECT work(0)' WHERE id = " + id);
        tasks.serve();
        tasks.assertAllDone(1);
    }

    @Test
    void close_duringElectionAtFrozenServer_returnsAtOnce() {
        tasks.serve();
        TaskScheduler second = tasks.begin(through, 40);
        tasks.awaitTold("standby", 1);
        network.freeze();
        assertThat(millisToClose(second)).isLessThan(5000);
    }

    private static long millisToClose(TaskScheduler scheduler) {
        long begun = System.nanoTime();
        scheduler.close();
        long millis = (System.nanoTime() - begun) / 1_000_000;
        assertThat(millis).isLessThan(CLOSE_BOUND.toMillis());
        return millis;
    }
}
