package dev.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.FatalException;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import dev.howdah.job.Pipeline;
import dev.howdah.job.unique.Unique;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Users can run handlers inline, assert what was added, drain a queue and move the clock, with no sleeping. */
@PostgresTest
class TestJobsTest {
    record Welcome(String email) {}

    private static final Kind<Welcome> WELCOME = Kind.of("welcome", Welcome.class);

    private final DataSource source;

    TestJobsTest(TestDatabase database) {
        PGSimpleDataSource made = new PGSimpleDataSource();
        made.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        source = made;
    }

    @Test
    void runDue_runsWhatIsDue_inThisThreadInOrder() {
        List<String> ran = new ArrayList<>();
        try (TestJobs jobs = TestJobs.of(source, Jobs.on(source).handle(WELCOME, (welcome, job) -> {
            assertThat(Thread.currentThread().isDaemon()).isFalse();
            ran.add(welcome.email());
        }))) {
            jobs.jobs().add(NewJob.of(WELCOME, new Welcome("late")).priority(5));
            jobs.jobs().add(WELCOME, new Welcome("first"));
            jobs.jobs().add(WELCOME, new Welcome("second"));
            jobs.jobs().add(NewJob.of(WELCOME, new Welcome("tomorrow")).delay(Duration.ofDays(1)));
            assertThat(ran).isEmpty();
            assertThat(jobs.runDue()).isEqualTo(3);
            assertThat(ran).containsExactly("first", "second", "late");
            jobs.advance(Duration.ofDays(1));
            assertThat(jobs.runDue()).isEqualTo(1);
            assertThat(ran).endsWith("tomorrow");
            assertThat(jobs.waiting()).isEmpty();
        }
    }

    @Test
    void advance_connectionsWithAutocommitOff_isWritten() {
        PGSimpleDataSource manual = new PGSimpleDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = source.getConnection();
                connection.setAutoCommit(false);
                return connection;
            }
        };
        try (TestJobs jobs = TestJobs.of(manual, Jobs.on(manual).handle(WELCOME, (welcome, job) -> {}))) {
            jobs.jobs().add(NewJob.of(WELCOME, new Welcome("tomorrow")).delay(Duration.ofDays(1)));
            assertThat(jobs.runDue()).isZero();
            jobs.advance(Duration.ofDays(1));
            assertThat(jobs.runDue()).isEqualTo(1);
        }
    }

    @Test
    void advance_windowOfUniqueJobs_endsInTheTestsTime() {
        NewJob<Welcome> once =
                NewJob.of(WELCOME, new Welcome("ann")).unique(Unique.byPayload().within(Duration.ofHours(1)));
        try (TestJobs jobs = TestJobs.of(source, Jobs.on(source).handle(WELCOME, (welcome, job) -> {}))) {
            assertThat(jobs.jobs().add(once).added()).isTrue();
            assertThat(jobs.runDue()).isEqualTo(1);
            assertThat(jobs.jobs().add(once).added()).isFalse();
            jobs.advance(Duration.ofHours(1));
            assertThat(jobs.jobs().add(once).added()).isTrue();
        }
    }

    record Sum(long small, double large, List<Double> all) {}

    @Test
    void assertAdded_withNumbers_comparesTheirValues() {
        try (TestJobs jobs = TestJobs.of(source, Jobs.on(source))) {
            Sum sum = new Sum(1, 1e10, List.of(1.5));
            jobs.jobs().add(Kind.of("sum", Sum.class), sum);
            jobs.assertAdded("sum", sum);
            jobs.assertAdded("sum", Map.of("small", 1, "large", 10_000_000_000L, "all", List.of(1.5f)));
            assertThatThrownBy(() -> jobs.assertAdded("sum", new Sum(2, 1e10, List.of(1.5))))
                    .isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void assertAdded_onlyWhatWasCommitted() throws SQLException {
        try (TestJobs jobs = TestJobs.of(source, Jobs.on(source).handle(WELCOME, (welcome, job) -> {}));
                Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            jobs.jobs().add(connection, WELCOME, new Welcome("ann"));
            jobs.assertNotAdded("welcome");
            connection.commit();
            jobs.assertAdded("welcome", new Welcome("ann"));
            assertThatThrownBy(() -> jobs.assertAdded("welcome", new Welcome("bob")))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("bob")
                    .hasMessageContaining("ann");
            assertThatThrownBy(() -> jobs.assertNotAdded("welcome")).hasMessageContaining("ann");
        }
    }

    @Test
    void jobsThatWaitForOthers_areSeenAndRunInTheirOrder() {
        List<String> ran = new ArrayList<>();
        Kind<String> step = Kind.of("step", String.class);
        Pipeline pipeline = Pipeline.of("order")
                .stage("check", String.class, (text, job) -> Outcome.next(text + " checked"))
                .stageInTransaction("charge", String.class, (text, job, connection) -> Outcome.next(text + ", charged"))
                .stage("ship", String.class, (text, job) -> {
                    ran.add(text + ", shipped");
                    return Outcome.done();
                });
        try (TestJobs jobs = TestJobs.of(
                source,
                Jobs.on(source)
                        .queues("default")
                        .defaultRetries(RetryPolicy.linear(Duration.ofHours(1), 3))
                        .handle(step, (text, job) -> {
                            ran.add(text + " " + job.attempt());
                            if (text.equals("a") && job.attempt() == 1) throw new IllegalStateException("once");
                        })
                        .pipeline(pipeline))) {
            jobs.jobs().add(NewJob.of(step, "a").orderKey("customer"));
            jobs.jobs().add(NewJob.of(step, "b").orderKey("customer").priority(-100));
            jobs.jobs().add(NewJob.of(step, "c").orderKey("customer").delay(Duration.ofDays(1)));
            jobs.assertAdded("step", "a");
            jobs.assertAdded("step", "b");
            assertThat(jobs.runDue()).isEqualTo(1);
            jobs.assertAdded("step", "c");
            assertThat(jobs.drain()).isEqualTo(3);
            jobs.jobs().add(pipeline.job("order 7"));
            assertThat(jobs.runDue()).isEqualTo(3);
            assertThat(ran).containsExactly("a 1", "a 2", "b 1", "c 1", "order 7 checked, charged, shipped");
            assertThat(jobs.waiting()).isEmpty();
        }
    }

    @Test
    void drain_withRetries_runsThemAllWithoutWaiting() {
        List<Integer> attempts = new ArrayList<>();
        try (TestJobs jobs = TestJobs.of(
                source,
                Jobs.on(source)
                        .defaultRetries(RetryPolicy.linear(Duration.ofHours(1), 3))
                        .handle(WELCOME, (welcome, job) -> {
                            attempts.add(job.attempt());
                            if (welcome.email().equals("nobody")) throw new FatalException("there is no such person");
                            throw new IllegalStateException("down");
                        }))) {
            jobs.jobs().add(WELCOME, new Welcome("ann"));
            assertThat(jobs.drain()).isEqualTo(3);
            assertThat(attempts).containsExactly(1, 2, 3);
            jobs.jobs().add(WELCOME, new Welcome("nobody"));
            assertThat(jobs.drain()).isEqualTo(1);
            assertThat(jobs.failed())
                    .extracting(SeenJob::error)
                    .containsExactly("java.lang.IllegalStateException: down", "there is no such person");
            assertThat(jobs.waiting()).isEmpty();
        }
    }

    @Test
    void logQueue_jobsOfEachReader_waitAndRun() {
        Kind<String> click = Kind.of("click", String.class).queue("clicks");
        List<String> ran = new ArrayList<>();
        JobsBuilder builder = Jobs.on(source)
                .queues("clicks")
                .defaultRetries(RetryPolicy.after(Duration.ofHours(1)))
                .handle(click, (path, job) -> {
                    ran.add(path);
                    if (path.equals("/2") && job.attempt() == 1) throw new IllegalStateException("busy");
                });
        try (TestJobs jobs = TestJobs.of(source, builder)) {
            jobs.jobs().admin().logQueues().create("clicks", Duration.ofDays(1));
            for (String each : List.of("/1", "/2", "/3")) jobs.jobs().add(click, each);
            assertThat(jobs.waiting("click"))
                    .extracting(SeenJob::payload)
                    .containsExactly("\"/1\"", "\"/2\"", "\"/3\"");
            jobs.assertAdded(click, "/2");
            assertThat(jobs.runDue()).isEqualTo(3);
            assertThat(jobs.waiting()).extracting(SeenJob::payload).containsExactly("\"/2\"");
            assertThat(jobs.drain()).isEqualTo(1);
            assertThat(ran).containsExactly("/1", "/2", "/3", "/2");
            assertThat(jobs.waiting()).isEmpty();
            jobs.jobs().add(click, "/4");
            jobs.assertWaiting("click", 1);
        }
    }
}
