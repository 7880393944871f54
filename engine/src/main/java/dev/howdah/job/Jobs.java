package dev.howdah.job;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.json.CodedType;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.job.history.JobHistory;
import dev.howdah.job.internal.await.JobAwaiter;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.node.JobNodeSupervisor;
import dev.howdah.job.internal.store.DayTables;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobSchema;
import dev.howdah.job.internal.store.SchemaUninstaller;
import dev.howdah.job.internal.wait.SignalSender;
import dev.howdah.job.internal.workflow.StoredWorkflows;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.shard.ShardedJobs;
import dev.howdah.job.shard.ShardedJobsBuilder;
import dev.howdah.job.wait.Emission;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.job.wait.SignalResult;
import dev.howdah.job.workflow.Workflows;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TypeReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Adds jobs to a PostgreSQL database, and runs those that it has handlers for.
 *
 * <pre>{@code
 * record Welcome(String email) {}
 * Kind<Welcome> WELCOME = Kind.of("welcome", Welcome.class);
 *
 * try (Jobs jobs = Jobs.on(dataSource)
 *         .handle(WELCOME, (welcome, job) -> mail(welcome.email()))
 *         .start()) {
 *     jobs.add(WELCOME, new Welcome("ann@example.com"));
 * }
 * }</pre>
 *
 * <p>A node holds four connections: two for claiming, one for LISTEN and liveness, one for maintenance. Jobs and processes over the
 * same data source object, with the same name of the node, are one node and share that for LISTEN and liveness. Adding without a
 * connection opens up to four more, fewer in a small pool: six are enough for all. They have to be sessions: a
 * pooler that lends a session for a transaction only (PgBouncer's transaction mode) is refused, unless {@link
 * JobsBuilder#sessionDataSource} names a data source of sessions. All other connections are borrowed for one transaction each and
 * given back as they were; only the methods that take a connection join a transaction of the caller.
 *
 * <p>Safe for use by many threads.
 */
public final class Jobs implements AutoCloseable {
    private final JobInserter inserter;
    private final Schedules schedules;
    private final JobAdmin admin;
    private final SignalSender signals;
    private final Workflows workflows;
    private final JobAwaiter awaiter;
    private final PayloadCodec codec;
    private final Duration grace;
    private final @Nullable JobNodeSupervisor supervisor;

    Jobs(
            ConnectionSource source,
            JobInserter inserter,
            JobAwaiter awaiter,
            PayloadCodec codec,
            Duration grace,
            @Nullable JobNodeSupervisor supervisor) {
        this.inserter = inserter;
        this.schedules = new Schedules(source, codec);
        this.workflows = new StoredWorkflows(source, inserter, codec);
        this.signals = new SignalSender(source, codec, inserter);
        this.admin = new JobAdmin(source);
        this.awaiter = awaiter;
        this.codec = codec;
        this.grace = grace;
        this.supervisor = supervisor;
    }

    /**
     * Creates the tables of jobs, or brings them up to date, as {@link JobsBuilder#start} does. Their owner is the role of the connection.
     *
     * @param connection in autocommit mode
     */
    public static void install(Connection connection) throws SQLException {
        install(connection, SchemaName.DEFAULT);
    }

    /**
     * As {@link #install(Connection)}, in a schema of that name.
     *
     * @throws IllegalArgumentException as {@link JobsBuilder#schema}
     */
    public static void install(Connection connection, String schema) throws SQLException {
        Connection inSchema = SchemaConnection.of(connection, SchemaName.of(schema));
        JobSchema.MIGRATIONS.migrate(inSchema);
        DayTables.make(inSchema);
    }

    /**
     * Drops the tables of jobs with their rows, and its schemas if they are empty then. Refused while an
     * object of a user depends on them, such as a trigger with {@code howdah.async_trigger}.
     *
     * @param connection in autocommit mode, of the owner of the tables
     * @param force even if nodes work and jobs wait
     * @throws JobsException if they do, unless it is forced
     */
    public static void uninstall(Connection connection, boolean force) throws SQLException {
        uninstall(connection, SchemaName.DEFAULT, force);
    }

    /** As {@link #uninstall(Connection, boolean)}, in a schema of that name; other schemas stay as they are. */
    public static void uninstall(Connection connection, String schema, boolean force) throws SQLException {
        SchemaUninstaller.run(SchemaConnection.of(connection, SchemaName.of(schema)), force);
    }

    /**
     * Returns whether the tables of jobs are there in the version that this program needs, or in a newer one that it can work with: then a start creates and changes none.
     *
     * @param schema as {@link JobsBuilder#schema}
     * @throws SQLException also if it cannot work with the tables: they are too new, or were made by an unreleased version
     */
    public static boolean isInstalled(Connection connection, String schema) throws SQLException {
        return JobSchema.MIGRATIONS.isCurrent(SchemaConnection.of(connection, SchemaName.of(schema)));
    }

    /** Returns the version of the tables of jobs that this program needs: the last one of {@link #schema(int, int)}. */
    public static int schemaVersion() {
        return JobSchema.MIGRATIONS.files().size();
    }

    /** Returns the SQL that creates the tables of jobs in a database that has none. */
    public static String schema() {
        return JobSchema.MIGRATIONS.text();
    }

    /**
     * Returns the SQL that brings the tables of jobs from one version to another, for tools such as Flyway and Liquibase:
     * run it in one transaction. It records the versions, so that programs do not change the tables again.
     *
     * @param from the version that the tables have; 0 if there are none
     * @throws IllegalArgumentException if there are no such versions, or {@code to} is not greater than {@code from}
     */
    public static String schema(int from, int to) {
        return JobSchema.MIGRATIONS.text(from, to);
    }

    /** As {@link #schema(int, int)}, for tables in a schema of that name. */
    public static String schema(String schema, int from, int to) {
        return SchemaName.of(schema).in(schema(from, to));
    }

    /** Jobs in the database of that data source. Nothing happens before {@link JobsBuilder#start}. */
    public static JobsBuilder on(DataSource source) {
        return new JobsBuilder(Objects.requireNonNull(source, "jobs need a data source, not null"));
    }

    /**
     * Jobs in several databases, divided by key, that one set of handlers works: for more than one PostgreSQL carries. Nothing happens before {@link ShardedJobsBuilder#start}.
     *
     * @throws IllegalArgumentException as {@link ShardedJobs#on}
     */
    public static ShardedJobsBuilder on(Map<String, ? extends DataSource> databases) {
        return ShardedJobs.on(databases);
    }

    /**
     * Adds a job to the queue of its kind ({@code default} if that names none), due now, in a transaction of its own, and returns when it is durable;
     * or in the transaction of the calling thread, if there is a {@linkplain JobsBuilder#transactions bridge} to it.
     *
     * @return the id of the job
     * @throws IllegalArgumentException if the payload cannot be converted to JSON
     * @throws JobsException if the database refuses it; if the connection is lost meanwhile, the job may have been added
     */
    public <T> long add(Kind<T> kind, T payload) {
        return add(NewJob.of(kind, payload)).id();
    }

    /**
     * Adds a job in a transaction of its own, and returns when it is durable. A job with a key is not added while a job
     * of the same queue, kind and key waits or runs. With {@link NewJob#version} a newer version is added all the same:
     * it replaces the waiting job, and keeps its id, or runs after the running job. A version that is not newer than all
     * before is not added, even if no job waits or runs; versions are remembered for as long as failed jobs are kept.
     *
     * @return the id, and whether the job was added: always, without a key
     * @throws IllegalArgumentException if the payload cannot be converted to JSON
     * @throws JobsException if the database refuses it; if the connection is lost meanwhile, the job may have been added
     */
    public AddResult add(NewJob<?> job) {
        return inserter.add(job);
    }

    /**
     * As {@link #add(NewJob)}, without waiting: returns at once, and the future completes when the job is durable. Jobs that are added meanwhile are written
     * together, so that one thread adds many times more jobs than by waiting for each.
     *
     * <p>The payload is converted before this returns. Jobs without a key that one thread adds are written in its order, so that their ids grow;
     * those with a key are written one by one, four at a time. A job that is refused fails alone. When the database cannot be reached all that are being
     * written fail, as from {@link #add(NewJob)}; nothing is tried again.
     *
     * <p>At most 10,000 jobs, or 64 million characters of payloads, are not completed at a time: beyond that this method waits until others are. Futures complete
     * in a thread of this object, one after the other: stages that depend on them should not block, or use a thread of their own ({@code thenApplyAsync}). {@link #close}
     * waits for the jobs that are being written, for {@link JobsBuilder#shutdownTimeout} at most, and fails the rest. Cancelling a future does not prevent
     * the job.
     *
     * @return completes with the result of {@link #add(NewJob)}, or exceptionally with the exception that it would throw
     */
    public CompletableFuture<AddResult> addAsync(NewJob<?> job) {
        return inserter.addAsync(Objects.requireNonNull(job, "a job is needed, not null"));
    }

    /** As {@link #addAsync(NewJob)}, due now, in the queue of its kind. The future completes with the id. */
    public <T> CompletableFuture<Long> addAsync(Kind<T> kind, T payload) {
        return addAsync(NewJob.of(kind, payload)).thenApply(AddResult::id);
    }

    /**
     * As {@link #add(NewJob)}, in the caller's transaction: the job exists if, and only if, the transaction commits. On a
     * connection in autocommit mode it is durable at once. Other adds with the same key wait until the transaction ends.
     *
     * @return the id, and whether the job was added, if the transaction commits
     */
    public AddResult add(Connection connection, NewJob<?> job) {
        return inserter.add(connection, job);
    }

    /** As {@link #add(Connection, NewJob)}, due now, in the queue of its kind. */
    public <T> long add(Connection connection, Kind<T> kind, T payload) {
        return add(connection, NewJob.of(kind, payload)).id();
    }

    /**
     * Adds all jobs in one transaction of its own. Much faster than one by one. Of a job with a key whether it was added is
     * said by {@link #addEach(List)}.
     *
     * @return their ids, in their order; for a job that was not added because of its key, the id of the job that has the key
     */
    public List<Long> addAll(List<? extends NewJob<?>> jobs) {
        return inserter.addAll(jobs);
    }

    /** As {@link #addAll(List)}, in the caller's transaction. */
    public List<Long> addAll(Connection connection, List<? extends NewJob<?>> jobs) {
        return inserter.addAll(connection, jobs);
    }

    /**
     * As {@link #addAll(List)}, and says of each job whether it was added. The results are those of {@link #add(NewJob)} for
     * each job, in their order. Of up to 50,000 jobs the keys are locked in an order of their own, so that two calls with
     * the same keys, each in a transaction of its own, never deadlock; of more, or with jobs between them that have an order
     * key, they can.
     *
     * @return the id of each job, and whether it was added, in their order
     * @throws IllegalArgumentException if a payload cannot be converted to JSON
     * @throws JobsException if the database refuses them: none is added then; if the connection is lost meanwhile, all of
     *     them may have been added
     */
    public List<AddResult> addEach(List<? extends NewJob<?>> jobs) {
        return inserter.addEach(jobs);
    }

    /** As {@link #addEach(List)}, in the caller's transaction. Other adds with the same keys wait until it ends. */
    public List<AddResult> addEach(Connection connection, List<? extends NewJob<?>> jobs) {
        return inserter.addEach(connection, jobs);
    }

    /**
     * Waits until a job is done, failed or cancelled, on any node. Between its start and its end no statement is run for that but one
     * every few seconds: the end of the job is notified. The first job that is waited for opens one more connection, which is
     * kept while jobs are waited for and ten seconds longer.
     *
     * @return the job with its result or error, also if it ended before this call
     * @throws TimeoutException if it has not ended by then; it goes on
     * @throws InterruptedException if the thread is interrupted; the job goes on
     * @throws JobsException if there is no such job, its history has been removed, its transaction has not been committed, or the
     *     database cannot be asked
     */
    public JobSummary await(long id, Duration timeout) throws InterruptedException, TimeoutException {
        CompletableFuture<JobSummary> end = awaitAsync(id);
        try {
            return end.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof JobsException failure) throw failure;
            throw new JobsException("waiting for job " + id + " failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            TimeoutException over = new TimeoutException("job " + id + " has not ended within " + timeout);
            over.initCause(e);
            throw over;
        } finally {
            end.cancel(false);
        }
    }

    /**
     * As {@link #await}, without blocking until the end: asks the database at most three times, then returns. The future completes in a
     * thread of this object, which must not be blocked; exceptionally with a {@link JobsException} if the job is not there any more, or this
     * object is closed. Cancelling the future ends the waiting, not the job.
     *
     * @throws JobsException if the database cannot be asked
     */
    public CompletableFuture<JobSummary> awaitAsync(long id) {
        return awaiter.await(id);
    }

    /**
     * The result of a job, when it is done; null if its handler has set none. The future completes exceptionally with a {@link JobsException} that
     * says what happened if the job fails, is cancelled, or is not there any more.
     *
     * @param type to which the codec converts the result
     * @throws JobsException if the database cannot be asked
     */
    public <R> CompletableFuture<@Nullable R> result(long id, Class<R> type) {
        return result(id, CodedType.of(type, "the result of job " + id));
    }

    /** As {@link #result(long, Class)}, of a generic type: {@code new TypeReference<List<Line>>() {}}. */
    public <R> CompletableFuture<@Nullable R> result(long id, TypeReference<R> type) {
        return result(id, CodedType.of(type, "the result of job " + id));
    }

    private <R> CompletableFuture<@Nullable R> result(long id, CodedType<R> type) {
        return awaitAsync(id).thenApply(job -> {
            String result = job.result();
            PayloadCodec.Subject subject = new PayloadCodec.Subject(PayloadCodec.Use.RESULT, job.kind());
            if (job.state() == JobState.DONE) return result == null ? null : type.decode(codec, result, subject);
            String error = Objects.requireNonNullElse(job.error(), "");
            throw new JobsException("job " + id + (job.state() == JobState.FAILED ? " has failed" : " was cancelled")
                    + (error.isEmpty() ? "" : ": " + error.lines().findFirst().orElse("")));
        });
    }

    /**
     * Signals a job, whose handler waits for it by {@link Job#await}, or will: in a transaction of its own, or in that of the calling thread, if there is a
     * {@linkplain JobsBuilder#transactions bridge} to it.
     *
     * @param name that the handler waits for
     * @param payload that the codec can convert to JSON, 64 kB at most; null: none
     * @throws IllegalArgumentException if the payload cannot be converted to JSON
     * @throws JobsException if the database refuses it: it is too large, or the job has 1,000 signals that it has not read
     */
    public SignalResult signal(long job, String name, @Nullable Object payload) {
        return signal(NewSignal.to(job, name, payload));
    }

    /** As {@link #signal(long, String, Object)}, also to the job with a key, and with an id. */
    public SignalResult signal(NewSignal signal) {
        return signals.send(signal);
    }

    /** As {@link #signal(NewSignal)}, in the caller's transaction, which only inserts a row and waits for nothing: the signal is there if it commits. */
    public SignalResult signal(Connection connection, NewSignal signal) {
        return signals.send(connection, signal);
    }

    /**
     * Says that something has happened: all jobs that {@linkplain Job#awaitEvent wait} for that topic and key go on, and those that ask later meet it as long
     * as it is kept. In a transaction of its own, or in that of the calling thread, if there is a {@linkplain JobsBuilder#transactions bridge} to it.
     *
     * @return the number of the event
     * @throws JobsException if the database refuses it
     */
    public long emit(Emission event) {
        return signals.emit(event);
    }

    /** As {@link #emit(Emission)}, in the transaction of that connection. */
    public long emit(Connection connection, Emission event) {
        return signals.emit(connection, event);
    }

    /** Adds the job at each time of the schedule; see {@link Schedules#put}. A node has to run. */
    public void schedule(Schedule schedule, NewJob<?> job) {
        schedules.put(schedule, job);
    }

    /** Operations on jobs and queues that exist: cancel, retry, pause, limits. */
    public JobAdmin admin() {
        return admin;
    }

    /** The workflows of the database: jobs that are added together, some of which wait for others. */
    public Workflows workflows() {
        return workflows;
    }

    /** Returns the retention of ended jobs, and the tags that are counted. */
    public JobHistory history() {
        return admin.history();
    }

    /** The schedules of the database: to list, change and pause. */
    public Schedules schedules() {
        return schedules;
    }

    /**
     * Stops claiming, returns unstarted jobs to their queues, waits for running handlers for {@link JobsBuilder#shutdownTimeout},
     * then interrupts them; interrupted jobs return to their queues, and the attempt is not counted. A second call does
     * nothing.
     */
    @Override
    public void close() {
        awaiter.close();
        inserter.close(Durations.nanos(grace));
        if (supervisor != null) supervisor.close(grace);
    }

    /**
     * Returns why this node does no jobs now although it is to, such as a database that cannot be reached or a privilege that is missing;
     * null: it does, or runs no jobs.
     */
    public @Nullable String obstacle() {
        return supervisor == null ? null : supervisor.obstacle();
    }

    /** Returns the id of this node, as in the tables; 0 if it runs no jobs, has lost its session and has no new one, or is closed. */
    public int node() {
        return supervisor == null ? 0 : supervisor.node();
    }
}
