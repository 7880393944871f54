package dev.howdah.task.internal.owner;

import dev.howdah.task.internal.output.ErrorFormatter;
import org.jspecify.annotations.Nullable;

/** A task cannot have its session, now or later, until a role, a privilege or the configuration changes: it fails, with this as its error. */
public final class SessionRefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final @Nullable String detail;

    public SessionRefusedException(String message, @Nullable String detail) {
        super(message);
        this.detail = detail;
    }

    /** As it stands in the column {@code error}. */
    public String error() {
        return ErrorFormatter.plain(String.valueOf(getMessage()), detail);
    }
}
