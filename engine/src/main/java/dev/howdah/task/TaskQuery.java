package dev.howdah.task;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of tasks to list, to count or to change, all of which have to hold, and where a page of the list begins. Immutable: each method returns a copy. Unless an
 * order is given, tasks that are planned come by their time, the next first; all others, and lists of all states, the newest first.
 *
 * @param state null: in any state; a change needs one
 * @param group null: of any group
 * @param owner the role that added the task; null: any
 * @param text a part of the input, the output or the error; null: with any
 * @param input a part of the input; null: any
 * @param error a part of the error; null: any
 * @param sqlstate the code of the error, of five characters, such as {@code 40001}; null: any
 * @param remote a part of the remote; null: any
 * @param schedule the name of the schedule of which it is a run; null: any
 * @param from it ended, or is planned, at this time or later; null: at any
 * @param until it ended, or is planned, before this time; null: at any
 * @param schedules whether tasks of schedules that wait for their next time, or run, are meant as well
 * @param order null: the one of the state, see above
 * @param limit the number of tasks of a page, 1 to 1,000
 * @param after where the page begins, see {@link TaskPage#next}; null: at the first
 */
public record TaskQuery(
        @Nullable TaskState state,
        @Nullable String group,
        @Nullable String owner,
        @Nullable String text,
        @Nullable String input,
        @Nullable String error,
        @Nullable String sqlstate,
        @Nullable String remote,
        @Nullable String schedule,
        @Nullable Instant from,
        @Nullable Instant until,
        boolean schedules,
        @Nullable Order order,
        int limit,
        @Nullable String after) {
    private static final int MOST = 1_000;

    /** How many tasks a statement looks at: at first, by how much more in each further one, where no long text is looked for, and at most. */
    private static final int LOOKED_AT = 20_000;

    private static final int MORE = 5;
    private static final int MOST_LOOKED_AT = 500_000;

    /** The order of a list of tasks. */
    public enum Order {
        /** Those that were added last first: by id. */
        NEWEST,
        /** Those that were added first first: by id. */
        OLDEST,
        /** Those that are planned next first, by plan and id; only for lists of tasks in the state {@link TaskState#PLAN}. */
        SOONEST,
        /** Those that are planned last first, by plan and id; only for lists of tasks in the state {@link TaskState#PLAN}. */
        LATEST;

        /** The other way round. */
        public Order opposite() {
            return switch (this) {
                case NEWEST -> OLDEST;
                case OLDEST -> NEWEST;
                case SOONEST -> LATEST;
                case LATEST -> SOONEST;
            };
        }

        /** What it changes in the statements of pages. */
        Map<String, String> ofPage() {
            return isAscending()
                    ? Map.of("way", "ASC", "past", ">", "upto", "<=", "last", "max(n.\"id\")")
                    : Map.of("way", "DESC", "past", "<", "upto", ">=", "last", "min(n.\"id\")");
        }

        /** Whether it goes by plan. */
        boolean isByPlan() {
            return this == SOONEST || this == LATEST;
        }

        /** Whether ids or plans grow in it. */
        boolean isAscending() {
            return this == OLDEST || this == SOONEST;
        }
    }

    /** @throws IllegalArgumentException if the code of the error is none, {@code until} is not after {@code from}, the limit is out of bounds, the order is by plan and the state another than PLAN, or {@code after} is none that a page of such a list has given */
    public TaskQuery {
        if (sqlstate != null && !sqlstate.matches("[0-9A-Z]{5}"))
            throw new IllegalArgumentException("the code of an error has five digits or capital letters, such as 40001,"
                    + " unlike \"" + sqlstate + "\"");
        if (from != null && until != null && !from.isBefore(until))
            throw new IllegalArgumentException("tasks from " + from + " until " + until + ": until has to be later");
        if (limit < 1 || limit > MOST)
            throw new IllegalArgumentException("limit has to be 1 to " + MOST + ", not " + limit);
        if (order != null && order.isByPlan() && state != TaskState.PLAN)
            throw new IllegalArgumentException("the order " + order + " is for tasks in the state PLAN, not for "
                    + (state == null ? "those in any" : state));
        if (after != null && !after.matches(inOrder(state, order).isByPlan() ? "[^,]{1,40},\\d{1,18}" : "\\d{1,18}"))
            throw new IllegalArgumentException("no place in this list: \"" + after + "\"");
    }

    /** All tasks, 100 on a page. */
    public static TaskQuery all() {
        return new TaskQuery(null, null, null, null, null, null, null, null, null, null, null, true, null, 100, null);
    }

    /** The tasks in that state, in its order, 100 on a page. */
    public static TaskQuery in(TaskState state) {
        return all().state(state);
    }

    /** Only tasks in that state, in its order; null: in any. */
    public TaskQuery state(@Nullable TaskState only) {
        return with(copy -> {
            copy.state = only;
            copy.order = null;
            copy.after = null;
        });
    }

    /** Only tasks of that group; null: of any. */
    public TaskQuery group(@Nullable String only) {
        return with(copy -> copy.group = only);
    }

    /** Only tasks of that owner; null: of any. */
    public TaskQuery owner(@Nullable String role) {
        return with(copy -> copy.owner = role);
    }

    /** Only tasks with that text in input, output or error; null: with any. */
    public TaskQuery text(@Nullable String part) {
        return with(copy -> copy.text = part);
    }

    /** Only tasks with that text in the input; null: with any. */
    public TaskQuery input(@Nullable String part) {
        return with(copy -> copy.input = part);
    }

    /** Only tasks with that text in the error; null: with any. */
    public TaskQuery error(@Nullable String part) {
        return with(copy -> copy.error = part);
    }

    /**
     * Only tasks whose error has that code; null: any.
     *
     * @throws IllegalArgumentException if it is none of five digits or capital letters
     */
    public TaskQuery sqlstate(@Nullable String code) {
        return with(copy -> copy.sqlstate = code);
    }

    /** Only tasks with that text in the remote; null: any. */
    public TaskQuery remote(@Nullable String part) {
        return with(copy -> copy.remote = part);
    }

    /** Only the runs of the schedule of that name; null: any tasks. */
    public TaskQuery schedule(@Nullable String name) {
        return with(copy -> copy.schedule = name);
    }

    /** Only tasks that ended, or are planned, at this time or later; null: at any. */
    public TaskQuery from(@Nullable Instant time) {
        return with(copy -> copy.from = time);
    }

    /** Only tasks that ended, or are planned, before this time; null: at any. */
    public TaskQuery until(@Nullable Instant time) {
        return with(copy -> copy.until = time);
    }

    /** Whether tasks of schedules that wait for their next time, or run, are meant as well; what cancels these ends the schedules. */
    public TaskQuery schedules(boolean too) {
        return with(copy -> copy.schedules = too);
    }

    /**
     * The first page in that order; null: in the one of the state.
     *
     * @throws IllegalArgumentException if it is by plan, and the state is another than PLAN
     */
    public TaskQuery order(@Nullable Order chosen) {
        return with(copy -> {
            copy.order = chosen;
            copy.after = null;
        });
    }

    /** The number of tasks on a page. */
    public TaskQuery limit(int tasks) {
        return with(copy -> copy.limit = tasks);
    }

    /** The page that begins there; null: the first. */
    public TaskQuery after(@Nullable String place) {
        return with(copy -> copy.after = place);
    }

    private TaskQuery with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.query();
    }

    /** The conditions of a copy while some of them change. */
    private static final class Copy {
        private @Nullable TaskState state;
        private @Nullable String group;
        private @Nullable String owner;
        private @Nullable String text;
        private @Nullable String input;
        private @Nullable String error;
        private @Nullable String sqlstate;
        private @Nullable String remote;
        private @Nullable String schedule;
        private @Nullable Instant from;
        private @Nullable Instant until;
        private boolean schedules;
        private @Nullable Order order;
        private int limit;
        private @Nullable String after;

        Copy(TaskQuery query) {
            state = query.state;
            group = query.group;
            owner = query.owner;
            text = query.text;
            input = query.input;
            error = query.error;
            sqlstate = query.sqlstate;
            remote = query.remote;
            schedule = query.schedule;
            from = query.from;
            until = query.until;
            schedules = query.schedules;
            order = query.order;
            limit = query.limit;
            after = query.after;
        }

        TaskQuery query() {
            return new TaskQuery(
                    state, group, owner, text, input, error, sqlstate, remote, schedule, from, until, schedules, order,
                    limit, after);
        }
    }

    /** The order that it has: its own, or the one of the state. */
    public Order inOrder() {
        return inOrder(state, order);
    }

    private static Order inOrder(@Nullable TaskState state, @Nullable Order order) {
        if (order != null) return order;
        return state == TaskState.PLAN ? Order.SOONEST : Order.NEWEST;
    }

    boolean isByPlan() {
        return inOrder().isByPlan();
    }

    /** The conditions, as statements take them. */
    TaskConditions conditions() {
        return new TaskConditions(
                state == null ? null : state.name(),
                group,
                owner,
                text,
                input,
                error,
                sqlstate,
                remote,
                schedule,
                time(from),
                time(until),
                schedules);
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    /** How many tasks the statement of a page looks at, after one that has looked at {@code before} and found none; 0: no further ones. */
    int looksAt(int before) {
        if (before == 0) return LOOKED_AT;
        // Long texts, which stand beside the rows, are read for few.
        boolean isOfTexts = text != null || input != null || error != null;
        return isOfTexts || isByPlan() ? 0 : Math.min(before * MORE, MOST_LOOKED_AT);
    }

    /** Whether so many are looked at for a page however long that takes. */
    static boolean isLookedAtAnyway(int looked) {
        return looked < MOST_LOOKED_AT;
    }

    /** The values of the statement of a page that looks at so many tasks. */
    Record values(int lookedAt, int characters) {
        boolean ascending = inOrder().isAscending();
        String place = after != null ? after : ascending ? "-infinity,0" : "infinity," + Long.MAX_VALUE;
        int comma = place.indexOf(',');
        long id = Long.parseLong(place.substring(comma + 1));
        return isByPlan()
                ? new TaskConditions.PlannedTasks(
                        conditions(), lookedAt, place.substring(0, comma), id, limit, characters)
                : new TaskConditions.ListedTasks(conditions(), lookedAt, id, limit, characters);
    }

    /** The place behind that task. */
    String behind(Task task) {
        return isByPlan() ? plan(task.plan()) + "," + task.id() : Long.toString(task.id());
    }

    private static String plan(Instant plan) {
        Objects.requireNonNull(plan);
        if (plan.equals(Instant.MAX)) return "infinity";
        return plan.equals(Instant.MIN) ? "-infinity" : plan.toString();
    }
}
