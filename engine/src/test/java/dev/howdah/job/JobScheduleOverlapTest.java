package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Times of a schedule whose last job has not ended. */
@Tag("long")
@PostgresTest
class JobScheduleOverlapTest {
    private static final Kind<String> TICK = Kind.of("tick", String.class);
    /** No node takes from its queue: it waits. */
    private static final NewJob<String> WAITS = NewJob.of(TICK, "x").queue("q");
    /** All jobs that there ever were, by their ids. */
    private static final String IDS = "(SELECT id FROM howdah_internal.job UNION SELECT id FROM howdah_internal.ordered"
            + " UNION SELECT id FROM howdah_internal.failed UNION SELECT unnest(ids) FROM howdah_internal.batch) AS j";

    private final TestDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();
    private final Semaphore ends = new Semaphore(0);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger interrupted = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostRunning = new AtomicInteger();

    JobScheduleOverlapTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    @BeforeEach
    void install() {
        JobsDatabase.in(database);
    }

    /** Its handler runs until a permit lets it end. */
    private Jobs node() {
        Jobs node = Jobs.on(Sources.of(database))
                .handle(TICK, (name, job) -> {
                    begun.incrementAndGet();
                    mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
                    try {
                        ends.acquire();
                    } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                        throw e;
                    } finally {
                        running.decrementAndGet();
                    }
                })
                .start();
        nodes.add(node);
        return node;
    }

    @AfterEach
    void stop() {
        ends.release(1_000);
        nodes.forEach(Jobs::close);
    }

    private static Schedule everySecond(Schedule.Overlap overlap) {
        return Schedule.every("s", Duration.ofSeconds(1)).overlap(overlap);
    }

    private void awaitTrue(String sql) {
        Sources.awaitTrue(database, sql);
    }

    private void awaitSkipped(int times) {
        awaitTrue("SELECT skipped >= " + times + " FROM howdah.schedule");
    }

    private void assertJobs(int jobs) {
        assertThat(database.value("SELECT count(*) FROM " + IDS)).isEqualTo(Integer.toString(jobs));
    }

    @Test
    void skip_whileTheLastJobRuns_addsNone() {
        Jobs jobs = node();
        jobs.schedule(everySecond(Schedule.Overlap.SKIP), NewJob.of(TICK, "x"));
        awaitSkipped(2);
        assertJobs(1);
        ends.release();
        awaitTrue("SELECT count(*) = 2 FROM " + IDS);
        JobsDatabase.awaiting("the next job").until(() -> begun.get() == 2);
        assertThat(mostRunning).hasValue(1);
        Schedules.Entry entry = jobs.schedules().all().get(0);
        assertThat(entry.skipped()).isGreaterThanOrEqualTo(2);
        assertThat(String.valueOf(entry.lastJob())).isEqualTo(database.value("SELECT max(id) FROM " + IDS));
        assertThat(entry.schedule()).hasToString("s: every PT1S, missed ONCE, overlap SKIP, from " + from(entry));
    }

    private static String from(Schedules.Entry entry) {
        return entry.schedule() == null ? "" : String.valueOf(entry.schedule().from());
    }

    @Test
    void skip_whileTheLastJobWaits_addsNone() {
        Jobs jobs = node();
        jobs.schedule(everySecond(Schedule.Overlap.SKIP), WAITS);
        awaitSkipped(2);
        assertJobs(1);
        database.execute("SELECT howdah.cancel(last_job) FROM howdah.schedule");
        awaitTrue("SELECT count(*) = 2 FROM " + IDS);
    }

    @Test
    void skip_whileTheLastJobWaitsForARetry_addsNone() {
        Jobs jobs = Jobs.on(Sources.of(database))
                .defaultRetries(RetryPolicy.after(Duration.ofHours(1)))
                .handle(TICK, (name, job) -> {
                    if (job.attempt() == 1) throw new IllegalStateException("the first attempt fails");
                })
                .start();
        nodes.add(jobs);
        jobs.schedule(everySecond(Schedule.Overlap.SKIP), NewJob.of(TICK, "x"));
        awaitTrue("SELECT count(*) = 1 FROM howdah.jobs WHERE state = 'retrying'");
        String before = database.value("SELECT skipped + 2 FROM howdah.schedule");
        awaitSkipped(Integer.parseInt(String.valueOf(before)));
        assertJobs(1);
        database.execute("SELECT howdah.hurry(last_job) FROM howdah.schedule");
        awaitTrue("SELECT count(*) >= 2 FROM " + IDS);
    }

    @Test
    void queueOne_whileOneRuns_letsOneWait() {
        Jobs jobs = node();
        jobs.schedule(everySecond(Schedule.Overlap.QUEUE_ONE), NewJob.of(TICK, "x"));
        awaitTrue("SELECT count(*) = 1 FROM howdah.jobs WHERE state = 'running'");
        awaitSkipped(2);
        assertJobs(2);
        assertThat(begun).hasValue(1);
        assertThat(database.value("SELECT state FROM howdah.find((SELECT last_job FROM howdah.schedule))"))
                .isEqualTo("following");
        for (int i = 2; i <= 4; i++) {
            ends.release();
            int next = i;
            JobsDatabase.awaiting("job " + i).until(() -> begun.get() == next);
        }
        assertThat(mostRunning).hasValue(1);
        assertThat(interrupted).hasValue(0);
    }

    @Test
    void cancelOld_whileTheLastJobRuns_interruptsItAndAddsAnother() {
        Jobs jobs = node();
        jobs.schedule(everySecond(Schedule.Overlap.CANCEL_OLD), NewJob.of(TICK, "x"));
        JobsDatabase.awaiting("two jobs were interrupted").until(() -> interrupted.get() >= 2);
        awaitTrue("SELECT count(*) >= 2 FROM howdah_internal.failed WHERE state = 'cancelled'");
        assertThat(begun.get()).isGreaterThanOrEqualTo(interrupted.get());
        assertThat(jobs.schedules().all().get(0).skipped()).isZero();
    }

    @Test
    void cancelOld_whileTheLastJobWaits_cancelsIt() {
        Jobs jobs = node();
        jobs.schedule(everySecond(Schedule.Overlap.CANCEL_OLD), WAITS);
        awaitTrue("SELECT count(*) >= 2 FROM howdah_internal.failed WHERE error = 'cancelled before it began'");
        awaitTrue("SELECT count(*) = 1 FROM howdah_internal.job");
        assertThat(database.value(
                        "SELECT count(*) FROM howdah.schedule s JOIN howdah_internal.failed f ON f.id > s.last_job"))
                .isEqualTo("0");
    }

    @Test
    void allow_whileTheLastJobRuns_addsAnother() {
        Jobs jobs = node();
        jobs.schedule(everySecond(Schedule.Overlap.ALLOW), NewJob.of(TICK, "x"));
        JobsDatabase.awaiting("two jobs run at once").until(() -> mostRunning.get() >= 2);
        Schedules.Entry entry = jobs.schedules().all().get(0);
        assertThat(entry.skipped()).isZero();
        assertThat(entry.lastJob()).isNotNull();
    }

    @ParameterizedTest // of five missed times at ten to five past the hour
    @CsvSource({"ALLOW, 5, 0, 5", "SKIP, 1, 4, 1", "QUEUE_ONE, 1, 4, 1", "CANCEL_OLD, 1, 4, 5"})
    void overlap_ofSeveralMissedTimes_isThatOfEachInTurn(Schedule.Overlap overlap, int jobs, int skipped, int last) {
        try (Jobs none = Jobs.on(Sources.of(database)).start()) {
            none.schedule(
                    Schedule.every("s", Duration.ofHours(1))
                            .missed(Schedule.Missed.ALL)
                            .overlap(overlap),
                    NewJob.of(TICK, "s"));
        }
        database.execute("UPDATE howdah.schedule SET starts_at = now() - interval '4 h 30 min'");
        database.execute("UPDATE howdah.schedule SET next_at = starts_at");
        node();
        awaitTrue("SELECT next_at = starts_at + interval '5 h' FROM howdah.schedule");
        assertJobs(jobs);
        assertThat(database.query("SELECT skipped, last_at = starts_at + " + (last - 1)
                        + " * interval '1 h', last_job = (SELECT max(id) FROM " + IDS + ") FROM howdah.schedule"))
                .hasToString("[[" + skipped + ", t, t]]");
    }

    @ParameterizedTest
    @EnumSource(
            value = Schedule.Overlap.class,
            names = {"SKIP", "QUEUE_ONE"})
    void overlap_withSeveralNodes_neverRunsTwo(Schedule.Overlap overlap) {
        for (int i = 0; i < 3; i++) node();
        nodes.get(0).schedule(everySecond(overlap), NewJob.of(TICK, "x"));
        for (int i = 1; i <= 3; i++) {
            int next = i;
            JobsDatabase.awaiting("job " + i).until(() -> begun.get() == next);
            awaitTrue("SELECT skipped >= " + i + " FROM howdah.schedule");
            ends.release();
        }
        assertThat(mostRunning).hasValue(1);
    }

    @Test
    void schedule_withTheLongestName_queuesOneAsWell() {
        Jobs jobs = node();
        jobs.schedule(
                Schedule.every("\ud83d\ude00".repeat(200), Duration.ofSeconds(1))
                        .overlap(Schedule.Overlap.QUEUE_ONE),
                NewJob.of(TICK, "x"));
        awaitSkipped(1);
        JobsDatabase.awaiting("the first has begun").until(() -> begun.get() == 1);
        assertThat(jobs.schedules().all().get(0).error()).isNull();
    }

    @Test
    void overlap_fromSql_isStored_andRefusedWhereItIsNone() {
        String put = "SELECT howdah.schedule('s', 'q', 'k', cron => '@daily', overlap => ";
        for (Schedule.Overlap each : Schedule.Overlap.values()) {
            database.execute(put + "'" + each.word() + "')");
            assertThat(database.value("SELECT overlap FROM howdah.schedule")).isEqualTo(each.word());
        }
        database.execute("SELECT howdah.schedule('s', 'q', 'k', cron => '@daily')");
        assertThat(database.value("SELECT overlap FROM howdah.schedule")).isEqualTo("allow");
        database.execute(put + "NULL)");
        assertThat(database.value("SELECT overlap FROM howdah.schedule")).isEqualTo("allow");
        for (String wrong : List.of("queue", "SKIP"))
            assertThatThrownBy(() -> database.value(put + "'" + wrong + "')"))
                    .hasMessageContaining("schedule s: overlap is '" + wrong + "'")
                    .hasMessageContaining("allow, skip, queue_one or cancel_old");
    }
}
