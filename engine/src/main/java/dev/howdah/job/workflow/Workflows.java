package dev.howdah.job.workflow;

import dev.howdah.job.JobsException;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;

/**
 * The workflows of a database. All methods throw {@link JobsException} if the database refuses what they ask. Safe for use by many threads.
 */
public interface Workflows {
    /**
     * Adds a workflow with its jobs in a transaction of its own. A node has to run for jobs that wait for others to run.
     *
     * @return the id of the workflow
     * @throws IllegalArgumentException if it has no job and is not open, if a job waits for a name that is none, if jobs wait for each other in
     *     a circle, or if a payload cannot be converted to JSON
     */
    long add(Workflow workflow);

    /** As {@link #add(Workflow)}, in the caller's transaction. */
    long add(Connection connection, Workflow workflow);

    /**
     * Adds jobs to an open workflow in a transaction of its own.
     *
     * @return their ids, in their order
     * @throws JobsException if there is no such workflow, or it is not open
     */
    List<Long> addJobs(long workflow, List<? extends NewJob<?>> jobs);

    /** As {@link #addJobs(long, List)}, in the caller's transaction. The workflow does not end before that transaction. */
    List<Long> addJobs(Connection connection, long workflow, List<? extends NewJob<?>> jobs);

    /**
     * Adds jobs with names to an open workflow in a transaction of its own. They may wait for each other and for named jobs that the workflow
     * has already, whether these have ended or not.
     *
     * @param more the jobs to add; its name is for messages only
     * @return the ids of the jobs with names, in their order, then of those without
     * @throws IllegalArgumentException if it has no job, or has callbacks, or if jobs wait for each other in a circle
     * @throws JobsException if there is no such workflow, it is not open, it has a job of one of these names, or a job waits for a name that is none
     */
    List<Long> addJobs(long workflow, Workflow more);

    /** As {@link #addJobs(long, Workflow)}, in the caller's transaction. The workflow does not end before that transaction. */
    List<Long> addJobs(Connection connection, long workflow, Workflow more);

    /**
     * Closes an open workflow: it ends when all of its jobs have ended; at once, if it has none.
     *
     * @return false if it was not open
     * @throws JobsException if there is no such workflow
     */
    boolean close(long workflow);

    /**
     * Cancels all jobs of a workflow that have not ended: those that wait at once, running jobs by interrupting their handlers. What runs when
     * all have ended, runs.
     *
     * @return the number of jobs that were cancelled, or are to be
     * @throws JobsException if there is no such workflow
     */
    long cancel(long workflow);

    /** Finds a workflow; empty if there is none with that id, or it has been removed. Workflows are kept for as long as failed jobs. */
    Optional<WorkflowSummary> find(long workflow);

    /**
     * Lists workflows, the newest first.
     *
     * @param unfinished only those that have not ended
     * @param before only those with a smaller id, for the next page; {@link Long#MAX_VALUE} for the first
     * @param most the number of workflows, 1 to 10,000
     * @throws IllegalArgumentException if {@code most} is out of bounds
     */
    List<WorkflowSummary> list(boolean unfinished, long before, int most);

    /** The jobs of a workflow that have names, in the order in which they were given. */
    List<WorkflowJob> jobs(long workflow);
}
