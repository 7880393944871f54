package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.CallerTransaction;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.AttemptLog;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.LogContext;
import dev.howdah.internal.run.ThreadState;
import dev.howdah.internal.trace.Tracing;
import dev.howdah.job.Outcome;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.batch.BatchMetrics;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.handler.AbandonPolicy;
import dev.howdah.job.internal.handler.HandlerRegistration;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.wait.Rehearsal;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the handler of a job and says how that ended. Whatever a handler throws ends here. Safe for use by many threads. */
public final class JobExecutor {
    private static final Logger log = LoggerFactory.getLogger(JobExecutor.class);
    private static final String BEFORE_IT_BEGAN = "cancelled before it began";
    private static final String OPERATION = "process";
    private static final Tracing TRACING = Tracing.find(JobExecutor.class);

    private final ConnectionSource source;
    private final PayloadCodec codec;
    private final Map<String, HandlerRegistration<?>> works;
    private final BatchMetrics metrics;
    private final AttemptResolver resolver;
    private final TransactionalAttempts transactions;
    private final SharedAttempts shared;
    private final JobNotes notes = new JobNotes();
    private final CallerTransaction caller;
    private final JobInserter inserter;
    private final RunningJobs running;
    private final HandlerAbandoner abandoner;
    private volatile @Nullable Consumer<String> replays;

    /**
     * @param inserter adds the children of jobs
     * @param attempts where failed attempts are logged
     * @param abandon when handlers are abandoned that do not stop
     * @param bridge begins the transactions of handlers; null: none
     */
    public JobExecutor(
            ConnectionSource source,
            PayloadCodec codec,
            Map<String, HandlerRegistration<?>> works,
            LaneRegistry lanes,
            JobInserter inserter,
            BatchMetrics metrics,
            Logger attempts,
            AbandonPolicy abandon,
            @Nullable TransactionBridge bridge) {
        this.source = source;
        this.codec = codec;
        this.works = Map.copyOf(works);
        this.metrics = metrics;
        this.resolver = new AttemptResolver(codec, new AttemptLog(attempts));
        this.transactions = new TransactionalAttempts(source, lanes, resolver, bridge);
        this.caller = new CallerTransaction(bridge);
        this.inserter = inserter;
        this.running = new RunningJobs(abandon);
        this.abandoner = new HandlerAbandoner(running, works, resolver, metrics, attempts);
        this.shared =
                new SharedAttempts(this, source, codec, bridge == null ? this.works : Map.of(), resolver, attempts);
    }

    /** The listeners of jobs. */
    public BatchMetrics metrics() {
        return metrics;
    }

    /** What the handlers say of their jobs. */
    public JobNotes notes() {
        return notes;
    }

    /** The jobs that run. */
    public RunningJobs running() {
        return running;
    }

    /** Abandons handlers that have not stopped when they were interrupted. */
    public void abandonStuck() {
        abandoner.abandonStuck();
    }

    /** The kinds that it can work. */
    public Set<String> kinds() {
        return works.keySet();
    }

    /** The kinds of which each job needs a batch of its own: all, where a demand waits to be told of the end of each job. */
    public String[] aloneKinds() {
        return works.entrySet().stream()
                .filter(work -> work.getValue().transactional() || metrics.demand() != null)
                .map(Map.Entry::getKey)
                .toArray(String[]::new);
    }

    /**
     * Runs a job of a batch to its end, in this thread; returns whether it was the last one of the batch. Throws nothing that a handler,
     * codec, retry policy or data source has thrown, whatever it is.
     */
    public boolean run(RunningJobs.Seat seat, ClaimedBatch batch, int i) {
        long began = System.nanoTime();
        AttemptResult result = AttemptResult.UNEXPECTED;
        try {
            result = attempt(seat, batch, i, began);
        } catch (Throwable e) {
            try {
                result = resolver.unexpected(e, batch.job(i));
            } catch (Throwable another) {
                // Such as no memory: it stays what it is.
            }
        }
        // The attempt has its result already.
        if (seat.isAbandoned()) {
            log.info("the abandoned handler of job {} has ended", batch.job(i).id());
            return false;
        }
        return batch.end(i, result, began, System.nanoTime());
    }

    /** The jobs that share transactions. */
    public SharedAttempts shared() {
        return shared;
    }

    private AttemptResult attempt(RunningJobs.Seat seat, ClaimedBatch batch, int i, long began) {
        ClaimedJob job = batch.job(i);
        String kind = batch.kind(i);
        HandlerRegistration<?> work = works.get(kind);
        if (work == null) throw new IllegalStateException("no handler for " + kind);
        RunningJob run = run(work, batch, i, began, null);
        seat.begin(run);
        try (ThreadState state = new ThreadState();
                LogContext context = context(run)) {
            if (running.isCancelled(job)) return AttemptResult.cancelled(BEFORE_IT_BEGAN);
            if (!work.resume().goesOnWith(job.version())) return otherVersion(work, job);
            if (job.wantsTurn()) return AttemptResult.WANTS_TURN;
            Consumer<String> differences = replays;
            if (differences != null && job.hasWaited() && !work.transactional())
                replayTwice(work, batch, i, differences);
            return work.transactional()
                    ? transactions.run(work, batch, job, run, connection -> call(work, job, run, connection))
                    : call(work, job, run, null);
        } finally {
            seat.end();
            run.over();
        }
    }

    RunningJob run(HandlerRegistration<?> work, ClaimedBatch batch, int i, long began, @Nullable Rehearsal rehearsal) {
        return new RunningJob(
                batch,
                i,
                codec,
                work.retries(),
                work.resume(),
                rehearsal,
                notes,
                source,
                work.transactional() ? null : source,
                caller,
                inserter,
                batch.job(i).timeout(work.timeout()),
                running,
                began);
    }

    /** From now on each run of a job that has waited is rehearsed twice before it: what differs is told. */
    public void replaying(Consumer<String> differences) {
        replays = differences;
    }

    private void replayTwice(HandlerRegistration<?> work, ClaimedBatch batch, int i, Consumer<String> differences) {
        String difference = difference(batch, i, rehearsed(work, batch, i), rehearsed(work, batch, i));
        if (difference != null) differences.accept(difference);
    }

    /** Why the handler of a job that waits would not go on behind what is recorded; null: it would. */
    public @Nullable String rehearse(ClaimedBatch batch) {
        HandlerRegistration<?> work = works.get(batch.kind(0));
        if (work == null || work.transactional()) return null;
        Rehearsed first = rehearsed(work, batch, 0);
        return first.divergence() != null
                ? "job " + batch.job(0).id() + " (" + batch.kind(0) + ") would diverge: " + first.divergence()
                : difference(batch, 0, first, rehearsed(work, batch, 0));
    }

    private static @Nullable String difference(ClaimedBatch batch, int i, Rehearsed first, Rehearsed second) {
        return first.asked().equals(second.asked())
                ? null
                : "the handler of job " + batch.job(i).id() + " (" + batch.kind(i)
                        + ") does not ask for the same in each run: for " + first.asked() + ", and then for "
                        + second.asked();
    }

    /**
     * What a rehearsal has come to.
     *
     * @param divergence why the records do not fit the code; null: they do, as far as it has come
     */
    private record Rehearsed(List<String> asked, @Nullable String divergence) {}

    private Rehearsed rehearsed(HandlerRegistration<?> work, ClaimedBatch batch, int i) {
        Rehearsal rehearsal = new Rehearsal();
        String payload = batch.job(i).payload();
        if (payload == null) return new Rehearsed(List.of(), null);
        RunningJob run = run(work, batch, i, System.nanoTime(), rehearsal);
        try {
            work.run(codec, payload, run, null);
            if (!run.suspending()) run.checkEnd();
        } catch (Throwable e) {
            // A run of the job itself says what its handler has thrown.
        } finally {
            run.over();
        }
        OpenWait open = run.openWait();
        OpenWait.Divergence divergence = open == null ? null : open.divergence();
        return new Rehearsed(rehearsal.asked(), divergence == null ? null : divergence.error());
    }

    /** Another program goes on with it, perhaps. */
    private static AttemptResult otherVersion(HandlerRegistration<?> work, ClaimedJob job) {
        String began = String.valueOf(job.version());
        return AttemptResult.suspended(OpenWait.forOtherCode(
                        OpenWait.Type.VERSION,
                        began,
                        job.lastWait(),
                        "it has waited under version \"" + began
                                + "\" of its handler, and the program that had it last goes on with "
                                + work.resume().versions(),
                        job.divergences())
                .of(work.resume().waiting()));
    }

    static LogContext context(RunningJob run) {
        if (LogContext.isOff()) return LogContext.off();
        return LogContext.of(
                "feature",
                "jobs",
                "queue",
                run.queue(),
                "kind",
                run.kind(),
                "id",
                Long.toString(run.id()),
                "attempt",
                Integer.toString(run.attempt()));
    }

    private AttemptResult call(
            HandlerRegistration<?> work, ClaimedJob job, RunningJob run, @Nullable Connection connection) {
        String payload = job.payload();
        if (payload == null)
            return resolver.failed(ErrorText.of("its payload is missing in howdah_internal.body"), null, run);
        Outcome outcome = null;
        Throwable thrown = null;
        try {
            outcome = traced(run, job.trace(), () -> work.run(codec, payload, run, connection));
        } catch (Throwable e) {
            thrown = e;
        }
        // How an abandoned handler ends is neither logged nor written.
        if (!run.over()) return AttemptResult.GIVEN_BACK;
        try {
            return thrown == null
                    ? resolver.result(outcome, work.retries(), job, run)
                    : resolver.failure(thrown, work.retries(), job, run);
        } catch (Throwable e) {
            return resolver.failure(e, work.retries(), job, run);
        }
    }

    /** As the semantic conventions of OpenTelemetry for messaging have it. */
    static Outcome traced(RunningJob run, Map<String, String> sent, Callable<Outcome> work) throws Exception {
        if (!TRACING.isOn()) return sent.isEmpty() ? work.call() : TRACING.within(sent, work);
        Map<String, String> attributes = Map.of(
                "messaging.system",
                "howdah",
                "messaging.operation.name",
                OPERATION,
                "messaging.operation.type",
                OPERATION,
                "messaging.destination.name",
                run.queue(),
                "messaging.message.id",
                Long.toString(run.id()),
                "howdah.kind",
                run.kind(),
                "howdah.attempt",
                Integer.toString(run.attempt()));
        return TRACING.consuming(OPERATION + ' ' + run.queue(), attributes, sent, work, JobExecutor::ending);
    }

    private static Tracing.Ending ending(Outcome outcome) {
        boolean failed = outcome instanceof Outcome.Fail || outcome instanceof Outcome.Retry;
        return new Tracing.Ending(
                failed,
                Map.of("howdah.outcome", outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT)));
    }

    /** Closes sessions that were kept for transactions and that none has used for long. */
    public void closeIdleSessions() {
        sources().forEach(ConnectionSource::closeIdleSessions);
    }

    /** Keeps no sessions for transactions from now on. */
    public void close() {
        metrics.close();
        sources().forEach(ConnectionSource::keepNoSessions);
    }

    private Set<ConnectionSource> sources() {
        Set<ConnectionSource> all = new HashSet<>(Set.of(source));
        for (HandlerRegistration<?> each : works.values()) if (each.source() != null) all.add(each.source());
        return all;
    }
}
