package dev.howdah.console.internal.task;

import dev.howdah.console.internal.bulk.BulkPages;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.task.TaskBulk.Action;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.operations.Role;
import dev.howdah.operations.Values;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes tasks of the list: those that were selected at once, all that match its filter in the background. */
final class ChangeTasks implements PageAction {
    /** The parameters of the list that are its filter. */
    static final List<String> FILTER = TaskLists.TASKS.choiceNames();

    private final TaskTables tables;
    private final BulkRuns runs;

    ChangeTasks(TaskTables tables, BulkRuns runs) {
        this.tables = tables;
        this.runs = runs;
    }

    /** The names of the actions for tasks in a state, and the words of their buttons; null: in any state. */
    static Map<String, String> actions(@Nullable TaskState state) {
        Map<String, String> actions = new LinkedHashMap<>();
        for (Action each : Action.values()) if (each.isFor(state)) actions.put(each.word(), each.label());
        return actions;
    }

    /**
     * What was chosen.
     *
     * @param ids of those that were selected; empty: all that match
     */
    private record Choice(TaskBulk bulk, TableName table, List<Long> ids, String back) {
        /** Such as {@code all 1,234 failed tasks of group nightly}. */
        String objects(@Nullable Long count) {
            if (ids.size() == 1) return "task " + ids.get(0);
            if (!ids.isEmpty()) return Numbers.count(ids.size()) + " tasks";
            return bulk.words(count);
        }
    }

    private Choice choice(ActionRequest request) {
        PageRequest list = request.list("/tasks", FILTER);
        TaskQuery query = TaskListPage.query(list, tables.data());
        Action action = action(request.field("action"), query.state());
        boolean all = request.field("all") != null;
        List<Long> ids = all ? List.of() : request.ids();
        if (!all && ids.isEmpty())
            throw new BadRequestException("No task was selected: select rows of the list, or all that match.");
        return new Choice(new TaskBulk(action, query, tables.table(list)), tables.of(list), ids, list.address());
    }

    private static Action action(@Nullable String name, @Nullable TaskState state) {
        for (Action each : Action.values()) if (each.word().equals(name) && each.isFor(state)) return each;
        throw new BadRequestException("\"" + name + "\" cannot be done with these tasks.");
    }

    @Override
    public Role needed(ActionRequest request, Role declared) {
        for (Action each : Action.values())
            if (each.word().equals(request.field("action")))
                return each.operation().role();
        return declared;
    }

    @Override
    public String question(ActionRequest request) {
        Choice choice = choice(request);
        Long count = choice.ids().isEmpty() ? count(request, choice) : null;
        String objects = choice.objects(count);
        boolean one = choice.ids().size() == 1 || count != null && count == 1;
        return choice.bulk().action().operation().question(objects, one, Values.NONE);
    }

    @Override
    public String proof(ActionRequest request) {
        Choice choice = choice(request);
        return choice.ids().isEmpty() ? BulkPages.proof(count(request, choice)) : "";
    }

    private static @Nullable Long count(ActionRequest request, Choice choice) {
        return request.counted("tasks", choice.bulk()::count);
    }

    @Override
    public ActionResult run(ActionRequest request) {
        Choice choice = choice(request);
        if (choice.ids().isEmpty())
            return BulkPages.started(runs.start(
                    choice.bulk().action().label() + ": " + choice.objects(null),
                    choice.back(),
                    count(request, choice),
                    choice.bulk()::all));
        long changed = choice.bulk().each(choice.ids());
        long left = choice.ids().size() - changed;
        String said = choice.bulk()
                .action()
                .operation()
                .done(Numbers.of(changed, "task", "tasks"), changed == 1, Values.NONE)
                .replaceFirst("\\.$", "");
        // Where one was not changed, it may have been cancelled before by another hand.
        boolean isUndone = choice.bulk().action() == Action.CANCEL && left == 0;
        return new ActionResult(
                        said + (left == 0 ? "." : "; " + Numbers.count(left) + " could not be changed."), choice.back())
                .undoneBy(isUndone ? ResumeTasks.undo(choice.table(), choice.ids()) : null);
    }
}
