package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rates: so many jobs begin within a period at most, on all nodes together. */
@Tag("long")
@PostgresTest
class JobRateTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<String> OTHER = Kind.of("other", String.class);

    /** The begin of a job, in nanoseconds of this program. */
    private record Begin(long at, String kind, String name, int weight) {}

    private final JobsDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();
    private final Queue<Begin> begins = new ConcurrentLinkedQueue<>();

    JobRateTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void stop() {
        nodes.forEach(Jobs::close);
    }

    private Jobs start() {
        Jobs node = database.jobs()
                .concurrency(4)
                .handle(WORK, (name, job) -> begins.add(new Begin(System.nanoTime(), "work", name, weight(name))))
                .handle(OTHER, (name, job) -> begins.add(new Begin(System.nanoTime(), "other", name, weight(name))))
                .start();
        nodes.add(node);
        return node;
    }

    /** A name such as "a*3" is that of a job of the group a with the weight 3. */
    private static int weight(String name) {
        int star = name.indexOf('*');
        return star < 0 ? 1 : Integer.parseInt(name.substring(star + 1));
    }

    private static NewJob<String> job(Kind<String> kind, String name) {
        NewJob<String> job = NewJob.of(kind, name).weight(weight(name));
        String group = name.replaceAll("\\*.*", "");
        return group.isEmpty() ? job : job.group(group);
    }

    private static List<NewJob<String>> jobs(Kind<String> kind, String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> job(kind, name)).toList();
    }

    private void awaitBegun(int jobs) {
        JobsDatabase.awaiting(jobs + " have begun").until(() -> begins.size() >= jobs);
    }

    /** The largest weight of jobs that have begun within the period. */
    private int most(Duration period, Predicate<Begin> which) {
        List<Begin> all = begins.stream()
                .filter(which)
                .sorted((a, b) -> Long.compare(a.at(), b.at()))
                .toList();
        int most = 0;
        int sum = 0;
        int first = 0;
        for (Begin each : all) {
            sum += each.weight();
            while (each.at() - all.get(first).at() >= period.toNanos())
                sum -= all.get(first++).weight();
            most = Math.max(most, sum);
        }
        return most;
    }

    @Test
    void rateOfAQueue_holdsInEveryWindow_overAllNodes() {
        database.execute("SELECT howdah.rate_limit('default', 20, '500 ms')");
        for (int i = 0; i < 3; i++) start();
        nodes.get(0).addAll(jobs(WORK, "", 70));
        awaitBegun(70);
        assertThat(most(Duration.ofMillis(500), each -> true)).isLessThanOrEqualTo(20);
        assertThat(most(Duration.ofSeconds(5), each -> true)).isGreaterThan(20);
        database.awaitEmpty();
        assertThat(database.timesDone()).containsExactly("1");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.rate_use"))
                .isEqualTo(1);
    }

    @Test
    void jobsThatNodesCrashedWith_waitForEachOther_beginInTimeOrGoBack() {
        database.execute("SELECT howdah.rate_limit('default', 4, '4 s')");
        Semaphore go = new Semaphore(0);
        try (Jobs client = database.jobs().start()) {
            client.addAll(jobs(WORK, "", 8));
        }
        database.execute("UPDATE howdah_internal.job SET deaths = 2");
        nodes.add(database.jobs()
                .handle(WORK, (name, job) -> {
                    begins.add(new Begin(System.nanoTime(), "work", name, 1));
                    go.acquire();
                })
                .start());
        awaitBegun(1);
        // They run one after the other. The moment of a claim is the last one at which one of its jobs may begin.
        JobsDatabase.awaiting("the others are too late")
                .until(() -> database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL") > 1
                        && database.number(
                                        "SELECT count(*) FROM howdah_internal.rate_use u"
                                                + " WHERE u.moments[cardinality(u.moments)] + 0.01 < extract(epoch FROM clock_timestamp())")
                                == 1);
        go.release(8);
        JobsDatabase.awaiting("all are done").atMost(Patience.LIMIT).until(() -> database.ended("d") == 8);
        assertThat(database.ended("g")).isPositive();
        assertThat(most(Duration.ofSeconds(4), each -> true)).isLessThanOrEqualTo(4);
    }

    @Test
    void burst_boundsHowManyBeginAtOnce() {
        database.execute("SELECT howdah.rate_limit('default', 40, '1 s', burst => 3)");
        for (int i = 0; i < 2; i++) start();
        nodes.get(0).addAll(jobs(WORK, "", 30));
        awaitBegun(30);
        assertThat(most(Duration.ofSeconds(1), each -> true)).isLessThanOrEqualTo(40);
        // In a fifth of the period a fifth of the rate, and the burst; and what begins a fortieth later. The clock is
        // that of the
        // claims: on a busy machine handlers that may begin one after the other begin at once.
        assertThat(database.number("SELECT max(n) FROM (SELECT sum(jobs) OVER (ORDER BY taken"
                        + " RANGE BETWEEN '200 ms' PRECEDING AND CURRENT ROW) AS n FROM howdah_internal.batch) w"))
                .isLessThanOrEqualTo(3 + 8 + 1);
    }

    @Test
    void periodShorterThanAClaimTakes_jobsBegin() {
        // A fortieth of it, half a millisecond, is over before any claim is answered.
        database.execute("SELECT howdah.rate_limit('default', 3, '20 ms')");
        for (int i = 0; i < 2; i++) start();
        nodes.get(0).addAll(jobs(WORK, "", 20));
        awaitBegun(20);
        assertThat(most(Duration.ofMillis(20), each -> true)).isLessThanOrEqualTo(3);
        database.awaitEmpty();
        assertThat(database.timesDone()).containsExactly("1");
    }

    @Test
    void tenLimitsOfOneJob_holdTogether() {
        database.execute("SELECT howdah.rate_limit('default', 12, '300 ms'),"
                + " howdah.rate_limit('default', 30, '1 s'), howdah.rate_limit('default', 1000, '1 h'),"
                + " howdah.rate_limit('default', 6, '200 ms', kind => 'work'),"
                + " howdah.rate_limit('default', 500, '1 min', kind => 'work'),"
                + " howdah.rate_limit('default', 4, '300 ms', each_group => true),"
                + " howdah.rate_limit('default', 5, '400 ms', group_name => 'a'),"
                + " howdah.limit('default', 5), howdah.limit('default', 4, kind => 'work'),"
                + " howdah.limit('default', 2, each_group => true)");
        for (int i = 0; i < 3; i++) start();
        for (String group : List.of("a", "b", "c")) nodes.get(0).addAll(jobs(WORK, group, 8));
        nodes.get(0).addAll(jobs(OTHER, "d", 8));
        awaitBegun(32);
        assertThat(most(Duration.ofMillis(300), each -> true)).isLessThanOrEqualTo(12);
        assertThat(most(Duration.ofSeconds(1), each -> true)).isLessThanOrEqualTo(30);
        assertThat(most(Duration.ofMillis(200), each -> each.kind().equals("work")))
                .isLessThanOrEqualTo(6);
        for (String group : List.of("b", "c", "d"))
            assertThat(most(Duration.ofMillis(300), each -> each.name().equals(group)))
                    .isLessThanOrEqualTo(4);
        assertThat(most(Duration.ofMillis(400), each -> each.name().equals("a")))
                .isLessThanOrEqualTo(5);
        database.awaitEmpty();
        assertThat(database.timesDone()).containsExactly("1");
    }

    @Test
    void weights_countForTheRate_andHeavyJobsAreNotPassedBy() {
        database.execute("SELECT howdah.rate_limit('default', 10, '400 ms')");
        for (int i = 0; i < 2; i++) start();
        List<NewJob<String>> jobs = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            jobs.add(job(WORK, "*3"));
            jobs.add(job(WORK, "*9"));
            jobs.add(job(WORK, ""));
        }
        nodes.get(0).addAll(jobs);
        awaitBegun(15);
        assertThat(most(Duration.ofMillis(400), each -> true)).isLessThanOrEqualTo(10);
        List<String> order = begins.stream().map(Begin::name).toList();
        assertThat(order.subList(0, 2)).contains("*3");
        assertThat(order.lastIndexOf("*9")).isGreaterThan(10);
    }

    @Test
    void rateThatIsUsedUp_andIsRaised_goesOn_andLowered_holds() {
        database.execute("SELECT howdah.rate_limit('default', 3, '1 h')");
        Jobs node = start();
        node.addAll(jobs(WORK, "", 20));
        awaitBegun(3);
        database.execute("SELECT howdah.rate_limit('default', 8, '1 h')");
        awaitBegun(8);
        assertThat(begins).hasSize(8);
        database.execute("SELECT howdah.rate_limit('default', 1, '1 h'), howdah.rate_limit('default', 2, '1 min')");
        database.execute("SELECT howdah.rate_limit('default', NULL, '1 h')");
        awaitBegun(10);
        assertThat(begins).hasSize(10);
        database.execute("SELECT howdah.rate_limit('default', NULL, NULL)");
        awaitBegun(20);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.rate_use"))
                .isZero();
    }

    @Test
    void jobHeavierThanTheRate_isRefused_andFailsIfTheRateWasLowered() {
        Jobs node = database.jobs().start();
        nodes.add(node);
        long heavy = node.add(job(WORK, "*5")).id();
        long inGroup = node.add(job(WORK, "a*4")).id();
        database.execute(
                "SELECT howdah.rate_limit('default', 4, '1 s'), howdah.rate_limit('default', 3, '1 s', each_group => true)");
        assertThatThrownBy(() -> node.add(job(WORK, "*5")))
                .hasMessageContaining("a weight of 5 for queue \"default\": a rate of it allows 4 at once");
        assertThatThrownBy(
                        () -> database.execute(
                                "SELECT howdah.add('default', 'work', '1', key => 'k', options => '{\"weight\": 4, \"group\": \"a\"}')"))
                .hasMessageContaining("a weight of 4 for queue \"default\": a rate of it allows 3 at once");
        node.addAll(jobs(WORK, "", 3));
        node.add(job(WORK, "a"));
        start();
        awaitBegun(4);
        database.awaitFailed(heavy);
        database.awaitFailed(inGroup);
        assertThat(database.failed(heavy, "f.error"))
                .isEqualTo("its weight of 5 is above the rate, which allows 4 at once");
    }

    @Test
    void rates_thatAreNone_areRefused() {
        for (String[] each : new String[][] {
            {"'q', 0, '1 s'", "a rate of 0 for queue q: it has to be from 1 to 1000000"},
            {"'q', -1, '1 s'", "a rate of -1 for queue q"},
            {"'q', 1, '0'", "a period of 00:00:00 for the rate of queue q: it has to be from 10 ms to 366 days"},
            {"'q', 1, NULL", "a period of NULL for the rate of queue q"},
            {"'q', 5, '1 s', burst => 6", "a burst of 6 for queue q: it has to be from 1 to the rate, which is 5"},
            {"'', 5, '1 s'", "the name of a queue has 1 to 200 characters"},
            {"'q', 5, '1 s', kind => 'k', each_group => true", "a rate for the kind \"k\" and each group"},
        })
            assertThatThrownBy(() -> database.execute("SELECT howdah.rate_limit(" + each[0] + ")"))
                    .hasMessageContaining(each[1]);
        assertThatThrownBy(() -> NewJob.of(WORK, "").weight(0))
                .hasMessage("a weight of 0: it has to be from 1 to 1000000");
    }

    @Test
    void nodesThatWaitForARate_askTheDatabaseRarely() {
        String database = this.database.text("SELECT current_database()");
        this.database.execute("ALTER DATABASE \"" + database + "\" SET track_functions = 'all'");
        this.database.execute("SELECT howdah.rate_limit('default', 1, '1 h')");
        for (int i = 0; i < 2; i++) start();
        nodes.get(0).addAll(jobs(WORK, "", 500));
        awaitBegun(1);
        long fewest = Long.MAX_VALUE;
        // Nodes may be on their way to sleep.
        for (int i = 0; i < 5 && fewest > 8; i++) {
            long before = claims();
            this.database.execute("SELECT pg_sleep(2)");
            fewest = Math.min(fewest, claims() - before);
        }
        assertThat(fewest).as("claims of two nodes in two seconds").isLessThanOrEqualTo(2 * 2 * 2);
        assertThat(begins).hasSize(1);
    }

    private long claims() {
        return database.number(
                "SELECT COALESCE(sum(calls), 0)::bigint FROM pg_stat_user_functions WHERE funcname = 'claim_within'");
    }
}
