package dev.howdah.process;

import java.util.Locale;

/** The type of a task. */
public enum TaskType {
    /** The first step of a process. */
    INIT,
    /** A call: a caller waits for the answer. */
    CALL,
    /** A message: as a call, but no caller waits for an answer. */
    NOTIFY,
    /** The repair of a process that is in error. */
    REPAIR,
    /** The timer of the process is due. */
    TIMEOUT,
    /** The removal of the process. Processors never get such a task. */
    REMOVE;

    /**
     * Returns the type of that name.
     *
     * @param name as {@link #text} has it, in any case
     * @throws IllegalArgumentException if there is none
     */
    public static TaskType of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** The name in tables, metrics and messages, in lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
