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
    /** How many processes {@link #prefix} looks at. */
    public static final int SEARCHED = 20_000;

    private final String namespace;
    private final @Nullable ProcessStatus status;
    private final String prefix;
    private final String after;
    private final int limit;

    private ProcessQuery(String namespace, @Nullable ProcessStatus status, String prefix, String after, int limit) {
        this.namespace = Objects.requireNonNull(namespace, "namespace");
        this.status = status;
        this.prefix = prefix;
        this.after = after;
        this.limit = limit;
    }

    /** Makes a query for the first 10,000 processes of a namespace. */
    public static ProcessQuery of(String namespace) {
        return new ProcessQuery(namespace, null, "", "", PageSize.MOST);
    }

    /** Returns a query for processes in that status; null: in any. */
    public ProcessQuery status(@Nullable ProcessStatus only) {
        return new ProcessQuery(namespace, only, prefix, after, limit);
    }

    /**
     * Returns a query for processes whose ids begin with that text; empty: all. Of the processes whose ids come after it, or after
     * {@link #after}, the first {@value #SEARCHED} are looked at, so that a page costs little in a large namespace too.
     */
    public ProcessQuery prefix(String text) {
        return new ProcessQuery(namespace, status, Objects.requireNonNull(text, "prefix"), after, limit);
    }

    /** Returns a query for processes whose ids come after that one: the last of the page before. */
    public ProcessQuery after(String id) {
        return new ProcessQuery(namespace, status, prefix, Objects.requireNonNull(id, "id"), limit);
    }

    /**
     * Returns a query for a page of that size.
     *
     * @param most 1 to 10,000
     * @throws IllegalArgumentException if the number is out of its bounds
     */
    public ProcessQuery limit(int most) {
        return new ProcessQuery(namespace, status, prefix, after, PageSize.checked(most));
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

    /** Returns the id after which the page begins; empty: at the first. */
    public String after() {
        return after;
    }

    /** Returns the size of the page. */
    public int limit() {
        return limit;
    }
}
