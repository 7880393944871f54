package dev.howdah.job;

import org.jspecify.annotations.Nullable;

/**
 * A job that this node has taken.
 *
 * @param payload null: it is large, and stands elsewhere
 * @param attempt how often it was tried before
 * @param more what is unusual about it, JSON
 */
record TakenJob(
        long id,
        String kind,
        @Nullable String payload,
        int attempt,
        int deaths,
        @Nullable String more,
        int priority,
        boolean large) {
    TakenJob withPayload(@Nullable String found) {
        return new TakenJob(id, kind, found, attempt, deaths, more, priority, true);
    }
}
