package dev.howdah.console.internal.page;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;

/** All pages and actions by their paths. */
public final class ConsolePages {
    private final Routes<PageController> pages = new Routes<>();
    private final Routes<Action> actions = new Routes<>();

    public ConsolePages(ConsoleData data) {
        ConsoleQueries queries = new ConsoleQueries(data.source(), data.schema());
        TaskTables tables = new TaskTables(data);
        pages.add("/", new OverviewPage(data, queries, tables));
        pages.add("/tasks", new TaskListPage(tables));
        pages.add("/tasks/{id}", new TaskPageController(tables));
        pages.add("/jobs", new JobListPage(data, queries));
        pages.add("/jobs/queues", new QueuesPage(queries));
        pages.add("/jobs/errors", new ErrorsPage(queries));
        pages.add("/jobs/{id}", new JobPageController(data, queries));
        pages.add("/search", new SearchPage(data, queries, tables));
        pages.add("/nodes", new NodesPage(queries));
        pages.add("/database", new DatabasePage(data));

        TaskActions task = new TaskActions(tables);
        actions.add("/tasks/{id}/retry", task.retry());
        actions.add("/tasks/{id}/cancel", task.cancel());
        actions.add("/tasks/{id}/delete", task.delete());
        JobActions job = new JobActions(data);
        actions.add("/jobs/{id}/retry", job.retry());
        actions.add("/jobs/{id}/cancel", job.cancel());
        actions.add("/jobs/{id}/run-now", job.runNow());
        actions.add("/jobs/{id}/delete", job.delete());
        actions.add("/jobs/queues/{queue}/pause", job.pause());
        actions.add("/jobs/queues/{queue}/resume", job.resume());
    }

    public Routes<PageController> pages() {
        return pages;
    }

    public Routes<Action> actions() {
        return actions;
    }
}
