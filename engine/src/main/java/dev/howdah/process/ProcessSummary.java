package dev.howdah.process;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A process in a list.
 *
 * @param queued how many calls wait or run
 * @param timer when its timer is due; null if it has none
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
