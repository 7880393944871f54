package dev.howdah.task;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of tasks to list, and where the page begins. Immutable: each method returns a copy. Unless an order is
 * given, tasks that are planned come by their time, the next first; all others, and lists of all states, the newest first.
 *
 * @param state null: in any state
 * @param group null: of any group
 * @param text a part of the input, the output or the error, of planned tasks the input; null: with any
 * @param owner the role that added the task; null: any
 * @param order null: the one of the state, see above
 * @param limit the number of tasks of a page, 1 to 1,000
 * @param after where the page begins, see {@link TaskPage#next}; null: at the first
 */
public record TaskQuery(
        @Nullable TaskState state,
        @Nullable String group,
        @Nullable String text,
        @Nullable String owner,
        @Nullable Order order,
        int limit,
        @Nullable String after) {
    private static final int MOST = 1_000;

    /** How many tasks a page looks at, at most. */
    private static final int LOOKED_AT = 20_000;

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

        /** What it changes in the statement of a list of the first. */
        Map<String, String> ofList() {
            return Map.of(
                    "order",
                    switch (this) {
                        case NEWEST -> "t.\"id\" DESC";
                        case OLDEST -> "t.\"id\"";
                        case SOONEST -> "t.\"plan\", t.\"id\"";
                        case LATEST -> "t.\"plan\" DESC, t.\"id\" DESC";
                    });
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

    /** @throws IllegalArgumentException if the limit is out of bounds, the order is by plan and the state another than PLAN, or {@code after} is none that a page of such a list has given */
    public TaskQuery {
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
        return new TaskQuery(null, null, null, null, null, 100, null);
    }

    /** Only tasks in that state, in its order; null: in any. */
    public TaskQuery state(@Nullable TaskState only) {
        return new TaskQuery(only, group, text, owner, null, limit, null);
    }

    /** Only tasks of that group; null: of any. */
    public TaskQuery group(@Nullable String only) {
        return new TaskQuery(state, only, text, owner, order, limit, after);
    }

    /** Only tasks with that text in input, output or error; null: with any. */
    public TaskQuery text(@Nullable String part) {
        return new TaskQuery(state, group, part, owner, order, limit, after);
    }

    /** Only tasks of that owner; null: of any. */
    public TaskQuery owner(@Nullable String role) {
        return new TaskQuery(state, group, text, role, order, limit, after);
    }

    /**
     * The first page in that order; null: in the one of the state.
     *
     * @throws IllegalArgumentException if it is by plan, and the state is another than PLAN
     */
    public TaskQuery order(@Nullable Order chosen) {
        return new TaskQuery(state, group, text, owner, chosen, limit, null);
    }

    /** The number of tasks on a page. */
    public TaskQuery limit(int tasks) {
        return new TaskQuery(state, group, text, owner, order, tasks, after);
    }

    /** The page that begins there; null: the first. */
    public TaskQuery after(@Nullable String place) {
        return new TaskQuery(state, group, text, owner, order, limit, place);
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

    private boolean isAscending() {
        return inOrder().isAscending();
    }

    @Nullable
    Object[] values(int characters) {
        String name = state == null ? null : state.name();
        if (!isByPlan()) {
            long first = isAscending() ? 0 : Long.MAX_VALUE;
            long place = after == null ? first : Long.parseLong(after);
            return new @Nullable Object[] {name, group, text, owner, LOOKED_AT, place, limit, characters};
        }
        String plan;
        long id;
        if (after == null) {
            plan = isAscending() ? "-infinity" : "infinity";
            id = isAscending() ? 0 : Long.MAX_VALUE;
        } else {
            plan = after.substring(0, after.indexOf(','));
            id = Long.parseLong(after.substring(after.indexOf(',') + 1));
        }
        return new @Nullable Object[] {name, group, text, owner, LOOKED_AT, plan, id, limit, characters};
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
