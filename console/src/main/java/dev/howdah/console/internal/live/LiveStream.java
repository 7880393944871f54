package dev.howdah.console.internal.live;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The stream of one browser. What is to be sent waits in a box with one entry for each part: a later one replaces it, so a slow
 * browser costs no memory. Safe for use by many threads.
 */
public final class LiveStream {
    /** A browser that takes nothing for so long is let go. */
    private static final long STUCK_NANOS = 10_000_000_000L;

    /** The way to a browser. */
    public interface Wire {
        /** Sends an event; blocks while the browser takes nothing. */
        void send(String event, String data);

        /** Sends a line that browsers skip. */
        void comment();

        boolean isClosed();

        void close();
    }

    private final String session;
    private final String address;
    private final Wire wire;
    private final Map<String, String> sent = new HashMap<>();
    private final Map<String, String> box = new LinkedHashMap<>();
    private boolean writing;
    private boolean commentDue;
    private long writingSince;
    private long lastSent = System.nanoTime();

    /** @param session of the browser; empty: it has none */
    public LiveStream(String session, String address, Wire wire) {
        this.session = session;
        this.address = address;
        this.wire = wire;
    }

    /** The page, as that session sees it. */
    LivePages.Key page() {
        return new LivePages.Key(session, address);
    }

    /** Puts the parts that differ from what was sent into the box. */
    synchronized void offer(Map<String, String> parts) {
        parts.forEach((name, html) -> {
            if (!html.equals(sent.put(name, html))) box.put("part-" + name, html);
        });
    }

    /** Puts an event into the box, in the place of one of that name. */
    public synchronized void offer(String event, String data) {
        box.put(event, data);
    }

    synchronized void comment(long now, long after) {
        if (now - lastSent >= after) commentDue = true;
    }

    synchronized boolean hasWork() {
        return !writing && (commentDue || !box.isEmpty());
    }

    synchronized boolean isBroken(long now) {
        return wire.isClosed() || writing && now - writingSince > STUCK_NANOS;
    }

    /** Sends what is in the box. */
    void write() {
        Map<String, String> taken;
        boolean comment;
        synchronized (this) {
            if (writing) return;
            writing = true;
            writingSince = System.nanoTime();
            taken = new LinkedHashMap<>(box);
            box.clear();
            comment = commentDue;
            commentDue = false;
        }
        try {
            taken.forEach(wire::send);
            if (comment && taken.isEmpty()) wire.comment();
        } finally {
            synchronized (this) {
                writing = false;
                lastSent = System.nanoTime();
            }
        }
    }

    void end() {
        wire.close();
    }
}
