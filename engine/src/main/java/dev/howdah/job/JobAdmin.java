package dev.howdah.job;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.claim.ConcurrencyLimits;
import dev.howdah.job.internal.store.AdminStatements;
import dev.howdah.job.internal.store.JobFinder;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.query.JobSummary;
import java.util.Locale;
import java.util.Optional;

/**
 * Operations on jobs and queues that exist, on all nodes. Each runs in a transaction of its own, and throws {@link
 * JobsException} if the database refuses it. Safe for use by many threads.
 */
public final class JobAdmin {
    private final AdminStatements statements;
    private final JobFinder finder;

    JobAdmin(ConnectionSource source) {
        this.statements = new AdminStatements(source);
        this.finder = new JobFinder(source);
    }

    /**
     * Finds a job in whatever state: waiting, running, done, failed or cancelled.
     *
     * @param id of the job
     * @return empty if there is no job with that id, or its history has been removed
     */
    public Optional<JobSummary> find(long id) {
        return finder.find(id);
    }

    /**
     * Cancels a job: a waiting job at once, a running job by interrupting its handler, on any node.
     *
     * @param id of the job
     */
    public CancelResult cancel(long id) {
        return CancelResult.valueOf(statements.ask(AdminStatements.CANCEL, id).toUpperCase(Locale.ROOT));
    }

    /**
     * Retries a job that has failed or was cancelled, with all its attempts.
     *
     * @return false if it has neither failed nor been cancelled
     * @throws JobsException if there is no job with that id, if another job has its key now, or if a newer version of the key is known
     */
    public boolean retry(long id) {
        return statements.isSo(AdminStatements.RETRY, id);
    }

    /**
     * Makes a job due now that is planned, or waits for a retry.
     *
     * @return false if it is neither
     * @throws JobsException if there is no job with that id
     */
    public boolean runNow(long id) {
        return statements.isSo(AdminStatements.HURRY, id);
    }

    /**
     * Makes all jobs of a queue due now that wait for a retry.
     *
     * @return the number of these jobs
     * @throws JobsException if there is no such queue
     */
    public long runRetriesNow(String queue) {
        return Long.parseLong(statements.ask(AdminStatements.HURRY_QUEUE, JobNames.check("queue", queue), null));
    }

    /** As {@link #runRetriesNow(String)}, only for jobs whose last attempt ended with that error. */
    public long runRetriesNow(String queue, String error) {
        return Long.parseLong(statements.ask(AdminStatements.HURRY_QUEUE, JobNames.check("queue", queue), error));
    }

    /**
     * Sets the priority of a waiting job, from the next claim on.
     *
     * @param priority -100 to 100; lower runs first
     * @return false if it does not wait
     * @throws IllegalArgumentException if the priority is out of bounds
     * @throws JobsException if there is no job with that id
     */
    public boolean setPriority(long id, int priority) {
        return statements.isSo(AdminStatements.REPRIORITIZE, id, NewJob.checkPriority(priority));
    }

    /**
     * Pauses a queue: no node claims from it. Claimed jobs continue; jobs may be added, and wait. A queue can be paused
     * before its first job.
     *
     * @return false if it was paused already
     */
    public boolean pause(String queue) {
        return statements.isSo(AdminStatements.PAUSE, JobNames.check("queue", queue), null);
    }

    /** Pauses one kind of a queue, as {@link #pause(String)}. */
    public boolean pause(String queue, String kind) {
        return statements.isSo(AdminStatements.PAUSE, JobNames.check("queue", queue), JobNames.check("kind", kind));
    }

    /**
     * Resumes a queue. Its kinds that were paused themselves stay paused.
     *
     * @return false if it was not paused
     * @throws JobsException if there is no such queue
     */
    public boolean resume(String queue) {
        return statements.isSo(AdminStatements.RESUME, JobNames.check("queue", queue), null);
    }

    /** As {@link #resume(String)}, for one kind of the queue. */
    public boolean resume(String queue, String kind) {
        return statements.isSo(AdminStatements.RESUME, JobNames.check("queue", queue), JobNames.check("kind", kind));
    }

    /**
     * Limits the jobs of a queue that run at the same time, on all nodes together. Nodes notice a new limit within two
     * seconds; claimed jobs continue. {@link JobsBuilder#nodeLimit(String, int)} limits one node.
     *
     * @throws IllegalArgumentException if {@code jobs} is less than 1
     */
    public void setLimit(String queue, int jobs) {
        statements.ask(AdminStatements.LIMIT, JobNames.check("queue", queue), ConcurrencyLimits.check(jobs), null);
    }

    /** As {@link #setLimit(String, int)}, for one kind of the queue. */
    public void setLimit(String queue, String kind, int jobs) {
        statements.ask(
                AdminStatements.LIMIT,
                JobNames.check("queue", queue),
                ConcurrencyLimits.check(jobs),
                JobNames.check("kind", kind));
    }

    /** Removes the limit of {@link #setLimit(String, int)}; does nothing if there is none. */
    public void removeLimit(String queue) {
        statements.ask(AdminStatements.LIMIT, JobNames.check("queue", queue), null, null);
    }

    /** Removes the limit of {@link #setLimit(String, String, int)}. */
    public void removeLimit(String queue, String kind) {
        statements.ask(AdminStatements.LIMIT, JobNames.check("queue", queue), null, JobNames.check("kind", kind));
    }
}
