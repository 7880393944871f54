package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.FailedJob;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.unique.Unique;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TransactionBridge;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Handlers that sleep without a thread. */
@PostgresTest
class JobSleepTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final RetryPolicy AT_ONCE = RetryPolicy.after(Duration.ZERO, Duration.ZERO);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();

    JobSleepTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual(Handler<String> handler) {
        return manual(handler, options -> options.retries(AT_ONCE));
    }

    private ManualJobs manual(Handler<String> handler, Consumer<HandlerOptions> options) {
        return database.jobs().handle(WORK, handler, options).manual();
    }

    private void step(Job job, String name) throws Exception {
        job.step(name, Void.class, () -> {
            ran.add(name);
            return null;
        });
    }

    /** Time passes. */
    private void pass(Duration time) {
        JobWaitClock.pass(database, time);
    }

    private static JobSummary find(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow();
    }

    @Test
    void sleep_endsOnce_atTheTimeThatTheFirstRunHasFixed() {
        AtomicInteger runs = new AtomicInteger();
        List<Integer> attempts = new ArrayList<>();
        Duration[] length = {Duration.ofHours(72)};
        Handler<String> handler = (text, job) -> {
            runs.incrementAndGet();
            attempts.add(job.attempt());
            step(job, "a");
            job.sleep("cool", length[0]);
            step(job, "b");
        };
        long id;
        try (ManualJobs manual = manual(handler)) {
            id = manual.jobs().add(WORK, "x");
            Instant added = Instant.parse(
                    database.text("SELECT to_json(clock_timestamp()) #>> '{}'").replaceAll("\\+00:00$", "Z"));
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            assertThat(find(manual, id).runAt()).isCloseTo(added.plus(length[0]), within(2, ChronoUnit.SECONDS));
            pass(Duration.ofHours(24));
        }
        length[0] = HOUR;
        try (ManualJobs manual = manual(handler)) {
            manual.runDue();
            pass(Duration.ofHours(47).plusMinutes(59));
            manual.runDue();
            assertThat(runs).hasValue(1);
            pass(Duration.ofMinutes(1));
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(runs).hasValue(2);
        assertThat(attempts).containsExactly(1, 1);
        assertThat(ran).containsExactly("a", "b");
        assertThat(database.text("SELECT string_agg(outcome, ' ') FROM howdah.attempts(" + id + ")"))
                .isEqualTo("suspended done");
    }

    @Test // ends of time, and those that are over when they are asked for
    void sleep_zeroOrPast_returnsAtOnce_andIsRecorded() {
        AtomicInteger runs = new AtomicInteger();
        try (ManualJobs manual = manual((text, job) -> {
            runs.incrementAndGet();
            job.sleep("none", Duration.ZERO);
            job.sleep("less", Duration.ofHours(-1));
            job.sleepUntil("past", Instant.now().minus(HOUR));
            step(job, "a");
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(runs).hasValue(1);
        assertThat(database.text("SELECT string_agg(name, ' ' ORDER BY number) FROM howdah_internal.job_record"))
                .isEqualTo("none less past");
    }

    @Test
    void sleep_short_isSpentInTheThreadOnce() {
        AtomicInteger runs = new AtomicInteger();
        List<Long> nanos = new ArrayList<>();
        try (ManualJobs manual = manual((text, job) -> {
            long began = System.nanoTime();
            for (int i = 0; i < 3; i++) {
                job.sleep("pause", Duration.ofMillis(300));
                step(job, "step " + i);
            }
            nanos.add(System.nanoTime() - began);
            job.step("last", Void.class, () -> {
                if (runs.incrementAndGet() < 3) throw new IllegalStateException("not yet");
                return null;
            });
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("step 0", "step 1", "step 2");
        assertThat(nanos.get(0)).isGreaterThan(Duration.ofMillis(900).toNanos());
        assertThat(nanos.get(1)).isLessThan(nanos.get(0));
        assertThat(nanos).hasSize(3);
    }

    @Test
    void sleepUntil_isAbsolute_andASpreadIsFixedOnce() {
        Instant end = Instant.now().plus(HOUR).truncatedTo(ChronoUnit.MILLIS);
        try (ManualJobs manual = manual((text, job) -> {
            if (text.equals("until")) job.sleepUntil("x", end);
            else job.sleep("x", HOUR, Duration.ofHours(10));
            ran.add(text);
        })) {
            long until = manual.jobs().add(WORK, "until");
            List<Long> spread =
                    manual.jobs().addAll(List.of(NewJob.of(WORK, "a"), NewJob.of(WORK, "b"), NewJob.of(WORK, "c")));
            manual.runDue();
            assertThat(find(manual, until).runAt()).isEqualTo(end);
            assertThat(spread).extracting(id -> find(manual, id).runAt()).doesNotHaveDuplicates();
            pass(Duration.ofHours(11));
            manual.runDue();
            assertThat(ran).containsExactlyInAnyOrder("until", "a", "b", "c");
        }
    }

    @Test // a clock that goes back behind a passed sleep changes nothing; before that it suspends the job again
    void sleep_passed_staysPassedOnceSomethingIsRecordedBehindIt() {
        AtomicInteger runs = new AtomicInteger();
        try (ManualJobs manual = manual((text, job) -> {
            int run = runs.incrementAndGet();
            job.sleep("x", HOUR);
            if (run == 2) {
                pass(Duration.ofMinutes(-30));
                throw new IllegalStateException("before a step");
            }
            step(job, "b");
            job.step("c", Void.class, () -> {
                ran.add("c");
                if (run == 4) {
                    pass(Duration.ofHours(-2));
                    throw new IllegalStateException("behind a step");
                }
                return null;
            });
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            pass(HOUR);
            manual.runDue();
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            assertThat(runs).hasValue(3);
            assertThat(Duration.between(Instant.now(), find(manual, id).runAt()))
                    .isCloseTo(Duration.ofMinutes(30), Duration.ofMinutes(1));
            pass(Duration.ofMinutes(31));
            manual.runDue();
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(runs).hasValue(5);
        assertThat(ran).containsExactly("b", "c", "c");
    }

    @Test
    void handler_thatCatchesEverything_isSuspendedAllTheSame() {
        AtomicInteger caught = new AtomicInteger();
        try (ManualJobs manual = manual((text, job) -> {
            try {
                step(job, "a");
                job.sleep("x", HOUR);
            } catch (Throwable e) {
                caught.incrementAndGet();
                assertThat(job.suspending()).isTrue();
                step(job, "refund");
            } finally {
                step(job, "release");
            }
            step(job, "ship");
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            pass(HOUR);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(caught).hasValue(1);
        assertThat(ran).containsExactly("a", "release", "ship");
    }

    @Test
    void interceptor_seesAnAnswer_andNoFailure() {
        List<Outcome> seen = new CopyOnWriteArrayList<>();
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        List<FailedJob> failed = new CopyOnWriteArrayList<>();
        try (ManualJobs manual = database.jobs()
                .handle(WORK, (text, job) -> {
                    for (int i = 0; i < 3; i++) job.sleep("x", HOUR);
                })
                .intercept((payload, job, next) -> {
                    try {
                        Outcome outcome = next.proceed();
                        seen.add(outcome);
                        return outcome;
                    } catch (Throwable e) {
                        thrown.add(e);
                        throw e;
                    }
                })
                .onFailure(failed::add)
                .manual()) {
            manual.jobs().add(WORK, "x");
            for (int i = 0; i < 4; i++) {
                manual.runDue();
                pass(HOUR);
            }
        }
        assertThat(seen)
                .containsExactly(
                        Outcome.Suspended.SUSPENDED,
                        Outcome.Suspended.SUSPENDED,
                        Outcome.Suspended.SUSPENDED,
                        Outcome.done());
        assertThat(thrown).isEmpty();
        assertThat(failed).isEmpty();
    }

    @Test
    void wait_whereItCannotBe_isRefusedBeforeAnythingIsWritten() {
        Kind<String> own = Kind.of("own", String.class);
        List<String> refused = new CopyOnWriteArrayList<>();
        Handler<String> inStep = (text, job) -> {
            if (text.equals("step"))
                job.step("outer", Void.class, () -> {
                    job.sleep("inner", HOUR);
                    return null;
                });
            else
                try {
                    CompletableFuture.runAsync(() -> job.sleep("inner", HOUR)).get();
                } catch (ExecutionException e) {
                    throw new IllegalStateException(String.valueOf(e.getCause()));
                }
        };
        try (ManualJobs manual = database.jobs()
                .handle(WORK, inStep, options -> options.retries(RetryPolicy.never()))
                .handleInTransaction(own, (text, job, connection) -> {
                    try {
                        job.sleep("x", HOUR);
                    } catch (IllegalStateException e) {
                        refused.add(e.getMessage());
                    }
                })
                .manual()) {
            long step = manual.jobs().add(WORK, "step");
            long thread = manual.jobs().add(WORK, "thread");
            manual.jobs().add(own, "x");
            manual.runDue();
            assertThat(find(manual, step).error()).contains("sleep \"inner\" while step \"outer\" runs");
            assertThat(find(manual, thread).error())
                    .contains("\"" + Thread.currentThread().getName() + "\"");
        }
        assertThat(refused).singleElement().asString().contains("runs in the job's own transaction");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_record"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_step"))
                .isZero();
    }

    /** A transaction that a framework has begun in the thread of the handler. */
    private static final class Framework implements TransactionBridge {
        private boolean active;

        @Override
        public boolean isActive() {
            return active;
        }

        @Override
        public <T extends @Nullable Object> T join(Work<T> work) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T extends @Nullable Object> T begin(Work<T> work) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void wait_inATransactionOfItsThread_isRefused() {
        Framework framework = new Framework();
        try (ManualJobs manual = database.jobs()
                .transactions(framework)
                .handle(
                        WORK,
                        (text, job) -> {
                            framework.active = true;
                            try {
                                job.sleep("x", HOUR);
                            } finally {
                                framework.active = false;
                            }
                        },
                        options -> options.retries(RetryPolicy.never()))
                .manual()) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(find(manual, id).error()).contains("in a transaction of its thread", "wait outside of it");
        }
    }

    @Test
    void attempts_countByStretch() {
        AtomicInteger runs = new AtomicInteger();
        try (ManualJobs manual = manual((text, job) -> {
            for (int i = 0; i < 10; i++) {
                int stretch = i;
                job.step("step " + i, Void.class, () -> {
                    if (runs.incrementAndGet() % 3 != 0) throw new IllegalStateException("flaky " + stretch);
                    return null;
                });
                if (i < 9) job.sleep("x", HOUR);
            }
        })) {
            long id = manual.jobs().add(WORK, "x");
            for (int i = 0; i < 10; i++) {
                manual.runDue();
                pass(HOUR);
            }
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
            assertThat(database.text("SELECT string_agg(outcome, ' ') FROM howdah.attempts(" + id + ")"))
                    .isEqualTo("retried retried suspended ".repeat(9) + "retried retried done");
            assertThat(runs).hasValue(30);
        }
    }

    @Test
    void operators_seeAndChangeWhatIsSuspended() {
        try (ManualJobs manual = manual((text, job) -> {
            job.sleep("cool down", HOUR);
            ran.add(text);
        })) {
            JobAdmin admin = manual.jobs().admin();
            List<Long> ids = manual.jobs()
                    .addAll(List.of(
                            NewJob.of(WORK, "hurried"),
                            NewJob.of(WORK, "cancelled"),
                            NewJob.of(WORK, "moved"),
                            NewJob.of(WORK, "planned").delay(HOUR)));
            manual.runDue();
            assertThat(admin.list(JobQuery.in(JobState.SUSPENDED)).jobs()).hasSize(3);
            assertThat(admin.list(JobQuery.in(JobState.PLANNED)).jobs()).hasSize(1);
            assertThat(admin.counts().of(JobState.SUSPENDED)).isEqualTo(3);
            assertThat(admin.counts().of(JobState.PLANNED)).isEqualTo(1);
            assertThat(admin.why(ids.get(0)).get(0))
                    .satisfies(cause -> assertThat(cause.code()).isEqualTo("sleeps"))
                    .satisfies(
                            cause -> assertThat(cause.sentence()).contains("it waits for sleep \"cool down\" until"));
            assertThat(database.text("SELECT howdah.cancel(" + ids.get(1) + ")"))
                    .isEqualTo("cancelled");
            assertThat(find(manual, ids.get(1)).error()).contains("while it waited for sleep \"cool down\"");
            assertThat(admin.moveAll(JobQuery.in(JobState.SUSPENDED), "other")).isEqualTo(2);
            assertThat(admin.moveAll(JobQuery.in(JobState.SUSPENDED), NewJob.DEFAULT_QUEUE))
                    .isEqualTo(2);
            // A job that sleeps is none that waits for a retry, also in its second attempt.
            database.execute("UPDATE howdah_internal.job SET attempt = 1 WHERE id = " + ids.get(0));
            assertThat(database.number("SELECT howdah.hurry('default')")).isZero();
            assertThat(database.text("SELECT howdah.hurry(" + ids.get(0) + ")")).isEqualTo("t");
            manual.runDue();
            assertThat(ran).containsExactly("hurried");
            pass(HOUR);
            manual.runDue();
            assertThat(ran).contains("moved").doesNotContain("cancelled");
        }
    }

    @Test // an add with the key of a job that has begun to wait does not change it, and runs behind it
    void key_ofASuspendedJob_isThatOfARunningOne() {
        AtomicInteger runs = new AtomicInteger();
        try (ManualJobs manual = manual((text, job) -> {
            runs.incrementAndGet();
            step(job, "a of " + text);
            job.sleep("x", HOUR);
            ran.add(text);
        })) {
            Jobs jobs = manual.jobs();
            long first = jobs.add(NewJob.of(WORK, "1").key("k")).id();
            manual.runDue();
            assertThat(jobs.add(NewJob.of(WORK, "2").key("k")).added()).isFalse();
            AddResult newer = jobs.add(NewJob.of(WORK, "3").key("k").version(Instant.now()));
            assertThat(newer.added()).isTrue();
            assertThat(newer.id()).isNotEqualTo(first);
            long replaced = jobs.add(
                            NewJob.of(WORK, "4").unique(Unique.byKey("replaced").replacing()))
                    .id();
            manual.runDue();
            AddResult replacing = jobs.add(
                    NewJob.of(WORK, "5").unique(Unique.byKey("replaced").replacing()));
            assertThat(replacing.id()).isNotEqualTo(replaced);
            assertThat(find(manual, replacing.id()).state()).isEqualTo(JobState.FOLLOWING);
            pass(HOUR);
            manual.runDue();
            assertThat(find(manual, first).state()).isEqualTo(JobState.DONE);
            pass(HOUR);
            manual.runDue();
            assertThat(ran).containsSubsequence("a of 1", "1", "a of 3", "3");
            assertThat(ran).containsSubsequence("a of 4", "4", "a of 5", "5");
        }
    }

    @Test // an order key is kept, a place under a limit is not
    void orderKey_isKept_andALimitHasItsPlaceBack() {
        try (ManualJobs manual = manual((text, job) -> {
            ran.add("begin " + text);
            job.sleep("x", HOUR);
            ran.add("end " + text);
        })) {
            Jobs jobs = manual.jobs();
            jobs.admin().setLimit(NewJob.DEFAULT_QUEUE, 1);
            jobs.add(NewJob.of(WORK, "1").orderKey("k"));
            jobs.add(NewJob.of(WORK, "2").orderKey("k"));
            jobs.add(NewJob.of(WORK, "3"));
            manual.runDue();
            assertThat(ran).containsExactlyInAnyOrder("begin 1", "begin 3");
            pass(HOUR);
            manual.runDue();
            assertThat(ran).containsSubsequence("end 1", "begin 2").contains("end 3");
        }
    }

    @Test
    void retryBehindASleep_isNoSuspendedJob() {
        try (ManualJobs manual = manual(
                (text, job) -> {
                    job.sleep("x", HOUR);
                    throw new IllegalStateException("always");
                },
                options -> options.retries(RetryPolicy.after(HOUR)))) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            pass(HOUR);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.RETRYING);
        }
    }

    @Test
    void finally_ofAHandlerThatWaits_doesItsStepOnce_atTheEnd() {
        AtomicInteger passed = new AtomicInteger();
        try (ManualJobs manual = manual((text, job) -> {
            try {
                step(job, "a");
                job.sleep("cool", HOUR);
                step(job, "b");
            } finally {
                passed.incrementAndGet();
                step(job, "release");
            }
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(ran).containsExactly("a");
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(manual.jobs().admin().find(id).orElseThrow().state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("a", "b", "release");
        assertThat(passed).hasValue(2);
    }

    @Test
    void resumePriority_letsWhatHasBegunGoFirst() {
        List<String> order = new ArrayList<>();
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            if (text.equals("begun")) job.sleep("cool", HOUR);
                            order.add(text + " " + job.priority());
                        },
                        options -> options.resumePriority(-5))
                .manual()) {
            long id = manual.jobs().add(NewJob.of(WORK, "begun").priority(7)).id();
            manual.runDue();
            JobWaitClock.pass(database, HOUR);
            manual.jobs().add(NewJob.of(WORK, "new").priority(-4));
            manual.runDue();
            assertThat(order).containsExactly("begun -5", "new -4");
            assertThat(manual.jobs().admin().find(id).orElseThrow().priority()).isEqualTo(-5);
        }
        assertThatThrownBy(
                        () -> database.jobs().handle(WORK, (text, job) -> {}, options -> options.resumePriority(101)))
                .hasMessageContaining("from -100 to 100");
    }

    @Test
    void resumePriority_ofAKindThatGotALaneMeanwhile_isThatOfItsOwnLane() {
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            if (text.equals("begun")) {
                                database.execute("SELECT howdah.limit('default', 5, '" + WORK.name() + "')");
                                job.sleep("cool", HOUR);
                            }
                        },
                        options -> options.resumePriority(-5))
                .manual()) {
            manual.jobs().add(WORK, "begun");
            manual.runDue();
            assertThat(
                            database.number(
                                    "SELECT count(*) FROM howdah_internal.job j JOIN howdah_internal.lane_priority p USING (lane, priority)"))
                    .isEqualTo(1);
        }
    }

    @Test
    void jobsWhoseSleepsHaveEnded_areSpreadOverATime() {
        try (ManualJobs manual = database.jobs()
                .handle(WORK, (text, job) -> {
                    if (!text.equals("plain")) job.sleep("cool", HOUR);
                    ran.add(text);
                })
                .manual()) {
            for (int i = 0; i < 50; i++) manual.jobs().add(WORK, "" + i);
            manual.runDue();
            JobWaitClock.pass(database, HOUR);
            manual.jobs().add(WORK, "plain");
            assertThat(database.number("SELECT howdah.spread('default', '1 hour')"))
                    .isEqualTo(50);
            manual.runDue();
            assertThat(ran).contains("plain").hasSizeLessThan(10);
            assertThat(database.number("SELECT count(DISTINCT run_at) FROM howdah_internal.job"))
                    .isGreaterThan(40);
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(ran).hasSize(51);
        }
        assertThatThrownBy(() -> database.execute("SELECT howdah.spread('default', '0')"))
                .hasMessageContaining("more than 0");
    }
}
