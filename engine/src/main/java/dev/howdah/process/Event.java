package dev.howdah.process;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An immutable event in the history of a process.
 *
 * @param id chosen by the processor, unique in its process
 * @param timestamp set by the processor, or the time of the step
 * @param metadata a JSON object; null if it has none
 * @param task the id of the task whose step added it
 */
public record Event(
        long id,
        Instant timestamp,
        Payload payload,
        @Nullable Payload metadata,
        long task) {}
