package dev.howdah.internal.connection;

import dev.howdah.internal.run.Threads;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A thread of the library's own in which one connection is asked for, used and given back. No transaction is bound to it, so that a data source
 * which looks at the thread neither enlists the connection in a transaction of a caller nor refuses it. Safe for use by many threads.
 */
final class HomeThread {
    private static final ExecutorService THREADS = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            work -> Threads.apart("howdah-connect", work));

    private static final Runnable END = () -> {};

    private final BlockingQueue<Runnable> calls = new LinkedBlockingQueue<>();
    private boolean ended;

    private HomeThread() {}

    /** What is done in the thread. */
    interface Call<T> {
        @Nullable
        T run() throws Throwable;
    }

    static HomeThread start() {
        HomeThread home = new HomeThread();
        THREADS.execute(home::work);
        return home;
    }

    private void work() {
        while (true) {
            try {
                Runnable next = calls.take();
                if (next == END) return;
                next.run();
            } catch (InterruptedException e) {
                // What a data source does with its thread ends nothing here.
            }
        }
    }

    /** Does something after all that was asked for before. */
    <T> CompletableFuture<T> submit(Call<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable work = () -> {
            try {
                result.complete(call.run());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        };
        if (!put(work)) result.completeExceptionally(new SQLException("this connection has been closed", "08003"));
        return result;
    }

    private synchronized boolean put(Runnable work) {
        return !ended && calls.add(work);
    }

    /** Waits for what the thread does, whatever interrupts the caller: a connection that is left in the middle is lost to the pool. */
    <T> @Nullable T call(Call<T> call) throws Throwable {
        CompletableFuture<T> result = submit(call);
        boolean interrupted = false;
        while (true) {
            try {
                return result.get();
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                throw failure(e);
            } finally {
                if (interrupted && result.isDone()) Thread.currentThread().interrupt();
            }
        }
    }

    /** What was thrown in the thread, with the frames of the caller below its own. */
    static Throwable failure(ExecutionException e) {
        Throwable cause = e.getCause();
        if (cause == null) return e;
        StackTraceElement[] here = new Throwable().getStackTrace();
        cause.setStackTrace(Stream.concat(Arrays.stream(cause.getStackTrace()), Arrays.stream(here))
                .toArray(StackTraceElement[]::new));
        return cause;
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    /** Lets the thread go after what it does. */
    synchronized void end() {
        if (ended) return;
        ended = true;
        calls.add(END);
    }
}
