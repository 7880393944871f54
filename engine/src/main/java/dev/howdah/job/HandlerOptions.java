package dev.howdah.job;

import dev.howdah.job.internal.store.Durations;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of one handler. An option that is not set is the default of the {@link JobsBuilder}. Not safe for use by
 * many threads.
 */
public final class HandlerOptions {
    private @Nullable RetryPolicy retries;
    private @Nullable Duration timeout;

    HandlerOptions() {}

    /** Sets the retry policy. Defaults to {@link JobsBuilder#defaultRetries}. */
    public HandlerOptions retries(RetryPolicy policy) {
        retries = Objects.requireNonNull(policy, "a retry policy is needed, not null");
        return this;
    }

    /**
     * Sets the maximum run time of one attempt, as {@link JobsBuilder#defaultTimeout} does. Zero: no limit.
     *
     * @throws IllegalArgumentException if it is negative or too long
     */
    public HandlerOptions timeout(Duration time) {
        timeout = Durations.check(time);
        return this;
    }

    boolean setsRetries() {
        return retries != null;
    }

    boolean setsTimeout() {
        return timeout != null;
    }

    RetryPolicy retriesOr(RetryPolicy other) {
        return retries == null ? other : retries;
    }

    Duration timeoutOr(Duration other) {
        return timeout == null ? other : timeout;
    }
}
