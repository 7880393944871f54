package dev.howdah.console.internal.api.event;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.internal.run.Threads;
import dev.howdah.operations.read.Installed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All streams, and what feeds them. Safe for use by many threads. */
public final class EventStreams implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EventStreams.class);

    /** How many streams there are at most, and of one caller. */
    static final int MOST = 100;

    static final int MOST_OF_A_CALLER = 20;

    /** A client that goes before its stream is added keeps its place for so long. */
    private static final long PLACE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long TICK_MILLIS = 250;

    /** Reading costs up to five statements a second, whatever there is to read. */
    private static final long NANOS_A_STATEMENT = TimeUnit.MILLISECONDS.toNanos(200);

    /** The state is read again after this time, also if nothing was written: waits come to their ends by themselves. */
    private static final long ANYWAY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Supplier<String> snapshot;
    private final StateReader reader;
    private final ChangeReader changes;
    private final EventLog events =
            new EventLog(UUID.randomUUID().toString().replace("-", "").substring(0, 12));
    private final List<StateStream> streams = new CopyOnWriteArrayList<>();

    private record Place(String caller, long since) {}

    /** For streams that are about to be added; guarded by this. */
    private final List<Place> reserved = new ArrayList<>();

    private final ScheduledExecutorService ticker = Threads.clock("howdah-http-events", 1);
    private final ExecutorService writers = Executors.newCachedThreadPool(Threads.platform("howdah-http-event-stream"));
    private @Nullable ScheduledFuture<?> ticks;
    private volatile boolean known;
    private String seen = "";
    private boolean stale = true;
    private boolean failing;
    private long readAt;

    /** @param snapshot a text that changes when something is written */
    public EventStreams(ConsoleData data, Supplier<String> snapshot, AccessSettings access) {
        this.snapshot = snapshot;
        this.reader = new StateReader(data, access);
        this.changes = new ChangeReader(data);
    }

    EventLog events() {
        return events;
    }

    /**
     * Keeps a place for a stream that is added then.
     *
     * @throws ApiProblemException if there are too many
     */
    synchronized void reserve(String caller) {
        long now = System.nanoTime();
        reserved.removeIf(each -> now - each.since() > PLACE_NANOS);
        if (streams.size() + reserved.size() >= MOST)
            throw new ApiProblemException(503, "unavailable", MOST + " streams of events are open already");
        long own = streams.stream().filter(each -> each.caller().equals(caller)).count()
                + reserved.stream().filter(each -> each.caller().equals(caller)).count();
        if (own >= MOST_OF_A_CALLER)
            throw new ApiProblemException(
                    503, "unavailable", caller + " has " + MOST_OF_A_CALLER + " streams of events open already");
        reserved.add(new Place(caller, now));
    }

    /** Adds a stream, which begins when the state is known. */
    synchronized void add(StateStream stream) {
        reserved.stream()
                .filter(each -> each.caller().equals(stream.caller()))
                .findFirst()
                .ifPresent(reserved::remove);
        streams.add(stream);
        if (ticks == null) {
            stale = true;
            ticks = ticker.scheduleWithFixedDelay(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    synchronized void remove(StateStream stream) {
        streams.remove(stream);
        if (!streams.isEmpty() || ticks == null) return;
        ticks.cancel(false);
        ticks = null;
        known = false;
    }

    private void tick() {
        try {
            look();
            if (failing) {
                failing = false;
                events.become(StateReader.databaseKey(), StateReader.database(true));
            }
        } catch (RuntimeException e) {
            if (!failing) {
                failing = true;
                log.warn("the database cannot be read for streams of events: {}", e.getMessage());
            }
            events.become(StateReader.databaseKey(), StateReader.database(false));
        }
        write();
    }

    private void look() {
        String now = snapshot.get();
        if (!now.equals(seen)) stale = true;
        seen = now;
        long waited = System.nanoTime() - readAt;
        boolean due = stale && waited >= NANOS_A_STATEMENT * reader.statements() || waited >= ANYWAY_NANOS;
        if (known && !due) return;
        stale = false;
        readAt = System.nanoTime();
        if (!known) changes.pause();
        Installed installed = reader.installed();
        Map<EventLog.Key, StateEvent> state = reader.read(installed);
        List<StateEvent> found = changes.read(installed.jobs());
        events.become(state);
        found.forEach(events::tell);
        known = true;
    }

    private void write() {
        long now = System.nanoTime();
        for (StateStream each : streams) {
            try {
                if (each.isOver(now)) {
                    remove(each);
                    each.end();
                } else if ((known || failing) && each.hasWork(now)) {
                    writers.execute(each::write);
                }
            } catch (RejectedExecutionException e) {
                return; // this server ends
            } catch (RuntimeException e) {
                // Of one stream: the others go on.
                log.debug("a stream of events has ended", e);
                remove(each);
            }
        }
    }

    /** How many streams there are. */
    public int size() {
        return streams.size();
    }

    @Override
    public void close() {
        ticker.shutdownNow();
        streams.forEach(StateStream::end);
        writers.shutdownNow();
    }
}
