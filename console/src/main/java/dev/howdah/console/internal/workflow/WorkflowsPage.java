package dev.howdah.console.internal.workflow;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.list.ListPlace;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.page.Tab;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.job.workflow.SqlPipeline;
import dev.howdah.job.workflow.WorkflowSummary;
import java.util.List;

/** Workflows: {@code /workflows?unfinished=&sort=&after=}. */
public final class WorkflowsPage implements PageController {
    private static final int ROWS = 50;
    private static final StateBadge UNFINISHED = new StateBadge("not ended", "\u25cc", "wait", "UNFINISHED");

    /** The badge of a workflow. That it has begun says nothing of whether any of its jobs runs. */
    public static StateBadge badge(WorkflowSummary.State state) {
        return state == WorkflowSummary.State.RUNNING ? UNFINISHED : StateBadge.of(state);
    }

    private final ConsoleData data;
    private final ConsoleQueries queries;

    WorkflowsPage(ConsoleData data, ConsoleQueries queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param links the pages beside this one
     */
    public record Model(
            boolean isInstalled,
            List<Tab> tabs,
            Pager.Column byId,
            boolean isUnfinished,
            List<WorkflowSummary> workflows,
            ListPlace.Links links) {}

    /** What the template of the pipelines shows. */
    public record Pipelines(List<SqlPipeline> pipelines) {}

    @Override
    public Page page(PageRequest request) {
        ListPlace place = ListPlace.of(request);
        place.startId();
        WorkflowOrder chosen = request.choice("sort", WorkflowOrder.class);
        WorkflowOrder order = chosen == null ? WorkflowOrder.NEWEST : chosen;
        return new Page(
                "Workflows",
                Section.JOBS,
                new Part("workflows", "workflows.jte", () -> model(request, order, place)),
                new Part("pipelines", "pipelines.jte", this::pipelines));
    }

    private Pipelines pipelines() {
        return new Pipelines(queries.installed().jobs() ? data.jobs().pipelines() : List.of());
    }

    private Model model(PageRequest request, WorkflowOrder order, ListPlace place) {
        boolean unfinished = request.text("unfinished") != null;
        Pager.Column byId = Pager.column(request, "Id", order, WorkflowOrder.NEWEST, WorkflowOrder.OLDEST, false);
        List<Tab> tabs = List.of(
                new Tab(null, request.with("unfinished", null), null, !unfinished),
                new Tab(UNFINISHED, request.with("unfinished", "yes"), null, unfinished));
        if (!queries.installed().jobs())
            return new Model(false, tabs, byId, unfinished, List.of(), ListPlace.Links.NONE);
        List<WorkflowSummary> found = (place.isBackwards() ? order.opposite() : order)
                .list(data.jobs(), unfinished, place.startId(), ROWS + 1);
        if (place.isPastFirst(found, false)) return model(request, order, ListPlace.FIRST);
        ListPlace.Rows<WorkflowSummary> rows = place.rows(found, ROWS, WorkflowSummary::id);
        return new Model(
                true, tabs, byId, unfinished, rows.rows(), rows.beside().links(request));
    }
}
