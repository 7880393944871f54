package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.job.HandlerOptions;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.Outcome;
import dev.howdah.operations.read.Node;
import dev.howdah.spi.JobDemand;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A node that claims jobs of some queues and kinds for the requests that wait for them. Safe for use by many threads. */
final class PolledNode implements JobDemand {
    /** So many jobs workers have at a time; each costs a thread that waits. */
    private static final int MOST_JOBS = 500;

    /** A node without requests keeps its connections for so long. */
    static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** So long after its first job a request is answered, with those that have come until then. */
    private static final long GATHER_MILLIS = 10;

    /** It waits for those that are on their way: it is looked again whether there are some after this time. */
    private static final long GATHER_AGAIN_MILLIS = 2;

    private static final long GATHER_MOST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** So long a job waits for a request, where the one for which it was claimed is gone; then it goes back. */
    private static final long ORPHAN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ScheduledExecutorService clock;
    private final Consumer<HttpClaim> claimed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition asked = lock.newCondition();
    private final Deque<WaitingPoll> polls = new ArrayDeque<>();
    private final Map<Long, HttpClaim> running = new HashMap<>();
    private final Jobs jobs;
    private volatile @Nullable Node node;
    private long usedAt = System.nanoTime();
    /** When each caller of late has asked. */
    private final Map<PollCaller, Long> callers = new HashMap<>();

    private @Nullable PollCaller lastCaller;
    /** Jobs that were handed on and whose handlers have not returned. */
    private int handed;
    /** Jobs that wait for a request. */
    private int orphans;

    private boolean closed;

    /**
     * @param versions of the worker's handlers, the own one first; none: it goes on with jobs of all
     * @param claimed told of each claim before its worker is
     */
    @SuppressWarnings("this-escape") // the node asks for the demand, which is none yet
    PolledNode(
            DataSource source,
            String schema,
            Set<String> queues,
            Set<String> kinds,
            List<String> versions,
            ScheduledExecutorService clock,
            Consumer<HttpClaim> claimed) {
        this.clock = clock;
        this.claimed = claimed;
        JobsBuilder builder = Jobs.on(source)
                .schema(schema)
                .codec(new JsonNodeCodec())
                .queues(queues.toArray(String[]::new))
                .concurrency(MOST_JOBS)
                .shutdownTimeout(Duration.ofSeconds(1))
                .nodeName("http workers")
                .demand(this);
        for (String kind : kinds)
            builder.handleWithOutcome(
                    Kind.of(kind, JsonNode.class), this::handle, options -> goesOn(options, versions));
        this.jobs = builder.start();
    }

    private static void goesOn(HandlerOptions options, List<String> versions) {
        if (versions.isEmpty()) return;
        options.handlerVersion(versions.get(0))
                .alsoRuns(versions.subList(1, versions.size()).toArray(String[]::new));
    }

    /** Adds a request; it is answered with what there is when {@code waitMillis} are over. */
    void add(WaitingPoll poll, long waitMillis) {
        lock.lock();
        try {
            usedAt = System.nanoTime();
            callers.values().removeIf(asked -> usedAt - asked > IDLE_NANOS);
            callers.put(poll.caller(), usedAt);
            lastCaller = poll.caller();
            polls.add(poll);
            asked.signalAll();
        } finally {
            lock.unlock();
        }
        Node of = node;
        if (of != null) of.grown();
        if (waitMillis > 0) clock.schedule(() -> end(poll), waitMillis, TimeUnit.MILLISECONDS);
        else gathered(poll, poll.since());
    }

    private void end(WaitingPoll poll) {
        lock.lock();
        try {
            polls.remove(poll);
            poll.end();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the requests whose connections are closed. */
    void endGone() {
        lock.lock();
        try {
            for (WaitingPoll each : List.copyOf(polls)) if (each.isGone()) end(each);
        } finally {
            lock.unlock();
        }
    }

    /** Answers the requests whose callers may not claim any more. */
    void endFallen() {
        List<WaitingPoll> waiting;
        lock.lock();
        try {
            waiting = List.copyOf(polls);
        } finally {
            lock.unlock();
        }
        // This may ask the database.
        for (WaitingPoll each : waiting) if (!each.stands()) end(each);
    }

    private Outcome handle(JsonNode payload, Job job) throws InterruptedException {
        HttpClaim claim = hand(payload, job);
        if (claim == null) return Outcome.snooze(Duration.ZERO);
        try {
            return claim.await();
        } finally {
            handedBack();
        }
    }

    private void handedBack() {
        lock.lock();
        try {
            handed--;
        } finally {
            lock.unlock();
        }
    }

    /** Hands the job to a request; null: there is none. */
    private @Nullable HttpClaim hand(JsonNode payload, Job job) throws InterruptedException {
        lock.lock();
        try {
            WaitingPoll poll = awaitFirst();
            if (poll == null) return null;
            HttpClaim claim = new HttpClaim(job, payload, poll.worker(), poll.leaseSeconds());
            running.put(job.id(), claim);
            handed++;
            claimed.accept(claim);
            boolean first = poll.isEmpty();
            poll.add(claim);
            if (poll.wanted() == 0) {
                polls.removeFirst();
                poll.end();
            } else if (first) {
                long began = System.nanoTime();
                clock.schedule(() -> gathered(poll, began), GATHER_MILLIS, TimeUnit.MILLISECONDS);
            }
            return claim;
        } finally {
            lock.unlock();
        }
    }

    /** Answers the request, unless more jobs are on their way to it. */
    private void gathered(WaitingPoll poll, long began) {
        lock.lock();
        try {
            if (poll.answer().isDone()) return;
            if (mayBringMore(poll) && System.nanoTime() - began < GATHER_MOST_NANOS)
                clock.schedule(() -> gathered(poll, began), GATHER_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            else end(poll);
        } finally {
            lock.unlock();
        }
    }

    /** Whether claimed jobs have not come to their handlers yet, or others can be claimed at once. */
    private boolean mayBringMore(WaitingPoll poll) {
        Node of = node;
        if (closed) return false;
        if (of == null) return true;
        boolean all = running.size() >= MOST_JOBS || of.hasLookedSince(poll.since());
        // In this order: what has been found is among the jobs.
        return of.jobs() > handed + orphans || !all;
    }

    /** Waits for a request for a while; null: none has come. */
    private @Nullable WaitingPoll awaitFirst() throws InterruptedException {
        long left = ORPHAN_NANOS;
        WaitingPoll poll = first();
        orphans++;
        try {
            while (poll == null && left > 0 && !closed) {
                left = asked.awaitNanos(left);
                poll = first();
            }
        } finally {
            orphans--;
        }
        return poll;
    }

    /** The request that has waited longest of those whose connections stand; null: there is none. */
    private @Nullable WaitingPoll first() {
        while (!polls.isEmpty() && polls.getFirst().isGone())
            polls.removeFirst().end();
        return polls.peekFirst();
    }

    @Override
    public void started(Node of) {
        node = of;
    }

    @Override
    public int wanted() {
        lock.lock();
        try {
            int wanted = 0;
            for (WaitingPoll each : polls) wanted += each.wanted();
            return handed + Math.max(0, Math.min(wanted, MOST_JOBS - running.size()));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void written(long job, boolean accepted) {
        lock.lock();
        try {
            usedAt = System.nanoTime();
            HttpClaim claim = running.remove(job);
            if (claim != null) claim.written(accepted);
        } finally {
            lock.unlock();
        }
    }

    int waiting() {
        lock.lock();
        try {
            return polls.size();
        } finally {
            lock.unlock();
        }
    }

    /** How many requests of that caller wait. */
    int waiting(PollCaller caller) {
        lock.lock();
        try {
            return (int)
                    polls.stream().filter(each -> each.caller().equals(caller)).count();
        } finally {
            lock.unlock();
        }
    }

    /** Whether that caller was the last one that has asked, or has asked of late. */
    boolean isHeldBy(PollCaller caller) {
        lock.lock();
        try {
            Long asked = callers.get(caller);
            return asked != null && (caller.equals(lastCaller) || System.nanoTime() - asked <= IDLE_NANOS);
        } finally {
            lock.unlock();
        }
    }

    /** For how long it was not used. */
    long idleNanos() {
        lock.lock();
        try {
            return System.nanoTime() - usedAt;
        } finally {
            lock.unlock();
        }
    }

    /** Whether no request has come for so long, no request waits, and no worker has a job. */
    boolean isIdleSince(long nanos) {
        lock.lock();
        try {
            return polls.isEmpty() && running.isEmpty() && System.nanoTime() - usedAt > nanos;
        } finally {
            lock.unlock();
        }
    }

    /** Answers all requests and gives all jobs back; what workers have said is written. */
    void close() {
        lock.lock();
        try {
            closed = true;
            for (WaitingPoll each : polls) each.end();
            polls.clear();
            for (HttpClaim each : running.values()) each.giveUp();
            asked.signalAll();
        } finally {
            lock.unlock();
        }
        jobs.close();
    }
}
