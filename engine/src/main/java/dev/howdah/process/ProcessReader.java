package dev.howdah.process;

import dev.howdah.health.Cause;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.process.internal.client.NamespaceRegistry;
import dev.howdah.process.internal.client.ProcessQueries;
import dev.howdah.process.internal.step.ProcessTracing;
import dev.howdah.process.internal.store.PageSize;
import dev.howdah.process.internal.store.ProcessSqlErrors;
import dev.howdah.process.query.NamespaceSummary;
import dev.howdah.process.query.PendingTimer;
import dev.howdah.process.query.ProcessEvents;
import dev.howdah.process.query.ProcessPage;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import dev.howdah.process.query.TraceEntry;
import dev.howdah.spi.PayloadCodec;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads processes. It is not a node, keeps no connection, writes nothing, and creates no tables. Its role needs only
 * USAGE on the schemas {@code howdah} and {@code howdah_internal}, SELECT on {@code process_namespace}, {@code process}, {@code process_task} and {@code
 * process_event}, and the database may be a standby.
 *
 * <p>All methods throw {@link ProcessException} with a {@linkplain ProcessException#reason() reason}. Safe for use by many threads.
 */
public final class ProcessReader {
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);
    private static final long FIRST_POLL_MILLIS = 5;
    private static final long LAST_POLL_MILLIS = 250;

    private final NamespaceRegistry namespaces;
    private final ProcessQueries archive;
    private final Duration initWait;

    ProcessReader(NamespaceRegistry namespaces, ProcessQueries archive, Duration initWait) {
        this.namespaces = namespaces;
        this.archive = archive;
        this.initWait = initWait;
    }

    /** Reads the processes in the database of that data source, with Jackson for JSON. */
    public static ProcessReader on(DataSource source) {
        return on(source, new JacksonCodec());
    }

    /** Reads the processes in the database of that data source. */
    public static ProcessReader on(DataSource source, PayloadCodec codec) {
        return on(source, codec, SchemaName.DEFAULT);
    }

    /** As {@link #on(DataSource, PayloadCodec)}, in a schema of that name; see {@link ProcessesBuilder#schema}. */
    public static ProcessReader on(DataSource source, PayloadCodec codec, String schema) {
        ConnectionSource connections = ConnectionSource.of(source).in(SchemaName.of(schema));
        return new ProcessReader(
                new NamespaceRegistry(connections), new ProcessQueries(connections, codec), Duration.ZERO);
    }

    /**
     * Returns a reader as this one whose {@link #get} waits while a process is in status {@code init}. See {@link
     * ProcessesBuilder#initWait}.
     *
     * @throws IllegalArgumentException unless the time is 0 to 10 minutes
     */
    public ProcessReader initWait(Duration time) {
        return new ProcessReader(namespaces, archive, checkInitWait(time));
    }

    static Duration checkInitWait(Duration time) {
        if (time.isNegative() || time.compareTo(LONGEST_WAIT) > 0)
            throw new IllegalArgumentException("an initWait of " + time + " is not within 0 and 10 minutes");
        return time;
    }

    /**
     * Returns a process, in any status. Waits only for one in status {@code init}, and only if there is an {@link #initWait
     * initWait}.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_NOT_FOUND PROCESS_NOT_FOUND}
     */
    public ProcessState get(String namespace, String id, HistoryRange range) {
        return ProcessTracing.ask("get", namespace, id, () -> read(namespace, id, range));
    }

    /** As {@link #get(String, String, HistoryRange)}, with all of its history. */
    public ProcessState get(String namespace, String id) {
        return get(namespace, id, HistoryRange.ALL);
    }

    /**
     * Says why a process does nothing.
     *
     * @return the causes that hold, the most important first; never empty
     */
    public List<Cause> why(String namespace, String id) {
        try {
            return archive.why(namespace, id);
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "process " + id + " could not be read: " + ProcessSqlErrors.clear(e),
                    e);
        }
    }

    private ProcessState read(String namespace, String id, HistoryRange range) {
        Request.checkId(id);
        try {
            int number = namespaces.find(namespace);
            long began = System.nanoTime();
            for (long pause = FIRST_POLL_MILLIS; ; pause = Math.min(2 * pause, LAST_POLL_MILLIS)) {
                ProcessState found = archive.get(number, namespace, id, range);
                if (found == null) throw new ProcessException(ProcessException.Reason.PROCESS_NOT_FOUND);
                long left = initWait.toMillis() - (System.nanoTime() - began) / 1_000_000;
                if (found.status() != ProcessStatus.INIT || left <= 0) return found;
                TimeUnit.MILLISECONDS.sleep(Math.min(pause, left));
            }
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "process " + id + " could not be read: " + ProcessSqlErrors.clear(e),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProcessException(
                    ProcessException.Reason.INTERRUPTED, "interrupted while process " + id + " was in status init", e);
        }
    }

    /**
     * Returns every task of a process and its outcome: first the tasks that have run, in order, last those that have not.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_NOT_FOUND PROCESS_NOT_FOUND}
     */
    public List<TraceEntry> trace(String namespace, String id) {
        return trace(namespace, id, null);
    }

    /**
     * Returns the newest tasks of a process and their outcomes, in the order of {@link #trace(String, String)}, without their events:
     * {@link #get} has these.
     *
     * @param newest the maximum number, 1 to 10,000
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_NOT_FOUND PROCESS_NOT_FOUND}
     */
    public List<TraceEntry> trace(String namespace, String id, int newest) {
        return trace(namespace, id, (Integer) PageSize.checked(newest));
    }

    private List<TraceEntry> trace(String namespace, String id, @Nullable Integer newest) {
        Request.checkId(id);
        try {
            List<TraceEntry> units = archive.trace(namespaces.find(namespace), id, newest);
            if (units.isEmpty()) throw new ProcessException(ProcessException.Reason.PROCESS_NOT_FOUND);
            return units;
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "process " + id + " could not be read: " + ProcessSqlErrors.clear(e),
                    e);
        }
    }

    /**
     * Finds what became of processes since an earlier look, by a bounded number of rows. Of a process that becomes something else several
     * times in between, the last is found; one that was idle for long, and has done a step within the time between two looks, is not.
     *
     * @param before the last look; null: this is the first one
     * @param most how many new processes are named, 1 to 1,000
     * @throws ProcessException {@link ProcessException.Reason#DATABASE DATABASE}
     */
    public ProcessEvents events(@Nullable ProcessEvents before, int most) {
        if (most < 1 || most > 1_000)
            throw new IllegalArgumentException("events of up to " + most + " processes: it has to be 1 to 1000");
        try {
            return archive.events(before, most);
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "processes could not be watched: " + ProcessSqlErrors.clear(e),
                    e);
        }
    }

    /**
     * Returns all namespaces by name, with how much waits in each. Counts a bounded number of processes and notices of each.
     *
     * @throws ProcessException {@link ProcessException.Reason#DATABASE DATABASE}
     */
    public List<NamespaceSummary> namespaces() {
        try {
            return archive.namespaces();
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "namespaces could not be listed: " + ProcessSqlErrors.clear(e),
                    e);
        }
    }

    /**
     * Returns the processes of a page. See {@link #page}, which also says where the next one begins; without a prefix, and by id, it looks at as
     * many processes as it needs.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}
     */
    public List<ProcessSummary> list(ProcessQuery query) {
        return page(query, false).processes();
    }

    /**
     * Returns a page of the processes of a namespace, in the order of the query.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}
     */
    public ProcessPage page(ProcessQuery query) {
        return page(query, true);
    }

    private ProcessPage page(ProcessQuery query, boolean bounded) {
        try {
            return archive.list(namespaces.find(query.namespace()), query, bounded);
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "processes of " + query.namespace() + " could not be listed: " + ProcessSqlErrors.clear(e),
                    e);
        }
    }

    /**
     * Returns waiting timers, except those that wait for calls, in the order in which they are due.
     *
     * @param limit the maximum number, 1 to 10,000
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}
     */
    public List<PendingTimer> timers(String namespace, int limit) {
        try {
            return archive.timers(namespaces.find(namespace), PageSize.checked(limit));
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "timers of " + namespace + " could not be listed: " + ProcessSqlErrors.clear(e),
                    e);
        }
    }
}
