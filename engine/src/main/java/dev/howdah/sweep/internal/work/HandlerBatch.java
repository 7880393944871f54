package dev.howdah.sweep.internal.work;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.LogContext;
import dev.howdah.sweep.BatchHandler;
import dev.howdah.sweep.ReceiverUnavailableException;
import dev.howdah.sweep.SweepRow;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A batch of rows is one call. */
public final class HandlerBatch implements BatchProcessor {
    private final BatchHandler handler;

    public HandlerBatch(BatchHandler handler) {
        this.handler = handler;
    }

    @Override
    public boolean isWhole() {
        return true;
    }

    @Override
    public Result run(LockingSession session, List<RowKey> keys, WorkerContext context)
            throws SQLException, InterruptedException {
        LockingSession.Taken taken = session.take(keys);
        if (taken.rows().isEmpty()) return new Result(0, taken.others());
        List<RowKey> locked = new ArrayList<>();
        for (SweepRow row : taken.rows()) locked.add(new RowKey(row.key()));
        List<RowKey> missed = new ArrayList<>(taken.others());
        long done = 0;
        if (!context.mayBegin(locked.size()) || !handle(session, taken.rows(), locked, context)) missed.addAll(locked);
        else done = locked.size();
        session.unlock(locked);
        return new Result(done, missed);
    }

    private boolean handle(LockingSession session, List<SweepRow> rows, List<RowKey> keys, WorkerContext context)
            throws SQLException, InterruptedException {
        try (LogContext mdc = context.logContext(keys.get(0))) {
            handler.handle(rows);
        } catch (Throwable e) {
            boolean interrupted = Thread.interrupted() || e instanceof InterruptedException;
            if (interrupted && context.control().isEnding()) return false;
            ReceiverUnavailableException unavailable = SweepSqlErrors.unavailable(e);
            if (unavailable != null) return context.unavailable(unavailable);
            ErrorText error = SweepSqlErrors.error(e);
            for (RowKey each : keys) context.blame(session, each, error, e, e);
            return true;
        }
        RowMarker.mark(session, keys, context);
        return true;
    }
}
