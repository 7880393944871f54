package dev.howdah.console.internal.task;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.task.Task;
import dev.howdah.task.TaskTable;

/** Stores the form of a task that waits: only what was changed in it. */
final class EditTask implements PageAction {
    private final TaskTables tables;

    EditTask(TaskTables tables) {
        this.tables = tables;
    }

    @Override
    public ActionResult run(ActionRequest request) {
        long id = request.id();
        TaskTable table = tables.table(request.page());
        Task task = table.find(id).orElseThrow(() -> new NotFoundException("There is no task " + id + " any more."));
        TaskForm typed = TaskForm.read(request::field);
        if (typed.task() == null)
            throw new BadRequestException("Nothing was changed: "
                    + String.join("; ", typed.fields().errors().values()) + ".");
        TaskForm stored = TaskForm.stored(task);
        if (!stored.version().equals(request.field("version")))
            throw new BadRequestException("Nothing was changed: task " + id
                    + " is not as it was when the form was opened. Open the form again to see how it is now.");
        TaskForm.Difference difference = typed.from(stored);
        boolean changed = table.change(id, difference.set(), difference.defaults());
        return new ActionResult(
                changed
                        ? "Task " + id + " is changed."
                        : "Task " + id + " was not changed: it runs by now, or has ended.",
                tables.path(tables.of(request.page()), id));
    }
}
