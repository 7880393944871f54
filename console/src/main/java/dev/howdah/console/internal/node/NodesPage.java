package dev.howdah.console.internal.node;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.view.TimeText;
import dev.howdah.operations.listed.NodeLists;
import dev.howdah.operations.read.EndedNode;
import dev.howdah.operations.read.Node;
import dev.howdah.operations.read.NodeOrder;
import java.time.Duration;
import java.util.List;

/** The nodes, and those that have ended: {@code /nodes?sort=&last=}. */
public final class NodesPage implements PageController {
    private final ConsoleData data;

    NodesPage(ConsoleData data) {
        this.data = data;
    }

    /** What the template shows. */
    public record Model(Pager.Column byId, Pager.Column byName, Pager.Column byJobs, List<Node> nodes) {}

    @Override
    public Page page(PageRequest request) {
        return new Page(
                "Nodes",
                Section.NODES,
                new Part("nodes", "nodes.jte", () -> model(request)),
                new Part("ended", "nodes-ended.jte", () -> ended(request)));
    }

    /**
     * What the template of those that have ended shows.
     *
     * @param last how far back, as {@code 24 h}
     */
    public record Ended(List<EndedNode> nodes, String last) {}

    private Ended ended(PageRequest request) {
        Duration last = request.call(NodeLists.ENDED, data).get(NodeLists.LAST);
        return new Ended(request.read(NodeLists.ENDED, data).rows(), TimeText.duration(last));
    }

    private Model model(PageRequest request) {
        NodeOrder order = NodeLists.NODES.order(request.call(NodeLists.NODES, data), NodeOrder.class);
        return new Model(
                Pager.column(request, "Id", order, NodeOrder.OLDEST, NodeOrder.NEWEST, true),
                Pager.column(request, "Name", order, NodeOrder.NAME, NodeOrder.REVERSE_NAME, true),
                Pager.column(request, "Jobs now", order, NodeOrder.BUSIEST, NodeOrder.IDLEST, false),
                request.read(NodeLists.NODES, data).rows());
    }
}
