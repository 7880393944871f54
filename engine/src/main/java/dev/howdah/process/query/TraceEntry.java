package dev.howdah.process.query;

import dev.howdah.process.Event;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.Payload;
import dev.howdah.process.TaskType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task of a process and its outcome.
 *
 * @param scheduled the time of its acceptance, or its due time
 * @param running the time of its start; null if it has not started
 * @param finished the time of its end; null if it has not ended
 * @param range the part of the history that was requested; null: that of the namespace
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
