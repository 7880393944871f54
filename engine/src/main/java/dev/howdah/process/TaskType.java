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

    static TaskType of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
