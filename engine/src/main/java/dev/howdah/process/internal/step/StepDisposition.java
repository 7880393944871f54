package dev.howdah.process.internal.step;

import dev.howdah.process.Action;

/**
 * The end of a step, and the state of its process and of the timer of the process after it: the transition table of a process, which is
 * also printed in the description of this package. The codes are those that the statement which writes ended steps takes.
 */
public enum StepDisposition {
    /** The step has succeeded, and the timer stays. */
    COMPLETED('k', Status.RUNNING, Timer.KEPT, "done", "complete_and_unlock"),
    /** The step has succeeded, and the timer is removed. */
    SUSPENDED('s', Status.RUNNING, Timer.NONE, "done", "complete_and_suspend"),
    /** The step has succeeded and has set the timer. */
    SCHEDULED('t', Status.RUNNING, Timer.SET, "done", "complete_and_continue"),
    /** The step of a timer has failed and is retried after a delay. */
    RETRIED('r', Status.UNCHANGED, Timer.SET, "retried", "complete_and_continue"),
    /** The step has failed and the process is broken. A timer that has failed stays for the repair; another one is removed. */
    BROKEN('e', Status.ERROR, Timer.NONE, "broken", "complete_and_error"),
    /** The step has failed, or has not run, and the process is as before. */
    FAILED('f', Status.UNCHANGED, Timer.KEPT, "failed", "complete_and_error"),
    /** The process is removed: a statement of its own does that. */
    REMOVED('x', Status.REMOVED, Timer.NONE, "removed", "complete_and_error");

    /** The status of a process after a step. */
    public enum Status {
        RUNNING,
        ERROR,
        UNCHANGED,
        /** There is no such process any more. */
        REMOVED
    }

    /** The timer of a process after a step. */
    public enum Timer {
        /** As before; none, if the step was that of the timer. */
        KEPT,
        /** Another one than before. */
        SET,
        NONE
    }

    private final char code;
    private final Status status;
    private final Timer timer;
    private final String metric;
    private final String completionType;

    StepDisposition(char code, Status status, Timer timer, String metric, String completionType) {
        this.code = code;
        this.status = status;
        this.timer = timer;
        this.metric = metric;
        this.completionType = completionType;
    }

    /** The end of a step that has succeeded with that action. */
    static StepDisposition of(Action action) {
        if (action instanceof Action.Remove) return REMOVED;
        if (action instanceof Action.Suspend) return SUSPENDED;
        return action instanceof Action.Schedule ? SCHEDULED : COMPLETED;
    }

    /** The character in the parameters of the statement. */
    public char code() {
        return code;
    }

    /** The status of the process afterwards. */
    public Status status() {
        return status;
    }

    /** The timer of the process afterwards. */
    public Timer timer() {
        return timer;
    }

    /** Returns whether the process runs afterwards, whatever it was before. */
    public boolean isSuccess() {
        return status == Status.RUNNING;
    }

    /** Returns whether the node knows the process afterwards; of broken ones, and of those that stay broken, the database knows more. */
    boolean isKnownAfterwards() {
        return isSuccess() || this == RETRIED;
    }

    /** The label of the metric that counts ended steps. */
    String metric() {
        return metric;
    }

    /** The label of progressor's histogram of completions. */
    String completionType() {
        return completionType;
    }
}
