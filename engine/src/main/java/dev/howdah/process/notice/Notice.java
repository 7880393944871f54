package dev.howdah.process.notice;

import dev.howdah.process.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message of the outbox about a process, published after the commit of its step.
 *
 * @param id grows with each notice of the process; the same if it is published again
 * @param event the id of its event; null for other kinds
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
    /** The kind of a notice. */
    public enum Kind {
        /** An event was added. */
        EVENT,
        /** The first step has succeeded. */
        CREATED,
        /** The process is in error. */
        FAILED,
        /** The process was in error and is running. */
        REPAIRED,
        /** The process was removed. */
        REMOVED
    }
}
