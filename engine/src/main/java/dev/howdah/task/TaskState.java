package dev.howdah.task;

/** Where a task stands: the values of the type {@code state}, in its order. */
public enum TaskState {
    /** It waits: for its {@code plan}, for its turn in its group. */
    PLAN,
    /** It waited longer than its {@code active} allows and will not run. */
    GONE,
    /** It was chosen and is about to start. */
    TAKE,
    /** It runs. */
    WORK,
    /** It ran and ended without an error. */
    DONE,
    /** It ended with an error. */
    FAIL,
    /** Somebody stopped it before it ran. */
    STOP;

    /** Whether nothing more will happen to it unless somebody asks for that. */
    public boolean ended() {
        return this == GONE || this == DONE || this == FAIL || this == STOP;
    }
}
