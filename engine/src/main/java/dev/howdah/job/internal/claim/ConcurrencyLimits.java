package dev.howdah.job.internal.claim;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.BatchWidth;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of which queues and kinds run at a time: on all nodes together, which the database knows, and on this node,
 * which knows itself what it runs. A kind with a limit has a lane of its own. {@code limit.sql} describes the wake-ups. Safe for use by many
 * threads.
 */
public final class ConcurrencyLimits {
    private static final Sql LOCK = JobSql.LIMIT.statement("limit_lock");
    private static final Sql ROOM = JobSql.LIMIT.statement("limit_room");
    private static final Sql LIMITED = JobSql.LIMIT.statement("limit_list");
    private static final Sql WAIT = JobSql.LIMIT.statement("limit_wait");
    private static final Sql WAIT_NO_MORE = JobSql.LIMIT.statement("limit_wait_no_more");
    private static final Sql ROOM_LEFT = JobSql.LIMIT.statement("limit_room_left");
    private static final BatchStore.Claimed NOTHING = BatchStore.Claimed.nothing(1);

    /**
     * One limit.
     *
     * @param kind null: all kinds of the queue together
     * @param eachNode whether it is this node's own
     */
    public record Limit(String queue, @Nullable String kind, boolean eachNode, int most) {
        /** Whether jobs that this lane holds count for it. */
        boolean covers(Lane lane) {
            return queue.equals(lane.queue()) && (kind == null || kind.equals(lane.kind()));
        }
    }

    /** The lane was not looked at: each job of it is to begin at once, and no worker is idle. */
    static final BatchStore.Claimed WAITS_FOR_WORKER = BatchStore.Claimed.nothing(0);

    private final List<Limit> own;
    private final Predicate<Lane> grouped;
    private final int concurrency;
    private final ClaimAhead ahead = new ClaimAhead();
    /** What one claimer counts no other one may fill meanwhile. */
    private final ReentrantLock counting = new ReentrantLock();

    private volatile LimitRules rules;
    private final Set<String> full = ConcurrentHashMap.newKeySet();
    private final Set<Lane> freed = ConcurrentHashMap.newKeySet();
    private volatile boolean contended;

    /**
     * @param own of this node, beside those in the database
     * @param concurrency how many jobs this node runs at a time
     * @param grouped whether a lane has groups
     */
    public ConcurrencyLimits(List<Limit> own, int concurrency, Predicate<Lane> grouped) {
        this.grouped = grouped;
        this.concurrency = concurrency;
        this.own = List.copyOf(own);
        this.rules = new LimitRules(this.own, List.of());
    }

    /** These are those in the database, as JSON; null: none. Returns whether there are others than before. */
    public boolean learn(@Nullable String json) {
        LimitRules before = rules;
        rules = LimitRules.of(own, json);
        return !before.equals(rules);
    }

    public void read(DedicatedSession session) throws SQLException {
        try (ResultSet row = session.query(LIMITED)) {
            row.next();
            learn(row.getString(1));
        }
    }

    /** Whether only so many jobs of that lane may run. */
    boolean has(Lane lane) {
        return rules.has(lane) || isWithin(lane);
    }

    /** Whether nothing is known that rules how jobs of that lane are claimed. */
    boolean areNone(Lane lane) {
        return rules.hasNone(lane.queue()) && !grouped.test(lane);
    }

    private boolean isShared(Lane lane) {
        return rules.isShared(lane) || isWithin(lane);
    }

    /** Whether the database chooses the jobs of the lane one by one. */
    private boolean isWithin(Lane lane) {
        return grouped.test(lane) || rules.isPaced(lane);
    }

    /** Whether a job of that kind, found in that lane, has to go to a lane of its kind. */
    boolean needsLane(Lane lane, String kind) {
        return rules.needsLane(lane, kind);
    }

    /**
     * Claims jobs of which no more run at a time than may, and adds their batches to the open ones.
     *
     * @param most how many jobs the node wants
     * @param idle how many of its workers are idle
     */
    BatchStore.Claimed claim(
            JobSession session,
            BatchStore store,
            Lane lane,
            int most,
            IntSupplier idle,
            ScanBounds from,
            OpenBatches batches)
            throws SQLException {
        counting.lock();
        try {
            long here = roomHere(lane, batches);
            BatchStore.Claimed claimed = NOTHING;
            if (isWithin(lane)) {
                // What a rate lets begin has to begin soon; of a lane with short jobs some are kept ready.
                int soon = idle.getAsInt() - batches.waiting();
                long free = Math.min(here, !rules.isPaced(lane) && ahead.areShort(lane) ? most : soon);
                claimed = free > 0
                        ? claimWithin(session, store, lane, (int) free, Math.max(soon, 1), from)
                        : WAITS_FOR_WORKER;
            } else if (isShared(lane)) claimed = claimShared(session, store, lane, here, most, from, batches);
            else if (here > 0) claimed = claim(store, lane, here, most, from, batches);
            for (ClaimedBatch batch : claimed.batches()) batches.opened(batch);
            return claimed;
        } finally {
            counting.unlock();
        }
    }

    private BatchStore.Claimed claimWithin(
            JobSession session, BatchStore store, Lane lane, int most, int soon, ScanBounds from) throws SQLException {
        BatchStore.Claimed claimed = store.claimWithin(lane, most, soon, from);
        if (claimed.lane().contended()) {
            contended = true;
            return claimed;
        }
        if (claimed.lane().full()) full.add(lane.queue());
        else if (freed.contains(lane) && claimed.jobs() >= claimed.asked())
            session.update(ROOM_LEFT, (Object) new String[] {lane.queue()});
        freed.remove(lane);
        return claimed;
    }

    private BatchStore.Claimed claim(
            BatchStore store, Lane lane, long room, int most, ScanBounds from, OpenBatches batches)
            throws SQLException {
        ClaimAhead.Size size = ahead.next(lane, room, share(lane), most, batches.longestWait(lane));
        return store.claim(List.of(), lane, size.jobs(), new BatchWidth(size.width()), from);
    }

    /** Half of what may run: a second claim is worked while the first one is written. */
    private int share(Lane lane) {
        return (rules.least(lane, concurrency) + 1) / 2;
    }

    private long roomHere(Lane lane, OpenBatches batches) {
        long room = Integer.MAX_VALUE;
        for (Limit limit : rules.all())
            if (limit.eachNode() && limit.covers(lane))
                room = Math.min(room, limit.most() - batches.running(limit::covers));
        return room;
    }

    private BatchStore.Claimed claimShared(
            JobSession session, BatchStore store, Lane lane, long here, int most, ScanBounds from, OpenBatches batches)
            throws SQLException {
        Connection connection = session.connection();
        BatchStore.Claimed claimed = NOTHING;
        long room = 0;
        connection.setAutoCommit(false);
        try {
            if (!locked(session, lane.queue())) {
                contended = true;
                return NOTHING;
            }
            room = room(session, lane);
            if (room > 0 && here > 0) claimed = claim(store, lane, Math.min(room, here), most, from, batches);
            connection.commit();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        if (room <= 0) full.add(lane.queue());
        if (freed.contains(lane) && room > width(claimed))
            session.update(ROOM_LEFT, (Object) new String[] {lane.queue()});
        freed.remove(lane);
        return claimed;
    }

    private static int width(BatchStore.Claimed claimed) {
        if (claimed.batches().isEmpty()) return 0;
        BatchWidth width = claimed.batches().get(0).width();
        return width == null ? claimed.jobs() : Math.min(width.most(), claimed.jobs());
    }

    private static boolean locked(JobSession session, String queue) throws SQLException {
        try (ResultSet row = session.query(LOCK, queue)) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static long room(JobSession session, Lane lane) throws SQLException {
        try (ResultSet row = session.query(ROOM, lane.queue(), lane.kind())) {
            row.next();
            long room = row.getLong(1);
            return row.wasNull() ? Integer.MAX_VALUE : room;
        }
    }

    /** A part of that batch is about to be written down as ended: others may wait for its room. */
    void freed(ClaimedBatch batch) {
        if (isShared(batch.lane())) freed.add(batch.lane());
    }

    /** The same of the whole batch; returns whether its lane has a limit. */
    boolean ended(ClaimedBatch batch) {
        if (!has(batch.lane())) return false;
        freed(batch);
        ahead.ended(batch);
        return true;
    }

    /** Notifies nodes that wait for room of room that this node does not take itself. */
    void tell(JobSession session) throws SQLException {
        if (freed.isEmpty()) return;
        List<Lane> lanes = List.copyOf(freed);
        session.update(
                ROOM_LEFT, (Object) lanes.stream().map(Lane::queue).distinct().toArray(String[]::new));
        lanes.forEach(freed::remove);
    }

    /** Whether, since {@link #lookAgain}, another node was taking when this one wanted to: it comes again in a moment. */
    boolean isContended() {
        return contended;
    }

    /** Looks are taken anew: forgets which queues had no room. */
    void lookAgain() {
        full.clear();
        contended = false;
    }

    /**
     * Says that this node waits for room in those queues that had none since {@link #lookAgain}; it has to look once more
     * after that. Returns them, to be given to {@link #waitNoMore}.
     */
    String[] waitForRoom(JobSession session) throws SQLException {
        String[] queues = full.stream().sorted().toArray(String[]::new);
        if (queues.length > 0) session.update(WAIT, (Object) queues);
        return queues;
    }

    void waitNoMore(JobSession session, String[] queues) throws SQLException {
        if (queues.length > 0) session.update(WAIT_NO_MORE, (Object) queues);
    }

    /** @throws IllegalArgumentException if nothing could ever run */
    public static int check(int most) {
        if (most < 1) throw new IllegalArgumentException("a limit of " + most + ": it has to be 1 or more");
        return most;
    }
}
