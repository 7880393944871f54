package dev.howdah.console.internal.task;

import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;

/** The pages and actions of tasks by their paths. */
public final class TaskPages {
    private TaskPages() {}

    public static void add(ConsoleData data, BulkRuns runs, Routes<PageController> pages, Routes<PageAction> actions) {
        TaskTables tables = new TaskTables(data);
        pages.add("/tasks", Role.VIEWER, new TaskListPage(tables));
        pages.add("/tasks/groups", Role.VIEWER, new TaskGroupsPage(data, tables));
        pages.add("/tasks/new", Role.ADMINISTRATOR, new TaskFormPage(tables));
        pages.add("/tasks/{id}/edit", Role.ADMINISTRATOR, new TaskFormPage(tables));
        pages.add("/tasks/{id}", Role.VIEWER, new TaskPageController(tables));
        actions.add("/tasks/new", Role.ADMINISTRATOR, new AddTask(tables));
        actions.add("/task-schedules/put", Role.ADMINISTRATOR, new PutTaskSchedule(tables));
        actions.add("/tasks/{id}/edit", Role.ADMINISTRATOR, new EditTask(tables));
        actions.add("/tasks/change", Role.OPERATOR, new ChangeTasks(tables, runs));
        actions.add("/tasks/resume", Role.OPERATOR, new ResumeTasks(tables));
    }
}
