package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.error.RecordedLog;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Jobs whose handlers are replaced by other code while they wait. */
@PostgresTest
class JobDivergenceTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final RecordedLog log = new RecordedLog();
    private final List<String> ran = new CopyOnWriteArrayList<>();

    JobDivergenceTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private void step(Job job, String name) throws Exception {
        job.step(name, Void.class, () -> {
            ran.add(name);
            return null;
        });
    }

    private ManualJobs program(Handler<String> handler) {
        return database.jobs()
                .handle(WORK, handler, options -> options.retries(RetryPolicy.never()))
                .manual();
    }

    private static JobSummary find(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow();
    }

    /** Runs the first program until the job waits; then an hour passes. */
    private long begun(Handler<String> first) {
        try (ManualJobs manual = program(first)) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            JobWaitClock.pass(database, HOUR);
            return id;
        }
    }

    private void old(String text, Job job) throws Exception {
        step(job, "charge");
        job.sleep("cool", HOUR);
        step(job, "ship");
    }

    @Test
    void renamedStep_isNotDoneAgain_andTheJobWaitsForAProgramThatFits() {
        long id = begun(this::old);
        try (ManualJobs manual = program((text, job) -> {
            step(job, "charge card");
            job.sleep("cool", HOUR);
            step(job, "ship");
        })) {
            for (int i = 0; i < 3; i++) {
                manual.runDue();
                assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
                assertThat(manual.jobs().admin().why(id).get(0))
                        .satisfies(cause -> assertThat(cause.code()).isEqualTo("diverged"))
                        .satisfies(cause -> assertThat(cause.sentence())
                                .contains(
                                        "\"charge card\"",
                                        "\"charge\", which an earlier run, on node "
                                                + database.number("SELECT node FROM howdah_internal.job_record")
                                                + " has recorded"));
                assertThat(database.number("SELECT round(extract(epoch FROM run_at - now())) FROM howdah_internal.job"))
                        .isBetween((1L << i) - 1, 1L << i);
                assertThat(database.text("SELECT howdah.hurry(" + id + ")")).isEqualTo("t");
            }
            assertThat(find(manual, id).attempt()).isZero();
        }
        try (ManualJobs manual = program(this::old)) {
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("charge", "ship");
    }

    @Test
    void renamedAndRetired_letOtherCodeGoOn() throws Exception {
        Kind<Integer> part = Kind.of("part", Integer.class);
        long id = begun((text, job) -> {
            step(job, "charge");
            step(job, "audit");
            job.child("part", NewJob.of(part, 1));
            job.await("ok", Integer.class, HOUR.multipliedBy(2));
            step(job, "ship");
        });
        try (ManualJobs manual = program((text, job) -> {
            job.renamed("charge", "charge card");
            job.renamed("part", "piece");
            job.renamed("ok", "approval");
            job.retired("audit");
            step(job, "charge card");
            job.child("piece", NewJob.of(part, 1));
            ran.add("" + job.await("approval", Integer.class, HOUR).isPresent());
            step(job, "ship");
        })) {
            // It has begun to wait for signals of that name.
            manual.jobs().signal(id, "ok", 1);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("charge", "audit", "true", "ship");
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE kind = 'part'"))
                .isEqualTo(1);
    }

    @Test
    void removedStep_passedWaitAndEarlyEnd_areDivergences() {
        List<Handler<String>> others = List.of(
                (text, job) -> {
                    job.sleep("cool", HOUR);
                    step(job, "ship");
                },
                (text, job) -> {
                    step(job, "charge");
                    step(job, "ship");
                },
                (text, job) -> step(job, "charge"),
                (text, job) -> {
                    step(job, "charge");
                    job.await("answer", String.class, HOUR);
                });
        for (Handler<String> other : others) {
            long id = begun(this::old);
            ran.clear();
            try (ManualJobs manual = program(other)) {
                manual.runDue();
                assertThat(manual.jobs().admin().why(id).get(0).code()).isEqualTo("diverged");
                manual.jobs().admin().cancel(id);
            }
            assertThat(ran).isEmpty();
        }
    }

    @Test
    void newStepBehindAllRecords_runs() {
        long id = begun(this::old);
        try (ManualJobs manual = program((text, job) -> {
            step(job, "charge");
            job.sleep("cool", Duration.ZERO);
            step(job, "weigh");
            step(job, "ship");
        })) {
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("charge", "weigh", "ship");
    }

    @Test
    void patched_isTrueForRunsThatHadNotPassedThePlace() {
        Handler<String> changed = (text, job) -> {
            if (job.patched("check first")) step(job, "check");
            step(job, "charge");
            job.sleep("cool", HOUR);
            if (job.patched("weigh")) step(job, "weigh");
            step(job, "ship");
        };
        long old = begun(this::old);
        try (ManualJobs manual = program(changed)) {
            manual.runDue();
            assertThat(find(manual, old).state()).isEqualTo(JobState.DONE);
            assertThat(ran).containsExactly("charge", "weigh", "ship");
            ran.clear();
            long later = manual.jobs().add(WORK, "y");
            manual.runDue();
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(find(manual, later).state()).isEqualTo(JobState.DONE);
            assertThat(ran).containsExactly("check", "charge", "weigh", "ship");
        }
    }

    @Test
    void resultThatCannotBeRead_isADivergence_notAnAttempt() {
        long id = begun((text, job) -> {
            job.step("price", String.class, () -> "much");
            job.sleep("cool", HOUR);
        });
        try (ManualJobs manual = program((text, job) -> {
            job.step("price", Map.class, Map::of);
            job.sleep("cool", HOUR);
        })) {
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            assertThat(manual.jobs().admin().why(id).get(0).sentence()).contains("\"price\"", "java.util.Map");
        }
    }

    /** Steps of other threads have no order. */
    @Test
    void stepsOfOtherThreads_areNoDivergence() {
        Handler<String> handler = (text, job) -> {
            List<CompletableFuture<Void>> parts = List.of(part(job, "a"), part(job, "b"));
            step(job, "own");
            for (CompletableFuture<Void> each : parts) each.join();
            job.sleep("cool", HOUR);
            parts = List.of(part(job, "c"), part(job, "d"));
            step(job, "later");
            for (CompletableFuture<Void> each : parts) each.join();
            job.sleep("once more", HOUR);
        };
        try (ManualJobs manual = program(handler)) {
            long id = manual.jobs().add(WORK, "x");
            for (int i = 0; i < 3; i++) {
                manual.runDue();
                JobWaitClock.pass(database, HOUR);
            }
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactlyInAnyOrder("a", "b", "own", "c", "d", "later");
    }

    private CompletableFuture<Void> part(Job job, String name) {
        return CompletableFuture.runAsync(() -> {
            try {
                step(job, name);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void droppedRecord_isAskedForByNoCodeAnyMore() {
        long id = begun(this::old);
        try (ManualJobs manual = program((text, job) -> {
            job.sleep("cool", HOUR);
            step(job, "ship");
        })) {
            manual.runDue();
            assertThat(manual.jobs().admin().why(id).get(0).code()).isEqualTo("diverged");
            assertThat(manual.jobs().admin().dropRecord(id, "step", "other")).isZero();
            assertThat(manual.jobs().admin().dropRecord(id, "step", "charge")).isEqualTo(1);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
            assertThatThrownBy(() -> manual.jobs().admin().dropRecord(id, "step", "ship"))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("neither waits nor has it failed");
        }
        assertThat(ran).containsExactly("charge", "ship");
    }

    @Test
    void droppedWait_thatIsOpen_beginsAnew() {
        try (ManualJobs manual = program((text, job) -> job.sleep("cool", HOUR))) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            JobWaitClock.pass(database, Duration.ofMinutes(59));
            assertThat(manual.jobs().admin().dropRecord(id, "sleep", "cool")).isEqualTo(1);
            manual.runDue();
            assertThat(database.number("SELECT round(extract(epoch FROM run_at - now())) FROM howdah_internal.job"))
                    .isBetween(3590L, 3600L);
        }
    }

    private ManualJobs versioned(String version, String... also) {
        return database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            step(job, "a " + version);
                            job.await("go", Void.class, HOUR);
                            ran.add("ended by " + version);
                        },
                        options -> options.retries(RetryPolicy.never())
                                .handlerVersion(version)
                                .alsoRuns(also))
                .manual();
    }

    @Test
    void handlerVersion_keepsItsJobsFromOtherPrograms() {
        long id;
        try (ManualJobs two = versioned("2")) {
            id = two.jobs().add(WORK, "x");
            two.runDue();
        }
        try (ManualJobs one = versioned("1")) {
            one.jobs().signal(id, "go", null);
            one.runDue();
            assertThat(find(one, id).state()).isEqualTo(JobState.SUSPENDED);
            assertThat(one.jobs().admin().why(id).get(0).code()).isEqualTo("no-version");
            assertThat(one.jobs().admin().why(id).get(0).sentence()).contains("version \"2\"", "[1]");
            assertThat(one.jobs().admin().signals(id, 10).get(0).read()).isNull();
        }
        try (ManualJobs two = versioned("2")) {
            two.jobs().admin().runNow(id);
            two.runDue();
            assertThat(find(two, id).state()).isEqualTo(JobState.DONE);
            assertThat(find(two, id).attempt()).isEqualTo(1);
        }
        assertThat(ran).containsExactly("a 2", "ended by 2");
    }

    @Test
    void handlerVersion_isSetByAnOperator() {
        long id;
        try (ManualJobs two = versioned("2")) {
            id = two.jobs().add(WORK, "x");
            two.runDue();
        }
        try (ManualJobs three = program((text, job) -> {
            step(job, "a 2");
            job.await("go", Void.class, HOUR);
            ran.add("ended");
        })) {
            // A handler without a version goes on with all.
            three.jobs().signal(id, "go", null);
            assertThat(database.text("SELECT howdah.set_version('work', '2', '3')"))
                    .isEqualTo("1");
            three.runDue();
            assertThat(find(three, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("a 2", "ended");
    }

    /** The first attempt has charged, and fails; the second one's code has another name for that. */
    private long failedOnce(String first, Handler<String> second, Consumer<HandlerOptions> options) {
        long id;
        RetryPolicy soon = RetryPolicy.after(Duration.ofSeconds(1));
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            step(job, first);
                            CompletableFuture.runAsync(() -> other(job)).get();
                            throw new IllegalStateException("no network");
                        },
                        options.andThen(each -> each.retries(soon)))
                .manual()) {
            id = manual.jobs().add(WORK, "x");
            manual.runDue();
        }
        JobWaitClock.pass(database, HOUR);
        try (ManualJobs manual = database.jobs()
                .log(log.logger())
                .handle(WORK, second, options.andThen(each -> each.retries(soon)))
                .manual()) {
            manual.runDue();
        }
        return id;
    }

    private void other(Job job) {
        try {
            step(job, "beside");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void strictHandler_doesNotDoARenamedStepTwice_alsoInAJobThatHasNotWaited() {
        long id = failedOnce("charge", (text, job) -> step(job, "charge card"), HandlerOptions::strict);
        assertThat(ran).containsExactly("charge", "beside");
        try (ManualJobs manual = program((text, job) -> {
            job.renamed("charge", "charge card");
            step(job, "charge card");
            // That of another thread has no order.
            step(job, "mail");
            other(job);
        })) {
            JobSummary job = find(manual, id);
            assertThat(job.state()).isEqualTo(JobState.SUSPENDED);
            // The first attempt has failed, and the divergence is none.
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(manual.jobs().admin().why(id).get(0).code()).isEqualTo("diverged");
            manual.jobs().admin().runNow(id);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("charge", "beside", "mail");
    }

    @Test
    void handlerThatIsNotStrict_goesOn_andSaysWhichStepItHasLeftOut() {
        long id = failedOnce(
                "charge",
                (text, job) -> {
                    other(job);
                    step(job, "charge card");
                },
                options -> {});
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith(
                        "WARN job " + id + " (default, work) is done: its handler has not asked for step \"charge\"");
        assertThat(ran).containsExactly("charge", "beside", "charge card");
    }

    @Test
    void timeAndRandomNumbers_areTheSameInEachRun() {
        List<Object> seen = new CopyOnWriteArrayList<>();
        try (ManualJobs manual = program((text, job) -> {
            seen.add(List.of(job.now("begun"), job.random("share"), job.uuid("key")));
            job.sleep("pause", HOUR);
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(seen).hasSize(2);
        assertThat(seen.get(1)).isEqualTo(seen.get(0));
    }
}
