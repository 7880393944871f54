package dev.howdah.console.internal.bulk;

import dev.howdah.internal.run.Threads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes in the background, one after the other. How far they are is written to the database every two seconds, so that they are
 * known after a restart; they end with the program, and what they have done stays. Where the role may not have the table, they are kept
 * in memory alone. Safe for use by many threads.
 */
public final class BulkRuns implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BulkRuns.class);
    private static final int KEPT = 50;
    private static final int WAITING = 10;
    private static final long SAVE_SECONDS = 2;
    private static final long LAST_SECONDS = 3;

    /** Ids of changes that are in memory only: no other ones are as large. */
    private static final long UNSAVED = 1L << 52;

    private final @Nullable BulkStore store;
    private final Map<Long, BulkRun> runs = new LinkedHashMap<>();
    private final AtomicLong ids = new AtomicLong(UNSAVED);
    private final AtomicLong endings = new AtomicLong();
    private final ExecutorService executor = Executors.newSingleThreadExecutor(Threads.platform("howdah-console-bulk"));
    private final ScheduledExecutorService saver = Threads.clock("howdah-console-bulk-saver", 1);

    private BulkRuns(@Nullable BulkStore store) {
        this.store = store;
    }

    /** Keeps them in the database too. */
    public static BulkRuns in(DataSource source, String schema) {
        return new BulkRuns(new BulkStore(source, schema));
    }

    /** Keeps them in memory alone. */
    static BulkRuns inMemory() {
        return new BulkRuns(null);
    }

    /**
     * Begins a change.
     *
     * @param expected how many there are; null: too many to be counted
     * @return null if too many changes wait already
     */
    public @Nullable BulkRun start(String title, String back, @Nullable Long expected, BulkRun.Work work) {
        BulkRun run;
        synchronized (this) {
            if (active().size() >= WAITING) return null;
            run = new BulkRun(id(title, back, expected), title, back, expected);
            if (runs.size() >= KEPT) runs.remove(runs.keySet().iterator().next());
            runs.put(run.status().id(), run);
            if (active().size() == 1) saver.schedule(this::saveActive, SAVE_SECONDS, TimeUnit.SECONDS);
        }
        executor.execute(() -> run(run, work));
        return run;
    }

    private long id(String title, String back, @Nullable Long expected) {
        if (store != null) {
            try {
                return store.add(title, back, expected);
            } catch (RuntimeException e) {
                log.warn("a change of many is not known after a restart: {}", e.getMessage());
            }
        }
        return ids.incrementAndGet();
    }

    private void run(BulkRun run, BulkRun.Work work) {
        try {
            if (run.begin()) work.run(run);
            run.end(null);
        } catch (RuntimeException | Error e) {
            log.warn("a change of many has ended early: {}", run.status().title(), e);
            Threads.survived(e);
            run.end(String.valueOf(e.getMessage()));
        }
        save(run);
        endings.incrementAndGet();
        run.tell();
    }

    private synchronized List<BulkRun> active() {
        return runs.values().stream()
                .filter(each -> each.status().ended() == null)
                .toList();
    }

    private void saveActive() {
        List<BulkRun> all = active();
        all.forEach(this::save);
        if (!all.isEmpty()) saver.schedule(this::saveActive, SAVE_SECONDS, TimeUnit.SECONDS);
    }

    private void save(BulkRun run) {
        if (store == null || run.status().id() > UNSAVED) return;
        try {
            if (store.save(run.status())) run.stop();
        } catch (RuntimeException e) {
            // It is tried again while the change runs; it goes on without.
            log.debug("how far a change of many is could not be written", e);
        }
    }

    /** The newest first. */
    public List<BulkRun.Status> list() {
        Map<Long, BulkRun.Status> all = new LinkedHashMap<>();
        synchronized (this) {
            for (BulkRun each : runs.values()) all.put(each.status().id(), each.status());
        }
        if (store != null) for (BulkRun.Status each : store.list(null, KEPT)) all.putIfAbsent(each.id(), each);
        List<BulkRun.Status> ordered = new ArrayList<>(all.values());
        ordered.sort((one, other) -> other.created().compareTo(one.created()));
        return ordered.subList(0, Math.min(KEPT, ordered.size()));
    }

    /** How far a change is; null: there is none with that id. */
    public BulkRun.@Nullable Status find(long id) {
        BulkRun run = mine(id);
        if (run != null) return run.status();
        if (store == null) return null;
        return store.list(id, 1).stream().findFirst().orElse(null);
    }

    private synchronized @Nullable BulkRun mine(long id) {
        return runs.get(id);
    }

    /** Stops a change after its present step; that of another console when it writes how far it is. */
    public void stop(long id) {
        BulkRun run = mine(id);
        if (run != null) run.stop();
        else if (store != null) store.stop(id);
    }

    /** A number that is another one when a change has ended. */
    public long ended() {
        return endings.get();
    }

    @Override
    public void close() {
        synchronized (this) {
            runs.values().forEach(BulkRun::stop);
        }
        saver.shutdownNow();
        executor.shutdown();
        try {
            // The present step ends, and is written down.
            if (!executor.awaitTermination(LAST_SECONDS, TimeUnit.SECONDS)) executor.shutdownNow();
        } catch (InterruptedException e) {
            executor.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
