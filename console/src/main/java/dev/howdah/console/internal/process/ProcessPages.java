package dev.howdah.console.internal.process;

import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.process.ProcessException;
import java.util.function.Supplier;

/** The pages and actions of processes by their paths. */
public final class ProcessPages {
    private ProcessPages() {}

    public static void add(ConsoleData data, BulkRuns runs, Routes<PageController> pages, Routes<PageAction> actions) {
        EngineReads queries = new EngineReads(data.source(), data.schema());
        pages.add("/processes", Role.VIEWER, new NamespacesPage(data, queries));
        pages.add("/processes/{namespace}", Role.VIEWER, new ProcessListPage(data));
        pages.add("/processes/{namespace}/{id}", Role.VIEWER, new ProcessPageController(data));
        ProcessActions process = new ProcessActions(data);
        actions.add("/processes/{namespace}", Role.SUBMITTER, process.start());
        actions.add("/processes/{namespace}/change", Role.OPERATOR, new ChangeProcesses(data, runs));
        actions.add("/processes/{namespace}/{id}/call", Role.OPERATOR, process.call());
        actions.add("/processes/{namespace}/{id}/notify", Role.OPERATOR, process.send());
        actions.add("/processes/{namespace}/{id}/repair", Role.OPERATOR, process.repair());
        actions.add("/processes/{namespace}/{id}/simple-repair", Role.OPERATOR, process.simpleRepair());
        actions.add("/processes/{namespace}/{id}/remove", Role.ADMINISTRATOR, process.remove());
    }

    /** The path of a namespace. */
    public static String path(String namespace) {
        return "/processes/" + PageRequest.encoded(namespace);
    }

    /** The path of a process. */
    public static String path(String namespace, String id) {
        return path(namespace) + "/" + PageRequest.encoded(id);
    }

    /** Reads, and says which namespace or process does not exist. */
    static <T> T found(String namespace, String id, Supplier<T> read) {
        try {
            return read.get();
        } catch (ProcessException e) {
            if (e.reason() == ProcessException.Reason.NAMESPACE_NOT_FOUND)
                throw new NotFoundException("There is no namespace \"" + namespace + "\".");
            if (e.reason() == ProcessException.Reason.PROCESS_NOT_FOUND)
                throw new NotFoundException(
                        "There is no process \"" + id + "\" in namespace \"" + namespace + "\", or it was removed.");
            throw e;
        }
    }
}
