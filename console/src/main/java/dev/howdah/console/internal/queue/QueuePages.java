package dev.howdah.console.internal.queue;

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
        pages.add("/jobs/queues", new QueuesPage(data, queries));
        pages.add("/jobs/queues/{queue}", new QueuePageController(data, queries));
        QueueActions queue = new QueueActions(data);
        String path = "/jobs/queues/{queue}/";
        actions.add(path + "pause", queue.pause());
        actions.add(path + "resume", queue.resume());
        actions.add(path + "run-retries-now", queue.runRetriesNow());
        actions.add(path + "limit", queue.limit());
        actions.add(path + "rate-limit", queue.rate());
        actions.add(path + "share", queue.share());
        actions.add(path + "age", queue.age());
        actions.add(path + "remove-limit", queue.remove());
    }

    /** The path of a queue. */
    public static String path(String queue) {
        return "/jobs/queues/" + PageRequest.encoded(queue);
    }
}
