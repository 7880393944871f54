package dev.howdah.job.workflow;

import java.util.List;

/**
 * The jobs of a workflow that a job waits for, by their names, and the states in which they have to end. A job whose condition cannot be met any more
 * is cancelled, and counts as cancelled for those that wait for it.
 *
 * @param condition what has to become of them
 * @param names at least one
 */
public record After(Condition condition, List<String> names) {
    /** The end that the jobs have to have for which a job waits. */
    public enum Condition {
        /** All are done. */
        DONE,
        /** One at least has failed or was cancelled; the job runs at once then. */
        FAILED,
        /** All have ended, whether they are done, have failed or were cancelled. */
        ENDED
    }

    /** @throws IllegalArgumentException if there is no name */
    public After {
        names = List.copyOf(names);
        if (names.isEmpty()) throw new IllegalArgumentException("a job that waits for others needs their names");
    }

    /** The job runs when all of these are done. */
    public static After done(String... names) {
        return new After(Condition.DONE, List.of(names));
    }

    /** The job runs when one of these has failed or was cancelled. */
    public static After failed(String... names) {
        return new After(Condition.FAILED, List.of(names));
    }

    /** The job runs when all of these have ended. */
    public static After ended(String... names) {
        return new After(Condition.ENDED, List.of(names));
    }
}
