package dev.howdah.testkit;

import org.jspecify.annotations.Nullable;

/**
 * A job as a test sees it.
 *
 * @param payload JSON
 * @param attempts how often it was tried
 * @param error of the last attempt, its first line, or null
 */
public record SeenJob(
        long id,
        String queue,
        String kind,
        String payload,
        int attempts,
        @Nullable String error) {}
