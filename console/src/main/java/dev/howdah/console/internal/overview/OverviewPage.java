package dev.howdah.console.internal.overview;

import dev.howdah.console.internal.chart.ChartReader;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.task.TaskTables;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.TimeText;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.listed.QueueOrder;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.Installed;
import dev.howdah.operations.read.Node;
import dev.howdah.task.TaskCounts;
import dev.howdah.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The overview: {@code /?range=1h|24h|7d|30d&kind=&tag=}. */
public final class OverviewPage implements PageController {
    private static final int MOST_ATTENTION = 10;
    private static final int MOST_QUEUES = 5;
    /** Up to so many jobs of each queue are counted, of each kind of number: each one more costs each look at the page. */
    static final int COUNTED = 1_000;

    private final ConsoleData data;
    private final EngineReads queries;
    private final TaskTables tables;
    private final AttentionNotices notices;

    private final ChartReader charts;

    OverviewPage(ConsoleData data, EngineReads queries, TaskTables tables) {
        this.data = data;
        this.queries = queries;
        this.tables = tables;
        this.notices = new AttentionNotices(data, queries);
        this.charts = new ChartReader(data);
    }

    /**
     * What the part with the notices shows.
     *
     * @param more how many are not shown
     */
    public record Attention(List<AttentionNotices.Notice> notices, int more) {}

    /** A number with its name. */
    public record Figure(String label, String value, String path, String tone) {}

    /** What the part with the numbers shows. */
    public record Figures(List<Figure> figures) {}

    /**
     * What the part with the worst queues shows.
     *
     * @param all how many queues there are
     */
    public record Queues(List<QueueSummary> queues, int all) {
        /** Up to so many jobs of each were counted. */
        public long most() {
            return COUNTED;
        }
    }

    /** What the part with the nodes shows. */
    public record Nodes(List<Node> nodes) {}

    @Override
    public Page page(PageRequest request) {
        ChartReader.range(request);
        // More than one part shows them.
        Supplier<List<QueueSummary>> queues = once(() -> data.jobs().queues(COUNTED));
        Supplier<Installed> installed = once(queries::installed);
        Supplier<List<Node>> nodes = once(() -> queries.nodes(installed.get()));
        return new Page(
                "Overview",
                Section.OVERVIEW,
                new Part(
                        "attention",
                        "overview-attention.jte",
                        () -> attention("all".equals(request.text("attention")), installed.get(), queues, nodes)),
                new Part("figures", "overview-figures.jte", () -> figures(installed.get(), queues)),
                new Part("queues", "overview-queues.jte", () -> queues(installed.get(), queues)),
                new Part(
                        "charts",
                        "charts.jte",
                        () -> charts.read(request, null, installed.get().jobs())),
                new Part("nodes", "overview-nodes.jte", () -> new Nodes(nodes.get())));
    }

    private Queues queues(Installed installed, Supplier<List<QueueSummary>> queues) {
        if (!installed.jobs()) return new Queues(List.of(), 0);
        List<QueueSummary> all = queues.get();
        List<QueueSummary> worst = all.stream()
                .filter(each -> each.due() > 0 || each.failed() > 0)
                .sorted(QueueOrder.WORST.comparator(queries.now()))
                .limit(MOST_QUEUES)
                .toList();
        return new Queues(worst, all.size());
    }

    /** Reads once, for one request. */
    private static <T> Supplier<T> once(Supplier<T> read) {
        return new Supplier<>() {
            private @Nullable T value;

            @Override
            public T get() {
                if (value == null) value = read.get();
                return value;
            }
        };
    }

    private Attention attention(
            boolean isAll, Installed installed, Supplier<List<QueueSummary>> queues, Supplier<List<Node>> nodes) {
        List<AttentionNotices.Notice> all = notices.find(installed, queues, nodes);
        int shown = isAll ? all.size() : Math.min(MOST_ATTENTION, all.size());
        return new Attention(all.subList(0, shown), all.size() - shown);
    }

    private Figures figures(Installed installed, Supplier<List<QueueSummary>> queues) {
        List<Figure> figures = new ArrayList<>();
        for (ConsoleData.TableName table : tables.all()) {
            TaskCounts counts = data.tasks(table).counts();
            String label = tables.all().size() < 2 ? "Tasks" : table.text();
            String path = "/tasks?table=" + PageRequest.encoded(table.text()) + "&state=";
            long running = counts.of(TaskState.WORK) + counts.of(TaskState.TAKE);
            figures.add(new Figure(label + " running", Numbers.count(running), path + "work", "run"));
            figures.add(new Figure(
                    label + " planned",
                    Numbers.capped(counts.of(TaskState.PLAN), TaskCounts.MOST_PLANNED),
                    path + "plan",
                    "wait"));
            figures.add(new Figure(
                    label + " failed" + (counts.isWhole() ? "" : ", of the newest " + Numbers.count(TaskCounts.NEWEST)),
                    Numbers.counted(counts.of(TaskState.FAIL), counts.isExact(TaskState.FAIL)),
                    path + "fail",
                    counts.of(TaskState.FAIL) > 0 ? "fail" : "done"));
        }
        if (installed.jobs()) {
            long due = 0;
            long running = 0;
            long failed = 0;
            boolean moreDue = false;
            boolean moreFailed = false;
            Instant oldest = null;
            for (QueueSummary queue : queues.get()) {
                due += Math.min(queue.due(), COUNTED);
                moreDue |= queue.due() > COUNTED;
                Instant first = queue.oldest();
                if (first != null && (oldest == null || first.isBefore(oldest))) oldest = first;
                running += queue.running();
                failed += Math.min(queue.failed(), COUNTED);
                moreFailed |= queue.failed() > COUNTED;
            }
            figures.add(new Figure("Jobs running", Numbers.count(running), "/jobs?state=running", "run"));
            Duration waited = oldest == null ? Duration.ZERO : Duration.between(oldest, Instant.now());
            String waits = waited.toSeconds() < 1 ? "" : ", the first for " + TimeText.duration(waited);
            figures.add(new Figure("Jobs due" + waits, Numbers.counted(due, !moreDue), "/jobs?state=waiting", "wait"));
            figures.add(new Figure(
                    "Jobs failed",
                    Numbers.counted(failed, !moreFailed),
                    "/jobs?state=failed",
                    failed > 0 ? "fail" : "done"));
        }
        return new Figures(figures);
    }
}
