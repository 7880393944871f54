package dev.howdah.console.internal.page;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The processes of a namespace, in the order of their ids: {@code /processes/{namespace}?status=&after=&limit=}. */
public final class ProcessListPage implements PageController {
    private final ConsoleData data;

    ProcessListPage(ConsoleData data) {
        this.data = data;
    }

    /** What the template shows. */
    public record Model(
            String namespace,
            List<Tab> tabs,
            List<ProcessSummary> processes,
            @Nullable String next) {}

    @Override
    public Page page(PageRequest request) {
        String namespace = request.name("namespace");
        ProcessStatus status = request.choice("status", ProcessStatus.class);
        int limit = (int) request.number("limit", 50, 1, 200);
        String after = request.text("after");
        return new Page(
                "Processes of " + namespace,
                Section.PROCESSES,
                new Part("processes", "processes.jte", () -> model(request, namespace, status, limit, after)));
    }

    private Model model(
            PageRequest request, String namespace, @Nullable ProcessStatus status, int limit, @Nullable String after) {
        ProcessQuery query = ProcessQuery.of(namespace).status(status).limit(limit);
        if (after != null) query = query.after(after);
        List<ProcessSummary> found;
        try {
            found = data.processes().list(query);
        } catch (ProcessException e) {
            if (e.reason() == ProcessException.Reason.NAMESPACE_NOT_FOUND)
                throw new NotFoundException("There is no namespace \"" + namespace + "\".");
            throw e;
        }
        List<Tab> tabs = new ArrayList<>();
        tabs.add(new Tab(null, request.with("status", null), null, null, status == null));
        for (ProcessStatus each : ProcessStatus.values())
            tabs.add(new Tab(
                    StateBadge.of(each),
                    request.with("status", each.name().toLowerCase(java.util.Locale.ROOT)),
                    null,
                    null,
                    each == status));
        String next = found.size() < limit
                ? null
                : Pager.next(request, found.get(limit - 1).id());
        return new Model(namespace, tabs, found, next);
    }
}
