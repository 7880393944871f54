package dev.howdah.task.internal.leader;

import java.sql.SQLException;
import java.time.Duration;

/**
 * A session that holds schedulers' locks, as a standby sees it.
 *
 * <p>The server frees the locks of a program that dies. A program that is stopped or frozen keeps them, and so does one
 * whose network is cut where neither end can notice. Such a session waits for a client that says nothing. So when the
 * holder's session has waited for a while, the standby rings, and a living holder answers with a
 * statement. If it does not, its session is ended before the lease is over, and with it all that it could still write.
 * A session at work, be it for hours, is never silent. All times are the server's.
 */
final class LeaderProbe {
    /** Of the lease: the silence after which to ring, and the time to answer. The rest is for looking once in a while. */
    static final double RING = 0.3;

    private static final double ANSWER = 0.4;

    /** The means against a silent session. */
    interface Remedies {
        void ring(int pid) throws SQLException;

        /** @return whether it was ended */
        boolean end(LockHolder holder, double silent) throws SQLException;
    }

    private final double lease;
    private final Remedies remedies;
    private String state = "";
    private double waitsSince;
    private double rungAt;

    LeaderProbe(Duration lease, Remedies remedies) {
        this.lease = lease.toMillis() / 1000.0;
        this.remedies = remedies;
    }

    /** Rings where it is silent, ends it where that did not help; says whether it was ended. */
    boolean seen(LockHolder holder) throws SQLException {
        if (holder.state() == null || !holder.waits()) {
            state = "";
            return false;
        }
        if (!state.equals(holder.state())) {
            waitsSince = holder.now();
            rungAt = 0;
        }
        state = holder.state();
        // What is sending its rows has begun long ago; that its client does not take them is known since we have seen
        // it.
        double silent = Math.max(holder.silent(), holder.now() - waitsSince);
        if (rungAt == 0 && (holder.rung() || silent >= lease * RING)) {
            if (!holder.rung()) remedies.ring(holder.pid());
            rungAt = holder.now();
        } else if (rungAt > 0 && holder.now() - rungAt >= lease * ANSWER) {
            return remedies.end(holder, silent);
        }
        return false;
    }
}
