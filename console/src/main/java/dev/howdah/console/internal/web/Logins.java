package dev.howdah.console.internal.web;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keys that open the console once, and the sessions that browsers get for them. Both are kept in memory, and end with the program. Safe
 * for use by many threads.
 */
final class Logins {
    private static final long KEY_NANOS = Duration.ofMinutes(10).toNanos();
    private static final long IDLE_NANOS = Duration.ofHours(8).toNanos();
    private static final long LONGEST_NANOS = Duration.ofHours(24).toNanos();
    private static final int MOST = 1_000;

    private static final class Session {
        private final long begun;
        private long seen;

        Session(long begun) {
            this.begun = begun;
            this.seen = begun;
        }
    }

    private final LongSupplier clock;
    private final Map<String, Long> keys = new LinkedHashMap<>();
    private final Map<String, Session> sessions = new LinkedHashMap<>();

    /** @param clock nanoseconds */
    Logins(LongSupplier clock) {
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

    /** The id of a new session; null if there is no such key, or it was used. */
    synchronized @Nullable String open(@Nullable String key) {
        long now = clock.getAsLong();
        Long made = key == null ? null : keys.remove(key);
        if (made == null || now - made > KEY_NANOS) return null;
        sessions.values().removeIf(each -> isOver(each, now));
        if (sessions.size() >= MOST)
            sessions.remove(sessions.keySet().iterator().next());
        String id = Secret.random();
        sessions.put(id, new Session(now));
        return id;
    }

    /** Returns whether it is a session that has not ended. */
    synchronized boolean isOpen(@Nullable String id) {
        Session session = id == null ? null : sessions.get(id);
        if (session == null) return false;
        long now = clock.getAsLong();
        if (isOver(session, now)) {
            sessions.remove(id);
            return false;
        }
        session.seen = now;
        return true;
    }

    private static boolean isOver(Session session, long now) {
        return now - session.seen > IDLE_NANOS || now - session.begun > LONGEST_NANOS;
    }

    /** Ends a session. */
    synchronized void close(@Nullable String id) {
        sessions.remove(String.valueOf(id));
    }
}
