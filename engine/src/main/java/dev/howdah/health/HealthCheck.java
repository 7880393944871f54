package dev.howdah.health;

import org.jspecify.annotations.Nullable;

/**
 * A check of the health of a database and its result.
 *
 * @param name of the check, such as {@code snapshot}
 * @param value what was found; {@code unknown} if the check could not be made
 * @param threshold from where on it is a warning and from where on it is critical
 * @param sentence the result for people
 * @param remedy what to do about it, mostly an SQL statement; null if there is nothing to do
 */
public record HealthCheck(
        String name,
        Level level,
        String value,
        String threshold,
        String sentence,
        @Nullable String remedy) {
    /** How bad the result of a check is, the worst first. */
    public enum Level {
        /** To be mended now: work stands still, or soon will. */
        CRITICAL,
        /** To be looked at. */
        WARNING,
        /** The check could not be made: a privilege is missing, or it took too long. */
        UNKNOWN,
        /** Worth to know. */
        NOTICE,
        /** Nothing is wrong. */
        OK
    }
}
