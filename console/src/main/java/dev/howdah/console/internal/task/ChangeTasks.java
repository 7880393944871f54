package dev.howdah.console.internal.task;

import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.bulk.BulkPages;
import dev.howdah.console.internal.bulk.BulkRun;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.task.Task;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskPage;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import dev.howdah.task.TaskTable.Cancellation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes tasks of the list: those that were selected at once, all that match its filter in the background. */
final class ChangeTasks implements PageAction {
    /** The parameters of the list that are its filter. */
    static final List<String> FILTER = List.of("table", "state", "group", "owner", "q");

    private static final int PAGE = 500;
    private static final int COUNTED = 10_000;

    private enum Action {
        RETRY("Run again"),
        CANCEL("Cancel"),
        DELETE("Delete");

        private final String word;

        Action(String word) {
            this.word = word;
        }

        boolean isFor(TaskState state) {
            return this == CANCEL ? !state.ended() : state.ended();
        }
    }

    private final TaskTables tables;
    private final BulkRuns runs;

    ChangeTasks(TaskTables tables, BulkRuns runs) {
        this.tables = tables;
        this.runs = runs;
    }

    /** The names of the actions for tasks in a state, and the words of their buttons; null: in any state. */
    static Map<String, String> actions(@Nullable TaskState state) {
        Map<String, String> actions = new LinkedHashMap<>();
        for (Action each : Action.values())
            if (state == null || each.isFor(state)) actions.put(each.name().toLowerCase(Locale.ROOT), each.word);
        return actions;
    }

    /**
     * What was chosen.
     *
     * @param ids of those that were selected; empty: all that match
     */
    private record Choice(Action action, List<Long> ids, TaskQuery query, TaskTable table, String back) {
        /** Such as {@code all 1,234 failed tasks of group nightly}. */
        String objects(@Nullable String count) {
            if (ids.size() == 1) return "task " + ids.get(0);
            if (!ids.isEmpty()) return Numbers.count(ids.size()) + " tasks";
            StringBuilder text = new StringBuilder("all ");
            if (count != null) text.append(count).append(' ');
            if (query.state() != null)
                text.append(StateBadge.of(query.state()).word()).append(' ');
            text.append("tasks");
            if (query.group() != null) text.append(" of group ").append(query.group());
            if (query.owner() != null) text.append(" of ").append(query.owner());
            if (query.text() != null)
                text.append(" with \"").append(query.text()).append('"');
            if (query.state() == null) text.append(action == Action.CANCEL ? " that wait or run" : " that have ended");
            return text.toString();
        }
    }

    private Choice choice(ActionRequest request) {
        PageRequest list = request.list("/tasks", FILTER);
        TaskQuery query = TaskListPage.query(list);
        Action action = action(request.field("action"), query.state());
        boolean all = request.field("all") != null;
        List<Long> ids = all ? List.of() : request.ids();
        if (!all && ids.isEmpty())
            throw new BadRequestException("No task was selected: select rows of the list, or all that match.");
        return new Choice(action, ids, query, tables.table(list), list.address());
    }

    private static Action action(@Nullable String name, @Nullable TaskState state) {
        for (Action each : Action.values())
            if (each.name().toLowerCase(Locale.ROOT).equals(name) && (state == null || each.isFor(state))) return each;
        throw new BadRequestException("\"" + name + "\" cannot be done with these tasks.");
    }

    @Override
    public Role role(ActionRequest request) {
        return "delete".equals(request.field("action")) ? Role.ADMINISTRATOR : Role.OPERATOR;
    }

    @Override
    public String question(ActionRequest request) {
        Choice choice = choice(request);
        String objects = choice.objects(choice.ids().isEmpty() ? counted(count(choice)) : null);
        return switch (choice.action()) {
            case RETRY -> "Run " + objects + " again now? Their output and their errors are replaced.";
            case CANCEL ->
                "Cancel " + objects
                        + "? Those that wait will not run. Of those that run PostgreSQL is asked to cancel the statement.";
            case DELETE -> "Delete " + objects + " with their input, output and errors?";
        };
    }

    private static @Nullable String counted(@Nullable Long tasks) {
        return tasks == null ? null : Numbers.count(tasks);
    }

    /** How many there are, up to a bound; null: more, or too many to be counted in time. */
    private static @Nullable Long count(Choice choice) {
        long count = 0;
        try {
            for (TaskQuery next = choice.query().limit(1_000); next != null; ) {
                TaskPage page = choice.table().list(next);
                count += matching(page, choice.action()).size();
                if (count > COUNTED) return null;
                next = page.next();
            }
            return count;
        } catch (TaskException e) {
            return null;
        }
    }

    private static List<Task> matching(TaskPage page, Action action) {
        return page.tasks().stream().filter(each -> action.isFor(each.state())).toList();
    }

    @Override
    public ActionResult run(ActionRequest request) {
        Choice choice = choice(request);
        if (choice.ids().isEmpty())
            return BulkPages.started(runs.start(
                    choice.action().word + ": " + choice.objects(null),
                    choice.back(),
                    count(choice),
                    run -> change(run, choice)));
        long changed = change(choice.table(), choice.action(), choice.ids(), choice.ids());
        long left = choice.ids().size() - changed;
        boolean one = changed == 1;
        String said = Numbers.count(changed)
                + (one ? " task " : " tasks ")
                + switch (choice.action()) {
                    case RETRY -> one ? "is planned for now" : "are planned for now";
                    case CANCEL -> one ? "is cancelled" : "are cancelled";
                    case DELETE -> one ? "is deleted" : "are deleted";
                };
        return new ActionResult(
                said + (left == 0 ? "." : "; " + Numbers.count(left) + " could not be changed."), choice.back());
    }

    private static boolean isRunning(TaskState state) {
        return state == TaskState.WORK || state == TaskState.TAKE;
    }

    private static boolean interrupted(TaskTable table, long id) {
        return table.cancel(id) instanceof Cancellation.Requested;
    }

    /** Changes all that match, page by page. */
    private static void change(BulkRun run, Choice choice) {
        for (TaskQuery next = choice.query().limit(PAGE); next != null; ) {
            TaskPage page = choice.table().list(next);
            List<Task> tasks = matching(page, choice.action());
            List<Long> running = tasks.stream()
                    .filter(each -> isRunning(each.state()))
                    .map(Task::id)
                    .toList();
            long changed = change(
                    choice.table(),
                    choice.action(),
                    tasks.stream().map(Task::id).toList(),
                    running);
            if (!run.more(changed, tasks.size() - changed)) return;
            next = page.next();
        }
    }

    /** @param running those that may run, which are cancelled one by one */
    private static long change(TaskTable table, Action action, List<Long> ids, List<Long> running) {
        if (ids.isEmpty()) return 0;
        return switch (action) {
            case RETRY -> table.retryEach(ids);
            case DELETE -> table.deleteEach(ids);
            case CANCEL ->
                table.stopEach(ids)
                        + running.stream().filter(id -> interrupted(table, id)).count();
        };
    }
}
