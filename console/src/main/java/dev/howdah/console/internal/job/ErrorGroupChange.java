package dev.howdah.console.internal.job;

import dev.howdah.console.internal.bulk.BulkQuestion;
import dev.howdah.console.internal.bulk.BulkRun;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import org.jspecify.annotations.Nullable;

/**
 * Lets the jobs of a group of errors begin anew, or makes those due now that wait for a retry.
 *
 * @param pattern as {@code howdah.error_pattern} makes it
 * @param isRetrying whether they wait for a retry; false: they have failed
 * @param queue null: any
 * @param kind null: any
 */
public record ErrorGroupChange(
        String pattern,
        boolean isRetrying,
        @Nullable String queue,
        @Nullable String kind) {
    private static final int COUNTED = 10_000;

    /**
     * Begins.
     *
     * @param expected how many there are; null: not known
     * @return null if too many changes wait
     * @throws IllegalArgumentException if a value cannot be
     */
    public @Nullable BulkRun start(ConsoleData data, BulkRuns runs, @Nullable Long expected) {
        JobQuery query = query();
        BulkChange.Action action = isRetrying ? BulkChange.Action.RUN_NOW : BulkChange.Action.RETRY;
        return runs.start(
                (isRetrying ? "Run now after " : "Retry after ") + Texts.line(pattern),
                isRetrying ? "/jobs/errors?state=retrying" : "/jobs/errors",
                expected,
                run -> data.jobs().change(new BulkChange(action, query, null), run::step));
    }

    /** What is asked before it begins. */
    public BulkQuestion question(ConsoleData data) {
        Long count = count(data);
        return new BulkQuestion(
                (isRetrying ? "run now " : "retry ") + Numbers.all(count) + (isRetrying ? "retrying" : "failed")
                        + (count != null && count == 1 ? " job" : " jobs") + " with the error " + Texts.line(pattern)
                        + (queue == null ? "" : " of queue " + queue) + (kind == null ? "" : " of kind " + kind),
                count);
    }

    private @Nullable Long count(ConsoleData data) {
        try {
            long jobs = data.jobs().count(query(), COUNTED);
            return jobs < COUNTED ? Long.valueOf(jobs) : null;
        } catch (JobsException e) {
            return null;
        }
    }

    private JobQuery query() {
        JobQuery query =
                JobQuery.in(isRetrying ? JobState.RETRYING : JobState.FAILED).errorPattern(pattern);
        String part = new ErrorPattern(pattern).part();
        if (queue != null) query = query.queue(queue);
        if (kind != null) query = query.kind(kind);
        return part == null ? query : query.error(part);
    }
}
