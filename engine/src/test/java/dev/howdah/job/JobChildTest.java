package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.ChildFailedException;
import dev.howdah.job.wait.JobChild;
import dev.howdah.job.wait.ParentEnd;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs that handlers add as children, and wait for without a thread. */
@PostgresTest
class JobChildTest {
    private static final Kind<String> PARENT = Kind.of("parent", String.class);
    private static final Kind<Integer> PART = Kind.of("part", Integer.class);
    private static final RetryPolicy AT_ONCE = RetryPolicy.after(Duration.ZERO, Duration.ZERO);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final AtomicInteger runs = new AtomicInteger();

    JobChildTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual(Handler<String> parent, Handler<Integer> part) {
        return database.jobs()
                .handle(
                        PARENT,
                        (text, job) -> {
                            runs.incrementAndGet();
                            parent.handle(text, job);
                        },
                        options -> options.retries(AT_ONCE))
                .handle(PART, part, options -> options.retries(RetryPolicy.never()))
                .manual();
    }

    private static JobSummary find(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow();
    }

    private void step(Job job, String name) throws Exception {
        job.step(name, Void.class, () -> {
            ran.add(name);
            return null;
        });
    }

    @Test
    void child_isAddedOnce_andItsResultIsAwaited() {
        try (ManualJobs manual = manual(
                (text, job) -> {
                    Child child = job.child("part", NewJob.of(PART, 20));
                    step(job, "a");
                    ran.add("result " + job.awaitChild(child, Integer.class));
                },
                (number, job) -> {
                    ran.add("part");
                    job.result(number + 22);
                })) {
            long id = manual.jobs().add(PARENT, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
            JobChild child = manual.jobs().admin().children(id, 10).get(0);
            assertThat(child.state()).isEqualTo(JobState.DONE);
            assertThat(manual.jobs().admin().parent(child.id())).hasValue(id);
            assertThat(manual.jobs().admin().parent(id)).isEmpty();
        }
        assertThat(ran).containsExactly("a", "part", "result 42");
        assertThat(runs).hasValue(2);
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE kind = 'part'"))
                .isEqualTo(1);
    }

    /** A limit of one for parent and children: a suspended parent holds no place. */
    @Test
    void children_underTheLimitOfTheirParent_wakeItOnce() {
        try (ManualJobs manual = manual(
                (text, job) -> {
                    List<Child> children = job.children(
                            "part",
                            IntStream.range(0, 20)
                                    .mapToObj(i -> NewJob.of(PART, i))
                                    .toList());
                    job.awaitChildren(children);
                    int sum = 0;
                    for (Child each : children) {
                        Integer result = job.awaitChild(each, Integer.class);
                        sum += result == null ? 0 : result;
                    }
                    ran.add("" + sum);
                },
                (number, job) -> job.result(number))) {
            manual.jobs().admin().setLimit(NewJob.DEFAULT_QUEUE, 1);
            long id = manual.jobs().add(PARENT, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("190");
        assertThat(runs).hasValue(2);
    }

    @Test
    void failedChild_isTheSameFailureInEachRun_andMayBeCaught() {
        List<String> failures = new ArrayList<>();
        try (ManualJobs manual = manual(
                (text, job) -> {
                    Child child = job.child("part", NewJob.of(PART, 1));
                    try {
                        job.awaitChild(child, Void.class);
                    } catch (ChildFailedException e) {
                        failures.add(e.getMessage());
                        step(job, "refund");
                        job.sleep("later", HOUR);
                        step(job, "b");
                    }
                },
                (number, job) -> {
                    throw new FatalException("no luck");
                })) {
            long id = manual.jobs().add(PARENT, "x");
            manual.runDue();
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("refund", "b");
        assertThat(failures).hasSize(2);
        assertThat(failures.get(0)).isEqualTo(failures.get(1)).contains("child \"part\"", "has failed", "no luck");
    }

    @Test
    void failedChild_uncaught_failsItsParent_andARetryBringsBothBack() {
        AtomicInteger attempts = new AtomicInteger();
        try (ManualJobs manual = manual(
                (text, job) -> {
                    step(job, "a");
                    ran.add("" + job.awaitChild(job.child("part", NewJob.of(PART, 1)), Integer.class));
                },
                (number, job) -> {
                    if (attempts.incrementAndGet() == 1) throw new FatalException("no luck");
                    job.result(number);
                })) {
            long id = manual.jobs().add(PARENT, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.FAILED);
            assertThat(find(manual, id).error()).contains("child \"part\"", "no luck");
            assertThat(runs).hasValue(2);
            assertThat(manual.jobs().admin().retry(id)).isTrue();
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(attempts).hasValue(2);
        assertThat(ran).containsExactly("a", "1");
    }

    @Test
    void parentThatIsCancelled_cancelsItsChildrenAndTheirs() {
        Kind<String> middle = Kind.of("middle", String.class);
        try (ManualJobs manual = database.jobs()
                .handle(PARENT, (text, job) -> job.awaitChild(job.child("m", NewJob.of(middle, "m")), Void.class))
                .handle(
                        middle,
                        (text, job) -> job.awaitChild(
                                job.child("part", NewJob.of(PART, 1).delay(HOUR)), Void.class))
                .handle(PART, (number, job) -> ran.add("part"))
                .manual()) {
            long id = manual.jobs().add(PARENT, "x");
            manual.runDue();
            assertThat(database.text("SELECT string_agg(kind || ' ' || state, ', ' ORDER BY id) FROM howdah.jobs"))
                    .isEqualTo("parent suspended, middle suspended, part planned");
            assertThat(manual.jobs().admin().why(id).get(0).code()).isEqualTo("awaits-child");
            assertThat(manual.jobs().admin().cancel(id)).isEqualTo(CancelResult.CANCELLED);
            assertThat(database.text("SELECT string_agg(kind || ' ' || state, ', ' ORDER BY id) FROM howdah.jobs"))
                    .isEqualTo("parent cancelled, middle cancelled, part cancelled");
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(ran).isEmpty();
        }
    }

    @Test
    void cancelledChild_andTransactionalChild_areToldToTheirParent() {
        Kind<Integer> own = Kind.of("own", Integer.class);
        try (ManualJobs manual = database.jobs()
                .handle(PARENT, (text, job) -> {
                    Child planned = job.child("planned", NewJob.of(PART, 1).delay(HOUR));
                    ran.add("own " + job.awaitChild(job.child("own", NewJob.of(own, 5)), Integer.class));
                    try {
                        job.awaitChild(planned, Void.class);
                    } catch (ChildFailedException e) {
                        ran.add(String.valueOf(e.getMessage()).replaceAll("\\d+", "N"));
                    }
                })
                .handle(PART, (number, job) -> ran.add("part"))
                .handleInTransaction(own, (number, job, connection) -> job.result(number))
                .manual()) {
            long id = manual.jobs().add(PARENT, "x");
            manual.runDue();
            assertThat(ran).containsExactly("own 5");
            manual.jobs().admin().cancel(database.number("SELECT id FROM howdah.jobs WHERE kind = 'part'"));
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).endsWith("child \"planned\", job N, was cancelled: cancelled before it began");
    }

    /** A child that waits itself has not ended. */
    @Test
    void suspendedChild_wakesItsParentWhenItHasEnded() {
        try (ManualJobs manual = manual(
                (text, job) -> {
                    job.awaitChild(job.child("part", NewJob.of(PART, 1)), Void.class);
                    ran.add("parent");
                },
                (number, job) -> job.sleep("x", HOUR))) {
            long id = manual.jobs().add(PARENT, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            assertThat(runs).hasValue(1);
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(ran).containsExactly("parent");
        }
    }

    @Test
    void parentThatTriesAgain_keepsItsChildren_andOneThatIsDoneLeavesThem() {
        try (ManualJobs manual = manual(
                (text, job) -> {
                    job.child("part", NewJob.of(PART, 1).delay(HOUR));
                    if (runs.get() == 1) throw new IllegalStateException("once");
                },
                (number, job) -> ran.add("part"))) {
            manual.jobs().add(PARENT, "x");
            manual.runDue();
            assertThat(runs).hasValue(2);
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
        }
        assertThat(ran).containsExactly("part");
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE kind = 'part'"))
                .isEqualTo(1);
    }

    /** The end of one sibling is not that of the one that is waited for. */
    @Test
    void oneOfSeveral_isAwaited_whileOthersEnd() {
        try (ManualJobs manual = manual(
                (text, job) -> {
                    List<Child> children = job.children(
                            "part",
                            List.of(NewJob.of(PART, 1), NewJob.of(PART, 2).delay(HOUR)));
                    ran.add("" + job.awaitChild(children.get(1), Integer.class));
                },
                (number, job) -> job.result(number))) {
            manual.jobs().add(PARENT, "x");
            manual.runDue();
            manual.runDue();
            assertThat(runs).hasValue(1);
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
        }
        assertThat(runs).hasValue(2);
        assertThat(ran).containsExactly("2");
    }

    @Test
    void parentThatFailsInItsFirstRun_cancelsItsChildren_butThoseThatAreLeft() {
        try (ManualJobs manual = manual(
                (text, job) -> {
                    job.child("part", NewJob.of(PART, 1).delay(HOUR));
                    job.child("left", NewJob.of(PART, 2).delay(HOUR), ParentEnd.LEAVE);
                    throw new FatalException("no");
                },
                (number, job) -> ran.add("part " + number))) {
            manual.jobs().add(PARENT, "x");
            manual.runDue();
            assertThat(database.text("SELECT string_agg(kind || ' ' || state, ', ' ORDER BY id) FROM howdah.jobs"))
                    .isEqualTo("parent failed, part cancelled, part planned");
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
        }
        assertThat(ran).containsExactly("part 2");
    }

    /** What the parent has not got yet is the new end; what it has caught stays. */
    @Test
    void failedChild_isRetriedAlone() {
        AtomicInteger attempts = new AtomicInteger();
        try (ManualJobs manual = manual(
                (text, job) -> {
                    Child child = job.child("part", NewJob.of(PART, 1));
                    job.sleep("later", HOUR);
                    try {
                        ran.add("" + job.awaitChild(child, Integer.class));
                    } catch (ChildFailedException e) {
                        ran.add("caught");
                        step(job, "refund");
                    }
                    job.sleep("much later", HOUR);
                    if (text.equals("fails")) throw new FatalException("for another reason");
                },
                (number, job) -> {
                    if (attempts.incrementAndGet() != 2) throw new FatalException("no luck");
                    job.result(number);
                })) {
            manual.jobs().add(PARENT, "x");
            manual.runDue();
            long child = database.number("SELECT id FROM howdah.jobs WHERE kind = 'part'");
            assertThat(manual.jobs().admin().retry(child)).isTrue();
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(ran).containsExactly("1");
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(ran).containsExactly("1", "1");

            long second = manual.jobs().add(PARENT, "fails");
            manual.runDue();
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(find(manual, second).error()).contains("for another reason");
            assertThat(manual.jobs().admin().retry(second)).isTrue();
            manual.runDue();
        }
        assertThat(attempts).hasValue(3);
        assertThat(ran).containsExactly("1", "1", "caught", "refund", "caught", "caught");
    }

    /** The parent reads how its child has ended when nothing else of the child is left. */
    @Test
    void child_whoseHistoryIsRemoved_isReadByItsParent() {
        try (ManualJobs manual = manual(
                (text, job) -> {
                    List<Child> children = job.children("part", List.of(NewJob.of(PART, 1), NewJob.of(PART, 2)));
                    job.sleep("long", HOUR);
                    ran.add("" + job.awaitChild(children.get(0), Integer.class));
                    try {
                        job.awaitChild(children.get(1), Integer.class);
                    } catch (ChildFailedException e) {
                        ran.add("" + e.state());
                    }
                },
                (number, job) -> {
                    if (number == 2) throw new FatalException("no luck");
                    job.result(number);
                })) {
            long id = manual.jobs().add(PARENT, "x");
            manual.runDue();
            database.execute("DELETE FROM howdah_internal.batch; DELETE FROM howdah_internal.failed");
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("1", "FAILED");
    }

    @Test
    void children_haveOrderKeys_butNotThoseOfTheirAncestors() {
        Kind<String> middle = Kind.of("middle", String.class);
        try (ManualJobs manual = database.jobs()
                .handle(PARENT, (text, job) -> {
                    job.awaitChild(job.child("m", NewJob.of(middle, text)), Void.class);
                    ran.add("parent");
                })
                .handle(
                        middle,
                        (text, job) -> ran.add(""
                                + job.awaitChild(
                                        job.child(text, NewJob.of(PART, 2).orderKey(text)), Integer.class)),
                        options -> options.retries(RetryPolicy.never()))
                .handle(PART, (number, job) -> job.result(number))
                .manual()) {
            long refused =
                    manual.jobs().add(NewJob.of(PARENT, "k").orderKey("k")).id();
            manual.runDue();
            assertThat(find(manual, refused).error())
                    .contains("child \"m\"", "child \"k\"", "would wait for job " + refused, "order key \"k\"");
            manual.jobs().add(NewJob.of(PARENT, "l").orderKey("k"));
            manual.runDue();
        }
        assertThat(ran).containsExactly("2", "parent");
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE kind = 'part'"))
                .isEqualTo(1);
    }

    @Test
    void child_thatCannotBeOne_isRefused() {
        List<String> refused = new ArrayList<>();
        database.execute("SELECT howdah.queue('logged', 'log')");
        try (ManualJobs manual = manual(
                (text, job) -> {
                    for (NewJob<?> each : List.of(
                            NewJob.of(PART, 1).key("k"), NewJob.of(PART, 1).queue("logged")))
                        try {
                            job.child("part " + refused.size(), each);
                        } catch (IllegalArgumentException e) {
                            refused.add(e.getMessage());
                        }
                    job.child("twice", NewJob.of(PART, 1).delay(HOUR));
                    try {
                        job.child("twice", NewJob.of(PART, 1));
                    } catch (IllegalStateException e) {
                        refused.add(e.getMessage());
                    }
                },
                (number, job) -> ran.add("part"))) {
            manual.jobs().add(PARENT, "x");
            manual.runDue();
        }
        assertThat(refused).hasSize(3);
        assertThat(refused.get(0)).contains("has a key");
        assertThat(refused.get(1)).contains("log queue");
        assertThat(refused.get(2)).contains("\"twice\"", "in a loop");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_record WHERE child IS NOT NULL"))
                .isEqualTo(1);
    }

    @Test
    void childThatIsAlwaysCancelled_endsWithItsParent_inTheSameRunAndInALaterOne() {
        for (boolean waits : new boolean[] {false, true}) {
            try (ManualJobs manual = manual(
                    (text, job) -> {
                        job.child("gone", NewJob.of(PART, 1).delay(HOUR), ParentEnd.CANCEL_ALWAYS);
                        job.child("stays", NewJob.of(PART, 2).delay(HOUR));
                        if (waits) job.sleep("later", Duration.ofMinutes(1));
                    },
                    (number, job) -> ran.add("part " + number))) {
                long id = manual.jobs().add(PARENT, "x");
                manual.runDue();
                if (waits) {
                    JobWaitClock.pass(database, Duration.ofMinutes(1));
                    manual.runDue();
                }
                assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
                assertThat(manual.jobs().admin().children(id, 10))
                        .extracting(JobChild::parentEnd, JobChild::state)
                        .containsExactly(
                                tuple(ParentEnd.CANCEL_ALWAYS, JobState.CANCELLED), tuple(ParentEnd.CANCEL, null));
            }
        }
        assertThat(ran).isEmpty();
    }
}
