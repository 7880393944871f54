package dev.howdah.testkit.internal.crash;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Counts the statements of one run of a program, and ends all its connections at a chosen one. From then on the program can do nothing any
 * more. Safe for use by many threads.
 */
public final class CrashSwitch {
    private final int at;
    private final boolean afterIt;
    private final Thread owner = Thread.currentThread();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Set<Integer> sessions = ConcurrentHashMap.newKeySet();
    private boolean armed;
    private int count;
    private volatile boolean crashed;
    private @Nullable String statement;

    /**
     * @param at the number of the statement, from 1; 0: none
     * @param afterIt whether the server runs that statement
     */
    public CrashSwitch(int at, boolean afterIt) {
        this.at = at;
        this.afterIt = afterIt;
    }

    /** Counts from now on, or not. */
    public synchronized void arm(boolean on) {
        armed = on;
    }

    /** Whether the program has been ended. */
    public boolean crashed() {
        return crashed;
    }

    /** The statement at which it was ended; null if it was not. */
    public synchronized @Nullable String statement() {
        return statement;
    }

    /** The server's numbers of the sessions that the program has had. */
    public List<Integer> sessions() {
        return new ArrayList<>(sessions);
    }

    void opened(Connection connection) throws SQLException {
        connections.add(connection);
        sessions.add(connection.unwrap(PGConnection.class).getBackendPID());
        if (crashed) abort(connection);
    }

    void closed(Connection connection) {
        connections.remove(connection);
    }

    /** Refuses what a dead program would do. */
    void requireAlive() throws SQLException {
        if (crashed) throw new SQLException("the program has crashed, for a test", "08006");
    }

    /** Runs a statement, unless the program ends before it. */
    @Nullable
    Object run(String text, Call call) throws Throwable {
        requireAlive();
        boolean here = isHere(text);
        if (here && !afterIt) throw crash(text);
        Object result = call.run();
        if (here) throw crash(text);
        requireAlive();
        return result;
    }

    private synchronized boolean isHere(String text) {
        if (!armed) return false;
        count++;
        if (count != at) return false;
        statement = text;
        return true;
    }

    private Throwable crash(String text) {
        crashed = true;
        for (Connection each : connections) abort(each);
        String point = (afterIt ? "after " : "before ") + text;
        // Threads of the library that serve others must not end by an error.
        return Thread.currentThread() == owner ? new CrashError(point) : new SQLException("crash " + point, "08006");
    }

    private static void abort(Connection connection) {
        try {
            Executor here = Runnable::run;
            connection.abort(here);
        } catch (SQLException e) {
            // It is gone already.
        }
    }

    /** What the driver does for a statement. */
    interface Call {
        @Nullable
        Object run() throws Throwable;
    }
}
