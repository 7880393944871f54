package dev.howdah.task.internal.queue;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a scan.
 *
 * @param tasks the due tasks that were read; the same task may be among them twice
 * @param reach how much that is of what is due
 * @param nextPlan how long until a task that is planned for later becomes due; null: there is none
 * @param watched whether a user's row trigger watches updates of the table
 * @param waits whether any task waits for other tasks
 * @param nanos how long the scan took, without reading a long queue to its end, which has a share of its own
 */
public record ScanResult(
        List<DueTask> tasks, Reach reach, @Nullable Duration nextPlan, boolean watched, boolean waits, long nanos) {

    /** The extent of a scan for due tasks: a part; all that is new since everything was read; everything. */
    public enum Reach {
        SOME,
        NEW,
        ALL
    }
}
