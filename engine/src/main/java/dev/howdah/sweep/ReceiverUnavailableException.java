package dev.howdah.sweep;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler when the receiver of the rows is unavailable, or asks for a pause. No attempt of the row is
 * counted. This process pauses its work on the sweep, tries a row after a second, then after two, and so on up to a
 * minute, and continues when a row succeeds.
 */
public class ReceiverUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final @Nullable Duration retryAfter;

    public ReceiverUnavailableException(String message) {
        super(message);
        retryAfter = null;
    }

    public ReceiverUnavailableException(String message, Throwable cause) {
        super(message, cause);
        retryAfter = null;
    }

    /**
     * @param retryAfter the shortest time to wait; null: unknown
     *
     * @param retryAfter how long to wait at least; null: it is not known
     */
    public ReceiverUnavailableException(String message, @Nullable Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /** The shortest time to wait; null: unknown. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
