package dev.howdah.beans.internal.handler;

import org.jspecify.annotations.Nullable;

/** Why an application does not start, and what to do. */
public final class RefusedStart extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String reason;
    private final String action;

    /** @param action what to do, as a sentence */
    public RefusedStart(String reason, String action) {
        this(reason, action, null);
    }

    /** @param cause what has found it; null: nothing else */
    public RefusedStart(String reason, String action, @Nullable Throwable cause) {
        super(reason + " " + action, cause);
        this.reason = reason;
        this.action = action;
    }

    /** What is wrong. */
    public String reason() {
        return reason;
    }

    /** What to do about it. */
    public String action() {
        return action;
    }
}
