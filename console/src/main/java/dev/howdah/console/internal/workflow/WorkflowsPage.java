package dev.howdah.console.internal.workflow;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.list.ListLinks;
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
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.listed.WorkflowLists;
import dev.howdah.operations.listed.WorkflowOrder;
import dev.howdah.operations.read.EngineReads;
import java.util.List;

/** Workflows: {@code /workflows?unfinished=&sort=&after=}. */
public final class WorkflowsPage implements PageController {
    private static final StateBadge UNFINISHED = new StateBadge("not ended", "\u25cc", "wait", "UNFINISHED");

    /** The badge of a workflow. That it has begun says nothing of whether any of its jobs runs. */
    public static StateBadge badge(WorkflowSummary.State state) {
        return state == WorkflowSummary.State.RUNNING ? UNFINISHED : StateBadge.of(state);
    }

    private final ConsoleData data;
    private final EngineReads queries;

    WorkflowsPage(ConsoleData data, EngineReads queries) {
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
            ListLinks links) {}

    /** What the template of the pipelines shows. */
    public record Pipelines(List<SqlPipeline> pipelines) {}

    @Override
    public Page page(PageRequest request) {
        request.call(WorkflowLists.WORKFLOWS, data);
        return new Page(
                "Workflows",
                Section.JOBS,
                new Part("workflows", "workflows.jte", () -> model(request)),
                new Part("pipelines", "pipelines.jte", this::pipelines));
    }

    private Pipelines pipelines() {
        return new Pipelines(queries.installed().jobs() ? data.jobs().pipelines() : List.of());
    }

    private Model model(PageRequest request) {
        WorkflowOrder order =
                WorkflowLists.WORKFLOWS.order(request.call(WorkflowLists.WORKFLOWS, data), WorkflowOrder.class);
        boolean unfinished = request.text("unfinished") != null;
        Pager.Column byId = Pager.column(request, "Id", order, WorkflowOrder.NEWEST, WorkflowOrder.OLDEST, false);
        List<Tab> tabs = List.of(
                new Tab(null, request.with("unfinished", null), null, !unfinished),
                new Tab(UNFINISHED, request.with("unfinished", "true"), null, unfinished));
        if (!queries.installed().jobs()) return new Model(false, tabs, byId, unfinished, List.of(), ListLinks.NONE);
        ListPage<WorkflowSummary> page = request.read(WorkflowLists.WORKFLOWS, data);
        return new Model(true, tabs, byId, unfinished, page.rows(), ListLinks.of(page.beside(), request));
    }
}
