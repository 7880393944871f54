package dev.howdah.process;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process as it was after its last step.
 *
 * @param previousStatus the one before; after the first step that went well once more {@code RUNNING}
 * @param detail the reason of its error; else null
 * @param corruptedBy the task of the timer that has broken it; else null
 * @param auxState empty if it has none
 * @param metadata a JSON object; null if it has none
 * @param history the part of its events given by {@code range}
 * @param lastEventId of all its events; 0 if it has none
 * @param timer the due time of its timer; null if it has none
 */
public record ProcessState(
        String namespace,
        String id,
        ProcessStatus status,
        ProcessStatus previousStatus,
        Instant statusChanged,
        Instant created,
        @Nullable String detail,
        @Nullable Long corruptedBy,
        Payload auxState,
        @Nullable Payload metadata,
        List<Event> history,
        long lastEventId,
        HistoryRange range,
        @Nullable Instant timer) {}
