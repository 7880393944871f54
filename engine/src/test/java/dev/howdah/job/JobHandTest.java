package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaitValue;
import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people do with jobs by hand. */
@PostgresTest
class JobHandTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<Integer> OTHER = Kind.of("other", Integer.class);
    private static final Kind<Integer> FLAKY = Kind.of("flaky", Integer.class);

    private static JobsBuilder on(TestDatabase database) {
        return Jobs.on(JobsDatabase.dataSource(database));
    }

    @Test
    void cancel_jobThatWaits_endsItAtOnce(TestDatabase database) {
        try (Jobs jobs = on(database).start()) {
            long id = jobs.add(NewJob.of(WORK, 1).key("k")).id();
            assertThat(jobs.admin().cancel(id)).isEqualTo(CancelResult.CANCELLED);
            assertThat(jobs.admin().cancel(id)).isEqualTo(CancelResult.ENDED);
            assertThat(jobs.admin().cancel(12345)).isEqualTo(CancelResult.NOT_FOUND);
            assertThat(database.query("SELECT id, state, error FROM howdah.jobs"))
                    .containsExactly(List.of(String.valueOf(id), "cancelled", "cancelled before it began"));
            assertThat(jobs.add(NewJob.of(WORK, 1).key("k")).added()).isTrue();
        }
    }

    @Test
    void cancel_jobThatRunsOrIsAboutTo_interruptsItOnItsNode(TestDatabase database) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        List<Integer> worked = Collections.synchronizedList(new ArrayList<>());
        try (Jobs jobs = on(database)
                .concurrency(1)
                .handle(WORK, (n, job) -> {
                    begun.countDown();
                    worked.add(n);
                    if (n == 1) Thread.sleep(60_000);
                })
                .start()) {
            List<Long> ids = jobs.addAll(List.of(NewJob.of(WORK, 1), NewJob.of(WORK, 2), NewJob.of(WORK, 3)));
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(jobs.admin().cancel(ids.get(1))).isNotEqualTo(CancelResult.ENDED);
            assertThat(jobs.admin().cancel(ids.get(0))).isEqualTo(CancelResult.ASKED);
            awaitValue(
                    database, "SELECT string_agg(state, ' ' ORDER BY id) FROM howdah.jobs", "cancelled cancelled done");
            assertThat(worked).containsExactly(1, 3);
            awaitValue(database, "SELECT count(*) FROM howdah_internal.cancellation", "0");
            // Brought back it runs, although it was cancelled a moment ago.
            assertThat(jobs.admin().retry(ids.get(1))).isTrue();
            awaiting("the second runs").until(() -> worked.contains(2));
        }
    }

    @Test
    void cancel_jobWhoseAttemptFails_isNotTriedAgain(TestDatabase database) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Semaphore go = new Semaphore(0);
        try (Jobs jobs = on(database)
                .defaultRetries(RetryPolicy.after(Duration.ofMinutes(10)))
                .handle(FLAKY, (n, job) -> {
                    begun.countDown();
                    go.acquireUninterruptibly();
                    throw new FlakyException();
                })
                .handleWithOutcome(WORK, (n, job) -> {
                    begun.countDown();
                    go.acquireUninterruptibly();
                    return Outcome.retry(Duration.ofMinutes(10), "later");
                })
                .start()) {
            long id = jobs.add(WORK, 1);
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(jobs.admin().cancel(id)).isEqualTo(CancelResult.ASKED);
            go.release();
            // Between two attempts, or while it ran, if its node has heard of it in time.
            awaitValue(database, "SELECT state || ', ' || left(error, 9) FROM howdah.jobs", "cancelled, cancelled");
            awaitValue(database, "SELECT count(*) FROM howdah_internal.cancellation", "0");
        }
    }

    private static final List<Outcome> GOING_ON = List.of(
            Outcome.snooze(Duration.ZERO),
            Outcome.retry(Duration.ZERO, "soon"),
            new Outcome.MoveTo("default", "work", 0),
            Outcome.snooze(Duration.ofMillis(100)));

    /** What a handler says in the moment in which its job is cancelled, before its node has heard of that. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancel_jobThatWouldGoOnAtOnce_endsIt(boolean isHeard, TestDatabase database) throws Exception {
        List<Integer> runs = Collections.synchronizedList(new ArrayList<>());
        JobAdmin admin = on(database).admin();
        try (Jobs jobs = on(database)
                .handleWithOutcome(WORK, (n, job) -> {
                    runs.add(n);
                    assertThat(admin.cancel(job.id())).isEqualTo(CancelResult.ASKED);
                    while (isHeard && !job.cancelled()) LockSupport.parkNanos(1_000_000);
                    Thread.interrupted();
                    return GOING_ON.get(n);
                })
                .start()) {
            List<Long> ids = jobs.addAll(IntStream.range(0, GOING_ON.size())
                    .mapToObj(n -> NewJob.of(WORK, n))
                    .toList());
            awaitValue(
                    database,
                    "SELECT count(*) || ' ' || string_agg(DISTINCT state || ', ' || error, ';') FROM howdah.jobs",
                    ids.size() + " cancelled, cancelled while it ran");
            assertThat(runs).hasSize(ids.size());
        }
    }

    private static final class FlakyException extends RuntimeException {
        private static final long serialVersionUID = 1;

        FlakyException() {
            super("flaky");
        }
    }

    @Test
    void cancel_jobThatFollowsAnother_endsItAndLeavesTheOther(TestDatabase database) throws Exception {
        Semaphore go = new Semaphore(0);
        CountDownLatch begun = new CountDownLatch(1);
        try (Jobs jobs = on(database)
                .handle(WORK, (n, job) -> {
                    begun.countDown();
                    go.acquire();
                })
                .start()) {
            jobs.add(NewJob.of(WORK, 1).key("k").version(Instant.EPOCH));
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            long next =
                    jobs.add(NewJob.of(WORK, 2).key("k").version(Instant.now())).id();
            assertThat(database.value("SELECT state FROM howdah.jobs WHERE id = " + next))
                    .isEqualTo("following");
            assertThat(jobs.admin().cancel(next)).isEqualTo(CancelResult.CANCELLED);
            go.release();
            awaitValue(database, "SELECT string_agg(state, ' ' ORDER BY id) FROM howdah.jobs", "done cancelled");
        }
    }

    @Test
    void retry_jobThatHasFailed_bringsItBackAsNew(TestDatabase database) {
        List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());
        try (Jobs jobs = on(database)
                .defaultRetries(RetryPolicy.after(Duration.ZERO))
                .handle(FLAKY, (n, job) -> {
                    attempts.add(job.attempt());
                    if (attempts.size() < 4) throw new FlakyException();
                })
                .start()) {
            long id = jobs.add(FLAKY, 1);
            awaitValue(database, "SELECT state FROM howdah.find(" + id + ")", "failed");
            assertThat(jobs.admin().retry(id)).isTrue();
            assertThat(jobs.admin().retry(id)).isFalse();
            awaitValue(database, "SELECT state FROM howdah.find(" + id + ")", "done");
            assertThat(attempts).containsExactly(1, 2, 1, 2);
            assertThat(jobs.admin().retry(id)).isFalse();
        }
    }

    @Test
    void retry_jobWithKey_takesItUnlessItIsHeldOrKnownNewer(TestDatabase database) {
        try (Jobs jobs = on(database).start()) {
            NewJob<Integer> job = NewJob.of(WORK, 1).key("k");
            long first = jobs.add(job).id();
            jobs.admin().cancel(first);
            long second = jobs.add(job).id();
            assertThatThrownBy(() -> jobs.admin().retry(first))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining(
                            "job " + first + " cannot come back: job " + second + " has its key \"k\" now");
            jobs.admin().cancel(second);
            assertThat(jobs.admin().retry(first)).isTrue();
            assertThat(jobs.add(job)).isEqualTo(new AddResult(first, false));

            NewJob<Integer> document = NewJob.of(OTHER, 1).key("k");
            long old = jobs.add(document.version(Instant.EPOCH)).id();
            jobs.admin().cancel(old);
            jobs.admin()
                    .cancel(jobs.add(document.version(Instant.ofEpochSecond(1))).id());
            assertThatThrownBy(() -> jobs.admin().retry(old))
                    .hasMessageContaining("known with the newer version 1970-01-01");
        }
    }

    @Test
    void hurry_retries_bringsForwardOneAllOrThoseWithAnError(TestDatabase database) {
        try (Jobs jobs = on(database)
                .queues("q")
                .defaultRetries(RetryPolicy.after(Duration.ofHours(1), Duration.ofHours(1)))
                .handle(FLAKY, (n, job) -> {
                    if (job.attempt() == 1) throw new IllegalStateException(n < 3 ? "few" : "many");
                })
                .start()) {
            List<Long> ids = new ArrayList<>();
            for (int n = 1; n <= 5; n++)
                ids.add(jobs.add(NewJob.of(FLAKY, n).queue("q")).id());
            long planned = jobs.add(NewJob.of(FLAKY, 6).queue("q").delay(Duration.ofHours(2)))
                    .id();
            String done = "SELECT count(*) FROM howdah.jobs WHERE state = 'done'";
            awaitValue(database, "SELECT count(*) FROM howdah.jobs WHERE state = 'retrying'", "5");
            assertThat(jobs.admin().runNow(ids.get(0))).isTrue();
            awaitValue(database, done, "1");
            assertThat(jobs.admin().runNow(ids.get(0))).isFalse();
            assertThat(jobs.admin().runRetriesNow("q", "many")).isZero();
            assertThat(jobs.admin().runRetriesNow("q", "java.lang.IllegalStateException: many"))
                    .isEqualTo(3);
            awaitValue(database, done, "4");
            assertThat(jobs.admin().runRetriesNow("q")).isEqualTo(1);
            awaitValue(database, done, "5");
            assertThat(database.value("SELECT state FROM howdah.find(" + planned + ")"))
                    .isEqualTo("planned");
            assertThatThrownBy(() -> jobs.admin().runRetriesNow("w")).hasMessageContaining("there is no queue \"w\"");
        }
    }

    @Test
    void reprioritize_jobThatWaits_holdsFromTheNextTake(TestDatabase database) {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        try (Jobs jobs = on(database).start()) {
            List<Long> ids = jobs.addAll(List.of(NewJob.of(WORK, 1), NewJob.of(WORK, 2), NewJob.of(WORK, 3)));
            assertThat(jobs.admin().setPriority(ids.get(2), -7)).isTrue();
            assertThat(jobs.admin().setPriority(ids.get(0), 9)).isTrue();
            assertThatThrownBy(() -> jobs.admin().setPriority(12345, 9))
                    .isInstanceOf(JobsException.class)
                    .hasMessage("there is no job 12345, or its history has been removed");
            assertThatThrownBy(() -> jobs.admin().retry(12345)).hasMessageContaining("there is no job 12345");
            assertThatThrownBy(() -> jobs.admin().runNow(12345)).hasMessageContaining("there is no job 12345");
            assertThatThrownBy(() -> jobs.admin().setPriority(ids.get(0), 101))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        try (Jobs jobs = on(database)
                .concurrency(1)
                .handle(WORK, (n, job) -> order.add(n))
                .start()) {
            awaiting("all three").until(() -> order.size() == 3);
            assertThat(order).containsExactly(3, 2, 1);
            assertThat(jobs.admin().setPriority(1, 0)).isFalse();
        }
    }

    @Test // as a script does that deploys a new queue
    void pause_beforeTheFirstJob_holdsForIt(TestDatabase database) {
        try (Jobs jobs = on(database).start()) {
            assertThat(jobs.admin().pause("night")).isTrue();
            assertThat(jobs.admin().pause("night")).isFalse();
            assertThat(jobs.admin().pause("day", "work")).isTrue();
            assertThat(jobs.admin().pause("day", "work")).isFalse();
            long paused = jobs.add(NewJob.of(WORK, 1).queue("night")).id();
            long pausedKind = jobs.add(NewJob.of(WORK, 2).queue("day")).id();
            List<Integer> worked = Collections.synchronizedList(new ArrayList<>());
            try (Jobs node = on(database)
                    .queues("night", "day")
                    .handle(WORK, (n, job) -> worked.add(n))
                    .handle(OTHER, (n, job) -> worked.add(n))
                    .start()) {
                jobs.add(NewJob.of(OTHER, 3).queue("day"));
                awaiting("what is not paused").until(() -> worked.contains(3));
                assertThat(worked).containsExactly(3);
                assertThat(node.admin().resume("night")).isTrue();
                assertThat(node.admin().resume("day", "work")).isTrue();
                awaiting("all").until(() -> worked.size() == 3);
            }
            assertThat(paused).isLessThan(pausedKind);
        }
    }

    @Test
    void pause_queueAndKinds_onAllNodesUntilResumed(TestDatabase database) {
        List<Integer> worked = Collections.synchronizedList(new ArrayList<>());
        JobsBuilder node =
                on(database).handle(WORK, (n, job) -> worked.add(n)).handle(OTHER, (n, job) -> worked.add(n));
        try (Jobs jobs = node.start();
                Jobs second = node.start()) {
            assertThatThrownBy(() -> jobs.admin().resume("defualt"))
                    .hasMessageStartingWith(
                            "there is no queue \"defualt\" (There is one when a job has been added to it")
                    .hasMessageNotContaining("PL/pgSQL");
            assertThat(jobs.admin().pause("default")).isTrue();
            assertThat(second.admin().pause("default")).isFalse();
            jobs.add(WORK, 1);
            jobs.add(OTHER, 2);
            assertThat(jobs.admin().pause("default", "work")).isTrue();
            assertThat(jobs.admin().resume("default")).isTrue();
            // The lane of the queue has both; only what is not paused is worked.
            awaiting("the other").until(() -> worked.contains(2));
            jobs.add(WORK, 3);
            jobs.add(OTHER, 4);
            awaiting("the next other").until(() -> worked.contains(4));
            awaitValue(
                    database,
                    "SELECT count(*) FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane WHERE l.kind = 'work'",
                    "2");
            assertThat(worked).containsExactly(2, 4);
            // A paused kind stays so when its queue is paused and resumed.
            jobs.admin().pause("default");
            jobs.admin().resume("default");
            jobs.add(OTHER, 5);
            awaiting("one more other").until(() -> worked.contains(5));
            assertThat(worked).containsExactly(2, 4, 5);
            // A paused queue holds its kinds as well.
            jobs.admin().pause("default");
            assertThat(jobs.admin().resume("default", "work")).isTrue();
            assertThat(jobs.admin().resume("default", "work")).isFalse();
            assertThat(database.value("SELECT count(*) FROM howdah.jobs WHERE state = 'waiting'"))
                    .isEqualTo("2");
            jobs.admin().resume("default");
            awaiting("all").until(() -> worked.size() == 5);
        }
    }

    @Test
    void asyncTrigger_onATable_addsTheOldAndTheNewRow(TestDatabase database) throws Exception {
        JobsDatabase.in(database);
        database.execute("CREATE TABLE account (id int, owner text)");
        database.execute("CREATE TRIGGER changed AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH ROW"
                + " EXECUTE FUNCTION howdah.async_trigger('audit', 'account')");
        database.execute("INSERT INTO account VALUES (1, 'Ann')");
        database.execute("UPDATE account SET owner = 'Bob'");
        database.execute("DELETE FROM account");
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("INSERT INTO account VALUES (2, 'Eve')");
            connection.rollback();
        }
        assertThat(database.query(
                        "SELECT queue, kind, payload ->> 'table', payload ->> 'operation', payload -> 'old' ->> 'owner',"
                                + " payload -> 'new' ->> 'owner' FROM howdah.jobs ORDER BY id"))
                .extracting(Object::toString)
                .containsExactly(
                        "[audit, account, public.account, INSERT, null, Ann]",
                        "[audit, account, public.account, UPDATE, Ann, Bob]",
                        "[audit, account, public.account, DELETE, Bob, null]");
        for (String[] bad : new String[][] {
            {"AFTER INSERT ON account FOR EACH ROW", "'q'", "takes a queue and a kind"},
            {"BEFORE INSERT ON account FOR EACH ROW", "'q', 'k'", "has to be AFTER ... FOR EACH ROW"},
            {"AFTER INSERT ON account FOR EACH STATEMENT", "'q', 'k'", "has to be AFTER ... FOR EACH ROW"}
        }) {
            database.execute("CREATE TRIGGER bad " + bad[0] + " EXECUTE FUNCTION howdah.async_trigger(" + bad[1] + ")");
            assertThatThrownBy(() -> database.execute("INSERT INTO account VALUES (3, 'Joe')"))
                    .hasMessageContaining("the trigger \"bad\"")
                    .hasMessageContaining(bad[2]);
            database.execute("DROP TRIGGER bad ON account");
        }
    }

    @Test
    void job_thatHasFailed_isDeleted_andOthersAreNot(TestDatabase testDatabase) {
        JobsDatabase database = JobsDatabase.in(testDatabase);
        Kind<String> text = Kind.of("text", String.class);
        try (Jobs jobs = database.jobs()
                .handle(text, (payload, job) -> {
                    throw new FatalException("no");
                })
                .start()) {
            long failed = jobs.add(text, "x".repeat(20_000));
            database.awaitFailed(failed);
            assertThat(database.number("SELECT count(*) FROM howdah_internal.body"))
                    .isEqualTo(1);
            long waiting = jobs.add(NewJob.of(text, "x").queue("other")).id();
            assertThat(jobs.admin().delete(waiting)).isFalse();
            assertThat(jobs.admin().delete(failed)).isTrue();
            assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                    .isZero();
            assertThat(database.number("SELECT count(*) FROM howdah_internal.body"))
                    .isZero();
            assertThatThrownBy(() -> jobs.admin().retry(failed)).isInstanceOf(JobsException.class);
            assertThatThrownBy(() -> jobs.admin().delete(4_000_000_000L))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("there is no job 4000000000");
            jobs.admin().cancel(waiting);
            assertThat(jobs.admin().delete(waiting)).isTrue();
        }
    }
}
