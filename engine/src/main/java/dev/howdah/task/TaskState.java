package dev.howdah.task;

/** The state of a task: the values of the type {@code state}, in its order. */
public enum TaskState {
    /** It waits for its {@code plan}, or for its turn in its group. */
    PLAN,
    /**
     * It waited longer than its {@code active} allows, or a task that it waited for did not end as DONE; it will not run.
     */
    GONE,
    /** It was chosen and is about to start. */
    TAKE,
    /** It runs. */
    WORK,
    /** It ran and ended without an error. */
    DONE,
    /** It ended with an error. */
    FAIL,
    /** It was stopped before it ran, or cancelled with {@code pg_task.cancel}. */
    STOP;

    /** Returns whether it has ended: it will not run unless it is planned again. */
    public boolean ended() {
        return this == GONE || this == DONE || this == FAIL || this == STOP;
    }
}
