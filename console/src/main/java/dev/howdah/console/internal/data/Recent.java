package dev.howdah.console.internal.data;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What was read a while ago, for all that want to see it: it is read again when it is older than that. A read that fails leaves nothing
 * behind. Safe for use by many threads, of which one reads and the others wait for it.
 */
public final class Recent<T> implements Supplier<T> {
    private final Supplier<T> read;
    private final long mostNanos;
    private final LongSupplier clock;
    private @Nullable T value;
    private long readAt;

    public Recent(Duration most, Supplier<T> read) {
        this(most, read, System::nanoTime);
    }

    /** @param clock as {@link System#nanoTime} */
    Recent(Duration most, Supplier<T> read, LongSupplier clock) {
        this.read = read;
        this.mostNanos = most.toNanos();
        this.clock = clock;
    }

    @Override
    public synchronized T get() {
        T known = value;
        if (known != null && clock.getAsLong() - readAt < mostNanos) return known;
        value = null;
        T now = read.get();
        readAt = clock.getAsLong();
        value = now;
        return now;
    }
}
