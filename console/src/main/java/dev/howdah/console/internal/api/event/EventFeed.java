package dev.howdah.console.internal.api.event;

import dev.howdah.console.internal.api.operation.ItemJson;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.internal.run.Threads;
import dev.howdah.operations.read.Installed;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads for the log of events while there are streams: single tasks, jobs and processes often, the whole state seldom. Safe for use by many threads. */
final class EventFeed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EventFeed.class);

    private static final long TICK_MILLIS = 40;
    private static final long STATE_MILLIS = 250;

    /** Reading the state costs up to five statements a second, whatever there is to read. */
    private static final long NANOS_A_STATEMENT = TimeUnit.MILLISECONDS.toNanos(200);

    /** The state is read again after this time, also if nothing was written: waits come to their ends by themselves. */
    private static final long ANYWAY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Between two looks at single tasks, jobs and processes passes so many times what a look takes. */
    private static final int REST = 1;

    private final Supplier<String> snapshot;
    private final StateReader reader;
    private final ChangeReader changes;
    private final EventLog events;
    private final Runnable read;
    private final ScheduledExecutorService clock = Threads.clock("howdah-http-events", 2);
    private List<ScheduledFuture<?>> ticks = List.of();
    private volatile @Nullable Installed installed;
    private volatile boolean known;
    private volatile boolean stale = true;
    private volatile boolean failing;

    /** Of the thread that reads the state. */
    private long readAt;

    /** Of the thread that looks for changes. */
    private String seen = "";

    private String told = "";
    private long tellFrom;

    /**
     * @param snapshot a text that changes when something is written
     * @param read called after each look
     */
    EventFeed(ConsoleData data, ItemJson items, Supplier<String> snapshot, EventLog events, Runnable read) {
        this.snapshot = snapshot;
        this.reader = new StateReader(data, items);
        this.changes = new ChangeReader(data, items);
        this.events = events;
        this.read = read;
    }

    /** Begins to read, if that has not begun. */
    synchronized void begin() {
        if (!ticks.isEmpty()) return;
        stale = true;
        ticks = List.of(
                clock.scheduleWithFixedDelay(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS),
                clock.scheduleWithFixedDelay(() -> guarded(this::readState), 0, STATE_MILLIS, TimeUnit.MILLISECONDS));
    }

    /** Reads no more until it begins again. */
    synchronized void rest() {
        ticks.forEach(each -> each.cancel(false));
        ticks = List.of();
        installed = null;
        known = false;
    }

    /** Whether streams can begin: the state is known, or that it cannot be read. */
    boolean isKnown() {
        return known || failing;
    }

    private void tick() {
        guarded(this::look);
        read.run();
    }

    private void guarded(Runnable reading) {
        try {
            reading.run();
            if (!failing) return;
            failing = false;
            events.become(StateReader.databaseKey(), StateReader.database(true));
        } catch (RuntimeException e) {
            if (!failing) log.warn("the database cannot be read for streams of events: {}", e.getMessage());
            failing = true;
            events.become(StateReader.databaseKey(), StateReader.database(false));
        }
    }

    private void look() {
        String now = snapshot.get();
        if (!now.equals(seen)) stale = true;
        seen = now;
        Installed there = installed;
        long begin = System.nanoTime();
        // The state comes first: what happens after it is told, and nothing in between is left out.
        if (there == null || known && (now.equals(told) || begin < tellFrom)) return;
        if (!known) changes.pause();
        told = now;
        changes.read(there).forEach(events::tell);
        known = true;
        long end = System.nanoTime();
        tellFrom = end + REST * (end - begin);
    }

    private void readState() {
        long waited = System.nanoTime() - readAt;
        boolean due = stale && waited >= NANOS_A_STATEMENT * reader.statements() || waited >= ANYWAY_NANOS;
        if (installed != null && !due) return;
        stale = false;
        readAt = System.nanoTime();
        Installed there = reader.installed();
        events.become(reader.read(there));
        installed = there;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
