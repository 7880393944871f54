package dev.howdah.console.internal.process;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.list.ListLinks;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.page.Tab;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.listed.ProcessLists;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.notice.BlockedNotice;
import dev.howdah.process.notice.NoticeBacklog;
import dev.howdah.process.query.PendingTimer;
import dev.howdah.process.query.ProcessOrder;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a namespace, its next timers, its blocked notices, or the form of a new process: {@code
 * /processes/{namespace}?view=list|timers|notices|new&status=&prefix=&sort=&after=&limit=}.
 */
public final class ProcessListPage implements PageController {
    private static final int TIMERS = 200;
    private static final int NOTICES = 200;

    private final ConsoleData data;

    ProcessListPage(ConsoleData data) {
        this.data = data;
    }

    private enum View {
        LIST,
        TIMERS,
        NOTICES,
        NEW
    }

    /**
     * What the template of the list shows.
     *
     * @param isSearched whether the page was ended by the bound on the processes that are looked at
     */
    public record Model(
            String namespace,
            List<Tab> tabs,
            Pager.Column byId,
            Pager.Column byStart,
            @Nullable ProcessStatus status,
            @Nullable String prefix,
            List<ProcessSummary> processes,
            boolean isSearched,
            boolean isBackwards,
            ListLinks links) {
        public String path() {
            return ProcessPages.path(namespace);
        }

        /** The parameters of the list that are its filter. */
        public List<String> filterNames() {
            return ChangeProcesses.FILTER;
        }

        /** What stands beside the box for all. */
        public String all() {
            return status == null && prefix == null ? "All processes" : "All that match this filter";
        }

        /** The names of the actions for these processes, and the words of their buttons. */
        public Map<String, String> actions() {
            return ChangeProcesses.actions(status);
        }
    }

    /** What the template of the timers shows. */
    public record Timers(String namespace, List<PendingTimer> timers, boolean isAll) {}

    /** What the template of the notices shows. */
    public record Notices(String namespace, NoticeBacklog backlog, List<BlockedNotice> blocked) {
        /** How many notices wait, for people. */
        public String waiting() {
            return Numbers.count(backlog.waiting());
        }
    }

    /** What the template of the form shows. */
    public record Form(String namespace, String path) {}

    @Override
    public Page page(PageRequest request) {
        String namespace = request.name("namespace");
        View chosen = request.choice("view", View.class);
        View view = chosen == null ? View.LIST : chosen;
        String title = "Processes of " + namespace;
        return switch (view) {
            case LIST -> list(request, namespace, title);
            case TIMERS ->
                new Page(title, Section.PROCESSES, new Part("timers", "process-timers.jte", () -> timers(namespace)));
            case NOTICES ->
                new Page(
                        title, Section.PROCESSES, new Part("notices", "process-notices.jte", () -> notices(namespace)));
            case NEW ->
                new Page(
                                "New process of " + namespace,
                                Section.PROCESSES,
                                new Part(
                                        "form",
                                        "process-new.jte",
                                        () -> new Form(namespace, ProcessPages.path(namespace))))
                        .still();
        };
    }

    private Page list(PageRequest request, String namespace, String title) {
        request.call(ProcessLists.PROCESSES, data);
        return new Page(
                title, Section.PROCESSES, new Part("processes", "processes.jte", () -> model(request, namespace)));
    }

    static ProcessQuery query(PageRequest request, String namespace) {
        try {
            return ProcessLists.query(namespace, ProcessLists.PROCESSES.check(name -> namespace, request::text));
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    private Model model(PageRequest request, String namespace) {
        ListCall call = request.call(ProcessLists.PROCESSES, data);
        ProcessQuery query = query(request, namespace);
        ProcessOrder order = ProcessLists.PROCESSES.order(call, ProcessOrder.class);
        ListPage<ProcessSummary> page = request.read(ProcessLists.PROCESSES, data);
        List<Tab> tabs = new ArrayList<>();
        tabs.add(new Tab(null, request.with("status", null), null, query.status() == null));
        for (ProcessStatus each : ProcessStatus.values())
            tabs.add(new Tab(
                    StateBadge.of(each),
                    request.with("status", each.name().toLowerCase(Locale.ROOT)),
                    null,
                    each == query.status()));
        return new Model(
                namespace,
                tabs,
                Pager.column(request, "Id", order, ProcessOrder.ID, ProcessOrder.REVERSE_ID, true),
                Pager.column(request, "Started", order, ProcessOrder.NEWEST, ProcessOrder.OLDEST, false),
                query.status(),
                request.text("prefix"),
                page.rows(),
                page.rows().size() < call.limit() && page.beside().next() != null,
                call.isBackwards(),
                ListLinks.of(page.beside(), request));
    }

    private Timers timers(String namespace) {
        List<PendingTimer> timers =
                ProcessPages.found(namespace, "", () -> data.processes().timers(namespace, TIMERS));
        return new Timers(namespace, timers, timers.size() < TIMERS);
    }

    private Notices notices(String namespace) {
        return ProcessPages.found(
                namespace,
                "",
                () -> new Notices(
                        namespace,
                        data.notices().backlog(namespace),
                        data.notices().held(namespace, NOTICES)));
    }
}
