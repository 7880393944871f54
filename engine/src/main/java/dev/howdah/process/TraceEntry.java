package dev.howdah.process;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task of a process and what came of it.
 *
 * @param scheduled when it was accepted, or due
 * @param running when it began; null if it has not
 * @param finished when it ended; null if it has not run to its end
 * @param range the part of the history that was asked for; null: what the processor usually sees
 * @param response its answer; null if there is none
 * @param error the error that is its answer; null if there is none
 * @param retryInterval how long it waited since the attempt before; zero for the first
 * @param retryAttempts how many attempts there were before
 */
public record TraceEntry(
        long task,
        TaskType type,
        TaskStatus status,
        Instant scheduled,
        @Nullable Instant running,
        @Nullable Instant finished,
        Payload args,
        Payload context,
        @Nullable HistoryRange range,
        @Nullable String key,
        @Nullable Payload response,
        @Nullable String error,
        Duration retryInterval,
        int retryAttempts,
        List<Event> events) {}
