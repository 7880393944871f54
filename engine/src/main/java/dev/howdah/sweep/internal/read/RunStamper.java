package dev.howdah.sweep.internal.read;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.internal.control.SweepControl;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stamps the rows of a run before any of them is worked on, in steps of which each is a transaction. One process of the
 * sweep does so, the others wait; when it dies another one goes on where it was. For one thread.
 */
public final class RunStamper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RunStamper.class);
    private static final Sql CLAIM = SweepSql.STAMP.statement("stamp_claim");
    private static final Sql STATE = SweepSql.STAMP.statement("stamp_state");
    private static final Sql CLEAR = SweepSql.STAMP.statement("stamp_clear");
    private static final int SILENCE_MILLIS = 10_000;
    private static final long GOOD_NANOS = 250_000_000;
    private static final int SMALLEST = 100;
    private static final int LARGEST = 20_000;
    private static final long NAP_MILLIS = 200;

    private final ConnectionSource source;
    private final int sweep;
    private final SweepControl control;
    private final Sql first;
    private final Sql next;
    private @Nullable DedicatedSession session;
    private boolean claimed;
    private int step = 1_000;

    public RunStamper(ConnectionSource source, int sweep, SweepStatements statements, SweepControl control) {
        this.source = source;
        this.sweep = sweep;
        this.control = control;
        this.first = statements.stamps().step(false);
        this.next = statements.stamps().step(true);
    }

    /** Returns when all rows of the run are stamped; false if nothing is to begin any more. */
    boolean complete() throws SQLException, InterruptedException {
        control.prepare("the rows of the run are being stamped");
        try {
            while (control.awaitBegin()) {
                try {
                    if (isStamped()) return true;
                } catch (SQLException e) {
                    recover(e);
                }
            }
            return false;
        } finally {
            control.prepare(null);
            close();
        }
    }

    private boolean isStamped() throws SQLException, InterruptedException {
        DedicatedSession open = session();
        List<String> last;
        try (ResultSet row = open.query(STATE, sweep)) {
            if (!row.next() || row.getBoolean(1)) return true;
            last = key(row.getArray(2));
        }
        if (claimed) {
            if (last == null) clear(open);
            stamp(open, last);
        } else if (!claim(open)) {
            TimeUnit.MILLISECONDS.sleep(NAP_MILLIS);
        }
        return false;
    }

    /** What another process has stamped meanwhile is seen only by a look from after that. */
    private boolean claim(DedicatedSession open) throws SQLException {
        try (ResultSet row = open.query(CLAIM, sweep)) {
            claimed = row.next() && row.getBoolean(1);
            return claimed;
        }
    }

    private void stamp(DedicatedSession open, @Nullable List<String> last) throws SQLException, InterruptedException {
        List<String> behind = last;
        boolean more = true;
        while (more && control.awaitBegin()) {
            List<Object> values = new ArrayList<>(List.of(sweep, step));
            if (behind != null) values.addAll(behind);
            long begun = System.nanoTime();
            try (ResultSet row = open.query(behind == null ? first : next, values.toArray())) {
                if (!row.next()) return; // the sweep was removed
                more = !row.getBoolean(1);
                behind = key(row.getArray(3));
            }
            if (System.nanoTime() - begun < GOOD_NANOS) step = Math.min(step * 2, LARGEST);
            else step = Math.max(step / 2, SMALLEST);
        }
    }

    private static @Nullable List<String> key(@Nullable Array array) throws SQLException {
        return array == null ? null : List.of((String[]) array.getArray());
    }

    private void recover(SQLException e) throws SQLException, InterruptedException {
        boolean late = SqlErrors.isCanceled(e) || SqlErrors.isConflict(e);
        if (!late && !SqlErrors.isConnectionLost(e) && !SqlErrors.isOutOfResources(e)) throw e;
        if (late) step = Math.max(step / 4, SMALLEST);
        else close();
        control.databaseOutage().failed("rows of the run cannot be stamped", SweepSqlErrors.text(e));
        TimeUnit.MILLISECONDS.sleep(NAP_MILLIS);
    }

    /** Drops the stamps of a sweep that is done; what a process leaves that dies in this is dropped before the next run. */
    void clear() {
        try {
            clear(session());
        } catch (SQLException e) {
            log.warn("stamps of a sweep that is done could not be dropped: {}", SweepSqlErrors.text(e));
        }
    }

    /** Drops the stamps of a sweep that there is no more. */
    public static void drop(Connection connection, int sweep) throws SQLException {
        try (PreparedStatement statement = CLEAR.prepare(connection, sweep, LARGEST)) {
            while (statement.executeUpdate() > 0) {}
        }
    }

    private void clear(DedicatedSession open) throws SQLException {
        while (open.update(CLEAR, sweep, LARGEST) > 0 && !control.isEnding()) {}
    }

    /** A process that is frozen loses it, so that another one can go on. */
    private DedicatedSession session() throws SQLException {
        DedicatedSession known = session;
        if (known != null) return known;
        DedicatedSession opened = new DedicatedSession(source.getConnection());
        try (Statement statement = opened.connection().createStatement()) {
            opened.endWhenSilent(SILENCE_MILLIS);
            statement.execute("SET statement_timeout = " + KeyCursor.LONGEST_MILLIS);
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
        session = opened;
        return opened;
    }

    @Override
    public void close() {
        DedicatedSession open = session;
        session = null;
        claimed = false;
        if (open != null) open.close();
    }
}
