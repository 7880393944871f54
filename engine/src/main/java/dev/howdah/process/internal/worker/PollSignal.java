package dev.howdah.process.internal.worker;

import dev.howdah.process.internal.step.NamespaceSlots;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Wakes the poller of due processes: at once, or when a timer is due. Safe for use by many threads. */
public final class PollSignal {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private boolean rung;
    private boolean planned;
    private long at;
    private volatile boolean wantsRoom;

    public void ring() {
        lock.lock();
        try {
            rung = true;
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** In so many milliseconds at the latest. */
    void ringIn(long millis) {
        long when = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.min(Math.max(millis, 0), 86_400_000));
        lock.lock();
        try {
            if (planned && at - when <= 0) return;
            planned = true;
            at = when;
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** There are processes that wait for room. */
    void wantsRoom(boolean yes) {
        wantsRoom = yes;
    }

    /** There is room for one more. */
    void roomFor(NamespaceSlots served) {
        if (wantsRoom && served.free() > 0) ring();
    }

    /** Waits until it rings, at most so long. */
    void await(long millis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lock();
        try {
            while (!rung) {
                long wake = planned && at - until < 0 ? at : until;
                long left = wake - System.nanoTime();
                if (left <= 0) break;
                news.awaitNanos(left);
            }
            rung = false;
            if (planned && at - System.nanoTime() <= 0) planned = false;
        } finally {
            lock.unlock();
        }
    }
}
