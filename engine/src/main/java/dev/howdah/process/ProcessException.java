package dev.howdah.process;

/**
 * Thrown when a request was not carried out, or has failed. Callers may compare the message: {@code namespace not found},
 * {@code process not found}, {@code process already exists}, {@code process is running}, {@code process is error}, {@code process is init},
 * {@code timeout}, or the reason of the processor.
 */
public class ProcessException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** No program has registered the namespace. */
    public static final String NAMESPACE_NOT_FOUND = "namespace not found";
    /** There is no process of that id. */
    public static final String NOT_FOUND = "process not found";
    /** A process of that id exists. */
    public static final String EXISTS = "process already exists";
    /** The process is running, which the request does not allow. */
    public static final String RUNNING = "process is running";
    /** The process is in error and has to be repaired first. */
    public static final String ERROR = "process is error";
    /** No answer came within the timeout of the request. */
    public static final String TIMEOUT = "timeout";
    /** The database has gone back to a state from before the request, by a failover that lost WAL or by a restore. */
    public static final String LOST = "the request was lost: the database has gone back to an earlier state";
    /** The step of a call or init took longer than its timeout, or its node crashed, and the namespace is not repeatable. */
    public static final String ZOMBIE = "zombie detected";
    /** The idempotency key was used by another request. */
    public static final String KEY_TAKEN = "key belongs to another request";

    public ProcessException(String message) {
        super(message);
    }

    public ProcessException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The reason, as in the documentation of this class. */
    public String reason() {
        String reason = getMessage();
        return reason == null ? "" : reason;
    }
}
