package dev.howdah.task.internal.leader;

import dev.howdah.Database;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that an answer of the server does not come because the way to it is cut and neither end can tell, which is so
 * behind proxies and firewalls. A statement may rightly take hours; so when one takes long, the server is asked by
 * another connection whether it works on it. If it does not, or cannot be asked, the session is given up before the lease
 * is over. Costs nothing while answers come soon.
 */
public final class ResponseWatchdog implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ResponseWatchdog.class);
    private static final long LONGEST_TICK_MILLIS = 1000;

    /** Of the lease: after how long the server is asked, and how long that may take; twice, where it cannot be reached. */
    private static final double ASK = 0.3;

    private static final double ANSWER = 0.3;

    /** Of the lease: for how long a session has to wait for its client without a change of state. */
    private static final double STILL = 0.1;

    /** The same where we do more between two statements than send the next one. */
    private static final double STILL_BUSY = 1;

    private static final ScheduledThreadPoolExecutor TICKS = ticks();

    private final Database server;
    private final int pid;
    private final Duration lease;
    private final double still;
    private final LongSupplier busySince;
    private final Runnable giveUp;
    private final ScheduledFuture<?> ticking;
    private volatile boolean asking;
    private volatile boolean closed;
    private long nextAsk = System.nanoTime();

    /**
     * @param server where the session is
     * @param pid its process there
     * @param busySince when what it does now has begun, by {@link System#nanoTime}; 0 if it does nothing
     * @param giveUp ends it; from any thread
     */
    ResponseWatchdog(Database server, int pid, Duration lease, LongSupplier busySince, Runnable giveUp) {
        this(server, pid, lease, STILL, busySince, giveUp);
    }

    private ResponseWatchdog(
            Database server, int pid, Duration lease, double still, LongSupplier busySince, Runnable giveUp) {
        this.still = still;
        this.server = server;
        this.pid = pid;
        this.lease = lease;
        this.busySince = busySince;
        this.giveUp = giveUp;
        long millis = Math.min(lease.toMillis() / 10, LONGEST_TICK_MILLIS);
        this.ticking = TICKS.scheduleWithFixedDelay(this::tick, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** Watches a connection that is busy from now on until this is closed. */
    public static ResponseWatchdog over(Connection connection, Database server, Duration lease) throws SQLException {
        long begun = System.nanoTime() | 1; // never 0
        int pid = connection.unwrap(PGConnection.class).getBackendPID();
        return new ResponseWatchdog(server, pid, lease, STILL_BUSY, () -> begun, () -> abort(connection));
    }

    /** Closes a connection at once; a thread that waits for an answer is told that it is gone. */
    static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            log.debug("nothing is left to end: {}", e.getMessage());
        }
    }

    private void tick() {
        long busy = busySince.getAsLong();
        long now = System.nanoTime();
        if (busy == 0 || asking || now - busy < lease.toNanos() * ASK || now - nextAsk < 0) return;
        asking = true;
        Threads.daemon("howdah-watch", () -> check(busy)).start();
    }

    private void check(long busy) {
        try {
            boolean lives = worksOnIt();
            if (lives || busySince.getAsLong() != busy || closed) return;
            log.warn(
                    "no answer from {} for {} ms: the session is given up",
                    server,
                    (System.nanoTime() - busy) / 1_000_000);
            giveUp.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            nextAsk = System.nanoTime() + lease.toNanos();
            asking = false;
        }
    }

    /** Returns whether the server says that the session works, or says anything else that leaves this open. */
    private boolean worksOnIt() throws InterruptedException {
        String seconds = Long.toString(Math.max(1, Math.round(lease.toMillis() * ANSWER / 1000)));
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "howdah watch");
        for (String each : new String[] {"connectTimeout", "loginTimeout", "socketTimeout"})
            properties.setProperty(each, seconds);
        try (Connection connection = server.connect(properties);
                PreparedStatement asLogin =
                        TaskSql.SCHEDULER.statement("task_as_login").prepare(connection, false);
                PreparedStatement works =
                        TaskSql.SCHEDULER.statement("task_works").prepare(connection, pid)) {
            asLogin.execute();
            String first = waiting(works);
            if (first.isEmpty()) return true;
            // Between two statements of a transaction it waits for us, but not for long in the same state.
            TimeUnit.MILLISECONDS.sleep((long) (lease.toMillis() * still));
            return !waiting(works).equals(first);
        } catch (SQLException e) {
            log.debug("the server cannot be asked about session {}: {}", pid, e.getMessage());
            return e.getSQLState() == null || !SqlErrors.isConnectionLost(e);
        }
    }

    /** In which state it waits for its client; empty if it does not. */
    private static String waiting(PreparedStatement works) throws SQLException {
        try (ResultSet row = works.executeQuery()) {
            return row.next() ? String.valueOf(row.getString("waiting")) : "gone";
        }
    }

    @Override
    public void close() {
        closed = true;
        ticking.cancel(false);
    }

    private static ScheduledThreadPoolExecutor ticks() {
        ScheduledThreadPoolExecutor ticks = Threads.clock("howdah-watch-ticks", 1);
        ticks.setKeepAliveTime(10, TimeUnit.SECONDS);
        ticks.allowCoreThreadTimeOut(true);
        return ticks;
    }
}
