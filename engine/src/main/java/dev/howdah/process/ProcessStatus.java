package dev.howdah.process;

import java.util.Locale;

/** How a process is. */
public enum ProcessStatus {
    /** Its first step has not ended yet. */
    INIT,
    /** It is well: it works, waits for its timer, or for calls. */
    RUNNING,
    /** A step has failed for good; nothing runs until it is repaired. */
    ERROR;

    static ProcessStatus of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** Its name in tables and messages. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
