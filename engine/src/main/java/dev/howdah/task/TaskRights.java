package dev.howdah.task;

/** With whose rights tasks run. */
public enum TaskRights {
    /**
     * Each with those of the role that added it, which the server writes into the column {@code owner}. A table that lacks
     * the column gets it; rows that are there already belong to the scheduler's role.
     */
    OWNER,

    /**
     * All with those of the role that the scheduler logs in as, as in the extension: whoever may add a task may do
     * whatever that role may.
     */
    SCHEDULER
}
