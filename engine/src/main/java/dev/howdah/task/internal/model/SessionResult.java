package dev.howdah.task.internal.model;

import dev.howdah.task.TaskState;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The result of a task that was begun in a session.
 *
 * @param outcome null if the session was lost: then it is unknown
 * @param begun whether its text has been sent
 * @param cancelled whether it was cancelled, by whomever
 * @param silent whether the session was lost without a word of the server, which may go on with the text
 * @param detail why the session was lost
 * @param written the state that the task has written into its row together with what it did, if it has: WORK where
 *     something is left to be done for it
 */
public record SessionResult(
        @Nullable TaskResult outcome,
        boolean begun,
        boolean cancelled,
        boolean silent,
        @Nullable String detail,
        @Nullable TaskState written) {
    public SessionResult(
            @Nullable TaskResult outcome, boolean begun, boolean cancelled, boolean silent, @Nullable String detail) {
        this(outcome, begun, cancelled, silent, detail, null);
    }

    /** The name of the outcome of a task that has succeeded. */
    public static final String DONE = "done";

    /** The name of an outcome that is not known. */
    public static final String LOST = "lost";

    /** Returns how it ended, as metrics and spans name it: a state in small letters, or {@link #LOST}. */
    public String outcomeName() {
        if (written != null) return DONE;
        return outcome == null ? LOST : outcome.state().name().toLowerCase(Locale.ROOT);
    }

    /** A task that fails before its text was sent. */
    public static SessionResult refused(ClaimedTask task, String error) {
        return failed(task, false, error);
    }

    /** @param begun whether its text has been sent */
    public static SessionResult failed(ClaimedTask task, boolean begun, String error) {
        return new SessionResult(new TaskResult(task.id(), TaskState.FAIL, null, "", error), begun, false, false, null);
    }
}
