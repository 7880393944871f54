package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.ChildFailedException;
import dev.howdah.job.wait.ParentEnd;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Children on nodes that work all the time. */
@PostgresTest
class JobChildNodesTest {
    private static final Kind<Integer> PARENT = Kind.of("parent", Integer.class);
    private static final Kind<Integer> PART = Kind.of("part", Integer.class);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final AtomicInteger runs = new AtomicInteger();

    JobChildNodesTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private void sum(int count, Job job) {
        runs.incrementAndGet();
        List<Child> children = job.children(
                "part",
                IntStream.range(0, count).mapToObj(i -> NewJob.of(PART, i)).toList());
        job.awaitChildren(children);
        int sum = 0;
        for (Child each : children) sum += Objects.requireNonNull(job.awaitChild(each, Integer.class));
        job.result(sum);
    }

    private JobsBuilder program() {
        return database.jobs().handle(PARENT, this::sum).handle(PART, (number, job) -> job.result(number));
    }

    private void drill(int children) throws Exception {
        try (Jobs first = program().start();
                Jobs second = program().start()) {
            long id = first.add(PARENT, children);
            JobSummary outcome = second.await(id, Patience.LIMIT);
            assertThat(outcome.state()).isEqualTo(JobState.DONE);
            assertThat(outcome.result()).isEqualTo(Integer.toString(children * (children - 1) / 2));
        }
        assertThat(runs).hasValue(2);
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE kind = 'part' AND state = 'done'"))
                .isEqualTo(children);
        System.out.println(database.text("SELECT format('%s children: %s ms from the last end to the parent''s run', "
                + children + ", round(extract(epoch FROM (SELECT max(begun) FROM howdah.jobs WHERE kind = 'parent')"
                + " - (SELECT max(at) FROM howdah_internal.child_end)) * 1000))"));
    }

    @Test
    void manyChildren_wakeTheirParentOnce() throws Exception {
        drill(300);
    }

    @Test
    @Tag("long")
    void tenThousandChildren_wakeTheirParentOnce() throws Exception {
        drill(10_000);
    }

    /** A suspended parent holds no place. */
    @Test
    void twoGenerations_underALimitOfOne_end() throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Handler<Integer> both = (generation, job) -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            try {
                if (generation == 0) return;
                job.awaitChildren(job.children(
                        "next",
                        IntStream.range(0, 3)
                                .mapToObj(i -> NewJob.of(PARENT, generation - 1))
                                .toList()));
            } finally {
                running.decrementAndGet();
            }
        };
        database.execute("SELECT howdah.limit('default', 1)");
        try (Jobs first = database.jobs().handle(PARENT, both).start();
                Jobs second = database.jobs().handle(PARENT, both).start()) {
            long id = first.add(PARENT, 2);
            assertThat(second.await(id, Patience.LIMIT).state()).isEqualTo(JobState.DONE);
            assertThat(first.admin().children(id, 10))
                    .extracting(each -> each.state())
                    .containsOnly(JobState.DONE);
        }
        assertThat(most).hasValue(1);
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE state = 'done'"))
                .isEqualTo(13);
    }

    /** The end of its last stage is its end; its result is bound to the kind of that stage. */
    @Test
    void child_thatPassesStages_endsWithTheLast() throws Exception {
        Pipeline pipeline = Pipeline.of("box")
                .stage("fill", Integer.class, (number, job) -> Outcome.next(number + 1))
                .stage("close", Integer.class, (number, job) -> {
                    job.result(number);
                    return Outcome.done();
                });
        try (Jobs jobs = database.jobs()
                .handle(
                        PARENT,
                        (number, job) ->
                                job.result(job.awaitChild(job.child("box", pipeline.job(number)), Integer.class)))
                .pipeline(pipeline)
                .queues(NewJob.DEFAULT_QUEUE)
                .start()) {
            assertThat(jobs.await(jobs.add(PARENT, 1), Patience.LIMIT).result()).isEqualTo("2");
        }
        assertThat(database.text("SELECT kind FROM howdah_internal.child_end")).isEqualTo("box.close");
    }

    /** One that runs is interrupted, one that waits ends at once, and so do their children; one that was to be left goes on. */
    @Test
    void parentThatIsCancelled_cancelsWhatRunsAndWhatWaits() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        Kind<String> child = Kind.of("child", String.class);
        try (Jobs jobs = database.jobs()
                .handle(PARENT, (number, job) -> {
                    Child hangs = job.child("hangs", NewJob.of(child, "hangs"));
                    job.child("waits", NewJob.of(child, "waits"));
                    job.child("left", NewJob.of(child, "left"), ParentEnd.LEAVE);
                    job.awaitChild(hangs, Void.class);
                })
                .handle(child, (text, job) -> {
                    if (text.equals("waits"))
                        job.awaitChild(
                                job.child("grandchild", NewJob.of(PART, 1).delay(HOUR)), Void.class);
                    if (text.equals("left")) job.sleep("pause", HOUR);
                    began.countDown();
                    new CountDownLatch(1).await();
                })
                .start()) {
            long id = jobs.add(PARENT, 1);
            began.await();
            JobsDatabase.awaiting("all wait")
                    .until(() -> database.number("SELECT count(*) FROM howdah.jobs WHERE state = 'suspended'") == 3);
            assertThat(jobs.admin().cancel(id)).isEqualTo(CancelResult.CANCELLED);
            JobsDatabase.awaiting("all but one are cancelled")
                    .until(() -> database.number("SELECT count(*) FROM howdah.jobs WHERE state = 'cancelled'") == 4);
            assertThat(database.text("SELECT kind || ' ' || state FROM howdah.jobs WHERE state <> 'cancelled'"))
                    .isEqualTo("child suspended");
            assertThat(jobs.admin().children(id, 10))
                    .extracting(each -> each.name() + " " + each.state())
                    .containsExactly("hangs CANCELLED", "waits CANCELLED", "left null");
        }
    }

    @Test
    void eachEndOfAChild_wakesItsParent() throws Exception {
        Kind<String> parent = Kind.of("watching", String.class);
        Kind<String> child = Kind.of("ending", String.class);
        List<String> ends = new CopyOnWriteArrayList<>();
        try (ManualJobs manual = database.jobs()
                .handle(parent, (text, job) -> {
                    NewJob<String> part = NewJob.of(child, text);
                    if (!text.equals("done") && !text.equals("fatal")) part = part.delay(Duration.ofDays(1));
                    Child added = job.child("part", part.tags(text));
                    try {
                        ends.add(text + ": DONE " + job.awaitChild(added, String.class));
                    } catch (ChildFailedException e) {
                        ends.add(text + ": " + e.state() + " " + e.getMessage());
                    }
                })
                .handle(
                        child,
                        (text, job) -> {
                            if (text.equals("fatal")) throw new FatalException("no luck");
                            job.result("result");
                        },
                        options -> options.retries(RetryPolicy.never()))
                .manual()) {
            List<String> ways = List.of("done", "fatal", "crash", "cancelled", "filtered", "deleted");
            for (String each : ways) manual.jobs().add(parent, each);
            manual.runDue();
            assertThat(ends).hasSize(2);
            long crash = id("crash");
            database.execute(
                    "WITH j AS (DELETE FROM howdah_internal.job WHERE id = " + crash
                            + " RETURNING *) INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids,"
                            + " run_at, kind, payloads, rest) SELECT 999, lane, true, true, 1, id, id, ARRAY[id], run_at, kind,"
                            + " ARRAY[payload], jsonb_build_object(id, jsonb_build_object('p', 0, 'a', 2, 'd', 2, 'm', more)) FROM j");
            try (JobSession session = JobSession.open(ConnectionSource.of(database.dataSource()))) {
                session.update(JobSql.JOB.statement("batch_give_back"), 999, 10, null, null, true);
            }
            manual.jobs().admin().cancel(id("cancelled"));
            manual.jobs().admin().cancelAll(JobQuery.in(JobState.PLANNED).tag("filtered"));
            manual.jobs().admin().cancel(id("deleted"));
            manual.jobs().admin().delete(id("deleted"));
            JobsDatabase.awaiting("all parents have run on: " + ends).until(() -> {
                manual.runDue();
                return ends.size() == ways.size();
            });
        }
        assertThat(ends)
                .anyMatch(each -> each.equals("done: DONE result"))
                .anyMatch(each -> each.matches("fatal: FAILED .*no luck"))
                .anyMatch(each -> each.matches("crash: FAILED .*died.*3 times.*"))
                .anyMatch(each -> each.matches("cancelled: CANCELLED .*"))
                .anyMatch(each -> each.matches("filtered: CANCELLED .*"))
                .anyMatch(each -> each.matches("deleted: CANCELLED .*"));
    }

    private long id(String text) {
        return database.number("SELECT j.id FROM howdah.jobs j WHERE j.kind = 'ending' AND j.tags @> '[\"" + text
                + "\"]' AND j.state <> 'done' ORDER BY j.id LIMIT 1");
    }
}
