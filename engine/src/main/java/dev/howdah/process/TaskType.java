package dev.howdah.process;

import java.util.Locale;

/** What a task is. */
public enum TaskType {
    /** The first step of a process. */
    INIT,
    /** Somebody asks, and waits for the answer. */
    CALL,
    /** As a call, but nobody waits for an answer. */
    NOTIFY,
    /** A process that is in error is to be brought back. */
    REPAIR,
    /** The timer of the process is due. */
    TIMEOUT,
    /** The process is to go. Processors never see such a task. */
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
