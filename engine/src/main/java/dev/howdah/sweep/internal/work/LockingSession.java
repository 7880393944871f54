package dev.howdah.sweep.internal.work;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepRow;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepSql;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The session of a worker, which holds the locks of its rows. For one thread at a time. */
public final class LockingSession implements AutoCloseable {
    private static final Sql ATTEND = SweepSql.SWEEP.statement("sweep_attend");
    private static final String LOCK_MILLIS = "800";

    private final DedicatedSession session;
    private final Plans plans;
    private final int sweep;
    private final int columns;
    private final int epoch;

    /** The messages of a sweep, composed once for all of its workers. */
    public record Plans(
            int sweep,
            int columns,
            Instant started,
            Sql lockAndLook,
            Sql unlock,
            Sql chooseAndMark,
            Sql chooseAndHold,
            Sql mark,
            Sql markTodo,
            Sql careful,
            @Nullable Sql work,
            Sql forgive,
            Sql blame,
            Sql prepare) {
        /** @param isGuarded whether something on the table can drop a mark or take it back */
        public static Plans of(
                SweepStatements statements,
                int sweep,
                int columns,
                boolean hasMark,
                boolean hasWork,
                boolean isGuarded) {
            Sql still = statements.row("row_still");
            Sql mark = !hasMark
                    ? still
                    : isGuarded ? statements.row("row_mark_only").then(still) : statements.row("row_mark");
            Sql locked = statements.row("row_lock_here").then(statements.row("row_hold"));
            Sql work = hasWork ? work(statements, locked.then(statements.row("row_work")), hasMark, isGuarded) : null;
            Sql careful = locked.then(mark);
            return new Plans(
                    sweep,
                    columns,
                    statements.started(),
                    statements.row("row_lock").then(statements.row("row_look")),
                    statements.row("row_unlock"),
                    statements.row("row_choose").then(mark),
                    statements.row("row_choose").then(statements.row("row_hold")),
                    mark,
                    isGuarded ? careful : statements.row("row_lock_here").then(statements.row("row_mark_todo")),
                    careful,
                    work,
                    statements.row("row_forgive"),
                    statements.row("row_blame"),
                    statements.row("row_prepare"));
        }

        private static Sql work(SweepStatements statements, Sql worked, boolean hasMark, boolean isGuarded) {
            if (hasMark && !isGuarded) return worked.then(statements.row("row_mark_work"));
            Sql marked = hasMark ? worked.then(statements.row("row_mark_only")) : worked;
            return marked.then(statements.row("row_still_work"));
        }
    }

    private LockingSession(DedicatedSession session, Plans plans, int epoch) {
        this.epoch = epoch;
        this.session = session;
        this.plans = plans;
        this.sweep = plans.sweep();
        this.columns = plans.columns();
    }

    /**
     * Opens one, and writes down that it is that worker's.
     *
     * @param epoch of the rows that were worked on, see {@link WorkedRows#epoch}
     */
    public static LockingSession open(ConnectionSource source, Plans plans, int process, int worker, int epoch)
            throws SQLException {
        DedicatedSession opened = new DedicatedSession(source.getConnection());
        try {
            opened.update(plans.prepare(), LOCK_MILLIS);
            // Others that take the process for dead end the sessions that are known to be its own.
            if (opened.update(ATTEND, process, worker) == 0)
                throw new SQLException("this process was taken for dead", "57P05");
            return new LockingSession(opened, plans, epoch);
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /**
     * The result of a mark.
     *
     * @param todo those that are to do all the same
     */
    public record Marked(long rows, List<RowKey> todo) {
        static final Marked NONE = new Marked(0, List.of());
    }

    /**
     * The rows that were locked.
     *
     * @param rows those that are to do and locked, in the order of the keys
     * @param others rows whose locks another session has
     */
    public record Taken(List<SweepRow> rows, List<RowKey> others) {}

    /** Locks rows and looks at them again; locks of those that are not to do have been let go when this returns. */
    public Taken take(List<RowKey> keys) throws SQLException {
        String[][] arrays = RowKey.arrays(keys, columns);
        List<RowKey> locked = new ArrayList<>(keys.size());
        List<RowKey> others = new ArrayList<>(keys);
        Map<RowKey, SweepRow> found = new HashMap<>();
        PreparedStatement statement = bound(plans.lockAndLook(), arrays, sweep);
        statement.execute();
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            for (int n : numbers(row.getString(1))) locked.add(keys.get(n - 1));
        }
        if (locked.isEmpty()) return new Taken(List.of(), keys);
        if (locked.size() == keys.size()) others.clear();
        else others.removeAll(new HashSet<>(locked));
        statement.getMoreResults();
        try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
                List<String> key = new ArrayList<>(columns);
                for (int i = 0; i < columns; i++) key.add(row.getString(2 + i));
                if (found.put(new RowKey(key), new SweepRow(key, row.getString(1), plans.started())) != null)
                    throw new SweepException("the key is not unique: " + RowKey.text(key)
                            + " is that of several rows. Give the sweep a key with columns that tell them apart");
            }
        }
        List<RowKey> strays =
                locked.stream().filter(each -> !found.containsKey(each)).toList();
        if (!strays.isEmpty()) unlock(strays);
        List<SweepRow> rows = new ArrayList<>(found.size());
        for (RowKey each : locked) {
            SweepRow row = found.get(each);
            if (row != null) rows.add(row);
        }
        return new Taken(rows, others);
    }

    private static List<Integer> numbers(@Nullable String array) {
        if (array == null || array.length() <= 2) return List.of();
        return Arrays.stream(array.substring(1, array.length() - 1).split(","))
                .map(Integer::valueOf)
                .toList();
    }

    public void unlock(List<RowKey> keys) throws SQLException {
        try (ResultSet row = bound(plans.unlock(), RowKey.arrays(keys, columns)).executeQuery()) {
            row.next();
        }
    }

    /** Marks rows whose work is done. */
    public Marked mark(List<RowKey> keys) throws SQLException {
        PreparedStatement statement = bound(plans.chooseAndMark(), RowKey.arrays(keys, columns));
        return last(statement);
    }

    /** Marks the rows of the batch, in a transaction that has begun. */
    Marked markHeld() throws SQLException {
        return last(bound(plans.mark(), new String[0][]));
    }

    /** In a transaction: keeps others from changing a row until its end; false if it is not to do, or another session changes it now. */
    boolean hold(RowKey key) throws SQLException {
        PreparedStatement statement = bound(plans.chooseAndHold(), RowKey.arrays(List.of(key), columns), sweep);
        statement.execute();
        statement.getMoreResults();
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            return row.getLong(1) == 1;
        }
    }

    /** Locks, works, marks and commits in one message. */
    public Marked batch(List<RowKey> keys, boolean careful) throws SQLException {
        Sql work = plans.work();
        Sql sql = work != null ? work : careful ? plans.careful() : plans.markTodo();
        return last(bound(sql, RowKey.arrays(keys, columns), sweep));
    }

    /** Drops the errors of the rows that were marked last. */
    void forgive() throws SQLException {
        session.update(plans.forgive(), sweep);
    }

    /**
     * Writes that an attempt of a row has failed.
     *
     * @param attempt its number; null: any. Where the row has failed another number of times before, nothing is written
     * @param delaySeconds until the next attempt; null: there is none
     */
    Blamed blame(RowKey key, String error, @Nullable Integer attempt, @Nullable Double delaySeconds)
            throws SQLException {
        try {
            return write(key, error, attempt, delaySeconds);
        } catch (SQLException e) {
            // Where the encoding of the database lacks a character of the error, the sweep goes on all the same.
            if (!SqlErrors.isUntranslatable(e)) throw e;
            return write(key, ErrorText.ascii(error), attempt, delaySeconds);
        }
    }

    private Blamed write(RowKey key, String error, @Nullable Integer attempt, @Nullable Double delaySeconds)
            throws SQLException {
        String[] columns = key.columns().toArray(String[]::new);
        try (ResultSet row = session.query(plans.blame(), sweep, columns, error, attempt, delaySeconds)) {
            return row.next() ? new Blamed(row.getInt(1), row.getBoolean(2)) : new Blamed(0, false);
        }
    }

    /**
     * A row that has failed.
     *
     * @param attempts the number of failed attempts that are written
     * @param isWritten whether the last one is among them
     */
    record Blamed(int attempts, boolean isWritten) {}

    int epoch() {
        return epoch;
    }

    Connection connection() {
        return session.connection();
    }

    /** Runs several statements that are one message; what the last one says. */
    private static Marked last(PreparedStatement statement) throws SQLException {
        boolean rows = statement.execute();
        Marked last = Marked.NONE;
        while (true) {
            if (rows) {
                try (ResultSet row = statement.getResultSet()) {
                    boolean isMark = row.getMetaData().getColumnCount() == 3
                            && row.getMetaData().getColumnLabel(2).equals("howdah_todo");
                    if (isMark && row.next()) last = new Marked(row.getLong(1), keys(row.getArray(3)));
                }
            } else if (statement.getUpdateCount() < 0) {
                return last;
            }
            rows = statement.getMoreResults();
        }
    }

    private static List<RowKey> keys(@Nullable Array array) throws SQLException {
        if (array == null) return List.of();
        List<RowKey> keys = new ArrayList<>();
        for (Object each : (Object[]) array.getArray()) keys.add(new RowKey(List.of((String[]) each)));
        return keys;
    }

    private PreparedStatement bound(Sql sql, String[][] arrays, Object... more) throws SQLException {
        PreparedStatement statement = session.prepare(sql);
        sql.bind(statement, Stream.concat(Stream.of(arrays), Stream.of(more)).toArray());
        return statement;
    }

    @Override
    public void close() {
        session.close();
    }
}
