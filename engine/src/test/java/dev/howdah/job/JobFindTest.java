package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Jobs as the library finds them, in each of their states. */
@PostgresTest
class JobFindTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<Integer> HELD = Kind.of("held", Integer.class);
    private static final Kind<Integer> FLAKY = Kind.of("flaky", Integer.class);
    private static final Kind<Integer> BAD = Kind.of("bad", Integer.class);
    private static final Kind<Integer> UNKNOWN = Kind.of("unknown", Integer.class);

    private static JobState state(Jobs jobs, long id) {
        return jobs.admin().find(id).orElseThrow().state();
    }

    private static void awaitState(Jobs jobs, long id, JobState state) {
        awaiting("job " + id + " is " + state).until(() -> state(jobs, id) == state);
    }

    @Test
    void find_eachState_isAsTheDatabaseHasIt(TestDatabase database) throws Exception {
        JobsDatabase.filled(database);
        CountDownLatch held = new CountDownLatch(1);
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database))
                .nodeName("finder")
                .handle(WORK, (n, job) -> {})
                .handle(HELD, (n, job) -> held.await(60, TimeUnit.SECONDS))
                .handle(
                        FLAKY,
                        (n, job) -> {
                            throw new IllegalStateException("no luck with " + n);
                        },
                        options -> options.retries(RetryPolicy.after(Duration.ofHours(1))))
                .handle(BAD, (n, job) -> {
                    throw new FatalException("bad " + n);
                })
                .start()) {
            long done = jobs.add(WORK, 1);
            long running = jobs.add(NewJob.of(HELD, 2).priority(-3).orderKey("customer"))
                    .id();
            long following = jobs.add(NewJob.of(HELD, 3).orderKey("customer")).id();
            long retrying = jobs.add(FLAKY, 4);
            long failed = jobs.add(BAD, 5);
            Instant later = Instant.now().plus(Duration.ofDays(1));
            long planned = jobs.add(NewJob.of(WORK, 6).runAt(later)).id();
            long cancelled = jobs.add(NewJob.of(WORK, 7).runAt(later)).id();
            long waiting = jobs.add(NewJob.of(UNKNOWN, 8)).id();
            assertThat(jobs.admin().cancel(cancelled)).isEqualTo(CancelResult.CANCELLED);
            awaitState(jobs, done, JobState.DONE);
            awaitState(jobs, running, JobState.RUNNING);
            awaitState(jobs, retrying, JobState.RETRYING);
            awaitState(jobs, failed, JobState.FAILED);
            assertThat(Stream.of(following, planned, cancelled, waiting).map(id -> state(jobs, id)))
                    .containsExactly(JobState.FOLLOWING, JobState.PLANNED, JobState.CANCELLED, JobState.WAITING);

            JobSummary ended = jobs.admin().find(done).orElseThrow();
            assertThat(ended.id()).isEqualTo(done);
            assertThat(ended.queue()).isEqualTo("default");
            assertThat(ended.kind()).isEqualTo("work");
            assertThat(ended.attempt()).isEqualTo(1);
            assertThat(ended.begun()).isNotNull().isAfterOrEqualTo(ended.created());
            assertThat(ended.ended()).isNotNull().isAfterOrEqualTo(ended.begun());
            assertThat(ended.node()).isNotNull();
            assertThat(ended.error()).isNull();
            assertThat(jobs.admin().find(running).orElseThrow())
                    .returns(-3, JobSummary::priority)
                    .returns("2", JobSummary::payload)
                    .returns(null, JobSummary::ended);
            assertThat(jobs.admin().find(retrying).orElseThrow().error()).contains("no luck with 4");
            assertThat(jobs.admin().find(failed).orElseThrow().error()).contains("bad 5");
            assertThat(jobs.admin().find(planned).orElseThrow())
                    .returns(later.toEpochMilli(), found -> found.runAt().toEpochMilli())
                    .returns(0, JobSummary::attempt)
                    .returns(null, JobSummary::node)
                    .returns(null, JobSummary::begun);
            assertThat(jobs.admin().find(waiting + 1_000_000)).isEmpty();
            held.countDown();
            awaitState(jobs, following, JobState.DONE);
        }
    }

    /** The words of the view and the constants are the same set. */
    @Test
    void states_ofTheView_areTheConstants(TestDatabase database) {
        JobsDatabase.filled(database);
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database)).start()) {
            assertThat(jobs.admin().find(1)).isEmpty();
        }
        String view = String.valueOf(database.value("SELECT pg_get_viewdef('howdah.jobs'::regclass)"));
        List<String> words = Arrays.stream(JobState.values())
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toList());
        assertThat(words).allMatch(word -> view.contains("'" + word + "'::text"));
    }

    @Test
    void find_refusedByTheDatabase_saysWhy(TestDatabase database) throws Exception {
        JobsDatabase.filled(database);
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database)).start()) {
            database.execute("DROP FUNCTION howdah.find(bigint)");
            assertThatThrownBy(() -> jobs.admin().find(1))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("function howdah.find(bigint) does not exist");
        }
    }
}
