package dev.howdah.console.internal.data;

import dev.howdah.operations.read.EngineReads;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Whether anything has been written, asked of the database at most thirty times a second for all that want to know. Safe for use by many
 * threads.
 */
public final class RecentSnapshot implements Supplier<String> {
    /** Shorter than the time between two looks of those that ask. */
    private static final long RECENT_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    private final EngineReads queries;
    private String text = "";
    private long readAt = System.nanoTime() - RECENT_NANOS;

    public RecentSnapshot(EngineReads queries) {
        this.queries = queries;
    }

    /** A text that is another one when anything has been written in the meantime. */
    @Override
    public synchronized String get() {
        if (System.nanoTime() - readAt < RECENT_NANOS) return text;
        text = queries.snapshot();
        readAt = System.nanoTime();
        return text;
    }
}
