package dev.howdah.console.internal.overview;

import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.data.Installed;
import dev.howdah.console.internal.data.Node;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import java.util.List;

/** The nodes: {@code /nodes}. */
public final class NodesPage implements PageController {
    private final ConsoleQueries queries;

    NodesPage(ConsoleQueries queries) {
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(boolean isInstalled, List<Node> nodes) {}

    @Override
    public Page page(PageRequest request) {
        return new Page("Nodes", Section.NODES, new Part("nodes", "nodes.jte", this::model));
    }

    private Model model() {
        Installed installed = queries.installed();
        boolean some = installed.jobs() || installed.processes();
        return new Model(some, some && installed.jobs() ? queries.nodes() : List.of());
    }
}
