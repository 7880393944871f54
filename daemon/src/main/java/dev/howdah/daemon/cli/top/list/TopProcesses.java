package dev.howdah.daemon.cli.top.list;

import dev.howdah.process.HistoryRange;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.Request;
import dev.howdah.process.client.ProcessClient;
import dev.howdah.process.query.NamespaceSummary;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The processes of all namespaces, those that are broken first. */
public final class TopProcesses implements TopView {
    /** How long a repair is waited for. */
    private static final Duration WAIT = Duration.ofSeconds(5);

    private static final int EVENTS = 10;

    private static final List<TopColumn> COLUMNS = List.of(
            TopColumn.text("NAMESPACE", 1, 20),
            TopColumn.text("ID", 0, 30),
            TopColumn.text("STATUS", 0, 7),
            TopColumn.number("SINCE", 0),
            TopColumn.number("QUEUED", 2),
            TopColumn.number("EVENTS", 3),
            TopColumn.number("TIMER", 2),
            TopColumn.rest("DETAIL", 1));

    private final ProcessReader processes;
    private final ProcessClient client;

    public TopProcesses(ProcessReader processes, ProcessClient client) {
        this.processes = processes;
        this.client = client;
    }

    @Override
    public String title() {
        return "Processes";
    }

    @Override
    public List<String> states() {
        return List.of("all", "error", "running", "init");
    }

    @Override
    public String filterHelp() {
        return "the beginning of the id, or NAMESPACE/ID";
    }

    @Override
    public TopPage read(String state, String filter, int limit, Instant now) {
        List<NamespaceSummary> namespaces = processes.namespaces();
        int slash = filter.indexOf('/');
        String in = slash < 0 ? "" : filter.substring(0, slash);
        String prefix = filter.substring(slash + 1);
        List<TopRow> rows = new ArrayList<>();
        for (ProcessStatus each : statuses(state)) {
            for (NamespaceSummary namespace : namespaces) {
                if (rows.size() >= limit || !in.isEmpty() && !namespace.name().equals(in)) continue;
                ProcessQuery query = ProcessQuery.of(namespace.name())
                        .status(each)
                        .prefix(prefix)
                        .limit(limit - rows.size());
                for (ProcessSummary process : processes.list(query)) rows.add(row(namespace.name(), process, now));
            }
        }
        return new TopPage(
                summary(namespaces),
                COLUMNS,
                rows,
                namespaces.isEmpty() ? "There are no processes yet." : "No process matches.");
    }

    private static List<ProcessStatus> statuses(String state) {
        return state.equals("all")
                ? List.of(ProcessStatus.ERROR, ProcessStatus.INIT, ProcessStatus.RUNNING)
                : List.of(ProcessStatus.valueOf(state.toUpperCase(Locale.ROOT)));
    }

    private static String summary(List<NamespaceSummary> all) {
        long broken = all.stream().mapToLong(NamespaceSummary::broken).sum();
        long due = all.stream().mapToLong(NamespaceSummary::due).sum();
        long blocked = all.stream().mapToLong(NamespaceSummary::blocked).sum();
        return TopText.count(all.size()) + (all.size() == 1 ? " namespace, " : " namespaces, ")
                + TopText.capped(broken, NamespaceSummary.COUNTED) + " broken, "
                + TopText.capped(due, NamespaceSummary.COUNTED) + " with a step that is due, "
                + TopText.capped(blocked, NamespaceSummary.COUNTED) + " blocked notices";
    }

    private static TopRow row(String namespace, ProcessSummary process, Instant now) {
        return new TopRow(
                namespace,
                process.id(),
                switch (process.status()) {
                    case ERROR -> TopTone.FAILED;
                    case INIT -> TopTone.WAITING;
                    default -> TopTone.RUNNING;
                },
                List.of(
                        TopText.line(namespace),
                        TopText.line(process.id()),
                        process.status().name().toLowerCase(Locale.ROOT),
                        TopText.age(process.statusChanged(), now),
                        TopText.count(process.queued()),
                        TopText.count(process.lastEventId()),
                        TopText.age(process.timer(), now),
                        TopText.line(process.detail())));
    }

    @Override
    public List<String> details(TopRow row, Instant now) {
        ProcessState state = processes.get(row.place(), row.id(), HistoryRange.last(EVENTS));
        List<String> lines = new ArrayList<>(TopText.pairs(
                "process",
                row.id(),
                "namespace",
                row.place(),
                "status",
                state.status().name().toLowerCase(Locale.ROOT)));
        TopText.add(lines, processes.why(row.place(), row.id()));
        TopText.add(lines, "Detail", detail(row));
        StringBuilder events = new StringBuilder();
        state.history()
                .forEach(each -> events.append(each.id())
                        .append("  ")
                        .append(TopText.time(each.timestamp()))
                        .append("  ")
                        .append(TopText.line(each.payload().text()))
                        .append('\n'));
        TopText.add(lines, "Last events", events.toString());
        return lines;
    }

    private static @Nullable String detail(TopRow row) {
        return row.cells().get(row.cells().size() - 1);
    }

    @Override
    public TopAction action(TopVerb verb, TopRow row) {
        String process = "process " + TopText.line(row.id());
        return switch (verb) {
            case RETRY ->
                new TopAction(
                        "Repair " + process + " without its processor? The timer that broke it runs again.", () -> {
                            client.simpleRepair(
                                    Request.of(row.place(), row.id()).timeout(WAIT));
                            return "Process " + TopText.line(row.id()) + " is repaired, or its timer runs again.";
                        });
            case CANCEL -> TopAction.refused("Processes are not cancelled; \"howdah process remove\" removes one.");
            case PAUSE -> TopAction.refused("Processes are not paused.");
        };
    }
}
