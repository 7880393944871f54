package dev.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Schedules in a test's own time. */
@PostgresTest
class TestSchedulesTest {
    private static final Kind<String> REPORT = Kind.of("report", String.class);
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private final DataSource source;
    private final List<Instant> ran = new ArrayList<>();
    private final List<TestJobs> open = new ArrayList<>();

    TestSchedulesTest(TestDatabase database) {
        PGSimpleDataSource direct = new PGSimpleDataSource();
        direct.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        source = database.dataSource(direct);
    }

    private JobsBuilder builder() {
        return Jobs.on(source)
                .defaultRetries(RetryPolicy.linear(Duration.ofMinutes(25), 3))
                .handle(REPORT, (text, job) -> {
                    ran.add(open.get(0).now());
                    if (text.equals("slow") && job.attempt() == 1) throw new IllegalStateException("not yet");
                });
    }

    private TestJobs jobs() {
        TestJobs jobs = TestJobs.of(source, builder());
        open.add(jobs);
        return jobs;
    }

    @Test
    void runFor_cron_runsEachDayAtItsTime() {
        try (TestJobs jobs = jobs()) {
            // To noon: a change of the clocks within the ten days adds no time of the schedule and leaves none out.
            ZonedDateTime now = jobs.now().atZone(BERLIN);
            jobs.advance(Duration.between(now, now.plusDays(1).with(LocalTime.NOON)));
            jobs.jobs().schedule(Schedule.cron("daily", "30 9 * * *").zone("Europe/Berlin"), NewJob.of(REPORT, "day"));
            Instant began = jobs.now();
            assertThat(jobs.runFor(Duration.ofDays(10))).isEqualTo(10);
            assertThat(Duration.between(began.plus(Duration.ofDays(10)), jobs.now()))
                    .isBetween(Duration.ZERO, Duration.ofMinutes(5));
            // A test that takes seconds runs in real time as well.
            assertThat(ran)
                    .hasSize(10)
                    .allSatisfy(
                            each -> assertThat(LocalTime.ofInstant(each, BERLIN).truncatedTo(ChronoUnit.MINUTES))
                                    .isEqualTo("09:30"));
        }
    }

    @Tag("long")
    @Test
    void runFor_period_runsEachTime() {
        try (TestJobs jobs = jobs()) {
            jobs.advance(Duration.ofMinutes(90));
            jobs.jobs().schedule(Schedule.every("hourly", Duration.ofHours(1)), NewJob.of(REPORT, "hour"));
            assertThat(jobs.runFor(Duration.ofMinutes(59))).isZero();
            assertThat(jobs.runFor(Duration.ofMinutes(2))).isEqualTo(1);
            assertThat(jobs.runFor(Duration.ofHours(24))).isEqualTo(24);
            assertThat(jobs.runDue()).isZero();
        }
    }

    @Test
    void runFor_overlap_doesAsThePolicySays() {
        try (TestJobs jobs = jobs()) {
            Schedule often = Schedule.every("often", Duration.ofMinutes(10));
            jobs.jobs().schedule(often.overlap(Schedule.Overlap.SKIP), NewJob.of(REPORT, "slow"));
            // At 10 the first, which waits for its retry at 35: no other at 20 and 30, one at 40.
            assertThat(jobs.runFor(Duration.ofMinutes(45))).isEqualTo(3);
        }
    }

    @Tag("long")
    @Test
    void runFor_jitter_movesEachWithinIt() {
        try (TestJobs jobs = jobs()) {
            Instant began = jobs.now();
            jobs.jobs()
                    .schedule(
                            Schedule.every("spread", Duration.ofHours(1)).jitter(Duration.ofMinutes(30)),
                            NewJob.of(REPORT, "hour"));
            assertThat(jobs.runFor(Duration.ofMinutes(24 * 60 + 45))).isEqualTo(24);
            List<Long> minutes = ran.stream()
                    .map(each -> Duration.between(began, each).toMinutes() % 60)
                    .toList();
            assertThat(minutes).allSatisfy(each -> assertThat(each).isBetween(0L, 31L));
            assertThat(minutes.stream().distinct().count()).isGreaterThan(3);
        }
    }

    @Test
    void advance_longerThanASchedule_leavesItToWhatIsMissed() {
        try (TestJobs jobs = jobs()) {
            Schedule hourly = Schedule.every("hourly", Duration.ofHours(1));
            jobs.jobs().schedule(hourly.missed(Schedule.Missed.ALL), NewJob.of(REPORT, "hour"));
            jobs.advance(Duration.ofMinutes(9 * 60 + 30));
            assertThat(jobs.runDue()).isEqualTo(9);
            jobs.jobs().schedule(hourly.missed(Schedule.Missed.ONCE), NewJob.of(REPORT, "hour"));
            jobs.runDue();
            jobs.advance(Duration.ofHours(9));
            assertThat(jobs.runDue()).isEqualTo(1);
            jobs.jobs()
                    .schedule(
                            hourly.missed(Schedule.Missed.ALL).catchUp(Duration.ofHours(3)), NewJob.of(REPORT, "hour"));
            jobs.runDue();
            jobs.advance(Duration.ofMinutes(9 * 60 + 30));
            assertThat(jobs.runDue()).isEqualTo(3);
            jobs.jobs().schedules().remove("hourly");
            jobs.advance(Duration.ofDays(1));
            assertThat(jobs.runDue()).isZero();
        }
    }
}
