package dev.howdah.console.internal.process;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.view.ServedWords;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.Installed;
import dev.howdah.operations.read.Node;
import dev.howdah.process.query.NamespaceSummary;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The namespaces of processes: {@code /processes}. */
public final class NamespacesPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;

    NamespacesPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param nodes how many living nodes work on a namespace, by its name
     */
    public record Model(List<NamespaceSummary> namespaces, Map<String, Integer> nodes) {
        /** How many living nodes work on it. */
        public int nodes(NamespaceSummary namespace) {
            return nodes.getOrDefault(namespace.name(), 0);
        }
    }

    @Override
    public Page page(PageRequest request) {
        return new Page("Processes", Section.PROCESSES, new Part("namespaces", "namespaces.jte", this::model));
    }

    private Model model() {
        Installed installed = queries.installed();
        if (!installed.processes()) return new Model(List.of(), Map.of());
        Map<String, Integer> nodes = new HashMap<>();
        for (Node each : queries.nodes(installed))
            if (each.pid() != null)
                for (String name : ServedWords.namespaces(each.serves()).keySet()) nodes.merge(name, 1, Integer::sum);
        return new Model(data.processes().namespaces(), nodes);
    }
}
