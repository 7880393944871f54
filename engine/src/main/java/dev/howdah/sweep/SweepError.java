package dev.howdah.sweep;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row that has failed.
 *
 * @param key the values of the columns of its key
 * @param error the last one
 * @param at when it failed
 * @param attempts how often it was tried
 * @param retryAt when it is tried again; null: only when {@link Sweeps#retryFailed} says so
 */
public record SweepError(
        List<String> key,
        String error,
        Instant at,
        int attempts,
        @Nullable Instant retryAt) {
    public SweepError {
        key = List.copyOf(key);
    }
}
