package dev.howdah.job.internal.wait;

import dev.howdah.internal.connection.CallerTransaction;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.OpenWait.Type;
import dev.howdah.job.internal.attempt.RecordRoom;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.wait.Awaited;
import dev.howdah.job.wait.EmittedEvent;
import dev.howdah.job.wait.EventWait;
import dev.howdah.job.wait.JobCancelledException;
import dev.howdah.job.wait.JobSuspended;
import dev.howdah.job.wait.Signal;
import dev.howdah.job.wait.Wait;
import dev.howdah.job.wait.WaitTimeoutException;
import dev.howdah.spi.PayloadCodec;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waits of one run. A wait that has not ended is noted, and thrown as {@link JobSuspended}: what counts is the note. For the thread of the
 * handler; other threads ask what is noted.
 */
public final class JobWaits {
    private static final Logger log = LoggerFactory.getLogger(JobWaits.class);
    /** A shorter sleep is spent in the thread: to suspend the job costs the database more than that. */
    private static final long SHORT_MICROS = 2_000_000;

    private final PayloadCodec codec;
    private final Job job;
    private final boolean isResumed;
    private final @Nullable String cancelled;
    private final RecordRoom room;
    private final Thread thread;
    private final CallerTransaction caller;
    private final Supplier<@Nullable String> runningStep;
    private final @Nullable Rehearsal rehearsal;
    private final WaitRecords records;
    private final ReplayPlaces places;
    private final JobChildren children;
    private final FirstOfWaits firsts;
    private final AwaitedEnds ends;
    private final StepFailures failedSteps;
    private final ConnectionSource source;
    private final JobMetrics meter;
    private final Map<Type, Map<String, Integer>> asked = new HashMap<>();
    private final Set<String> patched = new HashSet<>();
    private final Set<String> retired = new HashSet<>();
    private final Map<Throwable, WaitRecord.Key> failures = new IdentityHashMap<>();
    private volatile @Nullable OpenWait open;

    /**
     * @param isResumed whether earlier runs have waited
     * @param cancelled why the job is cancelled when this run ends; null: it is not
     * @param room for records
     * @param thread that of the handler
     * @param caller knows whether that thread is in a transaction of a framework
     * @param inserter adds children
     * @param divergences how often the records did not fit the code, one run after the other
     * @param version of the handler under which it has waited first; null: that had none
     * @param stepLeft a recorded step of the handler's thread that this run has not asked for; null: none
     * @param runningStep the name of a step that runs; null: none does
     * @param rehearsal null: the handler does what it says
     */
    public JobWaits(
            ConnectionSource source,
            PayloadCodec codec,
            ClaimedBatch batch,
            Job job,
            boolean isResumed,
            @Nullable String cancelled,
            RecordRoom room,
            Thread thread,
            CallerTransaction caller,
            JobInserter inserter,
            int divergences,
            @Nullable String version,
            Supplier<ReplayPlaces.@Nullable LeftStep> stepLeft,
            Supplier<@Nullable String> runningStep,
            @Nullable Rehearsal rehearsal) {
        this.rehearsal = rehearsal;
        this.codec = codec;
        this.job = job;
        this.isResumed = isResumed;
        this.cancelled = cancelled;
        this.room = room;
        this.thread = thread;
        this.caller = caller;
        this.runningStep = runningStep;
        this.records = new WaitRecords(source, batch, job, room);
        this.children = new JobChildren(job, this, records, new ChildAdder(source, batch, job, inserter), codec);
        this.firsts = new FirstOfWaits(job, this, records);
        this.ends = new AwaitedEnds(job, this, records);
        this.failedSteps = new StepFailures(batch, job, this, records);
        this.source = source;
        this.meter = inserter.meter();
        this.places = new ReplayPlaces(job, this, isResumed, divergences, version, stepLeft);
    }

    /** Where the run is in what earlier runs have recorded. */
    public ReplayPlaces places() {
        return places;
    }

    /** The jobs that the handler adds and waits for. */
    public JobChildren children() {
        return children;
    }

    /** The ends of other jobs. */
    public AwaitedEnds ends() {
        return ends;
    }

    /** The steps that have thrown. */
    public StepFailures failedSteps() {
        return failedSteps;
    }

    /** Waits for the first of several. */
    public Awaited awaitAny(String name, Wait... all) {
        return firsts.await(name, all);
    }

    /** Notes that the job begins anew. */
    public JobSuspended continueAs() {
        checkWait(Type.CONTINUE, "continueAs");
        places.checkEnd();
        children.checkLeft();
        return suspend(new OpenWait(Type.CONTINUE, "continueAs", 1, records.last(), 0, System.nanoTime(), null, false));
    }

    /** What the handler waits for; null: it has not begun to wait. */
    public @Nullable OpenWait open() {
        return open;
    }

    /** Returns whether the handler passes this place with the code that has the change of that name. */
    public boolean patched(String name) {
        JobNames.checkNew("patch", name);
        refuseIfSuspended();
        if (rehearsal != null) rehearsal.ask(Type.PATCH.code(), name);
        WaitRecord.Key key = new WaitRecord.Key(Type.PATCH, name, 1);
        if (records.find(key) != null || patched.contains(name)) return true;
        if (places.leftOver() != null) return false;
        writes();
        records.close(key);
        patched.add(name);
        return true;
    }

    /** What is recorded under the old name is asked for by the new one. */
    public void renamed(String old, String name) {
        records.renamed(old, name);
    }

    /** What is recorded under that name is not asked for any more. */
    public void retired(String name) {
        retired.add(name);
    }

    /** The first record of an earlier run that this one has not asked for; null: none. */
    ReplayPlaces.@Nullable Left unasked() {
        return records.byKey().entrySet().stream()
                .filter(each -> each.getKey().type() != Type.PATCH
                        && !retired.contains(each.getKey().name())
                        && each.getKey().nth()
                                > count(each.getKey().type(), each.getKey().name()))
                .min(Comparator.comparingInt(each -> each.getValue().number()))
                .map(each -> new ReplayPlaces.Left(
                        each.getKey().type().code() + " \"" + each.getKey().name() + '"',
                        records.node(each.getValue().number())))
                .orElse(null);
    }

    /** Which node has written the record of that number; null: that is not known. */
    @Nullable
    Integer node(int number) {
        return records.node(number);
    }

    /** Ends the run: the records do not fit the code. */
    JobSuspended diverge(String name, String error, int times) {
        return suspend(OpenWait.forOtherCode(Type.DIVERGED, name, records.last(), error, times));
    }

    /** The number of the last record, which steps name that are done behind it; null: there is none. */
    public @Nullable Integer stretch() {
        int last = isResumed ? records.last() : records.lastKnown();
        return last == 0 ? null : last;
    }

    /** Throws again what was noted. */
    public void refuseIfSuspended() {
        OpenWait noted = open;
        if (noted != null) throw new JobSuspended(noted.words());
        if (rehearsal != null && rehearsal.isOver()) throw rehearsal.end();
    }

    /** @param spread up to so much longer, at random */
    public void sleep(String name, Duration duration, Duration spread) {
        long most = Durations.micros(Durations.check(spread));
        long micros = duration.isNegative() ? 0 : Durations.micros(Durations.check(duration));
        sleep(
                begin(Type.SLEEP, name),
                micros + (most == 0 ? 0 : ThreadLocalRandom.current().nextLong(most + 1)),
                null);
    }

    /** @param end by the database's clock */
    public void sleepUntil(String name, Instant end) {
        Instant moment = Durations.checkMoment("sleep \"" + name + "\" until ", end);
        WaitRecord.Key key = begin(Type.SLEEP, name);
        long micros = TimeUnit.SECONDS.toMicros(moment.getEpochSecond()) + moment.getNano() / 1_000;
        sleep(key, micros - records.nowMicros() - sinceRead(), moment.toString());
    }

    private void sleep(WaitRecord.Key key, long micros, @Nullable String until) {
        long now = System.nanoTime();
        WaitRecord known = records.find(key);
        if (known == null) checkNew(key);
        if (known == null && micros < SHORT_MICROS) spend(key, micros);
        else if (known == null)
            throw suspend(
                    new OpenWait(key.type(), key.name(), key.nth(), records.last() + 1, micros, now, until, false));
        else if (!known.over() && sinceRead() < known.leftMicros()) throw suspend(waiting(key, known, micros, now));
    }

    /** The signal, or null when none came in time. */
    public <T> @Nullable Signal<T> await(String name, Class<T> type, Duration atMost) {
        long micros = atMost.isNegative() ? 0 : Durations.micros(Durations.check(atMost));
        long now = System.nanoTime();
        WaitRecord.Key key = begin(Type.SIGNAL, name);
        WaitRecord known = records.find(key);
        if (known == null) checkNew(key);
        // A wait that was renamed goes on with signals of the name with which it has begun.
        WaitRecord.Key begun = known == null ? key : known.key();
        if (known != null && known.over())
            return known.signal() == null ? null : recorded(key, begun.name(), known.signal(), type);
        mayEnd();
        while (true) {
            WaitRecords.Taken taken = records.take(begun, known, micros == 0);
            if (taken == null) throw suspend(waiting(key, known, micros, now));
            WaitRecord.Read read = taken.signal();
            if (read == null) return null;
            Signal<T> signal = readOrSetAside(begun, begun.name(), read, type);
            if (signal != null) return signal;
        }
    }

    /** The event, or null when none came in time. */
    public <T> @Nullable EmittedEvent<T> awaitEvent(EventWait<T> event, Duration atMost) {
        long micros = atMost.isNegative() ? 0 : Durations.micros(Durations.check(atMost));
        long now = System.nanoTime();
        WaitRecord.Key key = begin(Type.EVENT, event.topic());
        WaitRecord known = records.find(key);
        if (known == null) checkNew(key);
        WaitRecord.Read read = known == null ? null : known.signal();
        if (known == null || !known.over()) {
            mayEnd();
            WaitRecords.Look look = new WaitRecords.Look();
            WaitRecords.Taken taken =
                    records.takeEvent(known == null ? key : known.key(), known, event, look, micros == 0);
            if (taken == null)
                throw suspend(waiting(key, known, micros, now)
                        .among(new OpenWait.Among(
                                List.of(),
                                List.of(),
                                List.of(new OpenWait.Happening(
                                        0,
                                        event.topic(),
                                        event.key(),
                                        event.filter(),
                                        event.isOnlyNew() ? look.at : null)),
                                List.of())));
            read = taken.signal();
        }
        return read == null ? null : emitted(event, read);
    }

    /** An event that a wait has met. */
    <T> EmittedEvent<T> emitted(EventWait<T> event, WaitRecord.Read read) {
        try {
            T payload = decoded(event.topic(), read, event.type());
            return new EmittedEvent<>(payload, read.id(), read.sender(), read.sent());
        } catch (IllegalArgumentException e) {
            // Another program may know the class, and others read the same event.
            throw places.diverge(
                    event.topic(),
                    "the payload of event \"" + event.topic() + "\" that job " + job.id()
                            + " has read cannot be read as " + event.type().getName() + ": " + e.getMessage());
        }
    }

    /** Null: its payload cannot be read, and the wait goes on. */
    <T> @Nullable Signal<T> readOrSetAside(WaitRecord.Key key, String name, WaitRecord.Read read, Class<T> type) {
        try {
            Signal<T> signal = signal(read, decoded(name, read, type));
            meter.read(job.queue(), job.kind(), true);
            return signal;
        } catch (IllegalArgumentException e) {
            String problem = ErrorText.line(e);
            meter.read(job.queue(), job.kind(), false);
            log.warn(
                    "signal \"{}\" to job {} ({}) from {} is set aside, and the job waits on: {}",
                    name,
                    job.id(),
                    job.kind(),
                    read.sender(),
                    problem);
            records.setAside(key, read.id(), problem);
            return null;
        }
    }

    /** The signal; none in time is a failure, which each later run repeats. */
    public <T> Signal<T> awaitOrFail(String name, Class<T> type, Duration atMost) {
        Signal<T> signal = await(name, type, atMost);
        if (signal != null) return signal;
        WaitTimeoutException failure = new WaitTimeoutException(name, atMost);
        mayFailBy(failure, new WaitRecord.Key(Type.SIGNAL, name, count(Type.SIGNAL, name)));
        throw failure;
    }

    /** A failure that each later run repeats is about to be thrown, because of that record. */
    void mayFailBy(Throwable failure, WaitRecord.Key key) {
        failures.put(failure, key);
    }

    /** The job is about to fail for good by that throwable: when it is retried, the wait that has ended so begins anew. */
    public void failsBy(Throwable fatal) {
        WaitRecord.Key key = failures.get(fatal);
        if (key != null) records.fail(key);
    }

    private int count(Type type, String name) {
        return asked.getOrDefault(type, Map.of()).getOrDefault(name, 0);
    }

    OpenWait waiting(WaitRecord.Key key, @Nullable WaitRecord known, long micros, long now) {
        return known == null
                ? new OpenWait(key.type(), key.name(), key.nth(), records.last() + 1, micros, now, null, false)
                : new OpenWait(
                        key.type(),
                        known.key().name(),
                        known.key().nth(),
                        known.number(),
                        known.leftMicros(),
                        records.readAt(),
                        known.until(),
                        true);
    }

    /** The signal of that name that a wait has read in an earlier run. */
    <T> Signal<T> recorded(WaitRecord.Key key, String name, WaitRecord.Read read, Class<T> type) {
        try {
            return signal(read, decoded(name, read, type));
        } catch (IllegalArgumentException e) {
            // Another program may know the class.
            throw places.diverge(
                    key.name(),
                    "the payload of signal \"" + name + "\" that job " + job.id() + " has read cannot be read as "
                            + type.getName() + ": " + e.getMessage());
        }
    }

    private <T> @Nullable T decoded(String name, WaitRecord.Read read, Class<T> type) {
        return read.payload().equals("null") || type == Void.class
                ? null
                : codec.decode(read.payload(), type, new PayloadCodec.Subject(PayloadCodec.Use.SIGNAL, name));
    }

    private static <T> Signal<T> signal(WaitRecord.Read read, @Nullable T payload) {
        return new Signal<>(payload, read.given(), read.sender(), read.sent());
    }

    private long sinceRead() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - records.readAt());
    }

    private void spend(WaitRecord.Key key, long micros) {
        try {
            if (micros > 0) TimeUnit.MICROSECONDS.sleep(micros);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobsException("sleep \"" + key.name() + "\" of job " + job.id() + " was interrupted", e);
        }
        records.close(key);
    }

    /** So many of that name are asked for. */
    void asked(Type type, String name, int count) {
        asked.computeIfAbsent(type, each -> new HashMap<>()).put(name, count);
    }

    /** Which one it is of its name. */
    WaitRecord.Key begin(Type type, String name) {
        checkWait(type, name);
        return new WaitRecord.Key(
                type, name, asked.computeIfAbsent(type, each -> new HashMap<>()).merge(name, 1, Integer::sum));
    }

    /** Refuses a wait where none can be. */
    void checkWait(Type type, String name) {
        JobNames.checkNew("wait", name);
        refuseIfSuspended();
        if (Thread.currentThread() != thread)
            throw new IllegalStateException(refusal(type, name) + " in the thread \""
                    + Thread.currentThread().getName() + "\": only the handler's own thread, \"" + thread.getName()
                    + "\", can wait, since a wait ends the run");
        if (caller.isActive())
            throw new IllegalStateException(refusal(type, name)
                    + " in a transaction of its thread, which would be open for as long: wait outside of it");
        String step = runningStep.get();
        if (step != null)
            throw new IllegalStateException(refusal(type, name) + " while step \"" + step
                    + "\" runs, which would be done again: wait before or behind it; steps of other threads have to be"
                    + " joined first");
        if (rehearsal != null) rehearsal.ask(type.code(), name);
        if (!failedSteps.isEmpty()) recordFailures();
    }

    /** The handler has caught what its steps have thrown, and goes on. */
    private void recordFailures() {
        try (TransactionSession session = source.statementSession()) {
            failedSteps.write(session.connection());
        } catch (SQLException e) {
            throw new JobsException(
                    "the failures of steps of job " + job.id() + " are not recorded: " + SqlErrorText.of(e), e);
        }
    }

    /** The run is about to do more than to read records. */
    void writes() {
        if (rehearsal != null) throw rehearsal.end();
    }

    /** A wait that has not ended by what is recorded is about to be ended, or goes on: of a job that is cancelled it does neither. */
    void mayEnd() {
        writes();
        refuseIfCancelled();
    }

    private void refuseIfCancelled() {
        if (cancelled != null) throw new JobCancelledException("job " + job.id() + " was " + cancelled);
    }

    /** Refuses a wait that no earlier run has begun. */
    void checkNew(WaitRecord.Key key) {
        places.checkNew(key.type().code(), key.name());
        mayEnd();
        room.check(key.type().code() + " \"" + key.name() + '"');
    }

    private String refusal(Type type, String name) {
        return "job " + job.id() + " cannot wait for " + type.code() + " \"" + name + "\"";
    }

    JobSuspended suspend(OpenWait wait) {
        if (wait.type() != Type.DIVERGED) refuseIfCancelled();
        open = wait;
        return new JobSuspended(wait.words());
    }
}
