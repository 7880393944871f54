package dev.howdah.job.internal.claim;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.store.JobSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jobs for the crew and writes down how they ended: as long as there are jobs, one statement does both. Of a node's
 * claimers the first also falls asleep and wakes up for all of them.
 */
public final class Claimer implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Claimer.class);
    private static final int BATCH = 500;
    private static final int NOTHING = -1;
    private static final int LEASES = 32;
    /** A lease whose jobs have partly ended is written down in part when it is as old as this. */
    private static final long SPLIT_NANOS = 200_000_000;

    /** What nobody here begins for so long may be begun elsewhere. */
    private static final long GIVE_BACK_NANOS = 1_000_000_000;

    private static final long SLOW_POLL_NANOS = 60_000_000_000L;
    private static final long RETRY_NANOS = 250_000_000;

    private final ConnectionSource source;
    private final NodeContext node;
    private final boolean first;
    private final LaneSleep sleeper;
    private @Nullable JobSession session;
    private @Nullable BatchStore ledger;

    public Claimer(ConnectionSource source, NodeContext node, boolean first) {
        this.source = source;
        this.node = node;
        this.first = first;
        this.sleeper = new LaneSleep(node);
    }

    @Override
    public void run() {
        boolean failing = false;
        boolean called = first;
        while (!node.isOver()) {
            try {
                // Few jobs are taken by one alone, in their order.
                if (!called) node.round().awaitCall(SLOW_POLL_NANOS);
                called = true;
                if (node.isOver()) break;
                BatchStore open = open();
                int worked = work(open);
                failing = false;
                if (worked == NOTHING) rest(open);
            } catch (SQLException e) {
                if (!node.isOver() && !failing) log.warn("node {}: {}", node.id(), e.getMessage());
                failing = true;
                closeSession();
                if (!pause()) break;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            } catch (RuntimeException | Error e) {
                // Such as no memory for a payload: whoever takes jobs goes on, what was taken goes back.
                log.error("node {} could not take jobs, and will try again", node.id(), e);
                closeSession();
                if (!pause()) break;
            }
        }
        closeSession();
    }

    private boolean pause() {
        try {
            if (first) node.round().await(RETRY_NANOS);
            else node.round().awaitCall(RETRY_NANOS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private BatchStore open() throws SQLException {
        BatchStore known = ledger;
        if (known != null) return known;
        JobSession opened = JobSession.open(source);
        session = opened;
        BatchStore made = new BatchStore(
                opened, node.id(), node.runner().aloneKinds(), node.runner().metrics());
        node.giveBackForgotten(opened);
        if (first) node.round().mend();
        ledger = made;
        return made;
    }

    private void closeSession() {
        JobSession open = session;
        session = null;
        ledger = null;
        if (open != null) open.close();
    }

    /** Writes down and takes what there is; says how many jobs it took, or {@link #NOTHING} if there was nothing to do. */
    private int work(BatchStore open) throws SQLException {
        ClaimState round = node.round();
        List<ClaimedBatch> plain = new ArrayList<>();
        boolean settled = false;
        List<ClaimedBatch> drained = round.drain(LEASES);
        try {
            for (int i = 0; i < drained.size(); i++) {
                ClaimedBatch lease = drained.get(i);
                node.limits().freed(lease.lane());
                if (lease.isWritten()) {
                    round.closed(lease.claim());
                    node.runner().metrics().ended(lease, lease.members());
                } else if (lease.isPlain()) plain.add(lease);
                else {
                    settle(open, lease);
                    settled = true;
                }
                drained.set(i, null);
            }
        } catch (SQLException e) {
            for (ClaimedBatch lease : drained) if (lease != null) round.ended(lease);
            for (ClaimedBatch lease : plain) round.ended(lease);
            throw e;
        }
        int room = node.isStopping() ? 0 : node.crew().room();
        ClaimState.@Nullable Look look = room > 0 ? round.next() : null;
        if (look == null && plain.isEmpty()) return settled ? 0 : NOTHING;
        return claim(open, plain, look, Math.min(room, BATCH));
    }

    private void settle(BatchStore open, ClaimedBatch lease) throws SQLException {
        ClaimId claim = lease.claim();
        Map<String, Integer> elsewhere = node.strangers(lease);
        boolean mine = open.settle(lease);
        if (mine && !elsewhere.isEmpty()) {
            open.moveKinds(lease.lane(), elsewhere);
            open.ring(Set.copyOf(elsewhere.values()));
        }
        node.round().closed(claim);
        node.round().wake(lease.lane().id());
    }

    private int claim(BatchStore open, List<ClaimedBatch> plain, ClaimState.@Nullable Look look, int most)
            throws SQLException {
        ClaimState round = node.round();
        Lane lane = look != null ? look.watch().lane() : plain.get(0).lane();
        BatchStore.Claimed claimed;
        node.claiming().lock();
        try {
            claimed = look != null && node.limits().has(lane)
                    ? claimWithin(open, plain, look, most)
                    : open.claim(plain, lane, look == null ? 0 : most, look == null ? ScanBounds.NONE : look.from());
            for (ClaimedBatch lease : claimed.leases()) round.opened(lease);
        } catch (SQLException e) {
            for (ClaimedBatch lease : plain) round.ended(lease);
            if (look != null) round.notLooked(look);
            throw e;
        } finally {
            node.claiming().unlock();
        }
        for (ClaimedBatch lease : plain) round.closed(lease.claim());
        if (look != null) round.looked(look, most, claimed);
        for (ClaimedBatch lease : claimed.leases()) node.offer(lease, claimed.paused());
        // What one cannot take the other may.
        if (look != null && claimed.jobs() >= BATCH && node.crew().room() > 0) round.callForHelp();
        return claimed.jobs();
    }

    private BatchStore.Claimed claimWithin(BatchStore open, List<ClaimedBatch> plain, ClaimState.Look look, int most)
            throws SQLException {
        Lane lane = look.watch().lane();
        if (!plain.isEmpty()) open.claim(plain, lane, 0, ScanBounds.NONE);
        plain.forEach(lease -> node.round().closed(lease.claim()));
        plain.clear();
        return node.limits().claim(session(), open, lane, most, look.from(), node.round());
    }

    private JobSession session() throws SQLException {
        JobSession open = session;
        if (open == null) throw new SQLException("the session is closed", "08003");
        return open;
    }

    private void rest(BatchStore open) throws SQLException, InterruptedException {
        ClaimState round = node.round();
        node.limits().tell(session());
        if (!first) {
            round.awaitCall(SLOW_POLL_NANOS);
            return;
        }
        if (split(open)) return;
        boolean room = node.crew().room() > 0 && !node.isStopping();
        if (room && round.isQuiet()) sleeper.sleep(session(), () -> work(open));
        else round.await(room ? round.napNanos() : SPLIT_NANOS);
    }

    /** Writes down what has ended of leases that take long, and gives back what has not begun for long. */
    private boolean split(BatchStore open) throws SQLException {
        boolean written = false;
        for (ClaimedBatch lease : node.round().open()) {
            if (lease.ageNanos() < SPLIT_NANOS || lease.hasEnded()) continue;
            node.crew().measured(lease.ageNanos());
            if (lease.ageNanos() > GIVE_BACK_NANOS && lease.waiting() > 0 && !lease.isSuspect() && lease.giveBack()) {
                node.round().ended(lease);
                written = true;
                continue;
            }
            if (lease.unwritten() == 0 || !lease.hold()) continue;
            node.round().tear(lease);
            writePart(open, lease);
            node.round().mend();
            written = true;
        }
        return written;
    }

    /** The jobs that go on move to another batch, which nobody may take for a forgotten one. */
    private void writePart(BatchStore open, ClaimedBatch lease) throws SQLException {
        node.claiming().lock();
        try {
            ClaimId claim = lease.claim();
            node.limits().freed(lease.lane());
            boolean mine = open.settle(lease);
            node.round().closed(claim);
            if (mine) node.round().opened(lease);
            else node.runner().lost(lease);
        } finally {
            node.claiming().unlock();
        }
    }
}
