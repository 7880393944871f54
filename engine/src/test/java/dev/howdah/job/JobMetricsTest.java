package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.spi.RecordedMetrics;
import dev.howdah.spi.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is counted, by queue and kind. */
@PostgresTest
class JobMetricsTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<String> MINE = Kind.of("mine", String.class);

    private final JobsDatabase database;
    private final RecordedMetrics metrics = new RecordedMetrics();
    private final Map<String, Double> figures = metrics.figures();

    JobMetricsTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private void await(String figure, double value) {
        JobsDatabase.awaiting(figure + " is " + value + ": " + figures)
                .until(() -> figures.getOrDefault(figure, 0.0) == value);
    }

    @Test
    void jobs_ofAllOutcomes_areCountedOnceEach() {
        try (Jobs jobs = database.jobs()
                .metrics(metrics)
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(1)))
                .handle(WORK, (payload, job) -> {
                    if (payload.equals("fatal")) throw new FatalException("no");
                    if (payload.equals("twice") && job.attempt() == 1) throw new IllegalStateException("once more");
                    if (payload.equals("slow")) Thread.sleep(300);
                    if (payload.equals("waits")) job.sleep("pause", Duration.ofHours(1));
                })
                .handleInTransaction(MINE, (payload, job, connection) -> {})
                .start()) {
            jobs.addAll(List.of(NewJob.of(WORK, "a"), NewJob.of(WORK, "b"), NewJob.of(WORK, "slow")));
            jobs.add(WORK, "fatal");
            jobs.add(WORK, "twice");
            jobs.add(WORK, "waits");
            jobs.add(NewJob.of(MINE, "x").key("k"));
            await("howdah_jobs_added_total{kind=work, queue=default}", 6);
            await("howdah_jobs_ended_total{kind=work, outcome=suspended, queue=default}", 1);
            await("howdah_job_waits_total{kind=work, queue=default, type=sleep}", 1);
            await("howdah_jobs_added_total{kind=mine, queue=default}", 1);
            await("howdah_jobs_ended_total{kind=work, outcome=done, queue=default}", 4);
            await("howdah_jobs_ended_total{kind=mine, outcome=done, queue=default}", 1);
            await("howdah_jobs_ended_total{kind=work, outcome=retried, queue=default}", 1);
            await("howdah_jobs_ended_total{kind=work, outcome=failed, queue=default}", 1);
            // What waits for too long is given back and taken again.
            JobsDatabase.awaiting("the jobs claimed are counted: " + figures)
                    .until(() -> figures.getOrDefault("howdah_jobs_claimed_total{kind=work, queue=default}", 0.0) >= 7);
            await("howdah_job_seconds{kind=work, queue=default}", 7);
            assertThat(figures.getOrDefault("howdah_job_seconds_time", 0.0)).isGreaterThan(0.29);
        }
    }

    /** A lease of ten jobs of a log queue. */
    private static ClaimedBatch lease(JobsDatabase database, PassiveNode node) throws SQLException {
        database.execute("SELECT howdah.queue('events', 'log');"
                + " SELECT howdah.add('events', 'work', '1') FROM generate_series(1, 10)");
        ClaimedBatch lease =
                node.store().claimLog(node.lane("events"), 10, false).batches().get(0);
        assertThat(lease.size()).isEqualTo(10);
        return lease;
    }

    private static void end(ClaimedBatch batch, int jobs, AttemptResult result) {
        for (int i = 0; i < jobs; i++) batch.end(batch.begin(), result, System.nanoTime(), System.nanoTime());
    }

    private void assertEnded(double done, double retried) {
        String ended = "howdah_jobs_ended_total{kind=work, outcome=%s, queue=events}";
        assertThat(figures.getOrDefault(ended.formatted("done"), 0.0)).isEqualTo(done);
        assertThat(figures.getOrDefault(ended.formatted("retried"), 0.0)).isEqualTo(retried);
    }

    @Test
    void leaseOfALogQueue_oneOfItsJobsFails_allAreCounted() throws SQLException {
        try (PassiveNode node = new PassiveNode(database, metrics)) {
            ClaimedBatch lease = lease(database, node);
            end(lease, 1, AttemptResult.retry(1_000_000, "again"));
            end(lease, 9, AttemptResult.DONE);
            assertThat(node.store().settle(lease)).isTrue();
            assertEnded(9, 1);
        }
    }

    @Test // those that go on are in a batch of their own then
    void leaseOfALogQueue_settledInParts_eachOfItsJobsIsCountedOnce() throws SQLException {
        try (PassiveNode node = new PassiveNode(database, metrics)) {
            ClaimedBatch lease = lease(database, node);
            end(lease, 1, AttemptResult.retry(1_000_000, "again"));
            end(lease, 5, AttemptResult.DONE);
            assertThat(node.store().settle(lease)).isTrue();
            assertEnded(5, 1);
            end(lease, 1, AttemptResult.retry(1_000_000, "again"));
            end(lease, 3, AttemptResult.DONE);
            assertThat(node.store().settle(lease)).isTrue();
            assertEnded(8, 2);
            assertThat(database.waiting()).isEqualTo(2);
        }
    }

    @Test // another node has recovered it
    void leaseOfALogQueue_thatIsNotTheNodesAnyMore_isNotCounted() throws SQLException {
        try (PassiveNode node = new PassiveNode(database, metrics);
                PassiveNode other = new PassiveNode(database)) {
            ClaimedBatch lease = lease(database, node);
            end(lease, 1, AttemptResult.retry(1_000_000, "again"));
            end(lease, 9, AttemptResult.DONE);
            assertThat(node.recoverBy(other)).isTrue();
            assertThat(node.store().settle(lease)).isFalse();
            node.store().endLog(List.of(lease));
            assertEnded(0, 0);
        }
    }

    @Test
    void suspendedJobs_areShown_byWhatTheyWaitFor() {
        try (ManualJobs manual = database.jobs()
                .handle(WORK, (payload, job) -> {
                    if (payload.equals("sleep")) job.sleep("pause", Duration.ofHours(1));
                    else job.await("answer", Void.class, Duration.ofHours(1));
                })
                .manual()) {
            manual.jobs().addAll(List.of(NewJob.of(WORK, "sleep"), NewJob.of(WORK, "a"), NewJob.of(WORK, "b")));
            manual.jobs().add(NewJob.of(WORK, "sleep").delay(Duration.ofHours(2)));
            manual.runDue();
        }
        try (Jobs jobs = database.jobs()
                .metrics(metrics)
                .handle(WORK, (payload, job) -> {})
                .start()) {
            await("howdah_jobs_suspended{kind=work, queue=default, type=signal}", 2);
            await("howdah_jobs_suspended{kind=work, queue=default, type=sleep}", 1);
        }
    }

    @Test
    void signals_areCounted_sentReadAndUnreadable() {
        try (Jobs jobs = database.jobs()
                .metrics(metrics)
                .handle(WORK, (payload, job) -> job.await("answer", Integer.class, Duration.ofHours(1)))
                .start()) {
            long id = jobs.add(WORK, "x");
            jobs.signal(id, "answer", "no number");
            jobs.signal(id, "other", 1);
            await("howdah_signals_read_total{kind=work, outcome=unreadable, queue=default}", 1);
            await("howdah_signals_unread{state=unread}", 1);
            await("howdah_signals_unread{state=unreadable}", 1);
            jobs.signal(id, "answer", 1);
            await("howdah_signals_read_total{kind=work, outcome=read, queue=default}", 1);
            await("howdah_jobs_ended_total{kind=work, outcome=done, queue=default}", 1);
            jobs.signal(id, "answer", 1);
            await("howdah_signals_sent_total{result=kept}", 3);
            await("howdah_signals_sent_total{result=ended}", 1);
        }
    }

    @Test // what waits is read from the database, whoever has added it
    void queue_withJobsThatWait_showsHowManyAndForHowLong() {
        database.execute("INSERT INTO howdah_internal.lane (queue) VALUES ('idle');"
                + "INSERT INTO howdah_internal.lane_priority SELECT id, p FROM howdah_internal.lane, (VALUES (0), (-5)) v (p) WHERE queue = 'idle';"
                + "INSERT INTO howdah_internal.job (lane, kind, priority, run_at) SELECT l.id, 'k', -5, now() - interval '1 hour'"
                + " FROM howdah_internal.lane l, generate_series(1, 3) WHERE l.queue = 'idle';"
                + "INSERT INTO howdah_internal.job (lane, kind, run_at) SELECT l.id, 'k', now() + interval '1 hour' FROM howdah_internal.lane l"
                + " WHERE l.queue = 'idle'");
        try (Jobs jobs = database.jobs()
                .metrics(metrics)
                .handle(WORK, (payload, job) -> {})
                .start()) {
            await("howdah_jobs_waiting{queue=idle}", 3);
            JobsDatabase.awaiting("the lag is shown")
                    .until(() -> figures.containsKey("howdah_jobs_lag_seconds{queue=idle}"));
            assertThat(figures.getOrDefault("howdah_jobs_lag_seconds{queue=idle}", 0.0))
                    .isBetween(3600.0, 4000.0);
            assertThat(jobs.node()).isPositive();
        }
    }
}
