package dev.howdah.job.internal.handler;

import dev.howdah.internal.error.ErrorText;

/** The payload of a job is not what its kind says in this program; another program may know it. */
public final class PayloadException extends Exception {
    private static final long serialVersionUID = 1;

    private final String reason;

    /** @param cause what the codec has thrown */
    PayloadException(IllegalArgumentException cause) {
        super(cause);
        this.reason = ErrorText.of(cause, "", true).line();
    }

    /** The words of the codec. */
    public String reason() {
        return reason;
    }
}
