package dev.howdah.embedded;

import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server that could not be started. The message is meant for the user that started it: what was wrong,
 * with which value, and what would be right.
 */
public final class EmbeddedPostgresException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public EmbeddedPostgresException(String message) {
        super(message);
    }

    public EmbeddedPostgresException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
