package dev.howdah.process.client;

import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.Request;
import dev.howdah.process.query.ProcessPage;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * The same request to many processes, one after the other: each is asked of the nodes of its namespace.
 *
 * <pre>{@code
 * ManyProcesses repair = ManyProcesses.of(client, ProcessClient::simpleRepair);
 * repair.all(reader, ProcessQuery.of("order").status(ProcessStatus.ERROR), changed -> true);
 * }</pre>
 *
 * <p>As safe for use by many threads as its client.
 */
public final class ManyProcesses {
    private static final int PAGE = 500;
    private static final Duration WAIT = Duration.ofSeconds(20);

    private final ProcessClient client;
    private final BiConsumer<ProcessClient, Request> request;

    private ManyProcesses(ProcessClient client, BiConsumer<ProcessClient, Request> request) {
        this.client = client;
        this.request = request;
    }

    /** Requests of that client, such as {@code ProcessClient::remove}. Each is waited for 20 seconds at most. */
    public static ManyProcesses of(ProcessClient client, BiConsumer<ProcessClient, Request> request) {
        return new ManyProcesses(client, request);
    }

    /**
     * Asks all processes that a query finds, in its order.
     *
     * @param progress called after each process with whether it was changed; false ends it
     * @throws ProcessException if no node answers, or the database cannot be reached: other processes would not be changed either
     */
    public void all(ProcessReader reader, ProcessQuery query, Predicate<Boolean> progress) {
        for (ProcessQuery next = query.limit(PAGE); next != null; ) {
            ProcessPage page = reader.page(next);
            List<String> ids = page.processes().stream().map(ProcessSummary::id).toList();
            if (!each(query.namespace(), ids, progress)) return;
            next = page.next();
        }
    }

    /**
     * Asks the processes of a namespace that have these ids.
     *
     * @param progress called after each process with whether it was changed; false ends it
     * @return whether it came to its end
     * @throws ProcessException if no node answers, or the database cannot be reached: other processes would not be changed either
     */
    public boolean each(String namespace, List<String> ids, Predicate<Boolean> progress) {
        for (String id : ids)
            if (!progress.test(isChanged(Request.of(namespace, id).timeout(WAIT)))) return false;
        return true;
    }

    private boolean isChanged(Request asked) {
        try {
            request.accept(client, asked);
            return true;
        } catch (ProcessException e) {
            return switch (e.reason()) {
                case TIMEOUT, DATABASE, CLOSED, INTERRUPTED, NAMESPACE_NOT_FOUND -> throw e;
                default -> false;
            };
        }
    }

    /**
     * Counts the processes that a query finds, page by page.
     *
     * @param most where counting ends, 1 or more
     * @return the number; more than {@code most} if there are more
     */
    public static long count(ProcessReader reader, ProcessQuery query, long most) {
        long count = 0;
        for (ProcessQuery next = query.limit(2 * PAGE); next != null && count <= most; ) {
            ProcessPage page = reader.page(next);
            count += page.processes().size();
            next = page.next();
        }
        return count;
    }
}
