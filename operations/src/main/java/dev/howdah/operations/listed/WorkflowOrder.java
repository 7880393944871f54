package dev.howdah.operations.listed;

import dev.howdah.job.JobAdmin;
import dev.howdah.job.workflow.WorkflowSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The order of a list of workflows. */
public enum WorkflowOrder {
    /** Those that were added last first. */
    NEWEST,
    /** Those that were added first first. */
    OLDEST;

    /** The other way round. */
    public WorkflowOrder opposite() {
        return this == NEWEST ? OLDEST : NEWEST;
    }

    /**
     * Lists workflows.
     *
     * @param after the id of the last one of the page before; null: from the first on
     */
    public List<WorkflowSummary> list(JobAdmin jobs, boolean unfinished, @Nullable Long after, int most) {
        return this == NEWEST
                ? jobs.workflows(unfinished, after == null ? Long.MAX_VALUE : after, most)
                : jobs.oldestWorkflows(unfinished, after == null ? 0 : after, most);
    }
}
