package dev.howdah.console.internal.workflow;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.operations.Role;

/** The pages of workflows by their paths, and the button that cancels one. */
public final class WorkflowPages {
    private WorkflowPages() {}

    public static void add(ConsoleData data, Routes<PageController> pages, Routes<PageAction> actions) {
        ConsoleQueries queries = new ConsoleQueries(data.source(), data.schema());
        pages.add("/workflows", Role.VIEWER, new WorkflowsPage(data, queries));
        pages.add("/workflows/{id}", Role.VIEWER, new WorkflowPageController(data, queries));
        actions.add("/workflows/{id}/cancel", Role.OPERATOR, cancel(data));
    }

    private static PageAction cancel(ConsoleData data) {
        return new PageAction() {
            @Override
            public String question(ActionRequest request) {
                return "Cancel workflow " + request.id()
                        + "? Its jobs that wait will not run, those that run are interrupted. What runs when all have ended, runs.";
            }

            @Override
            public ActionResult run(ActionRequest request) {
                long id = request.id();
                if (data.jobs().findWorkflow(id).isEmpty()) throw missing(id);
                long jobs = data.jobs().cancelWorkflow(id);
                return new ActionResult(
                        Numbers.count(jobs) + (jobs == 1 ? " job" : " jobs") + " of workflow " + id
                                + (jobs == 1 ? " is" : " are") + " cancelled, or will be.",
                        path(id));
            }
        };
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
