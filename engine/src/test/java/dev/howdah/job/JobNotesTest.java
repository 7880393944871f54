package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobLogLine;
import dev.howdah.job.query.JobProgress;
import dev.howdah.job.query.JobState;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What handlers say of their jobs: progress and lines, seen while they run and afterwards. */
@PostgresTest
class JobNotesTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final TestDatabase database;

    JobNotesTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    private JobsBuilder builder() {
        return Jobs.on(JobsDatabase.dataSource(database));
    }

    private static double done(Jobs jobs, long id) {
        return jobs.admin().progress(id).map(JobProgress::done).orElse(-1.0);
    }

    @Test
    void progress_whileItRuns_isSeenByOthers() {
        CountDownLatch half = new CountDownLatch(1);
        try (Jobs program = builder().start();
                Jobs node = builder()
                        .handle(WORK, (n, job) -> {
                            for (int page = 1; page <= 50; page++) job.progress(page / 100.0, "page " + page);
                            job.log("half of it is done");
                            half.await(60, TimeUnit.SECONDS);
                            job.progress(1, null);
                            job.log("done\0");
                        })
                        .start()) {
            long id = program.add(WORK, 1);
            awaiting("half is done").until(() -> done(program, id) == 0.5);
            assertThat(program.admin().progress(id).orElseThrow().message()).isEqualTo("page 50");
            awaiting("a line").until(() -> program.admin().log(id, 10).size() == 1);
            assertThat(program.admin().find(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
            half.countDown();
            awaiting("all is done")
                    .until(() -> done(program, id) == 1
                            && program.admin().log(id, 10).size() == 2);
            assertThat(program.admin().log(id, 10))
                    .extracting(JobLogLine::line)
                    .containsExactly("half of it is done", "done ");
            assertThat(program.admin().log(id, 1)).extracting(JobLogLine::line).containsExactly("done ");
            assertThat(program.admin().log(id, 1).get(0).attempt()).isEqualTo(1);
            assertThat(program.admin().progress(id + 1)).isEmpty();
            assertThat(node.node()).isPositive();
        }
    }

    /** What is said last is written although the node closes at once. */
    @Test
    void notes_nodeCloses_areWritten() throws Exception {
        CountDownLatch said = new CountDownLatch(1);
        try (Jobs program = builder().start()) {
            long id;
            try (Jobs node = builder()
                    .handle(WORK, (n, job) -> {
                        said.countDown();
                        job.progress(0.25, "x".repeat(500));
                        for (int i = 0; i < 2_000; i++) job.log("line " + i + " " + "y".repeat(2_000));
                    })
                    .start()) {
                assertThat(node.node()).isPositive();
                id = program.add(WORK, 1);
                said.await(60, TimeUnit.SECONDS);
            }
            assertThat(done(program, id)).isEqualTo(0.25);
            assertThat(program.admin().progress(id).orElseThrow().message()).hasSize(200);
            List<JobLogLine> lines = program.admin().log(id, 100_000);
            assertThat(lines).hasSize(1_000);
            assertThat(lines).extracting(JobLogLine::line).contains("further lines are left out");
            assertThat(lines).allSatisfy(each -> assertThat(each.line()).hasSizeLessThanOrEqualTo(1_000));
        }
    }

    @Test
    void progress_ofAnEarlierAttempt_isNotWrittenOverALaterOne() {
        try (Jobs jobs = builder().start()) {
            database.execute("INSERT INTO howdah.progress VALUES (7, 100, now(), 0.9, 'later')");
            try (ManualJobs manual = builder()
                    .handle(WORK, (n, job) -> job.progress(0.1, "this one"))
                    .manual()) {
                long id = jobs.add(WORK, 1);
                database.execute("UPDATE howdah.progress SET job = " + id + ", token = " + Long.MAX_VALUE);
                assertThat(manual.runDue()).isEqualTo(1);
                assertThat(done(jobs, id)).isEqualTo(0.9);
                long other = jobs.add(WORK, 1);
                assertThat(manual.runDue()).isEqualTo(1);
                assertThat(done(jobs, other)).isEqualTo(0.1);
            }
        }
    }

    @Test
    void progress_outOfBounds_isRefused() {
        List<String> refused = new CopyOnWriteArrayList<>();
        try (Jobs jobs = builder().start();
                ManualJobs manual = builder()
                        .handle(WORK, (n, job) -> {
                            for (double each : new double[] {-0.1, 1.1, Double.NaN})
                                try {
                                    job.progress(each, null);
                                } catch (IllegalArgumentException e) {
                                    refused.add(e.getMessage());
                                }
                        })
                        .manual()) {
            jobs.add(WORK, 1);
            manual.runDue();
            assertThat(refused)
                    .containsExactly(
                            "a progress of -0.1: it has to be from 0 to 1",
                            "a progress of 1.1: it has to be from 0 to 1",
                            "a progress of NaN: it has to be from 0 to 1");
            assertThatThrownBy(() -> jobs.admin().log(1, 0)).hasMessage("0 lines: it has to be 1 to 100000");
        }
    }

    @Test
    void isLastAttempt_byTheJobAndByThePolicy_isSoInTheLast() {
        List<Boolean> last = new CopyOnWriteArrayList<>();
        try (Jobs jobs = builder().start();
                ManualJobs manual = builder()
                        .handle(
                                WORK,
                                (n, job) -> {
                                    last.add(job.isLastAttempt());
                                    throw new IllegalStateException("no luck");
                                },
                                options -> options.retries(RetryPolicy.after(Duration.ZERO, Duration.ZERO)))
                        .manual()) {
            jobs.add(WORK, 1);
            assertThat(manual.runDue()).isEqualTo(3);
            assertThat(last).containsExactly(false, false, true);
            last.clear();
            jobs.add(NewJob.of(WORK, 1).maxAttempts(2));
            assertThat(manual.runDue()).isEqualTo(2);
            assertThat(last).containsExactly(false, true);
        }
    }

    @Test
    void notes_olderThanTheHistory_areRemoved() throws Exception {
        try (Jobs jobs =
                builder().retention(Duration.ofDays(2), Duration.ofDays(30)).start()) {
            database.execute(
                    "INSERT INTO howdah.log SELECT 1, now() - i * interval '1 day', 1, 'line'"
                            + " FROM generate_series(0, 4) i;"
                            + " INSERT INTO howdah.progress SELECT i, 1, now() - i * interval '1 day', 1 FROM generate_series(0, 4) i");
            new dev.howdah.job.internal.maintain.HistoryCleaner(
                            dev.howdah.internal.connection.ConnectionSource.of(JobsDatabase.dataSource(database)),
                            2,
                            30)
                    .tidy();
            assertThat(database.value("SELECT count(*) FROM howdah.log")).isEqualTo("2");
            assertThat(database.value("SELECT count(*) FROM howdah.progress")).isEqualTo("2");
            assertThat(jobs.node()).isZero();
        }
    }
}
