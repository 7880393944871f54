package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.chart.ChartReader;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.view.ServedWords;
import dev.howdah.job.log.LogQueue;
import dev.howdah.job.log.LogQueues;
import dev.howdah.job.log.LogReader;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.QueueOperations;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.Node;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One queue with its limits: {@code /jobs/queues/{queue}?range=&kind=}. */
public final class QueuePageController implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;
    private final ChartReader charts;

    QueuePageController(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
        this.charts = new ChartReader(data);
    }

    /**
     * What the template of its state shows.
     *
     * @param queue null: it has limits, and no job yet
     * @param nodes those that take its jobs
     */
    public record State(String name, @Nullable QueueSummary queue, List<Node> nodes) {
        public String path() {
            return QueuePages.path(name);
        }

        public Values key() {
            return QueueOperations.key(name);
        }
    }

    /** What the template of its limits shows. */
    public record Limits(Values key, List<QueueLimit> limits) {}

    /**
     * What the template of its log shows.
     *
     * @param queue null: it is no log queue
     */
    public record Log(Values key, @Nullable LogQueue queue, List<LogReader> readers) {}

    /**
     * What the template of its forms shows.
     *
     * @param kinds that living nodes handle
     */
    public record Forms(Values key, List<String> kinds) {}

    @Override
    public Page page(PageRequest request) {
        String name = request.name("queue");
        ChartReader.range(request);
        return new Page(
                "Queue " + name,
                Section.QUEUES,
                new Part("queue", "queue.jte", () -> state(name)),
                new Part(
                        "charts",
                        "charts.jte",
                        () -> charts.read(request, name, queries.installed().jobs())),
                new Part("limits", "queue-limits.jte", () -> new Limits(QueueOperations.key(name), limits(name))),
                new Part("log", "queue-log.jte", () -> log(name)),
                new Part("forms", "queue-forms.jte", () -> new Forms(QueueOperations.key(name), kinds(name))));
    }

    private NotFoundException missing(String name) {
        return new NotFoundException("There is no queue " + name + ": one exists as soon as a job is added to it.");
    }

    private State state(String name) {
        if (!queries.installed().jobs()) throw missing(name);
        QueueSummary queue = data.jobs().queues().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElse(null);
        if (queue == null
                && limits(name).isEmpty()
                && data.jobs().logQueues().find(name).isEmpty()) throw missing(name);
        return new State(name, queue, nodes(name));
    }

    /** Living nodes that take jobs of the queue. */
    private List<Node> nodes(String name) {
        return queries.nodes(queries.installed()).stream()
                .filter(each -> each.pid() != null)
                .filter(each -> ServedWords.queues(each.serves()).contains(name))
                .toList();
    }

    private Log log(String name) {
        LogQueues logs = data.jobs().logQueues();
        LogQueue queue = logs.find(name).orElse(null);
        List<LogReader> readers = queue == null
                ? List.of()
                : logs.readers().stream()
                        .filter(each -> each.log().equals(name))
                        .toList();
        return new Log(QueueOperations.key(name), queue, readers);
    }

    private List<QueueLimit> limits(String name) {
        return data.jobs().limits().list().stream()
                .filter(each -> each.scope().queue().equals(name))
                .map(QueueLimit::of)
                .toList();
    }

    private List<String> kinds(String name) {
        TreeSet<String> kinds = new TreeSet<>();
        for (Node each : nodes(name)) kinds.addAll(ServedWords.kinds(each.serves()));
        return List.copyOf(kinds);
    }
}
