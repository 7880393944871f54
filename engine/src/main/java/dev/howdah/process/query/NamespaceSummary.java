package dev.howdah.process.query;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A namespace of processes at a glance. Processes and notices are counted up to {@link #COUNTED}: a larger number says only that there are more.
 *
 * @param name of the namespace
 * @param outbox whether its notices are published
 * @param broken the number of processes in status error
 * @param due the number of processes with a step that could begin
 * @param notices the number of notices that wait to be published
 * @param blocked the number of processes whose notice was refused
 * @param oldest since when the first of the steps that could begin waits; null: none could
 */
public record NamespaceSummary(
        String name,
        boolean outbox,
        long broken,
        long due,
        long notices,
        long blocked,
        @Nullable Instant oldest) {
    /** Up to which number processes and notices are counted. */
    public static final int COUNTED = 10_000;
}
