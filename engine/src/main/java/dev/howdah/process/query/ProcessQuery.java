package dev.howdah.process.query;

import dev.howdah.process.ProcessStatus;
import dev.howdah.process.internal.store.PageSize;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page of the processes of a namespace, in the order of their ids unless another is given. Immutable.
 *
 * <pre>{@code
 * List<ProcessSummary> page = processes.list(ProcessQuery.of("payments").status(ProcessStatus.ERROR).limit(100));
 * }</pre>
 */
public final class ProcessQuery {
    /** How many processes a page looks at. */
    public static final int SEARCHED = 20_000;

    private final String namespace;
    private final @Nullable ProcessStatus status;
    private final String prefix;
    private final ProcessOrder order;
    private final String after;
    private final int limit;

    private ProcessQuery(
            String namespace,
            @Nullable ProcessStatus status,
            String prefix,
            ProcessOrder order,
            String after,
            int limit) {
        if (isByStart(order) && !after.isEmpty() && !after.matches("\\d{1,18}"))
            throw new IllegalArgumentException("no place in a list by the time of start: \"" + after + "\"");
        this.namespace = Objects.requireNonNull(namespace, "namespace");
        this.status = status;
        this.prefix = prefix;
        this.order = order;
        this.after = after;
        this.limit = limit;
    }

    /** Makes a query for the first 10,000 processes of a namespace. */
    public static ProcessQuery of(String namespace) {
        return new ProcessQuery(namespace, null, "", ProcessOrder.ID, "", PageSize.MOST);
    }

    /** Returns a query for processes in that status; null: in any. */
    public ProcessQuery status(@Nullable ProcessStatus only) {
        return new ProcessQuery(namespace, only, prefix, order, after, limit);
    }

    /**
     * Returns a query for processes whose ids begin with that text; empty: all. Of the processes whose ids come after it, or after
     * {@link #after}, the first {@value #SEARCHED} are looked at, so that a page costs little in a large namespace too.
     */
    public ProcessQuery prefix(String text) {
        return new ProcessQuery(namespace, status, Objects.requireNonNull(text, "prefix"), order, after, limit);
    }

    /**
     * Returns a query for the page that begins there: after the process with that id, the last of the page before, or where
     * {@link ProcessPage#next} says in a list by the time of start.
     *
     * @throws IllegalArgumentException if no page by the time of start begins there
     */
    public ProcessQuery after(String place) {
        return new ProcessQuery(namespace, status, prefix, order, Objects.requireNonNull(place, "place"), limit);
    }

    /** Returns a query for the first page in that order. */
    public ProcessQuery order(ProcessOrder chosen) {
        return new ProcessQuery(namespace, status, prefix, Objects.requireNonNull(chosen, "order"), "", limit);
    }

    /**
     * Returns a query for a page of that size.
     *
     * @param most 1 to 10,000
     * @throws IllegalArgumentException if the number is out of its bounds
     */
    public ProcessQuery limit(int most) {
        return new ProcessQuery(namespace, status, prefix, order, after, PageSize.checked(most));
    }

    public String namespace() {
        return namespace;
    }

    /** Returns the status of the processes; null: any. */
    public @Nullable ProcessStatus status() {
        return status;
    }

    /** Returns the text with which the ids begin; empty: any. */
    public String prefix() {
        return prefix;
    }

    /** Returns the order of the list. */
    public ProcessOrder order() {
        return order;
    }

    /** Returns whether an order goes by the time of start. */
    private static boolean isByStart(ProcessOrder order) {
        return order == ProcessOrder.NEWEST || order == ProcessOrder.OLDEST;
    }

    /** Returns where the page begins; empty: at the first process. */
    public String after() {
        return after;
    }

    /** Returns the size of the page. */
    public int limit() {
        return limit;
    }
}
