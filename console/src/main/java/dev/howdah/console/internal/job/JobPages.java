package dev.howdah.console.internal.job;

import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;

/** The pages and actions of jobs by their paths. */
public final class JobPages {
    private JobPages() {}

    public static void add(ConsoleData data, BulkRuns runs, Routes<PageController> pages, Routes<PageAction> actions) {
        EngineReads queries = new EngineReads(data.source(), data.schema());
        pages.add("/jobs", Role.VIEWER, new JobListPage(data, queries));
        pages.add("/jobs/errors", Role.VIEWER, new ErrorsPage(data, queries));
        pages.add(ErrorPage.PATH, Role.VIEWER, new ErrorPage(data));
        pages.add("/jobs/new", Role.ADMINISTRATOR, new JobFormPage(data, queries));
        pages.add("/jobs/{id}", Role.VIEWER, new JobPageController(data, queries));
        actions.add("/jobs/new", Role.ADMINISTRATOR, new AddJob(queries));
        actions.add("/jobs/change", Role.OPERATOR, new ChangeJobs(data, runs));
        actions.add("/jobs/errors/change", Role.OPERATOR, new ChangeErrorGroup(data, runs));
    }
}
