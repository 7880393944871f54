package dev.howdah.console.internal.task;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.task.NewTask;

/** Puts the schedule of tasks of the form that was checked: {@code /task-schedules/put}. */
final class PutTaskSchedule implements PageAction {
    private final TaskTables tables;

    PutTaskSchedule(TaskTables tables) {
        this.tables = tables;
    }

    @Override
    public ActionResult run(ActionRequest request) {
        TaskForm form = TaskForm.read(request::field);
        NewTask task = form.task();
        String name = form.fields().text(TaskForm.SCHEDULE);
        if (task == null)
            throw new BadRequestException("Nothing was stored: "
                    + String.join("; ", form.fields().errors().values()) + ".");
        if (name.isEmpty() || form.fields().text(TaskForm.CRON).isEmpty())
            throw new BadRequestException("Nothing was stored: a schedule has a name and a cron expression.");
        long id = tables.table(request.page()).schedules().put(name, task);
        return new ActionResult("Schedule " + name + " is stored. Its next run is task " + id + ".", "/schedules");
    }
}
