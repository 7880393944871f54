package dev.howdah.process;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Processes on a PostgreSQL database: asks them, and works those of its namespaces.
 *
 * <pre>{@code
 * Namespace counter = Namespace.of("counter", (task, process) -> switch (task.type()) {
 *     case CALL -> Intent.none().event(task.args()).response(process.lastEventId() + 1);
 *     default -> Intent.none();
 * });
 * try (Processes processes = Processes.on(dataSource).namespace(counter).start()) {
 *     processes.init("counter", "a", null);
 *     long count = processes.call("counter", "a", "hello").as(Long.class);
 * }
 * }</pre>
 *
 * <p>Four connections of the data source are kept while it works (one that listens and says that the node lives, one that
 * looks for what is due, two that write), and one for each namespace that others are told of. They have to be sessions of their own.
 *
 * <p>All methods throw {@link ProcessException}, whose message says why as the specification does. Safe for use by many threads.
 */
public final class Processes implements AutoCloseable {
    private final Namespaces namespaces;
    private final List<Served> served;
    private final Keeper keeper;
    private final Requests requests;
    private final Archive archive;
    private final Notices notices;
    private final List<Messenger> messengers;
    private final Duration grace;

    Processes(
            Namespaces namespaces,
            List<Served> served,
            Keeper keeper,
            Requests requests,
            Archive archive,
            Notices notices,
            List<Messenger> messengers,
            Duration grace) {
        this.namespaces = namespaces;
        this.served = served;
        this.keeper = keeper;
        this.requests = requests;
        this.archive = archive;
        this.notices = notices;
        this.messengers = messengers;
        this.grace = grace;
    }

    /** Processes in the database of that data source. Nothing happens before {@link ProcessesBuilder#start}. */
    public static ProcessesBuilder on(DataSource source) {
        return new ProcessesBuilder(source);
    }

    /**
     * Makes the tables of processes, or brings them up to date, as {@link ProcessesBuilder#start} does. Their owner is the role of the
     * connection.
     *
     * @param connection in autocommit mode
     */
    public static void install(Connection connection) throws SQLException {
        ProcessSchema.MIGRATIONS.migrate(connection);
    }

    /** The SQL that makes the tables of processes in a database that has none, for those who run such things themselves. */
    public static String schema() {
        return ProcessSchema.MIGRATIONS.text();
    }

    /**
     * Makes a process and waits for its first step.
     *
     * @throws ProcessException {@code namespace not found}, {@code process already exists}, {@code timeout}; or what the processor said: then the
     *     process is there, in error
     */
    public Payload init(Request request) {
        return ask(TaskType.INIT, request);
    }

    /** As {@link #init(Request)}. */
    public Payload init(String namespace, String id, @Nullable Object args) {
        return init(request(namespace, id, args));
    }

    /**
     * Asks a process, after all who have asked before, and waits for the answer.
     *
     * @throws ProcessException {@code namespace not found}, {@code process not found}, {@code process is init}, {@code process is error},
     *     {@code timeout} (the call goes on); or what the processor said: then the process is in error, unless the step only {@link
     *     Intent#refuse refused}
     */
    public Payload call(Request request) {
        return ask(TaskType.CALL, request);
    }

    /** As {@link #call(Request)}. */
    public Payload call(String namespace, String id, @Nullable Object args) {
        return call(request(namespace, id, args));
    }

    /** As {@link #call(Request)}, but returns as soon as it is durable that the process will be told. */
    public void notify(Request request) {
        ask(TaskType.NOTIFY, request);
    }

    /** As {@link #notify(Request)}. */
    public void notify(String namespace, String id, @Nullable Object args) {
        notify(request(namespace, id, args));
    }

    /**
     * Brings a process back that is in error, by a step of its processor. If that does not set another timer, the one that broke the process
     * runs again.
     *
     * @throws ProcessException {@code namespace not found}, {@code process not found}, {@code process is init}, {@code process is running}, {@code timeout}; or
     *     what the processor said: then the process is as it was
     */
    public Payload repair(Request request) {
        return ask(TaskType.REPAIR, request);
    }

    /** As {@link #repair(Request)}. */
    public Payload repair(String namespace, String id, @Nullable Object args) {
        return repair(request(namespace, id, args));
    }

    /**
     * Brings a process back that is in error, without its processor: the timer that broke it runs again, with the request's context,
     * and when that goes well the process is running; if it was no timer the process is running at once. Asking again while
     * the timer waits changes nothing.
     *
     * @throws ProcessException {@code namespace not found}, {@code process not found}, {@code process is init}, {@code process is running}
     */
    public void simpleRepair(Request request) {
        Spans.ask("simple_repair", request.namespace(), request.id(), () -> {
            requests.simpleRepair(request);
            return true;
        });
    }

    /** As {@link #simpleRepair(Request)}. */
    public void simpleRepair(String namespace, String id) {
        simpleRepair(Request.of(namespace, id));
    }

    /**
     * Removes a process and all it had, after what it was asked before.
     *
     * @throws ProcessException {@code namespace not found}, {@code process not found}, {@code timeout}
     */
    public void remove(String namespace, String id) {
        ask(TaskType.REMOVE, Request.of(namespace, id));
    }

    /**
     * A process as it is, at once, whatever its status.
     *
     * @throws ProcessException {@code namespace not found}, {@code process not found}
     */
    public ProcessState get(String namespace, String id, Range range) {
        return get(Request.of(namespace, id).range(range));
    }

    /** As {@link #get(String, String, Range)}, with all of its history. */
    public ProcessState get(String namespace, String id) {
        return get(namespace, id, Range.ALL);
    }

    private Payload ask(TaskType type, Request request) {
        return Spans.ask(type.text(), request.namespace(), request.id(), () -> requests.ask(type, request));
    }

    private ProcessState get(Request request) {
        return Spans.ask("get", request.namespace(), request.id(), () -> read(request));
    }

    private ProcessState read(Request request) {
        try {
            Range range = request.range();
            ProcessState found = archive.get(
                    namespaces.find(request.namespace()),
                    request.namespace(),
                    request.id(),
                    range == null ? Range.ALL : range);
            if (found == null) throw new ProcessException(ProcessException.NOT_FOUND);
            return found;
        } catch (SQLException e) {
            throw Requests.failed(request, e);
        }
    }

    /**
     * Puts in a process that has lived elsewhere, without a step.
     *
     * @throws ProcessException {@code namespace not found}, {@code process already exists}
     */
    public void put(Imported process) {
        try {
            if (!archive.put(namespaces.find(process.namespace()), process))
                throw new ProcessException(ProcessException.EXISTS);
            keeper.ring();
        } catch (SQLException e) {
            throw new ProcessException("process " + process.id() + " could not be put in: " + Errors.clear(e), e);
        }
    }

    /**
     * Every task of a process and what came of it: first what has run, in that order, last what never did.
     *
     * @throws ProcessException {@code namespace not found}, {@code process not found}
     */
    public List<TraceUnit> trace(String namespace, String id) {
        Request request = Request.of(namespace, id);
        try {
            List<TraceUnit> units = archive.trace(namespaces.find(namespace), id);
            if (units.isEmpty()) throw new ProcessException(ProcessException.NOT_FOUND);
            return units;
        } catch (SQLException e) {
            throw Requests.failed(request, e);
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
    public List<Listed> list(String namespace, @Nullable ProcessStatus status, String after, int limit) {
        try {
            return archive.list(namespaces.find(namespace), status, after, checkLimit(limit));
        } catch (SQLException e) {
            throw new ProcessException("processes of " + namespace + " could not be listed: " + e.getMessage(), e);
        }
    }

    /**
     * Timers that wait, but for those that step aside for calls; in the order in which they are due.
     *
     * @param limit how many at most, 1 to 10,000
     * @throws ProcessException {@code namespace not found}
     */
    public List<TimerView> timers(String namespace, int limit) {
        try {
            return archive.timers(namespaces.find(namespace), checkLimit(limit));
        } catch (SQLException e) {
            throw new ProcessException("timers of " + namespace + " could not be listed: " + e.getMessage(), e);
        }
    }

    static int checkLimit(int limit) {
        if (limit < 1 || limit > 10_000) throw new IllegalArgumentException("a limit of " + limit + ": 1 to 10000");
        return limit;
    }

    /** What others have not been told yet. */
    public Notices notices() {
        return notices;
    }

    /**
     * Whether these namespaces can be worked: the database answers, and this node lives.
     *
     * @param names of namespaces; none: those of this object
     */
    public Health health(String... names) {
        List<String> asked = names.length > 0
                ? List.of(names)
                : served.stream().map(each -> each.namespace().name()).toList();
        String at = asked.isEmpty() ? null : asked.get(0);
        try {
            for (String name : asked) {
                at = name;
                namespaces.find(name);
            }
            archive.health();
            return keeper.isWell() ? new Health(true, null, null) : new Health(false, at, "the node was lost");
        } catch (SQLException | ProcessException e) {
            return new Health(false, at, e.getMessage());
        }
    }

    private static Request request(String namespace, String id, @Nullable Object args) {
        return new Request(namespace, id, args, null, null, null, null);
    }

    /** The number that this node has now; 0 if it has none. */
    int node() {
        return keeper.node();
    }

    /**
     * Stops: takes no more, waits for what runs, and interrupts what runs for longer than {@link ProcessesBuilder#grace}; that goes on elsewhere,
     * as after the death of a node. Calling it again does nothing.
     */
    @Override
    public void close() {
        requests.close();
        keeper.close(grace);
        messengers.forEach(Messenger::close);
    }
}
