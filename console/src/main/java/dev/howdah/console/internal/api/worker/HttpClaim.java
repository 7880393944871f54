package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.job.FatalException;
import dev.howdah.job.Job;
import dev.howdah.job.Outcome;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A job that a worker has, by a token that only its answer told. The handler's thread waits here until the worker has said how it ended, its
 * wait suspends the job, or its lease is over. Safe for use by many threads.
 */
final class HttpClaim {
    /** A worker is told with its next heartbeat that its job shall end; less than the time after which handlers are abandoned. */
    private static final long LAST_WORDS_NANOS = TimeUnit.SECONDS.toNanos(25);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Job job;
    private final JsonNode payload;
    private final String worker;
    private final int leaseSeconds;
    private final String token;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    /** True: what the worker said is written; false: others have the job. */
    private final CompletableFuture<Boolean> written = new CompletableFuture<>();

    private long deadline;
    private final ClaimCalls calls = new ClaimCalls();
    private double progressed;
    /** Answers that have told the token, or will. */
    private int offers;

    private boolean cancelled;
    private boolean lost;
    private boolean givenBack;
    private boolean suspended;
    private @Nullable Verdict verdict;
    private volatile long endedAt;

    HttpClaim(Job job, JsonNode payload, String worker, int leaseSeconds) {
        this.job = job;
        this.payload = payload;
        this.worker = worker;
        this.leaseSeconds = leaseSeconds;
        byte[] bits = new byte[20];
        RANDOM.nextBytes(bits);
        this.token = Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
        this.deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(leaseSeconds);
    }

    String token() {
        return token;
    }

    Job job() {
        return job;
    }

    JsonNode payload() {
        return payload;
    }

    int leaseSeconds() {
        return leaseSeconds;
    }

    /** Whether it ended longer ago than that. */
    boolean isEndedSince(long nanos) {
        return endedAt != 0 && System.nanoTime() - endedAt > nanos;
    }

    /** Waits in the handler's thread, and does there what the worker calls for; returns how the attempt ended. */
    Outcome await() throws InterruptedException {
        lock.lock();
        try {
            while (verdict == null) {
                long left = deadline - System.nanoTime();
                if (lost && cancelled) throw new InterruptedException("cancelled");
                if (lost) return Outcome.snooze(Duration.ZERO);
                if (left <= 0) {
                    lost = true;
                    if (cancelled) throw new InterruptedException("cancelled");
                    return Verdict.failed("worker " + worker + " was silent for " + leaseSeconds + " s")
                            .outcome(job);
                }
                ClaimCalls.Call call = calls.next();
                if (call != null) {
                    run(call);
                    continue;
                }
                try {
                    news.awaitNanos(left);
                } catch (InterruptedException e) {
                    cancelled = true;
                    deadline = Math.min(deadline, System.nanoTime() + LAST_WORDS_NANOS);
                }
            }
            FatalException cause = calls.failure(verdict.cause());
            if (cause != null) throw cause;
            return verdict.outcome(job);
        } finally {
            endedAt = System.nanoTime();
            calls.end();
            lock.unlock();
        }
    }

    private void run(ClaimCalls.Call call) {
        lock.unlock();
        boolean ended = true;
        try {
            call.run(job);
            ended = false;
        } finally {
            lock.lock();
            suspended = ended;
        }
    }

    /**
     * The worker asks something of the job; the same again is answered as before.
     *
     * @param number of the call, from 1
     * @param said by the worker
     * @throws ApiProblemException if the job is not the worker's any more, or another call had that number
     */
    CompletableFuture<ObjectNode> call(int number, ObjectNode said, ClaimCalls.Work work) {
        lock.lock();
        try {
            CompletableFuture<ObjectNode> known = calls.known(number, said);
            if (known != null) return known;
            checkMine();
            if (verdict != null) throw lost();
            CompletableFuture<ObjectNode> answer = calls.add(number, said, work);
            news.signalAll();
            return answer;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The worker lives: the lease begins anew, unless the job shall end.
     *
     * @return why the worker shall stop; null: it shall not
     * @throws ApiProblemException if the job is not the worker's any more
     */
    Job.@Nullable StopReason heartbeat(@Nullable Double progress, @Nullable String message, List<String> lines) {
        lock.lock();
        try {
            checkMine();
            if (verdict != null) throw lost();
            if (!cancelled) deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(leaseSeconds);
            if (progress != null) progressed = progress;
            if (progress != null || message != null) job.progress(progressed, message);
            lines.forEach(job::log);
            return cancelled ? job.stopReason().orElse(Job.StopReason.CANCELLED) : null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The worker asks for its claim again: the lease begins anew.
     *
     * @return false: the job has ended, or is not the worker's any more
     */
    boolean again() {
        lock.lock();
        try {
            if (lost || suspended || verdict != null || deadline - System.nanoTime() <= 0) return false;
            if (!cancelled) deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(leaseSeconds);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The worker says how the job ended; the same again changes nothing.
     *
     * @return done when that is written: false if the job is not this node's any more
     * @throws ApiProblemException if the job is not the worker's any more, or it has said something else before
     */
    CompletableFuture<Boolean> end(Verdict said) {
        lock.lock();
        try {
            checkMine();
            if (verdict != null && !verdict.equals(said))
                throw ApiProblemException.conflict("the worker has ended job " + job.id() + " by " + verdict.action()
                        + " before, with other words");
            verdict = said;
            news.signalAll();
            return written;
        } finally {
            lock.unlock();
        }
    }

    /** How the job ended was written, or refused. */
    void written(boolean accepted) {
        written.complete(accepted);
    }

    /**
     * An answer tells the token, or will.
     *
     * @return false: the job went back, since no worker heard of the claim
     */
    boolean offered() {
        lock.lock();
        try {
            if (!givenBack) offers++;
            return !givenBack;
        } finally {
            lock.unlock();
        }
    }

    /** An answer that tells the token did not reach its client: the job goes back, unless another one did. */
    void notTaken() {
        lock.lock();
        try {
            if (--offers == 0) giveUp();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The job goes back, without an attempt: this program ends, no worker hears of the claim, or its worker does not want it.
     *
     * @return false: it has ended, or has gone back before
     */
    boolean giveUp() {
        lock.lock();
        try {
            boolean first = verdict == null && !lost;
            if (verdict == null) {
                lost = true;
                givenBack = true;
            }
            news.signalAll();
            return first;
        } finally {
            lock.unlock();
        }
    }

    private void checkMine() {
        if (lost || suspended || deadline - System.nanoTime() <= 0 && verdict == null) throw lost();
    }

    static ApiProblemException lost() {
        return new ApiProblemException(
                410,
                "claim-lost",
                "this token has no job: its lease was over, it has ended or waits, or the server was started again");
    }
}
