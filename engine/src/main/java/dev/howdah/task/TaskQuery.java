package dev.howdah.task;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of tasks to list, and where the page begins. Immutable: each method returns a copy. Tasks that are planned come by
 * their time, the next first; all others, and lists of all states, the newest first.
 *
 * @param state null: in any state
 * @param group null: of any group
 * @param text a part of the input, the output or the error, of planned tasks the input; null: with any
 * @param owner the role that added the task; null: any
 * @param limit the number of tasks of a page, 1 to 1,000
 * @param after where the page begins, see {@link TaskPage#next}; null: at the first
 */
public record TaskQuery(
        @Nullable TaskState state,
        @Nullable String group,
        @Nullable String text,
        @Nullable String owner,
        int limit,
        @Nullable String after) {
    private static final int MOST = 1_000;

    /** How many tasks a page looks at, at most. */
    private static final int LOOKED_AT = 20_000;

    /** @throws IllegalArgumentException if the limit is out of bounds, or {@code after} is none that a page of such a list has given */
    public TaskQuery {
        if (limit < 1 || limit > MOST)
            throw new IllegalArgumentException("limit has to be 1 to " + MOST + ", not " + limit);
        if (after != null && !after.matches(state == TaskState.PLAN ? "[^,]{1,40},\\d{1,18}" : "\\d{1,18}"))
            throw new IllegalArgumentException("no place in this list: \"" + after + "\"");
    }

    /** All tasks, 100 on a page. */
    public static TaskQuery all() {
        return new TaskQuery(null, null, null, null, 100, null);
    }

    /** Only tasks in that state; null: in any. */
    public TaskQuery state(@Nullable TaskState only) {
        return new TaskQuery(only, group, text, owner, limit, null);
    }

    /** Only tasks of that group; null: of any. */
    public TaskQuery group(@Nullable String only) {
        return new TaskQuery(state, only, text, owner, limit, after);
    }

    /** Only tasks with that text in input, output or error; null: with any. */
    public TaskQuery text(@Nullable String part) {
        return new TaskQuery(state, group, part, owner, limit, after);
    }

    /** Only tasks of that owner; null: of any. */
    public TaskQuery owner(@Nullable String role) {
        return new TaskQuery(state, group, text, role, limit, after);
    }

    /** The number of tasks on a page. */
    public TaskQuery limit(int tasks) {
        return new TaskQuery(state, group, text, owner, tasks, after);
    }

    /** The page that begins there; null: the first. */
    public TaskQuery after(@Nullable String place) {
        return new TaskQuery(state, group, text, owner, limit, place);
    }

    boolean isByPlan() {
        return state == TaskState.PLAN;
    }

    @Nullable
    Object[] values(int characters) {
        String name = state == null ? null : state.name();
        if (!isByPlan()) {
            long before = after == null ? Long.MAX_VALUE : Long.parseLong(after);
            return new @Nullable Object[] {name, group, text, owner, LOOKED_AT, before, limit, characters};
        }
        String plan = after == null ? "-infinity" : after.substring(0, after.indexOf(','));
        long id = after == null ? 0 : Long.parseLong(after.substring(after.indexOf(',') + 1));
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
