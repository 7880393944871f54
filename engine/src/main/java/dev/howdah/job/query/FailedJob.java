package dev.howdah.job.query;

import org.jspecify.annotations.Nullable;

/**
 * A job that has failed for good: with its last attempt, with an error after which none follows, or because three nodes have crashed while they ran it.
 *
 * @param attempt the number of the last attempt, from 1
 * @param error of that attempt, with its stack trace; or that the node has crashed
 * @param payload as it is stored; null if it was removed
 */
public record FailedJob(
        long id,
        String queue,
        String kind,
        int attempt,
        String error,
        @Nullable String payload) {
    /** Without the payload, which may be large or secret. */
    @Override
    public String toString() {
        return "job " + id + " (" + queue + ", " + kind + ") failed for good with attempt " + attempt + ": "
                + error.lines().findFirst().orElse("");
    }
}
