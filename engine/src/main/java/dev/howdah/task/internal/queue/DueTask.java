package dev.howdah.task.internal.queue;

import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import org.jspecify.annotations.Nullable;

/**
 * A waiting task that is due, as a scan has read it.
 *
 * @param expires in how many seconds the task will have waited too long; infinite: never
 * @param misplaced null: the task is planned for a point of its schedule, or has no schedule
 * @param inDefaultZone whether the schedule of the task is read in the server's default zone
 */
public record DueTask(
        GroupKey lane,
        WaitingTask task,
        double expires,
        @Nullable Misplaced misplaced,
        boolean inDefaultZone) {
    /** @param plan in microseconds of the epoch; no point of the schedule, or the schedule cannot be understood */
    record Misplaced(CronTimetable.Cron cron, long plan) {}
}
