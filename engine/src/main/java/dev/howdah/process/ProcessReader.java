package dev.howdah.process;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.process.internal.client.NamespaceRegistry;
import dev.howdah.process.internal.client.ProcessQueries;
import dev.howdah.process.internal.step.ProcessTracing;
import dev.howdah.process.internal.store.ProcessSqlErrors;
import dev.howdah.spi.PayloadCodec;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads processes. It is not a node, keeps no connection, writes nothing, and creates no tables. Its role needs only
 * USAGE on the schema {@code howdah} and SELECT on {@code process_namespace}, {@code process}, {@code process_task} and {@code
 * process_event}, and the database may be a standby.
 *
 * <p>All methods throw {@link ProcessException}, whose message is the reason. Safe for use by many threads.
 */
public final class ProcessReader {
    private final NamespaceRegistry namespaces;
    private final ProcessQueries archive;

    ProcessReader(NamespaceRegistry namespaces, ProcessQueries archive) {
        this.namespaces = namespaces;
        this.archive = archive;
    }

    /** Reads the processes in the database of that data source, with Jackson for JSON. */
    public static ProcessReader on(DataSource source) {
        return on(source, new JacksonCodec());
    }

    /** Reads the processes in the database of that data source. */
    public static ProcessReader on(DataSource source, PayloadCodec codec) {
        return new ProcessReader(
                new NamespaceRegistry(ConnectionSource.of(source)),
                new ProcessQueries(ConnectionSource.of(source), codec));
    }

    /**
     * Returns a process at once, in any status.
     *
     * @throws ProcessException {@code namespace not found}, {@code process not found}
     */
    public ProcessState get(String namespace, String id, HistoryRange range) {
        return ProcessTracing.ask("get", namespace, id, () -> read(namespace, id, range));
    }

    /** As {@link #get(String, String, HistoryRange)}, with all of its history. */
    public ProcessState get(String namespace, String id) {
        return get(namespace, id, HistoryRange.ALL);
    }

    private ProcessState read(String namespace, String id, HistoryRange range) {
        Request.checkId(id);
        try {
            ProcessState found = archive.get(namespaces.find(namespace), namespace, id, range);
            if (found == null) throw new ProcessException(ProcessException.NOT_FOUND);
            return found;
        } catch (SQLException e) {
            throw new ProcessException("process " + id + " could not be read: " + ProcessSqlErrors.clear(e), e);
        }
    }

    /**
     * Returns every task of a process and its outcome: first the tasks that have run, in order, last those that have not.
     *
     * @throws ProcessException {@code namespace not found}, {@code process not found}
     */
    public List<TraceEntry> trace(String namespace, String id) {
        Request.checkId(id);
        try {
            List<TraceEntry> units = archive.trace(namespaces.find(namespace), id);
            if (units.isEmpty()) throw new ProcessException(ProcessException.NOT_FOUND);
            return units;
        } catch (SQLException e) {
            throw new ProcessException("process " + id + " could not be read: " + ProcessSqlErrors.clear(e), e);
        }
    }

    /**
     * Returns processes in the order of their ids.
     *
     * @param status only those; null: all
     * @param after only ids after this one; empty: from the first
     * @param limit the maximum number, 1 to 10,000
     * @throws ProcessException {@code namespace not found}
     */
    public List<ProcessSummary> list(String namespace, @Nullable ProcessStatus status, String after, int limit) {
        try {
            return archive.list(namespaces.find(namespace), status, after, checkLimit(limit));
        } catch (SQLException e) {
            throw new ProcessException(
                    "processes of " + namespace + " could not be listed: " + ProcessSqlErrors.clear(e), e);
        }
    }

    /**
     * Returns waiting timers, except those that wait for calls, in the order in which they are due.
     *
     * @param limit the maximum number, 1 to 10,000
     * @throws ProcessException {@code namespace not found}
     */
    public List<PendingTimer> timers(String namespace, int limit) {
        try {
            return archive.timers(namespaces.find(namespace), checkLimit(limit));
        } catch (SQLException e) {
            throw new ProcessException(
                    "timers of " + namespace + " could not be listed: " + ProcessSqlErrors.clear(e), e);
        }
    }

    static int checkLimit(int limit) {
        if (limit < 1 || limit > 10_000)
            throw new IllegalArgumentException("the limit has to be from 1 to 10000, not " + limit);
        return limit;
    }
}
