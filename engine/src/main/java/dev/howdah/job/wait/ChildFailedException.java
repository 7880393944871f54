package dev.howdah.job.wait;

import dev.howdah.job.FatalException;
import dev.howdah.job.query.JobState;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Thrown where a handler waits for a child, or another job, that has failed or was cancelled, in each later run the same: a handler that does not catch it has failed for
 * good.
 */
public class ChildFailedException extends FatalException {
    private static final long serialVersionUID = 1;

    private final long child;
    private final JobState state;

    /**
     * @param state failed or cancelled
     * @param error the first line of its error; null: it has none
     */
    public ChildFailedException(Child child, String state, @Nullable String error) {
        super("child \"" + child.name() + "\", job " + child.id()
                + (state.equals("failed") ? ", has failed" : ", was cancelled")
                + (error == null || error.isEmpty() ? "" : ": " + error));
        this.child = child.id();
        this.state = JobState.valueOf(state.toUpperCase(Locale.ROOT));
    }

    /** The same of a job that is no child. */
    public ChildFailedException(String name, long job, String state, @Nullable String error) {
        super("job " + job + ", waited for as \"" + name + '"'
                + (state.equals("failed") ? ", has failed" : ", was cancelled")
                + (error == null || error.isEmpty() ? "" : ": " + error));
        this.child = job;
        this.state = JobState.valueOf(state.toUpperCase(Locale.ROOT));
    }

    /** Returns the id of the child, or of the job. */
    public long child() {
        return child;
    }

    /** Returns how it has ended. */
    public JobState state() {
        return state;
    }
}
