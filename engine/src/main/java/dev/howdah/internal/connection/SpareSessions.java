package dev.howdah.internal.connection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sessions between two transactions, the one that was used last first. There are never more than were in use at the same
 * time. Safe for use by many threads.
 */
final class SpareSessions {
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Settings of the role and the database reach new sessions only. */
    private static final long OLDEST_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final Deque<TransactionSession> spare = new ArrayDeque<>();
    private boolean closed;

    synchronized @Nullable TransactionSession take() {
        TransactionSession session = spare.pollFirst();
        if (session != null) session.reuse();
        return session;
    }

    /** False if it is not to be kept. */
    synchronized boolean put(TransactionSession session) {
        if (closed || System.nanoTime() - session.opened() > OLDEST_NANOS) return false;
        spare.addFirst(session);
        return true;
    }

    void closeIdle() {
        long now = System.nanoTime();
        List<TransactionSession> idle = new ArrayList<>();
        synchronized (this) {
            while (!spare.isEmpty() && now - spare.getLast().returned() > IDLE_NANOS) idle.add(spare.removeLast());
        }
        idle.forEach(TransactionSession::end);
    }

    void closeAll() {
        List<TransactionSession> all;
        synchronized (this) {
            all = List.copyOf(spare);
            spare.clear();
        }
        all.forEach(TransactionSession::end);
    }

    /** Keeps none from now on. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        closeAll();
    }
}
