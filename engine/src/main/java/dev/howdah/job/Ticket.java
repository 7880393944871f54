package dev.howdah.job;

import org.jspecify.annotations.Nullable;

/**
 * A job as it is written.
 *
 * @param at when it is due, as PostgreSQL reads it; null: after the delay
 */
record Ticket(
        Lane lane, String kind, int priority, @Nullable String at, long delayMicros, String payload) {
    /** Larger payloads are kept apart: they would be written three times otherwise. */
    private static final int LARGE = 8_192;

    boolean isLarge() {
        return payload.length() > LARGE;
    }
}
