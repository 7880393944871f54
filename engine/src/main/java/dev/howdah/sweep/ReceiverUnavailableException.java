package dev.howdah.sweep;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a row is sent to cannot take it now, whichever row it is: nothing answers, or the answer is to come back later. Thrown by a
 * handler it costs the row no attempt: this process pauses its work on the sweep, tries a row again after a second, then after two, and so on
 * up to a minute, and goes on once a row gets through.
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

    /** @param retryAfter how long to wait at least; null: it is not known */
    public ReceiverUnavailableException(String message, @Nullable Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /** How long to wait at least; null: it is not known. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
