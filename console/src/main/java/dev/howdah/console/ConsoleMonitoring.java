package dev.howdah.console;

import org.jspecify.annotations.Nullable;

/**
 * What the program of a console tells monitoring, at {@code /metrics}, {@code /live} and {@code /ready} of its port. Safe for use by many
 * threads.
 */
public interface ConsoleMonitoring {
    /** The metrics, as text. */
    record Exposition(String contentType, String text) {}

    /**
     * The metrics.
     *
     * @param accept the header of that name; null: none was sent
     */
    Exposition metrics(@Nullable String accept);

    /** Why the program has to be started again; null: it has not. */
    default @Nullable String notLive() {
        return null;
    }

    /** Why it does not do what it is to do; null: it does. */
    default @Nullable String notReady() {
        return null;
    }

    /** What is paused although the program is ready; null: nothing. */
    default @Nullable String paused() {
        return null;
    }
}
