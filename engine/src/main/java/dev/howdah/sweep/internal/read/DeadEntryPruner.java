package dev.howdah.sweep.internal.read;

import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.internal.statements.ReadStatements;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * Walks over stretches that were read a while ago and whose rows are done by now. The first reader that comes to the entry of a row that is gone looks
 * the row up, and notes down in the index that it need not be looked up again. Done while a sweep goes on, the last look at all of the table, which
 * finds nothing, is a short one. Every now and then it is tried out whether that pays: not while some old snapshot still sees those rows, nor where the
 * index has entries of all rows. For one thread.
 */
public final class DeadEntryPruner {
    private static final long AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int TRIAL_EVERY = 16;

    private final KeyCursor reader;
    private final long afterNanos;
    private int walks;
    private boolean pays;
    private boolean over;

    DeadEntryPruner(KeyCursor reader) {
        this(reader, AFTER_NANOS);
    }

    /** @param afterNanos how long ago a stretch was read that is walked over: by then no snapshot of ours sees what its rows were */
    public DeadEntryPruner(KeyCursor reader, long afterNanos) {
        this.reader = reader;
        this.afterNanos = afterNanos;
    }

    public boolean isDue(ScanCheckpoints marks) {
        return !over && marks.isBehind(System.nanoTime() - afterNanos);
    }

    /** Walks over the next stretch. */
    public void look(ReadStatements.Segment segment, ScanCheckpoints marks) throws SQLException {
        KeyCursor.Stretch stretch = marks.takeBehind(segment);
        boolean trial = walks++ % TRIAL_EVERY == 0;
        if (!trial && !pays) return;
        try {
            long first = walk(stretch);
            if (trial) pays = walk(stretch) < first / 2;
        } catch (SQLException e) {
            if (!SqlErrors.isCanceled(e)) throw e;
            over = true;
        }
    }

    private long walk(KeyCursor.Stretch stretch) throws SQLException {
        long begun = System.nanoTime();
        reader.walk(stretch);
        return System.nanoTime() - begun;
    }
}
