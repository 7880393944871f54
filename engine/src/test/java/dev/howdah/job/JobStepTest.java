package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobStep;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TypeReference;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Steps of a handler: done once, their results kept for later attempts. */
@PostgresTest
class JobStepTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final RetryPolicy TWICE = RetryPolicy.after(Duration.ZERO, Duration.ZERO);

    private final JobsDatabase database;

    JobStepTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Test
    void step_done_isNotRunAgainByALaterAttempt() {
        List<String> ran = new ArrayList<>();
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> {
                            String charge = job.step("charge", String.class, () -> {
                                ran.add("charge");
                                return "payment of " + text;
                            });
                            Map<?, ?> address = job.step("address", Map.class, () -> {
                                ran.add("address");
                                return Map.of("city", "Bonn");
                            });
                            job.step("nothing", Void.class, () -> {
                                ran.add("nothing");
                                return null;
                            });
                            ran.add(charge + " " + address + " in attempt " + job.attempt());
                            job.step("mail " + job.attempt(), Void.class, () -> {
                                if (job.attempt() < 3) throw new IllegalStateException("no mail server");
                                return null;
                            });
                        },
                        options -> options.retries(TWICE))
                .manual()) {
            long id = manual.jobs().add(WORK, "ann");
            assertThat(manual.runDue()).isEqualTo(3);
            assertThat(ran)
                    .containsExactly(
                            "charge",
                            "address",
                            "nothing",
                            "payment of ann {city=Bonn} in attempt 1",
                            "payment of ann {city=Bonn} in attempt 2",
                            "payment of ann {city=Bonn} in attempt 3");
            assertThat(manual.jobs().admin().steps(id))
                    .extracting(JobStep::name)
                    .containsExactly("charge", "address", "nothing", "mail 3");
            assertThat(manual.jobs().admin().steps(id).get(0))
                    .returns("work", JobStep::kind)
                    .returns(1, JobStep::attempt)
                    .returns("\"payment of ann\"", JobStep::result);
            long other = manual.jobs().add(WORK, "bob");
            manual.runDue();
            assertThat(ran).contains("payment of bob {city=Bonn} in attempt 1");
            assertThat(manual.jobs().admin().find(other).orElseThrow().state()).isEqualTo(JobState.DONE);
        }
    }

    @Test // exactly once, also when the node is killed in the middle of the next step
    void stepInTransaction_nodeKilled_isDoneOnce() {
        database.execute("CREATE TABLE effect (job bigint, what text)");
        try (Jobs producer = database.jobs().start()) {
            long id = producer.add(JobProcess.STEPS, "hang");
            try (JobProcess doomed = JobProcess.at(database.uri(), 2)) {
                doomed.awaitSaid("second " + id + " after 41");
                doomed.kill();
            }
            database.execute("UPDATE howdah_internal.batch SET payloads = ARRAY['\"go\"'::json] WHERE ended IS NULL");
            try (JobProcess next = JobProcess.at(database.uri(), 2)) {
                next.awaitSaid("second " + id + " after 41");
                JobsDatabase.awaiting("it is done")
                        .until(() -> producer.admin().find(id).orElseThrow().state() == JobState.DONE);
            }
            assertThat(database.number("SELECT count(*) FROM effect")).isEqualTo(1);
            assertThat(producer.admin().steps(id)).extracting(JobStep::attempt).containsExactly(1, 2);
        }
    }

    @Test
    void stepInTransaction_fails_isUndoneAndRunsAgain() {
        database.execute("CREATE TABLE effect (job bigint, what text)");
        AtomicInteger runs = new AtomicInteger();
        List<String> refused = new CopyOnWriteArrayList<>();
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (text, job) -> job.stepInTransaction("write", Integer.class, connection -> {
                            try (Statement statement = connection.createStatement()) {
                                statement.execute("INSERT INTO effect VALUES (" + job.id() + ", 'x')");
                            }
                            try {
                                connection.commit();
                            } catch (SQLException e) {
                                refused.add(e.getMessage());
                            }
                            if (runs.incrementAndGet() == 1) throw new IllegalStateException("no luck");
                            return 1;
                        }),
                        options -> options.retries(TWICE))
                .manual()) {
            manual.jobs().add(WORK, "a");
            assertThat(manual.runDue()).isEqualTo(2);
            assertThat(database.number("SELECT count(*) FROM effect")).isEqualTo(1);
            assertThat(refused.get(0)).contains("a handler must not commit: the transaction is the step's");
        }
    }

    /** What another node works on is not recorded by this one, nor is what was written with the step. */
    @Test
    void step_ofANodeThatHasLostTheJob_isNotRecorded() {
        database.execute("CREATE TABLE effect (job bigint, what text)");
        List<String> refused = new CopyOnWriteArrayList<>();
        try (ManualJobs manual = database.jobs()
                .handle(WORK, (text, job) -> {
                    database.execute("UPDATE howdah_internal.batch SET node = node + 1000 WHERE ended IS NULL");
                    try {
                        job.step("charge", Integer.class, () -> 1);
                    } catch (JobsException e) {
                        refused.add(e.getMessage());
                    }
                    try {
                        job.stepInTransaction("write", Integer.class, connection -> {
                            try (Statement statement = connection.createStatement()) {
                                return statement.executeUpdate("INSERT INTO effect VALUES (1, 'x')");
                            }
                        });
                    } catch (JobsException e) {
                        refused.add(e.getMessage());
                    }
                })
                .manual()) {
            long id = manual.jobs().add(WORK, "a");
            manual.runDue();
            assertThat(refused).hasSize(2).allMatch(text -> text.contains("the node does not have the job any more"));
            assertThat(manual.jobs().admin().steps(id)).isEmpty();
            assertThat(database.number("SELECT count(*) FROM effect")).isZero();
        }
    }

    @Test
    void step_wrongUse_isRefused() {
        Kind<String> own = Kind.of("own", String.class);
        List<String> refused = new CopyOnWriteArrayList<>();
        try (ManualJobs manual = database.jobs()
                .handle(WORK, (text, job) -> {
                    try {
                        job.step("", Integer.class, () -> 1);
                    } catch (IllegalArgumentException e) {
                        refused.add(e.getMessage());
                    }
                })
                .handleInTransaction(own, (text, job, connection) -> {
                    try {
                        job.step("x", Integer.class, () -> 1);
                    } catch (IllegalStateException e) {
                        refused.add(e.getMessage());
                    }
                })
                .manual()) {
            manual.jobs().add(WORK, "a");
            manual.jobs().add(own, "b");
            manual.runDue();
            assertThat(refused)
                    .hasSize(2)
                    .anyMatch(text -> text.contains("1 to 200 characters"))
                    .anyMatch(text -> text.contains("runs in the job's own transaction"));
        }
    }

    /** The steps of a job that can be retried stay, however old they are. */
    @Test
    void steps_old_goWhenTheirJobCannotComeBack() throws Exception {
        try (Jobs jobs = database.jobs().start()) {
            long waits = jobs.add(WORK, "a");
            database.execute(
                    "INSERT INTO howdah_internal.job_step (job, kind, name, attempt, at, result) SELECT id, 'work', 'x', 1, now() - interval '9 days', '1'"
                            + " FROM unnest(ARRAY[" + waits + ", 1000000]) id;"
                            + " INSERT INTO howdah_internal.job_step (job, kind, name, attempt, at, result) VALUES (1000001, 'work', 'x', 1, now(), '1')");
            new HistoryCleaner(ConnectionSource.of(database.dataSource()), 7, 30).tidy();
            assertThat(jobs.admin().steps(waits)).hasSize(1);
            assertThat(jobs.admin().steps(1_000_000)).isEmpty();
            assertThat(jobs.admin().steps(1_000_001)).hasSize(1);
        }
    }

    record Line(String article, int pieces) {}

    @Test
    void resultOfAGenericType_isTheSameInLaterAttempts() throws Exception {
        List<String> seen = new ArrayList<>();
        TypeReference<List<Line>> lines = new TypeReference<>() {};
        Kind<String> pack = Kind.of("pack", String.class);
        try (ManualJobs manual = database.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ZERO))
                .handle(pack, (text, job) -> {
                    List<Line> read = job.step("read", lines, () -> List.of(new Line("pen", 2)));
                    List<Line> written =
                            job.stepInTransaction("write", lines, connection -> List.of(new Line("ink", 3)));
                    seen.add(Objects.requireNonNull(read).get(0).article()
                            + Objects.requireNonNull(written).get(0).pieces());
                    if (job.attempt() == 1) throw new IllegalStateException("once more");
                    job.result(read);
                })
                .manual()) {
            long id = manual.jobs().add(pack, "x");
            manual.runDue();
            manual.runDue();
            assertThat(seen).containsExactly("pen3", "pen3");
            assertThat(manual.jobs().result(id, lines).get()).containsExactly(new Line("pen", 2));
        }
    }
}
