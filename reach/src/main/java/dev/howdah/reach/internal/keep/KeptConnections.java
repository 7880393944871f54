package dev.howdah.reach.internal.keep;

import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Connections of tasks that have ended, kept for the next task with the same {@linkplain ConnectionUse use}. One task at a time has a
 * connection. A kept one is asked whether it still works before it is given to a task, at which time nothing of the task was sent; with
 * one that does not all of its use are closed, and a new one is opened. Safe for use by many threads.
 *
 * @param <C> a connection
 */
public final class KeptConnections<C> implements AutoCloseable {
    private static final int MOST_OF_A_USE = 20;

    /** Opens a connection. */
    public interface Opener<C> {
        /** @param onStop takes what closes the connection when the task is to stop */
        C open(Consumer<Runnable> onStop) throws ReachFailure, IOException, InterruptedException;
    }

    private record Kept<C>(ConnectionUse use, C connection) {}

    private final Duration idle;
    private final int most;
    private final Predicate<C> works;
    private final Consumer<C> closer;
    private final List<Kept<C>> kept = new ArrayList<>();
    private final ScheduledExecutorService clock;
    private boolean closed;

    /**
     * @param idle how long a connection is kept that no task uses
     * @param most how many are kept, of which 20 may be of one use
     * @param works asks the other side whether a connection can still be used; may wait for some seconds
     * @param closer closes one without waiting
     */
    public KeptConnections(String name, Duration idle, int most, Predicate<C> works, Consumer<C> closer) {
        this.idle = idle;
        this.most = most;
        this.works = works;
        this.closer = closer;
        this.clock = Threads.clock("howdah-" + name + "-clock", 1);
    }

    /** A connection for one task. */
    public final class Lease implements AutoCloseable {
        private final ConnectionUse use;
        private final List<Runnable> stops = new ArrayList<>();
        private @Nullable C connection;
        private boolean keeps;
        private boolean stopped;
        private boolean over;

        private Lease(ConnectionUse use) {
            this.use = use;
        }

        /** The connection. */
        public C connection() {
            C now = connection;
            if (now == null) throw new IllegalStateException("the connection is not open yet");
            return now;
        }

        /** The task has ended so that the connection can be used again. */
        public void keep() {
            keeps = true;
        }

        private void onStop(Runnable action) {
            boolean now;
            synchronized (this) {
                now = stopped;
                if (!now) stops.add(action);
            }
            if (now) action.run();
        }

        /** Without effect when the lease is over, since another task may have the connection. */
        private void stop() {
            List<Runnable> all;
            synchronized (this) {
                if (over || stopped) return;
                stopped = true;
                all = List.copyOf(stops);
            }
            all.forEach(Runnable::run);
        }

        @Override
        public void close() {
            boolean keep;
            synchronized (this) {
                over = true;
                keep = keeps && !stopped;
            }
            C now = connection;
            if (now == null) return;
            if (keep) KeptConnections.this.keep(new Kept<>(use, now));
            else closer.accept(now);
        }
    }

    /** A connection for that use: a kept one that works, else a new one. */
    public Lease lease(ConnectionUse use, Call call, Opener<C> opener)
            throws ReachFailure, IOException, InterruptedException {
        Lease lease = new Lease(use);
        call.cancellation().onCancel(lease::stop);
        C found = take(use);
        if (found != null) {
            lease.onStop(() -> closer.accept(found));
            if (works.test(found)) {
                lease.connection = found;
                return lease;
            }
            closer.accept(found);
            takeAll(use).forEach(closer);
            if (call.cancellation().isCancelled()) throw new InterruptedException();
        }
        lease.connection = opener.open(lease::onStop);
        return lease;
    }

    /** The one that was used last. */
    private synchronized @Nullable C take(ConnectionUse use) {
        for (int i = kept.size() - 1; i >= 0; i--)
            if (kept.get(i).use().equals(use)) return kept.remove(i).connection();
        return null;
    }

    private synchronized List<C> takeAll(ConnectionUse use) {
        List<C> all = new ArrayList<>();
        for (C next = take(use); next != null; next = take(use)) all.add(next);
        return all;
    }

    private void keep(Kept<C> now) {
        C out = now.connection();
        synchronized (this) {
            if (!closed) {
                out = null;
                boolean manyOfIt = kept.stream()
                                .filter(each -> each.use().equals(now.use()))
                                .count()
                        >= MOST_OF_A_USE;
                if (manyOfIt) out = oldest(now.use());
                else if (kept.size() >= most) out = kept.remove(0).connection();
                kept.add(now);
                clock.schedule(() -> endIdle(now), idle.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
        if (out != null) closer.accept(out);
    }

    private @Nullable C oldest(ConnectionUse use) {
        for (int i = 0; i < kept.size(); i++)
            if (kept.get(i).use().equals(use)) return kept.remove(i).connection();
        return null;
    }

    private void endIdle(Kept<C> old) {
        boolean found = false;
        synchronized (this) {
            // The same connection has another entry when it was used meanwhile.
            for (int i = 0; i < kept.size() && !found; i++)
                if (kept.get(i) == old) {
                    kept.remove(i);
                    found = true;
                }
        }
        if (found) closer.accept(old.connection());
    }

    /** Closes those that no task uses; what runs closes its own. */
    @Override
    public void close() {
        List<Kept<C>> all;
        synchronized (this) {
            closed = true;
            clock.shutdownNow();
            all = List.copyOf(kept);
            kept.clear();
        }
        all.forEach(each -> closer.accept(each.connection()));
    }
}
