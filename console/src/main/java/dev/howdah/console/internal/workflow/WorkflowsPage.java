package dev.howdah.console.internal.workflow;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.page.Tab;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.job.workflow.WorkflowSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Workflows: {@code /workflows?unfinished=&sort=&after=}. */
public final class WorkflowsPage implements PageController {
    private static final int ROWS = 50;
    private static final StateBadge UNFINISHED = new StateBadge("not ended", "\u25b6", "run", "UNFINISHED");

    private final ConsoleData data;
    private final ConsoleQueries queries;

    WorkflowsPage(ConsoleData data, ConsoleQueries queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param next the address of the next page; null: there is none
     */
    public record Model(
            boolean isInstalled,
            List<Tab> tabs,
            Pager.Column byId,
            boolean isUnfinished,
            List<WorkflowSummary> workflows,
            @Nullable String next) {}

    @Override
    public Page page(PageRequest request) {
        Long after = request.text("after") == null ? null : request.number("after", 0, 1, Long.MAX_VALUE);
        WorkflowOrder chosen = request.choice("sort", WorkflowOrder.class);
        WorkflowOrder order = chosen == null ? WorkflowOrder.NEWEST : chosen;
        return new Page(
                "Workflows", Section.JOBS, new Part("workflows", "workflows.jte", () -> model(request, order, after)));
    }

    private Model model(PageRequest request, WorkflowOrder order, @Nullable Long after) {
        boolean unfinished = request.text("unfinished") != null;
        Pager.Column byId = Pager.column(request, "Id", order, WorkflowOrder.NEWEST, WorkflowOrder.OLDEST, false);
        List<Tab> tabs = List.of(
                new Tab(null, request.with("unfinished", null), null, null, !unfinished),
                new Tab(UNFINISHED, request.with("unfinished", "yes"), null, null, unfinished));
        if (!queries.installed().jobs()) return new Model(false, tabs, byId, unfinished, List.of(), null);
        List<WorkflowSummary> found = order.list(data.jobs(), unfinished, after, ROWS + 1);
        boolean more = found.size() > ROWS;
        List<WorkflowSummary> shown = more ? found.subList(0, ROWS) : found;
        return new Model(
                true,
                tabs,
                byId,
                unfinished,
                shown,
                Pager.next(request, more ? Long.toString(shown.get(ROWS - 1).id()) : null));
    }
}
