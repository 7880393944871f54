package dev.howdah.console.internal.api.event;

import dev.howdah.console.internal.api.ApiJson;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The stream of one client: a number, and the way to the client. Safe for use by many threads. */
final class StateStream {
    /** A client that takes nothing for so long is let go. */
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** So often something is sent, so that a connection without events is none that is lost. */
    private static final long COMMENT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** So often it is asked whether its caller may still read. */
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int AT_A_TIME = 1_000;

    /**
     * What a client gets.
     *
     * @param id that the client sends back to go on behind it; null: none
     */
    record Message(String type, String data, @Nullable String id) {}

    /** The way to a client. */
    interface Wire {
        /** Sends events; blocks while the client takes nothing. */
        void send(List<Message> messages);

        /** Sends a line that clients skip. */
        void comment();

        boolean isClosed();

        void close();
    }

    private final String caller;
    private final BooleanSupplier mayRead;
    private final EventLog log;
    private final Wire wire;
    private final @Nullable String id;
    private final EventFilter filter;
    private boolean begun;
    private long number;
    /** The number that the client knows; of the thread that writes. */
    private long told;

    private boolean writing;
    private long writingSince;
    private long sentAt;
    private long checkedAt;

    /**
     * @param caller of whom there are some streams at most
     * @param mayRead whether the caller may still read
     * @param id of the event that the client has got last; null: none
     * @param filter which events the client wants
     */
    StateStream(
            String caller,
            BooleanSupplier mayRead,
            EventLog log,
            @Nullable String id,
            EventFilter filter,
            Wire wire,
            long now) {
        this.caller = caller;
        this.mayRead = mayRead;
        this.log = log;
        this.wire = wire;
        this.id = id;
        this.filter = filter;
        this.sentAt = now;
        this.checkedAt = now;
    }

    String caller() {
        return caller;
    }

    EventFilter filter() {
        return filter;
    }

    /** Whether there is something to send, and nothing is being sent. */
    synchronized boolean hasWork(long now) {
        return !writing && (!begun || log.last() > number || isQuiet(now));
    }

    private synchronized boolean isQuiet(long now) {
        return now - sentAt >= COMMENT_NANOS;
    }

    /** Whether the client is gone, takes nothing, or may not read any more. */
    boolean isOver(long now) {
        synchronized (this) {
            if (wire.isClosed() || writing && now - writingSince > STUCK_NANOS) return true;
            if (now - checkedAt < CHECK_NANOS) return false;
            checkedAt = now;
        }
        return !mayRead.getAsBoolean();
    }

    /** Sends what there is. */
    void write() {
        boolean first;
        boolean sent = false;
        long reached;
        synchronized (this) {
            if (writing) return;
            writing = true;
            writingSince = System.nanoTime();
            first = !begun;
            begun = true;
            reached = number;
        }
        List<Message> messages = new ArrayList<>();
        try {
            if (first) {
                EventLog.Start start = log.begin(id);
                reached = start.number();
                begin(start, messages);
            }
            List<EventLog.Numbered> events = log.after(reached, AT_A_TIME);
            if (events == null) {
                // It was too slow, or too much has happened at once.
                EventLog.Start again = log.begin(log.id(reached));
                reached = again.number();
                begin(again, messages);
            } else {
                for (EventLog.Numbered each : events) {
                    reached = each.number();
                    if (filter.lets(each.event()))
                        messages.add(
                                new Message(each.event().type(), each.event().data(), log.id(reached)));
                }
            }
            if (!messages.isEmpty()) {
                wire.send(messages);
                told = reached;
            } else if (isQuiet(System.nanoTime())) {
                // Else the id that the client has would grow old while no event is for it.
                if (reached > told) wire.send(List.of(new Message("passed", "{}", log.id(reached))));
                else wire.comment();
                told = reached;
            } else return;
            sent = true;
        } finally {
            synchronized (this) {
                number = reached;
                writing = false;
                if (sent) sentAt = System.nanoTime();
            }
        }
    }

    /** The whole state, if the client does not go on where it was. */
    private void begin(EventLog.Start whole, List<Message> to) {
        if (whole.reset() == null) return;
        to.add(new Message("reset", ApiJson.text(ApiJson.object().put("reason", whole.reset())), null));
        // Without ids: a client that gets a part of the state only begins anew.
        for (StateEvent each : whole.state())
            if (filter.lets(each)) to.add(new Message(each.type(), each.data(), null));
        to.add(new Message("ready", "{}", log.id(whole.number())));
    }

    void end() {
        wire.close();
    }
}
