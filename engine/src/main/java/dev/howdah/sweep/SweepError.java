package dev.howdah.sweep;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row that has failed.
 *
 * @param key the values of the columns of its key
 * @param error the last error
 * @param at when it failed
 * @param attempts the attempts so far
 * @param retryAt the time of the next attempt; null: none before {@link Sweeps#retryFailed}
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
