package dev.howdah.console.internal.data;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A namespace of processes at a glance.
 *
 * @param outbox whether its notices are published
 * @param broken processes in status error, up to {@link ConsoleQueries#COUNTED}
 * @param due processes with a step that could begin, up to the same number
 * @param notices that wait to be published, up to the same number
 * @param blocked processes whose notice was refused, up to the same number
 * @param oldest since when a step is due
 */
public record NamespaceSummary(
        String name,
        boolean outbox,
        long broken,
        long due,
        long notices,
        long blocked,
        @Nullable Instant oldest) {}
