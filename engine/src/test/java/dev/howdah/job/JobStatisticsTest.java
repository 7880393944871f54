package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.StatisticsRollup;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How many and how long, by minute and hour. Errors by their text. */
@PostgresTest
@Tag("long")
class JobStatisticsTest {
    private static final Kind<Integer> EVEN = Kind.of("even", Integer.class);
    private static final Kind<Integer> WEAK = Kind.of("weak", Integer.class);
    private static final String TOTALS =
            "SELECT queue, kind, sum(done), sum(retried), sum(failed), sum(cancelled), sum(died),"
                    + " sum(run_total) > '0'::interval, bool_and(run_longest >= run_average OR done = 0)";

    private static final String OLDER = "UPDATE howdah_internal.stat_mark SET seen_at = seen_at - interval '1 min'";

    private static void run(StatisticsRollup summary, JobsDatabase jobs) throws SQLException {
        try (JobSession session = JobSession.open(ConnectionSource.of(jobs.dataSource()))) {
            summary.run(session);
        }
    }

    /** The history says what it says, whatever of it has been added up: before, in between and after. */
    @Test
    void stats_ofWhatRan_areTheSameBeforeAndAfterAddingUp(TestDatabase database) throws Exception {
        JobsDatabase jobs = JobsDatabase.in(database);
        CountDownLatch held = new CountDownLatch(1);
        try (Jobs node = jobs.jobs()
                .queues("default", "other")
                .handle(EVEN, (number, job) -> {
                    if (number < 0) held.await();
                })
                .defaultRetries(RetryPolicy.after(Duration.ZERO))
                .handle(WEAK, (number, job) -> {
                    throw new IllegalStateException("number " + number);
                })
                .start()) {
            node.add(NewJob.of(EVEN, -1).queue("other"));
            node.addAll(
                    IntStream.range(0, 1000).mapToObj(i -> NewJob.of(EVEN, i)).toList());
            node.addAll(
                    IntStream.range(0, 6).mapToObj(i -> NewJob.of(WEAK, i / 3)).toList());
            JobsDatabase.awaiting("all but one").until(() -> jobs.ended("df") == 1006);
            String now = jobs.rows(TOTALS + " FROM howdah.stats GROUP BY 1, 2 ORDER BY 1, 2")
                    .toString();
            assertThat(now)
                    .isEqualTo("[[default, even, 1000, 0, 0, 0, 0, t, t], [default, weak, 0, 6, 6, 0, 0, f, t]]");
            // As if half of it had been seen when the rest was still about to commit.
            StatisticsRollup summary = new StatisticsRollup(new JobMetrics(Metrics.none()));
            run(summary, jobs);
            jobs.execute("UPDATE howdah_internal.stat_mark SET seen_at = now() - interval '9 s', seen ="
                    + " (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM howdah_internal.batch)");
            run(summary, jobs);
            assertThat(jobs.number("SELECT count(*) FROM howdah_internal.stat"))
                    .as("young")
                    .isZero();
            jobs.execute(OLDER);
            run(summary, jobs);
            assertThat(jobs.number("SELECT sum(done + failed + retried) FROM howdah_internal.stat"))
                    .isBetween(1L, 1011L);
            jobs.execute(OLDER);
            run(summary, jobs);
            assertThat(jobs.rows("SELECT * FROM howdah_internal.stat_open"))
                    .as("what still runs")
                    .hasSize(1);
            assertThat(jobs.number("SELECT sum(done + failed) FROM howdah_internal.stat"))
                    .isPositive();
            held.countDown();
            JobsDatabase.awaiting("all").until(() -> jobs.ended("df") == 1007);
            String later = now.replace("]]", "], [other, even, 1, 0, 0, 0, 0, t, t]]");
            for (int i = 0; i < 3; i++) {
                assertThat(jobs.rows(TOTALS + " FROM howdah.stats GROUP BY 1, 2 ORDER BY 1, 2"))
                        .hasToString(later);
                assertThat(jobs.rows(TOTALS + " FROM howdah.stats_hourly GROUP BY 1, 2 ORDER BY 1, 2"))
                        .hasToString(later);
                jobs.execute(OLDER);
                run(summary, jobs);
            }
            assertThat(jobs.rows("SELECT * FROM howdah_internal.stat_open")).isEmpty();
            assertThat(jobs.number("SELECT sum(done) FROM howdah_internal.stat"))
                    .isEqualTo(1001);
        }
    }

    @Test
    void stat_whereNothingHasRun_isLeftAlone(TestDatabase database) throws Exception {
        JobsDatabase jobs = JobsDatabase.in(database);
        jobs.execute(OLDER);
        String before =
                jobs.rows("SELECT ctid, * FROM howdah_internal.stat_mark").toString();
        run(new StatisticsRollup(new JobMetrics(Metrics.none())), jobs);
        assertThat(jobs.rows("SELECT ctid, * FROM howdah_internal.stat_mark")).hasToString(before);
    }

    @Test
    void stat_olderThanTwoDays_isFoldedIntoHours_andTheSumStays(TestDatabase database) throws Exception {
        JobsDatabase jobs = JobsDatabase.in(database);
        jobs.execute("INSERT INTO howdah_internal.lane (queue) VALUES ('q')");
        jobs.execute(
                "INSERT INTO howdah_internal.stat SELECT date_trunc('hour', now()) - m * interval '1 min', 1, 'k', 1, 2, 3, 4, 5, 60, m"
                        + " FROM generate_series(0, 6 * 1440) m");
        String sums =
                "SELECT sum(done), sum(retried), sum(failed), sum(cancelled), sum(died), sum(run_total), max(run_longest)"
                        + " FROM howdah.stats_hourly";
        String before = jobs.rows(sums).toString();
        StatisticsRollup summary = new StatisticsRollup(new JobMetrics(Metrics.none()));
        for (int i = 0; i < 7 * 60; i++) run(summary, jobs);
        assertThat(jobs.number("SELECT count(*) FROM howdah_internal.stat"))
                .isBetween(2L * 1440 + 4 * 24, 2L * 1440 + 61 + 4 * 24 + 1);
        assertThat(jobs.rows(sums)).hasToString(before);
    }

    @Test
    void errors_areCountedByText_mostFrequentFirst(TestDatabase database) {
        JobsDatabase jobs = JobsDatabase.in(database);
        try (Jobs node = jobs.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ofDays(1)))
                .handle(WEAK, (number, job) -> {
                    if (number > 10) throw new FatalException("broken for good");
                    throw new IllegalStateException("number " + number);
                })
                .start()) {
            node.addAll(IntStream.range(0, 9)
                    .mapToObj(i -> NewJob.of(WEAK, i == 0 ? 0 : i < 4 ? 1 : 11))
                    .toList());
            JobsDatabase.awaiting("all").until(() -> jobs.ended("rf") == 9);
            assertThat(jobs.rows("SELECT state, queue, kind, error, jobs, latest >= earliest FROM howdah.errors"))
                    .hasToString(
                            "[[failed, default, weak, broken for good, 5, t], [retrying, default, weak, java.lang.IllegalStateException: number 1, 3, t],"
                                    + " [retrying, default, weak, java.lang.IllegalStateException: number 0, 1, t]]");
        }
    }
}
