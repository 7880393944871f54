package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.FailedJob;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What programs add around jobs: interceptors of adding, listeners of failures, their own threads, and times of a job. */
@PostgresTest
class JobInterceptTest {
    private static final Kind<String> TEXT = Kind.of("text", String.class);

    private final JobsDatabase database;

    JobInterceptTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static NewJob<?> audited(NewJob<?> job, @Nullable Connection connection) {
        if (connection == null) return job;
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO audit VALUES ('" + job.kind().name() + "')");
            return job;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void jobs_addedInAnyWay_areIntercepted() throws SQLException {
        database.execute("CREATE TABLE audit (kind text)");
        try (Jobs jobs = database.jobs()
                        .interceptAdding((job, connection) -> job.queue("q-" + job.queue()))
                        .interceptAdding((job, connection) -> job.queue(job.queue() + "-2"))
                        .interceptAdding(JobInterceptTest::audited)
                        .start();
                Connection connection = database.connect()) {
            jobs.add(TEXT, "one");
            jobs.addAsync(TEXT, "async").join();
            jobs.addAll(List.of(NewJob.of(TEXT, "all")));
            jobs.addAll(List.of(NewJob.of(TEXT, "all").key("k")));
            jobs.addEach(List.of(NewJob.of(TEXT, "each").key("each")));
            assertThat(database.number("SELECT count(*) FROM audit")).isZero();
            connection.setAutoCommit(false);
            jobs.add(connection, TEXT, "in a transaction");
            jobs.addAll(
                    connection,
                    List.of(NewJob.of(TEXT, "all"), NewJob.of(TEXT, "key").key("k2")));
            connection.rollback();
            assertThat(database.number("SELECT count(*) FROM audit")).isZero();
            jobs.addEach(connection, List.of(NewJob.of(TEXT, "each")));
            connection.commit();
            assertThat(database.number("SELECT count(*) FROM audit")).isEqualTo(1);
            assertThat(database.rows("SELECT DISTINCT queue, count(*) FROM howdah.jobs GROUP BY 1"))
                    .containsExactly(List.of("q-default-2", "6"));
        }
    }

    @Test
    void interceptor_thatThrowsOrReturnsNull_addsNothing() {
        try (Jobs jobs = database.jobs()
                .interceptAdding((job, connection) -> {
                    if ("null".equals(job.payload())) return JobInterceptTest.<NewJob<?>>nothing();
                    throw new IllegalArgumentException("no tenant");
                })
                .start()) {
            assertThatThrownBy(() -> jobs.add(TEXT, "x"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("no tenant");
            assertThatThrownBy(() -> jobs.addAsync(TEXT, "x").join()).hasRootCauseMessage("no tenant");
            assertThatThrownBy(() -> jobs.addAll(List.of(NewJob.of(TEXT, "x")))).hasMessage("no tenant");
            assertThatThrownBy(() -> jobs.add(TEXT, "null")).hasMessageContaining("has returned null for a job text");
            assertThat(database.waiting()).isZero();
        }
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nothing() {
        return null;
    }

    @Test
    void listener_isToldOfFailuresThatAreDurable_andNothingElse() {
        Queue<FailedJob> told = new ConcurrentLinkedQueue<>();
        Queue<String> states = new ConcurrentLinkedQueue<>();
        AtomicInteger hostile = new AtomicInteger();
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(1)))
                .onFailure(failed -> {
                    hostile.incrementAndGet();
                    throw new NoClassDefFoundError("a/B");
                })
                .onFailure(failed -> {
                    states.add(database.failed(failed.id(), "state"));
                    told.add(failed);
                })
                .handle(TEXT, (payload, job) -> {
                    if (payload.equals("fatal")) throw new FatalException("bad card");
                    if (payload.equals("always")) throw new IllegalStateException("no address");
                    if (payload.equals("once") && job.attempt() == 1) throw new IllegalStateException("once");
                })
                .handleInTransaction(Kind.of("own", String.class), (payload, job, connection) -> {
                    throw new FatalException("no");
                })
                .start()) {
            long fatal = jobs.add(TEXT, "fatal");
            long always = jobs.add(TEXT, "always");
            database.awaitLetters(jobs.add(TEXT, "once"), "rd");
            long own = jobs.add(Kind.of("own", String.class), "x");
            JobsDatabase.awaiting("all are told").until(() -> told.size() == 3);
            assertThat(told)
                    .extracting(each -> each.id() + " " + each.kind() + " " + each.attempt() + " " + each.payload())
                    .containsExactlyInAnyOrder(
                            fatal + " text 1 \"fatal\"", always + " text 2 \"always\"", own + " own 1 \"x\"");
            assertThat(told).anySatisfy(each -> assertThat(each.error()).contains("no address", "JobInterceptTest"));
            assertThat(told).anySatisfy(each -> assertThat(each.toString()).endsWith("with attempt 1: bad card"));
            assertThat(states).containsOnly("failed");
            assertThat(hostile).hasValue(3);
        }
    }

    @Test
    void listener_isToldOfJobsThatThreeNodesHaveCrashedWith_byTheOneThatRescuesThem() {
        Queue<FailedJob> told = new ConcurrentLinkedQueue<>();
        String large = '"' + "x".repeat(10_000) + '"';
        try (Jobs jobs = database.jobs().start()) {
            // A node that has no lock, and jobs that two others have crashed with.
            database.execute("""
                    SELECT howdah.add('other', 'work', '1'), howdah.add('other', 'work', '%s'), howdah.add('other', 'work', '3');
                    WITH node AS (
                        INSERT INTO howdah_internal.node (name, features) VALUES ('gone', '{job}') RETURNING id
                    ), taken AS (
                        DELETE FROM howdah_internal.job RETURNING *
                    )
                    INSERT INTO howdah_internal.batch (
                        node, token, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads, rest)
                    SELECT (SELECT id FROM node), 1, lane, true, true, 1, id, id, ARRAY[id], run_at, kind, ARRAY[payload],
                        CASE WHEN payload::text IS DISTINCT FROM '3'
                            THEN jsonb_build_object(id, '{"p": 0, "a": 2, "d": 2, "m": null}'::jsonb) END
                    FROM taken
                    """.formatted(large));
            assertThat(jobs.add(TEXT, "nobody's")).isPositive();
        }
        try (Jobs rescuer = database.jobs()
                .queues("default")
                .onFailure(told::add)
                .handle(TEXT, (payload, job) -> {})
                .start()) {
            JobsDatabase.awaiting("both are told").until(() -> told.size() == 2);
            JobsDatabase.awaiting("the third one is back").until(() -> database.waiting() == 1);
        }
        assertThat(told)
                .extracting(each -> each.queue() + " " + each.kind() + " " + each.attempt() + " " + each.payload())
                .containsExactlyInAnyOrder("other work 3 1", "other work 3 " + large);
        assertThat(told).allMatch(each -> each.error().equals("the node that worked on it has died, 3 times in all"));
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed WHERE state = 'failed'"))
                .isEqualTo(2);
    }

    @Test
    void listener_thatBlocks_delaysNoJobs() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Jobs jobs = database.jobs()
                .onFailure(failed -> {
                    blocked.countDown();
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                })
                .handle(TEXT, (payload, job) -> {
                    if (payload.equals("bad")) throw new FatalException("no");
                })
                .start()) {
            for (int i = 0; i < 1_500; i++) jobs.addAsync(TEXT, "bad");
            blocked.await();
            database.awaitLetters(jobs.add(TEXT, "fine"), "d");
            JobsDatabase.awaiting("all have failed")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == 1_500);
            go.countDown();
        }
    }

    @Test
    void job_knowsWhenItWasAddedAndDue_alsoInItsTransaction() {
        Queue<Instant> times = new ConcurrentLinkedQueue<>();
        Instant planned = Instant.parse("2020-02-29T12:00:00Z");
        try (Jobs jobs = database.jobs()
                .handle(TEXT, (payload, job) -> {
                    times.add(job.runAt());
                    times.add(job.createdAt());
                })
                .handleInTransaction(Kind.of("own", String.class), (payload, job, connection) -> times.add(job.runAt()))
                .start()) {
            jobs.add(NewJob.of(TEXT, "x").runAt(planned));
            JobsDatabase.awaiting("it has run").until(() -> times.size() == 2);
            assertThat(times.poll()).isEqualTo(planned);
            assertThat(times.poll()).isAfterOrEqualTo(planned);
            jobs.add(NewJob.of(Kind.of("own", String.class), "x").runAt(planned));
            JobsDatabase.awaiting("it has run").until(() -> times.size() == 1);
            assertThat(times.poll()).isEqualTo(planned);
        }
    }

    @Test
    void handlers_runInThreadsOfTheProgram_thatAreGivenBack() {
        Queue<String> names = new ConcurrentLinkedQueue<>();
        ExecutorService own = Executors.newFixedThreadPool(2, work -> new Thread(work, "own"));
        try (Jobs jobs = database.jobs()
                .concurrency(5)
                .executor(own)
                .handle(TEXT, (payload, job) -> names.add(Thread.currentThread().getName()))
                .start()) {
            for (int i = 0; i < 20; i++) jobs.add(TEXT, "x");
            JobsDatabase.awaiting("all have run").until(() -> names.size() == 20);
            // Both threads are free again for other tasks.
            CountDownLatch both = new CountDownLatch(2);
            for (int i = 0; i < 2; i++)
                own.execute(() -> {
                    both.countDown();
                    try {
                        both.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            JobsDatabase.awaiting("other tasks run").until(() -> both.getCount() == 0);
            jobs.add(TEXT, "later");
            JobsDatabase.awaiting("it has run").until(() -> names.size() == 21);
            assertThat(names).containsOnly("own");
        } finally {
            own.shutdownNow();
        }
    }

    @Test // as the caller-runs policy of pools does
    void executor_thatRunsTasksInItsCaller_isNoThread() {
        AtomicInteger calls = new AtomicInteger();
        ExecutorService own = Executors.newSingleThreadExecutor(work -> new Thread(work, "own"));
        Queue<String> names = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = database.jobs()
                .executor(task -> {
                    if (calls.getAndIncrement() == 0) task.run();
                    else own.execute(task);
                })
                .handle(TEXT, (payload, job) -> names.add(Thread.currentThread().getName()))
                .start()) {
            jobs.add(TEXT, "x");
            jobs.add(TEXT, "y");
            JobsDatabase.awaiting("both have run").until(() -> names.size() == 2);
            assertThat(names).containsOnly("own");
        } finally {
            own.shutdownNow();
        }
    }

    @Test
    void handlers_runInThreadsOfAFactory() {
        Queue<String> names = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = database.jobs()
                .threadFactory(work -> new Thread(work, "made"))
                .handle(TEXT, (payload, job) -> names.add(Thread.currentThread().getName()))
                .start()) {
            jobs.add(TEXT, "x");
            JobsDatabase.awaiting("it has run").until(() -> names.size() == 1);
            assertThat(names).containsExactly("made");
        }
    }
}
