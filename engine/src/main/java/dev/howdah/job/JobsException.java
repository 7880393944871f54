package dev.howdah.job;

/** The database did not take what was asked of it; the cause is the driver's exception where there is one. */
public class JobsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JobsException(String message) {
        super(message);
    }

    public JobsException(String message, Throwable cause) {
        super(message, cause);
    }
}
