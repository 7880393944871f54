package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;

/** The pages of queues by their paths. */
public final class QueuePages {
    private QueuePages() {}

    public static void add(ConsoleData data, Routes<PageController> pages) {
        EngineReads queries = new EngineReads(data.source(), data.schema());
        pages.add("/jobs/queues", Role.VIEWER, new QueuesPage(data, queries));
        pages.add("/jobs/queues/{queue}", Role.VIEWER, new QueuePageController(data, queries));
    }

    /** The path of a queue. */
    public static String path(String queue) {
        return "/jobs/queues/" + PageRequest.encoded(queue);
    }
}
