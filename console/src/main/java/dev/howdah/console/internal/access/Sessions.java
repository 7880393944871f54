package dev.howdah.console.internal.access;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keys that open the console once, and the sessions of browsers. Both are kept in memory, and end with the program. Safe for use by
 * many threads.
 */
final class Sessions {
    private static final long KEY_NANOS = Duration.ofMinutes(10).toNanos();
    private static final long IDLE_NANOS = Duration.ofHours(8).toNanos();
    private static final long LONGEST_NANOS = Duration.ofHours(24).toNanos();
    private static final int MOST = 1_000;

    private static final class Session {
        private final long number;
        private final Identity identity;
        private final String address;
        private final String origin;
        private final long begun;
        private long seen;

        Session(long number, Identity identity, String address, String origin, long begun) {
            this.number = number;
            this.identity = identity;
            this.address = address;
            this.origin = origin;
            this.begun = begun;
            this.seen = begun;
        }
    }

    private final LongSupplier clock;
    private final Map<String, Long> keys = new LinkedHashMap<>();
    private final Map<String, Session> sessions = new LinkedHashMap<>();
    private long opened;

    /** @param clock nanoseconds */
    Sessions(LongSupplier clock) {
        this.clock = clock;
    }

    /** A new key, which opens one session within ten minutes. */
    synchronized String key() {
        long now = clock.getAsLong();
        keys.values().removeIf(made -> now - made > KEY_NANOS);
        if (keys.size() >= MOST) keys.remove(keys.keySet().iterator().next());
        String key = Secret.random();
        keys.put(key, now);
        return key;
    }

    /** Uses a key up; false: there is no such key, or it was used. */
    synchronized boolean take(@Nullable String key) {
        Long made = key == null ? null : keys.remove(key);
        return made != null && clock.getAsLong() - made <= KEY_NANOS;
    }

    /**
     * The id of a new session.
     *
     * @param origin at which the browser finds the console
     */
    synchronized String open(Identity identity, String address, String origin) {
        long now = clock.getAsLong();
        sessions.values().removeIf(each -> isOver(each, now));
        if (sessions.size() >= MOST)
            sessions.remove(sessions.keySet().iterator().next());
        String id = Secret.random();
        sessions.put(id, new Session(++opened, identity, address, origin, now));
        return id;
    }

    /** The identity of a session that has not ended, which is used now at the origin of its login; null: there is no such session. */
    synchronized @Nullable Identity use(@Nullable String id, String origin) {
        Identity identity = find(id);
        Session session = sessions.get(String.valueOf(id));
        if (identity == null || session == null || !session.origin.equals(origin)) return null;
        session.seen = clock.getAsLong();
        return identity;
    }

    /** As {@link #use}, but it counts as no use: for pages that are looked at without anything being asked for. */
    synchronized @Nullable Identity find(@Nullable String id) {
        Session session = id == null ? null : sessions.get(id);
        if (session == null) return null;
        if (isOver(session, clock.getAsLong())) {
            sessions.remove(id);
            return null;
        }
        return session.identity;
    }

    /** Those that have not ended, the latest first. */
    synchronized List<BrowserSession> list() {
        long now = clock.getAsLong();
        Instant time = Instant.now();
        sessions.values().removeIf(each -> isOver(each, now));
        List<BrowserSession> list = new ArrayList<>();
        for (Session each : sessions.values())
            list.add(new BrowserSession(
                    each.number,
                    each.identity.name(),
                    each.identity.role(),
                    each.address,
                    time.minusNanos(now - each.begun),
                    time.minusNanos(now - each.seen)));
        Collections.reverse(list);
        return list;
    }

    /** Ends the session of that number, which it returns; null: there is none. */
    synchronized @Nullable BrowserSession end(long number) {
        for (BrowserSession each : list())
            if (each.number() == number) {
                sessions.values().removeIf(session -> session.number == number);
                return each;
            }
        return null;
    }

    private static boolean isOver(Session session, long now) {
        return now - session.seen > IDLE_NANOS || now - session.begun > LONGEST_NANOS;
    }

    /** Ends a session. */
    synchronized void close(@Nullable String id) {
        sessions.remove(String.valueOf(id));
    }
}
