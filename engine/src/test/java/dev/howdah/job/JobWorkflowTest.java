package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs that are added together, some of which wait for others. */
@PostgresTest
class JobWorkflowTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<String> ADD = Kind.of("add", String.class);
    private static final Kind<String> REPORT = Kind.of("report", String.class);
    private static final Kind<Integer> OWN = Kind.of("own", Integer.class);

    private final TestDatabase raw;
    private final JobsDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final Set<Integer> bad = ConcurrentHashMap.newKeySet();
    private final CountDownLatch begun = new CountDownLatch(1);

    JobWorkflowTest(TestDatabase database) {
        this.raw = database;
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void stop() {
        nodes.forEach(Jobs::close);
    }

    private Jobs node() {
        Jobs node = database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (number, job) -> {
                    ran.add("work " + number);
                    if (number == 99) {
                        begun.countDown();
                        Thread.sleep(60_000);
                    }
                    if (bad.contains(number)) throw new IllegalStateException("no " + number);
                    job.result(number);
                })
                .handle(ADD, (name, job) -> {
                    int sum = job.resultsOf(Integer.class).values().stream()
                            .mapToInt(Integer::intValue)
                            .sum();
                    ran.add(name + " " + sum);
                    job.result(sum);
                })
                .handle(REPORT, (name, job) -> {
                    WorkflowSummary found = job.workflow().orElseThrow();
                    ran.add(name + " " + found.done() + "/" + found.failed() + "/" + found.cancelled() + " of "
                            + found.total() + " " + found.state());
                })
                .handleInTransaction(OWN, (number, job, connection) -> {
                    ran.add("own " + number);
                    job.result(number);
                })
                .start();
        nodes.add(node);
        return node;
    }

    private static NewJob<Integer> work(int number) {
        return NewJob.of(WORK, number);
    }

    private static List<NewJob<Integer>> work(int from, int to) {
        return IntStream.range(from, to).mapToObj(JobWorkflowTest::work).toList();
    }

    private void awaitEnded(Jobs jobs, long workflow) {
        JobsDatabase.awaiting("workflow " + workflow + " has ended")
                .until(() -> jobs.workflows().find(workflow).orElseThrow().state() == WorkflowSummary.State.ENDED);
    }

    private void awaitRan(String what) {
        JobsDatabase.awaiting(what + " ran").until(() -> ran.contains(what));
    }

    @Test
    void jobs_allDone_callbackRunsOnceWithTheCounts() {
        Jobs jobs = node();
        long workflow = jobs.workflows()
                .add(Workflow.of("mailing").jobs(work(1_000, 2_200)).whenEnded(NewJob.of(REPORT, "ended")));
        awaitRan("ended 1200/0/0 of 1200 ENDED");
        database.awaitEmpty();
        assertThat(ran).hasSize(1_201);
        WorkflowSummary found = jobs.workflows().find(workflow).orElseThrow();
        assertThat(found.name()).isEqualTo("mailing");
        assertThat(found.waiting()).isZero();
        assertThat(found.ended()).isNotNull();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.workflow_event"))
                .isZero();
        // Jobs of a claim that all end well are one row, whatever their number.
        assertThat(database.timesDone()).containsExactly("1");
    }

    @Test
    void jobs_someFailing_callbacksOfTheirConditionRun() {
        Jobs jobs = node();
        bad.addAll(List.of(3, 7));
        jobs.workflows()
                .add(Workflow.of("some")
                        .jobs(work(0, 10))
                        .whenEnded(NewJob.of(REPORT, "ended"))
                        .whenFailed(NewJob.of(REPORT, "failed"))
                        .whenDone(NewJob.of(REPORT, "done")));
        awaitRan("ended 8/2/0 of 10 ENDED");
        awaitRan("failed 8/2/0 of 10 ENDED");
        // One that is retried opens the workflow again; what has run does not run again.
        bad.clear();
        assertThat(jobs.admin().retryAll(JobQuery.in(JobState.FAILED))).isEqualTo(2);
        awaitRan("done 10/0/0 of 10 ENDED");
        database.awaitEmpty();
        assertThat(ran).hasSize(15);
    }

    @Test
    void jobs_retriedAndDoneBeforeThatIsCounted_callbackRuns() throws SQLException {
        Jobs jobs = node();
        bad.add(3);
        jobs.workflows().add(Workflow.of("late").jobs(work(0, 5)).whenDone(NewJob.of(REPORT, "done")));
        JobsDatabase.awaiting("the workflow has ended")
                .until(() ->
                        database.number("SELECT count(*) FROM howdah_internal.workflow WHERE ended IS NOT NULL") == 1);
        bad.clear();
        try (Connection counting = database.source().getConnection();
                Statement statement = counting.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1215264876, 5)");
            assertThat(jobs.admin().retryAll(JobQuery.in(JobState.FAILED))).isEqualTo(1);
            JobsDatabase.awaiting("the retried job is done, and nobody has counted that")
                    .until(() -> database.number("SELECT sum(done) FROM howdah_internal.workflow_event") == 1);
        }
        awaitRan("done 5/0/0 of 5 ENDED");
    }

    @Test
    void graph_ofFourJobs_runsInItsOrderWithResults() {
        Jobs jobs = node();
        long workflow = jobs.workflows()
                .add(Workflow.of("diamond")
                        .job("sum", NewJob.of(ADD, "sum"), After.done("left", "right"))
                        .job("left", NewJob.of(ADD, "left"), After.done("root"))
                        .job("right", NewJob.of(OWN, 30), After.done("root"))
                        .job("root", work(4)));
        awaitEnded(jobs, workflow);
        assertThat(ran).containsExactlyInAnyOrder("work 4", "left 4", "own 30", "sum 34");
        assertThat(ran.get(0)).isEqualTo("work 4");
        assertThat(ran.get(3)).isEqualTo("sum 34");
        assertThat(jobs.workflows().jobs(workflow).stream()
                        .map(each -> each.name() + " " + each.state() + " " + each.after() + " " + each.result())
                        .toList())
                .containsExactly(
                        "sum DONE [left, right] 34", "left DONE [root] 4", "right DONE [root] 30", "root DONE [] 4");
    }

    @Test
    void graph_aJobFails_thoseBehindItAreCancelledAndComeBackWithIt() {
        Jobs jobs = node();
        bad.add(1);
        long workflow = jobs.workflows()
                .add(Workflow.of("failing")
                        .job("a", work(1))
                        .job("b", work(2), After.done("a"))
                        .job("c", work(3), After.done("b"))
                        .job("mend", work(4), After.failed("a", "b"))
                        .job("last", work(5), After.ended("a", "b", "c"))
                        .whenEnded(NewJob.of(REPORT, "ended"))
                        .whenDone(NewJob.of(REPORT, "done")));
        awaitRan("ended 2/1/2 of 5 ENDED");
        assertThat(ran).containsExactlyInAnyOrder("work 1", "work 4", "work 5", "ended 2/1/2 of 5 ENDED");
        List<WorkflowJob> named = jobs.workflows().jobs(workflow);
        assertThat(named.get(1).error()).isEqualTo("not run: it waits for \"a\", which has failed");
        assertThat(named.get(2).error()).isEqualTo("not run: it waits for \"b\", which was cancelled");
        bad.clear();
        assertThat(jobs.admin().retry(named.get(0).id())).isTrue();
        awaitRan("done 5/0/0 of 5 ENDED");
        assertThat(ran).hasSize(8).contains("work 2", "work 3");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @Test
    void graph_nothingFails_theJobForThatIsCancelled() {
        Jobs jobs = node();
        long workflow =
                jobs.workflows().add(Workflow.of("well").job("a", work(1)).job("mend", work(2), After.failed("a")));
        awaitEnded(jobs, workflow);
        assertThat(ran).containsExactly("work 1");
        WorkflowJob mend = jobs.workflows().jobs(workflow).get(1);
        assertThat(mend.state()).isEqualTo(WorkflowJob.State.CANCELLED);
        assertThat(mend.error()).isEqualTo("not run: nothing that it waits for has failed");
    }

    @Test
    void workflow_cancelled_takesAllThatHasNotEndedAlong() throws InterruptedException {
        Jobs jobs = node();
        long workflow = jobs.workflows()
                .add(Workflow.of("long")
                        .job("runs", work(99))
                        .job("held", work(1), After.done("runs"))
                        .jobs(List.of(work(2).delay(java.time.Duration.ofHours(1))))
                        .whenEnded(NewJob.of(REPORT, "ended")));
        begun.await();
        assertThat(jobs.workflows().cancel(workflow)).isEqualTo(3);
        awaitRan("ended 0/0/3 of 3 ENDED");
        assertThat(jobs.workflows().cancel(workflow)).isZero();
        assertThat(database.rows("SELECT DISTINCT state FROM howdah_internal.failed")
                        .toString())
                .isEqualTo("[[cancelled]]");
    }

    @Test
    void workflow_open_takesJobsUntilItIsClosed() throws SQLException {
        Jobs jobs = node();
        long workflow = jobs.workflows().add(Workflow.of("open").open().whenEnded(NewJob.of(REPORT, "ended")));
        jobs.workflows().addJobs(workflow, work(0, 3));
        JobsDatabase.awaiting("three are done")
                .until(() -> jobs.workflows().find(workflow).orElseThrow().done() == 3);
        assertThat(jobs.workflows().find(workflow).orElseThrow().state()).isEqualTo(WorkflowSummary.State.OPEN);
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            jobs.workflows().addJobs(connection, workflow, work(3, 5));
            assertThat(jobs.workflows().close(workflow)).isTrue();
            JobsDatabase.awaiting("it is closed")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.workflow_event") == 0);
            assertThat(database.text("SELECT ended IS NULL FROM howdah_internal.workflow"))
                    .isEqualTo("t");
            connection.commit();
        }
        awaitRan("ended 5/0/0 of 5 ENDED");
        assertThat(jobs.workflows().close(workflow)).isFalse();
        assertThatThrownBy(() -> jobs.workflows().addJobs(workflow, work(5, 6)))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("nothing can be added to workflow " + workflow + ": it is not open");
        long empty = jobs.workflows().add(Workflow.of("empty").open().whenEnded(NewJob.of(REPORT, "empty")));
        jobs.workflows().close(empty);
        awaitRan("empty 0/0/0 of 0 ENDED");
    }

    /** What a node that settles has counted, and has not yet done anything about, when something else is committed. */
    private void settleWith(ThrowingRunnable commit) throws Throwable {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Connection locking = database.connect();
                Statement statement = locking.createStatement()) {
            locking.setAutoCommit(false);
            // The settlement waits for the state of this job, between its count and its look at what has ended.
            statement.execute("SELECT FROM howdah_internal.workflow_job j WHERE j.name = 'a' FOR UPDATE");
            Future<?> settled = threads.submit(() -> database.execute("SELECT howdah_internal.workflow_settle(100)"));
            JobsDatabase.awaitValue(
                    raw,
                    "SELECT count(*) FROM pg_stat_activity s WHERE s.datname = current_database()"
                            + " AND s.query LIKE 'SELECT howdah_internal.workflow_settle%' AND s.wait_event_type = 'Lock'",
                    "1");
            commit.run();
            locking.rollback();
            settled.get();
        } finally {
            threads.shutdownNow();
        }
    }

    /** An open workflow whose one job, which has a name, has ended; the event of its end is not counted yet. Without nodes. */
    private long openWorkflowWhoseJobHasEnded(String state) {
        long workflow = database.number("SELECT howdah.add_workflow('[{\"name\": \"a\", \"kind\": \"work\"}]',"
                + " open => true, when_ended => '{\"kind\": \"report\"}')");
        database.execute(
                "SELECT howdah_internal.workflow_settle(100); DELETE FROM howdah_internal.job; INSERT INTO howdah_internal.workflow_event"
                        + " (workflow, " + state + ", jobs) SELECT j.workflow, 1, jsonb_build_array(jsonb_build_object("
                        + "'id', j.id, 'state', '" + state
                        + "')) FROM howdah_internal.workflow_job j WHERE j.name = 'a'");
        return workflow;
    }

    private String callbacks() {
        return database.text("SELECT count(*) FROM howdah_internal.job WHERE kind = 'report'");
    }

    @Test // before the close was asked for the add had begun
    void workflow_addCommitsWhileANodeCloses_callbackRunsAfterTheAddedJob() throws Throwable {
        long workflow = openWorkflowWhoseJobHasEnded("done");
        try (Connection adding = database.connect();
                Statement statement = adding.createStatement()) {
            adding.setAutoCommit(false);
            statement.execute("SELECT howdah.add_to_workflow(" + workflow + ", 'default', 'work', ARRAY['2']::json[])");
            database.execute("SELECT howdah.close_workflow(" + workflow + ")");
            settleWith(adding::commit);
        }
        assertThat(callbacks()).isEqualTo("0");
        database.execute("INSERT INTO howdah_internal.workflow_event (workflow, done) VALUES (" + workflow
                + ", 1); SELECT howdah_internal.workflow_settle(100)");
        assertThat(callbacks()).isEqualTo("1");
    }

    @Test
    void workflow_jobIsRetriedWhileANodeEndsIt_callbackRunsAfterTheRetry() throws Throwable {
        long workflow = openWorkflowWhoseJobHasEnded("failed");
        database.execute("SELECT howdah.close_workflow(" + workflow + ")");
        settleWith(() -> database.execute(
                "INSERT INTO howdah_internal.workflow_event (workflow, failed) VALUES (" + workflow + ", -1)"));
        assertThat(callbacks()).isEqualTo("0");
        database.execute("INSERT INTO howdah_internal.workflow_event (workflow, done) VALUES (" + workflow
                + ", 1); SELECT howdah_internal.workflow_settle(100)");
        assertThat(callbacks()).isEqualTo("1");
    }

    @Test
    void workflow_rolledBack_leavesNothing() throws SQLException {
        try (Jobs jobs = database.jobs().start();
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            jobs.workflows().add(connection, Workflow.of("no").job("a", work(1)).job("b", work(2), After.done("a")));
            connection.rollback();
        }
        assertThat(
                        database.text(
                                "SELECT (SELECT count(*) FROM howdah_internal.workflow) + (SELECT count(*) FROM howdah_internal.job)"
                                        + " + (SELECT count(*) FROM howdah_internal.workflow_job) + (SELECT count(*) FROM howdah_internal.workflow_edge)"))
                .isEqualTo("0");
    }

    @Test
    void workflow_fromSql_isTheSame() {
        String workflow = database.text("""
                SELECT howdah.add_workflow('[
                    {"name": "a", "kind": "work", "payload": 20},
                    {"name": "b", "kind": "work", "payload": 22},
                    {"name": "sum", "kind": "add", "payload": "sum", "after": ["a", "b"], "priority": 5},
                    {"kind": "work", "payload": 7}]', name => 'from SQL', when_ended => '{"kind": "report", "payload": "ended"}')
                """);
        assertThat(database.text("SELECT state || total || waiting FROM howdah.workflows WHERE id = " + workflow))
                .isEqualTo("running44");
        node();
        awaitRan("ended 4/0/0 of 4 ENDED");
        assertThat(ran).contains("sum 42", "work 7");
        String open = database.text("SELECT howdah.add_workflow('[]', open => true)");
        assertThat(database.rows(
                        "SELECT howdah.add_to_workflow(" + open + ", 'default', 'work', ARRAY['1', '2']::json[])"))
                .hasSize(2);
        assertThat(database.text("SELECT howdah.close_workflow(" + open + ")")).isEqualTo("t");
        JobsDatabase.awaiting("it ends")
                .until(() -> database.text("SELECT state || done FROM howdah.workflows WHERE id = " + open)
                        .equals("ended2"));
    }

    @Test
    void workflow_badInput_isRefusedInWords() {
        try (Jobs jobs = database.jobs().start()) {
            assertThatThrownBy(() -> jobs.workflows().add(Workflow.of("none")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "workflow none has no job: it needs one at least, or has to be open, to add jobs later");
            assertThatThrownBy(() -> jobs.workflows()
                            .add(Workflow.of("round")
                                    .job("free", work(0))
                                    .job("a", work(1), After.done("c", "free"))
                                    .job("b", work(1), After.ended("a"))
                                    .job("c", work(1), After.failed("b"))))
                    .hasMessage("workflow round has a cycle of jobs, none of which could ever run:"
                            + " a waits for c waits for b waits for a");
            assertThatThrownBy(() -> jobs.workflows().add(Workflow.of("gap").job("a", work(1), After.done("nobody"))))
                    .hasMessage("job a of workflow gap waits for nobody, which is no job of it");
            assertThatThrownBy(() -> Workflow.of("twice").job("a", work(1)).job("a", work(2)))
                    .hasMessage("workflow twice has a job a already");
            assertThatThrownBy(() -> Workflow.of("keyed").jobs(List.of(work(1).key("k"))))
                    .hasMessageContaining("with the key k: it has none");
            assertThatThrownBy(() -> jobs.workflows().cancel(77)).hasMessageContaining("there is no workflow 77");
            assertThatThrownBy(() -> jobs.workflows().addJobs(77, work(0, 1)))
                    .hasMessageContaining("there is no workflow 77");
        }
        assertThatThrownBy(() -> database.execute("SELECT howdah.add_workflow('[]')"))
                .hasMessageContaining("a workflow without jobs: it needs one at least");
        assertThatThrownBy(() -> database.execute("""
                SELECT howdah.add_workflow('[{"name": "x", "kind": "k"}, {"name": "a", "kind": "k", "after": ["c", "x"]},
                    {"name": "b", "kind": "k", "after": ["a"]}, {"name": "c", "kind": "k", "after": ["b"]}]')"""))
                .hasMessageContaining(
                        "a cycle of jobs, none of which could ever run: \"a\" waits for \"c\" waits for \"b\" waits for \"a\"");
        assertThatThrownBy(() -> database.execute(
                        "SELECT howdah.add_workflow('[{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"a\"]}]')"))
                .hasMessageContaining("\"a\" waits for \"a\"");
        assertThatThrownBy(() -> database.execute("SELECT howdah.add_workflow('{\"kind\": \"k\"}')"))
                .hasMessageContaining("are JSON of type object: they have to be a JSON array");
        assertThatThrownBy(() -> database.execute("SELECT howdah.add_workflow('[{\"kind\": \"k\", \"que\": \"q\"}]')"))
                .hasMessageContaining("has a field \"que\"");
        assertThatThrownBy(() -> database.execute(
                        "SELECT howdah.add_workflow('[{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"b\"]}]')"))
                .hasMessageContaining("job \"a\" of a workflow waits for \"b\", which is no job of it");
        assertThatThrownBy(() -> database.execute("SELECT howdah.add_workflow('[{\"queue\": \"q\"}]')"))
                .hasMessageContaining("the name of a kind has 1 to 200 characters");
    }
}
