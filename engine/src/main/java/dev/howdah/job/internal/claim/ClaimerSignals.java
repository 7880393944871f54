package dev.howdah.job.internal.claim;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The signals that waiting claimers of a node go on for. A signal that comes while no claimer waits is kept for the next one that does. Safe
 * for use by many threads.
 */
public final class ClaimerSignals {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Condition help = lock.newCondition();
    private volatile boolean nudged;
    private volatile boolean helpWanted;
    private volatile boolean asleep;

    /** The first claimer goes on. */
    public void nudge() {
        if (nudged) return;
        lock.lock();
        try {
            nudged = true;
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** The workers would like more jobs: nothing that a node which sleeps could do about, as it is rung for each. */
    void hungry() {
        if (!asleep) nudge();
    }

    /** The node sleeps from now on, or it does not. */
    void asleep(boolean now) {
        asleep = now;
    }

    /** There was no nudge: the first claimer sees to all that there has been one for. */
    void forget() {
        nudged = false;
    }

    /** Another claimer goes on, because there is more than one can do. */
    void callForHelp() {
        if (helpWanted) return;
        lock.lock();
        try {
            helpWanted = true;
            help.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a nudge, at most so long; says whether there was one. */
    boolean await(long nanos) throws InterruptedException {
        lock.lock();
        try {
            if (!nudged && nanos > 0) news.await(nanos, TimeUnit.NANOSECONDS);
            boolean told = nudged;
            nudged = false;
            return told;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a call for help, at most so long. */
    void awaitCall(long nanos) throws InterruptedException {
        lock.lock();
        try {
            if (!helpWanted && nanos > 0) help.await(nanos, TimeUnit.NANOSECONDS);
            helpWanted = false;
        } finally {
            lock.unlock();
        }
    }

    /** All claimers go on, because the node is over. */
    void over() {
        nudge();
        callForHelp();
    }
}
