package dev.howdah.process;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that has happened to a process, and cannot be changed any more.
 *
 * @param id chosen by the processor, unique in its process
 * @param timestamp when, as the processor says
 * @param metadata an object of JSON; null if it has none
 * @param task whose step it came with
 */
public record Event(
        long id,
        Instant timestamp,
        Payload payload,
        @Nullable Payload metadata,
        long task) {}
