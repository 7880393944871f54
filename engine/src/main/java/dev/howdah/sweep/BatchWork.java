package dev.howdah.sweep;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.LogContext;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A batch of rows is one call. */
final class BatchWork implements Work {
    private final BatchHandler handler;

    BatchWork(BatchHandler handler) {
        this.handler = handler;
    }

    @Override
    public boolean isWhole() {
        return true;
    }

    @Override
    public Result run(WorkSession session, List<Key> keys, Desk desk) throws SQLException, InterruptedException {
        WorkSession.Taken taken = session.take(keys);
        if (taken.rows().isEmpty()) return new Result(0, taken.others());
        List<Key> locked = new ArrayList<>();
        for (SweepRow row : taken.rows()) locked.add(new Key(row.key()));
        List<Key> missed = new ArrayList<>(taken.others());
        long done = 0;
        if (!desk.mayBegin(locked.size()) || !handle(session, taken.rows(), locked, desk)) missed.addAll(locked);
        else done = locked.size();
        session.unlock(locked);
        return new Result(done, missed);
    }

    private boolean handle(WorkSession session, List<SweepRow> rows, List<Key> keys, Desk desk)
            throws SQLException, InterruptedException {
        try (LogContext context = desk.context(keys.get(0))) {
            handler.handle(rows);
        } catch (Throwable e) {
            boolean interrupted = Thread.interrupted() || e instanceof InterruptedException;
            if (interrupted && desk.control().isEnding()) return false;
            ReceiverUnavailableException unavailable = Failures.unavailable(e);
            if (unavailable != null) return desk.unavailable(unavailable);
            ErrorText error = Failures.error(e);
            for (Key each : keys) desk.blame(session, each, error, e);
            return true;
        }
        Marks.mark(session, keys, desk);
        return true;
    }
}
