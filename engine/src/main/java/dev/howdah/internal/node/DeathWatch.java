package dev.howdah.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tells nodes that have died from nodes that have lost their session for a moment. A free lock alone is no proof: a restart of
 * the server, of a pooler, or {@code pg_terminate_backend} frees the locks of nodes that live, and each takes its lock again as
 * soon as it has a new session.
 *
 * <p>A node is dead when its lock was free in two looks that are {@link #CONFIRM_MILLIS} apart, and it has not come back in
 * between: a node that comes back counts that in its row. No node is declared dead for {@link #GRACE_MILLIS} after the server's
 * start, nor after the session of the watching node was opened anew: what ended that session may have ended all others.
 *
 * <p>For one thread at a time.
 */
public final class DeathWatch {
    /** A lock has to be free for so long. */
    public static final int CONFIRM_MILLIS = 2_000;

    /** With so many others a look sees only a part of all nodes, see node.sql. */
    private static final int SEEN = 64;

    private static final int TURN_MILLIS = 2_500;
    /** So many turns follow each other at most before the first one comes again. */
    private static final int TURNS = 8;
    /** In a turn that begins sooner the node has looked just now. */
    private static final int JUST_LOOKED_MILLIS = 1_000;

    /** For so long after the server's start, or after the loss of the own session, no node is declared dead. */
    public static final int GRACE_MILLIS = 5_000;

    private static final Sql GRACE = NodeSql.LOCK.statement("server_age");

    /** A free lock: how often its node had come back, and when it was first seen so. */
    private record Sighting(int returned, long since) {}

    private final LongSupplier nanoTime;
    private final Map<Integer, Sighting> away = new HashMap<>();
    private long quietUntil;

    public DeathWatch() {
        this(System::nanoTime);
    }

    DeathWatch(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.quietUntil = nanoTime.getAsLong();
    }

    /**
     * Looks begin in a new session.
     *
     * @param again whether there was an earlier session, or an earlier node of this program, that was lost
     */
    public void begin(DedicatedSession session, boolean again) throws SQLException {
        try (ResultSet row = session.query(GRACE)) {
            row.next();
            begin(again, row.getLong(1));
        }
    }

    void begin(boolean again, long serverAgeMillis) {
        away.clear();
        // A clock that was set back makes the server look younger than nothing.
        long age = Math.max(serverAgeMillis, 0);
        long grace = again ? GRACE_MILLIS : Math.max(GRACE_MILLIS - age, 0);
        quietUntil = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(grace);
    }

    /**
     * The nodes that are dead.
     *
     * @param free the nodes whose locks are free now, with the number of times that each has come back
     */
    public Set<Integer> dead(Map<Integer, Integer> free) {
        long now = nanoTime.getAsLong();
        away.keySet().retainAll(free.keySet());
        Set<Integer> dead = new HashSet<>();
        free.forEach((node, returned) -> {
            Sighting seen = away.get(node);
            if (seen == null || seen.returned() != returned) away.put(node, new Sighting(returned, now));
            else if (now - quietUntil >= 0 && now - seen.since() >= TimeUnit.MILLISECONDS.toNanos(CONFIRM_MILLIS))
                dead.add(node);
        });
        return dead;
    }

    /**
     * The pause before the next look of a node that has nothing to do, in milliseconds. The nodes look in turns of 2.5 s, at
     * least two of them in each, at different moments: of any node that dies the first one learns as soon as if each looked in each turn.
     *
     * @param node its id
     * @param others how many other nodes there are, one at least
     * @param before how many of these have lower ids
     * @param clockMillis of the database
     */
    static int untilTurn(int node, int others, int before, long clockMillis) {
        int turns = Math.max(1, Math.min((others + 1) / 2, TURNS));
        if (turns == 1) return TURN_MILLIS;
        int place = others < SEEN ? before : Math.floorMod(node, SEEN);
        int inTurn = (others + turns) / turns;
        long cycle = (long) turns * TURN_MILLIS;
        long own = (long) (place % turns) * TURN_MILLIS + (long) (place / turns % inTurn) * TURN_MILLIS / inTurn;
        long left = Math.floorMod(own - clockMillis, cycle);
        return (int) (left < JUST_LOOKED_MILLIS ? left + cycle : left);
    }

    /** The pause before the next look, in milliseconds: shorter while there are nodes that may be dead. */
    public int pause(int otherwise) {
        if (away.isEmpty()) return otherwise;
        long now = nanoTime.getAsLong();
        long next = Long.MAX_VALUE;
        for (Sighting each : away.values()) {
            long confirmed = each.since() + TimeUnit.MILLISECONDS.toNanos(CONFIRM_MILLIS) - now;
            next = Math.min(next, Math.max(confirmed, quietUntil - now));
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(next) + 1;
        return (int) Math.min(Math.max(millis, 1), otherwise);
    }
}
