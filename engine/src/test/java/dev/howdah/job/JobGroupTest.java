package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Groups of jobs: limits of each of them, and what else can happen to their jobs. */
@PostgresTest
class JobGroupTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<String> OTHER = Kind.of("other", String.class);

    private final JobsDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();
    private final Semaphore go = new Semaphore(0);
    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> most = new ConcurrentHashMap<>();

    JobGroupTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void stop() {
        go.release(10_000);
        nodes.forEach(Jobs::close);
    }

    private Jobs start() {
        Jobs node = database.jobs()
                .concurrency(10)
                .handle(WORK, (group, job) -> run(group))
                .start();
        nodes.add(node);
        return node;
    }

    private void run(String group) throws InterruptedException {
        int now = running.computeIfAbsent(group, g -> new AtomicInteger()).incrementAndGet();
        most.computeIfAbsent(group, g -> new AtomicInteger()).accumulateAndGet(now, Math::max);
        try {
            go.acquire();
        } finally {
            running.get(group).decrementAndGet();
        }
    }

    private int most(String group) {
        return most.getOrDefault(group, new AtomicInteger()).get();
    }

    private void awaitRunning(String group, int jobs) {
        JobsDatabase.awaiting(jobs + " of " + group + " run")
                .until(() -> running.getOrDefault(group, new AtomicInteger()).get() == jobs);
    }

    private static List<NewJob<String>> jobs(String group, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> NewJob.of(WORK, group).group(group))
                .toList();
    }

    private void awaitDone(int jobs) {
        JobsDatabase.awaiting(jobs + " are done").until(() -> database.ended("d") == jobs);
    }

    @Test
    void limitOfEachGroup_holdsOverAllNodes_andOneGroupHasAnother() {
        database.execute("SELECT howdah.limit('default', 2, each_group => true),"
                + " howdah.limit('default', 4, group_name => 'big')");
        for (int i = 0; i < 3; i++) start();
        nodes.get(0).addAll(jobs("a", 20));
        nodes.get(1).addAll(jobs("big", 20));
        nodes.get(2).add(NewJob.of(WORK, "b").group("b"));
        awaitRunning("a", 2);
        awaitRunning("big", 4);
        awaitRunning("b", 1);
        go.release(20);
        awaitDone(20);
        go.release(21);
        awaitDone(41);
        assertThat(most("a")).isEqualTo(2);
        assertThat(most("big")).isEqualTo(4);
        assertThat(database.timesDone()).containsExactly("1");
    }

    @Test
    void jobsOfGroups_addedBySqlInEachWay_areInTheirGroups() {
        String group = "options => '{\"group\": \"g\"}'";
        database.execute("SELECT howdah.add('default', 'work', '\"g\"', " + group + ");"
                + " SELECT howdah.add('default', 'work', '\"g\"', key => 'k', " + group + ");"
                + " SELECT howdah.add_ordered('default', 'work', '\"g\"', 'o', " + group + ");"
                + " SELECT howdah.add_many('default', 'work', '{\"\\\"g\\\"\",\"\\\"g\\\"\"}'::text[], " + group + ");"
                + " SELECT howdah.add_many('default', 'work', '{\"\\\"g\\\"\"}'::text[], options => '[{\"group\": \"g\"}]');"
                + " SELECT howdah.add_keyed_many('default', 'work', '{\"\\\"g\\\"\"}'::text[], '{k2}', " + group + ");"
                + " SELECT howdah.limit('default', 3, group_name => 'g')");
        Jobs node = start();
        NewJob<String> job = NewJob.of(WORK, "g").group("g");
        node.add(job);
        node.add(job.key("k3"));
        node.add(job.orderKey("o"));
        node.addEach(List.of(job.key("k4"), job, job.orderKey("o2")));
        node.add(NewJob.of(WORK, "g" + " ".repeat(9_000)).group("g"));
        awaitRunning("g", 3);
        go.release(14);
        awaitDone(14);
        assertThat(most("g")).isEqualTo(3);
        assertThat(
                        database.rows(
                                "SELECT DISTINCT l.group_name, l.queue FROM howdah.taken t"
                                        + " JOIN howdah_internal.batch b ON b.id = t.batch JOIN howdah_internal.lane l ON l.id = b.lane"))
                .hasToString("[[g, default]]");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.lane WHERE group_name = 'g'"))
                .isEqualTo(1);
    }

    @Test
    void transactionThatAddsANewGroup_andStaysOpen_holdsUpNobody() throws Exception {
        Jobs node = start();
        try (Connection open = database.connect()) {
            open.setAutoCommit(false);
            node.add(open, NewJob.of(WORK, "a").group("a"));
            node.addAll(jobs("a", 2));
            database.execute("SELECT howdah.add('default', 'work', '\"a\"', options => '{\"group\": \"a\"}')");
            awaitRunning("a", 3);
            open.commit();
        }
        awaitRunning("a", 4);
        database.execute("SELECT howdah.limit('default', 1, each_group => true)");
        go.release(4);
        awaitDone(4);
        most.clear();
        node.addAll(jobs("a", 3));
        awaitRunning("a", 1);
        go.release(3);
        awaitDone(7);
        assertThat(most("a")).as("although the group has two lanes").isEqualTo(1);
    }

    @Test
    void job_thatIsRetried_cancelledOrMoved_staysInItsGroup() {
        AtomicInteger attempts = new AtomicInteger();
        Jobs node = database.jobs()
                .handle(WORK, (group, job) -> {
                    attempts.incrementAndGet();
                    if (group.equals("fatal")) throw new FatalException("no");
                    if (job.attempt() < 3) throw new IllegalStateException("again");
                })
                .defaultRetries((attempt, error) -> Optional.of(Duration.ofMillis(50)))
                .start();
        nodes.add(node);
        long retried = node.add(NewJob.of(WORK, "a").group("a")).id();
        long failed = node.add(NewJob.of(WORK, "fatal").group("a")).id();
        database.awaitLetters(retried, "rrd");
        JobsDatabase.awaiting("failed")
                .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == 1);
        assertThat(node.admin().retry(failed)).isTrue();
        JobsDatabase.awaiting("failed again")
                .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == 1);
        node.admin().pause("default");
        long waiting = node.add(NewJob.of(WORK, "a").group("a").maxAttempts(1)).id();
        long planned = node.add(NewJob.of(WORK, "a").group("a").delay(Duration.ofHours(1)))
                .id();
        assertThat(node.admin().cancel(waiting)).isEqualTo(CancelResult.CANCELLED);
        assertThat(node.admin().runNow(planned)).isTrue();
        node.admin().resume("default");
        database.awaitLetters(planned, "rrd");
        assertThat(database.rows("SELECT DISTINCT group_name FROM howdah_internal.lane WHERE id < 0"))
                .hasToString("[[a]]");
        assertThat(database.rows("SELECT queue, sum(done) FROM howdah.stats GROUP BY queue"))
                .hasToString("[[default, 2]]");
    }

    @Test
    void kindsThatANodeDoesNotHandle_goToTheGroupInTheirKindsLane() {
        start();
        nodes.get(0).add(NewJob.of(OTHER, "a").group("a"));
        nodes.get(0).addAll(jobs("a", 2));
        awaitRunning("a", 2);
        JobsDatabase.awaiting("the unknown job has moved")
                .until(() -> database.number(
                                "SELECT count(*) FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane"
                                        + " WHERE l.kind = 'other' AND l.group_name = 'a'")
                        == 1);
        nodes.add(database.jobs().handle(OTHER, (group, job) -> run("other")).start());
        awaitRunning("other", 1);
        database.execute("SELECT howdah.limit('default', 3, group_name => 'a')");
        nodes.get(1).add(NewJob.of(OTHER, "a").group("a"));
        go.release(4);
        awaitDone(4);
    }

    @Test // of 100 lanes of groups, one has a job, one a failed one, and one was used a moment ago
    void lanesOfGroups_thatNothingRefersTo_areRemoved() throws Exception {
        Jobs node = start();
        for (int i = 0; i < 100; i++) node.add(NewJob.of(WORK, "g").group("group " + i));
        go.release(100);
        awaitDone(100);
        node.admin().pause("default");
        node.add(NewJob.of(WORK, "g").group("group 7"));
        long failed = node.add(NewJob.of(WORK, "g").group("group 8")).id();
        node.admin().cancel(failed);
        database.execute("UPDATE howdah_internal.group_state SET idle = now() - interval '40 days'"
                + " WHERE lane <> (SELECT id FROM howdah_internal.lane WHERE group_name = 'group 9')");
        HistoryCleaner cleaner = new HistoryCleaner(ConnectionSource.of(database.dataSource()), 7, 30);
        try (Connection open = database.connect()) {
            open.setAutoCommit(false);
            // A transaction that has found the lane of a group, and adds to it later.
            node.add(open, NewJob.of(WORK, "g").group("group 5"));
            cleaner.tidy();
            cleaner.tidy();
            assertThat(database.number("SELECT count(*) FROM howdah_internal.lane WHERE retired IS NULL AND id < 0"))
                    .isEqualTo(3);
            assertThat(database.number("SELECT count(*) FROM howdah_internal.lane WHERE id < 0"))
                    .isEqualTo(100);
            open.commit();
        }
        node.add(NewJob.of(WORK, "g").group("group 6"));
        // Transactions of other tests on the server count as well.
        JobsDatabase.awaiting("all others are gone").until(() -> {
            cleaner.tidy();
            return database.rows("SELECT group_name FROM howdah_internal.lane WHERE id < 0 ORDER BY 1")
                    .toString()
                    .equals("[[group 5], [group 6], [group 7], [group 8], [group 9]]");
        });
        assertThat(database.number("SELECT count(*) FROM howdah_internal.group_state WHERE lane < 0"))
                .isLessThanOrEqualTo(5);
        node.admin().resume("default");
        go.release(3);
        awaitDone(103);
    }

    @Test
    void groups_thatAreNone_areRefused() {
        assertThatThrownBy(() -> NewJob.of(WORK, "a").group("")).hasMessageContaining("1 to 200 characters");
        assertThatThrownBy(() -> database.execute("SELECT howdah.add('q', 'k', '1', options => '{\"group\": 7}')"))
                .hasMessageContaining("the option group is 7: it has to be a text of 1 to 200 characters");
        assertThatThrownBy(() -> database.execute("SELECT howdah.add('q', 'k', '1', options => '{\"weight\": 0}')"))
                .hasMessageContaining("the option weight is 0: it has to be a whole number from 1 to 1000000");
        assertThatThrownBy(() -> database.execute("SELECT howdah.limit('q', 0, each_group => true)"))
                .hasMessageContaining("a limit of 0 for queue q: it has to be 1 or more");
        assertThatThrownBy(() -> database.execute("SELECT howdah.limit('q', 1, kind => 'k', group_name => 'g')"))
                .hasMessageContaining("a limit for the kind \"k\" and the group \"g\": it is for one of these");
        assertThatThrownBy(() -> database.execute("SELECT howdah.limit('q', 1, each_node => true, each_group => true)"))
                .hasMessageContaining("a limit of a group for each node: it is for all nodes together");
        assertThatThrownBy(() -> database.execute("SELECT howdah.share('q', 'g', 0)"))
                .hasMessageContaining("a share of 0 for the group \"g\": it has to be from 0.001 to 1000");
    }
}
