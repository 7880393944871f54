package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Routes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pages and actions of sweeps by their paths. */
public final class SweepPages {
    private SweepPages() {}

    /** @param launcher null: none can be started */
    public static void add(
            ConsoleData data,
            @Nullable SweepLauncher launcher,
            Routes<PageController> pages,
            Routes<PageAction> actions) {
        ConsoleQueries queries = new ConsoleQueries(data.source(), data.schema());
        pages.add("/sweeps", new SweepsPage(data, queries));
        if (launcher != null) {
            SweepFormPage form = new SweepFormPage(launcher);
            PageAction start = new StartSweep(launcher).forAdministrators();
            for (String path : List.of("/sweeps/new", "/sweeps/{name}/start")) {
                pages.add(path, form);
                actions.add(path, start);
            }
        }
        pages.add(
                "/sweeps/{name}", new SweepPageController(data, queries, launcher == null ? null : launcher.started()));
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
