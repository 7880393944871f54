package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.Child;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Jobs that have ended, and run again as new ones. */
@PostgresTest
class JobRerunTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<Integer> PART = Kind.of("part", Integer.class);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();

    JobRerunTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private void step(Job job, String name) throws Exception {
        job.step(name, Void.class, () -> {
            ran.add(name);
            return null;
        });
    }

    private ManualJobs manual() {
        return database.jobs()
                .handle(WORK, (text, job) -> {
                    step(job, "charge");
                    job.sleep("cool", HOUR);
                    String by = job.awaitOrFail("ok", String.class, HOUR).payload();
                    Child child = job.child("part", NewJob.of(PART, 1));
                    Integer part = job.awaitChild(child, Integer.class);
                    step(job, "ship");
                    step(job, "mail");
                    job.result(by + part + text);
                })
                .handle(PART, (number, job) -> {
                    ran.add("part");
                    job.result(number);
                })
                .manual();
    }

    private static JobSummary find(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow();
    }

    /** A job that is done. */
    private long done(ManualJobs manual) {
        long id = manual.jobs().add(NewJob.of(WORK, "x").key("k").tags("a")).id();
        manual.runDue();
        JobWaitClock.pass(database, HOUR);
        manual.jobs().signal(id, "ok", "ann");
        manual.runDue();
        assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        assertThat(ran).containsExactly("charge", "part", "ship", "mail");
        ran.clear();
        return id;
    }

    @Test
    void job_runsAgain_withoutRecords() {
        try (ManualJobs manual = manual()) {
            long id = done(manual);
            long again = manual.jobs().admin().rerun(null, id, null);
            assertThatThrownBy(() -> manual.jobs().admin().rerun(null, id, null))
                    .hasMessageContaining("job " + again + " has its key \"k\"");
            assertThatThrownBy(() -> manual.jobs().admin().rerun(null, again, null))
                    .hasMessageContaining("has not ended: it is waiting");
            manual.runDue();
            assertThat(ran).containsExactly("charge");
            assertThat(find(manual, again).state()).isEqualTo(JobState.SUSPENDED);
            assertThat(find(manual, again).tags()).containsExactly("a");
            assertThat(find(manual, again).metadata()).contains("\"rerun_of\": " + id);
        }
    }

    @Test
    void job_runsAgain_fromAStep() {
        try (ManualJobs manual = manual()) {
            long id = done(manual);
            assertThatThrownBy(() -> manual.jobs().admin().rerun(null, id, "none"))
                    .hasMessageContaining("has not recorded a step \"none\"");
            long again = manual.jobs().admin().rerun(null, id, "ship");
            // What becomes of the first one does not matter any more.
            database.execute("DELETE FROM howdah_internal.child_end WHERE parent = " + id
                    + "; DELETE FROM howdah_internal.job_signal WHERE job = " + id);
            manual.runDue();
            assertThat(find(manual, again).state()).isEqualTo(JobState.DONE);
            assertThat(find(manual, again).result()).isEqualTo("\"ann1x\"");
            assertThat(ran).containsExactly("ship", "mail");
        }
    }

    @Test
    void failedJob_runsAgain_andWaitsForAChildThatHasNotEnded() {
        try (ManualJobs manual = database.jobs()
                .handle(WORK, (text, job) -> {
                    Child child = job.child("part", NewJob.of(PART, 7).delay(HOUR));
                    step(job, "between");
                    if (ran.size() == 1) throw new FatalException("once");
                    ran.add("" + job.awaitChild(child, Integer.class));
                })
                .handle(PART, (number, job) -> job.result(number))
                .manual()) {
            long id = manual.jobs().add(WORK, "x");
            // Its child shall live on.
            manual.runDue();
            database.execute("SELECT howdah.retry(f.id) FROM howdah_internal.failed f WHERE f.kind = 'part';"
                    + " UPDATE howdah_internal.job SET run_at = now() + interval '1 hour'");
            long again = manual.jobs().admin().rerun(null, id, "between");
            manual.runDue();
            assertThat(find(manual, again).state()).isEqualTo(JobState.SUSPENDED);
            database.execute("UPDATE howdah_internal.job SET run_at = now() WHERE kind = 'part'");
            JobsDatabase.awaiting("it is resumed").until(() -> {
                manual.runDue();
                return find(manual, again).state() == JobState.DONE;
            });
        }
        assertThat(ran).containsExactly("between", "between", "7");
    }
}
