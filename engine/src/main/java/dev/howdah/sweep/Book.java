package dev.howdah.sweep;

import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The row of a sweep in the book, as one session sees it. For one thread. */
final class Book {
    private static final Sql ENTER = Target.BOOK.statement("enter");
    private static final Sql FIND = Target.BOOK.statement("find");
    private static final Sql REOPEN = Target.BOOK.statement("reopen");
    private static final Sql NOW = Target.BOOK.statement("now");
    private static final Sql RUN_TAKEN = Target.BOOK.statement("run_taken");
    private static final Sql TOTAL = Target.BOOK.statement("total");

    private Book() {}

    /**
     * A sweep as it is in the book.
     *
     * @param started the moment in which it began, as PostgreSQL reads it
     * @param isProven whether rows of it have been marked, and were not to do any more
     */
    record Entry(int id, String definition, String state, String started, boolean isCounted, boolean isProven) {}

    static @Nullable Entry find(KeptSession session, String name) throws SQLException {
        try (ResultSet row = session.query(FIND, name)) {
            if (!row.next()) return null;
            row.getLong(5);
            boolean counted = !row.wasNull();
            return new Entry(
                    row.getInt(1), row.getString(2), row.getString(3), row.getString(4), counted, row.getBoolean(6));
        }
    }

    /**
     * Enters a sweep, or joins the one of that name.
     *
     * @throws SweepException if that is another one
     */
    static Entry join(KeptSession session, String name, String definition, @Nullable Double throttle)
            throws SQLException {
        session.update(ENTER, name, definition, throttle);
        Entry entry = find(session, name);
        if (entry == null) throw new SweepException("the sweep " + name + " was removed in this moment");
        check(name, entry, definition);
        session.update(REOPEN, entry.id(), throttle);
        Entry joined = find(session, name);
        return joined == null ? entry : joined;
    }

    /** @throws SweepException if another sweep, which has not ended, numbers rows in that column */
    static void checkRun(KeptSession session, String name, String definition) throws SQLException {
        String run = Definition.read(definition).get("run");
        if (run == null || run.equals(Definition.STAMPS)) return;
        try (ResultSet row = session.query(RUN_TAKEN, name, definition)) {
            if (row.next())
                throw new SweepException("the column " + run + " has the numbers of the sweep " + row.getString(1)
                        + ", which is not done: rows would be lost to it. Let that end, or remove it");
        }
    }

    static void check(String name, Entry entry, String definition) {
        String different = Definition.differences(entry.definition(), definition);
        if (!different.isEmpty())
            throw new SweepException("there is another sweep named " + name + ", where " + different
                    + ". Give this one another name, or join that one as it is");
    }

    /** The server's time, as it would stand for the start of a sweep. */
    static String now(KeptSession session) throws SQLException {
        try (ResultSet row = session.query(NOW)) {
            row.next();
            return row.getString(1);
        }
    }

    static void total(KeptSession session, int sweep, long rows, boolean counted) throws SQLException {
        session.update(TOTAL, sweep, rows, counted);
    }
}
