package dev.howdah.task.internal.quota;

import dev.howdah.Database;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The limit of sessions for tasks, in each database and in all. Tables share it: a table that finds no
 * place waits in turn and is told when there is one; a table with more than its share gives places up as they become free;
 * idle sessions are closed when a table waits. Safe for use by many threads, and cheap while no table waits.
 */
public final class SessionQuota {
    /** How long a table without any session lets another one go on with its only one. */
    private static final long TURN_NANOS = Duration.ofMillis(100).toNanos();

    private final int perDatabase;
    private final int inAll;
    private final int spares;
    private final Map<Database, Integer> used = new HashMap<>();
    private final Set<Share> shares = new LinkedHashSet<>();
    private final Set<Share> waiting = new LinkedHashSet<>();

    /** The tables that keep an idle session, the one that used it last at the end. */
    private final Set<Share> keeping = new LinkedHashSet<>();

    private int all;
    private int yielding;
    private volatile boolean contended;

    /** @param spares most tables that keep a session ready while they have nothing to do */
    SessionQuota(int perDatabase, int inAll, int spares) {
        this.perDatabase = perDatabase;
        this.inAll = inAll;
        this.spares = spares;
    }

    /** Most sessions that there may ever be in one database. */
    public int most() {
        return Math.min(perDatabase, inAll);
    }

    /** The listener of a table to its quota; called while others wait, so it has to return at once. */
    public interface Holder {
        /** A place has become free, and it is this one's turn. */
        void granted(Place place);

        /** Others want the idle sessions. */
        void reclaim();
    }

    public synchronized Share join(Database database, Holder holder) {
        Share share = new Share(database, holder);
        shares.add(share);
        return share;
    }

    private int used(Database database) {
        return used.getOrDefault(database, 0);
    }

    private boolean hasRoom(Database database) {
        return all < inAll && used(database) < perDatabase;
    }

    /** The first in turn for which there is a place now. */
    private @Nullable Share next() {
        for (Share each : waiting) if (hasRoom(each.database)) return each;
        return null;
    }

    /** Returns whether a place that this database gives up would help a table that waits. */
    private boolean helps(Database database, Share waiter) {
        boolean room = used(waiter.database) < perDatabase;
        return database.equals(waiter.database) || (room && all >= inAll);
    }

    /** The part of one table. */
    public final class Share implements AutoCloseable {
        private final Database database;
        private final Holder holder;
        private int held;
        private long waitingSince;
        private volatile boolean idle;
        private volatile boolean keeps;
        private boolean closed;

        private Share(Database database, Holder holder) {
            this.database = database;
            this.holder = holder;
        }

        /** A place for one more session; null if there is none now: then one is {@linkplain Holder#granted granted}. */
        @Nullable
        public Place take() {
            synchronized (SessionQuota.this) {
                if (SessionQuota.this.hasRoom(database)) return taken(); // no table that could use it waits
                if (waiting.add(this)) waitingSince = System.nanoTime();
                contended = true;
                for (Share each : shares) if (each.idle && helps(each.database, this)) each.holder.reclaim();
                return null;
            }
        }

        /** A place for a session that is not needed yet; null unless there is room for it. */
        @Nullable
        public Place takeSpare() {
            synchronized (SessionQuota.this) {
                return SessionQuota.this.hasRoom(database) && waiting.isEmpty() && keep(false) ? taken() : null;
            }
        }

        private Place taken() {
            held++;
            all++;
            used.merge(database, 1, Integer::sum);
            unwait();
            return new Place(this);
        }

        /** Needs no place any more. */
        public void enough() {
            if (!contended) return;
            synchronized (SessionQuota.this) {
                unwait();
            }
        }

        private void unwait() {
            waiting.remove(this);
            contended = !waiting.isEmpty();
        }

        /** Most sessions it may ever have. */
        public int most() {
            return SessionQuota.this.most();
        }

        /** Returns whether there is room for one more, with no table in front. */
        public boolean hasRoom() {
            if (contended) return false;
            synchronized (SessionQuota.this) {
                return SessionQuota.this.hasRoom(database);
            }
        }

        /**
         * Returns whether a session that has become free had better be closed, because a table waits that holds less. A table that is told
         * so closes it.
         */
        public boolean yields() {
            if (!contended) return false;
            synchronized (SessionQuota.this) {
                boolean yields = shouldYield();
                if (yields) yielding++;
                return yields;
            }
        }

        /** Returns whether one that becomes free now would have to be closed. */
        public boolean wouldYield() {
            if (!contended) return false;
            synchronized (SessionQuota.this) {
                return shouldYield();
            }
        }

        private boolean shouldYield() {
            int promised = yielding;
            for (Share each : waiting) {
                if (each == this || !helps(database, each) || promised-- > 0) continue;
                boolean turn = each.held == 0 && (held > 1 || System.nanoTime() - each.waitingSince > TURN_NANOS);
                if (turn || held >= each.held + 2) return true;
            }
            return false;
        }

        /** Returns whether any table waits, this one included. */
        public boolean isContended() {
            return contended;
        }

        /** A table waits: idle sessions are wanted. */
        public boolean isWanted() {
            if (!contended) return false;
            synchronized (SessionQuota.this) {
                for (Share each : waiting) if (each != this && helps(database, each)) return true;
                return false;
            }
        }

        /** Whether there are idle sessions here. */
        public void idle(boolean now) {
            idle = now;
        }

        /** Returns whether this one may keep a session while it has nothing to do: those that used theirs last may. */
        public boolean keep() {
            synchronized (SessionQuota.this) {
                return keep(true);
            }
        }

        private boolean keep(boolean insteadOfAnother) {
            if (closed) return false;
            if (!keeping.remove(this) && keeping.size() >= spares) {
                Iterator<Share> oldest = keeping.iterator();
                if (!insteadOfAnother || !oldest.hasNext()) return false;
                Share other = oldest.next();
                oldest.remove();
                other.keeps = false;
                other.holder.reclaim();
            }
            keeps = true;
            return keeping.add(this);
        }

        /** Returns whether it still may. */
        public boolean keeps() {
            return keeps;
        }

        private void returned() {
            synchronized (SessionQuota.this) {
                if (closed) return;
                held--;
                all--;
                used.merge(database, -1, Integer::sum);
                if (yielding > 0) yielding--;
                grant();
            }
        }

        /** Gives back everything. */
        @Override
        public void close() {
            synchronized (SessionQuota.this) {
                if (closed) return;
                closed = true;
                shares.remove(this);
                keeping.remove(this);
                all -= held;
                used.merge(database, -held, Integer::sum);
                held = 0;
                unwait();
                grant();
            }
        }
    }

    private void grant() {
        for (Share next = next(); next != null; next = next()) next.holder.granted(next.taken());
    }

    /** The right to one session. */
    public static final class Place implements AutoCloseable {
        private final Share share;
        private final AtomicBoolean given = new AtomicBoolean();

        private Place(Share share) {
            this.share = share;
        }

        /** The session is gone; idempotent. */
        @Override
        public void close() {
            if (given.compareAndSet(false, true)) share.returned();
        }
    }
}
