package dev.howdah.daemon.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** A logger that writes to {@link LogLines}. Safe for use by many threads. */
@SuppressWarnings("serial") // SLF4J's base class is serializable by its name alone
final class LineLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1;

    private final transient int level;
    private final transient LogLines lines;

    /** @param level from which on events are written */
    LineLogger(String name, int level, LogLines lines) {
        this.name = name;
        this.level = level;
        this.lines = lines;
    }

    private boolean isEnabled(Level event) {
        return event.toInt() >= level;
    }

    @Override
    public boolean isTraceEnabled() {
        return isEnabled(Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return isEnabled(Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return isEnabled(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return isEnabled(Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return isEnabled(Level.ERROR);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level event,
            @Nullable Marker marker,
            @Nullable String pattern,
            @Nullable Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        lines.write(event, name, MessageFormatter.basicArrayFormat(pattern, arguments), thrown);
    }
}
