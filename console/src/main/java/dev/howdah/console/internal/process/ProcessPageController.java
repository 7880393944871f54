package dev.howdah.console.internal.process;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.health.Cause;
import dev.howdah.process.Event;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.query.TraceEntry;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One process: {@code /processes/{namespace}/{id}?before=}. */
public final class ProcessPageController implements PageController {
    /** Tasks that are shown, the newest ones. */
    private static final int TASKS = 200;

    /** Events of a page. */
    private static final int EVENTS = 100;

    private final ConsoleData data;

    ProcessPageController(ConsoleData data) {
        this.data = data;
    }

    /** What the template of the status shows. */
    public record State(ProcessState process, List<Cause> causes, String path) {
        public boolean isBroken() {
            return process.status() == ProcessStatus.ERROR;
        }

        /** Whether its notices wait for a decision. */
        public boolean isNoticeBlocked() {
            return causes.stream().anyMatch(each -> each.code().equals("notice-held"));
        }

        /** What a repair without the processor does. */
        public String simpleRepair() {
            return process.corruptedBy() == null
                    ? "Repair process " + process.id() + " without its processor? It goes on as it is."
                    : "Repair process " + process.id()
                            + " without its processor? The timer that broke it runs again, and it goes on if that succeeds.";
        }
    }

    /** What the template of the forms shows. */
    public record Ask(ProcessStatus status, String path) {}

    /**
     * What the template of the tasks shows.
     *
     * @param tasks the newest ones, in order
     * @param isCut whether there may be earlier ones
     */
    public record Tasks(List<TraceEntry> tasks, boolean isCut, Timeline timeline) {}

    /**
     * What the template of the events shows.
     *
     * @param earlier the address of the page with the events before these; null: these are the first ones
     */
    public record Events(List<Event> events, @Nullable String earlier, boolean isNewest) {}

    @Override
    public Page page(PageRequest request) {
        String namespace = request.name("namespace");
        String id = request.name("id");
        boolean paged = request.text("before") != null;
        long before = request.number("before", 0, 0, Long.MAX_VALUE);
        HistoryRange range = paged ? HistoryRange.before(before, EVENTS) : HistoryRange.last(EVENTS);
        return new Page(
                "Process " + id,
                Section.PROCESSES,
                new Part("process", "process.jte", () -> state(namespace, id)),
                new Part("ask", "process-ask.jte", () -> ask(namespace, id)),
                new Part("tasks", "process-tasks.jte", () -> tasks(namespace, id)),
                new Part("events", "process-events.jte", () -> events(request, namespace, id, range)),
                new Part("more", "process-more.jte", () -> read(namespace, id, HistoryRange.NONE)));
    }

    private ProcessState read(String namespace, String id, HistoryRange range) {
        return ProcessPages.found(namespace, id, () -> data.processes().get(namespace, id, range));
    }

    private State state(String namespace, String id) {
        return new State(
                read(namespace, id, HistoryRange.NONE),
                data.processes().why(namespace, id),
                ProcessPages.path(namespace, id));
    }

    private Ask ask(String namespace, String id) {
        return new Ask(read(namespace, id, HistoryRange.NONE).status(), ProcessPages.path(namespace, id));
    }

    private Tasks tasks(String namespace, String id) {
        ProcessReader reader = data.processes();
        List<TraceEntry> tasks = ProcessPages.found(namespace, id, () -> reader.trace(namespace, id, TASKS));
        List<Event> events = read(namespace, id, HistoryRange.last(EVENTS)).history();
        return new Tasks(tasks, tasks.size() >= TASKS, Timeline.of(tasks, events, Instant.now()));
    }

    private Events events(PageRequest request, String namespace, String id, HistoryRange range) {
        List<Event> events = read(namespace, id, range).history();
        String earlier = events.size() < EVENTS
                ? null
                : request.with(
                        "before", Long.toString(events.get(events.size() - 1).id()));
        return new Events(events, earlier, range.offset() == null);
    }
}
