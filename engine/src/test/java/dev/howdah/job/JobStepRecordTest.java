package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobStep;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.unique.Unique;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** For which work the record of a step counts, and which steps are refused. */
@PostgresTest
class JobStepRecordTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<List> MANY = Kind.of("many", List.class);
    private static final RetryPolicy TWICE = RetryPolicy.after(Duration.ZERO, Duration.ZERO);
    private static final RetryPolicy LATER = RetryPolicy.after(Duration.ofHours(1));

    /** Jackson finds no way to write it. */
    private static final class Opaque {
        private final Thread thread = Thread.currentThread();
    }

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private Runnable addWhileItRuns = () -> {};

    JobStepRecordTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private JobState state(Jobs jobs, long id) {
        return jobs.admin().find(id).orElseThrow().state();
    }

    private void charge(Object payload, Job job) throws Exception {
        ran.add("answered "
                + job.step("charge", String.class, () -> {
                    ran.add("charge " + payload);
                    return String.valueOf(payload);
                }));
        if (payload.toString().contains("first")) throw new IllegalStateException("not yet");
    }

    private void replacedJob_chargesOfItsOwn(Object second, Consumer<Jobs> first, Consumer<Jobs> replacement) {
        try (ManualJobs manual = database.jobs()
                .handle(WORK, this::charge, options -> options.retries(LATER))
                .handle(MANY, (list, job) -> charge(list, job), options -> options.retries(LATER))
                .manual()) {
            first.accept(manual.jobs());
            manual.runDue();
            assertThat(ran).hasSize(2);
            ran.clear();
            replacement.accept(manual.jobs());
            manual.runDue();
            assertThat(ran).containsExactly("charge " + second, "answered " + second);
        }
    }

    @Test
    void waitingJob_isReplaced_hasNoStepsOfItsOldPayload() {
        Unique rule = Unique.byKey("k").replacing();
        replacedJob_chargesOfItsOwn(
                "second",
                jobs -> jobs.add(NewJob.of(WORK, "first").unique(rule)),
                jobs -> jobs.add(NewJob.of(WORK, "second").unique(rule)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20_000})
    void waitingJob_newerVersion_hasNoStepsOfTheOlderOne(int size) {
        Instant now = Instant.now();
        String second = "x".repeat(size);
        replacedJob_chargesOfItsOwn(
                second,
                jobs -> jobs.add(NewJob.of(WORK, "first").key("k").version(now)),
                jobs -> jobs.add(NewJob.of(WORK, second).key("k").version(now.plusSeconds(1))));
    }

    @Test
    void waitingJob_appended_hasNoStepsOfTheShorterPayload() {
        Unique rule = Unique.byKey("k").appending(10);
        try (ManualJobs manual = database.jobs()
                .handle(MANY, (list, job) -> charge(list, job), options -> options.retries(LATER))
                .manual()) {
            long id = manual.jobs()
                    .add(NewJob.of(MANY, List.of("first")).unique(rule))
                    .id();
            manual.runDue();
            assertThat(manual.jobs().admin().steps(id)).hasSize(1);
            manual.jobs().add(NewJob.of(MANY, List.of("second")).unique(rule));
            assertThat(manual.jobs().admin().steps(id)).isEmpty();
        }
    }

    @Test
    void waitingJob_replacedInATransactionThatIsRolledBack_keepsItsSteps() throws Exception {
        Unique rule = Unique.byKey("k").replacing();
        try (ManualJobs manual = database.jobs()
                .handle(WORK, this::charge, options -> options.retries(LATER))
                .manual()) {
            long id = manual.jobs().add(NewJob.of(WORK, "first").unique(rule)).id();
            manual.runDue();
            try (var connection = database.connect()) {
                connection.setAutoCommit(false);
                manual.jobs().add(connection, NewJob.of(WORK, "second").unique(rule));
                connection.rollback();
            }
            assertThat(manual.jobs().admin().steps(id)).hasSize(1);
        }
    }

    @Test
    void stage_enteredAgain_doesItsStepsAgain() {
        AtomicInteger checks = new AtomicInteger();
        Pipeline order = Pipeline.of("order")
                .stage("charge", String.class, (text, job) -> {
                    charge(text, job);
                    return Outcome.next(text + "'");
                })
                .stage("check", String.class, (text, job) -> {
                    job.step("check", Boolean.class, () -> ran.add("check " + text));
                    return switch (checks.incrementAndGet()) {
                        case 1 -> Outcome.next("charge", text);
                        case 2 -> Outcome.next("check", text + "'");
                        default -> Outcome.done();
                    };
                });
        try (ManualJobs manual = database.jobs().pipeline(order).manual()) {
            long id = manual.jobs().add(order.job("a")).id();
            manual.runDue();
            assertThat(ran)
                    .containsExactly(
                            "charge a",
                            "answered a",
                            "check a'",
                            "charge a'",
                            "answered a'",
                            "check a''",
                            "check a'''");
            assertThat(manual.jobs().admin().steps(id))
                    .extracting(JobStep::name)
                    .containsExactly("charge", "check");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void name_askedForAgainInOneRun_isRefused(boolean inTransaction) {
        List<String> refused = new ArrayList<>();
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            for (int mail = 1; mail <= 2; mail++) {
                                try {
                                    if (inTransaction)
                                        job.stepInTransaction("mail", Boolean.class, connection -> ran.add("mail"));
                                    else job.step("mail", Boolean.class, () -> ran.add("mail"));
                                } catch (IllegalStateException e) {
                                    refused.add(e.getMessage());
                                }
                            }
                            if (job.attempt() == 1) throw new IllegalStateException("once more");
                        },
                        options -> options.retries(TWICE))
                .manual()) {
            long id = manual.jobs().add(WORK, "a");
            manual.runDue();
            assertThat(ran).containsExactly("mail");
            // Also where the first one is a record of an earlier attempt.
            assertThat(refused)
                    .hasSize(2)
                    .allMatch(text -> text.contains("step \"mail\" of job " + id) && text.contains("in a loop"));
        }
    }

    @Test
    void name_askedForByTwoThreads_isWorkedByOneAndRefusedToTheOther() {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        try (ManualJobs manual = database.jobs()
                .handle(WORK, (text, job) -> {
                    Thread other = new Thread(() -> {
                        try {
                            inside.await();
                            job.step("charge", Boolean.class, () -> ran.add("charge by the other"));
                        } catch (IllegalStateException e) {
                            ran.add("refused");
                        } catch (Exception e) {
                            ran.add(e.toString());
                        } finally {
                            refused.countDown();
                        }
                    });
                    other.start();
                    job.step("charge", Boolean.class, () -> {
                        inside.countDown();
                        refused.await();
                        return ran.add("charge");
                    });
                    other.join();
                })
                .manual()) {
            long id = manual.jobs().add(WORK, "a");
            manual.runDue();
            assertThat(ran).containsExactly("refused", "charge");
            assertThat(state(manual.jobs(), id)).isEqualTo(JobState.DONE);
        }
    }

    @Test
    void step_thatThrew_canBeAskedForAgainInTheSameRun() {
        AtomicInteger tries = new AtomicInteger();
        try (ManualJobs manual = database.jobs()
                .handle(WORK, (text, job) -> {
                    while (true) {
                        try {
                            job.step("charge", Integer.class, () -> {
                                if (tries.incrementAndGet() < 3) throw new IllegalStateException("no bank");
                                return 1;
                            });
                            return;
                        } catch (IllegalStateException e) {
                            ran.add(String.valueOf(e.getMessage()));
                        }
                    }
                })
                .manual()) {
            long id = manual.jobs().add(WORK, "a");
            manual.runDue();
            assertThat(ran).containsExactly("no bank", "no bank");
            assertThat(manual.jobs().admin().steps(id)).hasSize(1);
        }
    }

    private void unrecordedResult_failsAtOnce(Object result, @Nullable String refusal) {
        if (refusal != null)
            database.execute("ALTER TABLE howdah_internal.job_step ADD CONSTRAINT small CHECK (" + refusal + ")");
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> job.step("charge", Object.class, () -> {
                            ran.add("charge");
                            return result;
                        }),
                        options -> options.retries(TWICE))
                .manual()) {
            long id = manual.jobs().add(WORK, "a");
            manual.runDue();
            assertThat(ran).containsExactly("charge");
            JobSummary failed = manual.jobs().admin().find(id).orElseThrow();
            assertThat(failed.state()).isEqualTo(JobState.FAILED);
            assertThat(failed.error())
                    .contains("step \"charge\" of job " + id)
                    .contains("its result cannot be recorded");
            assertThat(manual.jobs().admin().steps(id))
                    .extracting(JobStep::name)
                    .containsExactly("charge");
            // Nor does an operator's retry repeat it.
            manual.jobs().admin().retry(id);
            manual.runDue();
            assertThat(ran).containsExactly("charge");
            assertThat(manual.jobs().admin().find(id).orElseThrow().error())
                    .contains("was done in attempt 1, and its result could not be recorded");
        }
    }

    @Test
    void result_thatTheCodecCannotWrite_failsTheJobAtOnce() {
        unrecordedResult_failsAtOnce(new Opaque(), null);
    }

    @Test
    void result_thatTheDatabaseRefuses_failsTheJobAtOnce() {
        unrecordedResult_failsAtOnce("large", "result IS NULL OR length(result::text) < 5");
    }

    @Test
    void resultOfTwoMegabytes_failsTheJobAtOnce() {
        unrecordedResult_failsAtOnce("x".repeat(2_000_000), null);
    }

    /** What comes behind the last one for which there is room is refused before its work, and no attempt follows. */
    private void stepsBeyond(Consumer<HandlerOptions> limits, int length, String... expected) {
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            for (String name : List.of("a", "b", "c", "d")) {
                                job.step(name, String.class, () -> {
                                    ran.add(name);
                                    return "x".repeat(length);
                                });
                                if (name.equals("b") && job.attempt() == 1) job.sleep("pause", Duration.ofHours(1));
                            }
                        },
                        limits.andThen(options -> options.retries(TWICE)))
                .manual()) {
            long id = manual.jobs().add(WORK, "a");
            manual.runDue();
            JobWaitClock.pass(database, Duration.ofHours(1));
            manual.runDue();
            assertThat(manual.jobs().admin().find(id).orElseThrow().state()).isEqualTo(JobState.FAILED);
            assertThat(manual.jobs().admin().find(id).orElseThrow().error()).contains("is refused: it has");
        }
        assertThat(ran).containsExactly(expected);
    }

    @Test
    void stepBeyondTheNumberOfRecords_isNotDone() {
        // Two steps, a sleep and a step.
        stepsBeyond(options -> options.recordLimits(4, 10_000, 500), 10, "a", "b", "c");
    }

    @Test
    void stepBeyondTheLengthOfAllResults_isNotDone() {
        stepsBeyond(options -> options.recordLimits(100, 1_000, 500), 400, "a", "b", "c");
    }

    @Test
    void result_thatHoldsItself_failsTheJobAtOnce() {
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        unrecordedResult_failsAtOnce(endless, null);
    }

    @Test
    void jobOfALogQueue_hasNoSteps_andIsToldBeforeTheWork() {
        List<String> refused = new CopyOnWriteArrayList<>();
        try (Jobs jobs = database.jobs()
                .queues("audit")
                .handle(
                        WORK,
                        (text, job) -> {
                            try {
                                job.step("charge", Boolean.class, () -> ran.add("charge"));
                            } catch (IllegalStateException e) {
                                refused.add(e.getMessage());
                            }
                            if (job.attempt() == 1) throw new IllegalStateException("once more");
                        },
                        options -> options.retries(TWICE))
                .start()) {
            jobs.admin().logQueues().create("audit", Duration.ofDays(1));
            long id = jobs.add(NewJob.of(WORK, "a").queue("audit")).id();
            JobsDatabase.awaiting("it is done after its retry")
                    .until(() -> database.letters(id).endsWith("d"));
            assertThat(ran).isEmpty();
            assertThat(refused).hasSize(2).allMatch(text -> text.contains("log queue"));
        }
    }

    private void newerVersionWaits(JobsBuilder builder, NewJob<?> first, NewJob<?> second, String... expected) {
        AtomicInteger added = new AtomicInteger();
        try (ManualJobs manual = builder.manual()) {
            Jobs jobs = manual.jobs();
            addWhileItRuns = () -> {
                if (added.incrementAndGet() == 1) jobs.add(second);
            };
            long id = jobs.add(first).id();
            manual.runDue();
            assertThat(ran).containsExactly(expected);
            assertThat(state(jobs, id)).isEqualTo(JobState.DONE);
            assertThat(database.number("SELECT count(*) FROM howdah_internal.follower"))
                    .isZero();
            assertThat(database.number("SELECT count(*) FROM howdah_internal.key WHERE ended IS NULL"))
                    .isZero();
        }
    }

    @Test
    void jobWithSteps_goesBackWhileANewerVersionWaits_endsItsWorkFirst() {
        Instant now = Instant.now();
        newerVersionWaits(
                database.jobs()
                        .handle(
                                WORK,
                                (text, job) -> {
                                    job.step("charge", Boolean.class, () -> ran.add("charge " + text));
                                    addWhileItRuns.run();
                                    if (job.attempt() == 1) throw new IllegalStateException("no mail server");
                                    ran.add("mail " + text);
                                },
                                options -> options.retries(TWICE)),
                NewJob.of(WORK, "a").key("k").version(now),
                NewJob.of(WORK, "b").key("k").version(now.plusSeconds(1)),
                "charge a",
                "mail a",
                "charge b",
                "mail b");
    }

    @Test
    void jobPastAStage_goesOnWhileANewerOneWaits_endsItsWorkFirst() {
        Pipeline order = Pipeline.of("order")
                .stage("charge", String.class, (text, job) -> {
                    ran.add("charge " + text);
                    addWhileItRuns.run();
                    return Outcome.next(text);
                })
                .stage("ship", String.class, (text, job) -> {
                    ran.add("ship " + text);
                    return Outcome.done();
                });
        Unique rule = Unique.byKey("k").replacing();
        newerVersionWaits(
                database.jobs().pipeline(order),
                order.job("a").unique(rule),
                order.job("b").unique(rule),
                "charge a",
                "ship a",
                "charge b",
                "ship b");
    }
}
