package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.wait.FailedStepException;
import dev.howdah.spi.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Steps that throw, and whose handlers go on behind that: later runs go the same way. */
@PostgresTest
class JobStepFailureTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final RetryPolicy AT_ONCE = RetryPolicy.after(Duration.ZERO, Duration.ZERO);
    private static final Duration HOUR = Duration.ofHours(1);

    /** Cannot be made from a message. */
    private static final class Coded extends Exception {
        private static final long serialVersionUID = 1;

        Coded(int code) {
            super("code " + code);
        }
    }

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final AtomicInteger runs = new AtomicInteger();

    JobStepFailureTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual(Handler<String> handler) {
        return database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            runs.incrementAndGet();
                            handler.handle(text, job);
                        },
                        options -> options.retries(AT_ONCE))
                .manual();
    }

    private void run(Handler<String> handler, int hours) {
        try (ManualJobs manual = manual(handler)) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            for (int i = 0; i < hours; i++) {
                JobWaitClock.pass(database, HOUR);
                manual.runDue();
            }
            assertThat(manual.jobs().admin().find(id).orElseThrow().state()).isEqualTo(JobState.DONE);
        }
    }

    private void step(Job job, String name) throws Exception {
        job.step(name, Void.class, () -> {
            ran.add(name);
            return null;
        });
    }

    private void failing(Job job, String name, Exception failure, int times) throws Exception {
        job.step(name, Void.class, () -> {
            ran.add(name);
            if (ran.stream().filter(name::equals).count() <= times) throw failure;
            return null;
        });
    }

    @Test
    void caughtFailure_isThrownAgain_withoutItsWork() {
        run(
                (text, job) -> {
                    try {
                        failing(job, "card", new IOException("refused"), 1);
                    } catch (IOException e) {
                        ran.add(e.getClass().getSimpleName() + " " + e.getMessage());
                        step(job, "invoice");
                    }
                    job.sleep("pause", HOUR);
                    step(job, "mail");
                    if (runs.get() == 2) throw new IllegalStateException("once");
                },
                1);
        assertThat(ran)
                .containsExactly(
                        "card", "IOException refused", "invoice", "IOException refused", "mail", "IOException refused");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_record WHERE thrown IS NOT NULL"))
                .isEqualTo(1);
    }

    /** Before its first wait too: a retry would do another thing. */
    @Test
    void caughtFailure_isRecordedWithTheNextStep() {
        run(
                (text, job) -> {
                    try {
                        failing(job, "card", new IOException("refused"), 1);
                    } catch (IOException e) {
                        step(job, "invoice");
                    }
                    if (runs.get() == 1) throw new IllegalStateException("once");
                },
                0);
        assertThat(runs).hasValue(2);
        assertThat(ran).containsExactly("card", "invoice");
    }

    @Test
    void loopOfItsOwn_hasARecordForEachTry() {
        run(
                (text, job) -> {
                    for (int attempt = 1; ; attempt++) {
                        try {
                            failing(job, "call", new IOException("busy"), 2);
                            break;
                        } catch (IOException e) {
                            job.sleep("pause", HOUR);
                        }
                    }
                    step(job, "done");
                },
                2);
        assertThat(runs).hasValue(3);
        assertThat(ran).containsExactly("call", "call", "call", "done");
        assertThat(database.text("SELECT string_agg(type || ' ' || nth, ', ' ORDER BY number)"
                        + " FROM howdah_internal.job_record"))
                .isEqualTo("thrown 1, sleep 1, thrown 2, sleep 2");
    }

    /** As ever: the next attempt does the step again. */
    @Test
    void failureThatLeavesTheHandler_isNotRecorded() {
        run(
                (text, job) -> {
                    failing(job, "card", new IOException("refused"), 2);
                    step(job, "mail");
                },
                0);
        assertThat(runs).hasValue(3);
        assertThat(ran).containsExactly("card", "card", "card", "mail");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_record"))
                .isZero();
    }

    @Test
    void exceptionThatCannotBeMadeAgain_isNamed() {
        run(
                (text, job) -> {
                    try {
                        failing(job, "card", new Coded(7), 1);
                    } catch (Coded | FailedStepException e) {
                        ran.add(e.getMessage());
                    }
                    job.sleep("pause", HOUR);
                },
                1);
        assertThat(ran)
                .containsExactly(
                        "card",
                        "code 7",
                        "step \"card\" has failed in an earlier run: " + Coded.class.getName() + ": code 7");
    }
}
