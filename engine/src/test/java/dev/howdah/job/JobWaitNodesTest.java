package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.Signal;
import dev.howdah.job.wait.SignalResult;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Handlers that wait on nodes which stop, crash or lose their sessions. */
@PostgresTest
@Tag("long")
class JobWaitNodesTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();

    JobWaitNodesTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private Jobs node(Handler<String> handler) {
        return database.jobs()
                .handle(WORK, handler, options -> options.retries(RetryPolicy.after(Duration.ZERO)))
                .start();
    }

    private static JobSummary find(Jobs jobs, long id) {
        return jobs.admin().find(id).orElseThrow();
    }

    private static void awaitState(Jobs jobs, long id, JobState state) {
        JobsDatabase.awaiting("job " + id + " is " + state)
                .until(() -> find(jobs, id).state() == state);
    }

    /** Nodes do not know that the clock was moved. */
    private void pass(Duration time) {
        JobWaitClock.pass(database, time);
        database.execute("SELECT howdah_internal.ring(lane) FROM howdah_internal.job");
    }

    private long fresh() {
        return database.number("SELECT (SELECT count(*) FROM howdah_internal.job_signal WHERE fresh)"
                + " + (SELECT count(*) FROM howdah_internal.job_record WHERE fresh)");
    }

    @Test // close interrupts it, and the job goes back as it was
    void sleepInTheThread_doesNotHoldUpClose_andIsNoAttempt() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        List<Integer> attempts = new ArrayList<>();
        Handler<String> handler = (text, job) -> {
            attempts.add(job.attempt());
            began.countDown();
            job.sleep("short", Duration.ofMillis(1_900));
            ran.add(text);
        };
        long id;
        try (Jobs jobs = database.jobs()
                .handle(WORK, handler)
                .shutdownTimeout(Duration.ZERO)
                .start()) {
            id = jobs.add(WORK, "x");
            assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(ran).isEmpty();
        assertThat(database.text("SELECT state || ' ' || attempt FROM howdah.jobs WHERE id = " + id))
                .isEqualTo("waiting 0");
        try (Jobs jobs = node(handler)) {
            awaitState(jobs, id, JobState.DONE);
        }
        assertThat(ran).containsExactly("x");
        assertThat(attempts).containsExactly(1, 1);
    }

    @Test
    void manySleepingJobs_doNotHoldUpClose_andRunWhenTheirTimeHasCome() {
        int count = 1_000;
        Handler<String> handler = (text, job) -> {
            job.sleep("day", Duration.ofDays(1));
            job.step("a", Void.class, () -> {
                ran.add(text);
                return null;
            });
        };
        try (Jobs jobs = node(handler)) {
            jobs.addAll(IntStream.range(0, count)
                    .mapToObj(i -> NewJob.of(WORK, "" + i))
                    .toList());
            JobsDatabase.awaiting("all sleep")
                    .until(() -> jobs.admin().count(JobQuery.in(JobState.SUSPENDED)) == count);
        }
        assertThat(ran).isEmpty();
        try (Jobs jobs = node(handler)) {
            assertThat(jobs.admin().count(JobQuery.in(JobState.SUSPENDED))).isEqualTo(count);
            pass(Duration.ofDays(1));
            JobsDatabase.awaiting("all are done: " + ran.size()).until(() -> ran.size() >= count);
        }
        assertThat(ran).hasSize(count).doesNotHaveDuplicates();
    }

    @Test // between the suspension and the look for signals
    void signal_ofANodeThatDiedBeforeItLooked_isFoundByAnother() {
        Handler<String> handler =
                (text, job) -> ran.add("" + job.await("ok", Integer.class, HOUR).map(Signal::payload));
        long id;
        try (ManualJobs manual = database.jobs().handle(WORK, handler).manual()) {
            id = manual.jobs().add(WORK, "x");
            manual.runDue();
        }
        // As the statement of the suspension has left the record.
        database.execute("INSERT INTO howdah_internal.job_signal (job, name, payload, sender) VALUES (" + id
                + ", 'ok', '7', 'x'); UPDATE howdah_internal.job_record SET fresh = true");
        try (Jobs jobs = node(handler)) {
            awaitState(jobs, id, JobState.DONE);
        }
        assertThat(ran).containsExactly("Optional[7]");
        assertThat(fresh()).isZero();
    }

    @Test // the look of two seconds
    void signal_whileNoNodeListens_isFoundAllTheSame() {
        try (Jobs jobs = node(
                (text, job) -> ran.add("" + job.await("ok", Integer.class, HOUR).map(Signal::payload)))) {
            long id = jobs.add(WORK, "x");
            awaitState(jobs, id, JobState.SUSPENDED);
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND pid <> pg_backend_pid() AND query LIKE '%LISTEN%'");
            database.execute("INSERT INTO howdah_internal.job_signal (job, name, payload, sender) VALUES (" + id
                    + ", 'ok', '7', 'x')");
            awaitState(jobs, id, JobState.DONE);
        }
        assertThat(ran).containsExactly("Optional[7]");
    }

    @Test
    void signal_atTheEndOfTheTime_isReadOrUnread_andNeverBoth() {
        int count = 200;
        List<Long> ids;
        try (Jobs jobs = node((text, job) -> ran.add(job.id() + " "
                + job.await("ok", Integer.class, Duration.ofMillis(2_500)).isPresent()))) {
            ids = jobs.addAll(IntStream.range(0, count)
                    .mapToObj(i -> NewJob.of(WORK, "" + i))
                    .toList());
            JobsDatabase.awaiting("all wait, or have waited")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.job_record") == count);
            Instant end = Instant.parse(database.text(
                            "SELECT to_json(max(until) AT TIME ZONE 'UTC') #>> '{}' FROM howdah_internal.job_record")
                    + "Z");
            List<Long> kept = new ArrayList<>();
            for (long id : ids) {
                // The last ones meet their ends.
                if (ids.indexOf(id) == count / 2)
                    JobsDatabase.awaiting("the time is almost over")
                            .until(() -> Instant.now().isAfter(end.minusMillis(20)));
                if (jobs.signal(id, "ok", 1) == SignalResult.KEPT) kept.add(id);
            }
            JobsDatabase.awaiting("all are done").until(() -> ran.size() == count);
            for (long id : ids) {
                awaitState(jobs, id, JobState.DONE);
                boolean read = ran.contains(id + " true");
                assertThat(database.number("SELECT count(*) FROM howdah_internal.job_signal WHERE job = " + id
                                + " AND read IS NOT NULL"))
                        .isEqualTo(read ? 1 : 0);
                assertThat(database.number("SELECT count(*) FROM howdah_internal.job_signal WHERE job = " + id))
                        .isEqualTo(kept.contains(id) ? 1 : 0);
            }
        }
        assertThat(ran).hasSize(count);
    }

    @Test
    void cancel_atTheEndOfASleep_winsOrComesTooLate() {
        int count = 100;
        try (Jobs jobs = node((text, job) -> {
            job.sleep("x", Duration.ofMillis(2_100));
            ran.add("" + job.id());
        })) {
            List<Long> ids = jobs.addAll(IntStream.range(0, count)
                    .mapToObj(i -> NewJob.of(WORK, "" + i))
                    .toList());
            JobsDatabase.awaiting("the first ends").until(() -> !ran.isEmpty());
            List<Long> cancelled = new ArrayList<>();
            for (long id : ids) if (jobs.admin().cancel(id) == CancelResult.CANCELLED) cancelled.add(id);
            JobsDatabase.awaiting("all have ended")
                    .until(() -> ids.stream().allMatch(id -> find(jobs, id).ended() != null));
            for (long id : cancelled) {
                assertThat(find(jobs, id).state()).isEqualTo(JobState.CANCELLED);
                assertThat(ran).doesNotContain("" + id);
            }
        }
    }

    @Test
    void timeout_isOfOneRun() {
        AtomicInteger runs = new AtomicInteger();
        try (Jobs jobs = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            runs.incrementAndGet();
                            job.sleep("x", Duration.ofMillis(2_500));
                            if (job.attempt() == 1) new CountDownLatch(1).await();
                        },
                        options -> options.timeout(Duration.ofSeconds(1)).retries(RetryPolicy.after(Duration.ZERO)))
                .start()) {
            long id = jobs.add(WORK, "x");
            awaitState(jobs, id, JobState.DONE);
            assertThat(database.text("SELECT string_agg(outcome, ' ') FROM howdah.attempts(" + id + ")"))
                    .isEqualTo("suspended retried done");
        }
        assertThat(runs).hasValue(3);
    }

    @Test // of a rate each run takes one
    void rate_countsEachRun() {
        try (Jobs jobs = node((text, job) -> {
            for (int i = 0; i < 3; i++) {
                ran.add("" + i);
                job.sleep("x", HOUR);
            }
        })) {
            database.execute("SELECT howdah.rate_limit('default', 4, interval '1 day')");
            long id = jobs.add(WORK, "x");
            for (int i = 0; i < 3; i++) {
                int runs = (i + 1) * (i + 2) / 2;
                JobsDatabase.awaiting("it waits")
                        .until(() -> ran.size() == runs && find(jobs, id).state() == JobState.SUSPENDED);
                pass(HOUR);
            }
            awaitState(jobs, id, JobState.DONE);
            long other = jobs.add(WORK, "y");
            JobsDatabase.awaiting("the rate is used up")
                    .until(() -> jobs.admin().why(other).stream()
                            .anyMatch(cause -> cause.code().equals("rate")));
        }
    }

    @Test // each turn has its own time, and none begins anew with a restart
    void wait_inALoop_beatsAtItsTimes() {
        AtomicInteger runs = new AtomicInteger();
        Duration five = Duration.ofMinutes(5);
        Handler<String> handler = (text, job) -> {
            runs.incrementAndGet();
            for (int i = 1; i <= 3; i++) {
                assertThat(job.await("wake", Void.class, five)).isEmpty();
                int beat = i;
                job.step("beat " + i, Void.class, () -> {
                    ran.add("" + beat);
                    return null;
                });
            }
        };
        long id;
        try (ManualJobs manual = database.jobs().handle(WORK, handler).manual()) {
            id = manual.jobs().add(WORK, "x");
            manual.runDue();
            JobWaitClock.pass(database, five);
            manual.runDue();
            assertThat(ran).containsExactly("1");
            JobWaitClock.pass(database, Duration.ofMinutes(2));
        }
        try (ManualJobs manual = database.jobs().handle(WORK, handler).manual()) {
            manual.runDue();
            JobWaitClock.pass(database, Duration.ofMinutes(3));
            manual.runDue();
            assertThat(ran).containsExactly("1", "2");
            JobWaitClock.pass(database, five);
            manual.runDue();
            assertThat(find(manual.jobs(), id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("1", "2", "3");
        assertThat(runs).hasValue(4);
    }

    private String state(long id) {
        return database.text("SELECT state || ' ' || coalesce(error, '') FROM howdah.find(" + id + ")");
    }

    @Test // deaths of nodes count by stretch
    void node_thatDiesOnceInEachStretch_letsTheJobEnd() {
        database.execute("CREATE TABLE released (n int)");
        long id;
        try (Jobs producer = database.jobs().start()) {
            id = producer.add(JobProcess.STRETCHES, "x");
        }
        for (int i = 0; i < 5; i++) {
            try (JobProcess node = JobProcess.started(database.uri(), 1)) {
                node.awaitSaid("stretch " + i + " of 1");
                node.kill();
                node.awaitGone();
            }
            database.execute("INSERT INTO released VALUES (" + i + ")");
            try (JobProcess node = JobProcess.started(database.uri(), 1)) {
                String ended = i < 4 ? "suspended" : "done";
                JobsDatabase.awaiting("job " + id + " is " + ended)
                        .until(() -> state(id).startsWith(ended));
            }
            pass(HOUR);
        }
        assertThat(database.text("SELECT state FROM howdah.find(" + id + ")")).isEqualTo("done");
    }

    @Test
    void nodes_thatDieThreeTimesInOneStretch_failTheJob() {
        database.execute("CREATE TABLE released (n int)");
        long id;
        try (Jobs producer = database.jobs().start()) {
            id = producer.add(JobProcess.STRETCHES, "x");
        }
        for (int i = 0; i < 3; i++) {
            try (JobProcess node = JobProcess.started(database.uri(), 1)) {
                node.awaitSaid("stretch 0 of " + (i + 1));
                node.kill();
                node.awaitGone();
            }
        }
        try (Jobs other = database.jobs().handle(WORK, (text, job) -> {}).start()) {
            JobsDatabase.awaiting("job " + id + " has failed: " + state(id))
                    .until(() -> state(id).startsWith("failed"));
        }
        assertThat(state(id)).contains("has died, 3 times in all");
    }
}
