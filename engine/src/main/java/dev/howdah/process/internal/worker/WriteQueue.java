package dev.howdah.process.internal.worker;

import dev.howdah.process.internal.request.PendingRequest;
import dev.howdah.process.internal.step.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The queue of writes: steps that have ended, and requests. Safe for use by many threads. */
public final class WriteQueue {
    private static final int MOST = 500;
    private static final long HEAVIEST = 8_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final ArrayDeque<Step> ended = new ArrayDeque<>();
    private final ArrayDeque<PendingRequest> entries = new ArrayDeque<>();

    /** Steps and requests that are written together. */
    record Batch(List<Step> ended, List<PendingRequest> entries) {}

    void put(Step step) {
        lock.lock();
        try {
            ended.add(step);
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    public void put(PendingRequest entry) {
        lock.lock();
        try {
            entries.add(entry);
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** All writers look again. */
    void wakeAll() {
        lock.lock();
        try {
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public boolean isEmpty() {
        lock.lock();
        try {
            return ended.isEmpty() && entries.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** What there is, after waiting for it for so long at most. */
    Batch take(long millis) throws InterruptedException {
        lock.lock();
        try {
            if (ended.isEmpty() && entries.isEmpty()) news.await(millis, TimeUnit.MILLISECONDS);
            Batch batch = new Batch(takeEnded(), takeEntries());
            if (!ended.isEmpty() || !entries.isEmpty()) news.signal();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private List<Step> takeEnded() {
        List<Step> taken = new ArrayList<>(Math.min(ended.size(), MOST));
        long weight = 0;
        while (!ended.isEmpty() && taken.size() < MOST && weight < HEAVIEST) {
            Step step = ended.remove();
            weight += step.outcome().weight();
            taken.add(step);
        }
        return taken;
    }

    /** One for each process: the others keep their order. */
    private List<PendingRequest> takeEntries() {
        if (entries.isEmpty()) return List.of();
        List<PendingRequest> taken = new ArrayList<>();
        Set<String> targets = new HashSet<>();
        long weight = 0;
        int looked = 0;
        for (Iterator<PendingRequest> each = entries.iterator();
                each.hasNext() && taken.size() < MOST && weight < HEAVIEST && looked < 2 * MOST;
                looked++) {
            PendingRequest entry = each.next();
            if (!targets.add(entry.target())) continue;
            weight += entry.weight();
            taken.add(entry);
            each.remove();
        }
        return taken;
    }
}
