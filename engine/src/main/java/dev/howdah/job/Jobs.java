package dev.howdah.job;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.claim.ConcurrencyLimits;
import dev.howdah.job.internal.insert.InsertRowFactory;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.job.internal.node.JobNodeSupervisor;
import dev.howdah.job.internal.store.JobAdmin;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobSchema;
import dev.howdah.job.internal.store.SchemaUninstaller;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Adds jobs to a PostgreSQL database, and runs those that it has handlers for.
 *
 * <pre>{@code
 * record Welcome(String email) {}
 *
 * try (Jobs jobs = Jobs.on(dataSource)
 *         .handle("welcome", Welcome.class, (welcome, job) -> mail(welcome.email()))
 *         .start()) {
 *     jobs.add("welcome", new Welcome("ann@example.com"));
 * }
 * }</pre>
 *
 * <p>A node holds four connections: two for claiming, one for LISTEN and liveness, one for maintenance. Adding without a
 * connection opens up to four more, fewer in a small pool: six are enough for all. They have to be sessions: a
 * pooler that lends a session for a transaction only (PgBouncer's transaction mode) is refused, unless {@link
 * JobsBuilder#sessions} names a data source of sessions. All other connections are borrowed for one transaction each and
 * given back as they were; only the methods that take a connection join a transaction of the caller.
 *
 * <p>Safe for use by many threads.
 */
public final class Jobs implements AutoCloseable {
    private final JobInserter intake;
    private final Schedules schedules;
    private final JobAdmin hand;
    private final Duration grace;
    private final @Nullable JobNodeSupervisor keeper;

    /**
     * @param sessions where those come from that are kept
     * @param writers how many of these are kept to add jobs, at most
     */
    Jobs(
            ConnectionSource source,
            ConnectionSource sessions,
            int writers,
            PayloadCodec codec,
            Duration grace,
            @Nullable JobNodeSupervisor keeper,
            LaneRegistry lanes,
            JobMetrics meter) {
        this.intake = new JobInserter(source, sessions, new InsertRowFactory(lanes, codec), meter, writers);
        this.schedules = new Schedules(source, codec);
        this.hand = new JobAdmin(source);
        this.grace = grace;
        this.keeper = keeper;
    }

    /**
     * Creates the tables of jobs, or brings them up to date, as {@link JobsBuilder#start} does. Their owner is the role of the connection.
     *
     * @param connection in autocommit mode
     */
    public static void install(Connection connection) throws SQLException {
        JobSchema.MIGRATIONS.migrate(connection);
        HistoryCleaner.makeDays(connection);
    }

    /**
     * Drops the tables of jobs with their rows, and the schema {@code howdah} if it is empty then. Refused while an
     * object of a user depends on them, such as a trigger with {@code howdah.async_trigger}.
     *
     * @param connection in autocommit mode, of the owner of the tables
     * @param force even if nodes work and jobs wait
     * @throws JobsException if they do, unless it is forced
     */
    public static void uninstall(Connection connection, boolean force) throws SQLException {
        SchemaUninstaller.run(connection, force);
    }

    /** Returns the SQL that creates the tables of jobs in a database that has none. */
    public static String schema() {
        return JobSchema.MIGRATIONS.text();
    }

    /** Jobs in the database of that data source. Nothing happens before {@link JobsBuilder#start}. */
    public static JobsBuilder on(DataSource source) {
        return new JobsBuilder(Objects.requireNonNull(source, "jobs need a data source, not null"));
    }

    /**
     * Adds a job to the queue {@code default}, due now, in a transaction of its own, and returns when it is durable.
     *
     * @param kind of a handler of this object
     * @return the id of the job
     * @throws IllegalArgumentException if the payload cannot be converted to JSON
     * @throws JobsException if the database refuses it; if the connection is lost meanwhile, the job may have been added
     */
    public long add(String kind, Object payload) {
        return add(NewJob.of(Kind.of(kind, Object.class), payload));
    }

    /** As {@link #add(String, Object)}. */
    public <T> long add(Kind<T> kind, T payload) {
        return add(NewJob.of(kind, payload));
    }

    /**
     * Adds a job in a transaction of its own, as {@link #add(String, Object)}; a job with a key as {@link #offer(NewJob)}.
     */
    public long add(NewJob<?> job) {
        return intake.add(job);
    }

    /**
     * Adds a job in the caller's transaction: it exists if, and only if, the transaction commits. On a connection in
     * autocommit mode it is durable at once.
     *
     * @return the id of the job
     */
    public long add(Connection connection, NewJob<?> job) {
        return intake.add(connection, job);
    }

    /**
     * Adds a job in a transaction of its own, unless a job of the same queue, kind and key waits or runs. With {@link
     * NewJob#version} a newer version is added all the same: it replaces the job that waits, and keeps its id, or runs
     * after the one that runs. A version that is not newer than all before is not added, even if no job waits or runs;
     * versions are remembered for as long as failed jobs are kept.
     *
     * @return whether the job was added; always, without a key
     */
    public AddResult offer(NewJob<?> job) {
        return intake.offer(job);
    }

    /**
     * As {@link #offer(NewJob)}, in the caller's transaction. Other adds with the same key wait until it ends.
     *
     * @return whether the job was added, if the transaction commits
     */
    public AddResult offer(Connection connection, NewJob<?> job) {
        return intake.offer(connection, job);
    }

    /** As {@link #add(Connection, NewJob)}, due now, in the queue {@code default}. */
    public <T> long add(Connection connection, Kind<T> kind, T payload) {
        return add(connection, NewJob.of(kind, payload));
    }

    /**
     * Adds all jobs in one transaction of its own. Much faster than one by one.
     *
     * @return their ids, in their order
     */
    public List<Long> addAll(List<? extends NewJob<?>> jobs) {
        return intake.addAll(jobs);
    }

    /** As {@link #addAll(List)}, in the caller's transaction. */
    public List<Long> addAll(Connection connection, List<? extends NewJob<?>> jobs) {
        return intake.addAll(connection, jobs);
    }

    /** Adds the job at each time of the schedule; see {@link Schedules#put}. A node has to run. */
    public void schedule(Schedule schedule, NewJob<?> job) {
        schedules.put(schedule, job);
    }

    /** The schedules of the database: to list, change and pause. */
    public Schedules schedules() {
        return schedules;
    }

    /**
     * Cancels a job: a waiting job at once, a running job by interrupting its handler, on any node.
     *
     * @param id of the job
     */
    public CancelResult cancel(long id) {
        return CancelResult.valueOf(hand.ask(JobAdmin.CANCEL, id).toUpperCase(Locale.ROOT));
    }

    /**
     * Retries a job that has failed or was cancelled, with all its attempts.
     *
     * @return false if it has neither failed nor been cancelled
     * @throws JobsException if there is no job with that id, if another job has its key now, or if a newer version of the key is known
     */
    public boolean retry(long id) {
        return hand.isSo(JobAdmin.RETRY, id);
    }

    /**
     * Makes a job due now that is planned, or waits for a retry.
     *
     * @return false if it is neither
     * @throws JobsException if there is no job with that id
     */
    public boolean hurry(long id) {
        return hand.isSo(JobAdmin.HURRY, id);
    }

    /**
     * Makes all jobs of a queue due now that wait for a retry.
     *
     * @return the number of these jobs
     * @throws JobsException if there is no such queue
     */
    public long hurryAll(String queue) {
        return Long.parseLong(hand.ask(JobAdmin.HURRY_QUEUE, JobNames.check("queue", queue), null));
    }

    /** As {@link #hurryAll(String)}, only for jobs whose last attempt ended with that error. */
    public long hurryAll(String queue, String error) {
        return Long.parseLong(hand.ask(JobAdmin.HURRY_QUEUE, JobNames.check("queue", queue), error));
    }

    /**
     * Sets the priority of a waiting job, from the next claim on.
     *
     * @param priority -100 to 100; lower runs first
     * @return false if it does not wait
     * @throws IllegalArgumentException if the priority is out of bounds
     * @throws JobsException if there is no job with that id
     */
    public boolean reprioritize(long id, int priority) {
        return hand.isSo(JobAdmin.REPRIORITIZE, id, NewJob.checkPriority(priority));
    }

    /**
     * Pauses a queue: no node claims from it. Claimed jobs continue; jobs may be added, and wait. A queue can be paused
     * before its first job.
     *
     * @return false if it was paused already
     */
    public boolean pause(String queue) {
        return hand.isSo(JobAdmin.PAUSE, JobNames.check("queue", queue), null);
    }

    /** Pauses one kind of a queue, as {@link #pause(String)}. */
    public boolean pause(String queue, String kind) {
        return hand.isSo(JobAdmin.PAUSE, JobNames.check("queue", queue), JobNames.check("kind", kind));
    }

    /**
     * Resumes a queue. Its kinds that were paused themselves stay paused.
     *
     * @return false if it was not paused
     * @throws JobsException if there is no such queue
     */
    public boolean resume(String queue) {
        return hand.isSo(JobAdmin.RESUME, JobNames.check("queue", queue), null);
    }

    /** As {@link #resume(String)}, for one kind of the queue. */
    public boolean resume(String queue, String kind) {
        return hand.isSo(JobAdmin.RESUME, JobNames.check("queue", queue), JobNames.check("kind", kind));
    }

    /**
     * Limits the jobs of a queue that run at the same time, on all nodes together. Nodes notice a new limit within two
     * seconds; claimed jobs continue. {@link JobsBuilder#limit(String, int)} limits one node.
     *
     * @throws IllegalArgumentException if {@code jobs} is less than 1
     */
    public void limit(String queue, int jobs) {
        hand.ask(JobAdmin.LIMIT, JobNames.check("queue", queue), ConcurrencyLimits.check(jobs), null);
    }

    /** As {@link #limit(String, int)}, for one kind of the queue. */
    public void limit(String queue, String kind, int jobs) {
        hand.ask(
                JobAdmin.LIMIT,
                JobNames.check("queue", queue),
                ConcurrencyLimits.check(jobs),
                JobNames.check("kind", kind));
    }

    /** Removes the limit of {@link #limit(String, int)}; does nothing if there is none. */
    public void unlimit(String queue) {
        hand.ask(JobAdmin.LIMIT, JobNames.check("queue", queue), null, null);
    }

    /** Removes the limit of {@link #limit(String, String, int)}. */
    public void unlimit(String queue, String kind) {
        hand.ask(JobAdmin.LIMIT, JobNames.check("queue", queue), null, JobNames.check("kind", kind));
    }

    /**
     * Stops claiming, returns unstarted jobs to their queues, waits for running handlers for {@link JobsBuilder#grace},
     * then interrupts them; interrupted jobs return to their queues, and the attempt is not counted. A second call does
     * nothing.
     */
    @Override
    public void close() {
        intake.close();
        if (keeper != null) keeper.close(grace);
    }

    /** The id of this node; 0 if it does not run jobs. */
    int node() {
        return keeper == null ? 0 : keeper.node();
    }
}
