package dev.howdah.job;

import dev.howdah.job.wait.Awaited;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.EmittedEvent;
import dev.howdah.job.wait.EventWait;
import dev.howdah.job.wait.ParentEnd;
import dev.howdah.job.wait.Signal;
import dev.howdah.job.wait.Wait;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.spi.TypeReference;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A job as its handler sees it. Safe for use by many threads. */
public interface Job {
    /** The id, the same in all attempts. */
    long id();

    /** The queue. */
    String queue();

    /** The kind. */
    String kind();

    /** The priority; lower runs first. */
    int priority();

    /** The tags, sorted; empty if it has none. */
    List<String> tags();

    /** The metadata, with its values as Jackson reads JSON; empty if it has none. */
    Map<String, @Nullable Object> metadata();

    /** The number of this attempt, from 1. */
    int attempt();

    /**
     * Returns the time at which this attempt was due, by the clock of the database: the time that a schedule has planned, or that of a retry. The first call of this method or of
     * {@link #createdAt} in an attempt asks the database.
     *
     * @throws JobsException if the database cannot be asked, or the node does not have the job any more
     */
    Instant runAt();

    /** Returns the time at which the job was added, by the clock of the database; see {@link #runAt}. */
    Instant createdAt();

    /**
     * A number that grows with each claim of the job. A system that gets it with a write can refuse a write with a
     * smaller one: that comes from a node that was declared dead while another node ran the job.
     *
     * <p>It is the time of the database's server in microseconds since 1970; while that clock is behind the last token, it is
     * the next number of a sequence. It grows on one server, even when its clock is set back. After a failover that lost
     * transactions or after a restore it grows if the server's clock is ahead of the former server's clock at the last claim.
     */
    long fencingToken();

    /**
     * Returns true when the handler should stop: the job was cancelled or timed out, or the node is stopping or has lost its claim.
     */
    boolean cancelled();

    /** Returns why the handler should stop, the first reason if there are several; empty as long as {@link #cancelled} is false. */
    Optional<StopReason> stopReason();

    /** Why a handler should stop. */
    enum StopReason {
        /** The job was cancelled. */
        CANCELLED,
        /** The timeout of the job or of its handler is over. */
        TIMEOUT,
        /** The node is stopping: the job goes back, and this was no attempt. */
        NODE_STOPPING,
        /** The node has lost its claim: another node may run the job. */
        CLAIM_LOST
    }

    /**
     * Returns true from the moment on at which the node of this job begins to stop. The handler may go on for {@link JobsBuilder#shutdownTimeout}; only then
     * it is interrupted, and {@link #cancelled} is true. A long handler that asks between two of its parts can return {@link Outcome#snooze}, and goes on behind its
     * recorded steps on another node.
     */
    boolean nodeIsStopping();

    /**
     * Returns true if no other attempt follows when this one fails: by the maximum number of attempts of the job, and by the answer of the retry policy to a
     * {@link RuntimeException}. A crash of the node is followed by another attempt all the same.
     */
    boolean isLastAttempt();

    /**
     * Says how far the job is. Others see it within a second: {@link JobAdmin#progress}, {@code howdah.progress}. The last one before each write counts, so that
     * this may be called as often as it changes. It returns at once; after a crash of the program the last second may be missing.
     *
     * @param done from 0 to 1
     * @param message such as {@code page 12 of 30}; characters beyond 200 are left out; null: none
     * @throws IllegalArgumentException if {@code done} is less than 0, greater than 1, or not a number
     * @throws JobsException if the handler was {@linkplain JobsBuilder#abandonAfter abandoned}
     */
    void progress(double done, @Nullable String message);

    /**
     * Logs a line for the job, which others see within a second: {@link JobAdmin#log}, {@code howdah.log}. It is kept as long as completed jobs. Of an attempt
     * 1,000 lines are kept, of a line 1,000 characters. It returns at once; after a crash of the program the last second may be missing.
     *
     * @throws JobsException if the handler was {@linkplain JobsBuilder#abandonAfter abandoned}
     */
    void log(String line);

    /**
     * Runs a part of the handler, and records its result: a later attempt of this job gets the recorded result, and the part does not run again. After a
     * crash between the end of the part and its record it runs again. The record is kept as long as the job can come back; {@link JobAdmin#steps} lists it.
     *
     * <pre>{@code
     * String payment = job.step("charge", String.class, () -> bank.charge(order));
     * job.step("receipt", Void.class, () -> mail(order, payment));
     * }</pre>
     *
     * @param name of the step, 1 to 200 characters, unique in this handler: in a loop the number has to be a part of it
     * @param type of the result, to which the codec converts the recorded one; {@code Void.class} for none
     * @param work may return null; its exception is thrown, and nothing is recorded
     * @return the result of this run, or the recorded one
     * @throws JobsException if the step could not be recorded: the database cannot be reached, or this node does not have the job any more
     * @throws FatalException if the step is done, and the codec or the database refuses its result: another attempt would repeat it
     * @throws IllegalStateException if a step of that name is done or runs in this attempt; in a handler that runs in the job's own transaction, all
     *     of whose writes are undone together when it fails; in a job of a log queue
     * @throws IllegalArgumentException if the name is empty or too long, or the result cannot be converted
     */
    <T> @Nullable T step(String name, Class<T> type, Callable<? extends @Nullable T> work) throws Exception;

    /** As {@link #step(String, Class, Callable)}, with a result of a generic type: {@code new TypeReference<List<Line>>() {}}. */
    <T> @Nullable T step(String name, TypeReference<T> type, Callable<? extends @Nullable T> work) throws Exception;

    /**
     * As {@link #step(String, Class, Callable) step}, in a transaction that also records the step: the writes of {@code work} on its connection happen exactly once. It needs one more connection of the
     * data source while it runs.
     *
     * <p>The transaction has the isolation of the data source. A serialization failure or a deadlock is repeated: the transaction is rolled
     * back, and {@code work} called again in a new one, up to fifty times.
     *
     * @param work gets the connection, in a transaction; not to be committed, rolled back or closed
     */
    <T> @Nullable T stepInTransaction(String name, Class<T> type, StepInTransaction<? extends @Nullable T> work)
            throws Exception;

    /** As {@link #stepInTransaction(String, Class, StepInTransaction)}, with a result of a generic type. */
    <T> @Nullable T stepInTransaction(String name, TypeReference<T> type, StepInTransaction<? extends @Nullable T> work)
            throws Exception;

    /**
     * Returns the time by the database's clock, in microseconds, read once: a {@link #step(String, Class, Callable) step} of that name, so that each later run
     * goes the same way. It has a statement of its own when it is read, beside that of the record.
     *
     * @param name as of a step, 1 to 200 characters, and used for one step only
     * @throws JobsException if the database cannot be asked; the attempt fails, and the next one reads the time
     */
    Instant now(String name);

    /**
     * Returns a random number from 0 to less than 1, drawn once, as {@link #now} reads the time.
     *
     * @param name as of a step
     */
    double random(String name);

    /**
     * Returns a random UUID, drawn once, as {@link #now} reads the time: such as an idempotency key for another system.
     *
     * @param name as of a step
     */
    UUID uuid(String name);

    /**
     * Waits without a thread, also for months: what the handler has done since its last step is done again. The run ends here, by
     * {@link dev.howdah.job.wait.JobSuspended}; when the time is over the handler is called again from its top, its recorded steps give their
     * results, and this method returns. So every effect belongs into a {@link #step(String, Class, Callable) step}, and a {@code finally} block runs at each wait.
     *
     * <p>The end is fixed once, by the database's clock. A sleep of less than two seconds is spent in the thread. A run that ends in a
     * sleep is no attempt, and behind it attempts count from 1 again.
     *
     * @param name 1 to 200 characters; sleeps of one name are told apart by the order of their calls in a run
     * @param duration zero or less: it returns at once
     * @throws IllegalStateException in a step, in a thread of its own, in a handler that runs in the job's own transaction, and in a job of a log queue
     */
    void sleep(String name, Duration duration);

    /** As {@link #sleep(String, Duration)}, and up to {@code spread} longer, at random: many jobs that begin to wait together do not end together. */
    void sleep(String name, Duration duration, Duration spread);

    /** As {@link #sleep(String, Duration)}, until a time by the database's clock; in the past: it returns at once. */
    void sleepUntil(String name, Instant end);

    /**
     * Waits for a signal to this job, without a thread, as {@link #sleep(String, Duration)} waits for a time. A signal that was sent before
     * counts: those of one name are read in their order, one by each wait. A wait that has ended by its time stays so in later runs, and reads
     * no signal.
     *
     * @param name 1 to 200 characters; waits of one name are told apart by the order of their calls in a run
     * @param type to which the codec converts the payload; a signal whose payload cannot be converted is set aside, and the wait goes on
     * @param atMost from now; its end is fixed once, by the database's clock
     * @return empty: no signal came in time
     * @throws IllegalStateException as {@link #sleep(String, Duration)}
     * @see Jobs#signal(long, String, Object)
     */
    <T> Optional<Signal<T>> await(String name, Class<T> type, Duration atMost);

    /**
     * As {@link #await}, where the job cannot go on without the signal.
     *
     * @throws dev.howdah.job.wait.WaitTimeoutException if none came in time: not caught, it fails the job for good; a job that is retried then waits
     *     again for the whole time
     */
    <T> Signal<T> awaitOrFail(String name, Class<T> type, Duration atMost);

    /**
     * Makes a secret with which an outside party can send one signal of that name to this job, by the console and without any other right: such as in the
     * link of a mail. To be called in the {@linkplain #step(String, Class, Callable) step} that gives the secret away: it is kept nowhere, and each call
     * makes another one. The first one of a name that is used ends all others, and the end of the job ends all.
     *
     * @param name of the signal, 1 to 200 characters
     * @param keep for how long it can be used
     * @return 40 characters
     * @throws IllegalStateException if the handler runs in the job's own transaction
     */
    String signalToken(String name, Duration keep);

    /**
     * Waits for an event, without a thread, as {@link #await} waits for a signal: for the first one that is kept, was emitted since this job was added, and
     * that this job has not read yet. An event is for all jobs that wait for it.
     *
     * @param event its topic, key and what else it has to be; waits for one topic are told apart by the order of their calls in a run
     * @param atMost from now; its end is fixed once, by the database's clock
     * @return empty: none came in time
     * @throws IllegalStateException as {@link #sleep(String, Duration)}
     * @see Jobs#emit(Emission)
     */
    <T> Optional<EmittedEvent<T>> awaitEvent(EventWait<T> event, Duration atMost);

    /**
     * Adds a job as a child of this one: once for this name, however often the handler runs again, and never without its record. Each end of it is told
     * to this job, see {@link #awaitChild(Child, Class) awaitChild}. When this job fails for good or is cancelled, its children are cancelled with it; when it is done, they go on.
     *
     * @param name 1 to 200 characters, unique in this handler: in a loop the number has to be a part of it
     * @param job without a key
     * @throws IllegalArgumentException if the job has a key, is for a log queue, or has the order key of this job or of an ancestor in one queue, for which it
     *     would wait
     * @throws IllegalStateException as {@link #sleep(String, Duration)}; if children of that name were asked for in this run
     */
    Child child(String name, NewJob<?> job);

    /**
     * As {@link #child(String, NewJob)}.
     *
     * @param parentEnd what becomes of it when this job ends
     */
    Child child(String name, NewJob<?> job, ParentEnd parentEnd);

    /**
     * As {@link #child(String, NewJob)}, for up to 10,000 jobs in one transaction. The recorded ones count: a later run gets as many as the first one has
     * added.
     */
    List<Child> children(String name, List<? extends NewJob<?>> jobs);

    /**
     * As {@link #children(String, List)}.
     *
     * @param parentEnd what becomes of them when this job ends
     */
    List<Child> children(String name, List<? extends NewJob<?>> jobs, ParentEnd parentEnd);

    /**
     * Waits for the end of a child, without a thread, as {@link #sleep(String, Duration)} waits for a time.
     *
     * @param type to which the codec converts the result that its handler has set; {@code Void.class} for none
     * @return its result; null if it has set none
     * @throws dev.howdah.job.wait.ChildFailedException if it has failed or was cancelled: not caught, it fails this job for good; a job that is retried then
     *     brings the child back with it
     */
    <T> @Nullable T awaitChild(Child child, Class<T> type);

    /** As {@link #awaitChild(Child, Class)}, with a result of a generic type. */
    <T> @Nullable T awaitChild(Child child, TypeReference<T> type);

    /**
     * Waits until all of these children have ended, however; {@link #awaitChild(Child, Class) awaitChild} then says how each did. The handler runs again once, when the last has
     * ended.
     */
    void awaitChildren(List<Child> children);

    /**
     * Waits for the end of a job that is no child, such as one that was added in {@link #stepInTransaction}, without a thread, as {@link
     * #sleep(String, Duration)} waits for a time. What becomes of this job does not matter to that one.
     *
     * @param name of this wait, 1 to 200 characters; waits of one name are told apart by the order of their calls in a run
     * @param type to which the codec converts the result that its handler has set; {@code Void.class} for none
     * @param atMost from now; its end is fixed once, by the database's clock
     * @return its result; null if it has set none
     * @throws dev.howdah.job.wait.ChildFailedException if it has failed or was cancelled, in each later run the same
     * @throws dev.howdah.job.wait.WaitTimeoutException if it has not ended in time, in each later run the same
     * @throws IllegalArgumentException if there is no such job
     */
    <T> @Nullable T awaitJob(String name, long id, Class<T> type, Duration atMost);

    /**
     * Waits for the first of several, without a thread. The others are given up: a signal of another name stays for the next wait, and children go on.
     * Where several have ended, the first in the order of the arguments counts; each later run gets the same answer.
     *
     * @param name of this wait, 1 to 200 characters; waits of one name are told apart by the order of their calls in a run
     * @param waits at most one of them a time
     * @throws IllegalArgumentException if there is no job of an id that is waited for
     * @throws IllegalStateException as {@link #sleep(String, Duration)}
     */
    Awaited awaitAny(String name, Wait... waits);

    /**
     * Returns whether this run takes the way of changed code, for jobs that are suspended while a program is replaced: true, and recorded, for runs that had not
     * passed this place before; false for those that had, which go the old way to their ends.
     *
     * <pre>{@code
     * if (job.patched("2026-12 check the address")) job.step("check address", Void.class, () -> check(order));
     * }</pre>
     *
     * @param name of the change, 1 to 200 characters; in a loop the number has to be a part of it
     */
    boolean patched(String name);

    /**
     * Says that the steps, waits and children which earlier runs have recorded under the old name have another name in this code. Call it at the top of the
     * handler; it does nothing for a job that has no such records. A wait for a signal that is open goes on to read signals of its old name.
     *
     * @param name by which the handler asks for them now
     */
    void renamed(String old, String name);

    /**
     * Says that this code does not ask for the steps, waits and children of that name any more: a job that has recorded them does not diverge. Call it at
     * the top of the handler; a step of that name that the handler asks for all the same is done again.
     */
    void retired(String name);

    /**
     * Begins this job anew with that payload, by {@link dev.howdah.job.wait.JobSuspended}, as {@link #sleep(String, Duration)} ends a run: it has no records
     * then, and its attempts count from 1. Its id, key, order key, tags, parent and the signals that it has not read stay. For a loop of many waits,
     * each of whose runs would read the records of all before it.
     *
     * @param payload that the codec can convert to JSON
     * @throws IllegalStateException as {@link #sleep(String, Duration)}; if a child has not ended, unless it was added with {@link ParentEnd#LEAVE}
     */
    void continueAs(@Nullable Object payload);

    /** Returns whether this run ends because the handler waits: code in {@code finally} blocks and {@code close} methods can ask. */
    boolean suspending();

    /** The work of a step in a transaction. */
    @FunctionalInterface
    interface StepInTransaction<T extends @Nullable Object> {
        T run(Connection connection) throws Exception;
    }

    /**
     * The workflow of this job, or the one that has ended, if this job runs when it ends; empty if there is none. Asks the database.
     *
     * @throws JobsException if the database cannot be asked
     */
    Optional<WorkflowSummary> workflow();

    /**
     * The result of a job that this one has waited for in its workflow; null if its handler has set none, or it is not done. The database is asked once
     * for all of them.
     *
     * @param name of that job
     * @param type to which the codec converts the result
     * @throws IllegalArgumentException if this job has not waited for one of that name
     * @throws JobsException if the database cannot be asked
     */
    <T> @Nullable T resultOf(String name, Class<T> type);

    /** As {@link #resultOf(String, Class)}, with a result of a generic type. */
    <T> @Nullable T resultOf(String name, TypeReference<T> type);

    /** The results of the jobs that this one has waited for, by their names in the order in which they were given; as {@link #resultOf(String, Class)}, without those that have none. */
    <T> Map<String, T> resultsOf(Class<T> type);

    /** Returns the states of the jobs that this one has waited for, by their names. */
    Map<String, WorkflowJob.State> predecessors();

    /**
     * Sets the result, which is kept with the history of the job if this attempt succeeds. The last one counts.
     *
     * @param result any value that the codec can convert to JSON, at most some kilobytes. If the database refuses it, such as for a character U+0000, the job has failed
     * @throws JobsException if the handler was {@linkplain JobsBuilder#abandonAfter abandoned}
     */
    void result(@Nullable Object result);
}
