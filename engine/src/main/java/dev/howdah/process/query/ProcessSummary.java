package dev.howdah.process.query;

import dev.howdah.process.ProcessStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A process in a list.
 *
 * @param queued the number of calls that wait or run
 * @param timer the due time of its timer; null if it has none
 */
public record ProcessSummary(
        String id,
        ProcessStatus status,
        ProcessStatus previousStatus,
        Instant statusChanged,
        Instant created,
        @Nullable String detail,
        long lastEventId,
        int queued,
        @Nullable Instant timer) {}
