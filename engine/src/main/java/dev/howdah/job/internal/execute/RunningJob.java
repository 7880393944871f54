package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.CallerTransaction;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.json.CodedType;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.RecordRoom;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.handler.ResumeOptions;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobFinder;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.job.internal.store.JobRows;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.internal.store.JobStatements;
import dev.howdah.job.internal.wait.JobWaits;
import dev.howdah.job.internal.wait.Rehearsal;
import dev.howdah.job.internal.wait.ReplayPlaces;
import dev.howdah.job.internal.wait.SignalSender;
import dev.howdah.job.internal.wait.StepFailures;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.Awaited;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.EmittedEvent;
import dev.howdah.job.wait.EventWait;
import dev.howdah.job.wait.JobSuspended;
import dev.howdah.job.wait.ParentEnd;
import dev.howdah.job.wait.Signal;
import dev.howdah.job.wait.Wait;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TypeReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A job that runs, as its handler sees it and as others may interrupt it. */
public final class RunningJob implements Job {
    private static final Sql NOW = JobSql.STEP.statement("step_now");
    private static final int LONGEST_MESSAGE = 200;
    private static final int LONGEST_LINE = 1_000;
    private static final int MOST_LINES = 1_000;

    /** Why an attempt shall end before its handler has ended it. */
    public enum Reason {
        CANCELLED(AttemptResult.WHILE_IT_RAN, StopReason.CANCELLED),
        TIMEOUT("its time was over", StopReason.TIMEOUT),
        STOPPING("its node stopped", StopReason.NODE_STOPPING),
        LOST("its node has lost its claim", StopReason.CLAIM_LOST);

        private final String words;
        private final StopReason told;

        Reason(String words, StopReason told) {
            this.words = words;
            this.told = told;
        }

        String words() {
            return words;
        }
    }

    private final ClaimedBatch batch;
    private final int index;
    private final ClaimedJob taken;
    private final String kind;
    private final long token;
    private final PayloadCodec codec;
    private final long deadline;
    private final boolean limited;
    private final long began;
    private final Thread thread = Thread.currentThread();
    private final JobNotes notes;
    private final JobStatements statements;
    /** Read when it is asked for the first time. */
    private @Nullable JobSummary summary;

    /** Null: the handler runs in the job's own transaction. */
    private final @Nullable ConnectionSource stepSource;

    private @Nullable JobPredecessors predecessors;

    private final CallerTransaction caller;
    private final JobInserter inserter;
    private final RetryPolicy retries;
    private final ResumeOptions resume;
    private final boolean replays;
    private final @Nullable Rehearsal rehearsal;
    private final RunningJobs running;
    /** Most handlers have no steps and log no line: what is for them costs other jobs nothing. */
    private @Nullable JobSteps steps;

    private @Nullable RecordRoom room;

    private volatile @Nullable JobWaits waits;

    private int lines;
    private final ConnectionInUse connection = new ConnectionInUse();
    private volatile @Nullable Reason reason;
    private long interrupted;
    private boolean over;
    private volatile boolean abandoned;
    private volatile @Nullable String result;
    private volatile @Nullable String continued;

    /**
     * @param source of connections of this node
     * @param stepSource of connections for steps; null: the handler runs in the job's own transaction
     * @param caller knows whether a thread is in a transaction of a framework
     * @param inserter adds children
     * @param resume how the handler goes on behind earlier runs
     * @param rehearsal null: the handler does what it says
     * @param timeout zero: none
     * @param running with all others of the node
     */
    RunningJob(
            ClaimedBatch batch,
            int index,
            PayloadCodec codec,
            RetryPolicy retries,
            ResumeOptions resume,
            @Nullable Rehearsal rehearsal,
            JobNotes notes,
            ConnectionSource source,
            @Nullable ConnectionSource stepSource,
            CallerTransaction caller,
            JobInserter inserter,
            Duration timeout,
            RunningJobs running,
            long now) {
        this.running = running;
        this.retries = retries;
        this.resume = resume;
        this.rehearsal = rehearsal;
        this.caller = caller;
        this.inserter = inserter;
        this.notes = notes;
        this.batch = batch;
        this.index = index;
        this.taken = batch.job(index);
        this.replays = taken.hasWaited() || resume.isStrict();
        this.kind = batch.kind(index);
        this.codec = codec;
        this.began = now;
        this.token = batch.batch();
        long nanos = Durations.nanos(timeout);
        // What is longer is as good as no limit, and now + nanos would come round to the past.
        this.limited = nanos > 0 && nanos < Long.MAX_VALUE / 2;
        this.deadline = limited ? now + nanos : 0;
        this.statements = JobStatements.reading(source, connection::readable);
        this.stepSource = stepSource;
    }

    @Override
    public long id() {
        return taken.id();
    }

    @Override
    public String queue() {
        return batch.lane().queue();
    }

    @Override
    public String kind() {
        return kind;
    }

    @Override
    public int priority() {
        return taken.priority();
    }

    @Override
    public List<String> tags() {
        return taken.tags();
    }

    @Override
    public Map<String, @Nullable Object> metadata() {
        return taken.metadata();
    }

    @Override
    public int attempt() {
        return taken.attempt() + 1;
    }

    @Override
    public Instant runAt() {
        return summary().runAt();
    }

    @Override
    public Instant createdAt() {
        return summary().created();
    }

    private synchronized JobSummary summary() {
        JobSummary known = summary;
        if (known == null)
            summary = known = new JobFinder(statements)
                    .find(id())
                    .orElseThrow(() ->
                            new JobsException("job " + id() + " is not there any more: another node has ended it"));
        return known;
    }

    @Override
    public long fencingToken() {
        return token;
    }

    @Override
    public boolean cancelled() {
        return reason != null;
    }

    @Override
    public boolean nodeIsStopping() {
        return running.isStopping();
    }

    @Override
    public Optional<StopReason> stopReason() {
        Reason why = reason;
        return why == null ? Optional.empty() : Optional.of(why.told);
    }

    @Override
    public void result(@Nullable Object value) {
        refuseIfAbandoned();
        result = value == null ? null : codec.encode(value, new PayloadCodec.Subject(PayloadCodec.Use.RESULT, kind));
    }

    @Override
    public boolean isLastAttempt() {
        return attempt() >= taken.attempts()
                || retries.delay(attempt(), new RuntimeException("would fail")).isEmpty();
    }

    @Override
    public void progress(double done, @Nullable String message) {
        if (!(done >= 0 && done <= 1))
            throw new IllegalArgumentException("a progress of " + done + ": it has to be from 0 to 1");
        refuseIfAbandoned();
        if (rehearsal != null) return;
        String text = message == null ? null : text(message, LONGEST_MESSAGE);
        notes.add(new JobNotes.Progress(id(), token, done, text, System.nanoTime()));
    }

    @Override
    public void log(String line) {
        refuseIfAbandoned();
        if (rehearsal != null) return;
        int number = nextLine();
        if (number > MOST_LINES) return;
        String text = number == MOST_LINES ? "further lines are left out" : text(line, LONGEST_LINE);
        notes.add(new JobNotes.Line(id(), attempt(), text, System.nanoTime()));
    }

    @Override
    public <T> @Nullable T step(String name, Class<T> type, Callable<? extends @Nullable T> work) throws Exception {
        beginStep(name);
        return steps().run(name, CodedType.of(type, "step " + name), work);
    }

    @Override
    public <T> @Nullable T step(String name, TypeReference<T> type, Callable<? extends @Nullable T> work)
            throws Exception {
        beginStep(name);
        return steps().run(name, CodedType.of(type, "step " + name), work);
    }

    @Override
    public <T> @Nullable T stepInTransaction(String name, Class<T> type, StepInTransaction<? extends @Nullable T> work)
            throws Exception {
        beginStep(name);
        return steps().runInTransaction(name, CodedType.of(type, "step " + name), work);
    }

    @Override
    public <T> @Nullable T stepInTransaction(
            String name, TypeReference<T> type, StepInTransaction<? extends @Nullable T> work) throws Exception {
        beginStep(name);
        return steps().runInTransaction(name, CodedType.of(type, "step " + name), work);
    }

    @Override
    public Instant now(String name) {
        return Instant.parse(Objects.requireNonNull(decided(
                name,
                String.class,
                () -> statements
                        .list(NOW, row -> JobRows.instant(row, "now"))
                        .get(0)
                        .toString())));
    }

    @Override
    public double random(String name) {
        return Objects.requireNonNull(
                decided(name, Double.class, () -> ThreadLocalRandom.current().nextDouble()));
    }

    @Override
    public UUID uuid(String name) {
        return UUID.fromString(Objects.requireNonNull(
                decided(name, String.class, () -> UUID.randomUUID().toString())));
    }

    private <T> @Nullable T decided(String name, Class<T> type, Callable<T> value) {
        try {
            return step(name, type, value);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new JobsException("step \"" + name + "\" of job " + id() + ": " + ErrorText.line(e), e);
        }
    }

    @Override
    public void sleep(String name, Duration duration) {
        sleep(name, duration, Duration.ZERO);
    }

    @Override
    public void sleep(String name, Duration duration, Duration spread) {
        waits().sleep(name, duration, spread);
    }

    @Override
    public void sleepUntil(String name, Instant end) {
        waits().sleepUntil(name, end);
    }

    @Override
    public <T> Optional<Signal<T>> await(String name, Class<T> type, Duration atMost) {
        return Optional.ofNullable(waits().await(name, type, atMost));
    }

    @Override
    public <T> Signal<T> awaitOrFail(String name, Class<T> type, Duration atMost) {
        return waits().awaitOrFail(name, type, atMost);
    }

    @Override
    public String signalToken(String name, Duration keep) {
        refuseIfAbandoned();
        if (stepSource == null)
            throw new IllegalStateException(
                    "the handler of " + kind
                            + " runs in the job's own transaction: a token that it gives away could be undone; tokens are for other handlers");
        return SignalSender.token(stepSource, id(), name, keep);
    }

    @Override
    public <T> Optional<EmittedEvent<T>> awaitEvent(EventWait<T> event, Duration atMost) {
        return Optional.ofNullable(waits().awaitEvent(event, atMost));
    }

    @Override
    public Child child(String name, NewJob<?> job) {
        return child(name, job, ParentEnd.CANCEL);
    }

    @Override
    public List<Child> children(String name, List<? extends NewJob<?>> jobs) {
        return children(name, jobs, ParentEnd.CANCEL);
    }

    @Override
    public Child child(String name, NewJob<?> job, ParentEnd parentEnd) {
        return children(name, List.of(job), parentEnd).get(0);
    }

    @Override
    public List<Child> children(String name, List<? extends NewJob<?>> jobs, ParentEnd parentEnd) {
        return waits().children().add(name, jobs, parentEnd);
    }

    @Override
    public Awaited awaitAny(String name, Wait... waits) {
        return waits().awaitAny(name, waits);
    }

    @Override
    public <T> @Nullable T awaitChild(Child child, Class<T> type) {
        return waits().children().await(child, CodedType.of(type, "child " + child.name()));
    }

    @Override
    public <T> @Nullable T awaitChild(Child child, TypeReference<T> type) {
        return waits().children().await(child, CodedType.of(type, "child " + child.name()));
    }

    @Override
    public <T> @Nullable T awaitJob(String name, long id, Class<T> type, Duration atMost) {
        return waits().ends().await(name, id, CodedType.of(type, "job " + id), atMost);
    }

    @Override
    public void awaitChildren(List<Child> children) {
        waits().children().awaitAll(children);
    }

    @Override
    public boolean patched(String name) {
        return waits().patched(name);
    }

    @Override
    public void renamed(String old, String name) {
        JobNames.checkNew("step", name);
        steps().renamed(old, name);
        if (taken.hasWaited()) waits().renamed(old, name);
    }

    @Override
    public void retired(String name) {
        steps().retired(name);
        if (taken.hasWaited()) waits().retired(name);
    }

    @Override
    public void continueAs(@Nullable Object payload) {
        JobWaits known = waits();
        String json = payload == null ? "null" : JobPayloads.encode(payload, kind, codec);
        JobSuspended begun = known.continueAs();
        continued = json;
        throw begun;
    }

    /** With which payload it begins anew; null: it does not. */
    @Nullable
    String continued() {
        return continued;
    }

    @Override
    public boolean suspending() {
        return openWait() != null || rehearsal != null && rehearsal.isOver();
    }

    /** What the handler waits for; null: it has not begun to wait. */
    @Nullable
    OpenWait openWait() {
        JobWaits known = waits;
        OpenWait open = known == null ? null : known.open();
        return open == null ? null : open.of(resume.waiting());
    }

    /** The job is about to fail for good by that throwable. */
    void failsBy(Throwable fatal) {
        JobWaits known = waits;
        if (known != null) known.failsBy(fatal);
    }

    private synchronized RecordRoom room() {
        RecordRoom known = room;
        if (known == null) room = known = new RecordRoom(this, resume.limits());
        return known;
    }

    private synchronized JobWaits waits() {
        refuseIfAbandoned();
        if (stepSource == null)
            throw new IllegalStateException(
                    "the handler of " + kind
                            + " runs in the job's own transaction, which is done or undone as a whole: waits are for other handlers");
        JobWaits known = waits;
        if (known == null)
            waits = known = new JobWaits(
                    stepSource,
                    codec,
                    batch,
                    this,
                    replays,
                    taken.cancelled(),
                    room(),
                    thread,
                    caller,
                    inserter,
                    taken.divergences(),
                    taken.version(),
                    steps()::unasked,
                    steps()::runningName,
                    rehearsal);
        return known;
    }

    @Override
    public Optional<WorkflowSummary> workflow() {
        long workflow = taken.anyWorkflow();
        return workflow == 0 ? Optional.empty() : before().workflow(workflow);
    }

    @Override
    public <T> @Nullable T resultOf(String name, Class<T> type) {
        return before().result(name, CodedType.of(type, name));
    }

    @Override
    public <T> @Nullable T resultOf(String name, TypeReference<T> type) {
        return before().result(name, CodedType.of(type, name));
    }

    @Override
    public <T> Map<String, T> resultsOf(Class<T> type) {
        return before().results(CodedType.of(type, "the results"));
    }

    @Override
    public Map<String, WorkflowJob.State> predecessors() {
        return before().states();
    }

    private synchronized JobPredecessors before() {
        JobPredecessors known = predecessors;
        if (known == null) predecessors = known = new JobPredecessors(statements, codec, id());
        return known;
    }

    private synchronized int nextLine() {
        return lines <= MOST_LINES ? ++lines : lines;
    }

    private void beginStep(String name) {
        JobWaits known = waits;
        if (known != null) known.refuseIfSuspended();
        if (rehearsal == null) return;
        if (rehearsal.isOver()) throw rehearsal.end();
        // Steps of other threads have no order.
        if (Thread.currentThread() == thread) rehearsal.ask("step", name);
    }

    /** A handler that asks has a chance to end. */
    void refuseIfAbandoned() {
        if (abandoned)
            throw new JobsException("attempt " + attempt() + " of job " + id()
                    + " is over: its handler did not stop when it was interrupted (" + words()
                    + "), and what it does now counts for nothing");
    }

    private synchronized JobSteps steps() {
        refuseIfAbandoned();
        if (stepSource == null)
            throw new IllegalStateException(
                    "the handler of " + kind + " runs in the job's own transaction, which is done"
                            + " or undone as a whole: steps are for other handlers");
        JobSteps known = steps;
        if (known == null)
            steps = known = new JobSteps(
                    stepSource,
                    codec,
                    batch,
                    this,
                    connection,
                    replays ? this::places : null,
                    room(),
                    this::stretch,
                    this::failures,
                    rehearsal);
        return known;
    }

    private @Nullable ReplayPlaces places() {
        return Thread.currentThread() == thread ? waits().places() : null;
    }

    private @Nullable StepFailures failures(boolean made) {
        if (Thread.currentThread() != thread) return null;
        JobWaits known = waits;
        if (known == null && (made || taken.hasWaited())) known = waits();
        return known == null ? null : known.failedSteps();
    }

    /** The handler has come to its end; what it has recorded in earlier runs has to be asked for. */
    void checkEnd() {
        if (replays) waits().places().checkEnd();
    }

    /** A step of an earlier attempt for which a handler has not asked that is not strict: it may have another name now, and be done twice. */
    synchronized @Nullable String unaskedStep() {
        return replays || steps == null ? null : steps.unaskedOfKnown();
    }

    /** What steps that are done now stand behind; null: no wait. */
    private @Nullable Integer stretch() {
        JobWaits known = waits;
        if (known == null && !replays) return null;
        Integer last = (known == null ? waits() : known).stretch();
        if (last == null && !resume.isStrict()) return null;
        int behind = last == null ? 0 : last;
        return Thread.currentThread() == thread ? behind : -1 - behind;
    }

    /** As the database can store it. */
    private static String text(String given, int longest) {
        String bounded = given.length() <= longest ? given : given.substring(0, longest);
        return ErrorText.storable(bounded.replace('\0', ' '));
    }

    @Nullable
    String result() {
        return result;
    }

    /** Why it was interrupted, or null. */
    @Nullable
    Reason reason() {
        return reason;
    }

    /** When, by {@link System#nanoTime}. */
    long began() {
        return began;
    }

    boolean isOverdue(long now) {
        return limited && now - deadline >= 0;
    }

    /** Interrupts the handler, unless it has ended. The first reason counts. */
    synchronized void interrupt(Reason why) {
        if (over || reason != null) return;
        interrupted = System.nanoTime();
        reason = why;
        thread.interrupt();
    }

    /** Whether it was interrupted so long ago, and still runs; not because its node stops, which gives its jobs back by itself. */
    synchronized boolean isStuck(long now, long graceNanos) {
        return !over && !abandoned && reason != null && reason != Reason.STOPPING && now - interrupted >= graceNanos;
    }

    /** From now on what the handler does counts for nothing; false if it has ended. */
    synchronized boolean abandon(RunningJobs.Seat seat) {
        if (over || abandoned) return false;
        abandoned = true;
        seat.abandon();
        return true;
    }

    /** The transaction in which the handler works, if it works in one. */
    ConnectionInUse connection() {
        return connection;
    }

    /** Why it was interrupted, in words. */
    String words() {
        Reason why = reason;
        return why == null ? "" : why.words();
    }

    Thread thread() {
        return thread;
    }

    ClaimedBatch batch() {
        return batch;
    }

    int index() {
        return index;
    }

    ClaimedJob claimed() {
        return taken;
    }

    boolean isOf(ClaimedBatch which) {
        return batch == which;
    }

    /**
     * From now on this thread is not interrupted; called by it when the handler has ended. What is left of an interruption,
     * ours or its own, shall not meet the next job. Returns false if the handler was abandoned.
     */
    synchronized boolean over() {
        over = true;
        Thread.interrupted();
        return !abandoned;
    }
}
