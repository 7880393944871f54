package dev.howdah.task;

import org.jspecify.annotations.Nullable;

/** A task cannot have its session, now or later, until somebody changes something: it fails, with this as its error. */
final class SessionRefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final @Nullable String detail;

    SessionRefusedException(String message, @Nullable String detail) {
        super(message);
        this.detail = detail;
    }

    /** As it stands in the column {@code error}. */
    String error() {
        return ErrorFormatter.plain(String.valueOf(getMessage()), detail);
    }
}
