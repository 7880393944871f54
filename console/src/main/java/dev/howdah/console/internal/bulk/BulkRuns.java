package dev.howdah.console.internal.bulk;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes in the background, one after the other. They are kept in memory: they end with the program, and what they have done
 * stays. Safe for use by many threads.
 */
public final class BulkRuns implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BulkRuns.class);
    private static final int KEPT = 50;
    private static final int WAITING = 10;

    private final Map<Long, BulkRun> runs = new LinkedHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final AtomicLong endings = new AtomicLong();
    private final ExecutorService executor = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "howdah-console-bulk");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Begins a change.
     *
     * @param expected how many there are; null: too many to be counted
     * @return null if too many changes wait already
     */
    public BulkRun.@Nullable Status start(String title, String back, @Nullable Long expected, BulkRun.Work work) {
        BulkRun run = new BulkRun(ids.incrementAndGet(), title, back, expected);
        synchronized (this) {
            if (list().stream().filter(each -> each.ended() == null).count() >= WAITING) return null;
            if (runs.size() >= KEPT) runs.remove(runs.keySet().iterator().next());
            runs.put(run.status().id(), run);
        }
        executor.execute(() -> run(run, work));
        return run.status();
    }

    private void run(BulkRun run, BulkRun.Work work) {
        try {
            if (run.begin()) work.run(run);
            run.end(null);
        } catch (RuntimeException e) {
            log.warn("a change of many has ended early: {}", run.status().title(), e);
            run.end(String.valueOf(e.getMessage()));
        }
        endings.incrementAndGet();
    }

    /** The newest first. */
    public synchronized List<BulkRun.Status> list() {
        List<BulkRun.Status> all = new ArrayList<>();
        for (BulkRun each : runs.values()) all.add(0, each.status());
        return all;
    }

    synchronized @Nullable BulkRun find(long id) {
        return runs.get(id);
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
        executor.shutdownNow();
    }
}
