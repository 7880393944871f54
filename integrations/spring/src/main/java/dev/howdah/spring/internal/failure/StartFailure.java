package dev.howdah.spring.internal.failure;

import org.jspecify.annotations.Nullable;

/** The application cannot start as it is configured. */
public final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String action;

    /**
     * @param description what is wrong
     * @param action what to do about it
     */
    public StartFailure(String description, String action) {
        this(description, action, null);
    }

    /** @param cause what has found it; null: nothing else */
    public StartFailure(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    private final String description;

    String description() {
        return description;
    }

    String action() {
        return action;
    }
}
