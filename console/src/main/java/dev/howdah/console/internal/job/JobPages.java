package dev.howdah.console.internal.job;

import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Routes;

/** The pages and actions of jobs by their paths. */
public final class JobPages {
    private JobPages() {}

    public static void add(ConsoleData data, BulkRuns runs, Routes<PageController> pages, Routes<PageAction> actions) {
        ConsoleQueries queries = new ConsoleQueries(data.source(), data.schema());
        pages.add("/jobs", new JobListPage(data, queries));
        pages.add("/jobs/errors", new ErrorsPage(queries));
        pages.add("/jobs/new", new JobFormPage(data, queries));
        pages.add("/jobs/{id}", new JobPageController(data, queries));
        JobActions job = new JobActions(data);
        actions.add("/jobs/new", new AddJob(queries).forAdministrators());
        actions.add("/jobs/change", new ChangeJobs(data, runs));
        actions.add("/jobs/errors/change", new ChangeErrorGroup(data, runs));
        actions.add("/jobs/{id}/retry", job.retry());
        actions.add("/jobs/{id}/cancel", job.cancel());
        actions.add("/jobs/{id}/run-now", job.runNow());
        actions.add("/jobs/{id}/priority", job.setPriority());
        actions.add("/jobs/{id}/move", job.move());
        actions.add("/jobs/{id}/delete", job.delete().forAdministrators());
    }
}
