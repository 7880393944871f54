package dev.howdah.job;

import dev.howdah.health.Cause;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.history.JobHistory;
import dev.howdah.job.internal.claim.ConcurrencyLimits;
import dev.howdah.job.internal.history.HistoryStatements;
import dev.howdah.job.internal.lane.LimitStatements;
import dev.howdah.job.internal.log.LogStatements;
import dev.howdah.job.internal.query.JobChanger;
import dev.howdah.job.internal.query.JobLister;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobFinder;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.internal.store.JobStatements;
import dev.howdah.job.internal.store.JobWatch;
import dev.howdah.job.internal.workflow.WorkflowFinder;
import dev.howdah.job.limit.JobLimits;
import dev.howdah.job.log.LogQueues;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.BulkChange.Action;
import dev.howdah.job.query.JobAttempt;
import dev.howdah.job.query.JobCounts;
import dev.howdah.job.query.JobEvents;
import dev.howdah.job.query.JobLogLine;
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobProgress;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobStep;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.job.wait.Emission;
import dev.howdah.job.wait.JobChild;
import dev.howdah.job.wait.SentSignal;
import dev.howdah.job.wait.SignalResult;
import dev.howdah.job.workflow.SqlPipeline;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Operations on jobs and queues that exist, on all nodes. Each runs in a transaction of its own, and throws {@link
 * JobsException} if the database refuses it. Safe for use by many threads.
 */
public final class JobAdmin {
    private static final Sql CANCEL = JobSql.ADMIN.statement("job_cancel");
    private static final Sql RETRY = JobSql.ADMIN.statement("job_retry");
    private static final Sql DELETE = JobSql.ADMIN.statement("job_delete");
    private static final Sql RUN_NOW = JobSql.ADMIN.statement("job_run_now");
    private static final Sql RUN_RETRIES_NOW = JobSql.ADMIN.statement("queue_run_retries_now");
    private static final Sql EMIT = JobSql.WAIT.statement("job_event_emit");
    private static final Sql RERUN = JobSql.ADMIN.statement("job_rerun");
    private static final Sql DROP_RECORD = JobSql.ADMIN.statement("job_drop_record");
    private static final Sql SET_PAYLOAD = JobSql.ADMIN.statement("job_set_payload");
    private static final Sql RESCHEDULE = JobSql.ADMIN.statement("job_reschedule");
    private static final Sql SET_TAGS = JobSql.ADMIN.statement("job_set_tags");
    private static final Sql SET_PRIORITY = JobSql.ADMIN.statement("job_set_priority");
    private static final Sql PAUSE = JobSql.ADMIN.statement("queue_pause");
    private static final Sql RESUME = JobSql.ADMIN.statement("queue_resume");
    private static final Sql LIMIT = JobSql.ADMIN.statement("queue_limit");

    private static final Sql CLOSE_WORKFLOW = JobSql.WORKFLOW.statement("workflow_close");
    private static final Sql CANCEL_WORKFLOW = JobSql.WORKFLOW.statement("workflow_cancel");
    private static final Sql REMOVE_PIPELINE = JobSql.WORKFLOW.statement("workflow_remove_pipeline");
    private static final int MOST_WORKFLOWS = 10_000;

    private static final Duration SEARCH = Duration.ofMillis(100);

    private final JobStatements statements;
    private final JobFinder finder;
    private final JobWatch watch;
    private final JobLister lister;
    private final JobChanger changer;
    private final JobLimits limits;
    private final LogQueues logs;
    private final JobHistory history;
    private final WorkflowFinder workflows;

    JobAdmin(ConnectionSource source) {
        this.statements = new JobStatements(source);
        this.finder = new JobFinder(source);
        this.watch = new JobWatch(source);
        this.lister = new JobLister(source);
        this.changer = new JobChanger(source);
        this.limits = new LimitStatements(source);
        this.logs = new LogStatements(source);
        this.history = new HistoryStatements(source);
        this.workflows = new WorkflowFinder(source);
    }

    /**
     * Finds a job in any state: waiting, running, done, failed or cancelled.
     *
     * @param id of the job
     * @return empty if there is no job with that id, or its history has been removed
     */
    public Optional<JobSummary> find(long id) {
        return finder.find(id);
    }

    /**
     * Finds what became of jobs since an earlier look: reads a bounded number of rows, and nothing is noted for it when jobs are added, claimed or
     * end. Jobs that became something else twice in between are named with what they are now. A change of a job that waits, such as its priority, is
     * none; a job that a transaction adds and commits late may be named only when it begins.
     *
     * @param before the last look; null: this is the first one, which finds no events
     * @param most how many jobs are named, 1 to 1,000
     */
    public JobEvents events(@Nullable JobEvents before, int most) {
        if (most < 1 || most > 1_000)
            throw new IllegalArgumentException("events of up to " + most + " jobs: it has to be 1 to 1000");
        return watch.events(before, most);
    }

    /**
     * Lists jobs in one state, the newest first. Reads only what that state is stored in.
     *
     * @throws JobsException if the JSON of {@link JobQuery#payload} is none
     */
    public JobPage list(JobQuery query) {
        return lister.list(query);
    }

    /**
     * Lists jobs as {@link #list}, for a reader who waits: it reads a bounded number of jobs at a time, and ends when the page is not full after
     * a tenth of a second. Where few of very many jobs meet the query, it looks at a part of them only: the page then has fewer jobs than asked
     * for, perhaps none, {@link JobPage#searchedTo} says how far it has looked, and {@link JobPage#next} goes on from there. Jobs that run or follow
     * others are listed in full.
     *
     * @throws JobsException if the JSON of {@link JobQuery#payload} is none
     */
    public JobPage search(JobQuery query) {
        return lister.search(query, SEARCH);
    }

    /**
     * Counts the jobs that {@link #list} would give on all its pages. Reads all of them.
     *
     * @throws JobsException if the JSON of {@link JobQuery#payload} is none
     */
    public long count(JobQuery query) {
        return lister.count(query, null);
    }

    /**
     * Counts the jobs that {@link #list} would give on all its pages, up to a bound: the rest is not read. Where few of very many jobs meet
     * the query, all are read.
     *
     * @param most the number after which counting stops, at least 1
     * @return {@code most} if there are that many or more
     * @throws IllegalArgumentException if {@code most} is less than 1
     * @throws JobsException if the JSON of {@link JobQuery#payload} is none
     */
    public long count(JobQuery query, long most) {
        if (most < 1) throw new IllegalArgumentException("counting up to " + most + " jobs: it has to be 1 at least");
        return lister.count(query, most);
    }

    /**
     * Lists the attempts of a job that the history still has, the earliest first. Attempts are kept for as long as completed jobs, see
     * {@link JobsBuilder#retention}.
     *
     * @return empty if there was no attempt, or no job with that id
     */
    public List<JobAttempt> attempts(long id) {
        return finder.attempts(id);
    }

    /** Returns the progress that the handler of a job reported last; empty if it reported none, or it was too long ago. */
    public Optional<JobProgress> progress(long id) {
        return finder.progress(id);
    }

    /**
     * The last lines that handlers have logged for a job in all its attempts, the earliest first.
     *
     * @param lines the number of lines, 1 to 100,000
     * @throws IllegalArgumentException if it is out of bounds
     */
    public List<JobLogLine> log(long id, int lines) {
        if (lines < 1 || lines > 100_000)
            throw new IllegalArgumentException(lines + " lines: it has to be 1 to 100000");
        return finder.log(id, lines);
    }

    /** The steps of a job that are done, the earliest first. See {@link Job#step(String, Class, java.util.concurrent.Callable)}. */
    public List<JobStep> steps(long id) {
        return finder.steps(id);
    }

    /**
     * Says why a job does not run.
     *
     * @return the causes that hold, the most important first; never empty
     */
    public List<Cause> why(long id) {
        return finder.why(id);
    }

    /**
     * Says why a schedule adds no job.
     *
     * @return the causes that hold, the most important first; never empty
     */
    public List<Cause> whySchedule(String name) {
        return finder.whySchedule(name);
    }

    /**
     * Signals a job, as {@link Jobs#signal(long, String, Object)} does, with a payload that is JSON already.
     *
     * @param transaction in which the signal is sent; null: one of its own
     * @throws JobsException if the database refuses it
     */
    public SignalResult signal(@Nullable Connection transaction, long id, String name, String json) {
        return finder.signal(transaction, id, JobNames.checkNew("signal", name), json);
    }

    /**
     * Emits an event, as {@link Jobs#emit(dev.howdah.job.wait.Emission)} does, with a payload that is JSON already.
     *
     * @param transaction in which it is emitted; null: one of its own
     * @return its number
     * @throws JobsException if the database refuses it
     */
    public long emit(@Nullable Connection transaction, Emission event, String json) {
        String topic = event.topic();
        long micros = Durations.micros(event.kept());
        return transaction == null
                ? statements.number(EMIT, topic, event.key(), json, micros)
                : statements.number(transaction, EMIT, topic, event.key(), json, micros);
    }

    /** Returns up to {@code most} children of a job, in the order in which its handler has added them. */
    public List<JobChild> children(long id, int most) {
        return finder.children(id, most);
    }

    /** Returns the job whose handler has added this one as a child, as long as it is known. */
    public OptionalLong parent(long id) {
        return finder.parent(id);
    }

    /** Returns up to {@code most} signals to a job, in the order in which they were sent. */
    public List<SentSignal> signals(long id, int most) {
        return finder.signals(id, most);
    }

    /**
     * Cancels a job: a waiting job at once, a running job by interrupting its handler, on any node.
     *
     * @param id of the job
     */
    public CancelResult cancel(long id) {
        CancelResult result = CancelResult.valueOf(statements.value(CANCEL, id).toUpperCase(Locale.ROOT));
        if (result != CancelResult.ENDED) return result;
        // Of what waits only an entry of a log queue is refused.
        boolean waits = find(id).filter(job -> job.state() == JobState.WAITING).isPresent();
        return waits ? CancelResult.UNCLAIMED_ENTRY : result;
    }

    /** Counts jobs by their states, each up to a bound; see {@link JobCounts}. */
    public JobCounts counts() {
        return finder.counts();
    }

    /**
     * Retries a job that has failed or was cancelled, with all its attempts.
     *
     * @return false if it has neither failed nor been cancelled
     * @throws JobsException if there is no job with that id, if another job has its key now, or if a newer version of the key is known
     */
    public boolean retry(long id) {
        return statements.isSo(RETRY, id);
    }

    /**
     * Retries all jobs that failed or were cancelled and meet the query, with all their attempts; on all its pages. {@link #count} says beforehand how
     * many these are. Up to a thousand are retried in a transaction, as many as take about 80 ms, so that nodes and callers go on meanwhile; a failure leaves what was
     * done before. Jobs that fail or are cancelled after the call has begun, or are added after it, are not meant, even if {@link JobQuery#until} is later. A job stays if another job has its key now, or if a newer version of the key is known.
     *
     * @param query of jobs in the state FAILED or CANCELLED
     * @return the number of retried jobs
     * @throws JobsException if the query is of another state
     */
    public long retryAll(JobQuery query) {
        return change(new BulkChange(Action.RETRY, query, null), (changed, left) -> true);
    }

    /**
     * Makes all jobs due now that are planned or wait for a retry and meet the query, as {@link #retryAll} does its work.
     *
     * @param query of jobs in the state PLANNED or RETRYING
     * @return the number of these jobs
     * @throws JobsException if the query is of another state
     */
    public long runNowAll(JobQuery query) {
        return change(new BulkChange(Action.RUN_NOW, query, null), (changed, left) -> true);
    }

    /**
     * Cancels all jobs that wait and meet the query, as {@link #retryAll} does its work.
     *
     * @param query of jobs in the state WAITING, PLANNED, RETRYING or SUSPENDED
     * @return the number of cancelled jobs
     * @throws JobsException if the query is of another state
     */
    public long cancelAll(JobQuery query) {
        return change(new BulkChange(Action.CANCEL, query, null), (changed, left) -> true);
    }

    /**
     * Moves all jobs that wait and meet the query to another queue, as {@link #retryAll} does its work. Jobs with a key or an order key stay,
     * since these belong to their queue.
     *
     * @param query of jobs in the state WAITING, PLANNED, RETRYING or SUSPENDED
     * @param queue created if it is new
     * @return the number of moved jobs
     * @throws JobsException if the query is of another state
     */
    public long moveAll(JobQuery query, String queue) {
        return change(new BulkChange(Action.MOVE, query, JobNames.check("queue", queue)), (changed, left) -> true);
    }

    /**
     * Deletes all jobs that failed or were cancelled and meet the query, as {@link #retryAll} does its work. They cannot be retried any more.
     *
     * @param query of jobs in the state FAILED or CANCELLED
     * @return the number of deleted jobs
     * @throws JobsException if the query is of another state
     */
    public long deleteAll(JobQuery query) {
        return change(new BulkChange(Action.DELETE, query, null), (changed, left) -> true);
    }

    /**
     * Changes all jobs that meet a query, as {@link #retryAll}, {@link #runNowAll}, {@link #cancelAll}, {@link #moveAll} and {@link #deleteAll} do, and
     * says after each transaction how far it is.
     *
     * @return the number of jobs that were changed
     * @throws JobsException if the action is not for jobs in the state of the query
     */
    public long change(BulkChange change, BulkChange.Progress progress) {
        return changer.change(change, progress);
    }

    /**
     * Changes these jobs, as {@link #retry}, {@link #runNow}, {@link #cancel} and {@link #delete} do, a hundred in a transaction. A job that cannot be
     * changed is left as it is.
     *
     * @return the number of jobs that were changed, those included that run and whose node was told to interrupt them
     * @throws IllegalArgumentException if the action is MOVE: see {@link #moveEach}
     * @throws JobsException if the database cannot be reached; what earlier transactions have changed stays
     */
    public long changeEach(Action action, Collection<Long> ids) {
        return changer.changeEach(action, ids);
    }

    /**
     * Moves these jobs to another queue if they wait, as {@link #moveAll} does, a hundred in a transaction.
     *
     * @param queue created if it is new
     * @return the number of moved jobs
     * @throws IllegalArgumentException if the name of the queue is empty or too long
     * @throws JobsException if the database cannot be reached; what earlier transactions have moved stays
     */
    public long moveEach(Collection<Long> ids, String queue) {
        return changer.moveEach(ids, JobNames.check("queue", queue));
    }

    /**
     * Deletes a job that has failed or was cancelled. It cannot be retried any more.
     *
     * @return false if it has neither failed nor been cancelled: {@link #cancel} it first
     * @throws JobsException if there is no job with that id
     */
    public boolean delete(long id) {
        return statements.isSo(DELETE, id);
    }

    /**
     * Makes a job due now that is planned, or waits for a retry.
     *
     * @return false if it is neither
     * @throws JobsException if there is no job with that id
     */
    public boolean runNow(long id) {
        return statements.isSo(RUN_NOW, id);
    }

    /**
     * Adds a job with the payload, key, tags and options of one that has ended, also of one that is done.
     *
     * @param transaction in which it is added; null: one of its own
     * @param fromStep the new job has what the other one had recorded before that step, and does it again; null: it has no records
     * @return its id
     * @throws JobsException if there is no job with that id, it has not ended, its payload was too large to be kept, another one has its key, or it has
     *     recorded no such step
     */
    public long rerun(@Nullable Connection transaction, long id, @Nullable String fromStep) {
        return transaction == null
                ? statements.number(RERUN, id, fromStep)
                : statements.number(transaction, RERUN, id, fromStep);
    }

    /**
     * Drops what a job that waits or has failed has recorded under that type and name: for a record that the code of its handler does not ask for any
     * more, see {@link Job#retired}. A job that has diverged is tried at once.
     *
     * @param type {@code step}, {@code sleep}, {@code signal}, {@code child}, {@code any}, {@code job}, {@code event}, {@code thrown} or {@code patch}
     * @param name by which its handler has asked for it; of waits of one name all go
     * @return how many records were dropped
     * @throws JobsException if the job neither waits nor has failed, or there is no job with that id
     */
    public long dropRecord(long id, String type, String name) {
        return statements.number(DROP_RECORD, id, type, name, null);
    }

    /**
     * Makes all jobs of a queue due now that wait for a retry.
     *
     * @return the number of these jobs
     * @throws JobsException if there is no such queue
     */
    public long runRetriesNow(String queue) {
        return statements.number(RUN_RETRIES_NOW, JobNames.check("queue", queue), null);
    }

    /** As {@link #runRetriesNow(String)}, only for jobs whose last attempt ended with that error. */
    public long runRetriesNow(String queue, String error) {
        return statements.number(RUN_RETRIES_NOW, JobNames.check("queue", queue), error);
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
        return statements.isSo(SET_PRIORITY, id, NewJob.checkPriority(priority));
    }

    /**
     * Gives a waiting job another payload.
     *
     * @param payload JSON, as the codec of its handlers reads it
     * @param was JSON that the payload has to be, so that no change of another program is lost; null: any
     * @return false if it does not wait
     * @throws JobsException if there is no job with that id, it has recorded steps or waits, is unique by its payload, or has another payload than
     *     {@code was}
     */
    public boolean setPayload(long id, String payload, @Nullable String was) {
        return statements.isSo(SET_PAYLOAD, id, payload, was);
    }

    /**
     * Makes a waiting job due at another time; of a suspended one, the end of the time for which it waits.
     *
     * @param runAt in the past: now
     * @return false if it does not wait, or for something that has no time
     * @throws JobsException if there is no job with that id
     */
    public boolean reschedule(long id, Instant runAt) {
        return statements.isSo(
                RESCHEDULE,
                id,
                Durations.checkMoment("the time of job " + id + ", ", runAt).toString());
    }

    /**
     * Gives a waiting job these tags in place of those that it has.
     *
     * @param tags up to 20 of 1 to 100 characters; empty: none
     * @return false if it does not wait
     * @throws JobsException if there is no job with that id, or a tag is not possible
     */
    public boolean setTags(long id, Collection<String> tags) {
        return statements.isSo(SET_TAGS, id, tags.toArray(String[]::new));
    }

    /** Lists all queues by name, with how much waits in each. Counts a bounded number of jobs of each queue. */
    public List<QueueSummary> queues() {
        return finder.queues(QueueSummary.COUNTED);
    }

    /**
     * Lists all queues by name, as {@link #queues()}, and counts fewer jobs.
     *
     * @param most the number after which counting stops, for each number of a queue, 1 to {@link QueueSummary#COUNTED}
     * @return with one more where there are more
     * @throws IllegalArgumentException if {@code most} is out of bounds
     */
    public List<QueueSummary> queues(int most) {
        if (most < 1 || most > QueueSummary.COUNTED)
            throw new IllegalArgumentException(
                    "counting up to " + most + " jobs: it has to be 1 to " + QueueSummary.COUNTED);
        return finder.queues(most);
    }

    /**
     * Pauses a queue: no node claims from it. Claimed jobs continue; jobs may be added, and wait. A queue can be paused
     * before its first job.
     *
     * @return false if it was paused already
     */
    public boolean pause(String queue) {
        return statements.isSo(PAUSE, JobNames.check("queue", queue), null);
    }

    /** Pauses one kind of a queue, as {@link #pause(String)}. */
    public boolean pause(String queue, String kind) {
        return statements.isSo(PAUSE, JobNames.check("queue", queue), JobNames.check("kind", kind));
    }

    /**
     * Resumes a queue. Its kinds that were paused themselves stay paused.
     *
     * @return false if it was not paused
     * @throws JobsException if there is no such queue
     */
    public boolean resume(String queue) {
        return statements.isSo(RESUME, JobNames.check("queue", queue), null);
    }

    /** As {@link #resume(String)}, for one kind of the queue. */
    public boolean resume(String queue, String kind) {
        return statements.isSo(RESUME, JobNames.check("queue", queue), JobNames.check("kind", kind));
    }

    /** The limits over all nodes: how many jobs run at a time, how many begin within a period, and how groups share a queue. */
    public JobLimits limits() {
        return limits;
    }

    /** Finds a workflow, as {@link dev.howdah.job.workflow.Workflows#find} does. */
    public Optional<WorkflowSummary> findWorkflow(long id) {
        return workflows.find(id);
    }

    /**
     * Lists workflows, the newest first, as {@link dev.howdah.job.workflow.Workflows#list} does.
     *
     * @param unfinished only those that have not ended
     * @param before only those with a smaller id; {@link Long#MAX_VALUE} for the first
     * @param most the number of workflows, 1 to 10,000
     * @throws IllegalArgumentException if {@code most} is out of bounds
     */
    public List<WorkflowSummary> workflows(boolean unfinished, long before, int most) {
        return workflows.list(unfinished, before, checkWorkflows(most));
    }

    /**
     * Lists workflows, the oldest first.
     *
     * @param unfinished only those that have not ended
     * @param after only those with a larger id; 0 for the first
     * @param most the number of workflows, 1 to 10,000
     * @throws IllegalArgumentException if {@code most} is out of bounds
     */
    public List<WorkflowSummary> oldestWorkflows(boolean unfinished, long after, int most) {
        return workflows.oldest(unfinished, after, checkWorkflows(most));
    }

    private static int checkWorkflows(int most) {
        if (most < 1 || most > MOST_WORKFLOWS)
            throw new IllegalArgumentException(most + " workflows: it has to be 1 to " + MOST_WORKFLOWS);
        return most;
    }

    /** The jobs of a workflow that have names, in the order in which they were given. */
    public List<WorkflowJob> workflowJobs(long workflow) {
        return workflows.jobs(workflow);
    }

    /**
     * Cancels all jobs of a workflow that have not ended, as {@link dev.howdah.job.workflow.Workflows#cancel} does.
     *
     * @return the number of jobs that were cancelled, or are to be
     * @throws JobsException if there is no such workflow
     */
    public long cancelWorkflow(long workflow) {
        return statements.number(CANCEL_WORKFLOW, workflow);
    }

    /**
     * Closes an open workflow, as {@link dev.howdah.job.workflow.Workflows#close} does.
     *
     * @return false if it was not open
     * @throws JobsException if there is no such workflow
     */
    public boolean closeWorkflow(long workflow) {
        return statements.isSo(CLOSE_WORKFLOW, workflow);
    }

    /** Lists the pipelines that are defined in SQL, by name. */
    public List<SqlPipeline> pipelines() {
        return workflows.pipelines();
    }

    /**
     * Removes a pipeline that is defined in SQL; its workflows continue.
     *
     * @return false if there is none of that name
     */
    public boolean removePipeline(String name) {
        return statements.isSo(REMOVE_PIPELINE, name);
    }

    /** Returns the retention of ended jobs, and the tags that are counted. */
    public JobHistory history() {
        return history;
    }

    /** Returns the operations on log queues. */
    public LogQueues logQueues() {
        return logs;
    }

    /**
     * Limits the jobs of a queue that run at the same time, on all nodes together. Nodes notice a new limit within two
     * seconds; claimed jobs continue. {@link JobsBuilder#nodeLimit(String, int)} limits one node.
     *
     * @throws IllegalArgumentException if {@code jobs} is less than 1
     */
    public void setLimit(String queue, int jobs) {
        statements.run(LIMIT, JobNames.check("queue", queue), ConcurrencyLimits.check(jobs), null);
    }

    /** As {@link #setLimit(String, int)}, for one kind of the queue. */
    public void setLimit(String queue, String kind, int jobs) {
        statements.run(
                LIMIT, JobNames.check("queue", queue), ConcurrencyLimits.check(jobs), JobNames.check("kind", kind));
    }

    /** Removes the limit of {@link #setLimit(String, int)}; does nothing if there is none. */
    public void removeLimit(String queue) {
        statements.run(LIMIT, JobNames.check("queue", queue), null, null);
    }

    /** Removes the limit of {@link #setLimit(String, String, int)}. */
    public void removeLimit(String queue, String kind) {
        statements.run(LIMIT, JobNames.check("queue", queue), null, JobNames.check("kind", kind));
    }
}
