package dev.howdah.job.internal.attempt;

import dev.howdah.job.internal.store.JobPayloads;
import org.jspecify.annotations.Nullable;

/**
 * The result of an attempt, as it is written.
 *
 * @param delayMicros when the job is due again, if its state is {@link AttemptState.JobState#DELAYED} then
 * @param next where it goes on, if the state is {@link AttemptState#NEXT_STAGE}
 * @param openWait what it waits for, if the state is {@link AttemptState#SUSPENDED}
 */
public record AttemptResult(
        AttemptState state,
        long delayMicros,
        @Nullable String error,
        @Nullable String result,
        @Nullable Step next,
        @Nullable OpenWait openWait) {
    /**
     * The stage at which the job continues, or its handler's next beginning.
     *
     * @param payload JSON
     * @param again whether its handler begins anew, and this is no other stage
     */
    public record Step(String queue, String kind, String payload, boolean again) {
        public Step(String queue, String kind, String payload) {
            this(queue, kind, payload, false);
        }

        public boolean isLarge() {
            return JobPayloads.isLarge(payload);
        }

        /** The database does not take its payload. */
        public AttemptResult refused(String reason) {
            return failed(refusal() + reason);
        }

        /** The beginning of the error when the database does not take its payload. */
        public String refusal() {
            return "its payload for " + kind + " is refused: ";
        }
    }

    public AttemptResult(AttemptState state, long delayMicros, @Nullable String error, @Nullable String result) {
        this(state, delayMicros, error, result, null, null);
    }

    public static AttemptResult next(Step next) {
        return new AttemptResult(AttemptState.NEXT_STAGE, 0, null, null, next, null);
    }

    /** Why a job that ran is cancelled, for people. */
    public static final String WHILE_IT_RAN = "cancelled while it ran";

    public static final AttemptResult DONE = done(null);
    /** It had not begun. */
    public static final AttemptResult GIVEN_BACK = new AttemptResult(AttemptState.GIVEN_BACK, 0, null, null);
    /** It has left its turn among the jobs of its order key while it waited, and wants it back. */
    public static final AttemptResult WANTS_TURN = new AttemptResult(AttemptState.GIVEN_BACK, 0, null, null);
    /** This node has no handler for it: it goes to a lane for its kind. */
    public static final AttemptResult UNKNOWN = new AttemptResult(AttemptState.UNKNOWN_KIND, 0, null, null);
    /** It was written down already, in the job's own transaction. */
    public static final AttemptResult WRITTEN = done(null);

    /** @param result JSON; null: there is none */
    public static AttemptResult done(@Nullable String result) {
        return new AttemptResult(AttemptState.DONE, 0, null, result);
    }

    /** The attempt could not be made, and nothing can be said about it. */
    public static final AttemptResult UNEXPECTED =
            retry(60_000_000, "the attempt could not be made, see the log of its node");

    public static AttemptResult retry(long delayMicros, String error) {
        return new AttemptResult(AttemptState.RETRIED, delayMicros, error, null);
    }

    public static AttemptResult snooze(long delayMicros) {
        return new AttemptResult(AttemptState.SNOOZED, delayMicros, null, null);
    }

    public static AttemptResult suspended(OpenWait wait) {
        return new AttemptResult(AttemptState.SUSPENDED, wait.left(), null, null, null, wait);
    }

    public static AttemptResult failed(String error) {
        return new AttemptResult(AttemptState.FAILED, 0, error, null);
    }

    /** The cancellation of a running job ends it, whatever its handler has said meanwhile but that it has ended. */
    public static AttemptResult cancelledWhileItRan() {
        return cancelled(WHILE_IT_RAN);
    }

    public static AttemptResult cancelled(String error) {
        return new AttemptResult(AttemptState.CANCELLED, 0, error, null);
    }

    /** The same with another error. */
    public AttemptResult withError(String other) {
        return new AttemptResult(state, delayMicros, other, result, next, openWait);
    }

    /** Returns whether its handler has done what it had to do: what it did in the job's own transaction stands. */
    public boolean isSuccess() {
        return state.isSuccess();
    }

    /** Returns whether nothing is to be said but that it is done, and its result. */
    public boolean isDone() {
        return state == AttemptState.DONE;
    }

    /** Returns whether nothing is to be said but that it is done. */
    public boolean isPlain() {
        return state == AttemptState.DONE && result == null;
    }
}
