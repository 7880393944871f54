package dev.howdah.console.internal.workflow;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.health.Cause;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.WorkflowOperations;
import dev.howdah.operations.read.EngineReads;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One workflow: {@code /workflows/{id}}. */
public final class WorkflowPageController implements PageController {
    private static final int MOST_ROWS = 500;

    private final ConsoleData data;
    private final EngineReads queries;

    WorkflowPageController(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template of its state shows. */
    public record State(WorkflowSummary workflow) {
        /** The workflow for its buttons. */
        public Values key() {
            return WorkflowOperations.key(workflow.id());
        }

        public boolean isOpen() {
            return workflow.state() == WorkflowSummary.State.OPEN;
        }

        public long ended() {
            return workflow.done() + workflow.failed() + workflow.cancelled();
        }

        public boolean isEnded() {
            return workflow.state() == WorkflowSummary.State.ENDED;
        }
    }

    /**
     * What the template of its jobs shows.
     *
     * @param jobs the first of them
     * @param more how many there are beyond these
     * @param unserved why the first of those that wait for a node does not run, where no node takes it; null: one does
     */
    public record Members(
            List<WorkflowJob> jobs,
            int more,
            WorkflowDrawing drawing,
            @Nullable String unserved) {}

    @Override
    public Page page(PageRequest request) {
        long id = request.id();
        return new Page(
                "Workflow " + id,
                Section.JOBS,
                new Part("workflow", "workflow.jte", () -> state(id)),
                new Part("members", "workflow-jobs.jte", () -> members(id)));
    }

    private State state(long id) {
        if (!queries.installed().jobs()) throw WorkflowPages.missing(id);
        return new State(data.jobs().findWorkflow(id).orElseThrow(() -> WorkflowPages.missing(id)));
    }

    private @Nullable String unserved(List<WorkflowJob> jobs) {
        for (WorkflowJob job : jobs)
            if (job.state() == WorkflowJob.State.RELEASED) {
                for (Cause cause : data.jobs().why(job.id()))
                    if (cause.code().equals("no-node") || cause.code().equals("no-handler"))
                        return job.name() + " waits: " + cause.sentence();
                return null;
            }
        return null;
    }

    /** What has failed is read first, and then what goes on. */
    private static int rank(WorkflowJob job) {
        return job.state() == WorkflowJob.State.FAILED ? 0 : job.state() == WorkflowJob.State.RELEASED ? 1 : 2;
    }

    private Members members(long id) {
        List<WorkflowJob> jobs = data.jobs().workflowJobs(id);
        List<WorkflowJob> shown = jobs.stream()
                .sorted(Comparator.comparingInt(WorkflowPageController::rank))
                .limit(MOST_ROWS)
                .toList();
        return new Members(shown, jobs.size() - shown.size(), WorkflowDrawing.of(jobs), unserved(jobs));
    }
}
