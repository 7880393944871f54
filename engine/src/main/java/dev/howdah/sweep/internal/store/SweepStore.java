package dev.howdah.sweep.internal.store;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.sweep.SweepException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The row of a sweep in the book, as one session sees it. For one thread. */
public final class SweepStore {
    private static final Sql ENTER = SweepSql.SWEEP.statement("sweep_enter");
    private static final Sql FIND = SweepSql.SWEEP.statement("sweep_find");
    private static final Sql HOLD_ENTRY = SweepSql.SWEEP.statement("sweep_hold_entry");
    private static final Sql KEEP_GENERATION = SweepSql.SWEEP.statement("sweep_keep_generation");
    private static final Sql DROP_GENERATIONS = SweepSql.SWEEP.statement("sweep_drop_generations");
    private static final Sql FORGET_ERRORS = SweepSql.SWEEP.statement("sweep_forget_errors");
    private static final Sql REOPEN = SweepSql.SWEEP.statement("sweep_reopen");
    private static final Sql INSTALLED = SweepSql.SWEEP.statement("sweep_installed");
    private static final Sql GONE_FOR_GOOD = SweepSql.SWEEP.statement("sweep_gone_for_good");
    private static final Sql NOW = SweepSql.SWEEP.statement("sweep_now");
    private static final Sql RUN_TAKEN = SweepSql.SWEEP.statement("sweep_run_taken");
    private static final Sql TOTAL = SweepSql.SWEEP.statement("sweep_total");

    private SweepStore() {}

    /**
     * A sweep as it is in the book.
     *
     * @param started the moment in which it began, as PostgreSQL reads it
     * @param isProven whether rows of it have been marked, and were not to do any more
     * @param since the same moment as {@code started}
     * @param ended when it ended or was stopped; null: it has not
     */
    public record Entry(
            int id,
            String definition,
            String state,
            String started,
            boolean isCounted,
            boolean isProven,
            Instant since,
            @Nullable Instant ended) {
        /** Returns whether no process works on it, or will: it was stopped, is done, or has failed. */
        public boolean isOver() {
            return !state.equals("running") && !state.equals("paused");
        }
    }

    /**
     * A sweep that was entered or joined.
     *
     * @param run how often it was started, which tells this run from earlier ones
     * @param doneBefore when it was done before; null: it was not, or it begins anew
     */
    public record Joined(Entry entry, int run, @Nullable Instant doneBefore) {}

    static @Nullable public Entry find(DedicatedSession session, String name) throws SQLException {
        try (ResultSet row = session.query(FIND, name)) {
            if (!row.next()) return null;
            row.getLong(5);
            boolean counted = !row.wasNull();
            return new Entry(
                    row.getInt(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    counted,
                    row.getBoolean(6),
                    row.getTimestamp(7).toInstant(),
                    instant(row.getTimestamp(8)));
        }
    }

    private static @Nullable Instant instant(@Nullable Timestamp moment) {
        return moment == null ? null : moment.toInstant();
    }

    /** Returns whether the tables of sweeps are there. */
    public static boolean isInstalled(DedicatedSession session) throws SQLException {
        try (ResultSet row = session.query(INSTALLED)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** How many rows of a sweep have failed and are skipped until a user asks for them. */
    public static long skipped(DedicatedSession session, int sweep) throws SQLException {
        try (ResultSet row = session.query(GONE_FOR_GOOD, sweep)) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * What a start changes in the book; null: it stays as it was.
     *
     * @param throttle rows a second at most
     * @param hours in which rows are begun
     * @param again whether a sweep that has ended begins anew
     */
    public record Change(
            @Nullable Double throttle, @Nullable String hours, boolean again) {}

    /**
     * Enters a sweep, or joins the one of that name.
     *
     * @throws SweepException if that is another one
     */
    public static Joined join(DedicatedSession session, String name, String definition, Change change)
            throws SQLException {
        session.update(ENTER, name, definition, change.throttle(), change.hours());
        Entry entry = find(session, name);
        if (entry == null) throw removed(name);
        check(name, entry, definition);
        return Transactions.in(session.connection(), () -> reopen(session, name, entry.id(), change));
    }

    private static Joined reopen(DedicatedSession session, String name, int sweep, Change change) throws SQLException {
        String state;
        Instant ended;
        try (ResultSet row = session.query(HOLD_ENTRY, sweep)) {
            if (!row.next()) throw removed(name);
            state = row.getString(1);
            ended = instant(row.getTimestamp(2));
        }
        // Another process may have begun it anew a moment ago: that one is joined.
        boolean anew = change.again() && !state.equals("running") && !state.equals("paused");
        if (anew) {
            session.update(KEEP_GENERATION, sweep);
            session.update(DROP_GENERATIONS, sweep);
            session.update(FORGET_ERRORS, sweep);
        }
        int run;
        try (ResultSet row = session.query(REOPEN, sweep, change.throttle(), anew, change.hours())) {
            if (!row.next()) throw removed(name);
            run = row.getInt(1);
        }
        Entry entry = find(session, name);
        if (entry == null) throw removed(name);
        return new Joined(entry, run, !anew && state.equals("done") ? ended : null);
    }

    private static SweepException removed(String name) {
        return new SweepException("the sweep " + name + " was removed in this moment");
    }

    /** @throws SweepException if another sweep, which has not ended, numbers rows in that column */
    public static void checkRun(DedicatedSession session, String name, String definition) throws SQLException {
        String run = SweepDefinition.read(definition).get("run");
        if (run == null || run.equals(SweepDefinition.STAMPS)) return;
        try (ResultSet row = session.query(RUN_TAKEN, name, definition)) {
            if (row.next())
                throw new SweepException("the column " + run + " has the numbers of the sweep " + row.getString(1)
                        + ", which is not done: rows would be lost to it. Let that end, or remove it");
        }
    }

    public static void check(String name, Entry entry, String definition) {
        String different = SweepDefinition.differences(entry.definition(), definition);
        if (!different.isEmpty())
            throw new SweepException("there is another sweep named " + name + ", where " + different
                    + ". Give this one another name, or join that one as it is");
    }

    /** The server's time, as it would stand for the start of a sweep. */
    public static String now(DedicatedSession session) throws SQLException {
        try (ResultSet row = session.query(NOW)) {
            row.next();
            return row.getString(1);
        }
    }

    public static void total(DedicatedSession session, int sweep, long rows, boolean counted) throws SQLException {
        session.update(TOTAL, sweep, rows, counted);
    }
}
