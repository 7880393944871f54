package dev.howdah.task;

import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** The conditions of a {@link TaskQuery}, as statements take them. */
record TaskConditions(
        @Nullable String state,
        @Nullable String group,
        @Nullable String owner,
        @Nullable String text,
        @Nullable String input,
        @Nullable String error,
        @Nullable String sqlstate,
        @Nullable String remote,
        @Nullable String schedule,
        @Nullable OffsetDateTime from,
        @Nullable OffsetDateTime until,
        boolean schedules) {
    /** Tasks to count. */
    record CountedTasks(TaskConditions conditions, long most) {}

    /** A page of tasks by their ids. */
    record ListedTasks(TaskConditions conditions, int lookedAt, long place, int limit, int characters) {}

    /** A page of tasks by their plans. */
    record PlannedTasks(TaskConditions conditions, int lookedAt, String plan, long place, int limit, int characters) {}

    /** A step of a change of tasks. */
    record ChangedTasks(TaskConditions conditions, long after, long last, int rows) {}
}
