package dev.howdah.console.internal.process;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.process.query.NamespaceSummary;
import java.util.List;

/** The namespaces of processes: {@code /processes}. */
public final class NamespacesPage implements PageController {
    private final ConsoleData data;
    private final ConsoleQueries queries;

    NamespacesPage(ConsoleData data, ConsoleQueries queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(List<NamespaceSummary> namespaces) {}

    @Override
    public Page page(PageRequest request) {
        return new Page("Processes", Section.PROCESSES, new Part("namespaces", "namespaces.jte", this::model));
    }

    private Model model() {
        return new Model(queries.installed().processes() ? data.processes().namespaces() : List.of());
    }
}
