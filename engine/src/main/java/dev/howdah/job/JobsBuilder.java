package dev.howdah.job;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.internal.options.NodeOptions;
import dev.howdah.job.internal.claim.ConcurrencyLimits;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.handler.HandlerRegistration;
import dev.howdah.job.internal.handler.HandlerRegistry;
import dev.howdah.job.internal.handler.KindAgreement;
import dev.howdah.job.internal.insert.AddInterceptors;
import dev.howdah.job.internal.node.JobAssembly;
import dev.howdah.job.internal.node.JobNodeSupervisor;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.worker.WorkerOptions;
import dev.howdah.job.query.FailedJob;
import dev.howdah.job.workflow.Workflows;
import dev.howdah.spi.JobDemand;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TransactionBridge;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handlers and settings of a {@link Jobs}. Not safe for use by many threads. */
public final class JobsBuilder {
    private final NodeOptions nodeOptions;
    private boolean ownSessions;
    private final HandlerRegistry handlers = new HandlerRegistry();
    private final Map<String, KindAgreement.Handled> handled = new HashMap<>();
    private final WorkerOptions workers = new WorkerOptions();
    private final List<ConcurrencyLimits.Limit> limits = new ArrayList<>();
    private final List<NewJob.Interceptor> addInterceptors = new ArrayList<>();
    private final List<Consumer<FailedJob>> failureListeners = new ArrayList<>();
    private PayloadCodec codec = new JacksonCodec();
    private @Nullable TransactionBridge bridge;
    private RetryPolicy retries = RetryPolicy.standard();
    private Duration timeout = Duration.ZERO;
    private int doneDays = 7;
    private int failedDays = 30;
    private boolean keeps;
    private Logger log = LoggerFactory.getLogger(JobExecutor.class);

    JobsBuilder(DataSource source) {
        this.nodeOptions = new NodeOptions(source);
    }

    /**
     * Registers the handler of a kind.
     *
     * @throws IllegalArgumentException if the kind has a handler already
     */
    public <T> JobsBuilder handle(Kind<T> kind, Handler<T> handler) {
        return handle(kind, handler, options -> {});
    }

    /**
     * Registers the handler of a kind, with options of its own.
     *
     * <pre>{@code
     * Jobs.on(dataSource)
     *         .handle(REPORT, (day, job) -> write(day), options -> options.timeout(Duration.ofMinutes(5)))
     * }</pre>
     *
     * @param options sets the options; called once, before this method returns
     * @throws IllegalArgumentException if the kind has a handler already
     */
    public <T> JobsBuilder handle(Kind<T> kind, Handler<T> handler, Consumer<HandlerOptions> options) {
        return register(kind, false, null, options, (payload, job, connection) -> {
            handler.handle(payload, job);
            return Outcome.done();
        });
    }

    /** As {@link #handle(Kind, Handler)}. */
    public <T> JobsBuilder handle(String kind, Class<T> type, Handler<T> handler) {
        return handle(Kind.of(kind, type), handler);
    }

    /** Registers a handler that returns the outcome of the job. */
    public <T> JobsBuilder handleWithOutcome(Kind<T> kind, OutcomeHandler<T> handler) {
        return handleWithOutcome(kind, handler, options -> {});
    }

    /** As {@link #handleWithOutcome(Kind, OutcomeHandler)}, with options of its own. */
    public <T> JobsBuilder handleWithOutcome(
            Kind<T> kind, OutcomeHandler<T> handler, Consumer<HandlerOptions> options) {
        return register(kind, false, null, options, (payload, job, connection) -> handler.handle(payload, job));
    }

    /** Registers a handler that runs in the job's own transaction: exactly once. */
    public <T> JobsBuilder handleInTransaction(Kind<T> kind, TransactionalHandler<T> handler) {
        return handleInTransaction(kind, handler, options -> {});
    }

    /** As {@link #handleInTransaction(Kind, TransactionalHandler)}, with options of its own. */
    public <T> JobsBuilder handleInTransaction(
            Kind<T> kind, TransactionalHandler<T> handler, Consumer<HandlerOptions> options) {
        return register(kind, true, null, options, HandlerRegistration.Body.inTransaction(done(handler)));
    }

    /**
     * As {@link #handleInTransaction(Kind, TransactionalHandler)}, in sessions of another role, which needs no
     * privilege on the tables of jobs. The owner of the tables grants it two things: {@code howdah.allow(role,
     * 'handler')}, and for each queue {@code howdah.delegate(queue, kind, role)}.
     *
     * @param sessions of the same database, logged in as that role; one is used for each attempt
     */
    public <T> JobsBuilder handleInTransaction(Kind<T> kind, DataSource sessions, TransactionalHandler<T> handler) {
        return handleInTransaction(kind, sessions, handler, options -> {});
    }

    /** As {@link #handleInTransaction(Kind, DataSource, TransactionalHandler)}, with options of its own. */
    public <T> JobsBuilder handleInTransaction(
            Kind<T> kind, DataSource sessions, TransactionalHandler<T> handler, Consumer<HandlerOptions> options) {
        return register(kind, true, beside(sessions), options, HandlerRegistration.Body.inTransaction(done(handler)));
    }

    private ConnectionSource beside(DataSource sessions) {
        ownSessions = true;
        return nodeOptions.source().beside(sessions);
    }

    /**
     * As {@link #handleInTransaction(Kind, TransactionalHandler)}, for a handler that returns the outcome of the job.
     */
    public <T> JobsBuilder handleInTransactionWithOutcome(Kind<T> kind, TransactionalOutcomeHandler<T> handler) {
        return handleInTransactionWithOutcome(kind, handler, options -> {});
    }

    /** As {@link #handleInTransactionWithOutcome(Kind, TransactionalOutcomeHandler)}, with options of its own. */
    public <T> JobsBuilder handleInTransactionWithOutcome(
            Kind<T> kind, TransactionalOutcomeHandler<T> handler, Consumer<HandlerOptions> options) {
        return register(kind, true, null, options, HandlerRegistration.Body.inTransaction(handler));
    }

    private static <T> TransactionalOutcomeHandler<T> done(TransactionalHandler<T> handler) {
        return (payload, job, connection) -> {
            handler.handle(payload, job, connection);
            return Outcome.done();
        };
    }

    /**
     * Registers stages of a pipeline, and claims from its queue.
     *
     * @param stages their names; none: all of them
     * @throws IllegalArgumentException if there is no such stage, or it has a handler already
     */
    public JobsBuilder pipeline(Pipeline pipeline, String... stages) {
        return pipeline(pipeline, options -> {}, stages);
    }

    /** As {@link #pipeline(Pipeline, String...)}, with options of these stages. */
    public JobsBuilder pipeline(Pipeline pipeline, Consumer<HandlerOptions> options, String... stages) {
        handlers.pipeline(pipeline.name());
        for (String each : stages) stage(pipeline, pipeline.find(each), options);
        if (stages.length == 0) for (Pipeline.Stage<?> each : pipeline.stages()) stage(pipeline, each, options);
        return this;
    }

    private <T> void stage(Pipeline pipeline, Pipeline.Stage<T> stage, Consumer<HandlerOptions> options) {
        register(
                stage.kind(),
                stage.transactional(),
                null,
                options,
                (payload, job, connection) ->
                        pipeline.resolve(stage, stage.body().run(payload, job, connection)));
    }

    /** The defaults are those at the start, in any order of defaults and handlers. */
    private <T> JobsBuilder register(
            Kind<T> kind,
            boolean transactional,
            @Nullable ConnectionSource sessions,
            Consumer<HandlerOptions> options,
            HandlerRegistration.Body<T> body) {
        HandlerOptions set = new HandlerOptions();
        options.accept(set);
        register(kind, transactional, sessions, set, body);
        for (Kind<T> each : kind.former()) register(each, transactional, sessions, set, body);
        return this;
    }

    private <T> void register(
            Kind<T> kind,
            boolean transactional,
            @Nullable ConnectionSource sessions,
            HandlerOptions set,
            HandlerRegistration.Body<T> body) {
        handlers.register(
                kind.name(),
                kind.queueOrNull(),
                () -> new HandlerRegistration<>(
                        kind,
                        handlers.intercepted(body),
                        set.retriesOr(kind.retriesOr(retries)),
                        set.timeoutOr(kind.timeoutOr(timeout)),
                        set.resume(),
                        transactional,
                        set.sharedTransaction(),
                        sessions));
        handled.put(kind.name(), new KindAgreement.Handled(kind, set.setsRetries(), set.setsTimeout()));
    }

    /**
     * Adds an interceptor around all handlers, also those that were registered before. The first that is added is the outermost.
     */
    public JobsBuilder intercept(Handler.Interceptor interceptor) {
        handlers.intercept(interceptor);
        return this;
    }

    /**
     * Adds an interceptor of the jobs that are added through this object; the first that is added is called first. It does not see jobs of schedules, members of workflows, and jobs that SQL adds.
     */
    public JobsBuilder interceptAdding(NewJob.Interceptor interceptor) {
        addInterceptors.add(Objects.requireNonNull(interceptor, "an interceptor is needed, not null"));
        return this;
    }

    /**
     * Adds a listener of the jobs that fail for good on this node: with their last attempt, or with an error after which none follows. It is called when that is durable, in a thread of its own,
     * one after the other, and at most once for each job: none after a crash of the program, nor if more than 1,000 wait because listeners are slow, which the log says. Its exceptions
     * are logged. It is also called with jobs of other nodes that have failed because three nodes crashed while they ran them, by the program that recovers the jobs of the last one, whatever kinds
     * that handles. A job that was cancelled is not told; {@code howdah_internal.failed} has them all.
     */
    public JobsBuilder onFailure(Consumer<FailedJob> listener) {
        failureListeners.add(Objects.requireNonNull(listener, "a listener is needed, not null"));
        return this;
    }

    /**
     * Sets the schema of the tables, which is created if it is missing. Defaults to {@code howdah}. Any number of installations in one database
     * have a schema each: apart in tables, functions, privileges, locks and notifications. SQL functions have that schema then, too: {@code acme.add}.
     *
     * @param name 1 to 40 small letters, digits and underscores, a letter first, and no reserved word
     * @throws IllegalArgumentException if it is another one
     * @throws IllegalStateException if a handler in sessions of another role was registered before
     */
    public JobsBuilder schema(String name) {
        if (ownSessions)
            throw new IllegalStateException(
                    "the schema has to be set before handlers with sessions of their own, to " + name);
        nodeOptions.schema(name);
        return this;
    }

    /**
     * Adds queues to claim from, beside those of pipelines and of {@linkplain Kind#queue kinds}. Defaults to {@code default} if there is a
     * handler of a kind that names no queue, and no pipeline.
     */
    public JobsBuilder queues(String... names) {
        for (String each : names) handlers.queue(JobNames.check("queue", each));
        return this;
    }

    /**
     * Sets the maximum number of jobs that run at the same time on this node. Defaults to 10.
     *
     * @throws IllegalArgumentException if it is not 1 to 10,000
     */
    public JobsBuilder concurrency(int jobs) {
        workers.concurrency(jobs);
        return this;
    }

    /**
     * Bounds the jobs that the node claims by a demand, for handlers that hand jobs on to other programs. Defaults to as many as
     * {@link #concurrency} has places for, and a few ahead.
     */
    public JobsBuilder demand(JobDemand of) {
        workers.demand(of);
        return this;
    }

    /**
     * Limits the jobs of a queue that run at the same time on this node; {@link JobAdmin#setLimit(String, int)} limits all nodes together.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public JobsBuilder nodeLimit(String queue, int jobs) {
        limits.add(
                new ConcurrencyLimits.Limit(JobNames.check("queue", queue), null, true, ConcurrencyLimits.check(jobs)));
        return this;
    }

    /** As {@link #nodeLimit(String, int)}, for one kind of the queue. */
    public JobsBuilder nodeLimit(String queue, String kind, int jobs) {
        limits.add(new ConcurrencyLimits.Limit(
                JobNames.check("queue", queue), JobNames.check("kind", kind), true, ConcurrencyLimits.check(jobs)));
        return this;
    }

    /**
     * Runs handlers in virtual threads. Defaults to platform threads, named {@code howdah-job-<queues>-<number>}, started when
     * there is work, at most {@link #concurrency}. Virtual threads suit many handlers that mostly wait for a network; handlers that compute
     * keep all other virtual threads of the program waiting, since those share as many platform threads as there are cores.
     *
     * @throws UnsupportedOperationException before JDK 21
     */
    public JobsBuilder virtualThreads() {
        workers.virtualThreads();
        return this;
    }

    /**
     * Runs handlers in threads of that factory, as many as {@link #concurrency} says at most, started when there is work. They live until
     * {@link Jobs#close}: let them be daemon threads if the program may end without it.
     */
    public JobsBuilder threadFactory(ThreadFactory factory) {
        workers.threadFactory(factory);
        return this;
    }

    /**
     * Runs handlers in threads of that executor, as many tasks of it at a time as {@link #concurrency} says at most. A task runs jobs one after the
     * other and ends when there has been no work for a second, so that the executor can be shared; it is not shut down. If the executor rejects a task
     * it is tried again with the next jobs; if it has fewer threads, fewer jobs run at a time.
     *
     * @param executor has to run tasks in threads of its own, not in the thread that calls it
     */
    public JobsBuilder executor(Executor executor) {
        workers.executor(executor);
        return this;
    }

    /**
     * Sets when a handler is abandoned that does not stop when it is interrupted, since its time is over, its job was cancelled, or the node has lost
     * its claim. Its attempt then counts as ended: by timeout, with the next attempt as the retry policy says, or as cancelled. Another thread takes its place.
     * What the handler does later counts for nothing: a transaction of the job is rolled back, and methods of {@link Job} that write throw a {@link
     * JobsException}. It may still do harm elsewhere while the next attempt runs; give {@link Job#fencingToken} to other systems. Defaults to 30 seconds
     * and as many handlers as {@link #concurrency} says.
     *
     * @param grace how long after the interrupt
     * @param most so many abandoned handlers get another thread in their place at a time; each further one keeps its place until it ends. 0: all
     *     keep their places
     * @throws IllegalArgumentException if the grace is negative or longer than a thousand years, or {@code most} is not 0 to 10,000
     */
    public JobsBuilder abandonAfter(Duration grace, int most) {
        workers.abandonAfter(grace, most);
        return this;
    }

    /** Never abandons a handler: one that does not stop when it is interrupted keeps its place, and its result counts. */
    public JobsBuilder neverAbandon() {
        workers.neverAbandon();
        return this;
    }

    /**
     * Sets the retry policy of handlers that have none of their own. Defaults to {@link RetryPolicy#standard}.
     */
    public JobsBuilder defaultRetries(RetryPolicy policy) {
        retries = Objects.requireNonNull(policy, "a retry policy is needed, not null");
        return this;
    }

    /**
     * Sets the maximum run time of one attempt, for handlers that have none of their own. On timeout the handler's
     * thread is interrupted, and the exception that the handler then throws fails the attempt. A handler that ignores
     * the interrupt and returns normally before it is {@linkplain #abandonAfter abandoned} has done its job. Defaults to
     * zero: no limit.
     *
     * @throws IllegalArgumentException if it is negative or too long
     */
    public JobsBuilder defaultTimeout(Duration time) {
        timeout = Durations.check(time);
        return this;
    }

    /**
     * Sets the shutdown timeout: how long {@link Jobs#close} waits for running handlers. Defaults to 30 seconds.
     *
     * @throws IllegalArgumentException if it is negative or longer than a thousand years
     */
    public JobsBuilder shutdownTimeout(Duration time) {
        nodeOptions.shutdownTimeout(time);
        return this;
    }

    /**
     * Sets the name of the node in tables and logs. Defaults to the process id.
     *
     * @throws IllegalArgumentException if it is empty, longer than 200 characters, or has a control character
     */
    public JobsBuilder nodeName(String text) {
        nodeOptions.name(text);
        return this;
    }

    /**
     * Sets the version of the program, by which charts of the console mark its deployments. Defaults to that of Howdah.
     *
     * @throws IllegalArgumentException if it is empty, longer than 200 characters, or has a control character
     */
    public JobsBuilder nodeVersion(String text) {
        nodeOptions.version(text);
        return this;
    }

    /**
     * Sets the data source of the kept connections. Defaults to the data source of {@link Jobs#on}. If that is a small
     * pool, or a pooler that lends sessions for a transaction only, use one without a pool that reaches the server
     * itself; pgjdbc's {@code PGSimpleDataSource} is best, since a sleeping node then wakes a millisecond sooner.
     */
    public JobsBuilder sessionDataSource(DataSource direct) {
        nodeOptions.sessions(direct);
        return this;
    }

    /** Sets the codec between payloads and JSON. Defaults to Jackson. */
    public JobsBuilder codec(PayloadCodec other) {
        codec = other;
        return this;
    }

    /**
     * Sets the bridge to a framework that binds transactions to threads. Methods of {@link Jobs} and {@link Workflows} that add jobs without a
     * connection then join the transaction of the calling thread, if there is one: the jobs exist if, and only if, it commits. Handlers
     * in the job's own transaction run in one of the framework, except those with sessions of another role. Defaults to none.
     */
    public JobsBuilder transactions(TransactionBridge to) {
        bridge = Objects.requireNonNull(to, "a bridge to transactions is needed, not null");
        return this;
    }

    /**
     * Sets the receiver of metrics: jobs added, claimed and ended, run times of handlers, jobs that wait. Defaults to
     * none, which costs nothing. The manual lists their names.
     */
    public JobsBuilder metrics(Metrics to) {
        nodeOptions.metrics(to);
        return this;
    }

    /**
     * Sets how long completed and failed jobs are kept, in whole days; a part of a day counts as a day. Defaults to 7
     * and 30 days.
     *
     * @throws IllegalArgumentException if one is negative or longer than 100,000 days
     */
    public JobsBuilder retention(Duration done, Duration failed) {
        doneDays = Durations.days(done);
        failedDays = Durations.days(failed);
        return this;
    }

    /**
     * Makes this program a node although it has no handler: it adds the jobs of schedules, removes the history that retention rules
     * name, counts, and gives back the jobs of crashed nodes. Takes two connections. History without a retention rule is left to
     * programs with handlers, which may keep it for longer. Without effect beside a handler.
     */
    public JobsBuilder keepDatabase() {
        keeps = true;
        return this;
    }

    /**
     * Creates the tables or brings them up to date, and starts a node if there is a handler, or {@link #keepDatabase} was called.
     *
     * @throws JobsException if the database cannot be used, or the data source lends sessions for a transaction only
     */
    public Jobs start() {
        try {
            JobAssembly parts = assembly();
            if (handlers.isEmpty() && !keeps) return jobs(parts, null);
            JobExecutor executor = parts.executor(failureListeners, log);
            return jobs(parts, parts.startNode(executor, limits, doneDays, failedDays));
        } catch (SQLException e) {
            throw unusable(e);
        }
    }

    /**
     * As {@link #start}, but jobs run only when {@link ManualJobs#runDue} is called: for tests.
     *
     * @throws JobsException if the database cannot be used, or the data source lends sessions for a transaction only
     */
    public ManualJobs manual() {
        try {
            JobAssembly parts = assembly();
            return ManualJobs.open(
                    jobs(parts, null),
                    nodeOptions.sessions(),
                    parts.executor(failureListeners, log),
                    parts.rows(),
                    parts.lanes(),
                    handlers.queueNames(),
                    nodeOptions.name());
        } catch (SQLException e) {
            throw unusable(e);
        }
    }

    /**
     * Returns the operations on jobs that exist, in the database of the data source, without a start: nothing is created, no connection is kept.
     * For programs that only look at jobs and change them.
     */
    public JobAdmin admin() {
        return new JobAdmin(nodeOptions.source());
    }

    /**
     * Returns the schedules in the database of the data source, without a start, as {@link #admin} does.
     */
    public Schedules schedules() {
        return new Schedules(nodeOptions.source(), codec);
    }

    private static JobsException unusable(SQLException e) {
        return new JobsException("jobs cannot run on this database: " + e.getMessage(), e);
    }

    /** Where failed attempts are logged: for tests. */
    JobsBuilder log(Logger to) {
        log = to;
        return this;
    }

    private JobAssembly assembly() throws SQLException {
        KindAgreement kinds = new KindAgreement(
                new KindAgreement.Terms(Kind::hasOtherRetries, Kind::hasOtherTimeout, JobsBuilder::queue),
                handled,
                handlers.queueNames(),
                codec,
                log);
        return new JobAssembly(
                nodeOptions, handlers, workers, codec, bridge, new AddInterceptors(addInterceptors), kinds);
    }

    private Jobs jobs(JobAssembly parts, @Nullable JobNodeSupervisor node) {
        return new Jobs(
                nodeOptions.source(), parts.inserter(), parts.awaiter(), codec, nodeOptions.shutdownTimeout(), node);
    }

    private static String queue(Kind<?> kind) {
        String queue = kind.queueOrNull();
        return queue == null ? NewJob.DEFAULT_QUEUE : queue;
    }
}
