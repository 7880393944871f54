package dev.howdah.process.query;

import java.util.Locale;

/** The status of a task. */
public enum TaskStatus {
    /** It has not begun. */
    WAITING,
    /** A timer that waits for calls to end. */
    BLOCKED,
    RUNNING,
    FINISHED,
    ERROR,
    /** It never ran: another timer took its place, or its process broke. */
    CANCELLED;

    /**
     * Returns the status of that name.
     *
     * @param name in any case
     * @throws IllegalArgumentException if there is none
     */
    public static TaskStatus of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
