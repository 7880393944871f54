package dev.howdah.sweep;

/** Thrown when a sweep cannot begin, or has failed; the message says why and what would be right. */
public class SweepException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public SweepException(String message) {
        super(message);
    }

    public SweepException(String message, Throwable cause) {
        super(message, cause);
    }
}
