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
 * Looks at processes, and does nothing else: it is no node, keeps no connection, writes nothing, and makes no tables. So its role needs no
 * right but USAGE on the schema {@code howdah} and SELECT on {@code process_namespace}, {@code process}, {@code process_task} and {@code
 * process_event}, and the database may be a standby.
 *
 * <p>All methods throw {@link ProcessException}, whose message says why as the specification does. Safe for use by many threads.
 */
public final class ProcessReader {
    private final NamespaceRegistry namespaces;
    private final ProcessQueries archive;

    ProcessReader(NamespaceRegistry namespaces, ProcessQueries archive) {
        this.namespaces = namespaces;
        this.archive = archive;
    }

    /** Those in the database of that data source; what is JSON is read by Jackson. */
    public static ProcessReader on(DataSource source) {
        return on(source, new JacksonCodec());
    }

    /** Those in the database of that data source. */
    public static ProcessReader on(DataSource source, PayloadCodec codec) {
        return new ProcessReader(
                new NamespaceRegistry(ConnectionSource.of(source)),
                new ProcessQueries(ConnectionSource.of(source), codec));
    }

    /**
     * A process as it is, at once, whatever its status.
     *
     * @throws ProcessException {@code namespace not found}, {@code process not found}
     */
    public ProcessState get(String namespace, String id, HistoryRange range) {
        return ProcessTracing.ask("get", namespace, id, () -> read(namespace, id, range));
    }

    /** As {@link #get(String, String, Range)}, with all of its history. */
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
     * Every task of a process and what came of it: first what has run, in that order, last what never did.
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
     * Processes in the order of their ids.
     *
     * @param status only those; null: all
     * @param after only those behind this id; empty: from the first
     * @param limit how many at most, 1 to 10,000
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
     * Timers that wait, but for those that step aside for calls; in the order in which they are due.
     *
     * @param limit how many at most, 1 to 10,000
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
