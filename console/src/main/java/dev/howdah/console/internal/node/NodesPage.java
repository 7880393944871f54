package dev.howdah.console.internal.node;

import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.data.Installed;
import dev.howdah.console.internal.data.Node;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import java.util.List;

/** The nodes: {@code /nodes?sort=}. */
public final class NodesPage implements PageController {
    private final ConsoleQueries queries;

    NodesPage(ConsoleQueries queries) {
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(
            boolean isInstalled, Pager.Column byId, Pager.Column byName, Pager.Column byJobs, List<Node> nodes) {}

    @Override
    public Page page(PageRequest request) {
        NodeOrder chosen = request.choice("sort", NodeOrder.class);
        NodeOrder order = chosen == null ? NodeOrder.OLDEST : chosen;
        return new Page("Nodes", Section.NODES, new Part("nodes", "nodes.jte", () -> model(request, order)));
    }

    private Model model(PageRequest request, NodeOrder order) {
        Installed installed = queries.installed();
        boolean some = installed.jobs() || installed.processes();
        return new Model(
                some,
                Pager.column(request, "Id", order, NodeOrder.OLDEST, NodeOrder.NEWEST, true),
                Pager.column(request, "Name", order, NodeOrder.NAME, NodeOrder.REVERSE_NAME, true),
                Pager.column(request, "Jobs now", order, NodeOrder.BUSIEST, NodeOrder.IDLEST, false),
                queries.nodes(installed).stream().sorted(order.comparator()).toList());
    }
}
