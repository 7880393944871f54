package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.JobCancelledException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Handlers that are told that their job was cancelled while it waited. */
@PostgresTest
class JobCancelWaitTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();

    JobCancelWaitTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual(Handler<String> handler) {
        return database.jobs()
                .handle(WORK, handler, HandlerOptions::cancelByException)
                .manual();
    }

    private void step(Job job, String name) throws Exception {
        job.step(name, Void.class, () -> {
            ran.add(name);
            return null;
        });
    }

    private void order(String text, Job job) throws Exception {
        step(job, "charge");
        try {
            job.await("approval", Boolean.class, HOUR);
            step(job, "ship");
        } catch (JobCancelledException e) {
            step(job, "refund");
            ran.add(e.getMessage());
            job.sleep("never", HOUR);
        }
    }

    private static JobSummary find(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow();
    }

    @Test
    void cancel_isThrownByTheWait_andTheStepsBehindItWork() {
        try (ManualJobs manual = manual(this::order)) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(manual.jobs().admin().cancel(id)).isEqualTo(CancelResult.ASKED);
            // The signal came too late, and is unread.
            manual.jobs().signal(id, "approval", true);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.CANCELLED);
            assertThat(find(manual, id).error()).isEqualTo("cancelled while it waited for signal \"approval\"");
            assertThat(ran)
                    .containsExactly(
                            "charge", "refund", "job " + id + " was cancelled while it waited for signal \"approval\"");
            assertThat(manual.jobs().admin().signals(id, 10))
                    .singleElement()
                    .satisfies(signal -> assertThat(signal.read()).isNull());
            // Retried it begins as one that nothing has cancelled.
            manual.jobs().admin().retry(id);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
        }
    }

    @Test
    void secondCancel_endsTheJobWithoutARun() {
        try (ManualJobs manual = manual(this::order)) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            manual.jobs().admin().cancel(id);
            assertThat(manual.jobs().admin().cancel(id)).isEqualTo(CancelResult.CANCELLED);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.CANCELLED);
        }
        assertThat(ran).containsExactly("charge");
    }

    @Test
    void handlerThatReturnsOrThrows_isCancelledAllTheSame() {
        try (ManualJobs manual = manual((text, job) -> {
            try {
                job.sleep("pause", HOUR);
            } catch (JobCancelledException e) {
                if (text.equals("throws")) throw new IllegalStateException("no refund");
                job.result(7);
            }
        })) {
            List<Long> ids =
                    List.of(manual.jobs().add(WORK, "throws"), manual.jobs().add(WORK, "returns"));
            manual.runDue();
            // By a filter it is the same, also where the sleep is over at that moment.
            JobWaitClock.pass(database, HOUR);
            manual.jobs().admin().cancelAll(JobQuery.in(JobState.WAITING));
            manual.runDue();
            for (long id : ids) assertThat(find(manual, id).state()).isEqualTo(JobState.CANCELLED);
        }
    }

    @Test
    void childOfACancelledJob_isToldToo_andAJobWithoutAWaitIsNot() {
        try (ManualJobs manual = manual((text, job) -> {
            if (text.equals("child")) order(text, job);
            else job.awaitChild(job.child("part", NewJob.of(WORK, "child")), Void.class);
        })) {
            long id = manual.jobs().add(WORK, "parent");
            manual.runDue();
            manual.jobs().admin().cancel(id);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.CANCELLED);
            manual.runDue();
            assertThat(ran).contains("charge", "refund").doesNotContain("ship");
            long waiting = manual.jobs().add(WORK, "x");
            assertThat(manual.jobs().admin().cancel(waiting)).isEqualTo(CancelResult.CANCELLED);
        }
    }
}
