package dev.howdah.console.internal.node;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;

/** The pages of nodes by their paths. */
public final class NodePages {
    private NodePages() {}

    public static void add(ConsoleData data, Routes<PageController> pages) {
        EngineReads queries = new EngineReads(data.source(), data.schema());
        pages.add("/nodes", Role.VIEWER, new NodesPage(data));
        pages.add("/nodes/{id}", Role.VIEWER, new NodePageController(data, queries));
    }

    /** The path of a node. */
    public static String path(int id) {
        return "/nodes/" + id;
    }
}
