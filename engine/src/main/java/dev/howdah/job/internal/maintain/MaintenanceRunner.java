package dev.howdah.job.internal.maintain;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.internal.store.JobSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the maintenance of a node, its work for all nodes beside running jobs: each task when it is called, and when its time has
 * come. One thread and one session for all of them, opened when there is first something to do. Safe for use by many threads.
 */
final class MaintenanceRunner implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MaintenanceRunner.class);
    private static final long AGAIN_NANOS = 500_000_000;
    private static final long PAUSED_MILLIS = 1_000;
    /** The answer of a task that has nothing planned. */
    static final long WHEN_CALLED = Long.MAX_VALUE;

    /** Work to be done from time to time. Running it when there is nothing to do does no harm. */
    @FunctionalInterface
    interface MaintenanceTask {
        /** Does what there is to do; says in how many milliseconds to come again, or {@link #WHEN_CALLED}. */
        long run(JobSession session) throws SQLException;

        /** It could not be done; it is tried again. */
        default void failed() {}

        /** Returns whether it goes on while everything in the database is paused. */
        default boolean isAlways() {
            return false;
        }
    }

    private static final class Entry {
        private final MaintenanceTask task;
        private boolean planned;
        private long at;

        Entry(MaintenanceTask task) {
            this.task = task;
        }

        void plan(long nanos) {
            if (planned && at - nanos <= 0) return;
            planned = true;
            at = nanos;
        }
    }

    private final ConnectionSource source;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final List<Entry> entries = new ArrayList<>();
    private @Nullable JobSession session;
    private volatile boolean closed;
    private boolean failing;

    MaintenanceRunner(ConnectionSource source, MaintenanceTask... tasks) {
        this.source = source;
        for (MaintenanceTask each : tasks) entries.add(new Entry(each));
    }

    void start() {
        Threads.loop("howdah-job-maintenance", this::work).start();
    }

    /** That task is to be run, at once. */
    void call(MaintenanceTask task) {
        callIn(task, 0);
    }

    /** That task is to be run, in so many milliseconds at the latest. */
    void callIn(MaintenanceTask task, long millis) {
        long at = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.min(millis, TimeUnit.DAYS.toMillis(1)));
        lock.lock();
        try {
            for (Entry each : entries) if (each.task == task) each.plan(at);
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        try {
            while (!closed) run(next());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeSession();
        }
    }

    private Entry next() throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                if (closed) throw new InterruptedException();
                Entry first = null;
                for (Entry each : entries) if (each.planned && (first == null || each.at - first.at < 0)) first = each;
                long left = first == null ? Long.MAX_VALUE : first.at - System.nanoTime();
                if (first != null && left <= 0) {
                    first.planned = false;
                    return first;
                }
                if (first == null) news.await();
                else news.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void run(Entry entry) {
        try {
            JobSession open = session;
            if (open == null) session = open = JobSession.open(source);
            boolean paused = !entry.task.isAlways() && PauseMark.isSet(open.connection());
            long millis = paused ? PAUSED_MILLIS : entry.task.run(open);
            if (millis != WHEN_CALLED) callIn(entry.task, millis);
            failing = false;
        } catch (SQLException | RuntimeException | Error e) {
            if (!closed && !failing) log.warn("it will be tried again: {}", ErrorText.line(e));
            Threads.survived(e);
            failing = true;
            entry.task.failed();
            closeSession();
            callIn(entry.task, TimeUnit.NANOSECONDS.toMillis(AGAIN_NANOS));
        }
    }

    private void closeSession() {
        JobSession open = session;
        session = null;
        if (open != null) open.close();
    }

    /** Runs nothing more. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
