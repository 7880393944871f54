package dev.howdah.console.internal.overview;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.console.internal.task.TaskTables;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;

/** The pages about all features together by their paths. */
public final class OverviewPages {
    private OverviewPages() {}

    public static void add(ConsoleData data, Routes<PageController> pages) {
        EngineReads queries = new EngineReads(data.source(), data.schema());
        TaskTables tables = new TaskTables(data);
        pages.add("/", Role.VIEWER, new OverviewPage(data, queries, tables));
        pages.add("/search", Role.VIEWER, new SearchPage(data, queries, tables));
        pages.add("/database", Role.VIEWER, new DatabasePage(data));
    }
}
