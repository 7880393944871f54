package dev.howdah.task;

/** Whose privileges tasks have. */
public enum TaskRights {
    /**
     * Each task has those of the role that added it, which the server writes into the column {@code owner}. A table
     * that lacks the column gets it; existing rows then belong to the scheduler's role.
     */
    OWNER,

    /**
     * All tasks have those of the login role of the scheduler, as in the extension: each role that may add a task can
     * do what that role can.
     */
    SCHEDULER
}
