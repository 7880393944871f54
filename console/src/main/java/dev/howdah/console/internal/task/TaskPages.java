package dev.howdah.console.internal.task;

import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Routes;

/** The pages and actions of tasks by their paths. */
public final class TaskPages {
    private TaskPages() {}

    public static void add(ConsoleData data, BulkRuns runs, Routes<PageController> pages, Routes<PageAction> actions) {
        TaskTables tables = new TaskTables(data);
        pages.add("/tasks", new TaskListPage(tables));
        pages.add("/tasks/groups", new TaskGroupsPage(tables));
        pages.add("/tasks/new", new TaskFormPage(tables));
        pages.add("/tasks/{id}/edit", new TaskFormPage(tables));
        pages.add("/tasks/{id}", new TaskPageController(tables));
        TaskActions task = new TaskActions(tables);
        actions.add("/tasks/new", new AddTask(tables).forAdministrators());
        actions.add("/tasks/{id}/edit", new EditTask(tables).forAdministrators());
        actions.add("/tasks/change", new ChangeTasks(tables, runs));
        actions.add("/tasks/resume", new ResumeTasks(tables));
        actions.add("/tasks/{id}/retry", task.retry());
        actions.add("/tasks/{id}/cancel", task.cancel());
        actions.add("/tasks/{id}/delete", task.delete().forAdministrators());
        TaskScheduleActions schedule = new TaskScheduleActions(tables);
        actions.add("/task-schedules/{name}/run-now", schedule.runNow());
        actions.add("/task-schedules/{name}/pause", schedule.pause());
        actions.add("/task-schedules/{name}/resume", schedule.resume());
        actions.add("/task-schedules/{name}/remove", schedule.remove().forAdministrators());
    }
}
