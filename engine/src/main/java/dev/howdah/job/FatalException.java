package dev.howdah.job;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler when another attempt makes no sense: the job ends as failed, with this message. */
public class FatalException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public FatalException(String message) {
        super(message);
    }

    public FatalException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
