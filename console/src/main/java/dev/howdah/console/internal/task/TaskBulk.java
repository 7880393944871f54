package dev.howdah.console.internal.task;

import dev.howdah.console.internal.bulk.BulkRun;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.operations.Operation;
import dev.howdah.operations.change.TaskOperations;
import dev.howdah.task.Task;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskPage;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import dev.howdah.task.TaskTable.Cancellation;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A change of many tasks: of those with some ids, or of all that match. Safe for use by many threads. */
public record TaskBulk(Action action, TaskQuery query, TaskTable table) {
    private static final int PAGE = 500;
    private static final int COUNTED = 10_000;
    private static final String NOT_ALLOWED = "42501";

    /** What has succeeded is run again, and deleted, only where its state is asked for, as by the command. */
    public TaskBulk {
        if (query.state() == null && action != Action.CANCEL) query = query.state(TaskState.FAIL);
    }

    /** What is done with each. */
    public enum Action {
        RETRY("Run again", TaskOperations.RETRY),
        CANCEL("Cancel", TaskOperations.CANCEL),
        DELETE("Delete", TaskOperations.DELETE);

        private final String label;
        private final Operation operation;

        Action(String label, Operation operation) {
            this.label = label;
            this.operation = operation;
        }

        /** As buttons and titles have it. */
        public String label() {
            return label;
        }

        /** The declared operation on one of them. */
        public Operation operation() {
            return operation;
        }

        /** As forms and requests have it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether it can be done with tasks in that state; null: with some in any. */
        public boolean isFor(@Nullable TaskState state) {
            return state == null || (this == CANCEL ? !state.ended() : state.ended());
        }
    }

    /** All that match, such as {@code all 1,234 failed tasks of group nightly}. */
    public String words(@Nullable Long count) {
        boolean one = count != null && count == 1;
        StringBuilder text = new StringBuilder(Numbers.all(count));
        if (query.state() != null)
            text.append(StateBadge.of(query.state()).word()).append(' ');
        text.append(one ? "task" : "tasks");
        if (query.group() != null) text.append(" of group ").append(query.group());
        if (query.owner() != null) text.append(" of ").append(query.owner());
        if (query.text() != null) text.append(" with \"").append(query.text()).append('"');
        if (query.state() == null) text.append(one ? " that waits or runs" : " that wait or run");
        if (action == Action.CANCEL) text.append(", but for those of named schedules");
        return text.toString();
    }

    /** How many there are, up to a bound; null: more, or too many to be counted in time. */
    public @Nullable Long count() {
        long count = 0;
        try {
            for (TaskQuery next = query.limit(1_000); next != null; ) {
                TaskPage page = table.list(next);
                count += matching(page).size();
                if (count > COUNTED) return null;
                next = page.next();
            }
            return count;
        } catch (TaskException e) {
            return null;
        }
    }

    /** A named schedule would be at an end: that has to be asked for by its name, or by the id of its task. */
    private List<Task> matching(TaskPage page) {
        List<Task> tasks =
                page.tasks().stream().filter(each -> action.isFor(each.state())).toList();
        if (action != Action.CANCEL || tasks.isEmpty()) return tasks;
        Set<Long> scheduled = table.scheduled(tasks.stream().map(Task::id).toList());
        return tasks.stream().filter(each -> !scheduled.contains(each.id())).toList();
    }

    /** Changes those that have these ids; answers how many were changed. */
    public long each(List<Long> ids) {
        return change(ids, ids);
    }

    /** Changes all that match, page by page. */
    public void all(BulkRun run) {
        for (TaskQuery next = query.limit(PAGE); next != null; ) {
            TaskPage page = table.list(next);
            List<Task> tasks = matching(page);
            List<Long> running = tasks.stream()
                    .filter(each -> isRunning(each.state()))
                    .map(Task::id)
                    .toList();
            long changed = change(tasks.stream().map(Task::id).toList(), running);
            if (!run.more(changed, tasks.size() - changed)) return;
            next = page.next();
        }
    }

    private static boolean isRunning(TaskState state) {
        return state == TaskState.WORK || state == TaskState.TAKE;
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

    /** @param running those that may run, which are cancelled one by one */
    private long change(List<Long> ids, List<Long> running) {
        if (ids.isEmpty()) return 0;
        return switch (action) {
            case RETRY -> table.retryEach(ids);
            case DELETE -> table.deleteEach(ids);
            case CANCEL ->
                table.stopEach(ids) + running.stream().filter(this::interrupted).count();
        };
    }
}
