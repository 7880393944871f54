package dev.howdah.job.internal.insert;

import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.job.AddResult;
import dev.howdah.job.JobsException;
import dev.howdah.job.NewJob;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Adds jobs for callers that do not wait. One thread writes what has gathered while it wrote the last group, so jobs are written in the order in
 * which they came; another thread completes the futures, since what depends on them is code of users. Jobs with a key may have to wait for
 * transactions of others: a few threads write these one by one. Safe for use by many threads.
 */
final class AsyncInserter {
    /** More jobs than these, or characters of payloads, do not wait to be completed: callers wait for room. */
    static final int MOST_JOBS = 10_000;

    private static final long MOST_CHARACTERS = 64_000_000;
    private static final int GROUP = 2_000;
    private static final int GROUP_CHARACTERS = 8_000_000;
    private static final int KEYED_AT_A_TIME = 4;

    /** Adds a job with a key, or says why not. */
    interface KeyedInsert {
        AddResult add(NewJob<?> job, InsertRowFactory.Encoded encoded) throws SQLException;
    }

    private static final class Entry extends PendingInsert {
        private final NewJob<?> job;
        private final InsertRowFactory.Encoded encoded;
        private final CompletableFuture<AddResult> future = new CompletableFuture<>();
        private @Nullable RuntimeException refused;
        private @Nullable AddResult result;

        Entry(NewJob<?> job, InsertRowFactory.Encoded encoded) {
            super(null);
            this.job = job;
            this.encoded = encoded;
        }

        int characters() {
            return encoded.payload().length();
        }
    }

    private final InsertRowFactory rowFactory;
    private final GroupWriter writer;
    private final KeyedInsert keyedInsert;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<Entry> queue = new ArrayDeque<>();
    private final Set<Entry> keyed = ConcurrentHashMap.newKeySet();
    private List<Entry> group = List.of();
    private boolean writing;
    /** Those that are not completed. */
    private int pending;

    private long characters;
    private boolean closed;
    private final ExecutorService writers = threads("howdah-job-add", 1);
    private final ExecutorService keyedWriters = threads("howdah-job-add-key", KEYED_AT_A_TIME);
    private final ExecutorService completer = threads("howdah-job-added", 1);
    private volatile @Nullable Thread completing;

    AsyncInserter(InsertRowFactory rowFactory, GroupWriter writer, KeyedInsert keyedInsert) {
        this.rowFactory = rowFactory;
        this.writer = writer;
        this.keyedInsert = keyedInsert;
    }

    private static ExecutorService threads(String name, int most) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                most, most, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Threads.platform(name));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** The future completes when the job is durable. */
    CompletableFuture<AddResult> add(NewJob<?> job) {
        Entry entry;
        try {
            entry = new Entry(job, rowFactory.encode(job));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        lock.lock();
        try {
            awaitRoom();
            if (closed) return CompletableFuture.failedFuture(closed(job));
            pending++;
            characters += entry.characters();
            if (job.unique() != null) {
                keyed.add(entry);
                keyedWriters.execute(() -> writeKeyed(entry));
                return entry.future;
            }
            queue.add(entry);
            if (!writing) {
                writers.execute(this::write);
                writing = true;
            }
        } catch (RuntimeException | Error e) {
            // Such as no memory for the stack of a thread.
            if (queue.remove(entry) || keyed.remove(entry)) forget(entry);
            return CompletableFuture.failedFuture(e);
        } finally {
            lock.unlock();
        }
        return entry.future;
    }

    private void forget(Entry entry) {
        pending--;
        characters -= entry.characters();
    }

    /** What depends on a future may add: it does not wait, for it would wait for itself. */
    private void awaitRoom() {
        if (Thread.currentThread() == completing) return;
        while (!closed && (pending >= MOST_JOBS || characters >= MOST_CHARACTERS)) changed.awaitUninterruptibly();
    }

    private static JobsException closed(NewJob<?> job) {
        return new JobsException("a job " + job.kind().name() + " could not be added to queue " + job.queue()
                + ": closed, nothing can be added any more");
    }

    private void write() {
        for (List<Entry> next = next(); !next.isEmpty(); next = next()) {
            try {
                writer.write(ready(next));
            } finally {
                complete(next);
            }
        }
    }

    private List<Entry> next() {
        lock.lock();
        try {
            List<Entry> next = new ArrayList<>();
            long size = 0;
            for (Entry each = queue.peek();
                    each != null && next.size() < GROUP && (next.isEmpty() || size < GROUP_CHARACTERS);
                    each = queue.peek()) {
                next.add(queue.remove());
                size += each.characters();
            }
            group = next;
            if (next.isEmpty()) {
                writing = false;
                changed.signalAll();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Those whose queues are known or could be made; the others have their failures. */
    private List<Entry> ready(List<Entry> entries) {
        List<Entry> ready = new ArrayList<>(entries.size());
        SQLException unreachable = null;
        for (Entry each : entries) {
            if (unreachable != null) {
                each.failed(unreachable);
                continue;
            }
            try {
                each.row(rowFactory.of(each.job, each.encoded));
                ready.add(each);
            } catch (SQLException e) {
                each.failed(e);
                // The next one would wait as long for nothing.
                if (SqlErrors.isConnectionLost(e)) unreachable = e;
            } catch (RuntimeException e) {
                each.refused = e;
            }
        }
        return ready;
    }

    private void writeKeyed(Entry entry) {
        try {
            entry.result = keyedInsert.add(entry.job, entry.encoded);
        } catch (SQLException e) {
            entry.failed(e);
        } catch (RuntimeException e) {
            entry.refused = e;
        } catch (Error e) {
            entry.failed(new SQLException("not added: " + e, e));
        }
        complete(List.of(entry));
        keyed.remove(entry);
        signal();
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void complete(List<Entry> entries) {
        try {
            completer.execute(() -> {
                completing = Thread.currentThread();
                try {
                    entries.forEach(AsyncInserter::complete);
                } finally {
                    completing = null;
                    completed(entries);
                }
            });
        } catch (RejectedExecutionException e) {
            // Closed meanwhile: these took too long, and have failed already.
            entries.forEach(AsyncInserter::complete);
        }
    }

    private static void complete(Entry entry) {
        SQLException failure = entry.failure();
        if (entry.refused != null) entry.future.completeExceptionally(entry.refused);
        else if (failure != null) entry.future.completeExceptionally(JobInserter.failed(entry.job, failure));
        else entry.future.complete(entry.result != null ? entry.result : new AddResult(entry.id(), true));
    }

    private void completed(List<Entry> entries) {
        lock.lock();
        try {
            entries.forEach(this::forget);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more, waits so long until those that there are have been written, and fails the others. Each future is completed afterwards. */
    void close(long nanos) {
        long until = System.nanoTime() + nanos;
        List<Entry> late = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            for (long left = nanos; isWriting() && left > 0; left = until - System.nanoTime()) {
                try {
                    changed.awaitNanos(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    break;
                }
            }
            if (isWriting()) {
                late.addAll(group);
                late.addAll(queue);
                late.addAll(keyed);
                queue.clear();
            }
        } finally {
            lock.unlock();
        }
        for (Entry each : late)
            each.future.completeExceptionally(
                    new JobsException("a job " + each.job.kind().name()
                            + " was not added to queue " + each.job.queue()
                            + " before jobs were closed, or it is not known whether it was"));
        writers.shutdown();
        keyedWriters.shutdown();
        completeRest(until);
    }

    private boolean isWriting() {
        return writing || !keyed.isEmpty();
    }

    private void completeRest(long until) {
        if (Thread.currentThread() != completing) {
            completer.shutdown();
            try {
                if (completer.awaitTermination(Math.max(until - System.nanoTime(), 0), TimeUnit.NANOSECONDS)) return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        // A completion blocks that thread, or closes: this one completes the others.
        completer.shutdownNow().forEach(Runnable::run);
    }
}
