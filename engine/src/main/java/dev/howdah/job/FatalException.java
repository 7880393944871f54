package dev.howdah.job;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler to fail the job for good, without a retry. The message is stored as its error. */
public class FatalException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public FatalException(String message) {
        super(message);
    }

    public FatalException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
