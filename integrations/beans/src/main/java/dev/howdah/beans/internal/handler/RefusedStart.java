package dev.howdah.beans.internal.handler;

/** Why an application does not start, and what to do. */
public final class RefusedStart extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param action what to do, as a sentence */
    public RefusedStart(String reason, String action) {
        super(reason + " " + action);
    }

    public RefusedStart(String reason, String action, Throwable cause) {
        super(reason + " " + action, cause);
    }
}
