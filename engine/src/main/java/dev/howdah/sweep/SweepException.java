package dev.howdah.sweep;

/** A sweep cannot begin, or has failed; the message says why and what would be right. */
public class SweepException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public SweepException(String message) {
        super(message);
    }

    public SweepException(String message, Throwable cause) {
        super(message, cause);
    }
}
