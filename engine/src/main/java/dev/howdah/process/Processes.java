package dev.howdah.process;

import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.install.FeatureUninstaller;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.process.internal.client.NamespaceRegistry;
import dev.howdah.process.internal.client.ProcessQueries;
import dev.howdah.process.internal.client.RequestClient;
import dev.howdah.process.internal.node.ProcessNodeSupervisor;
import dev.howdah.process.internal.outbox.OutboxRelay;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessTracing;
import dev.howdah.process.internal.store.ProcessSchema;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.internal.store.ProcessSqlErrors;
import dev.howdah.process.query.PendingTimer;
import dev.howdah.process.query.ProcessHealth;
import dev.howdah.process.query.ProcessPage;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import dev.howdah.process.query.TraceEntry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Calls processes in a PostgreSQL database, and runs those of its namespaces.
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
 * <p>A node holds four connections of the data source: one for LISTEN and liveness, one that claims due processes, two that
 * write; and one for each namespace with a publisher. Processes and jobs over the same data source object, with the same name of the
 * node, are one node and share that for LISTEN and liveness. The connections have to be sessions; {@link ProcessesBuilder#sessionDataSource} takes
 * them from another data source.
 *
 * <p>All methods throw {@link ProcessException} with a {@linkplain ProcessException#reason() reason}. Safe for use by many threads.
 */
public final class Processes implements AutoCloseable {
    private final NamespaceRegistry namespaces;
    private final List<NamespaceSlots> served;
    private final ProcessNodeSupervisor supervisor;
    private final RequestClient requests;
    private final ProcessQueries archive;
    private final ProcessReader reader;
    private final Notices notices;
    private final List<OutboxRelay> messengers;
    private final Duration grace;

    Processes(
            NamespaceRegistry namespaces,
            List<NamespaceSlots> served,
            ProcessNodeSupervisor supervisor,
            RequestClient requests,
            ProcessQueries archive,
            ProcessReader reader,
            Notices notices,
            List<OutboxRelay> messengers,
            Duration grace) {
        this.namespaces = namespaces;
        this.served = served;
        this.supervisor = supervisor;
        this.requests = requests;
        this.archive = archive;
        this.reader = reader;
        this.notices = notices;
        this.messengers = messengers;
        this.grace = grace;
    }

    /** Processes in the database of that data source. Nothing happens before {@link ProcessesBuilder#start}. */
    public static ProcessesBuilder on(DataSource source) {
        return new ProcessesBuilder(source);
    }

    /**
     * Creates the tables of processes, or brings them up to date, as {@link ProcessesBuilder#start} does. Their owner
     * is the role of the connection.
     *
     * @param connection in autocommit mode
     */
    public static void install(Connection connection) throws SQLException {
        install(connection, SchemaName.DEFAULT);
    }

    /**
     * As {@link #install(Connection)}, in a schema of that name.
     *
     * @throws IllegalArgumentException as {@link ProcessesBuilder#schema}
     */
    public static void install(Connection connection, String schema) throws SQLException {
        ProcessSchema.MIGRATIONS.migrate(SchemaConnection.of(connection, SchemaName.of(schema)));
    }

    /**
     * Drops the tables of processes with their rows, and the schema if it is empty then.
     *
     * @param connection in autocommit mode, of the owner of the tables; it stays open
     * @param schema as {@link ProcessesBuilder#schema}
     * @param force also where nodes work or processes are left
     * @throws IllegalStateException if nodes work or processes are left, and {@code force} is false; nothing is dropped then
     * @throws SQLException if the server refuses a statement; nothing is dropped then
     */
    public static void uninstall(Connection connection, String schema, boolean force) throws SQLException {
        String refusal = FeatureUninstaller.run(
                SchemaConnection.of(connection, SchemaName.of(schema)),
                ProcessSchema.MIGRATIONS,
                ProcessSql.FEATURE,
                "process",
                ProcessSql.READ.statement("process_left"),
                force);
        if (refusal != null) throw new IllegalStateException(refusal);
    }

    /**
     * Returns whether the tables of processes are there in the version that this program needs, or in a newer one that it can work with: then a start creates and changes none.
     *
     * @param schema as {@link ProcessesBuilder#schema}
     * @throws SQLException also if it cannot work with the tables: they are too new, or were made by an unreleased version
     */
    public static boolean isInstalled(Connection connection, String schema) throws SQLException {
        return ProcessSchema.MIGRATIONS.isCurrent(SchemaConnection.of(connection, SchemaName.of(schema)));
    }

    /** Returns the version of the tables of processes that this program needs: the last one of {@link #schema(int, int)}. */
    public static int schemaVersion() {
        return ProcessSchema.MIGRATIONS.files().size();
    }

    /** Returns the SQL that creates the tables of processes in a database that has none. */
    public static String schema() {
        return ProcessSchema.MIGRATIONS.text();
    }

    /**
     * Returns the SQL that brings the tables of processes from one version to another, for tools such as Flyway and Liquibase:
     * run it in one transaction. It records the versions, so that programs do not change the tables again.
     *
     * @param from the version that the tables have; 0 if there are none
     * @throws IllegalArgumentException if there are no such versions, or {@code to} is not greater than {@code from}
     */
    public static String schema(int from, int to) {
        return ProcessSchema.MIGRATIONS.text(from, to);
    }

    /** As {@link #schema(int, int)}, for tables in a schema of that name. */
    public static String schema(String schema, int from, int to) {
        return SchemaName.of(schema).in(schema(from, to));
    }

    /**
     * Creates a process and waits for its first step. In a transaction that a {@linkplain ProcessesBuilder#transactions bridge} tells of, it joins that
     * as {@link #init(Connection, Request)} does, and returns an empty payload at once.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_EXISTS PROCESS_EXISTS}, {@link ProcessException.Reason#TIMEOUT TIMEOUT}; or the reason of the processor: then the
     *     process exists, in error
     */
    public Payload init(Request request) {
        return ask(TaskType.INIT, request);
    }

    /** As {@link #init(Request)}. */
    public Payload init(String namespace, String id, @Nullable Object args) {
        return init(request(namespace, id, args));
    }

    /**
     * Creates a process in the caller's transaction: it exists if, and only if, the transaction commits. Returns without waiting; the first step runs after the commit. If the processor
     * refuses it, the process exists, in error: {@link #get} says so. Another {@code init} of the same process waits until the transaction ends.
     *
     * @param connection of the same database
     * @param request without an idempotency key and a timeout
     * @throws IllegalArgumentException if the request has an idempotency key
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_EXISTS PROCESS_EXISTS}
     */
    public void init(Connection connection, Request request) {
        ProcessTracing.ask(TaskType.INIT.text(), request.namespace(), request.id(), () -> {
            requests.init(connection, request);
            return true;
        });
    }

    /** As {@link #init(Connection, Request)}. */
    public void init(Connection connection, String namespace, String id, @Nullable Object args) {
        init(connection, request(namespace, id, args));
    }

    /**
     * Calls a process, after all earlier calls, and waits for the answer.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_NOT_FOUND PROCESS_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_INIT PROCESS_INIT}, {@link ProcessException.Reason#PROCESS_ERROR PROCESS_ERROR},
     *     {@link ProcessException.Reason#TIMEOUT TIMEOUT} (the call continues); or the reason of the processor: then the process is in error, unless the step only {@link
     *     Intent#refuse refused}
     */
    public Payload call(Request request) {
        return ask(TaskType.CALL, request);
    }

    /** As {@link #call(Request)}. */
    public Payload call(String namespace, String id, @Nullable Object args) {
        return call(request(namespace, id, args));
    }

    /** Sends a message to a process: as {@link #call(Request)}, but returns as soon as the request is durable. */
    public void notify(Request request) {
        ask(TaskType.NOTIFY, request);
    }

    /** As {@link #notify(Request)}. */
    public void notify(String namespace, String id, @Nullable Object args) {
        notify(request(namespace, id, args));
    }

    /**
     * Repairs a process that is in error, by a step of its processor. If that sets no timer, the timer that broke the process
     * runs again.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_NOT_FOUND PROCESS_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_INIT PROCESS_INIT}, {@link ProcessException.Reason#PROCESS_RUNNING PROCESS_RUNNING}, {@link ProcessException.Reason#TIMEOUT TIMEOUT}; or
     *     the reason of the processor: then the process is unchanged
     */
    public Payload repair(Request request) {
        return ask(TaskType.REPAIR, request);
    }

    /** As {@link #repair(Request)}. */
    public Payload repair(String namespace, String id, @Nullable Object args) {
        return repair(request(namespace, id, args));
    }

    /**
     * Repairs a process that is in error, without its processor: the timer that broke it runs again, with the request's context,
     * and if it succeeds the process is running; if no timer broke it, it is running at once. A second call while
     * the timer waits changes nothing.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_NOT_FOUND PROCESS_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_INIT PROCESS_INIT}, {@link ProcessException.Reason#PROCESS_RUNNING PROCESS_RUNNING}
     */
    public void simpleRepair(Request request) {
        ProcessTracing.ask("simple_repair", request.namespace(), request.id(), () -> {
            requests.simpleRepair(request);
            return true;
        });
    }

    /** As {@link #simpleRepair(Request)}. */
    public void simpleRepair(String namespace, String id) {
        simpleRepair(Request.of(namespace, id));
    }

    /**
     * Removes a process with all its rows, after the earlier calls.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_NOT_FOUND PROCESS_NOT_FOUND}, {@link ProcessException.Reason#TIMEOUT TIMEOUT}
     */
    public void remove(String namespace, String id) {
        ask(TaskType.REMOVE, Request.of(namespace, id));
    }

    /**
     * Returns a process, in any status. Waits only for one in status {@code init}, and only if there is an {@link
     * ProcessesBuilder#initWait initWait}.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_NOT_FOUND PROCESS_NOT_FOUND}
     */
    public ProcessState get(String namespace, String id, HistoryRange range) {
        return reader.get(namespace, id, range);
    }

    /** As {@link #get(String, String, HistoryRange)}, with all of its history. */
    public ProcessState get(String namespace, String id) {
        return reader.get(namespace, id);
    }

    private Payload ask(TaskType type, Request request) {
        return ProcessTracing.ask(type.text(), request.namespace(), request.id(), () -> requests.ask(type, request));
    }

    /**
     * Imports a process from another system, without a step.
     *
     * @throws ProcessException {@link ProcessException.Reason#NAMESPACE_NOT_FOUND NAMESPACE_NOT_FOUND}, {@link ProcessException.Reason#PROCESS_EXISTS PROCESS_EXISTS}
     */
    public void importProcess(ProcessImport process) {
        requests.warnIfBeside("import");
        try {
            if (!archive.put(namespaces.find(process.namespace()), process))
                throw new ProcessException(ProcessException.Reason.PROCESS_EXISTS);
            supervisor.ring();
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "process " + process.id() + " could not be put in: " + ProcessSqlErrors.clear(e),
                    e);
        }
    }

    /** See {@link ProcessReader#trace}. */
    public List<TraceEntry> trace(String namespace, String id) {
        return reader.trace(namespace, id);
    }

    /** See {@link ProcessReader#list}. */
    public List<ProcessSummary> list(ProcessQuery query) {
        return reader.list(query);
    }

    /** See {@link ProcessReader#page}. */
    public ProcessPage page(ProcessQuery query) {
        return reader.page(query);
    }

    /** See {@link ProcessReader#timers}. */
    public List<PendingTimer> timers(String namespace, int limit) {
        return reader.timers(namespace, limit);
    }

    /** Returns the notices that have not been published yet. */
    public Notices notices() {
        return notices;
    }

    /**
     * Returns whether these namespaces can run: the database answers, and this node is alive.
     *
     * @param names of namespaces; none: those of this object
     */
    public ProcessHealth health(String... names) {
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
            return supervisor.isWell()
                    ? new ProcessHealth(true, null, null)
                    : new ProcessHealth(false, at, "the node was lost");
        } catch (SQLException | ProcessException e) {
            return new ProcessHealth(false, at, e.getMessage());
        }
    }

    private static Request request(String namespace, String id, @Nullable Object args) {
        return new Request(namespace, id, args, null, null, null, null);
    }

    /**
     * Returns why this node does no steps now, such as a database that cannot be reached or a privilege that is missing; null: it does.
     */
    public @Nullable String obstacle() {
        return supervisor.obstacle();
    }

    /** Returns the id of this node, as in the tables; 0 if it has lost its session and has no new one, or is closed. */
    public int node() {
        return supervisor.node();
    }

    /**
     * Stops claiming, waits for running steps for {@link ProcessesBuilder#shutdownTimeout}, then interrupts them; other nodes
     * continue them as after a crash. A second call does nothing.
     */
    @Override
    public void close() {
        requests.close();
        supervisor.close(grace);
        messengers.forEach(OutboxRelay::close);
    }
}
