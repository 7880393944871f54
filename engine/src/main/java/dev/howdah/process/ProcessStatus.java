package dev.howdah.process;

import java.util.Locale;

/** The status of a process. */
public enum ProcessStatus {
    /** Its first step has not ended yet. */
    INIT,
    /** No step has failed for good: it runs, waits for its timer, or waits for calls. */
    RUNNING,
    /** A step has failed for good; nothing runs until it is repaired. */
    ERROR;

    /**
     * Returns the status of that name.
     *
     * @param name as {@link #text} has it, in any case
     * @throws IllegalArgumentException if there is none
     */
    public static ProcessStatus of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** The name in tables and messages, in lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
