package dev.howdah.job;

import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.RecordRoom;
import dev.howdah.job.internal.handler.ResumeOptions;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of one handler. An option that is not set is the default of the {@link JobsBuilder}. Not safe for use by
 * many threads.
 */
public final class HandlerOptions {
    private @Nullable RetryPolicy retries;
    private @Nullable Duration timeout;
    private final List<String> versions = new ArrayList<>();
    private @Nullable Integer resumePriority;
    private boolean isStrict;
    private boolean throwsCancel;
    private boolean releasesOrderKey;
    private RecordRoom.Limits limits = RecordRoom.Limits.USUAL;
    private int sharedTransaction = 1;

    HandlerOptions() {}

    /** Sets the retry policy. Defaults to {@link JobsBuilder#defaultRetries}. */
    public HandlerOptions retries(RetryPolicy policy) {
        retries = Objects.requireNonNull(policy, "a retry policy is needed, not null");
        return this;
    }

    /**
     * Sets the maximum run time of one attempt, as {@link JobsBuilder#defaultTimeout} does. Zero: no limit.
     *
     * @throws IllegalArgumentException if it is negative or too long
     */
    public HandlerOptions timeout(Duration time) {
        timeout = Durations.check(time);
        return this;
    }

    /**
     * Names the version of a handler that {@linkplain Job#sleep waits}: a job that has waited under it goes on only where a handler lists that version. A job
     * that has not waited begins anywhere, and a job whose handler had no version goes on anywhere.
     *
     * @param version 1 to 200 characters
     * @throws IllegalArgumentException if it is empty or too long
     */
    public HandlerOptions handlerVersion(String version) {
        versions.add(0, JobNames.check("handler's version", version));
        return this;
    }

    /** Names earlier versions whose jobs this handler goes on with, too. */
    public HandlerOptions alsoRuns(String... earlier) {
        for (String each : earlier) versions.add(JobNames.check("handler's version", each));
        return this;
    }

    /**
     * Sets the priority of a job from its first {@linkplain Job#sleep wait} on, whatever it was added with: a smaller one lets what has begun end before other
     * jobs begin.
     *
     * @param priority as {@link NewJob#priority(int)}
     * @throws IllegalArgumentException if it is out of range
     */
    public HandlerOptions resumePriority(int priority) {
        resumePriority = NewJob.checkPriority(priority);
        return this;
    }

    /**
     * Lets a job that has not waited diverge as one that has: where a later attempt asks for a step that is not recorded, or ends, before all steps that an
     * earlier one has recorded were asked for, nothing is done, and the job waits for a program that its steps fit. Without this such an end is a line of
     * the log, since the step may be one that was renamed, and has had its effect twice.
     */
    public HandlerOptions strict() {
        isStrict = true;
        return this;
    }

    /**
     * Lets up to so many jobs of a transactional handler share one transaction, as many as wait at the node: they commit together, in a fraction of the
     * time. If one of them is not done, the transaction is rolled back, and the handler is called again for each of them, in a transaction of its own,
     * within the same attempt: what it does outside of the database is then done twice. Jobs that were tried before run alone, and so do those with a
     * key, an order key, a parent, a workflow or a large payload, and all of a handler with sessions of its own or in the transaction of a
     * framework. What one job has set or locked in the transaction holds for those behind it. After 50 ms a transaction takes no further job: one that
     * takes longer holds up those that were done before it. Two transactions that change the same rows in different orders can end in a deadlock, and the
     * jobs of one of them then run alone. A handler that runs COMMIT, which it must not, commits what jobs before it have done, and these are done again: that is
     * logged as an error, and jobs of the kind share no transaction on this node any more. Defaults to 1.
     *
     * @param jobs 1 to 100
     * @throws IllegalArgumentException if it is another number
     */
    public HandlerOptions sharedTransaction(int jobs) {
        if (jobs < 1 || jobs > 100)
            throw new IllegalArgumentException("1 to 100 jobs may share a transaction, not " + jobs);
        sharedTransaction = jobs;
        return this;
    }

    int sharedTransaction() {
        return sharedTransaction;
    }

    /**
     * Tells a job that waits, and is cancelled, of that in one more run: its wait throws {@link dev.howdah.job.wait.JobCancelledException}, as each further wait
     * does, and its steps work, so that it can undo what it has done. It is cancelled whatever that run returns; to cancel it once more ends it at once.
     * Without this, and where its workflow ends or a newer job of its key takes its place, it ends without a run.
     */
    public HandlerOptions cancelByException() {
        throwsCancel = true;
        return this;
    }

    /**
     * Lets the next job of its {@linkplain NewJob#orderKey order key} run while a job waits in its handler. When the wait has ended the job waits for its turn
     * again, before those of its key that no node has claimed: it goes on when those that a node has claimed by then, 32 at most, have ended. Without this it
     * keeps its turn, and the others wait with it.
     */
    public HandlerOptions releaseOrderKey() {
        releasesOrderKey = true;
        return this;
    }

    /**
     * Sets how much a job may record, which each of its runs reads: a step, wait or child beyond that is refused before it does anything, and the job has
     * failed. Defaults to 10,000 records, 32 MiB and 1 MiB.
     *
     * @param records steps, waits and calls that add children, 1 to 1,000,000
     * @param length of all results and payloads, in characters of JSON, up to 1 GiB
     * @param each of one result of a step: the step is done then, and the job has failed since its result cannot be kept
     * @throws IllegalArgumentException if one is out of range
     */
    public HandlerOptions recordLimits(int records, long length, int each) {
        if (records < 1 || records > 1_000_000 || length < 1 || length > 1L << 30 || each < 1 || each > length)
            throw new IllegalArgumentException(records + " records of " + length + " characters, " + each
                    + " in one: there have to be 1 to 1000000 records, 1 to " + (1L << 30)
                    + " characters, and no more in one");
        limits = new RecordRoom.Limits(records, length, each);
        return this;
    }

    ResumeOptions resume() {
        List<String> all = List.copyOf(versions);
        return new ResumeOptions(
                all,
                isStrict,
                new OpenWait.Waiting(all.isEmpty() ? null : all.get(0), resumePriority, throwsCancel, releasesOrderKey),
                limits);
    }

    boolean setsRetries() {
        return retries != null;
    }

    boolean setsTimeout() {
        return timeout != null;
    }

    RetryPolicy retriesOr(RetryPolicy other) {
        return retries == null ? other : retries;
    }

    Duration timeoutOr(Duration other) {
        return timeout == null ? other : timeout;
    }
}
