package dev.howdah.process;

/** A processor says that a step has failed, and why: the reason is what callers get, word for word. */
public class StepFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param reason what callers get, and what stands in the process as its detail */
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
