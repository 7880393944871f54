package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.spi.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of a workflow when its jobs, or the history of them, are removed, cancelled or retried by hand. */
@PostgresTest
@Tag("long")
class JobWorkflowHistoryTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final JobsDatabase database;
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());

    JobWorkflowHistoryTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private Jobs node() {
        return database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (number, job) -> {
                    ran.add(number + " " + job.resultsOf(Integer.class));
                    if (number < 0) throw new IllegalArgumentException("negative");
                    job.result(number);
                })
                .start();
    }

    private static NewJob<Integer> work(int number) {
        return NewJob.of(WORK, number);
    }

    private void await(Jobs jobs, long workflow, long done, long failed, long cancelled) {
        JobsDatabase.awaiting("counts of workflow " + workflow).until(() -> {
            WorkflowSummary found = jobs.workflows().find(workflow).orElseThrow();
            return found.done() == done && found.failed() == failed && found.cancelled() == cancelled;
        });
    }

    @Test
    void history_removedMeanwhile_leavesResultsAndCounts() {
        try (Jobs jobs = node()) {
            long workflow = jobs.workflows()
                    .add(Workflow.of("slow")
                            .job("first", work(7))
                            .job("later", work(8).delay(Duration.ofHours(1)), After.done("first")));
            List<WorkflowJob> named = jobs.workflows().jobs(workflow);
            JobsDatabase.awaiting("it is planned")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.job WHERE run_at > now()") == 1);
            database.execute("DELETE FROM howdah_internal.batch");
            assertThat(jobs.admin().runNow(named.get(1).id())).isTrue();
            await(jobs, workflow, 2, 0, 0);
            assertThat(ran).containsExactly("7 {}", "8 {first=7}");
        }
    }

    @Test
    void failedJob_deleted_countsAsFailedForGood() throws SQLException {
        try (Jobs jobs = node()) {
            long workflow = jobs.workflows()
                    .add(Workflow.of("deleted").job("bad", work(-1)).job("next", work(1), After.done("bad")));
            await(jobs, workflow, 0, 1, 1);
            assertThat(jobs.admin().deleteAll(JobQuery.in(JobState.FAILED))).isEqualTo(1);
            assertThat(jobs.admin().deleteAll(JobQuery.in(JobState.CANCELLED))).isEqualTo(1);
            await(jobs, workflow, 0, 1, 1);
            assertThat(jobs.workflows().find(workflow).orElseThrow().state()).isEqualTo(WorkflowSummary.State.ENDED);
            database.execute("UPDATE howdah_internal.workflow SET ended = ended - interval '31 days'");
            new HistoryCleaner(ConnectionSource.of(database.dataSource()), 30, 30).tidy();
            assertThat(jobs.workflows().find(workflow)).isEmpty();
            assertThat(database.text("SELECT (SELECT count(*) FROM howdah_internal.workflow_job)"
                            + " + (SELECT count(*) FROM howdah_internal.workflow_edge)"))
                    .isEqualTo("0");
        }
    }

    @Test
    void heldJob_cancelledAndRetriedByHand_waitsForItsPredecessors() {
        try (Jobs jobs = node()) {
            long workflow = jobs.workflows()
                    .add(Workflow.of("by hand")
                            .job("late", work(1).delay(Duration.ofHours(1)))
                            .job("held", work(2), After.done("late"))
                            .job("last", work(3), After.ended("held")));
            long held = jobs.workflows().jobs(workflow).get(1).id();
            assertThat(jobs.admin().find(held).orElseThrow().state()).isEqualTo(JobState.FOLLOWING);
            assertThat(jobs.admin().cancel(held)).isEqualTo(CancelResult.ASKED);
            await(jobs, workflow, 1, 0, 1);
            assertThat(jobs.admin().find(held).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
            assertThat(jobs.admin().retry(held)).isTrue();
            await(jobs, workflow, 1, 0, 0);
            assertThat(jobs.admin().find(held).orElseThrow().state()).isEqualTo(JobState.FOLLOWING);
            assertThat(jobs.admin()
                            .runNow(jobs.workflows().jobs(workflow).get(0).id()))
                    .isTrue();
            await(jobs, workflow, 3, 0, 0);
            assertThat(ran.get(0)).isEqualTo("3 {}");
            assertThat(ran).hasSize(3);
            assertThat(ran.get(1)).startsWith("1 ");
            assertThat(ran.get(2)).startsWith("2 ");
        }
    }

    @Test
    void graph_wide_endsAndIsSeenWhole() {
        try (Jobs jobs = node()) {
            Workflow wide = Workflow.of("wide");
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                names.add("j" + i);
                wide = wide.job("j" + i, work(i), After.done("root"));
            }
            long workflow = jobs.workflows()
                    .add(wide.job("root", work(0)).job("all", work(1), new After(After.Condition.DONE, names)));
            await(jobs, workflow, 302, 0, 0);
            assertThat(ran).hasSize(302);
            assertThat(ran.get(301)).startsWith("1 {j0=0, j1=1, ");
        }
    }
}
