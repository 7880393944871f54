package dev.howdah.process;

import java.time.Duration;

/**
 * The policy for finished processes: those that are not broken, have no timer and no waiting call, and have been idle
 * for a while. Broken processes stay.
 *
 * @param idle the time without work, 0 to 36500 days
 * @param archive whether their state and history go to the tables {@code howdah.process_archive} and {@code process_archive_event};
 *     else they are deleted
 */
public record Retention(Duration idle, boolean archive) {
    /** @throws IllegalArgumentException if the time is out of its bounds */
    public Retention {
        if (idle.isNegative() || idle.compareTo(Duration.ofDays(36_500)) > 0)
            throw new IllegalArgumentException(
                    "finished processes are kept for " + idle + ": it has to be 0 to 36500 days");
    }

    /** Removes them with all their rows. */
    public static Retention removeAfter(Duration idle) {
        return new Retention(idle, false);
    }

    /** Moves them to the archive, except their tasks and keys. */
    public static Retention archiveAfter(Duration idle) {
        return new Retention(idle, true);
    }
}
