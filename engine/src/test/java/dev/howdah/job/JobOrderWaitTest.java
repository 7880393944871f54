package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Jobs with an order key whose handlers wait. */
@PostgresTest
class JobOrderWaitTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();

    JobOrderWaitTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual(Consumer<HandlerOptions> options) {
        return database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            job.step("begin", Void.class, () -> {
                                ran.add(text + " begins");
                                return null;
                            });
                            if (text.equals("waits")) job.sleep("pause", HOUR);
                            if (text.equals("asks")) job.awaitOrFail("go", Boolean.class, HOUR);
                            ran.add(text + " ends");
                        },
                        options.andThen(each -> each.retries(RetryPolicy.never())))
                .manual();
    }

    private static long add(ManualJobs manual, String text) {
        return manual.jobs().add(NewJob.of(WORK, text).orderKey("customer 7")).id();
    }

    private static JobState state(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow().state();
    }

    @Test
    void suspendedJob_keepsItsTurn_andWhyOfTheNextOneSaysForWhatItWaits() {
        try (ManualJobs manual = manual(options -> {})) {
            long first = add(manual, "waits");
            long second = add(manual, "next");
            manual.runDue();
            assertThat(ran).containsExactly("waits begins");
            assertThat(manual.jobs().admin().why(second).get(0).sentence())
                    .contains("job " + first + " has its turn, and waits for sleep \"pause\"");
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(ran).containsExactly("waits begins", "waits ends", "next begins", "next ends");
        }
    }

    @Test
    void suspendedJob_thatReleasesItsTurn_letsTheNextOnesRun() {
        try (ManualJobs manual = manual(HandlerOptions::releaseOrderKey)) {
            long first = add(manual, "asks");
            long second = add(manual, "waits");
            manual.runDue();
            assertThat(ran).containsExactly("asks begins", "waits begins");
            long third = add(manual, "third");
            manual.runDue();
            assertThat(ran).containsExactly("asks begins", "waits begins", "third begins", "third ends");
            JobWaitClock.pass(database, HOUR);
            manual.jobs().signal(first, "go", true);
            manual.runDue();
            assertThat(ran).endsWith("third ends", "asks ends", "waits ends");
            for (long id : List.of(first, second, third))
                assertThat(state(manual, id)).isEqualTo(JobState.DONE);
        }
        assertThat(database.number("SELECT count(*) FROM howdah_internal.ordered"))
                .isZero();
    }

    @Test
    void resumedJob_isBeforeThoseThatHaveNotBegun_onceTheOneThatRunsHasEnded() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (Jobs jobs = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            if (text.equals("asks")) job.awaitOrFail("go", Boolean.class, HOUR);
                            if (text.equals("holds")) {
                                begun.countDown();
                                end.await();
                            }
                            ran.add(text);
                        },
                        HandlerOptions::releaseOrderKey)
                .start()) {
            NewJob<String> asks = NewJob.of(WORK, "asks").orderKey("customer 7");
            long first = jobs.add(asks).id();
            jobs.add(NewJob.of(WORK, "holds").orderKey("customer 7"));
            JobsDatabase.awaiting("the second job has its turn").until(() -> begun.await(0, TimeUnit.SECONDS));
            long third =
                    jobs.add(NewJob.of(WORK, "third").orderKey("customer 7")).id();
            jobs.signal(first, "go", true);
            JobsDatabase.awaiting("the first one waits for its turn again")
                    .until(() ->
                            database.number("SELECT count(*) FROM howdah_internal.ordered WHERE id = " + first) == 1);
            end.countDown();
            assertThat(jobs.await(third, Duration.ofSeconds(30)).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("holds", "asks", "third");
    }

    @Test
    void releasedJob_thatFailsOrIsCancelled_hasItsOrderAgainWhenItIsRetried() {
        try (ManualJobs manual = manual(HandlerOptions::releaseOrderKey)) {
            long first = add(manual, "waits");
            manual.runDue();
            manual.jobs().admin().cancel(first);
            long second = add(manual, "asks");
            manual.runDue();
            assertThat(state(manual, second)).isEqualTo(JobState.SUSPENDED);
            manual.jobs().admin().retry(first);
            manual.runDue();
            assertThat(state(manual, first)).isEqualTo(JobState.SUSPENDED);
            assertThat(database.number(
                            "SELECT count(*) FROM howdah_internal.job WHERE more ->> 'released' = 'customer 7'"))
                    .isEqualTo(2);
            // The wait for the signal ends by its time, and fails the second one.
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(state(manual, first)).isEqualTo(JobState.DONE);
            assertThat(state(manual, second)).isEqualTo(JobState.FAILED);
            add(manual, "last");
            manual.runDue();
            assertThat(ran).endsWith("waits ends", "last begins", "last ends");
        }
    }
}
