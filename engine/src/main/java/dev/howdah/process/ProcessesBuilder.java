package dev.howdah.process;

import dev.howdah.internal.connection.CallerTransaction;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.PoolerCheck;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.internal.options.NodeOptions;
import dev.howdah.internal.run.SaidOnce;
import dev.howdah.internal.run.Threads;
import dev.howdah.process.internal.client.NamespaceRegistry;
import dev.howdah.process.internal.client.ProcessQueries;
import dev.howdah.process.internal.client.RequestClient;
import dev.howdah.process.internal.node.ProcessNodeSupervisor;
import dev.howdah.process.internal.outbox.OutboxRelay;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessMetrics;
import dev.howdah.process.internal.store.ProcessSchema;
import dev.howdah.process.internal.store.ProcessSqlErrors;
import dev.howdah.process.notice.Publisher;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The namespaces and settings of a {@link Processes}. Not safe for use by many threads. */
public final class ProcessesBuilder {
    private static final Logger log = LoggerFactory.getLogger(ProcessesBuilder.class);
    /** One that listens and holds the lock of the node, one that claims due processes, and two that write. */
    private static final int KEPT = 4;

    private final NodeOptions options;
    private final Map<String, Namespace> namespaces = new LinkedHashMap<>();
    private final Map<String, Publisher> publishers = new LinkedHashMap<>();
    private @Nullable TransactionBridge bridge;
    private PayloadCodec codec = new JacksonCodec();
    private Duration initWait = Duration.ZERO;
    private Threads.Maker threads = Threads::platform;

    ProcessesBuilder(DataSource source) {
        this.options = new NodeOptions(source);
    }

    /**
     * Sets the data source of the kept connections. Defaults to the data source of {@link Processes#on}. If that is a
     * small pool, or a pooler that lends sessions for a transaction only (PgBouncer with {@code pool_mode =
     * transaction}), use one without a pool that reaches PostgreSQL itself, such as pgjdbc's {@code
     * PGSimpleDataSource}.
     */
    public ProcessesBuilder sessionDataSource(DataSource direct) {
        options.sessions(direct);
        return this;
    }

    /**
     * Sets the schema of the tables, which is created if it is missing. Defaults to {@code howdah}. Any number of installations in one database
     * have a schema each: apart in tables, functions, privileges, locks and notifications.
     *
     * @param name 1 to 40 small letters, digits and underscores, a letter first, and no reserved word
     * @throws IllegalArgumentException if it is another one
     */
    public ProcessesBuilder schema(String name) {
        options.schema(name);
        return this;
    }

    /**
     * Runs processes of that namespace. Without any, the object only calls processes that other nodes run.
     *
     * @throws IllegalArgumentException if there is one of that name
     */
    public ProcessesBuilder namespace(Namespace namespace) {
        if (namespaces.putIfAbsent(namespace.name(), namespace) != null)
            throw new IllegalArgumentException("the namespace " + namespace.name() + " has a processor already");
        return this;
    }

    /**
     * Runs processes of that namespace, and publishes its notices: they are written to the outbox with their step and
     * passed to the publisher after the commit, at least once, in order for each process. Every node of the namespace
     * should have a publisher.
     *
     * @throws IllegalArgumentException if there is one of that name
     */
    public ProcessesBuilder namespace(Namespace namespace, Publisher publisher) {
        namespace(namespace.toBuilder().outbox(true).build());
        publishers.put(namespace.name(), publisher);
        return this;
    }

    /**
     * Sets the bridge to a framework that binds transactions to threads. {@link Processes#init(Request)} then joins the transaction of the calling
     * thread, if there is one. Other requests do not join it: they are answered by another transaction. Defaults to none.
     */
    public ProcessesBuilder transactions(TransactionBridge to) {
        bridge = Objects.requireNonNull(to, "a bridge to transactions is needed, not null");
        return this;
    }

    /** Sets the codec between values and JSON. Defaults to Jackson. */
    public ProcessesBuilder codec(PayloadCodec other) {
        codec = other;
        return this;
    }

    /**
     * Sets the shutdown timeout: how long {@link Processes#close} waits for running steps. Defaults to 30 seconds.
     *
     * @throws IllegalArgumentException if it is negative or longer than a thousand years
     */
    public ProcessesBuilder shutdownTimeout(Duration time) {
        options.shutdownTimeout(time);
        return this;
    }

    /**
     * Sets how long {@link Processes#get} waits for a process whose first step has not ended: until the status is not
     * {@code init} any more, for this time at most; then it returns the process as it is. Meanwhile it reads the process up
     * to four times a second, and holds no connection in between. Defaults to 0: a process in status {@code init} is
     * returned at once.
     *
     * @param time 0 to 10 minutes
     */
    public ProcessesBuilder initWait(Duration time) {
        initWait = ProcessReader.checkInitWait(time);
        return this;
    }

    /**
     * Sets the receiver of metrics: durations of requests, steps and notices, outcomes of steps, processes that wait.
     * Defaults to none, which costs nothing. The manual lists their names.
     */
    public ProcessesBuilder metrics(Metrics to) {
        options.metrics(to);
        return this;
    }

    /**
     * Runs processors in virtual threads. Defaults to platform threads, named {@code howdah-process-<namespaces>-<number>}, started when
     * there is a step to run. Virtual threads suit processors that mostly wait for a network; those that compute keep all other virtual threads
     * of the program waiting.
     *
     * @throws UnsupportedOperationException before JDK 21
     */
    public ProcessesBuilder virtualThreads() {
        Threads.requireVirtual();
        threads = Threads::virtual;
        return this;
    }

    /**
     * Sets the name of the node in tables and logs. Defaults to the process id.
     *
     * @throws IllegalArgumentException if it is empty, longer than 200 characters, or has a control character
     */
    public ProcessesBuilder nodeName(String text) {
        options.name(text);
        return this;
    }

    /**
     * Creates the tables or brings them up to date, and starts the node.
     *
     * @throws ProcessException if the database cannot be used, or the data source lends sessions for a transaction only
     */
    public Processes start() {
        ConnectionSource source = options.source();
        ConnectionSource sessions = options.sessions();
        try {
            NamespaceRegistry known = new NamespaceRegistry(source);
            ProcessMetrics meters = new ProcessMetrics(options.metrics());
            checkConnections();
            List<NamespaceSlots> served = NodeOptions.prepare(() -> serve(sessions, known, meters));
            ProcessNodeSupervisor supervisor =
                    new ProcessNodeSupervisor(sessions, source, options.name(), served, meters, threads);
            supervisor.start();
            RequestClient requests =
                    new RequestClient(source, known, served, supervisor, codec, meters, new CallerTransaction(bridge));
            ProcessQueries queries = new ProcessQueries(source, codec);
            return new Processes(
                    known,
                    served,
                    supervisor,
                    requests,
                    queries,
                    new ProcessReader(known, queries, initWait),
                    new Notices(source, known),
                    messengers(served),
                    options.shutdownTimeout());
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "processes cannot run on this database: " + ProcessSqlErrors.clear(e),
                    e);
        }
    }

    private List<NamespaceSlots> serve(ConnectionSource sessions, NamespaceRegistry known, ProcessMetrics meters)
            throws SQLException {
        try (Connection connection = sessions.getConnection()) {
            String objection = PoolerCheck.objection(sessions, connection);
            if (objection != null)
                throw new ProcessException(
                        ProcessException.Reason.DATABASE,
                        objection + " give ProcessesBuilder.sessionDataSource a data source that reaches"
                                + " PostgreSQL itself, or a pool with pool_mode = session");
            ProcessSchema.MIGRATIONS.migrate(connection);
            return known.serve(connection, namespaces.values(), codec, meters);
        }
    }

    /** Says how many connections are needed, and refuses pools that have fewer. */
    private void checkConnections() throws SQLException {
        int kept = KEPT + publishers.size();
        String lasting = "a node keeps " + kept + " connections";
        String shortly = "one for each call while it is written or read";
        ConnectionSource source = options.source();
        ConnectionSource sessions = options.sessions();
        String cleaning = "one now and then to remove what has finished";
        if (sessions == source) {
            source.require(
                    kept + 1,
                    "processes need connections: " + lasting + ", " + cleaning + ", and " + shortly
                            + "; make the pool larger, or give ProcessesBuilder.sessions a data source without a pool");
        } else {
            sessions.require(
                    kept + 1,
                    "processes need connections of ProcessesBuilder.sessions: " + lasting + ", and " + cleaning);
            source.require(1, "processes need connections: " + shortly + "; make the pool larger");
        }
        SaidOnce.info(log, "processes: " + lasting + ", " + cleaning + ", and " + shortly);
    }

    private List<OutboxRelay> messengers(List<NamespaceSlots> served) {
        List<OutboxRelay> messengers = new ArrayList<>();
        for (NamespaceSlots each : served) {
            Publisher publisher = publishers.get(each.namespace().name());
            if (publisher != null) messengers.add(new OutboxRelay(options.sessions(), each, publisher, codec));
        }
        messengers.forEach(OutboxRelay::start);
        return messengers;
    }
}
