package dev.howdah.process;

/**
 * A request was not carried out, or has failed. The message is what a caller may compare: {@code namespace not found},
 * {@code process not found}, {@code process already exists}, {@code process is running}, {@code process is error}, {@code process is init},
 * {@code timeout}, or what the processor said.
 */
public class ProcessException extends RuntimeException {
    private static final long serialVersionUID = 1;

    static final String NAMESPACE_NOT_FOUND = "namespace not found";
    static final String NOT_FOUND = "process not found";
    static final String EXISTS = "process already exists";
    static final String RUNNING = "process is running";
    static final String ERROR = "process is error";
    static final String TIMEOUT = "timeout";
    static final String ZOMBIE = "zombie detected";
    static final String KEY_TAKEN = "key belongs to another request";

    public ProcessException(String message) {
        super(message);
    }

    public ProcessException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Why, as in the documentation of this class. */
    public String reason() {
        String reason = getMessage();
        return reason == null ? "" : reason;
    }
}
