package dev.howdah.job.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job of a workflow that has a name.
 *
 * @param after the names of the jobs that it waits for, or has waited for
 * @param result as JSON; null: it is not done, or its handler has set none
 * @param error the first line; null: it has not failed, and was not cancelled
 */
public record WorkflowJob(
        long id,
        String name,
        State state,
        List<String> after,
        String kind,
        @Nullable String result,
        @Nullable String error) {
    /** The state of a job of a workflow. */
    public enum State {
        /** It waits for others. */
        HELD,
        /** It does not wait for others any more: it waits for a node, or runs. */
        RELEASED,
        DONE,
        FAILED,
        CANCELLED
    }
}
