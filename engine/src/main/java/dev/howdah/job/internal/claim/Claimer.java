package dev.howdah.job.internal.claim;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.node.ClaimFence;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.internal.attempt.OrderRuns;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.store.DayTables;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.worker.WorkerPool;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jobs for the workers and writes down how they ended: as long as there are jobs, one statement does both. Of a node's
 * claimers the first also falls asleep and wakes up for all of them.
 */
public final class Claimer implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Claimer.class);
    private static final int BATCH = 500;
    /** As many entries of a log are one lease at most. */
    private static final int LOG_BATCH = 2_000;

    private static final int NOTHING = -1;
    /** A batch whose jobs have partly ended is written down in part when it is as old as this. */
    private static final long SPLIT_NANOS = 200_000_000;

    /** A job that has not begun here for so long goes back, for other nodes. */
    private static final long GIVE_BACK_NANOS = 1_000_000_000;

    /** The same where other jobs wait for those of the batch: under a limit, or for their order keys. */
    private static final long GIVE_BACK_SOON_NANOS = 400_000_000;

    private static final long SLOW_POLL_NANOS = 60_000_000_000L;
    private static final long RETRY_NANOS = 250_000_000;

    private final ConnectionSource source;
    private final NodeContext node;
    private final ClaimerSignals signals;
    private final LanePolls polls;
    private final OpenBatches batches;
    private final ClaimFence fence;
    private final ForgottenBatches forgotten;
    private final BatchRouter router;
    private final ConcurrencyLimits limits;
    private final WorkerPool workers;
    private final JobExecutor runner;
    private final ClaimAhead inOrder;
    private final boolean first;
    private @Nullable EarlySession early;
    private final LaneSleep sleeper;
    private long splitAt = System.nanoTime();
    /** Whether the last round has failed. */
    private boolean failing;

    private @Nullable JobSession session;
    private @Nullable BatchStore store;

    /** @param early a session to begin with, for the first of the node's claimers; null: for the others */
    public Claimer(ConnectionSource source, NodeContext node, @Nullable EarlySession early) {
        this.source = source;
        this.node = node;
        this.signals = node.signals();
        this.polls = node.polls();
        this.batches = node.batches();
        this.fence = node.fence();
        this.forgotten = node.forgotten();
        this.router = node.router();
        this.limits = node.limits();
        this.workers = node.workers();
        this.runner = node.executor();
        this.inOrder = node.inOrder();
        this.first = early != null;
        this.early = early;
        this.sleeper = new LaneSleep(node);
    }

    @Override
    public void run() {
        boolean called = first;
        while (!node.isOver()) {
            try {
                // Few jobs are taken by one alone, in their order.
                if (!called) signals.awaitCall(SLOW_POLL_NANOS);
                called = true;
                if (node.isOver()) break;
                BatchStore open = open();
                int worked = work(open);
                if (failing) node.outage().worked();
                failing = false;
                if (worked == NOTHING) rest(open);
                else if (first) splitHolding(open);
            } catch (SQLException e) {
                if (!node.isOver()) node.outage().failed("node " + node.id() + " cannot take jobs", ErrorText.line(e));
                failing = true;
                closeSession();
                if (!pause()) break;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            } catch (RuntimeException | Error e) {
                // Such as no memory for a payload: the claimer goes on, the claimed jobs go back.
                log.error("node {} could not take jobs, and will try again", node.id(), e);
                Threads.survived(e);
                closeSession();
                if (!pause()) break;
            }
        }
        if (early != null) early.close();
        closeSession();
    }

    private boolean pause() {
        try {
            if (first) signals.await(RETRY_NANOS);
            else signals.awaitCall(RETRY_NANOS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private BatchStore open() throws SQLException, InterruptedException {
        BatchStore known = store;
        if (known != null) return known;
        JobSession opened = early == null ? null : early.take();
        // Not before: an interrupted wait leaves it to be closed.
        early = null;
        if (opened == null) opened = JobSession.open(source);
        session = opened;
        // After days without housekeeping, as in a machine that slept, those of today may be missing.
        if (failing) DayTables.make(opened.connection());
        BatchStore made = new BatchStore(opened, node.id(), runner.aloneKinds(), runner.metrics(), inOrder::areShort);
        forgotten.giveBack(opened);
        if (first) batches.mend();
        store = made;
        return made;
    }

    private void closeSession() {
        JobSession open = session;
        session = null;
        store = null;
        if (open != null) open.close();
    }

    /** Writes down and takes what there is; says how many jobs it took, or {@link #NOTHING} if there was nothing to do. */
    private int work(BatchStore open) throws SQLException {
        int free = first || node.isStopping() ? 0 : workers.room();
        boolean passed = passTurns(open);
        LanePolls.@Nullable Look whole = free > 0 ? polls.nextWhole() : null;
        if (whole != null) return claim(open, new ArrayList<>(), whole, Math.min(free, BATCH));
        List<ClaimedBatch> plain = new ArrayList<>();
        List<ClaimedBatch> ordered = new ArrayList<>();
        List<ClaimedBatch> leases = new ArrayList<>();
        List<ClaimedBatch> done = new ArrayList<>();
        boolean settled = passed;
        List<ClaimedBatch> drained = batches.drain();
        try {
            for (int i = 0; i < drained.size(); i++) {
                ClaimedBatch batch = drained.get(i);
                if (limits.ended(batch)) polls.wake(batch.lane().id());
                if (batch.isAllWritten()) {
                    batches.closed(batch.claim());
                } else if (batch.isWritten()) {
                    batches.closed(batch.claim());
                    runner.metrics().ended(batch, batch.members());
                } else if (batch.isPlain()) (batch.isLease() ? leases : plain).add(batch);
                else if (batch.isPlainInOrder()) ordered.add(batch);
                else if (batch.isDone()) done.add(batch);
                else {
                    settle(open, batch);
                    settled = true;
                }
                drained.set(i, null);
            }
            settled |= endInOrder(open, ordered) | endLeases(open, leases) | endDone(open, done);
        } catch (SQLException e) {
            for (ClaimedBatch batch : drained) if (batch != null) batches.ended(batch);
            for (ClaimedBatch batch : plain) batches.ended(batch);
            for (ClaimedBatch batch : ordered) batches.ended(batch);
            for (ClaimedBatch batch : leases) batches.ended(batch);
            for (ClaimedBatch batch : done) batches.ended(batch);
            throw e;
        }
        int room = node.isStopping() ? 0 : workers.room();
        if (polls.isStarved() && workers.idle() > batches.waiting()) polls.workerIsFree();
        LanePolls.@Nullable Look look = room > 0 ? polls.next() : null;
        if (look == null && plain.isEmpty()) return settled ? 0 : NOTHING;
        boolean log = look != null && look.watch().isLog();
        return claim(open, plain, look, Math.min(room, log ? LOG_BATCH : BATCH));
    }

    /** Ends those leases of logs, and takes them out of the list. Returns whether there was one. */
    private boolean endLeases(BatchStore open, List<ClaimedBatch> leases) throws SQLException {
        if (leases.isEmpty()) return false;
        open.endLog(leases);
        for (ClaimedBatch lease : leases) batches.closed(lease.claim());
        leases.clear();
        return true;
    }

    /** Ends those batches, whose jobs have results, and takes them out of the list. Returns whether there was one. */
    private boolean endDone(BatchStore open, List<ClaimedBatch> done) throws SQLException {
        if (done.isEmpty()) return false;
        open.settleDone(done);
        for (ClaimedBatch batch : done) {
            batches.closed(batch.claim());
            polls.wake(batch.lane().id());
        }
        done.clear();
        return true;
    }

    /** Lets the next jobs of runs begin. Returns whether there was something to write. */
    private boolean passTurns(BatchStore open) throws SQLException {
        Map<ClaimedBatch, OrderRuns.Turns> turned = batches.drainTurns();
        if (turned.isEmpty()) return false;
        Set<ClaimedBatch> going;
        try {
            going = open.passTurns(turned);
        } catch (SQLException | RuntimeException | Error e) {
            turned.keySet().forEach(ClaimedBatch::notPassed);
            throw e;
        }
        turned.forEach((batch, written) -> {
            if (going.contains(batch)) {
                if (batch.pass(written)) workers.offer(batch);
            } else if (batch.giveBack()) batches.ended(batch);
        });
        return true;
    }

    /** Ends those batches, lane by lane, and takes them out of the list. Returns whether there was one. */
    private boolean endInOrder(BatchStore open, List<ClaimedBatch> ordered) throws SQLException {
        boolean some = !ordered.isEmpty();
        while (!ordered.isEmpty()) {
            Lane lane = ordered.get(0).lane();
            List<ClaimedBatch> ended = ordered.stream()
                    .filter(batch -> batch.lane().id() == lane.id())
                    .toList();
            ended.forEach(inOrder::ended);
            BatchStore.Claimed claimed;
            fence.claiming().lock();
            try {
                int room = roomInOrder(lane);
                claimed = open.next(
                        ended, lane, room, router.kinds(lane), room == 0 ? 1 : inOrder.run(lane, keys(ended, room)));
                claimed(open, claimed.batches());
            } finally {
                fence.claiming().unlock();
            }
            ordered.removeAll(ended);
            for (ClaimedBatch batch : ended) batches.closed(batch.claim());
            for (ClaimedBatch batch : claimed.batches()) router.offer(batch, claimed.paused());
            if (claimed.jobs() > 0) polls.busy(lane);
            if (claimed.batches().stream().mapToInt(ClaimedBatch::keys).sum()
                    < ended.stream().mapToInt(ClaimedBatch::keys).sum()) polls.wake(lane.id());
        }
        return some;
    }

    private static int keys(List<ClaimedBatch> ended, int room) {
        return Math.min(room, ended.stream().mapToInt(ClaimedBatch::keys).sum());
    }

    /** How many jobs may come next without a claim: half of the room, since others of the lane may wait for longer. */
    private int roomInOrder(Lane lane) {
        if (node.isStopping() || limits.has(lane) || !inOrder.areShort(lane)) return 0;
        return Math.max(0, Math.min(workers.room(), BATCH) / 2);
    }

    private void settle(BatchStore open, ClaimedBatch batch) throws SQLException {
        ClaimId claim = batch.claim();
        Map<String, Integer> elsewhere = router.makeLanes(batch);
        if (batch.isInRuns()) inOrder.ended(batch);
        boolean mine = open.settle(batch);
        if (mine && !elsewhere.isEmpty()) {
            open.moveKinds(batch.lane(), elsewhere);
            open.ring(Set.copyOf(elsewhere.values()));
        }
        batches.closed(claim);
        polls.wake(batch.lane().id());
    }

    private int claim(BatchStore open, List<ClaimedBatch> plain, LanePolls.@Nullable Look look, int most)
            throws SQLException {
        Lane lane = look != null ? look.watch().lane() : plain.get(0).lane();
        BatchStore.Claimed claimed;
        boolean known = false;
        fence.claiming().lock();
        try {
            claimed = claim(open, plain, look, lane, most);
            claimed(open, claimed.batches());
            known = true;
        } finally {
            fence.claiming().unlock();
            if (!known) {
                for (ClaimedBatch batch : plain) batches.ended(batch);
                if (look != null) polls.notLooked(look);
            }
        }
        for (ClaimedBatch batch : plain) batches.closed(batch.claim());
        try {
            for (ClaimedBatch batch : claimed.batches()) router.offer(batch, claimed.paused());
        } finally {
            // After that: where the look is over, what it has found is with the workers.
            if (look != null) polls.looked(look, claimed);
        }
        if (first && look != null && claimed.jobs() > 1 && claimed.jobs() >= claimed.asked()) sleeper.passOn(session());
        // What one cannot take the other may.
        if (look != null && claimed.jobs() >= BATCH && workers.room() > 0) signals.callForHelp();
        return claimed.jobs();
    }

    private BatchStore.Claimed claim(
            BatchStore open, List<ClaimedBatch> plain, LanePolls.@Nullable Look look, Lane lane, int most)
            throws SQLException {
        if (look == null) {
            open.end(plain);
            return BatchStore.Claimed.nothing(0);
        }
        boolean log = look.watch().isLog();
        if (!log && !limits.has(lane)) return claimPlain(open, plain, look, lane, most);
        // These claims write down nothing.
        open.end(plain);
        plain.forEach(batch -> batches.closed(batch.claim()));
        plain.clear();
        return log
                ? open.claimLog(lane, most, limits.has(lane))
                : limits.claim(session(), open, lane, most, workers::idle, look.from(), batches);
    }

    /** From a lane of which no limit is known. A node that was woken for a job takes that one, in the cheapest way. */
    private BatchStore.Claimed claimPlain(
            BatchStore open, List<ClaimedBatch> plain, LanePolls.Look look, Lane lane, int most) throws SQLException {
        if (!limits.areNone(lane)) return open.claim(plain, lane, most, look.from());
        if (look.single() && plain.isEmpty()) {
            BatchStore.Claimed one = open.claimOne(lane);
            if (one.jobs() > 0) return one;
        }
        BatchStore.Claimed claimed = open.claimUnruled(plain, lane, most, look.from());
        if (!claimed.lane().ruled()) return claimed;
        limits.read(session());
        polls.limitsChanged();
        return claimed;
    }

    /** Opens the batches of a claim. If that fails they are closed again, and go back as forgotten, without an attempt. */
    private void claimed(BatchStore open, List<ClaimedBatch> claimed) throws SQLException {
        try {
            opened(open, claimed);
        } catch (SQLException e) {
            for (ClaimedBatch batch : claimed) batches.closed(batch.claim());
            throw e;
        }
    }

    /** These batches are open: jobs that were cancelled before do not begin. */
    private void opened(BatchStore open, List<ClaimedBatch> claimed) throws SQLException {
        for (ClaimedBatch batch : claimed) {
            batches.opened(batch);
            if (batch.isInRuns()) batch.whenTurned(() -> batches.turned(batch));
        }
        Set<Long> asked = node.cancellations().askedOf(claimed);
        if (!asked.isEmpty()) node.cancellations().cancel(open.cancelled(asked));
    }

    private JobSession session() throws SQLException {
        JobSession open = session;
        if (open == null) throw new SQLException("the session is closed", "08003");
        return open;
    }

    private void rest(BatchStore open) throws SQLException, InterruptedException {
        limits.tell(session());
        if (!first) {
            signals.awaitCall(SLOW_POLL_NANOS);
            return;
        }
        if (split(open, true)) return;
        boolean room = workers.room() > 0 && !node.isStopping();
        if (!room) sleeper.passOn(session());
        if (room && polls.isQuiet()) sleeper.sleep(session(), () -> work(open));
        else signals.await(room ? polls.napNanos() : SPLIT_NANOS);
    }

    /** A busy node does not rest, but other jobs may wait until batches that take long are written down. */
    private void splitHolding(BatchStore open) throws SQLException {
        if (System.nanoTime() - splitAt < SPLIT_NANOS) return;
        if (split(open, false)) limits.tell(session());
    }

    /**
     * Writes down what has ended of batches that take long, and gives back what has not begun for long.
     *
     * @param all false: only of batches that hold other jobs up
     */
    private boolean split(BatchStore open, boolean all) throws SQLException {
        boolean written = false;
        splitAt = System.nanoTime();
        for (ClaimedBatch batch : batches.open()) {
            boolean holding = batch.holdsOthersUp();
            if ((!all && !holding) || batch.restNanos() < SPLIT_NANOS || batch.hasEnded()) continue;
            workers.measured(batch.restNanos());
            // What has not begun waits for the end of what has, which may take long now.
            if (batch.isInRuns() && batch.giveBack()) {
                batches.ended(batch);
                written = true;
                continue;
            }
            long giveBack = holding ? GIVE_BACK_SOON_NANOS : GIVE_BACK_NANOS;
            if (batch.ageNanos() > giveBack && batch.waiting() > 0 && !batch.isSuspect() && batch.giveBack()) {
                batches.ended(batch);
                written = true;
                continue;
            }
            if (batch.unwritten() == 0 || !batch.hold()) continue;
            batches.tear(batch);
            writePart(open, batch);
            batches.mend();
            if (holding) polls.wake(batch.lane().id());
            written = true;
        }
        return written;
    }

    /** The jobs that go on move to another batch; under the fence, which would give it back as forgotten. */
    private void writePart(BatchStore open, ClaimedBatch batch) throws SQLException {
        Map<String, Integer> elsewhere = router.makeLanes(batch);
        fence.claiming().lock();
        try {
            ClaimId claim = batch.claim();
            limits.freed(batch);
            boolean mine = open.settle(batch);
            if (mine && !elsewhere.isEmpty()) open.ring(Set.copyOf(elsewhere.values()));
            batches.closed(claim);
            if (mine) opened(open, List.of(batch));
            else runner.running().lost(batch);
        } finally {
            fence.claiming().unlock();
        }
    }
}
