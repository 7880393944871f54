package dev.howdah.job.internal.insert;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Callers that add a job each at the same time share one transaction: while one commits the others gather, and one of them
 * writes for all. Each returns when its job is durable. Safe for use by many threads.
 */
public final class GroupCommit {
    /** So many write at a time: callers that commit together share what waiting for the disk costs. */
    public static final int WRITERS = 4;

    /** Among many callers this many: more would only share the same jobs among more statements. */
    private static final int WRITERS_OF_MANY = 2;

    private static final int MANY = 16;

    private static final int MOST = 1_000;

    /** A caller whose job is to be written, and which may be asked to write the jobs of all callers. */
    private static final class Caller extends PendingInsert {
        private final Thread thread = Thread.currentThread();
        private volatile boolean done;
        private volatile boolean writes;

        Caller(InsertRow insertRow) {
            super(insertRow);
        }
    }

    private final GroupWriter writer;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Caller> gathered = new ArrayList<>();
    private final AtomicInteger callers = new AtomicInteger();
    private int writers;

    /** @param most so many sessions are used at most */
    GroupCommit(GroupWriter writer, int most) {
        this.writer = writer;
        this.most = most;
    }

    /** Adds a job; returns its id when that is durable. Being interrupted changes nothing. */
    long add(InsertRow insertRow) throws SQLException {
        callers.incrementAndGet();
        try {
            return gather(insertRow);
        } finally {
            callers.decrementAndGet();
        }
    }

    private long gather(InsertRow insertRow) throws SQLException {
        Caller me = new Caller(insertRow);
        lock.lock();
        try {
            gathered.add(me);
            me.writes = writers < mostWriters();
            if (me.writes) writers++;
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (true) {
            if (me.writes) {
                List<Caller> group = me.done ? List.of() : group();
                writer.write(group);
                for (Caller each : group) each.done = true;
                // The next one writes while these are woken.
                handOver(me);
                for (Caller each : group) if (each != me) LockSupport.unpark(each.thread);
            } else if (me.done) {
                break;
            } else {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        SQLException failure = me.failure();
        if (failure != null) throw new SQLException(failure.getMessage(), failure.getSQLState(), failure);
        return me.id();
    }

    private int mostWriters() {
        return Math.min(most, callers.get() > MANY ? WRITERS_OF_MANY : WRITERS);
    }

    private List<Caller> group() {
        lock.lock();
        try {
            int size = Math.min(gathered.size(), MOST);
            List<Caller> group = new ArrayList<>(gathered.subList(0, size));
            gathered.subList(0, size).clear();
            return group;
        } finally {
            lock.unlock();
        }
    }

    /** Another caller writes next, if one waits. */
    private void handOver(Caller me) {
        lock.lock();
        try {
            me.writes = false;
            if (gathered.isEmpty() || writers > mostWriters()) {
                writers--;
                return;
            }
            Caller next = gathered.get(0);
            if (next.writes) {
                writers--;
                return;
            }
            next.writes = true;
            LockSupport.unpark(next.thread);
        } finally {
            lock.unlock();
        }
    }
}
