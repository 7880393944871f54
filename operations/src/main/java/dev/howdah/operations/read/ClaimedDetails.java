package dev.howdah.operations.read;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is told of a running job beside what its claim has.
 *
 * @param runAt when it was due
 * @param created when it was added
 * @param timeout null: it has none of its own
 * @param trace JSON, headers of W3C Trace Context; null: it was added without any
 * @param predecessors JSON, the jobs of its workflow that it has waited for, by their names; null: none
 */
public record ClaimedDetails(
        Instant runAt,
        Instant created,
        @Nullable Duration timeout,
        @Nullable String trace,
        @Nullable String predecessors) {}
