package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;
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
        EngineReads queries = new EngineReads(data.source(), data.schema());
        pages.add("/sweeps", Role.VIEWER, new SweepsPage(data, queries));
        if (launcher != null) {
            SweepFormPage form = new SweepFormPage(launcher);
            PageAction start = new StartSweep(launcher);
            for (String path : List.of("/sweeps/new", "/sweeps/{name}/start")) {
                pages.add(path, Role.ADMINISTRATOR, form);
                actions.add(path, Role.ADMINISTRATOR, start);
            }
        }
        pages.add(
                "/sweeps/{name}",
                Role.VIEWER,
                new SweepPageController(data, queries, launcher == null ? null : launcher.started()));
    }

    /** The path of a sweep. */
    public static String path(String name) {
        return "/sweeps/" + PageRequest.encoded(name);
    }
}
