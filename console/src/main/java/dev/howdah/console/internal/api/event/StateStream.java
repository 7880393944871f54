package dev.howdah.console.internal.api.event;

import dev.howdah.console.internal.api.ApiJson;
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

    private static final int AT_A_TIME = 100;

    /** The way to a client. */
    interface Wire {
        /** Sends an event; blocks while the client takes nothing. */
        void send(String type, String data, @Nullable String id);

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
    private boolean begun;
    private long number;
    private boolean writing;
    private long writingSince;
    private long sentAt;
    private long checkedAt;

    /**
     * @param caller of whom there are some streams at most
     * @param mayRead whether the caller may still read
     * @param id of the event that the client has got last; null: none
     */
    StateStream(String caller, BooleanSupplier mayRead, EventLog log, @Nullable String id, Wire wire, long now) {
        this.caller = caller;
        this.mayRead = mayRead;
        this.log = log;
        this.wire = wire;
        this.id = id;
        this.sentAt = now;
        this.checkedAt = now;
    }

    String caller() {
        return caller;
    }

    /** Whether there is something to send, and nothing is being sent. */
    synchronized boolean hasWork(long now) {
        return !writing && (!begun || log.last() > number || now - sentAt >= COMMENT_NANOS);
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
        long reached;
        synchronized (this) {
            if (writing) return;
            writing = true;
            writingSince = System.nanoTime();
            first = !begun;
            begun = true;
            reached = number;
        }
        try {
            boolean sent = false;
            if (first) {
                EventLog.Start start = log.begin(id);
                reached = start.number();
                sent = begin(start);
            }
            List<EventLog.Numbered> events = log.after(reached, AT_A_TIME);
            if (events == null) {
                // It was too slow, or too much has happened at once.
                EventLog.Start again = log.begin(log.id(reached));
                reached = again.number();
                sent = begin(again);
            } else {
                for (EventLog.Numbered each : events) {
                    wire.send(each.event().type(), each.event().data(), log.id(each.number()));
                    reached = each.number();
                    sent = true;
                }
            }
            if (!sent) wire.comment();
        } finally {
            synchronized (this) {
                number = reached;
                writing = false;
                sentAt = System.nanoTime();
            }
        }
    }

    /** Sends the whole state, if the client does not go on where it was. */
    private boolean begin(EventLog.Start whole) {
        if (whole.reset() == null) return false;
        wire.send("reset", ApiJson.text(ApiJson.object().put("reason", whole.reset())), null);
        // Without ids: a client that gets a part of the state only begins anew.
        for (StateEvent each : whole.state()) wire.send(each.type(), each.data(), null);
        wire.send("ready", "{}", log.id(whole.number()));
        return true;
    }

    void end() {
        wire.close();
    }
}
