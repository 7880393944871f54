package dev.howdah.task;

import dev.howdah.internal.sql.Identifiers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session that holds the scheduler's lock, as a standby sees it.
 *
 * <p>The server frees the lock of a program that dies. A program that is stopped or frozen keeps it, and so does one
 * whose network is cut where neither end can notice. Such a session waits for a client that says nothing. So when the
 * holder's session has waited for a while, the standby rings, and a living holder answers with a
 * statement. If it does not, its session is ended before the lease is over, and with it all that it could still write.
 * A session at work, be it for hours, is never silent. All times are the server's.
 */
final class Incumbent {
    private static final Logger log = LoggerFactory.getLogger(Incumbent.class);

    /** Of the lease: the silence after which to ring, and the time to answer. The rest is for looking once in a while. */
    private static final double RING = 0.3;

    private static final double ANSWER = 0.4;

    /** What {@link #watch} has found. */
    record Seen(String who, boolean ended) {}

    /**
     * @param state when it has last begun to work or to wait; changes with every statement; null if that is hidden
     * @param waits whether it waits for its client
     * @param silent for how many seconds it has been as it is
     * @param now the server's clock, in seconds
     */
    private record Holder(
            int pid,
            String who,
            String role,
            String self,
            @Nullable String state,
            boolean waits,
            double silent,
            double now,
            boolean mayEnd,
            boolean superuser) {}

    private final Books books;
    private final TableName table;
    private final double lease;
    private @Nullable Holder before;
    private double waitsSince;
    private double rungAt;
    private boolean warned;

    Incumbent(Books books, TableName table, Duration lease) {
        this.books = books;
        this.table = table;
        this.lease = lease.toMillis() / 1000.0;
    }

    /** Looks at the holder, rings where it is silent, ends it where that did not help. */
    Seen watch() throws SQLException {
        List<Holder> holders = new ArrayList<>();
        books.message()
                .add("as_login", null, true)
                .add("holder", row -> holders.add(holder(row)), table.quoted())
                .send();
        if (holders.isEmpty()) {
            before = null;
            return new Seen("unknown", false);
        }
        Holder holder = holders.get(0);
        boolean ended = holder.state() != null && holder.waits() ? endIfSilent(holder) : notWaiting(holder);
        return new Seen(holder.who(), ended);
    }

    private boolean notWaiting(Holder holder) {
        before = null;
        if (holder.state() == null) warnOnce(holder);
        return false;
    }

    private boolean endIfSilent(Holder holder) throws SQLException {
        boolean same = before != null
                && before.pid() == holder.pid()
                && String.valueOf(before.state()).equals(holder.state());
        if (!same) {
            waitsSince = holder.now();
            rungAt = 0;
        }
        before = holder;
        // What is sending its rows has begun long ago; that its client does not take them is known since we have seen
        // it.
        double silent = Math.max(holder.silent(), holder.now() - waitsSince);
        if (rungAt == 0 && silent >= lease * RING) {
            books.run("ask_for_pulse", SharedSessions.pulse(holder.pid()));
            rungAt = holder.now();
        } else if (rungAt > 0 && holder.now() - rungAt >= lease * ANSWER) {
            return end(holder, silent);
        }
        return false;
    }

    private boolean end(Holder holder, double silent) throws SQLException {
        if (!holder.mayEnd()) {
            warnOnce(holder);
            return false;
        }
        List<Boolean> answer = new ArrayList<>();
        books.message()
                .add("as_login", null, true)
                .add("end_holder", row -> answer.add(row.getBoolean("ended")), holder.pid(), holder.state())
                .send();
        boolean ended = answer.contains(true);
        if (ended)
            log.warn(
                    "the scheduler of {} in {} has been silent for {} s and did not answer: its session is ended",
                    table,
                    holder.who(),
                    Math.round(silent * 10) / 10.0);
        return ended;
    }

    private void warnOnce(Holder holder) {
        if (warned) return;
        warned = true;
        String remedy = holder.superuser()
                ? "it is a superuser: let both log in as the same role, better one that is no superuser"
                : "GRANT " + Identifiers.quote(holder.role()) + " TO " + Identifiers.quote(holder.self());
        log.warn(
                "role {} could not end the scheduler of {} in {}, role {}, should it freeze: {}",
                holder.self(),
                table,
                holder.who(),
                holder.role(),
                remedy);
    }

    private static Holder holder(ResultSet row) throws SQLException {
        String address = row.getString("address");
        String since = row.getString("since");
        return new Holder(
                row.getInt("pid"),
                "process " + row.getInt("pid")
                        + (address == null ? "" : " at " + address)
                        + (since == null ? "" : " since " + since),
                String.valueOf(row.getString("role")),
                row.getString("self"),
                row.getString("state"),
                row.getBoolean("waits"),
                row.getDouble("silent"),
                row.getDouble("now"),
                row.getBoolean("may_end"),
                row.getBoolean("superuser"));
    }
}
