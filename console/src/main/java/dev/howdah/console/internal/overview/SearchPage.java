package dev.howdah.console.internal.overview;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.queue.QueuePages;
import dev.howdah.console.internal.schedule.SchedulePages;
import dev.howdah.console.internal.task.TaskTables;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.job.Schedules;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.Installed;
import dev.howdah.operations.value.PayloadText;
import dev.howdah.process.query.NamespaceSummary;
import dev.howdah.sweep.SweepProgress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a search leads to: {@code /search?q=}. */
public final class SearchPage implements PageController {
    private static final List<String> STATES = List.of("failed", "retrying", "waiting", "planned", "running", "done");

    private final ConsoleData data;
    private final EngineReads queries;
    private final TaskTables tables;

    public SearchPage(ConsoleData data, EngineReads queries, TaskTables tables) {
        this.data = data;
        this.queries = queries;
        this.tables = tables;
    }

    /** A place that the search leads to. */
    public record Hit(String text, String path) {}

    /** What the template shows. */
    public record Model(@Nullable String query, List<Hit> hits) {}

    @Override
    public Page page(PageRequest request) {
        String wanted = request.text("q");
        return new Page("Search", Section.OVERVIEW, new Part("hits", "search.jte", () -> model(wanted)));
    }

    private Model model(@Nullable String wanted) {
        return new Model(wanted, wanted == null ? List.of() : find(wanted));
    }

    /** The places that a text leads to. */
    public List<Hit> find(String wanted) {
        List<Hit> hits = new ArrayList<>();
        Installed installed = queries.installed();
        String coded = PageRequest.encoded(wanted);
        if (PayloadText.isField(wanted)) byPayload(wanted, installed, hits);
        if (wanted.matches("\\d{1,18}")) byId(Long.parseLong(wanted), installed, hits);
        else if (wanted.matches("(key|tag|queue):.+")) byField(wanted, installed, hits);
        else byName(wanted, installed, hits);
        for (TableName table : tables.all())
            hits.add(new Hit(
                    "Tasks of " + table.text() + " with \"" + wanted + "\" in input, output or error",
                    "/tasks?table=" + PageRequest.encoded(table.text()) + "&text=" + coded));
        if (installed.jobs())
            hits.add(new Hit("Failed jobs with \"" + wanted + "\" in the error", "/jobs?state=failed&error=" + coded));
        return hits;
    }

    private void byId(long id, Installed installed, List<Hit> hits) {
        for (TableName table : tables.all())
            data.tasks(table)
                    .state(id)
                    .ifPresent(state -> hits.add(new Hit(
                            "Task " + id + " of " + table.text() + ": " + word(state), tables.path(table, id))));
        if (installed.jobs())
            data.jobs()
                    .find(id)
                    .ifPresent(job -> hits.add(new Hit(
                            "Job " + id + ": " + job.kind() + " in queue " + job.queue() + ", " + word(job.state()),
                            "/jobs/" + id)));
    }

    private static String word(Enum<?> state) {
        return StateBadge.of(state).word();
    }

    private static void byField(String wanted, Installed installed, List<Hit> hits) {
        if (!installed.jobs()) return;
        String field = wanted.substring(0, wanted.indexOf(':'));
        String value = wanted.substring(wanted.indexOf(':') + 1);
        for (String state : STATES)
            hits.add(new Hit(
                    state + " jobs with " + field + " " + value,
                    "/jobs?state=" + state + "&" + field + "=" + PageRequest.encoded(value)));
    }

    private static void byPayload(String wanted, Installed installed, List<Hit> hits) {
        if (!installed.jobs()) return;
        for (String state : STATES)
            hits.add(new Hit(
                    state + " jobs with " + wanted + " in the payload",
                    "/jobs?state=" + state + "&payload=" + PageRequest.encoded(wanted)));
    }

    private void byName(String wanted, Installed installed, List<Hit> hits) {
        if (installed.jobs())
            for (QueueSummary queue : data.jobs().queues(1))
                if (queue.name().contains(wanted))
                    hits.add(new Hit("Queue " + queue.name(), QueuePages.path(queue.name())));
        if (installed.jobs())
            for (Schedules.Entry schedule : data.schedules().all())
                if (schedule.name().contains(wanted))
                    hits.add(new Hit("Schedule " + schedule.name(), SchedulePages.path(schedule.name())));
        if (installed.sweeps())
            for (SweepProgress sweep : data.sweeps().list())
                if (sweep.name().contains(wanted))
                    hits.add(new Hit("Sweep " + sweep.name(), "/sweeps/" + PageRequest.encoded(sweep.name())));
        if (installed.processes())
            for (NamespaceSummary namespace : data.processes().namespaces())
                hits.add(new Hit(
                        "Process " + wanted + " of " + namespace.name() + ", if there is one",
                        "/processes/" + PageRequest.encoded(namespace.name()) + "/" + PageRequest.encoded(wanted)));
    }
}
