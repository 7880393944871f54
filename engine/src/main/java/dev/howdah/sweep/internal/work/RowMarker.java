package dev.howdah.sweep.internal.work;

import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Marks rows whose work is done, come what may. */
final class RowMarker {
    private static final long NAP_MILLIS = 50;
    private static final int FULL_TRIES = 40;

    private RowMarker() {}

    /** Where some cannot be marked, all others are; those have failed, and are not worked on again unless a user asks for it. */
    static void mark(LockingSession session, List<RowKey> keys, WorkerContext context)
            throws SQLException, InterruptedException {
        LockingSession.Marked marked;
        int full = 0;
        while (true) {
            try {
                marked = session.mark(keys);
                break;
            } catch (SQLException e) {
                if (SqlErrors.isConnectionLost(e)) throw e;
                // Another session changes the row just now. No statement waits for that for long: its snapshot would
                // grow
                // old.
                if (SqlErrors.isConflict(e) && !context.control().isEnding()) {
                    TimeUnit.MILLISECONDS.sleep(NAP_MILLIS);
                    continue;
                }
                // Other sessions may need less in a moment; not for ever, for the locks of this batch may be what fills
                // the
                // table.
                if (SqlErrors.isOutOfMemory(e)) {
                    if (++full == FULL_TRIES) throw e;
                    TimeUnit.MILLISECONDS.sleep(NAP_MILLIS);
                    continue;
                }
                if (keys.size() == 1) {
                    context.giveUp(session, keys.get(0), "processed, but not marked: " + SweepSqlErrors.text(e));
                    return;
                }
                mark(session, keys.subList(0, keys.size() / 2), context);
                mark(session, keys.subList(keys.size() / 2, keys.size()), context);
                return;
            }
        }
        context.marked(session, keys, marked);
    }
}
