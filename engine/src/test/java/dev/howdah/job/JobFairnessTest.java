package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Turns of groups, and jobs that rise in priority while they wait. */
@PostgresTest
@Tag("long")
class JobFairnessTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    private final JobsDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();
    private final Queue<String> begun = new ConcurrentLinkedQueue<>();

    JobFairnessTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void stop() {
        nodes.forEach(Jobs::close);
    }

    private Jobs start(int concurrency) {
        Jobs node = database.jobs()
                .concurrency(concurrency)
                .handle(WORK, (name, job) -> begun.add(name))
                .start();
        nodes.add(node);
        return node;
    }

    private Jobs adder() {
        Jobs adder = database.jobs().start();
        nodes.add(adder);
        return adder;
    }

    private static List<NewJob<String>> jobs(String group, int count) {
        NewJob<String> job = NewJob.of(WORK, group);
        return IntStream.range(0, count)
                .mapToObj(i -> group.isEmpty() ? job : job.group(group))
                .toList();
    }

    private List<String> awaitBegun(int jobs) {
        JobsDatabase.awaiting(jobs + " have begun").until(() -> begun.size() >= jobs);
        return begun.stream().limit(jobs).toList();
    }

    private static long count(List<String> names, String name) {
        return names.stream().filter(name::equals).count();
    }

    @Test
    void jobsOfOneGroup_withManyOfAnotherAhead_waitForAFew() {
        Jobs adder = adder();
        adder.addAll(jobs("big", 5_000));
        adder.addAll(jobs("small", 10));
        start(4);
        List<String> first = awaitBegun(60);
        // Every second job is one of theirs, but for what a claim took at once.
        assertThat(first.lastIndexOf("small")).isLessThan(30);
        assertThat(count(first, "small")).isEqualTo(10);
    }

    @Test
    void groups_haveEqualShares_orThoseThatWereSaid() {
        Jobs adder = adder();
        database.execute("SELECT howdah.share('default', 'half', 0.5), howdah.share('default', 'four', 4)");
        for (String group : List.of("one", "half", "four", "")) adder.addAll(jobs(group, 1_000));
        start(3);
        List<String> first = awaitBegun(650);
        // One, half, four, and one for those without a group: 6.5 in all.
        assertThat(count(first, "one")).isBetween(90L, 110L);
        assertThat(count(first, "")).isBetween(90L, 110L);
        assertThat(count(first, "half")).isBetween(40L, 60L);
        assertThat(count(first, "four")).isBetween(385L, 415L);
    }

    @Test
    void weight_countsForTheTurns() {
        Jobs adder = adder();
        adder.addAll(jobs("light", 500));
        adder.addAll(jobs("heavy", 500).stream().map(job -> job.weight(5)).toList());
        start(2);
        List<String> first = awaitBegun(120);
        assertThat(count(first, "heavy")).isBetween(14L, 28L);
    }

    @Test
    void groupThatWasIdle_isServedFirst_forABoundedNumberOfJobs() {
        Jobs adder = adder();
        adder.addAll(jobs("busy", 300));
        CountDownLatch go = new CountDownLatch(1);
        Jobs node = database.jobs()
                .concurrency(1)
                .handle(WORK, (name, job) -> {
                    begun.add(name);
                    if (begun.size() == 100) go.await();
                })
                .start();
        nodes.add(node);
        try {
            awaitBegun(100);
            node.admin().pause("default");
            adder.addAll(jobs("new", 100));
        } finally {
            go.countDown();
        }
        JobsDatabase.awaiting("the node holds no job")
                .until(() -> database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL") == 0);
        int before = begun.size();
        node.admin().resume("default");
        List<String> then = awaitBegun(before + 60).subList(before, before + 60);
        assertThat(count(then.subList(2, 10), "new")).isGreaterThanOrEqualTo(7);
        assertThat(count(then, "new")).isBetween(30L, 40L);
    }

    @Test
    void jobsThatWait_riseInPriority_upToTheBound() {
        database.execute("SELECT howdah.age('default', '10 s', 3)");
        Jobs adder = adder();
        adder.addAll(List.of(
                NewJob.of(WORK, "low, long ago").priority(2),
                NewJob.of(WORK, "lowest, long ago").priority(4),
                NewJob.of(WORK, "now").priority(0),
                NewJob.of(WORK, "low, now").priority(2)));
        database.execute(
                "UPDATE howdah_internal.job SET run_at = run_at - interval '100 s' WHERE payload::text LIKE '%ago%'");
        start(1);
        assertThat(awaitBegun(4)).containsExactly("low, long ago", "now", "lowest, long ago", "low, now");
    }

    @Test
    void sharesAndAgeings_thatAreNone_areRefused() {
        for (String[] each : new String[][] {
            {"share('q', 'g', -1)", "a share of -1 for the group \"g\": it has to be from 0.001 to 1000"},
            {"share('q', '', 1)", "the name of a group has 1 to 200 characters"},
            {"age('q', '0.5 s')", "a time of 00:00:00.5 for the ageing of queue q: it has to be from 1 s to 366 days"},
            {"age('q', '1 min', 0)", "an ageing by 0 for queue q: it has to be from 1 to 200"},
        })
            assertThatThrownBy(() -> database.execute("SELECT howdah." + each[0]))
                    .hasMessageContaining(each[1]);
    }
}
