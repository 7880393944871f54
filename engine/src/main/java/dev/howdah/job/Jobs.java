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
 * Jobs on a PostgreSQL database: adds them, and works those it has handlers for.
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
 * <p>A working node keeps four connections: two for claiming, one that listens and says that the node lives, one for
 * schedules and maintenance. Adding without a connection opens up to four more, fewer in a
 * small pool: six are enough for all. They have to be sessions of their own: a
 * pooler that gives a session for a transaction only (PgBouncer's transaction mode) is refused, unless {@link
 * JobsBuilder#sessions} names a data source of sessions. All other connections are borrowed for one transaction each and
 * given back as they were; no transaction of the caller's is joined but by the methods that take a connection.
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
     * Makes the tables of jobs, or brings them up to date, as {@link JobsBuilder#start} does. Their owner is the role of the
     * connection.
     *
     * @param connection in autocommit mode
     */
    public static void install(Connection connection) throws SQLException {
        JobSchema.MIGRATIONS.migrate(connection);
        HistoryCleaner.makeDays(connection);
    }

    /**
     * Removes the tables of jobs with all that is in them, and the schema {@code howdah} if nothing else is in it. What of
     * others depends on them, such as a trigger with {@code howdah.async_trigger}, keeps them from going.
     *
     * @param connection in autocommit mode, of the owner of the tables
     * @param force even if nodes work and jobs wait
     * @throws JobsException if they do, unless it is forced
     */
    public static void uninstall(Connection connection, boolean force) throws SQLException {
        SchemaUninstaller.run(connection, force);
    }

    /** The SQL that makes the tables of jobs in a database that has none, for those who run such things themselves. */
    public static String schema() {
        return JobSchema.MIGRATIONS.text();
    }

    /** Jobs in the database of that data source. Nothing happens before {@link JobsBuilder#start}. */
    public static JobsBuilder on(DataSource source) {
        return new JobsBuilder(Objects.requireNonNull(source, "jobs need a data source, not null"));
    }

    /**
     * Adds a job for now to the queue {@code default}, in a transaction of its own, and returns when it is durable.
     *
     * @param kind of a handler of this object
     * @return the job's number
     * @throws IllegalArgumentException if the payload cannot be said in JSON
     * @throws JobsException if the database does not take it; nobody knows whether it has, if the session was lost meanwhile
     */
    public long add(String kind, Object payload) {
        return add(NewJob.of(Kind.of(kind, Object.class), payload));
    }

    /** As {@link #add(String, Object)}. */
    public <T> long add(Kind<T> kind, T payload) {
        return add(NewJob.of(kind, payload));
    }

    /** As {@link #add(String, Object)}, for any job. If it has a key, as {@link #offer(NewJob)}. */
    public long add(NewJob<?> job) {
        return intake.add(job);
    }

    /**
     * Adds a job in the caller's transaction: it is there if, and only if, that commits. A connection in autocommit mode
     * makes it durable at once.
     *
     * @return the job's number
     */
    public long add(Connection connection, NewJob<?> job) {
        return intake.add(connection, job);
    }

    /**
     * Adds a job in a transaction of its own, unless one of its queue and kind that waits or runs has its key. With {@link
     * NewJob#version} a newer one is added all the same: it takes the place of the one that waits, whose number it keeps, or
     * runs after the one that runs. What is no newer than any before is not added, even if nothing waits or runs any more; that
     * is known for as long as failed jobs are kept.
     *
     * @return whether it was added; always, if it has no key
     */
    public AddResult offer(NewJob<?> job) {
        return intake.offer(job);
    }

    /**
     * As {@link #offer(NewJob)}, in the caller's transaction. Who adds with the same key waits until that ends.
     *
     * @return whether it was added, if the transaction commits
     */
    public AddResult offer(Connection connection, NewJob<?> job) {
        return intake.offer(connection, job);
    }

    /** As {@link #add(Connection, NewJob)}, for now, in the queue {@code default}. */
    public <T> long add(Connection connection, Kind<T> kind, T payload) {
        return add(connection, NewJob.of(kind, payload));
    }

    /**
     * Adds many jobs in one transaction of its own, fast.
     *
     * @return their numbers, in their order
     */
    public List<Long> addAll(List<? extends NewJob<?>> jobs) {
        return intake.addAll(jobs);
    }

    /** As {@link #addAll(List)}, in the caller's transaction. */
    public List<Long> addAll(Connection connection, List<? extends NewJob<?>> jobs) {
        return intake.addAll(connection, jobs);
    }

    /** Adds that job again and again; see {@link Schedules#put}. Some node that works jobs has to run. */
    public void schedule(Schedule schedule, NewJob<?> job) {
        schedules.put(schedule, job);
    }

    /** The schedules of the database: to look at, to change, to pause. */
    public Schedules schedules() {
        return schedules;
    }

    /**
     * Ends a job: one that waits at once, one that runs by interrupting its handler, wherever that is.
     *
     * @param id its number
     */
    public CancelResult cancel(long id) {
        return CancelResult.valueOf(hand.ask(JobAdmin.CANCEL, id).toUpperCase(Locale.ROOT));
    }

    /**
     * Brings a job that has failed or was cancelled back, as if it had never been tried.
     *
     * @return false if it has neither failed nor was cancelled
     * @throws JobsException if there is no job with that number, if another job has its key now, or if a newer version of
     *     the key is known
     */
    public boolean retry(long id) {
        return hand.isSo(JobAdmin.RETRY, id);
    }

    /**
     * Makes a job due that is planned, or waits to be tried again.
     *
     * @return false if it does neither
     * @throws JobsException if there is no job with that number
     */
    public boolean hurry(long id) {
        return hand.isSo(JobAdmin.HURRY, id);
    }

    /**
     * Makes all jobs of a queue due that wait to be tried again.
     *
     * @return how many there were
     * @throws JobsException if there is no such queue
     */
    public long hurryAll(String queue) {
        return Long.parseLong(hand.ask(JobAdmin.HURRY_QUEUE, JobNames.check("queue", queue), null));
    }

    /** As {@link #hurryAll(String)}, but only those whose last attempt ended with that error. */
    public long hurryAll(String queue, String error) {
        return Long.parseLong(hand.ask(JobAdmin.HURRY_QUEUE, JobNames.check("queue", queue), error));
    }

    /**
     * Gives a job that waits another priority, from the next take on.
     *
     * @param priority -100 to 100
     * @return false if it does not wait
     * @throws IllegalArgumentException if there is no such priority
     * @throws JobsException if there is no job with that number
     */
    public boolean reprioritize(long id, int priority) {
        return hand.isSo(JobAdmin.REPRIORITIZE, id, NewJob.checkPriority(priority));
    }

    /**
     * No node takes a job of that queue any more. What has been taken goes on; jobs may be added, and wait. A queue can be
     * paused before its first job.
     *
     * @return false if it was paused already
     */
    public boolean pause(String queue) {
        return hand.isSo(JobAdmin.PAUSE, JobNames.check("queue", queue), null);
    }

    /** As {@link #pause(String)}, for one kind of the queue. */
    public boolean pause(String queue, String kind) {
        return hand.isSo(JobAdmin.PAUSE, JobNames.check("queue", queue), JobNames.check("kind", kind));
    }

    /**
     * Jobs of that queue are taken again, but those of its kinds that are paused for themselves.
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
     * From now on at most so many jobs of that queue run at the same time, on all nodes together. Nodes hear of it within two
     * seconds; what they have taken goes on. See {@link JobsBuilder#limit(String, int)} for a node's own.
     *
     * @throws IllegalArgumentException if it is less than 1
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

    /** Takes away what {@link #limit(String, int)} has set; does nothing if there is no limit. */
    public void unlimit(String queue) {
        hand.ask(JobAdmin.LIMIT, JobNames.check("queue", queue), null, null);
    }

    /** Takes away what {@link #limit(String, String, int)} has set. */
    public void unlimit(String queue, String kind) {
        hand.ask(JobAdmin.LIMIT, JobNames.check("queue", queue), null, JobNames.check("kind", kind));
    }

    /**
     * Stops: takes no more jobs, gives back those that have not begun, waits for those that run, interrupts those that run
     * for longer than {@link JobsBuilder#grace}, and gives them back, too. Nothing is lost, and nothing counts as failed. Calling
     * it again does nothing.
     */
    @Override
    public void close() {
        intake.close();
        if (keeper != null) keeper.close(grace);
    }

    /** The number that this node has now; 0 if it does not work. */
    int node() {
        return keeper == null ? 0 : keeper.node();
    }
}
