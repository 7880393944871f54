package dev.howdah.console.internal.workflow;

import dev.howdah.job.JobAdmin;
import dev.howdah.job.workflow.WorkflowSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The order of a list of workflows. */
enum WorkflowOrder {
    /** Those that were added last first. */
    NEWEST,
    /** Those that were added first first. */
    OLDEST;

    /** The other way round. */
    WorkflowOrder opposite() {
        return this == NEWEST ? OLDEST : NEWEST;
    }

    /**
     * Lists workflows.
     *
     * @param after the id of the last one of the page before; null: from the first on
     */
    List<WorkflowSummary> list(JobAdmin jobs, boolean unfinished, @Nullable Long after, int most) {
        return this == NEWEST
                ? jobs.workflows(unfinished, after == null ? Long.MAX_VALUE : after, most)
                : jobs.oldestWorkflows(unfinished, after == null ? 0 : after, most);
    }
}
