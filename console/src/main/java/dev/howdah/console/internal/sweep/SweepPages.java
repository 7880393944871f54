package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Routes;

/** The pages and actions of sweeps by their paths. */
public final class SweepPages {
    private SweepPages() {}

    public static void add(ConsoleData data, Routes<PageController> pages, Routes<PageAction> actions) {
        ConsoleQueries queries = new ConsoleQueries(data.source(), data.schema());
        pages.add("/sweeps", new SweepsPage(data, queries));
        pages.add("/sweeps/{name}", new SweepPageController(data, queries));
        SweepActions sweep = new SweepActions(data);
        actions.add("/sweeps/{name}/pause", sweep.pause());
        actions.add("/sweeps/{name}/resume", sweep.resume());
        actions.add("/sweeps/{name}/stop", sweep.stop());
        actions.add("/sweeps/{name}/throttle", sweep.throttle());
        actions.add("/sweeps/{name}/retry-failed", sweep.retryFailed());
        actions.add("/sweeps/{name}/remove", sweep.remove().forAdministrators());
    }

    /** The path of a sweep. */
    public static String path(String name) {
        return "/sweeps/" + PageRequest.encoded(name);
    }
}
