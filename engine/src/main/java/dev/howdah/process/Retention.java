package dev.howdah.process;

import java.time.Duration;

/**
 * What becomes of processes that are finished: those that are well, have no timer, no call that waits, and have had nothing to do
 * for a while. Broken ones stay.
 *
 * @param idle for how long they have had nothing to do
 * @param archive whether their state and history go to the tables {@code howdah.process_archive} and {@code process_archive_event};
 *     else nothing is left of them
 */
public record Retention(Duration idle, boolean archive) {
    /** @throws IllegalArgumentException if the time is out of its bounds */
    public Retention {
        if (idle.isNegative() || idle.compareTo(Duration.ofDays(36_500)) > 0)
            throw new IllegalArgumentException(
                    "finished processes are kept for " + idle + ": it has to be 0 to 36500 days");
    }

    /** They go, with all they had. */
    public static Retention removeAfter(Duration idle) {
        return new Retention(idle, false);
    }

    /** They go to the archive, but for their tasks and keys. */
    public static Retention archiveAfter(Duration idle) {
        return new Retention(idle, true);
    }
}
