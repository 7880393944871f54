package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Routes;

/** The pages and actions of queues by their paths. */
public final class QueuePages {
    private QueuePages() {}

    public static void add(ConsoleData data, Routes<PageController> pages, Routes<PageAction> actions) {
        ConsoleQueries queries = new ConsoleQueries(data.source(), data.schema());
        pages.add("/jobs/queues", Role.VIEWER, new QueuesPage(data, queries));
        pages.add("/jobs/queues/{queue}", Role.VIEWER, new QueuePageController(data, queries));
        QueueActions queue = new QueueActions(data);
        String path = "/jobs/queues/{queue}/";
        actions.add(path + "pause", Role.OPERATOR, queue.pause());
        actions.add(path + "resume", Role.OPERATOR, queue.resume());
        actions.add(path + "run-retries-now", Role.OPERATOR, queue.runRetriesNow());
        actions.add(path + "limit", Role.OPERATOR, queue.limit());
        actions.add(path + "rate-limit", Role.OPERATOR, queue.rate());
        actions.add(path + "share", Role.OPERATOR, queue.share());
        actions.add(path + "age", Role.OPERATOR, queue.age());
        actions.add(path + "remove-limit", Role.OPERATOR, queue.remove());
    }

    /** The path of a queue. */
    public static String path(String queue) {
        return "/jobs/queues/" + PageRequest.encoded(queue);
    }
}
