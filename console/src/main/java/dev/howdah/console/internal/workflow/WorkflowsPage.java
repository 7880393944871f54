package dev.howdah.console.internal.workflow;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.workflow.WorkflowSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Workflows, the newest first: {@code /workflows?after=}. */
public final class WorkflowsPage implements PageController {
    private static final int ROWS = 50;

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
            List<WorkflowSummary> workflows,
            @Nullable String next) {}

    @Override
    public Page page(PageRequest request) {
        long after = request.number("after", Long.MAX_VALUE, 1, Long.MAX_VALUE);
        return new Page("Workflows", Section.JOBS, new Part("workflows", "workflows.jte", () -> model(request, after)));
    }

    private Model model(PageRequest request, long after) {
        if (!queries.installed().jobs()) return new Model(false, List.of(), null);
        List<WorkflowSummary> found = data.jobs().workflows(false, after, ROWS + 1);
        boolean more = found.size() > ROWS;
        List<WorkflowSummary> shown = more ? found.subList(0, ROWS) : found;
        return new Model(
                true,
                shown,
                Pager.next(request, more ? Long.toString(shown.get(ROWS - 1).id()) : null));
    }
}
