package dev.howdah.task;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of tasks to count, to list or to change; all of them have to hold. Immutable: each method returns a copy.
 *
 * @param state null: in any state; a change needs one
 * @param group null: of any group
 * @param owner the role that added the task; null: any
 * @param input a part of the input; null: any
 * @param error a part of the error; null: any
 * @param sqlstate the code of the error, of five characters, such as {@code 40001}; null: any
 * @param remote a part of the remote; null: any
 * @param schedule the name of the schedule of which it is a run; null: any
 * @param from it ended, or is planned, at this time or later; null: at any
 * @param until it ended, or is planned, before this time; null: at any
 * @param schedules whether tasks of schedules that wait for their next time, or run, are meant as well
 */
public record TaskFilter(
        @Nullable TaskState state,
        @Nullable String group,
        @Nullable String owner,
        @Nullable String input,
        @Nullable String error,
        @Nullable String sqlstate,
        @Nullable String remote,
        @Nullable String schedule,
        @Nullable Instant from,
        @Nullable Instant until,
        boolean schedules) {
    /** @throws IllegalArgumentException if the code of the error is none, or {@code until} is not after {@code from} */
    public TaskFilter {
        if (sqlstate != null && !sqlstate.matches("[0-9A-Z]{5}"))
            throw new IllegalArgumentException("the code of an error has five digits or capital letters, such as 40001,"
                    + " unlike \"" + sqlstate + "\"");
        if (from != null && until != null && !from.isBefore(until))
            throw new IllegalArgumentException("tasks from " + from + " until " + until + ": until has to be later");
    }

    /** All tasks. */
    public static TaskFilter all() {
        return new TaskFilter(null, null, null, null, null, null, null, null, null, null, true);
    }

    /** The tasks in that state. */
    public static TaskFilter in(TaskState state) {
        return all().state(state);
    }

    /** Only tasks in that state; null: in any. */
    public TaskFilter state(@Nullable TaskState only) {
        return with(copy -> copy.state = only);
    }

    /** Only tasks of that group; null: of any. */
    public TaskFilter group(@Nullable String only) {
        return with(copy -> copy.group = only);
    }

    /** Only tasks of that owner; null: of any. */
    public TaskFilter owner(@Nullable String role) {
        return with(copy -> copy.owner = role);
    }

    /** Only tasks with that text in the input; null: with any. */
    public TaskFilter input(@Nullable String part) {
        return with(copy -> copy.input = part);
    }

    /** Only tasks with that text in the error; null: with any. */
    public TaskFilter error(@Nullable String part) {
        return with(copy -> copy.error = part);
    }

    /**
     * Only tasks whose error has that code; null: any.
     *
     * @throws IllegalArgumentException if it is none of five digits or capital letters
     */
    public TaskFilter sqlstate(@Nullable String code) {
        return with(copy -> copy.sqlstate = code);
    }

    /** Only tasks with that text in the remote; null: any. */
    public TaskFilter remote(@Nullable String part) {
        return with(copy -> copy.remote = part);
    }

    /** Only the runs of the schedule of that name; null: any tasks. */
    public TaskFilter schedule(@Nullable String name) {
        return with(copy -> copy.schedule = name);
    }

    /** Only tasks that ended, or are planned, at this time or later; null: at any. */
    public TaskFilter from(@Nullable Instant time) {
        return with(copy -> copy.from = time);
    }

    /** Only tasks that ended, or are planned, before this time; null: at any. */
    public TaskFilter until(@Nullable Instant time) {
        return with(copy -> copy.until = time);
    }

    /** Whether tasks of schedules that wait for their next time, or run, are meant as well; what cancels these ends the schedules. */
    public TaskFilter schedules(boolean too) {
        return with(copy -> copy.schedules = too);
    }

    private TaskFilter with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.filter();
    }

    /** The conditions of a copy while one of them changes. */
    private static final class Copy {
        private @Nullable TaskState state;
        private @Nullable String group;
        private @Nullable String owner;
        private @Nullable String input;
        private @Nullable String error;
        private @Nullable String sqlstate;
        private @Nullable String remote;
        private @Nullable String schedule;
        private @Nullable Instant from;
        private @Nullable Instant until;
        private boolean schedules;

        Copy(TaskFilter filter) {
            state = filter.state;
            group = filter.group;
            owner = filter.owner;
            input = filter.input;
            error = filter.error;
            sqlstate = filter.sqlstate;
            remote = filter.remote;
            schedule = filter.schedule;
            from = filter.from;
            until = filter.until;
            schedules = filter.schedules;
        }

        TaskFilter filter() {
            return new TaskFilter(
                    state, group, owner, input, error, sqlstate, remote, schedule, from, until, schedules);
        }
    }

    @Nullable
    Object[] values(@Nullable Object... more) {
        @Nullable
        Object[] conditions = {
            state == null ? null : state.name(),
            group,
            owner,
            input,
            error,
            sqlstate,
            remote,
            schedule,
            time(from),
            time(until),
            schedules
        };
        @Nullable Object[] values = new @Nullable Object[conditions.length + more.length];
        System.arraycopy(conditions, 0, values, 0, conditions.length);
        System.arraycopy(more, 0, values, conditions.length, more.length);
        return values;
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
