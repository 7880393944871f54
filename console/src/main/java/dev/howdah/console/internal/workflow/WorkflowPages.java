package dev.howdah.console.internal.workflow;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;

/** The pages of workflows by their paths. */
public final class WorkflowPages {
    private WorkflowPages() {}

    public static void add(ConsoleData data, Routes<PageController> pages) {
        EngineReads queries = new EngineReads(data.source(), data.schema());
        pages.add("/workflows", Role.VIEWER, new WorkflowsPage(data, queries));
        pages.add("/workflows/{id}", Role.VIEWER, new WorkflowPageController(data, queries));
    }

    static NotFoundException missing(long id) {
        return new NotFoundException("There is no workflow " + id
                + ": its id is wrong, or it was removed, as failed jobs are after a while.");
    }

    /** The path of a workflow. */
    public static String path(long id) {
        return "/workflows/" + id;
    }
}
