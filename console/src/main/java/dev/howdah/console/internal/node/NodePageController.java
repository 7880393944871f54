package dev.howdah.console.internal.node;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.view.ServedWords;
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.Installed;
import dev.howdah.operations.read.Node;
import dev.howdah.operations.read.WorkedProcess;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One node: {@code /nodes/{id}}. */
public final class NodePageController implements PageController {
    private static final int RUNNING = 20;
    private static final int ENDED = 10;

    private final ConsoleData data;
    private final EngineReads queries;

    NodePageController(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template of its state shows.
     *
     * @param slots how many jobs it runs at the same time; null: it has not written that down, or runs none
     * @param namespaces of processes, and how many of each it works on at the same time
     * @param version of its program; null: of an earlier one, or unpacked
     * @param processes that it works on
     */
    public record State(
            Node node,
            @Nullable Integer slots,
            List<String> queues,
            List<String> kinds,
            Map<String, String> namespaces,
            @Nullable String version,
            List<WorkedProcess> processes) {}

    /** What the template of its jobs shows. */
    public record Work(int node, JobPage running, JobPage done, JobPage failed) {
        /** The path of the list of its jobs in that state. */
        public String path(JobState state) {
            return "/jobs?state=" + state.name().toLowerCase(Locale.ROOT) + "&node=" + node;
        }
    }

    @Override
    public Page page(PageRequest request) {
        int id = (int) PageRequest.number("id", request.name("id"), 1, Integer.MAX_VALUE);
        return new Page(
                "Node " + id,
                Section.NODES,
                new Part("node", "node.jte", () -> state(id)),
                new Part("work", "node-work.jte", () -> work(id)));
    }

    private State state(int id) {
        Installed installed = queries.installed();
        Node node = queries.node(id, installed)
                .orElseThrow(() -> new NotFoundException("There is no node " + id
                        + " now: a node is listed while it runs, and after a crash until its jobs are recovered."
                        + " /jobs?state=done&node=" + id + " lists jobs that it has ended."));
        return new State(
                node,
                ServedWords.slots(node.serves()),
                ServedWords.queues(node.serves()),
                ServedWords.kinds(node.serves()),
                ServedWords.namespaces(node.serves()),
                node.version(),
                installed.processes() ? queries.processesOf(id) : List.of());
    }

    private Work work(int id) {
        JobPage none = new JobPage(List.of(), null, null, null);
        if (!queries.installed().jobs()) return new Work(id, none, none, none);
        return new Work(
                id,
                data.jobs().search(JobQuery.in(JobState.RUNNING).node(id).limit(RUNNING)),
                data.jobs().search(JobQuery.in(JobState.DONE).node(id).limit(ENDED)),
                data.jobs().search(JobQuery.in(JobState.FAILED).node(id).limit(ENDED)));
    }
}
