package dev.howdah.job.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.options.NodeOptions;
import dev.howdah.internal.run.ListenerQueue;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.await.JobAwaiter;
import dev.howdah.job.internal.batch.BatchMetrics;
import dev.howdah.job.internal.claim.ConcurrencyLimits;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.handler.HandlerRegistry;
import dev.howdah.job.internal.insert.AddInterceptors;
import dev.howdah.job.internal.insert.InsertRowFactory;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.job.internal.maintain.JobMaintenance;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.worker.WorkerOptions;
import dev.howdah.job.query.FailedJob;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TransactionBridge;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Makes the parts of a program with jobs from its settings, as they are at one start. For one thread. */
public final class JobAssembly {
    private final NodeOptions options;
    private final HandlerRegistry handlers;
    private final WorkerOptions workers;
    private final PayloadCodec codec;
    private final @Nullable TransactionBridge bridge;
    private final ConnectionSource source;
    private final ConnectionSource sessions;
    private final JobMetrics metrics;
    private final JobSetup setup;
    private final LaneRegistry lanes;
    private final JobInserter inserter;
    private final BiConsumer<NewJob<?>, String> added;

    /**
     * Creates the tables, or brings them up to date.
     *
     * @param bridge to the transactions of a framework; null: there is none
     * @param interceptors of jobs that are added
     * @param added gets each job that is to be added, with its payload in JSON
     */
    public JobAssembly(
            NodeOptions options,
            HandlerRegistry handlers,
            WorkerOptions workers,
            PayloadCodec codec,
            @Nullable TransactionBridge bridge,
            AddInterceptors interceptors,
            BiConsumer<NewJob<?>, String> added)
            throws SQLException {
        this.bridge = bridge;
        this.added = added;
        this.options = options;
        this.handlers = handlers;
        this.workers = workers;
        this.codec = codec;
        this.source = options.source();
        this.sessions = options.sessions();
        this.metrics = new JobMetrics(options.metrics());
        this.setup =
                new JobSetup(source, sessions, !handlers.isEmpty(), handlers.hasTransactional(), workers.concurrency());
        // Beside the first connections, which take as long.
        Threads.daemon("howdah-job-prepare", handlers.preparation(codec)).start();
        this.lanes = NodeOptions.prepare(setup::prepare);
        this.inserter = new JobInserter(source, sessions, rows(), metrics, setup.writers(), interceptors, bridge);
    }

    public LaneRegistry lanes() {
        return lanes;
    }

    public InsertRowFactory rows() {
        return new InsertRowFactory(lanes, codec, added);
    }

    /** For the program, and for the children that its handlers add. */
    public JobInserter inserter() {
        return inserter;
    }

    public JobAwaiter awaiter() {
        return setup.awaiter();
    }

    /** @param log where failed attempts are logged */
    public JobExecutor executor(List<Consumer<FailedJob>> failureListeners, Logger log) {
        BatchMetrics told = new BatchMetrics(
                metrics, new ListenerQueue<>("howdah-job-failed", "failed jobs", failureListeners), workers.demand());
        return new JobExecutor(
                source, codec, handlers.handlers(), lanes, inserter, told, log, workers.abandonPolicy(), bridge);
    }

    /**
     * Starts a node.
     *
     * @param doneDays for how many days completed jobs are kept
     * @param failedDays for how many days failed jobs are kept
     */
    public JobNodeSupervisor startNode(
            JobExecutor executor, List<ConcurrencyLimits.Limit> limits, int doneDays, int failedDays)
            throws SQLException {
        Set<String> queues = handlers.isEmpty() ? Set.of() : handlers.queueNames();
        NodeConfig config = new NodeConfig(
                options.name(), options.version(), queues, workers.concurrency(), workers.threads(), limits);
        JobNodeSupervisor node = new JobNodeSupervisor(
                sessions,
                config,
                executor,
                lanes,
                new JobMaintenance(sessions, rows(), metrics, executor.notes()),
                handlers.isEmpty()
                        ? HistoryCleaner.removingNothing(sessions)
                        : new HistoryCleaner(sessions, doneDays, failedDays));
        node.start();
        return node;
    }
}
