package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.unique.Unique;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Changes of jobs that wait: their payloads and times. */
@PostgresTest
class JobChangeTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Duration DAY = Duration.ofDays(1);

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();

    JobChangeTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual() {
        return database.jobs()
                .handle(WORK, (text, job) -> {
                    if (text.equals("asks"))
                        text += job.await("ok", String.class, DAY).isPresent();
                    if (text.equals("sleeps")) job.sleep("pause", DAY);
                    if (text.equals("child"))
                        job.awaitChild(job.child("part", NewJob.of(WORK, "x").delay(DAY)), Void.class);
                    ran.add(text);
                })
                .manual();
    }

    private static JobState state(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow().state();
    }

    @Test
    void payload_isChangedWhereverTheJobWaits_alsoBetweenLargeAndSmall() {
        String large = "x".repeat(20_000);
        try (ManualJobs manual = manual()) {
            Jobs jobs = manual.jobs();
            JobAdmin admin = jobs.admin();
            long plain = jobs.add(NewJob.of(WORK, "a").delay(DAY)).id();
            long big = jobs.add(NewJob.of(WORK, large).delay(DAY)).id();
            jobs.add(NewJob.of(WORK, "first").orderKey("k"));
            long ordered = jobs.add(NewJob.of(WORK, "b").orderKey("k")).id();
            assertThat(admin.setPayload(plain, '"' + large + '"', "\"a\"")).isTrue();
            assertThat(admin.setPayload(big, "\"small\"", null)).isTrue();
            assertThat(admin.setPayload(ordered, "\"c\"", null)).isTrue();
            assertThatThrownBy(() -> admin.setPayload(ordered, "\"d\"", "\"b\""))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("has been changed meanwhile");
            JobWaitClock.pass(database, DAY);
            manual.runDue();
            assertThat(ran).containsExactlyInAnyOrder(large, "small", "first", "c");
            assertThat(admin.setPayload(plain, "1", null)).isFalse();
            assertThatThrownBy(() -> admin.setPayload(4711, "1", null)).hasMessageContaining("there is no job 4711");
        }
        assertThat(database.number("SELECT count(*) FROM howdah_internal.body")).isZero();
    }

    @Test
    void payloadOfAJobThatHasWaited_orIsUniqueByIt_stays() {
        try (ManualJobs manual = manual()) {
            long id = manual.jobs().add(WORK, "asks");
            long unique = manual.jobs()
                    .add(NewJob.of(WORK, "u").unique(Unique.byPayload()).delay(DAY))
                    .id();
            manual.runDue();
            JobAdmin admin = manual.jobs().admin();
            assertThatThrownBy(() -> admin.setPayload(id, "\"x\"", null)).hasMessageContaining("has recorded");
            assertThatThrownBy(() -> admin.setPayload(unique, "\"x\"", null))
                    .hasMessageContaining("is unique by its payload");
        }
    }

    @Test
    void time_ofPlannedJobs_andTheEndOfWaits_areMoved() {
        try (ManualJobs manual = manual()) {
            Jobs jobs = manual.jobs();
            JobAdmin admin = jobs.admin();
            long planned = jobs.add(NewJob.of(WORK, "planned").delay(DAY)).id();
            long sleeps = jobs.add(WORK, "sleeps");
            long asks = jobs.add(WORK, "asks");
            long child = jobs.add(WORK, "child");
            manual.runDue();
            // A later end, for which the first one is not waited.
            assertThat(admin.reschedule(sleeps, Instant.now().plus(DAY.multipliedBy(3))))
                    .isTrue();
            assertThat(admin.reschedule(planned, Instant.now().minusSeconds(60)))
                    .isTrue();
            assertThat(admin.reschedule(asks, Instant.now().minusSeconds(60))).isTrue();
            // What waits for a child has no time.
            assertThat(admin.reschedule(child, Instant.now())).isFalse();
            manual.runDue();
            assertThat(ran).containsExactlyInAnyOrder("planned", "asksfalse");
            assertThat(admin.find(planned).orElseThrow().state()).isEqualTo(JobState.DONE);
            ran.clear();
            JobWaitClock.pass(database, DAY.multipliedBy(2));
            manual.runDue();
            assertThat(state(manual, sleeps)).isEqualTo(JobState.SUSPENDED);
            JobWaitClock.pass(database, DAY.multipliedBy(2));
            manual.runDue();
            assertThat(state(manual, sleeps)).isEqualTo(JobState.DONE);
            assertThat(admin.reschedule(planned, Instant.now())).isFalse();
        }
    }
}
