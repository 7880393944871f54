package dev.howdah.beans.internal.node;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.JobsException;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.spi.TransactionBridge;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Howdah in the database of one data source of an application: what beans use to add and call, each made when it is first asked for, and the node
 * that runs jobs and processes from {@link #start} until {@link #close}. Safe for use by many threads.
 */
public final class Installation implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Installation.class);

    private final String name;
    private final InstallationSettings settings;
    private final DataSource pool;
    private final DataSource sessions;
    private final TransactionBridge transactions;
    private final NodeBuilders builders;

    private @Nullable Jobs adding;
    private @Nullable Processes calling;
    private volatile @Nullable Jobs jobs;
    private volatile @Nullable Processes processes;
    private volatile List<BeanMethod> methods = List.of();
    private volatile boolean running;
    /** In nanoseconds of {@link System#nanoTime}; null: it works. A probe waits for no other call. */
    private final AtomicReference<@Nullable Long> lostSince = new AtomicReference<>();

    /**
     * @param name by which handlers name it; empty: that of the application's first data source
     * @param sessions gives the connections that are kept
     * @param transactions of the framework, with that pool
     */
    public Installation(
            String name,
            InstallationSettings settings,
            DataSource pool,
            DataSource sessions,
            TransactionBridge transactions,
            ApplicationBeans beans) {
        this.name = name;
        this.settings = settings;
        this.pool = pool;
        this.sessions = sessions;
        this.transactions = transactions;
        this.builders = new NodeBuilders(
                settings, pool, sessions, transactions, name.isEmpty() ? beans : beans.ofAnotherDataSource());
    }

    /** What beans add jobs with. They may handle jobs themselves: the node that calls them is another object. */
    public synchronized Jobs jobs() {
        if (adding == null) {
            checkJobs();
            try {
                adding = builders.adding().start();
            } catch (JobsException e) {
                throw refused(e);
            }
        }
        return adding;
    }

    /** What beans call processes with. */
    public synchronized Processes processes() {
        if (calling == null) {
            checkProcesses();
            try {
                calling = builders.calling().start();
            } catch (ProcessException e) {
                throw refused(e);
            }
        }
        return calling;
    }

    public Sweeps sweeps() {
        return Sweeps.on(pool);
    }

    public TaskTable taskTable() {
        return TaskTable.on(pool, settings.taskSchema(), settings.taskTable());
    }

    /** Of the framework. */
    public TransactionBridge transactions() {
        return transactions;
    }

    /** Gives the connections of the application. */
    public DataSource pool() {
        return pool;
    }

    /** Gives the connections that are kept. */
    public DataSource sessions() {
        return sessions;
    }

    /**
     * What runs jobs of these methods, for tests that run them without a node.
     *
     * @throws RefusedStart if a node of this application runs them, too
     */
    public JobsBuilder jobsBuilder(List<BeanMethod> handlers) {
        if (settings.runsJobs())
            throw new RefusedStart(
                    "TestJobs run jobs when a test says so, and a node of this application runs them as well.",
                    "Set " + settings.prefix() + ".jobs.enabled=false for tests.");
        checkJobs();
        return builders.running(handlers);
    }

    /** What runs processes, for tests that run them without a node. */
    public ProcessesBuilder processesBuilder() {
        checkProcesses();
        return builders.runningProcesses();
    }

    /** Those of the methods that handle its jobs. */
    public List<BeanMethod> handlers(List<BeanMethod> all) {
        return all.stream().filter(each -> each.dataSource().equals(name)).toList();
    }

    /** Starts the node, if something is to run here. */
    public synchronized void start(List<BeanMethod> handlers) {
        if (running) return;
        try {
            methods = handlers;
            if (settings.runsJobs() && (!handlers.isEmpty() || builders.hasJobsCustomizers())) {
                checkJobs();
                Jobs node = builders.running(handlers).start();
                jobs = node;
                handlers.forEach(each -> each.store(node));
                log.info("jobs of the kinds {} are handled here{}", kinds(), name.isEmpty() ? "" : ", of " + name);
            }
            if (settings.runsProcesses() && builders.hasProcesses()) {
                checkProcesses();
                processes = builders.runningProcesses().start();
            }
            running = true;
        } catch (JobsException | ProcessException e) {
            close();
            throw refused(e);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private RefusedStart refused(RuntimeException e) {
        return new RefusedStart(
                "Howdah cannot use the application's data source: " + e.getMessage() + ".",
                "It needs PostgreSQL 13 or newer and its driver, sessions that last (see " + settings.prefix()
                        + ".sessions.url for PgBouncer), and the privilege to make tables, unless they are there.",
                e);
    }

    /** Stops the node and waits for running handlers, which may add jobs until they end. A second call does nothing. */
    public synchronized void stop() {
        running = false;
        Processes runsProcesses = processes;
        Jobs runsJobs = jobs;
        jobs = null;
        processes = null;
        try (runsProcesses;
                runsJobs) {
            if (runsJobs != null) log.info("stops, and waits for running jobs for {}", settings.shutdownTimeout());
        }
    }

    /** Stops the node, and closes what beans use. */
    @Override
    public synchronized void close() {
        Processes calls = calling;
        Jobs adds = adding;
        try (adds;
                calls) {
            stop();
        }
        adding = null;
        calling = null;
    }

    /** The check of the tables of a feature. */
    private interface Check {
        boolean isInstalled(Connection connection, String schema) throws SQLException;
    }

    private void checkJobs() {
        check("jobs", "job", "Jobs", Jobs::isInstalled, Jobs.schemaVersion());
    }

    private void checkProcesses() {
        check("processes", "process", "Processes", Processes::isInstalled, Processes.schemaVersion());
    }

    private void check(String what, String feature, String type, Check check, int version) {
        String byOthers = settings.tablesByOthers();
        if (byOthers == null) return;
        String schema = settings.schema();
        try (Connection connection = sessions.getConnection()) {
            if (check.isInstalled(connection, schema)) return;
        } catch (SQLException e) {
            throw new RefusedStart(
                    "The tables of " + what + " cannot be looked at: " + e.getMessage() + ".",
                    "Make the database reachable, and see that its tables fit this version of Howdah.",
                    e);
        }
        boolean usual = schema.equals("howdah");
        throw new RefusedStart(
                "The tables of " + what + " are missing in the schema " + schema + ", or older than version " + version
                        + ", and " + byOthers,
                "Add the SQL that ./howdah " + feature + " schema --from 0 --to " + version
                        + (usual ? "" : " --installation " + schema) + " prints (or " + type + ".schema("
                        + (usual ? "" : "\"" + schema + "\", ") + "0, " + version
                        + ")) to its migrations, or let Howdah make its tables: " + settings.prefix()
                        + ".install=start.");
    }

    /** By which handlers name it; empty: that of the application's first data source. */
    String name() {
        return name;
    }

    /** Whether it has been started, and not closed. */
    public boolean isRunning() {
        return running;
    }

    /** Why the node does not work; null: it works, or nothing is to run here. */
    @Nullable
    String obstacle() {
        Jobs runsJobs = jobs;
        Processes runsProcesses = processes;
        String obstacle = runsJobs == null ? null : runsJobs.obstacle();
        return obstacle != null || runsProcesses == null ? obstacle : runsProcesses.obstacle();
    }

    /** For how long the node has not worked, since this was asked for the first time in that time. */
    public Duration lost() {
        boolean works = obstacle() == null;
        long now = System.nanoTime();
        Long since = lostSince.updateAndGet(was -> works ? null : was == null ? (Long) now : was);
        return since == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, now - since));
    }

    /** The kinds that methods of beans handle. */
    public List<String> kinds() {
        return methods.stream().map(each -> each.kind().name()).sorted().toList();
    }

    /** Of jobs; null: this application runs none. */
    public @Nullable Jobs runsJobs() {
        return jobs;
    }

    /** Of processes; null: this application runs none. */
    public @Nullable Processes runsProcesses() {
        return processes;
    }

    public InstallationSettings settings() {
        return settings;
    }
}
