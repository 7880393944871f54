package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.BorrowedConnection;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.LogContext;
import dev.howdah.internal.run.ThreadState;
import dev.howdah.job.Outcome;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.handler.HandlerRegistration;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Jobs of one kind and claim that share a transaction, each the only one of its batch. Safe for use by many threads. */
public final class SharedAttempts {
    private static final Logger log = LoggerFactory.getLogger(SharedAttempts.class);
    /** What is done in a transaction waits for its commit: after that time no further handler begins in it. */
    private static final long LONGEST_NANOS = 50_000_000;

    private final JobExecutor executor;
    private final ConnectionSource source;
    private final PayloadCodec codec;
    private final Map<String, HandlerRegistration<?>> works;
    private final AttemptResolver resolver;
    private final Logger attempts;
    /** The kinds whose handlers have ended a transaction that jobs shared. */
    private final Set<String> enders = ConcurrentHashMap.newKeySet();

    /**
     * @param works the handlers whose transactions the library begins
     * @param attempts where failed attempts are logged
     */
    SharedAttempts(
            JobExecutor executor,
            ConnectionSource source,
            PayloadCodec codec,
            Map<String, HandlerRegistration<?>> works,
            AttemptResolver resolver,
            Logger attempts) {
        this.executor = executor;
        this.source = source;
        this.codec = codec;
        this.works = works;
        this.resolver = resolver;
        this.attempts = attempts;
    }

    /** How many jobs may run in one transaction with the only one of that batch, this one included. */
    public int most(ClaimedBatch batch) {
        if (batch.size() > 1
                || batch.isLease()
                || batch.width() != null
                || executor.metrics().demand() != null) return 1;
        HandlerRegistration<?> work = works.get(batch.kind(0));
        if (work == null) return 1;
        ClaimedJob job = batch.job(0);
        boolean alone = !work.transactional()
                || enders.contains(batch.kind(0))
                || work.source() != null
                || !job.isPlain()
                || job.attempt() > 0
                || job.deaths() > 0
                || job.hasWaited()
                || job.workflow() != 0
                || job.cancelsChildren();
        return alone ? 1 : work.shared();
    }

    /**
     * Runs the jobs of several batches of one claim and kind in this thread: in one transaction, or one after the other if that cannot be.
     *
     * @param most so many at most
     * @param more the next batch, whose job is begun; null: there is none, or its node stops
     * @param ended called with each batch that has ended
     */
    public void run(
            RunningJobs.Seat seat,
            ClaimedBatch first,
            int most,
            Supplier<@Nullable ClaimedBatch> more,
            Consumer<ClaimedBatch> ended) {
        List<ClaimedBatch> taken = new CopyOnWriteArrayList<>(List.of(first));
        seat.whenAbandoned(running -> {
            for (ClaimedBatch each : taken) if (each != running && each.giveUp()) ended.accept(each);
        });
        try {
            SharedTransaction committed = together(seat, taken, most, more);
            if (committed != null) committed.end(ended);
            else for (ClaimedBatch batch : taken) if (isOver(seat, batch)) ended.accept(batch);
        } finally {
            seat.whenAbandoned(running -> {});
        }
    }

    /** Runs a job alone, unless the node begins no further one; returns whether its batch has ended by that. */
    private boolean isOver(RunningJobs.Seat seat, ClaimedBatch batch) {
        if (seat.isAbandoned()) return false;
        return seat.owner().begins() ? executor.run(seat, batch, 0) : batch.giveBack(0);
    }

    /** Null: nothing is committed, or it is not known whether it is. */
    private @Nullable SharedTransaction together(
            RunningJobs.Seat seat, List<ClaimedBatch> taken, int most, Supplier<@Nullable ClaimedBatch> more) {
        try (TransactionSession session = source.transactionSession()) {
            SharedTransaction shared = new SharedTransaction(session);
            ClaimedBatch batch = taken.get(0);
            if (!shared.begin(batch)) return null;
            while (batch != null) {
                long began = System.nanoTime();
                AttemptResult result = attempt(seat, batch, began, session.connection());
                if (shared.isEnded()) return isNotOwn(taken);
                if (result == null) return null;
                shared.done(batch, result, began);
                batch = taken.size() < most && shared.nanos() < LONGEST_NANOS ? more.get() : null;
                if (batch != null) taken.add(batch);
            }
            shared.commit();
            return shared;
        } catch (Throwable e) {
            if (JobTransaction.isNotOwn(e)) return isNotOwn(taken);
            log.debug("{} jobs run in transactions of their own: {}", taken.size(), ErrorText.message(e));
            return null;
        }
    }

    /** A handler has ended the transaction: after a COMMIT all that was done in it is done once more. */
    private @Nullable SharedTransaction isNotOwn(List<ClaimedBatch> taken) {
        String kind = taken.get(0).kind(0);
        enders.add(kind);
        attempts.error(
                "the handler of {} has ended the transaction that jobs {} share: after a COMMIT what they had done until then stays,"
                        + " and each is done once more, alone. A handler must not run COMMIT or ROLLBACK, neither as SQL nor"
                        + " on the connection below. On this node jobs of this kind share no transaction any more",
                kind,
                taken.stream().map(batch -> batch.job(0).id()).toList());
        return null;
    }

    /** Null: the job is not done, and runs once more, alone. What its handler has thrown is told then. */
    private @Nullable AttemptResult attempt(
            RunningJobs.Seat seat, ClaimedBatch batch, long began, Connection connection) {
        ClaimedJob job = batch.job(0);
        HandlerRegistration<?> work = works.get(batch.kind(0));
        String payload = job.payload();
        if (work == null || payload == null || executor.running().isCancelled(job)) return null;
        RunningJob run = executor.run(work, batch, 0, began, null);
        seat.begin(run);
        try (ThreadState state = new ThreadState();
                LogContext context = JobExecutor.context(run)) {
            run.connection().begin(connection, true);
            Outcome outcome;
            try {
                outcome = JobExecutor.traced(
                        run,
                        job.trace(),
                        () -> work.run(codec, payload, run, BorrowedConnection.of(connection, "job")));
            } finally {
                run.connection().end();
            }
            if (!run.over() || !(outcome instanceof Outcome.Done) || batch.cancelsChildren(0)) return null;
            AttemptResult result = resolver.result(outcome, work.retries(), job, run);
            return result.isDone() ? result : null;
        } catch (Throwable e) {
            log.debug("job {} ({}) runs alone: {}", job.id(), batch.kind(0), ErrorText.message(e));
            return null;
        } finally {
            seat.end();
            run.over();
        }
    }
}
