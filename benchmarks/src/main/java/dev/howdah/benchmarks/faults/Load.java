package dev.howdah.benchmarks.faults;

import dev.howdah.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Keeps adding tasks of many kinds while few wait; goes on when the server is back. */
final class Load implements AutoCloseable {
    private static final int MOST_WAITING = 60;
    private static final int BATCH = 20;
    private static final long PAUSE_NANOS = 50_000_000;
    private static final int CHAINS = 5;

    private static final String INSERT =
            "INSERT INTO public.task (\"group\", max, live, count, active, timeout, repeat,"
                    + " remote, data, input, plan) VALUES (?, ?, ?::interval, ?, ?::interval, ?::interval, ?::interval, ?, ?, ?, statement_timestamp() + ?::interval)"
                    + " RETURNING id";
    private static final String INSERT_ONCE =
            INSERT.replace("plan)", "plan, once)").replace("interval) RET", "interval, true) RET");

    /** A task to be added; what is not said is as usual. */
    private record Kind(
            String label,
            String group,
            int max,
            String live,
            int count,
            String active,
            String timeout,
            String repeat,
            @Nullable String remote,
            boolean once,
            String input) {
        static Kind of(String label, String group, int max, String input) {
            return new Kind(label, group, max, "0", 0, "1 hour", "0", "0", null, false, input);
        }

        Kind kept(String howLong, int howMany) {
            return new Kind(label, group, max, howLong, howMany, active, timeout, repeat, remote, once, input);
        }

        Kind active(String until) {
            return new Kind(label, group, max, live, count, until, timeout, repeat, remote, once, input);
        }

        Kind timeout(String most) {
            return new Kind(label, group, max, live, count, active, most, repeat, remote, once, input);
        }

        Kind repeat(String every) {
            return new Kind(label, group, max, live, count, active, timeout, every, remote, once, input);
        }

        Kind at(String server) {
            return new Kind(label, group, max, live, count, active, timeout, repeat, server, once, input);
        }

        Kind exactlyOnce() {
            return new Kind(label, group, max, live, count, active, timeout, repeat, remote, true, input);
        }
    }

    private final Random random;
    private final String remote;
    private final boolean once;
    private final Asker asker;
    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    private final Thread thread = new Thread(this::run, "load");
    private volatile boolean ending;

    /**
     * @param remote the address that remote tasks get
     * @param once whether the table has the column of that name
     */
    Load(Database database, String remote, boolean once, long seed) {
        this.random = new Random(seed);
        this.remote = remote;
        this.once = once;
        this.asker = new Asker(database);
    }

    void start() {
        thread.start();
    }

    Set<Long> acknowledged() {
        return acknowledged;
    }

    private void run() {
        int chains = 0;
        while (!ending) {
            try {
                if (chains < CHAINS) {
                    Kind chain = Kind.of("repeat " + chains, "repeat " + chains, 0, call(0.01))
                            .repeat(chains % 2 == 0 ? "300 ms" : "1 s");
                    chains++; // one that was not acknowledged may be there all the same: its number is not used again
                    add(List.of(chain));
                } else if (Integer.parseInt(asker.value("waiting")) < MOST_WAITING) {
                    List<Kind> batch = new ArrayList<>();
                    for (int i = 0; i < BATCH; i++) batch.add(any());
                    add(batch);
                }
            } catch (SQLException e) {
                asker.close(); // the server is away or full: later
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static String call(double seconds) {
        return "CALL fault.work(" + seconds + ")";
    }

    private static String text(double seconds, String inner, String after) {
        return "BEGIN; SELECT fault.begins(); COMMIT; " + inner + "SELECT pg_sleep(" + seconds
                + "); BEGIN; SELECT fault.ends(); COMMIT; SELECT fault.leaves(); " + after;
    }

    private Kind any() {
        double brief = random.nextInt(30) / 1000.0;
        int which = random.nextInt(100);
        int n = random.nextInt(4);
        if (which < 20) return Kind.of("plain", "plain " + n, n, call(brief));
        if (which < 35) return Kind.of("text", "text " + n, n, text(brief, "", ""));
        if (which < 45) return Kind.of("kept", "kept", 1, call(brief)).kept("1 hour", 1000);
        if (which < 50)
            return Kind.of("kept", "counted", 0, text(brief, "", "")).kept("0", 10);
        if (which < 60) return Kind.of("remote", "remote " + n, n, call(brief)).at(remote);
        if (which < 63)
            return Kind.of("remote", "remote kept", 0, call(brief)).at(remote).kept("0", 20);
        if (which < 67) return Kind.of("fails", "fails", 1, "CALL fault.work(" + brief + ", true)");
        if (which < 69) return Kind.of("long", "long", 2, call(0.5 + random.nextInt(1500) / 1000.0));
        if (which < 73) return Kind.of("adds", "adds", 1, adds(brief));
        if (which < 75)
            return Kind.of("timeout", "timeout", 1, "SELECT pg_sleep(60)").timeout("50 ms");
        if (which < 77) return Kind.of("expires", "expires", 0, call(0.05)).active("200 ms");
        if (which < 80) return Kind.of("pause", "pause", -50, call(0.01));
        if (which < 84) return Kind.of("unlocks", "unlocks", 1, text(brief, "SELECT pg_advisory_unlock_all(); ", ""));
        if (which < 88) return Kind.of("leaves", "leaves", 1, text(brief, "", leftBehind(n)));
        if (which < 90) return Kind.of("later", "later", 3, call(brief));
        if (!once) return Kind.of("plain", "plain " + n, n, call(brief));
        if (which < 97)
            return Kind.of("once", "once " + n, n, "SELECT fault.once(" + brief + ")")
                    .exactlyOnce();
        return Kind.of("once fails", "once fails", 1, "SELECT fault.once(" + brief + "); SELECT 1 / 0")
                .exactlyOnce();
    }

    private static String adds(double seconds) {
        return "BEGIN; SELECT fault.begins(); COMMIT; SELECT pg_sleep(" + seconds + "); BEGIN; SELECT fault.ends();"
                + " INSERT INTO public.task (\"group\", max, data, input) VALUES ('added', 3, 'added', 'CALL fault.work(0)');"
                + " COMMIT; SELECT fault.leaves()";
    }

    private static String leftBehind(int n) {
        return switch (n) {
            case 0 -> "SET ROLE pg_monitor";
            case 1 -> "SET SESSION AUTHORIZATION pg_monitor";
            case 2 -> "SET default_transaction_read_only = on";
            default -> "SET search_path = nowhere; BEGIN";
        };
    }

    /** All of them or, should the server go away, perhaps none: only what it has confirmed counts as acknowledged. */
    private void add(List<Kind> kinds) throws SQLException {
        List<Long> ids = new ArrayList<>();
        asker.connection().setAutoCommit(false);
        for (Kind kind : kinds) {
            try (PreparedStatement insert = asker.connection().prepareStatement(kind.once() ? INSERT_ONCE : INSERT)) {
                insert.setString(1, kind.group());
                insert.setInt(2, kind.max());
                insert.setString(3, kind.live());
                insert.setInt(4, kind.count());
                insert.setString(5, kind.active());
                insert.setString(6, kind.timeout());
                insert.setString(7, kind.repeat());
                insert.setString(8, kind.remote());
                insert.setString(9, kind.label());
                insert.setString(10, kind.input());
                insert.setString(11, kind.label().equals("later") ? "700 ms" : "0");
                try (ResultSet row = insert.executeQuery()) {
                    row.next();
                    ids.add(row.getLong(1));
                }
            }
        }
        asker.connection().commit();
        acknowledged.addAll(ids);
        asker.connection().setAutoCommit(true);
    }

    /** Adds no more. */
    @Override
    public void close() throws InterruptedException {
        ending = true;
        thread.join();
        asker.close();
    }
}
