package dev.howdah.process.query;

import dev.howdah.process.ProcessStatus;
import dev.howdah.process.internal.store.PageSize;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page of the processes of a namespace, in the order of their ids. Immutable.
 *
 * <pre>{@code
 * List<ProcessSummary> page = processes.list(ProcessQuery.of("payments").status(ProcessStatus.ERROR).limit(100));
 * }</pre>
 */
public final class ProcessQuery {
    private final String namespace;
    private final @Nullable ProcessStatus status;
    private final String after;
    private final int limit;

    private ProcessQuery(String namespace, @Nullable ProcessStatus status, String after, int limit) {
        this.namespace = Objects.requireNonNull(namespace, "namespace");
        this.status = status;
        this.after = after;
        this.limit = limit;
    }

    /** Makes a query for the first 10,000 processes of a namespace. */
    public static ProcessQuery of(String namespace) {
        return new ProcessQuery(namespace, null, "", PageSize.MOST);
    }

    /** Returns a query for processes in that status; null: in any. */
    public ProcessQuery status(@Nullable ProcessStatus only) {
        return new ProcessQuery(namespace, only, after, limit);
    }

    /** Returns a query for processes whose ids come after that one: the last of the page before. */
    public ProcessQuery after(String id) {
        return new ProcessQuery(namespace, status, Objects.requireNonNull(id, "id"), limit);
    }

    /**
     * Returns a query for a page of that size.
     *
     * @param most 1 to 10,000
     * @throws IllegalArgumentException if the number is out of its bounds
     */
    public ProcessQuery limit(int most) {
        return new ProcessQuery(namespace, status, after, PageSize.checked(most));
    }

    public String namespace() {
        return namespace;
    }

    /** Returns the status of the processes; null: any. */
    public @Nullable ProcessStatus status() {
        return status;
    }

    /** Returns the id after which the page begins; empty: at the first. */
    public String after() {
        return after;
    }

    /** Returns the size of the page. */
    public int limit() {
        return limit;
    }
}
