package dev.howdah.process;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that others are to be told of a process, after it was committed.
 *
 * @param id grows with each notice of the process; the same if it is told again
 * @param event its number, if it tells of an event; else null
 * @param detail why the process has failed; else null
 * @param payload of the event; else null
 * @param metadata of the event; null if there is none
 */
public record Notice(
        long id,
        String namespace,
        String process,
        Kind kind,
        Instant at,
        @Nullable Long event,
        @Nullable String detail,
        @Nullable Payload payload,
        @Nullable Payload metadata) {
    /** What it tells of. */
    public enum Kind {
        /** An event was added. */
        EVENT,
        /** The first step went well. */
        CREATED,
        /** The process is in error. */
        FAILED,
        /** It was in error, and is running. */
        REPAIRED,
        /** It is gone. */
        REMOVED
    }
}
