package dev.howdah.reach.internal.jdbc;

import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.call.Call;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The processes of drivers. One that has ended a run is kept for the next of the same database and owner, and of no other: what SQL of an
 * owner has done in it concerns him alone. Safe for use by many threads.
 */
final class DriverProcesses implements AutoCloseable {
    private static final long KEPT_SECONDS = 60;

    /** What two runs in the same process have in common. */
    private record Use(NamedDatabases.Database database, String owner, List<List<String>> drivers) {}

    private record Kept(Use use, DriverProcess process) {}

    /** A process for one run. */
    final class Lease implements AutoCloseable {
        private final Use use;
        final DriverProcess process;
        private boolean clean;
        private boolean stopped;
        private boolean over;

        private Lease(Use use, DriverProcess process) {
            this.use = use;
            this.process = process;
        }

        /** The run has ended as it should. */
        void clean() {
            clean = true;
        }

        /** The run is to stop; without effect when it is over, since the process may have another one. */
        private synchronized void stop() {
            if (over) return;
            stopped = true;
            process.stop();
        }

        @Override
        public void close() {
            boolean keep;
            synchronized (this) {
                over = true;
                keep = clean && !stopped;
            }
            release(use, process, keep);
        }
    }

    private final List<Kept> kept = new ArrayList<>();
    private final Map<String, Integer> used = new HashMap<>();
    private final ScheduledExecutorService clock;
    private boolean closed;

    DriverProcesses() {
        this.clock = Threads.clock("howdah-jdbc-clock", 1);
    }

    /** A process for a run, once the database has room for one. */
    Lease lease(Call call, NamedDatabases.Database database, List<List<String>> drivers)
            throws IOException, InterruptedException {
        Use use = new Use(database, call.task().owner(), drivers);
        call.cancellation().onCancel(this::wake);
        DriverProcess found;
        synchronized (this) {
            while (used.getOrDefault(database.name(), 0) >= database.concurrency()) {
                if (call.cancellation().isCancelled()) throw new InterruptedException();
                wait();
            }
            used.merge(database.name(), 1, Integer::sum);
            found = take(use);
        }
        try {
            if (found == null) found = DriverProcess.start(database, drivers);
            Lease lease = new Lease(use, found);
            call.cancellation().onCancel(lease::stop);
            return lease;
        } catch (IOException | RuntimeException e) {
            release(use, null, false);
            throw e;
        }
    }

    private synchronized void wake() {
        notifyAll();
    }

    /** A kept one; another's makes room for a new one. */
    private @Nullable DriverProcess take(Use use) {
        for (int i = kept.size() - 1; i >= 0; i--) {
            Kept each = kept.get(i);
            if (!each.use().equals(use)) continue;
            kept.remove(i);
            if (each.process().isAlive()) return each.process();
        }
        String name = use.database().name();
        long others = kept.stream()
                .filter(each -> each.use().database().name().equals(name))
                .count();
        if (others + used.getOrDefault(name, 0) > use.database().concurrency()) {
            for (Kept each : kept) {
                if (!each.use().database().name().equals(name)) continue;
                kept.remove(each);
                each.process().endNow();
                break;
            }
        }
        return null;
    }

    private void release(Use use, @Nullable DriverProcess process, boolean clean) {
        if (process != null && !clean) process.endNow();
        synchronized (this) {
            used.merge(use.database().name(), -1, Integer::sum);
            notifyAll();
            if (process == null || !clean) return;
            if (closed) {
                process.end();
                return;
            }
            Kept now = new Kept(use, process);
            kept.add(now);
            clock.schedule(() -> endIdle(now), KEPT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private synchronized void endIdle(Kept old) {
        // The same process has another entry when it was used meanwhile.
        for (Kept each : kept)
            if (each == old) {
                kept.remove(each);
                each.process().end();
                return;
            }
    }

    @Override
    public synchronized void close() {
        closed = true;
        clock.shutdownNow();
        kept.forEach(each -> each.process().end());
        kept.clear();
    }
}
