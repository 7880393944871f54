package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.read.EngineReads;
import java.util.List;

/** The queues of jobs: {@code /jobs/queues}. */
public final class QueuesPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;

    QueuesPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(boolean isInstalled, List<QueueSummary> queues) {}

    @Override
    public Page page(PageRequest request) {
        return new Page("Queues", Section.QUEUES, new Part("queues", "queues.jte", this::model));
    }

    private Model model() {
        boolean installed = queries.installed().jobs();
        return new Model(installed, installed ? data.jobs().queues() : List.of());
    }
}
