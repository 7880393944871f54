package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs of a workflow that are retried, whatever asks for it, wait for what they waited for the first time. */
@PostgresTest
class JobWorkflowRetryTest {
    private static final Kind<String> STEP = Kind.of("step", String.class).retries(RetryPolicy.never());

    private final JobsDatabase database;
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> bad = ConcurrentHashMap.newKeySet();
    private final Set<String> hanging = ConcurrentHashMap.newKeySet();
    private final CountDownLatch begun = new CountDownLatch(1);
    private Jobs jobs;

    JobWorkflowRetryTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @BeforeEach
    void begin() {
        jobs = database.jobs()
                .concurrency(10)
                .handle(STEP, (name, job) -> {
                    if (hanging.contains(name)) {
                        begun.countDown();
                        new CountDownLatch(1).await();
                    }
                    ran.add(name + " after " + job.resultsOf(String.class).values());
                    if (bad.contains(name)) throw new IllegalStateException("no " + name);
                    job.result(name);
                })
                .start();
    }

    @AfterEach
    void stop() {
        jobs.close();
    }

    private static NewJob<String> step(String name) {
        return NewJob.of(STEP, name);
    }

    private void awaitEnded(long workflow) {
        JobsDatabase.awaiting("workflow " + workflow + " has ended")
                .until(() -> database.number("SELECT count(*) FROM howdah_internal.workflow_event") == 0
                        && jobs.workflows().find(workflow).orElseThrow().state() == WorkflowSummary.State.ENDED);
    }

    private List<String> states(long workflow) {
        return jobs.workflows().jobs(workflow).stream()
                .map(each -> each.name() + " " + each.state())
                .toList();
    }

    enum Way {
        ALL_IN_JAVA,
        ALL_IN_SQL,
        EACH_IN_ITS_ORDER,
        EACH_THE_OTHER_WAY_ROUND
    }

    @ParameterizedTest
    @EnumSource
    void cancelledWorkflow_retried_runsInItsOrder(Way way) throws InterruptedException {
        hanging.add("a");
        long workflow = jobs.workflows()
                .add(Workflow.of("chain")
                        .job("a", step("a"))
                        .job("b", step("b"), After.done("a"))
                        .job("c", step("c"), After.done("b")));
        begun.await();
        jobs.workflows().cancel(workflow);
        awaitEnded(workflow);
        assertThat(states(workflow)).containsExactly("a CANCELLED", "b CANCELLED", "c CANCELLED");
        hanging.clear();
        List<Long> ids = new ArrayList<>(
                jobs.workflows().jobs(workflow).stream().map(WorkflowJob::id).toList());
        switch (way) {
            case ALL_IN_JAVA ->
                assertThat(jobs.admin().retryAll(JobQuery.in(JobState.CANCELLED)))
                        .isEqualTo(3);
            case ALL_IN_SQL ->
                assertThat(database.text("CALL howdah.change_jobs('retry', 'cancelled')"))
                        .isEqualTo("3");
            default -> {
                if (way == Way.EACH_THE_OTHER_WAY_ROUND) Collections.reverse(ids);
                // Those that were skipped may have come back with the first one.
                for (long id : ids) jobs.admin().retry(id);
            }
        }
        JobsDatabase.awaiting("c ran").until(() -> ran.size() == 3);
        awaitEnded(workflow);
        assertThat(ran).containsExactly("a after []", "b after [a]", "c after [b]");
        assertThat(states(workflow)).containsExactly("a DONE", "b DONE", "c DONE");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @Test // also where they run whatever has become of those before them
    void failedJobs_retriedTogether_waitForOneAnother() {
        bad.addAll(Set.of("a", "always"));
        long workflow = jobs.workflows()
                .add(Workflow.of("both").job("a", step("a")).job("always", step("always"), After.ended("a")));
        awaitEnded(workflow);
        bad.clear();
        ran.clear();
        assertThat(jobs.admin().retryAll(JobQuery.in(JobState.FAILED))).isEqualTo(2);
        JobsDatabase.awaiting("both ran").until(() -> ran.size() == 2);
        awaitEnded(workflow);
        assertThat(ran).containsExactly("a after []", "always after [a]");
        assertThat(jobs.workflows().find(workflow).orElseThrow().done()).isEqualTo(2);
    }

    @Test
    void jobBehindAFailedOne_retriedAlone_runsWhenThatOneIsDone() {
        bad.add("a");
        long workflow =
                jobs.workflows().add(Workflow.of("pair").job("a", step("a")).job("b", step("b"), After.done("a")));
        awaitEnded(workflow);
        List<WorkflowJob> named = jobs.workflows().jobs(workflow);
        assertThat(jobs.admin().retry(named.get(1).id())).isTrue();
        awaitEnded(workflow);
        assertThat(states(workflow)).containsExactly("a FAILED", "b CANCELLED");
        assertThat(jobs.workflows().jobs(workflow).get(1).error())
                .isEqualTo("not run: it waits for \"a\", which has failed");
        bad.clear();
        assertThat(jobs.admin().retry(named.get(0).id())).isTrue();
        awaitEnded(workflow);
        assertThat(ran).containsExactly("a after []", "a after []", "b after [a]");
    }

    @Test
    void failedCallback_retriedWithAJob_runsAtTheEnd() {
        bad.addAll(Set.of("a", "report"));
        long workflow =
                jobs.workflows().add(Workflow.of("reported").job("a", step("a")).whenEnded(step("report")));
        JobsDatabase.awaiting("both have failed")
                .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == 2);
        awaitEnded(workflow);
        bad.clear();
        ran.clear();
        assertThat(jobs.admin().retryAll(JobQuery.in(JobState.FAILED))).isEqualTo(2);
        JobsDatabase.awaiting("both ran").until(() -> ran.size() == 2);
        assertThat(ran).containsExactly("a after []", "report after []");
        awaitEnded(workflow);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @Test
    void callbackOfAnEndedWorkflow_retriedAlone_runs() {
        bad.add("report");
        long workflow =
                jobs.workflows().add(Workflow.of("reported").job("a", step("a")).whenDone(step("report")));
        JobsDatabase.awaiting("the callback has failed")
                .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == 1);
        bad.clear();
        assertThat(jobs.admin().retryAll(JobQuery.in(JobState.FAILED))).isEqualTo(1);
        JobsDatabase.awaiting("it ran again").until(() -> ran.size() == 3);
        awaitEnded(workflow);
        assertThat(jobs.workflows().find(workflow).orElseThrow().done()).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @Test
    void retriedJob_heldByAnotherSession_comesBackWhenThatSessionLetsGo() throws Exception {
        bad.addAll(Set.of("a", "mend"));
        long workflow = jobs.workflows()
                .add(Workflow.of("held").job("a", step("a")).job("mend", step("mend"), After.failed("a")));
        awaitEnded(workflow);
        bad.clear();
        long mend = jobs.workflows().jobs(workflow).get(1).id();
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM howdah_internal.failed f WHERE f.id = " + mend + " FOR UPDATE");
            database.execute("SELECT howdah.retry(" + mend + "); SELECT howdah_internal.workflow_settle(100)");
            other.rollback();
        }
        JobsDatabase.awaiting("it ran again").until(() -> ran.size() == 3);
        awaitEnded(workflow);
        assertThat(states(workflow)).containsExactly("a FAILED", "mend DONE");
    }
}
