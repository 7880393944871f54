package dev.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.wait.Child;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests of handlers that wait. */
@PostgresTest
class TestWaitsTest {
    private static final Kind<String> ORDER = Kind.of("order", String.class);

    private final TestDatabase database;
    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private final List<String> ran = new ArrayList<>();

    TestWaitsTest(TestDatabase database) {
        this.database = database;
        source.setUrl(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
    }

    private JobsBuilder builder() {
        return Jobs.on(source).handle(ORDER, (text, job) -> {
            job.sleep("cool down", Duration.ofDays(3));
            ran.add("slept");
            ran.add(job.await("approval", Boolean.class, Duration.ofDays(7))
                    .map(signal -> "approved " + signal.payload())
                    .orElse("not approved"));
        });
    }

    @Test
    void drain_passesSleeps_andStopsAtWaitsForSignals() {
        try (TestJobs test = TestJobs.of(source, builder())) {
            long id = test.jobs().add(ORDER, "x");
            test.runDue();
            test.assertSuspended("order", "cool down");
            assertThat(test.waiting()).isEmpty();
            test.drain();
            assertThat(ran).containsExactly("slept");
            test.assertSuspended("order", "approval");
            assertThat(test.suspended()).extracting(SeenJob::id).containsExactly(id);
            assertThatThrownBy(() -> test.assertSuspended("order", "refusal")).hasMessageContaining("\"refusal\"");
            test.jobs().signal(id, "approval", true);
            test.runDue();
            assertThat(ran).containsExactly("slept", "slept", "approved true");
            assertThat(test.suspended()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void crashes_atEachStatement_repeatNoRecordedEffect() {
        try (TestJobs tables = TestJobs.of(source, Jobs.on(source))) {
            assertThat(tables.waiting()).isEmpty();
        }
        database.execute("CREATE TABLE effect (what text)");
        CrashHarness.on(source)
                .program(run -> Jobs.on(run.dataSource()).handle(ORDER, (text, job) -> {
                    effect(job, "first", "SELECT howdah.signal(" + job.id() + ", 'ok', '1')");
                    job.sleep("cool down", Duration.ofDays(3));
                    effect(job, "second", "SELECT 1");
                    job.sleep("short", Duration.ofMillis(1));
                    effect(job, "third", "SELECT howdah.signal(" + job.id() + ", 'ok', '2')");
                    for (int i = 1; i <= 2; i++)
                        effect(
                                job,
                                "signal "
                                        + job.awaitOrFail("ok", Integer.class, Duration.ofDays(1))
                                                .payload(),
                                "SELECT 1");
                }))
                .job(NewJob.of(ORDER, "x"))
                .before("TRUNCATE effect")
                .effect("first", "SELECT count(*) FROM effect WHERE what = 'first'")
                .effect("second", "SELECT count(*) FROM effect WHERE what = 'second'")
                .effect("third", "SELECT count(*) FROM effect WHERE what = 'third'")
                .effect("signal 1", "SELECT count(*) FROM effect WHERE what = 'signal 1'")
                .effect("signal 2", "SELECT count(*) FROM effect WHERE what = 'signal 2'")
                .run()
                .assertDone()
                .assertExactlyOnce("first")
                .assertExactlyOnce("second")
                .assertExactlyOnce("third")
                .assertExactlyOnce("signal 1")
                .assertExactlyOnce("signal 2");
    }

    @Test
    @Tag("long")
    void crashes_atEachStatementOfAParent_addOneChild() {
        Kind<Integer> part = Kind.of("part", Integer.class);
        try (TestJobs tables = TestJobs.of(source, Jobs.on(source))) {
            assertThat(tables.waiting()).isEmpty();
        }
        database.execute("CREATE TABLE effect (what text); CREATE TABLE seen (parent bigint, child bigint)");
        CrashHarness.on(source)
                .program(run -> Jobs.on(run.dataSource())
                        .handle(ORDER, (text, job) -> {
                            Child child = job.child("part", NewJob.of(part, 1));
                            try (Connection connection = run.dataSource().getConnection();
                                    Statement statement = connection.createStatement()) {
                                statement.execute("INSERT INTO seen VALUES (" + job.id() + ", " + child.id() + ")");
                            }
                            effect(job, "got " + job.awaitChild(child, Integer.class), "SELECT 1");
                        })
                        .handle(part, (number, job) -> {
                            effect(job, "part", "SELECT 1");
                            job.result(5);
                        }))
                .job(NewJob.of(ORDER, "x"))
                .before("TRUNCATE effect; TRUNCATE seen")
                .effect("child", "SELECT count(DISTINCT child) FROM seen")
                .effect("added", "SELECT count(*) FROM howdah.jobs WHERE kind = 'part'")
                .effect("part", "SELECT count(*) FROM effect WHERE what = 'part'")
                .effect("got", "SELECT count(*) FROM effect WHERE what = 'got 5'")
                .run()
                .assertDone()
                .assertExactlyOnce("child")
                .assertExactlyOnce("added")
                .assertExactlyOnce("part")
                .assertExactlyOnce("got");
    }

    private static void effect(Job job, String what, String more) throws Exception {
        job.stepInTransaction(what, Integer.class, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(more);
                return statement.executeUpdate("INSERT INTO effect VALUES ('" + what + "')");
            }
        });
    }

    @Test
    void advance_endsWaits() {
        try (TestJobs test = TestJobs.of(source, builder())) {
            test.jobs().add(ORDER, "x");
            test.runFor(Duration.ofDays(4));
            assertThat(ran).containsExactly("slept");
            test.runFor(Duration.ofDays(8));
            assertThat(ran).endsWith("not approved");
        }
    }

    @Test
    void replaying_failsWhereTheHandlerDoesNotAskForTheSame() {
        AtomicInteger calls = new AtomicInteger();
        try (TestJobs test = TestJobs.of(source, Jobs.on(source).handle(ORDER, (text, job) -> {
                    String name = text.equals("chance") && calls.getAndIncrement() % 2 == 1 ? "other" : "same";
                    job.step(name, Void.class, () -> {
                        ran.add(name);
                        return null;
                    });
                    job.sleep("cool down", Duration.ofDays(3));
                    job.step("end", Void.class, () -> {
                        ran.add("end");
                        return null;
                    });
                }))
                .replaying()) {
            test.jobs().add(ORDER, "fixed");
            test.drain();
            assertThat(ran).containsExactly("same", "end");
            test.jobs().add(ORDER, "chance");
            assertThatThrownBy(test::drain)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("step \"other\"")
                    .hasMessageContaining("step \"same\"");
        }
    }

    private static JobsBuilder charging(JobsBuilder program, String step) {
        return program.handle(ORDER, (text, job) -> {
            job.step(step, Void.class, () -> null);
            job.sleep("cool down", Duration.ofDays(3));
            job.step("ship", Void.class, () -> {
                throw new AssertionError("is done by no rehearsal");
            });
        });
    }

    @Test
    void assertReplays_saysWhichJobsWouldDiverge_andChangesNone() {
        long id;
        try (TestJobs test = TestJobs.of(source, charging(Jobs.on(source), "charge"))) {
            id = test.jobs().add(ORDER, "x");
            test.runDue();
            test.assertReplays();
        }
        try (TestJobs next = TestJobs.of(source, charging(Jobs.on(source), "charge card"))) {
            assertThatThrownBy(next::assertReplays)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("job " + id + " (order) would diverge")
                    .hasMessageContaining("\"charge card\"")
                    .hasMessageContaining("\"charge\"");
            next.assertSuspended("order", "cool down");
        }
    }
}
