package dev.howdah.internal.node;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Lets a node find claims that the database has and the node does not know: the session of the claim was lost before the answer
 * came. A claim holds the shared lock from before its statement until the node has recorded what the statement returned; the
 * comparison of the two sides runs under the exclusive lock. Safe for use by many threads.
 */
public final class ClaimFence {
    private static final long PATIENCE_MILLIS = 50;

    private final ReentrantReadWriteLock claims = new ReentrantReadWriteLock();
    private volatile boolean suspicious;

    /** Gives back what the database has as claims of this node and the node does not know. */
    public interface Comparison {
        void run() throws SQLException;
    }

    /** Held while a claim is under way, until the node knows what it has brought. */
    public Lock claiming() {
        return claims.readLock();
    }

    /** Notes that there may be claims that the node does not know: a session was lost, or a write was refused. */
    public void suspect() {
        suspicious = true;
    }

    /** Returns whether {@link #suspect} was called since this was last asked. */
    public boolean isSuspicious() {
        boolean was = suspicious;
        suspicious = false;
        return was;
    }

    /** Compares, after the claims that are under way. */
    public void compare(Comparison comparison) throws SQLException {
        claims.writeLock().lock();
        try {
            comparison.run();
        } finally {
            claims.writeLock().unlock();
        }
    }

    /**
     * Compares, unless claims are under way for more than a moment.
     *
     * @return whether the comparison has run
     */
    public boolean tryCompare(Comparison comparison) throws SQLException, InterruptedException {
        if (!claims.writeLock().tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) return false;
        try {
            comparison.run();
            return true;
        } finally {
            claims.writeLock().unlock();
        }
    }

    /** Waits for the claims that are under way: when it returns the node knows what they have brought. */
    public void awaitClaims() {
        claims.writeLock().lock();
        claims.writeLock().unlock();
    }
}
