package dev.howdah.job.internal.claim;

import dev.howdah.internal.doorbell.SleepLock;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Puts a node to sleep, and wakes it: when a job comes, when one is due, when there is room for one. Of the first claimer
 * alone.
 */
final class LaneSleep {
    private static final SleepLock LOCK = new SleepLock(AdvisoryLock.JOB_ASLEEP);
    private static final Sql NEXT_DUE = JobSql.JOB.statement("job_next_due");
    private static final long SLOW_POLL_NANOS = 60_000_000_000L;
    /** Another node may hold the lock of the doorbell: once that one is awake, no producer rings. */
    private static final long ASLEEP_AGAIN_NANOS = 2_500_000_000L;

    /** So many nodes share the looks of those that are not rung: each looks as much less often. */
    private static final int SHARING = 8;

    /** What has ended of batches that take long is written down so often. */
    private static final long SPLIT_NANOS = 200_000_000;

    /** A node that ended a job elsewhere may have crashed before it rang. */
    private static final long FULL_NANOS = 5_000_000_000L;

    /** So long after its commit a job is seen whose transaction had added it before the node fell bells. */
    private static final long UNSURE_NANOS = 200_000_000;

    /** Most transactions end within moments: it is asked after this whether they have, then after twice as long, and so on. */
    private static final long FIRST_UNSURE_NANOS = 1_000_000;

    private static final long CONTENDED_NANOS = 20_000_000;

    /** A job that came alone is waited for so long before the node wakes up. */
    private static final long SOON_NANOS = 10_000_000;

    private static final Sql TRY_ASLEEP = JobSql.JOB.statement("lane_try_asleep");
    private static final Sql RING = JobSql.JOB.statement("lane_ring");

    private final NodeContext node;
    /** The node was the one that is rung, and no other node has been told since that it may not be. */
    private boolean wasRung;

    private final ClaimerSignals signals;
    private final LanePolls polls;
    private final OpenBatches batches;
    private final ConcurrencyLimits limits;

    /** Looks at one lane that is due, and writes down what has ended; says how many jobs it took. */
    @FunctionalInterface
    interface Look {
        int look() throws SQLException;
    }

    LaneSleep(NodeContext node) {
        this.node = node;
        this.signals = node.signals();
        this.polls = node.polls();
        this.batches = node.batches();
        this.limits = node.limits();
    }

    /** Sleeps until there is a reason to go on, if there is none already. */
    void sleep(JobSession session, Look look) throws SQLException, InterruptedException {
        Integer[] lanes = polls.openLanes();
        Bells bells = new Bells();
        bells.fall(session, lanes);
        String[] full = {};
        try {
            // Asked before the last look: what becomes due between the two is found by that.
            boolean limited = polls.hasAny(limits::has);
            // Of a log it takes a claim to see whether something is there.
            boolean alike = limited || polls.hasAny(Lane::reader);
            boolean all = bells.held.size() == lanes.length;
            long nap = nap(session, lanes, all || !alike);
            boolean found = lookAtAll(look);
            if (!found) full = limits.waitForRoom(session);
            if (full.length > 0) {
                nap = Math.min(nap, FULL_NANOS);
                found = lookAtAll(look);
            }
            if (limits.isContended()) nap = Math.min(nap, CONTENDED_NANOS);
            if (found || node.isOver()) return;
            // The looks may have been what told the node of a limit: an end elsewhere rings for room, which is not left
            // to another node.
            if (!limited && (full.length > 0 || polls.hasAny(limits::has))) {
                limited = true;
                if (!all) nap = Math.min(nap, ASLEEP_AGAIN_NANOS);
            }
            wasRung |= !bells.held.isEmpty();
            if (limited || !all && alike) sleepOnce(session, bells, nap, look);
            else if (!all) sleepBehind(session, lanes, bells, nap, look);
            else sleepOn(session, lanes, bells, nap, look);
        } finally {
            signals.asleep(false);
            polls.awake();
            LOCK.wakeUp(session, bells.held);
            limits.waitNoMore(session, full);
        }
    }

    /** A node that is woken polls first, and only then releases the doorbell. */
    private void sleepOnce(JobSession session, Bells bells, long nap, Look look)
            throws SQLException, InterruptedException {
        long began = System.nanoTime();
        if (!await(session, bells, Math.min(nap, polls.untilNext()))) return;
        long slept = System.nanoTime() - began;
        if (look.look() > 0) polls.slept(slept);
    }

    /**
     * Another node sleeps, and is rung. This one is told by a node that has more than it can do, or that goes; it asks whether a job is due, and tries for the
     * doorbell, from time to time, in case none can.
     */
    private void sleepBehind(JobSession session, Integer[] lanes, Bells bells, long nap, Look look)
            throws SQLException, InterruptedException {
        polls.leaveToOtherNodes(bells.elsewhere(lanes));
        long until = System.nanoTime() + nap;
        while (true) {
            long began = System.nanoTime();
            long left = Math.min(until - began, polls.untilNext());
            long again =
                    lookAgainNanos(node.others(), ThreadLocalRandom.current().nextDouble());
            boolean isPlanned = left < again;
            if (await(session, bells, Math.min(left, again)) || isPlanned) {
                if (look.look() > 0) polls.slept(System.nanoTime() - began);
                return;
            }
            long next = bells.tryAgain(session, lanes);
            if (next == 0 || bells.held.size() == lanes.length || node.isOver()) return;
            until = System.nanoTime() + next;
        }
    }

    /**
     * After how long a node that is not rung looks for itself.
     *
     * @param others how many other nodes there are
     * @param spread 0 to 1, so that nodes that fell asleep together do not look together: the first of them looks soon
     */
    static long lookAgainNanos(int others, double spread) {
        int share = Math.max(1, Math.min(others, SHARING));
        return ASLEEP_AGAIN_NANOS + (long) (spread * (share - 1) * ASLEEP_AGAIN_NANOS);
    }

    /** Tells nodes that are not rung to look for themselves: this one was, and has no room, or has found more than it took. */
    void passOn(JobSession session) throws SQLException {
        if (!wasRung) return;
        wasRung = false;
        session.update(RING, (Object) polls.laneIds());
    }

    /**
     * While single jobs come far apart the node stays asleep between them. It holds all doorbells, so whatever is added meanwhile rings, and one statement
     * to claim and one to end is all that a job needs.
     */
    private void sleepOn(JobSession session, Integer[] lanes, Bells bells, long nap, Look look)
            throws SQLException, InterruptedException {
        long until = System.nanoTime() + nap;
        polls.fallAsleep();
        signals.asleep(true);
        while (true) {
            long began = System.nanoTime();
            if (!await(session, bells, Math.min(until - began, polls.untilNext()))) return;
            long slept = System.nanoTime() - began;
            if (look.look() <= 0) return;
            polls.slept(slept);
            if (slept < LanePolls.LONG_SLEEP || !endsSoon(look) || node.isOver()) return;
            // Nothing rings for a lane that was made meanwhile, or whose rate left no room before.
            if (!List.of(lanes).containsAll(List.of(polls.openLanes()))) return;
        }
    }

    /** Writes down what was claimed if it ends within moments, and if nothing else comes meanwhile; returns whether that is so. */
    private boolean endsSoon(Look look) throws SQLException, InterruptedException {
        if (!polls.doze()) return false;
        long until = System.nanoTime() + SOON_NANOS;
        while (!polls.isRung() && !batches.allReported()) {
            long left = until - System.nanoTime();
            if (left <= 0 || node.isOver()) return false;
            signals.await(left);
        }
        // What else an end brings about may ring, but not in a session that itself holds the doorbell.
        for (ClaimedBatch each : batches.open()) if (!each.isPlain() || limits.has(each.lane())) return false;
        signals.forget();
        int rung = polls.lookAgainAtRung();
        // Nothing came since the look that took the job: what has ended is written down, and no lane is looked at.
        for (int i = 0; i < Math.max(rung, 1); i++) if (look.look() > 0) return false;
        return polls.doze() && batches.open().isEmpty();
    }

    /** The lanes whose doorbells this node holds. */
    private static final class Bells {
        private final List<Integer> held = new ArrayList<>();
        /** Lanes with a transaction that added jobs before the node fell asleep, and has not committed. */
        private List<Integer> unsure = List.of();

        void fall(JobSession session, Integer[] lanes) throws SQLException {
            SleepLock.Asleep asleep = LOCK.fallAsleep(session, lanes);
            held.addAll(asleep.held());
            unsure = asleep.awaited();
        }

        /**
         * Tries for those at which another node sleeps.
         *
         * @return how long to sleep at most; 0: there is something to look at
         */
        long tryAgain(JobSession session, Integer[] lanes) throws SQLException {
            long nap = SLOW_POLL_NANOS;
            boolean changed = false;
            try (ResultSet row =
                    session.query(TRY_ASLEEP, (Object) elsewhere(lanes).toArray(Integer[]::new))) {
                while (row.next()) {
                    if (row.getBoolean(2)) changed |= held.add(row.getInt(1));
                    else changed |= !row.wasNull();
                    long millis = row.getLong(3);
                    if (!row.wasNull()) nap = Math.min(nap, Math.max(millis, 0) * 1_000_000);
                }
            }
            return changed ? 0 : nap;
        }

        /** Those at which another node sleeps. */
        Set<Integer> elsewhere(Integer[] lanes) {
            Set<Integer> others = new HashSet<>(List.of(lanes));
            held.forEach(others::remove);
            unsure.forEach(others::remove);
            return others;
        }
    }

    /** Waits for a reason to go on; a transaction that has added and ends is one. */
    private boolean await(JobSession session, Bells bells, long nap) throws SQLException, InterruptedException {
        long until = System.nanoTime() + nap;
        long pause = FIRST_UNSURE_NANOS;
        while (!bells.unsure.isEmpty()) {
            long left = until - System.nanoTime();
            if (left <= pause) break;
            if (signals.await(pause)) return true;
            pause = Math.min(2 * pause, UNSURE_NANOS);
            int held = bells.held.size();
            bells.fall(session, bells.unsure.toArray(Integer[]::new));
            if (bells.held.size() > held) {
                polls.lookAgain();
                return true;
            }
        }
        return signals.await(until - System.nanoTime());
    }

    private boolean lookAtAll(Look look) throws SQLException {
        int lines = polls.size();
        // What was signalled before is found by these looks, and is no reason to end the sleep.
        if (lines > 0) signals.forget();
        polls.lookAgain();
        limits.lookAgain();
        boolean found = false;
        for (int i = 0; i < lines && !found; i++) found = look.look() > 0;
        return found;
    }

    private long nap(JobSession session, Integer[] lanes, boolean all) throws SQLException {
        long longest = all ? SLOW_POLL_NANOS : ASLEEP_AGAIN_NANOS;
        if (!batches.open().isEmpty()) longest = Math.min(longest, SPLIT_NANOS);
        try (ResultSet row = session.query(NEXT_DUE, (Object) lanes)) {
            row.next();
            long millis = row.getLong(1);
            return row.wasNull() ? longest : Math.min(longest, Math.max(millis, 0) * 1_000_000);
        }
    }
}
