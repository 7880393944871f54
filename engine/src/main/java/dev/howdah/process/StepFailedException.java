package dev.howdah.process;

/** Thrown by a processor to fail a step. Callers get the reason word for word. */
public class StepFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * @param reason for the callers, and the detail of the process
     *
     * @param reason given to callers, and stored as the detail of the process
     */
    public StepFailedException(String reason) {
        super(reason);
    }

    public StepFailedException(String reason, Throwable cause) {
        super(reason, cause);
    }

    String reason() {
        String reason = getMessage();
        return reason == null ? "" : reason;
    }
}
