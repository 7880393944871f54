package dev.howdah.sweep.internal.work;

import dev.howdah.internal.connection.BorrowedConnection;
import dev.howdah.internal.run.LogContext;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.ReceiverUnavailableException;
import dev.howdah.sweep.RowHandler;
import dev.howdah.sweep.SweepRow;
import dev.howdah.sweep.TransactionalRowHandler;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Rows one by one: each is marked, and that is committed, before the next one begins. */
public final class RowByRow implements BatchProcessor {
    private final Step step;

    /** The work on one row that is locked; false if it has to be offered again. */
    @FunctionalInterface
    interface Step {
        boolean take(LockingSession session, SweepRow row, RowKey key, WorkerContext context)
                throws SQLException, InterruptedException;
    }

    private RowByRow(Step step) {
        this.step = step;
    }

    /** At least once: first the work, then the mark. */
    public static RowByRow of(RowHandler handler) {
        return new RowByRow((session, row, key, context) -> {
            try (LogContext mdc = context.logContext(key)) {
                handler.handle(row);
            } catch (Throwable e) {
                return failed(session, key, context, e);
            }
            RowMarker.mark(session, List.of(key), context);
            return true;
        });
    }

    /** Exactly once: work and mark are one transaction. */
    public static RowByRow inTransaction(TransactionalRowHandler handler) {
        return new RowByRow((session, row, key, context) -> {
            LockingSession.Marked marked;
            session.connection().setAutoCommit(false);
            try {
                if (!session.hold(key)) return false;
                try (LogContext mdc = context.logContext(key)) {
                    handler.handle(row, BorrowedConnection.of(session.connection(), "row"));
                }
                marked = session.markHeld();
                if (marked.todo().isEmpty()) session.connection().commit();
            } catch (Throwable e) {
                // What the handler lost elsewhere is its own affair.
                if (e instanceof SQLException s && session.connection().isClosed()) throw s;
                back(session);
                if (e instanceof SQLException s && SqlErrors.isConflict(s)) return false;
                return failed(session, key, context, e);
            } finally {
                back(session);
            }
            if (marked.todo().isEmpty()) context.marked(session, List.of(key), marked);
            else context.notMarked(session, key);
            return true;
        });
    }

    private static void back(LockingSession session) throws SQLException {
        if (session.connection().isClosed() || session.connection().getAutoCommit()) return;
        session.connection().rollback();
        session.connection().setAutoCommit(true);
    }

    /** @return false if that is not the row's failure: the process ends, or the receiver is unavailable */
    private static boolean failed(LockingSession session, RowKey key, WorkerContext context, Throwable e)
            throws SQLException {
        boolean interrupted = Thread.interrupted() || e instanceof InterruptedException;
        if (interrupted && context.control().isEnding()) return false;
        ReceiverUnavailableException unavailable = SweepSqlErrors.unavailable(e);
        if (unavailable != null) return context.unavailable(unavailable);
        context.blame(session, key, SweepSqlErrors.error(e), e, e);
        return true;
    }

    @Override
    public boolean isWhole() {
        return false;
    }

    @Override
    public Result run(LockingSession session, List<RowKey> keys, WorkerContext context)
            throws SQLException, InterruptedException {
        LockingSession.Taken taken = context.take(session, keys);
        List<RowKey> missed = new ArrayList<>(taken.others());
        List<RowKey> locked = new ArrayList<>();
        for (SweepRow row : taken.rows()) locked.add(new RowKey(row.key()));
        if (locked.isEmpty()) return new Result(0, missed);
        long done = 0;
        int i = 0;
        for (; i < locked.size() && context.mayBegin(1); i++) {
            if (step.take(session, taken.rows().get(i), locked.get(i), context)) done++;
            else missed.add(locked.get(i));
        }
        missed.addAll(locked.subList(i, locked.size()));
        session.unlock(locked);
        return new Result(done, missed);
    }
}
