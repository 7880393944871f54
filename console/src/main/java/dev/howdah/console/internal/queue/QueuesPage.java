package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.listed.QueueOrder;
import dev.howdah.operations.read.EngineReads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The queues of jobs: {@code /jobs/queues?sort=}; the worst first unless they are sorted. */
public final class QueuesPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;

    QueuesPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(boolean isInstalled, List<QueueSummary> queues, Map<String, Pager.Column> columns) {
        public Pager.Column by(String name) {
            return Objects.requireNonNull(columns.get(name), name);
        }
    }

    @Override
    public Page page(PageRequest request) {
        QueueOrder asked = request.choice("sort", QueueOrder.class);
        QueueOrder order = asked == null ? QueueOrder.WORST : asked;
        return new Page("Queues", Section.QUEUES, new Part("queues", "queues.jte", () -> model(request, order)));
    }

    private Model model(PageRequest request, QueueOrder order) {
        boolean installed = queries.installed().jobs();
        List<QueueSummary> queues = new ArrayList<>(installed ? data.jobs().queues() : List.of());
        if (installed) queues.sort(order.comparator(queries.now()));
        return new Model(
                installed,
                queues,
                Map.of(
                        "name",
                        Pager.column(request, "Queue", order, QueueOrder.NAME, QueueOrder.REVERSE_NAME, true),
                        "due",
                        Pager.column(request, "Due", order, QueueOrder.MOST_DUE, false),
                        "oldest",
                        Pager.column(request, "Oldest", order, QueueOrder.LONGEST_WAIT, true),
                        "later",
                        Pager.column(request, "Later", order, QueueOrder.MOST_LATER, false),
                        "running",
                        Pager.column(request, "Running", order, QueueOrder.MOST_RUNNING, false),
                        "failed",
                        Pager.column(request, "Failed", order, QueueOrder.MOST_FAILED, false),
                        "done",
                        Pager.column(request, "Done, last hour", order, QueueOrder.MOST_DONE, false),
                        "retried",
                        Pager.column(request, "Retried, last hour", order, QueueOrder.MOST_RETRIED, false)));
    }
}
