package dev.howdah.job;

/**
 * Thrown when the database refuses an operation or cannot be reached; the cause is the driver's exception if there is one.
 */
public class JobsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JobsException(String message) {
        super(message);
    }

    public JobsException(String message, Throwable cause) {
        super(message, cause);
    }
}
