package dev.howdah.sweep.internal.work;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Work that is SQL in the same database, or the mark alone: a batch is one message and one transaction. Where a batch fails its halves are
 * tried, until the row is found that is to blame.
 */
public final class SqlBatch implements BatchProcessor {
    @Override
    public boolean isWhole() {
        return true;
    }

    @Override
    public Result run(LockingSession session, List<RowKey> keys, WorkerContext context)
            throws SQLException, InterruptedException {
        if (!context.mayBegin(keys.size())) return new Result(0, keys);
        List<RowKey> again = new ArrayList<>();
        List<RowKey> first = new ArrayList<>();
        for (RowKey each : keys) (context.worked().contains(each) ? again : first).add(each);
        List<RowKey> missed = new ArrayList<>(
                again.isEmpty() ? again : context.take(session, again).others());
        return new Result(first.isEmpty() ? 0 : run(session, first, context, false, missed), missed);
    }

    private long run(
            LockingSession session, List<RowKey> keys, WorkerContext context, boolean careful, List<RowKey> missed)
            throws SQLException {
        LockingSession.Marked marked;
        try {
            marked = session.batch(keys, careful);
        } catch (SQLException e) {
            if (SqlErrors.isConnectionLost(e) || SqlErrors.isOutOfMemory(e)) throw e;
            return divide(session, keys, context, e, careful, missed);
        }
        context.marked(session, marked.rows() == keys.size() ? keys : List.of(), marked);
        return marked.rows();
    }

    /** Returns whether the statement behind the mark has found a row that is to do all the same. */
    private static boolean isStillToDo(SQLException e) {
        return SweepSqlErrors.text(e).contains("howdah: to do all the same: ");
    }

    private long divide(
            LockingSession session,
            List<RowKey> keys,
            WorkerContext context,
            SQLException e,
            boolean careful,
            List<RowKey> missed)
            throws SQLException {
        if (keys.size() == 1 && careful) {
            if (SqlErrors.isConflict(e)) {
                missed.add(keys.get(0));
                return 0;
            }
            if (isStillToDo(e)) context.notMarked(session, keys.get(0));
            else context.blame(session, keys.get(0), ErrorText.of(SweepSqlErrors.text(e)), e, null);
            return 1;
        }
        if (context.control().isEnding()) {
            missed.addAll(keys);
            return 0;
        }
        if (keys.size() == 1) return run(session, keys, context, true, missed);
        int half = keys.size() / 2;
        return run(session, keys.subList(0, half), context, true, missed)
                + run(session, keys.subList(half, keys.size()), context, true, missed);
    }
}
