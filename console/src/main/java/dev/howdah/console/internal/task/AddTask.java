package dev.howdah.console.internal.task;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.task.NewTask;

/** Adds the task of the form that was checked. */
final class AddTask implements PageAction {
    private final TaskTables tables;

    AddTask(TaskTables tables) {
        this.tables = tables;
    }

    @Override
    public ActionResult run(ActionRequest request) {
        TaskForm form = TaskForm.read(request::field);
        NewTask task = form.task();
        if (task == null)
            throw new BadRequestException("Nothing was added: "
                    + String.join("; ", form.fields().errors().values()) + ".");
        long id = tables.table(request.page()).add(task);
        return new ActionResult("Task " + id + " is added.", tables.path(tables.of(request.page()), id));
    }
}
