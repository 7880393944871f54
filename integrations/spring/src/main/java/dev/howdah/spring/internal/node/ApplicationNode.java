package dev.howdah.spring.internal.node;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.spring.HowdahProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs jobs and processes while the application runs: starts when all beans are there, and stops before one is closed. It can be started again. Safe for use by many
 * threads.
 */
public final class ApplicationNode implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(ApplicationNode.class);

    private final NodeBuilders builders;
    private final HowdahProperties properties;
    private final TablesGuard tables;
    private final OtherInstallations others;

    private volatile @Nullable Jobs jobs;
    /** Of the other installations. */
    private final List<Jobs> more = new CopyOnWriteArrayList<>();

    private volatile @Nullable Processes processes;
    private volatile boolean running;
    private volatile List<String> kinds = List.of();

    public ApplicationNode(
            NodeBuilders builders, HowdahProperties properties, TablesGuard tables, OtherInstallations others) {
        this.others = others;
        this.builders = builders;
        this.properties = properties;
        this.tables = tables;
    }

    @Override
    public synchronized void start() {
        if (running) return;
        try {
            if (properties.jobs().enabled()) startJobs();
            if (properties.processes().enabled() && builders.hasNamespaces()) {
                tables.checkProcesses();
                processes = builders.processNode().start();
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

    private void startJobs() {
        List<BeanMethod> handlers = builders.handlers();
        kinds = names(handlers);
        jobs = started(builders, tables, handlers);
        if (jobs != null) log.info("jobs of the kinds {} are handled here", kinds);
        for (OtherInstallations.Parts each : others.all()) {
            List<BeanMethod> theirs = each.builders().handlers();
            Jobs node = started(each.builders(), each.tables(), theirs);
            if (node == null) continue;
            more.add(node);
            log.info(
                    "jobs of the kinds {} of {} are handled here",
                    names(theirs),
                    theirs.get(0).dataSource());
        }
    }

    private static List<String> names(List<BeanMethod> handlers) {
        return handlers.stream().map(each -> each.kind().name()).sorted().toList();
    }

    /** Null: there is nothing to handle. */
    private static @Nullable Jobs started(NodeBuilders builders, TablesGuard tables, List<BeanMethod> handlers) {
        if (handlers.isEmpty() && !builders.hasJobsCustomizer()) return null;
        tables.checkJobs();
        Jobs node = builders.node(handlers).start();
        try {
            handlers.forEach(each -> each.store(node));
        } catch (RuntimeException | Error e) {
            node.close();
            throw e;
        }
        return node;
    }

    /** What adds jobs and asks for them. */
    public static Jobs adding(NodeBuilders builders, TablesGuard tables) {
        tables.checkJobs();
        try {
            return builders.adding().start();
        } catch (JobsException e) {
            throw refused(e);
        }
    }

    /** What the library says about the database. */
    public static RefusedStart refused(RuntimeException e) {
        return new RefusedStart(
                "Howdah cannot use the application's data source: " + e.getMessage() + ".",
                "It needs PostgreSQL 13 or newer and its driver, sessions that last (see howdah.sessions.url for PgBouncer), and"
                        + " the privilege to make tables unless howdah.install=never.",
                e);
    }

    @Override
    public void stop() {
        close();
    }

    @Override
    public void stop(Runnable callback) {
        Thread thread = new Thread(
                () -> {
                    try {
                        close();
                    } finally {
                        callback.run();
                    }
                },
                "howdah-stop");
        thread.start();
    }

    private synchronized void close() {
        running = false;
        Processes runsProcesses = processes;
        Jobs runsJobs = jobs;
        jobs = null;
        processes = null;
        List<Jobs> all = new ArrayList<>(more);
        more.clear();
        if (runsJobs != null) all.add(runsJobs);
        try (runsProcesses) {
            if (!all.isEmpty())
                log.info(
                        "stops, and waits for running jobs for {} s",
                        properties.shutdownTimeout().toMillis() / 1e3);
            // At the same time: each may wait for as long.
            all.parallelStream().forEach(Jobs::close);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The kinds that methods of beans handle. */
    public List<String> kinds() {
        return kinds;
    }

    /** Of jobs; null: this application runs none. */
    public @Nullable Jobs jobs() {
        return jobs;
    }

    /** Of processes; null: this application runs none. */
    public @Nullable Processes processes() {
        return processes;
    }
}
