package dev.howdah.job.internal.attempt;

import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt of a job, and the state of the job after it: the transition table of a claimed job, which is also printed in the
 * description of this package. The codes are those of {@code howdah_internal.batch.outcomes}, one character for each job of a batch.
 */
public enum AttemptState {
    /** The handler has succeeded. The row of the batch is the history of the job. */
    DONE('d', JobState.DONE, Attempts.COUNTED, "done"),
    /** The handler has succeeded, and the job goes on as the next stage of its pipeline. */
    NEXT_STAGE('n', JobState.WAITING, Attempts.RESET, "done"),
    /** The attempt has failed, and another one follows after a delay. */
    RETRIED('r', JobState.DELAYED, Attempts.COUNTED, "retried"),
    /** The handler has asked to be called again after a delay. */
    SNOOZED('s', JobState.DELAYED, Attempts.KEPT, "snoozed"),
    /** The handler waits, and is called again when the wait has ended. */
    SUSPENDED('w', JobState.SUSPENDED, Attempts.RESET, "suspended"),
    /** The node has returned the job to its lane without an attempt, or has interrupted the attempt because it stopped. */
    GIVEN_BACK('g', JobState.WAITING, Attempts.KEPT, null),
    /** The node has no handler for the kind of the job: the job moves to the lane of that kind. */
    UNKNOWN_KIND('u', JobState.WAITING, Attempts.KEPT, null),
    /** The attempt goes on in another batch, because the jobs that have ended are written before it. */
    MOVED('m', JobState.RUNNING, Attempts.KEPT, null),
    /** The attempt has failed, and no other one follows. */
    FAILED('f', JobState.FAILED, Attempts.COUNTED, "failed"),
    /** The job was cancelled before or while it ran. */
    CANCELLED('c', JobState.CANCELLED, Attempts.COUNTED, "cancelled"),
    /** The node has crashed. Another node writes this. With the third crash that counts against it the job is failed. */
    NODE_CRASHED('x', JobState.WAITING, Attempts.COUNTED, null);

    /** Whether the job is claimed again after it. */
    public boolean goesOn() {
        return this == NEXT_STAGE || this == RETRIED || this == SNOOZED || this == SUSPENDED;
    }

    /** The state of a job after an attempt. */
    public enum JobState {
        /** In the history only. */
        DONE,
        /** In {@code howdah_internal.job}, due at once or as before. */
        WAITING,
        /** In {@code howdah_internal.job}, due after the delay that the attempt ended with. */
        DELAYED,
        /** In {@code howdah_internal.job}, due at the end of its wait. */
        SUSPENDED,
        /** In a batch that has not ended. */
        RUNNING,
        /** In {@code howdah_internal.failed}. */
        FAILED,
        /** In {@code howdah_internal.failed}, as cancelled. */
        CANCELLED
    }

    /** The number of attempts of the job after an attempt. */
    public enum Attempts {
        /** One more. */
        COUNTED,
        /** As before: this was no attempt. */
        KEPT,
        /** Zero. */
        RESET
    }

    private final char code;
    private final JobState after;
    private final Attempts attempts;
    private final @Nullable String metric;

    AttemptState(char code, JobState after, Attempts attempts, @Nullable String metric) {
        this.code = code;
        this.after = after;
        this.attempts = attempts;
        this.metric = metric;
    }

    /** The character in {@code howdah_internal.batch.outcomes}. */
    public char code() {
        return code;
    }

    /** The state of the job afterwards. */
    public JobState after() {
        return after;
    }

    public Attempts attempts() {
        return attempts;
    }

    /** The label of the metric that counts such ends; null: they are not counted. */
    @Nullable
    public String metric() {
        return metric;
    }

    /** Returns whether the effects of the handler in the job's own transaction are committed. */
    public boolean isSuccess() {
        return this == DONE || this == NEXT_STAGE;
    }
}
