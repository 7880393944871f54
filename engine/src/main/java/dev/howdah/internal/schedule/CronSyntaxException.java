package dev.howdah.internal.schedule;

/** A schedule cannot be understood, or would never be met; the message says which part of it and what would be right. */
public final class CronSyntaxException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    CronSyntaxException(String message) {
        super(message);
    }
}
