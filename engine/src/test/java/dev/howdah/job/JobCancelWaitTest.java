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

    /** Another job, which is not there, has the turn of its key. */
    @Test
    void jobThatWaitsForItsTurnAgain_isToldWhenItHasIt() {
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        this::order,
                        options -> options.cancelByException().releaseOrderKey())
                .manual()) {
            long first = manual.jobs().add(NewJob.of(WORK, "x").orderKey("k")).id();
            manual.runDue();
            database.execute("INSERT INTO howdah_internal.order_key (queue, key, job) VALUES ('default', 'k', 0)"
                    + " ON CONFLICT (queue, key) DO UPDATE SET job = 0");
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(database.number("SELECT count(*) FROM howdah_internal.ordered"))
                    .isEqualTo(1);
            assertThat(manual.jobs().admin().cancel(first)).isEqualTo(CancelResult.ASKED);
            database.execute("UPDATE howdah_internal.order_key SET job = NULL");
            manual.runDue();
            assertThat(find(manual, first).state()).isEqualTo(JobState.CANCELLED);
            assertThat(ran).startsWith("charge", "refund");
        }
    }

    @Test
    void jobThatWaitsForItsTurnAgain_endsBySecondCancel() {
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        this::order,
                        options -> options.cancelByException().releaseOrderKey())
                .manual()) {
            long first = manual.jobs().add(NewJob.of(WORK, "x").orderKey("k")).id();
            manual.runDue();
            database.execute("INSERT INTO howdah_internal.order_key (queue, key, job) VALUES ('default', 'k', 0)"
                    + " ON CONFLICT (queue, key) DO UPDATE SET job = 0");
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            manual.jobs().admin().cancel(first);
            assertThat(manual.jobs().admin().cancel(first)).isEqualTo(CancelResult.CANCELLED);
            assertThat(find(manual, first).error()).isEqualTo("cancelled while it waited for its turn");
        }
    }

    /** What was told with other code undoes nothing. */
    @Test
    void toldRunThatDiverges_waitsForCodeThatUndoes() {
        long id;
        try (ManualJobs manual = manual(this::order)) {
            id = manual.jobs().add(WORK, "x");
            manual.runDue();
        }
        try (ManualJobs other = manual((text, job) -> job.sleep("something else", HOUR))) {
            other.jobs().admin().cancel(id);
            other.runDue();
            assertThat(find(other, id).state()).isEqualTo(JobState.SUSPENDED);
        }
        JobWaitClock.pass(database, HOUR);
        try (ManualJobs manual = manual(this::order)) {
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.CANCELLED);
        }
        assertThat(ran).startsWith("charge", "refund");
    }

    /** A program of another version, which does not go on with the job, takes from it neither its undo nor lets its key wait. */
    @Test
    void jobOfAnotherVersion_isToldAllTheSame() {
        long id;
        try (ManualJobs manual = version("1", this::order)) {
            id = manual.jobs().add(NewJob.of(WORK, "x").orderKey("k")).id();
            manual.runDue();
        }
        JobWaitClock.pass(database, HOUR);
        try (ManualJobs other = database.jobs()
                .handle(WORK, this::order, options -> options.handlerVersion("2"))
                .manual()) {
            other.runDue();
            assertThat(find(other, id).state()).isEqualTo(JobState.SUSPENDED);
            long next = other.jobs().add(NewJob.of(WORK, "next").orderKey("k")).id();
            other.runDue();
            assertThat(find(other, next).state()).as("it has its turn").isEqualTo(JobState.SUSPENDED);
            assertThat(other.jobs().admin().cancel(id)).isEqualTo(CancelResult.ASKED);
            other.jobs().admin().cancel(next);
        }
        try (ManualJobs manual = version("1", this::order)) {
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.CANCELLED);
        }
        assertThat(ran).contains("refund");
    }

    private ManualJobs version(String version, Handler<String> handler) {
        return database.jobs()
                .handle(
                        WORK,
                        handler,
                        options -> options.handlerVersion(version)
                                .cancelByException()
                                .releaseOrderKey())
                .manual();
    }
}
