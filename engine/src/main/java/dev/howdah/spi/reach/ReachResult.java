package dev.howdah.spi.reach;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The end of a task that was done elsewhere.
 *
 * @param output null where there is nothing to tell
 * @param sqlstate the code of the error, of five characters; null where it is done
 * @param error null where it is done
 * @param detail more about the error, as the {@code DETAIL} of PostgreSQL
 * @param hint what can be done about the error, as its {@code HINT}
 * @param retries whether another attempt may help; the row says how many there are
 * @param retryAfter how long the receiver has asked to wait for the next attempt; zero where it has not
 * @param cancelled whether it ended because it was cancelled
 */
public record ReachResult(
        @Nullable String output,
        @Nullable String sqlstate,
        @Nullable String error,
        @Nullable String detail,
        @Nullable String hint,
        boolean retries,
        Duration retryAfter,
        boolean cancelled) {
    /** Done. */
    public static ReachResult done(@Nullable String output) {
        return new ReachResult(output, null, null, null, null, false, Duration.ZERO, false);
    }

    /** Failed, and another attempt would fail in the same way. */
    public static ReachResult failed(String sqlstate, String error, @Nullable String detail, @Nullable String hint) {
        return new ReachResult(null, sqlstate, error, detail, hint, false, Duration.ZERO, false);
    }

    /** Failed; another attempt may help, after that time at the earliest. */
    public static ReachResult failedForNow(
            String sqlstate, String error, @Nullable String detail, Duration retryAfter) {
        return new ReachResult(null, sqlstate, error, detail, null, true, retryAfter, false);
    }

    /** Stopped before its end; with the code that PostgreSQL has for statements that are canceled. */
    public static ReachResult cancelled(@Nullable String detail) {
        return new ReachResult(
                null, "57014", "canceling task due to user request", detail, null, true, Duration.ZERO, true);
    }

    /** The same with what had come before the error. */
    public ReachResult with(@Nullable String before) {
        return new ReachResult(before, sqlstate, error, detail, hint, retries, retryAfter, cancelled);
    }
}
