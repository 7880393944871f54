package dev.howdah.console.internal.task;

import dev.howdah.console.internal.bulk.BulkRun;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.operations.Operation;
import dev.howdah.operations.change.TaskOperations;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import dev.howdah.task.TaskTable.Cancellation;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A change of many tasks: of those with some ids, or of all that match. Safe for use by many threads. */
public record TaskBulk(Action action, TaskQuery query, TaskTable table) {
    private static final int COUNTED = 10_000;
    private static final String NOT_ALLOWED = "42501";

    /** What has succeeded is run again, and deleted, only where its state is asked for, as by the command. */
    public TaskBulk {
        if (query.state() == null && action != Action.CANCEL) query = query.state(TaskState.FAIL);
        // A named schedule would be at an end: that has to be asked for by its name, or by the id of its task.
        query = query.schedules(query.schedule() != null);
    }

    /** What is done with each. */
    public enum Action {
        RETRY("Run again", TaskTable.Change.RETRY),
        CANCEL("Cancel", TaskTable.Change.CANCEL),
        DELETE("Delete", TaskTable.Change.DELETE);

        private final String label;
        private final TaskTable.Change change;

        Action(String label, TaskTable.Change change) {
            this.label = label;
            this.change = change;
        }

        /** As buttons and titles have it. */
        public String label() {
            return label;
        }

        TaskTable.Change change() {
            return change;
        }

        /** The declared operation on one of them. */
        public Operation operation() {
            return TaskOperations.of(change);
        }

        /** As forms and requests have it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether it can be done with tasks in that state; null: with some in any. */
        public boolean isFor(@Nullable TaskState state) {
            return state == null || change.states().contains(state);
        }
    }

    /** All that match, such as {@code all 1,234 failed tasks of group nightly}. */
    public String words(@Nullable Long count) {
        boolean one = count != null && count == 1;
        StringBuilder text = new StringBuilder(Numbers.all(count));
        if (query.state() != null)
            text.append(StateBadge.of(query.state()).word()).append(' ');
        text.append(one ? "task" : "tasks");
        text.append(TaskLists.words(query));
        if (query.state() == null) text.append(one ? " that waits or runs" : " that wait or run");
        if (action == Action.CANCEL && query.schedule() == null) text.append(", but for those of named schedules");
        return text.toString();
    }

    /** The states of the tasks that are meant: those in which something can be done, unless one is asked for. */
    private List<TaskState> states() {
        TaskState state = query.state();
        return state == null ? TaskTable.Change.CANCEL.states() : List.of(state);
    }

    /** How many there are, up to a bound; null: more, or too many to be counted in time. */
    public @Nullable Long count() {
        long count = 0;
        try {
            for (TaskState each : states()) count += table.count(query.state(each), COUNTED + 1);
            return count > COUNTED ? null : Long.valueOf(count);
        } catch (TaskException e) {
            return null;
        }
    }

    /** Changes those that have these ids; answers how many were changed. */
    public long each(List<Long> ids) {
        if (ids.isEmpty()) return 0;
        return switch (action) {
            case RETRY -> table.retryEach(ids);
            case DELETE -> table.deleteEach(ids);
            case CANCEL ->
                table.stopEach(ids) + ids.stream().filter(this::interrupted).count();
        };
    }

    /** Changes all that match. */
    public void all(BulkRun run) {
        for (TaskState each : states()) {
            BulkRun.Status before = run.status();
            table.change(
                    action.change(),
                    query.state(each),
                    (changed, left) -> run.step(before.done() + changed, before.left() + left));
            if (run.status().isStopping()) return;
        }
    }

    private boolean interrupted(long id) {
        try {
            return table.cancel(id) instanceof Cancellation.Requested;
        } catch (TaskException e) {
            // A task of a role whose sessions this one may not signal is left; the others are cancelled.
            if (!e.sqlState().equals(NOT_ALLOWED)) throw e;
            return false;
        }
    }
}
