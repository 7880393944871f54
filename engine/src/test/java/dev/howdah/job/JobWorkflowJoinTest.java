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
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs with names that join an open workflow, and wait for jobs that it has already. */
@PostgresTest
@Tag("long")
class JobWorkflowJoinTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final JobsDatabase database;
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final Set<Integer> bad = ConcurrentHashMap.newKeySet();

    JobWorkflowJoinTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private Jobs node() {
        return database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (number, job) -> {
                    ran.add(number + " after " + job.resultsOf(Integer.class));
                    if (bad.contains(number)) throw new IllegalStateException("no " + number);
                    job.result(number);
                })
                .start();
    }

    private static NewJob<Integer> work(int number) {
        return NewJob.of(WORK, number);
    }

    private void awaitRan(String what) {
        JobsDatabase.awaiting(what + " ran, of " + ran).until(() -> ran.contains(what));
    }

    private static void awaitState(Jobs jobs, long workflow, WorkflowSummary.State state) {
        JobsDatabase.awaiting("workflow is " + state)
                .until(() -> jobs.workflows().find(workflow).orElseThrow().state() == state);
    }

    private void awaitWaiting() {
        JobsDatabase.awaiting("a session waits for another's transaction")
                .until(() -> database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                + " AND datname = current_database()")
                        == 1);
    }

    @Test
    void job_afterOneThatHasEnded_runsWithItsResult() {
        try (Jobs jobs = node()) {
            long flow = jobs.workflows().add(Workflow.of("flow").open().job("a", work(1)));
            awaitRan("1 after {}");
            JobsDatabase.awaiting("it is counted")
                    .until(() -> jobs.workflows().jobs(flow).get(0).state() == WorkflowJob.State.DONE);
            List<Long> ids = jobs.workflows()
                    .addJobs(
                            flow,
                            Workflow.of("more")
                                    .job("c", work(3), After.done("a", "b"))
                                    .job("b", work(2), After.ended("a"))
                                    .job("d", work(4))
                                    .job("e", work(5), After.failed("a", "b"))
                                    .jobs(List.of(work(6))));
            assertThat(ids).hasSize(5);
            awaitRan("3 after {a=1, b=2}");
            awaitRan("4 after {}");
            awaitRan("6 after {}");
            jobs.workflows().close(flow);
            awaitState(jobs, flow, WorkflowSummary.State.ENDED);
            WorkflowSummary end = jobs.workflows().find(flow).orElseThrow();
            assertThat(List.of(end.total(), end.done(), end.cancelled())).containsExactly(6L, 5L, 1L);
            assertThat(jobs.admin().find(ids.get(3)).orElseThrow().error())
                    .isEqualTo("not run: nothing that it waits for has failed");
        }
    }

    @Test
    void predecessor_thatFailsInALongTransactionOfTheCaller_isSeenAfterIt() throws Exception {
        bad.add(1);
        try (Jobs jobs = node();
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            long flow = jobs.workflows().add(Workflow.of("flow").open());
            jobs.workflows().addJobs(flow, Workflow.of("a").job("a", work(1).queue("nobody's")));
            List<Long> late = jobs.workflows()
                    .addJobs(
                            connection,
                            flow,
                            Workflow.of("late")
                                    .job("done", work(2), After.done("a"))
                                    .job("failed", work(3), After.failed("a")));
            assertThat(jobs.admin().cancelAll(JobQuery.in(JobState.WAITING).queue("nobody's")))
                    .isEqualTo(1);
            JobsDatabase.awaiting("the node goes on meanwhile")
                    .until(() -> jobs.workflows().jobs(flow).get(0).state() == WorkflowJob.State.CANCELLED);
            connection.commit();
            awaitRan("3 after {}");
            JobsDatabase.awaiting("the other one is cancelled")
                    .until(() -> jobs.workflows().jobs(flow).stream()
                            .anyMatch(each -> each.id() == late.get(0) && each.state() == WorkflowJob.State.CANCELLED));
            // It comes back with what it waits for.
            bad.clear();
            jobs.admin().retryAll(JobQuery.in(JobState.CANCELLED).queue("nobody's"));
            database.execute(
                    "UPDATE howdah_internal.job SET lane = (SELECT id FROM howdah_internal.lane WHERE queue = 'default'"
                            + " AND kind IS NULL ORDER BY id LIMIT 1)");
            awaitRan("2 after {a=1}");
        }
    }

    @Test
    void randomJobs_joiningWhileOthersEnd_allEndOnce() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        try (Jobs jobs = node()) {
            long flow = jobs.workflows().add(Workflow.of("flow").open());
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                Workflow more = Workflow.of("more");
                for (int n = 0; n <= random.nextInt(3); n++) {
                    String name = "n" + names.size();
                    if (random.nextInt(6) == 0) bad.add(names.size());
                    Set<String> before = new HashSet<>();
                    for (int b = random.nextInt(4); b > 0 && !names.isEmpty(); b--)
                        before.add(names.get(Math.max(0, names.size() - 1 - random.nextInt(6))));
                    After.Condition condition = After.Condition.values()[random.nextInt(3)];
                    more = before.isEmpty()
                            ? more.job(name, work(names.size()))
                            : more.job(name, work(names.size()), new After(condition, List.copyOf(before)));
                    names.add(name);
                }
                jobs.workflows().addJobs(flow, more);
            }
            jobs.workflows().close(flow);
            awaitState(jobs, flow, WorkflowSummary.State.ENDED);
            Map<String, WorkflowJob.State> states = new ConcurrentHashMap<>();
            for (WorkflowJob each : jobs.workflows().jobs(flow)) states.put(each.name(), each.state());
            assertThat(states.keySet()).containsExactlyInAnyOrderElementsOf(names);
            assertThat(states.values()).doesNotContain(WorkflowJob.State.HELD, WorkflowJob.State.RELEASED);
            assertThat(ran).doesNotHaveDuplicates();
            assertThat(ran.size())
                    .isEqualTo(states.values().stream()
                            .filter(state -> state != WorkflowJob.State.CANCELLED)
                            .count());
            assertThat(database.number("SELECT count(*) FROM howdah.workflow_jobs j WHERE j.state = 'done' AND NOT"
                            + " CASE j.runs_when WHEN 'ended' THEN true"
                            + " WHEN 'failed' THEN j.after = '{}' OR EXISTS (SELECT FROM howdah.workflow_jobs b"
                            + "   WHERE b.name = ANY (j.after) AND b.state IN ('failed', 'cancelled'))"
                            + " ELSE NOT EXISTS (SELECT FROM howdah.workflow_jobs b"
                            + "   WHERE b.name = ANY (j.after) AND b.state <> 'done') END"))
                    .as("seed " + seed)
                    .isZero();
        }
    }

    @Test
    void job_withTheNameOfOneThatIsBeingAdded_waitsForItsTransaction() throws Exception {
        try (Jobs jobs = node();
                Connection first = database.dataSource().getConnection()) {
            long flow = jobs.workflows().add(Workflow.of("flow").open().job("a", work(1)));
            first.setAutoCommit(false);
            jobs.workflows().addJobs(first, flow, Workflow.of("more").job("b", work(2)));
            CompletableFuture<List<Long>> second = CompletableFuture.supplyAsync(() ->
                    jobs.workflows().addJobs(flow, Workflow.of("more").job("b", work(3))));
            awaitWaiting();
            first.commit();
            assertThatThrownBy(second::join)
                    .hasCauseInstanceOf(JobsException.class)
                    .hasMessageContaining("workflow " + flow + " has a job with the name \"b\" already");

            jobs.workflows().addJobs(first, flow, Workflow.of("more").job("c", work(4)));
            second = CompletableFuture.supplyAsync(() ->
                    jobs.workflows().addJobs(flow, Workflow.of("more").job("c", work(5))));
            awaitWaiting();
            first.rollback();
            assertThat(second.join()).hasSize(1);
            awaitRan("5 after {}");
        }
    }

    @Test
    void jobs_addedWhileANodeCloses_areRefused() throws Exception {
        try (Jobs jobs = database.jobs().start();
                Connection node = database.connect();
                Statement statement = node.createStatement()) {
            long flow = jobs.workflows().add(Workflow.of("flow").open().job("a", work(1)));
            assertThat(jobs.workflows().close(flow)).isTrue();
            node.setAutoCommit(false);
            // As a node that carries the request out, between the looks at the workflow and at its requests.
            statement.execute("LOCK TABLE howdah_internal.workflow_event");
            CompletableFuture<?> late = CompletableFuture.supplyAsync(() ->
                    jobs.workflows().addJobs(flow, Workflow.of("more").job("b", work(2))));
            awaitWaiting();
            statement.execute("UPDATE howdah_internal.workflow SET open = false WHERE id = " + flow
                    + "; DELETE FROM howdah_internal.workflow_event WHERE asked = 'close'");
            node.commit();
            assertThatThrownBy(late::join)
                    .hasMessageContaining("nothing can be added to workflow " + flow + ": it is not open");
        }
    }

    @Test
    void jobs_badInput_isRefusedInWords() {
        try (Jobs jobs = node()) {
            long flow = jobs.workflows().add(Workflow.of("flow").open().job("a", work(1)));
            assertThatThrownBy(() -> jobs.workflows()
                            .addJobs(
                                    flow,
                                    Workflow.of("more")
                                            .job("b", work(2), After.done("c", "a"))
                                            .job("c", work(3), After.done("b"))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "workflow more has a cycle of jobs, none of which could ever run: b waits for c waits for b");
            assertThatThrownBy(() -> database.execute("SELECT howdah.add_to_workflow(" + flow
                            + ", '[{\"name\": \"b\", \"kind\": \"k\", \"after\": [\"a\", \"c\"]},"
                            + " {\"name\": \"c\", \"kind\": \"k\", \"after\": [\"b\"]}]')"))
                    .hasMessageContaining(
                            "a cycle of jobs, none of which could ever run: \"b\" waits for \"c\" waits for \"b\"");
            assertThatThrownBy(() ->
                            jobs.workflows().addJobs(flow, Workflow.of("more").job("b", work(2), After.done("x"))))
                    .hasMessageContaining(
                            "job \"b\" of a workflow waits for \"x\", which is no job of workflow " + flow);
            assertThatThrownBy(() ->
                            jobs.workflows().addJobs(flow, Workflow.of("more").job("a", work(2))))
                    .hasMessageContaining("workflow " + flow + " has a job with the name \"a\" already");
            assertThatThrownBy(() -> jobs.workflows()
                            .addJobs(flow, Workflow.of("more").job("b", work(2)).whenDone(work(3))))
                    .hasMessageStartingWith("more has a job for when all have ended");
            assertThatThrownBy(() -> jobs.workflows().addJobs(flow, Workflow.of("more")))
                    .hasMessage("more has no job to add");
            assertThatThrownBy(() ->
                            database.execute("SELECT howdah.add_to_workflow(" + flow + ", '[{\"kind\": \"k\"}]')"))
                    .hasMessageContaining("job 1 to add to workflow " + flow + " has no name");
            jobs.workflows().close(flow);
            assertThatThrownBy(() ->
                            jobs.workflows().addJobs(flow, Workflow.of("more").job("b", work(2))))
                    .hasMessageContaining("nothing can be added to workflow " + flow + ": it is not open");
        }
    }
}
