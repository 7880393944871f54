package dev.howdah.console.internal.page;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.view.Timeline;
import dev.howdah.health.Cause;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.ProcessState;
import dev.howdah.process.query.TraceEntry;
import java.util.List;

/** One process: {@code /processes/{namespace}/{id}}. */
public final class ProcessPageController implements PageController {
    /** Events and tasks that are shown, the newest ones. */
    private static final int SHOWN = 200;

    private final ConsoleData data;

    ProcessPageController(ConsoleData data) {
        this.data = data;
    }

    /**
     * What the template shows.
     *
     * @param history the newest events, the newest first
     * @param tasks the newest tasks, in order
     * @param hidden how many tasks there are before them
     */
    public record Model(
            ProcessState process, List<Cause> causes, List<TraceEntry> tasks, int hidden, Timeline timeline) {}

    @Override
    public Page page(PageRequest request) {
        String namespace = request.name("namespace");
        String id = request.name("id");
        return new Page(
                "Process " + id, Section.PROCESSES, new Part("process", "process.jte", () -> model(namespace, id)));
    }

    private Model model(String namespace, String id) {
        ProcessReader reader = data.processes();
        try {
            ProcessState process = reader.get(namespace, id, HistoryRange.last(SHOWN));
            List<TraceEntry> trace = reader.trace(namespace, id);
            int hidden = Math.max(0, trace.size() - SHOWN);
            List<TraceEntry> tasks = trace.subList(hidden, trace.size());
            return new Model(process, reader.why(namespace, id), tasks, hidden, Timeline.of(tasks));
        } catch (ProcessException e) {
            if (e.reason() == ProcessException.Reason.NAMESPACE_NOT_FOUND
                    || e.reason() == ProcessException.Reason.PROCESS_NOT_FOUND)
                throw new NotFoundException(
                        "There is no process \"" + id + "\" in namespace \"" + namespace + "\", or it was removed.");
            throw e;
        }
    }
}
