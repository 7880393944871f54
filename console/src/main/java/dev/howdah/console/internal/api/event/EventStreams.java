package dev.howdah.console.internal.api.event;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.operation.ItemJson;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.internal.run.Threads;
import dev.howdah.operations.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All streams, and what feeds them. Safe for use by many threads. */
public final class EventStreams implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EventStreams.class);

    /** How many streams there are at most, and of one caller. */
    static final int MOST = 1_000;

    static final int MOST_OF_A_CALLER = 100;

    /** A client that goes before its stream is added keeps its place for so long. */
    private static final long PLACE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** So many clients can keep a thread waiting that writes to them. */
    private static final int WRITERS = 200;

    private final EventLog events =
            new EventLog(UUID.randomUUID().toString().replace("-", "").substring(0, 12));
    private final List<StateStream> streams = new CopyOnWriteArrayList<>();

    private record Place(String caller, long since) {}

    /** For streams that are about to be added; guarded by this. */
    private final List<Place> reserved = new ArrayList<>();

    private final EventFeed feed;
    private final ExecutorService writers = new ThreadPoolExecutor(
            0, WRITERS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), Threads.platform("howdah-http-event-stream"));
    private final ChannelListener channels;

    /**
     * @param listening where the session comes from that listens to channels of the user
     * @param snapshot a text that changes when something is written
     */
    public EventStreams(ConsoleData data, DataSource listening, Supplier<String> snapshot, AccessSettings access) {
        ApiMask mask = new ApiMask(access);
        ItemJson items = new ItemJson(mask, Role.VIEWER);
        this.feed = new EventFeed(data, items, snapshot, events, this::write);
        this.channels = new ChannelListener(listening, access.channels(), mask, events::tell);
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
        if (!stream.filter().channels().isEmpty()) channels.listen();
        feed.begin();
    }

    synchronized void remove(StateStream stream) {
        streams.remove(stream);
        if (streams.stream().allMatch(each -> each.filter().channels().isEmpty())) channels.rest();
        if (streams.isEmpty()) feed.rest();
    }

    private void write() {
        long now = System.nanoTime();
        for (StateStream each : streams) {
            try {
                if (each.isOver(now)) {
                    remove(each);
                    each.end();
                } else if (feed.isKnown() && each.hasWork(now)) {
                    writers.execute(() -> write(each));
                }
            } catch (RejectedExecutionException e) {
                return; // this server ends, or all threads wait for clients: those that take nothing are let go
            } catch (RuntimeException e) {
                // Of one stream: the others go on.
                log.debug("a stream of events has ended", e);
                remove(each);
            }
        }
    }

    private void write(StateStream stream) {
        try {
            stream.write();
        } catch (RuntimeException e) {
            // Closed while it was being written to, for example: the others go on.
            log.debug("a stream of events has ended", e);
            remove(stream);
        }
    }

    /** How many streams there are. */
    public int size() {
        return streams.size();
    }

    @Override
    public void close() {
        feed.close();
        channels.close();
        streams.forEach(StateStream::end);
        writers.shutdownNow();
    }
}
