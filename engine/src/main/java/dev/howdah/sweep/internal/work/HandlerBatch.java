package dev.howdah.sweep.internal.work;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.LogContext;
import dev.howdah.sweep.BatchHandler;
import dev.howdah.sweep.BatchResultHandler;
import dev.howdah.sweep.ReceiverUnavailableException;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepRow;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A batch of rows is one call, which may tell the result of each row. */
public final class HandlerBatch implements BatchProcessor {
    private final BatchResultHandler handler;

    public HandlerBatch(BatchResultHandler handler) {
        this.handler = handler;
    }

    /** Rows are done together, or fail together. */
    public static HandlerBatch of(BatchHandler handler) {
        return new HandlerBatch((rows, results) -> handler.handle(rows));
    }

    @Override
    public boolean isWhole() {
        return true;
    }

    @Override
    public Result run(LockingSession session, List<RowKey> keys, WorkerContext context)
            throws SQLException, InterruptedException {
        LockingSession.Taken taken = context.take(session, keys);
        if (taken.rows().isEmpty()) return new Result(0, taken.others());
        List<RowKey> locked = new ArrayList<>();
        for (SweepRow row : taken.rows()) locked.add(new RowKey(row.key()));
        List<RowKey> missed = new ArrayList<>(taken.others());
        int others = missed.size();
        if (context.mayBegin(locked.size())) handle(session, taken.rows(), locked, context, missed);
        else missed.addAll(locked);
        session.unlock(locked);
        return new Result(locked.size() - (missed.size() - others), missed);
    }

    /** @param missed gets the rows that are to be offered again */
    private void handle(
            LockingSession session, List<SweepRow> rows, List<RowKey> keys, WorkerContext context, List<RowKey> missed)
            throws SQLException, InterruptedException {
        ToldResults results = new ToldResults(keys);
        Throwable thrown = null;
        try (LogContext mdc = context.logContext(keys.get(0))) {
            handler.handle(rows, results);
        } catch (Throwable e) {
            thrown = e;
        }
        boolean leaving = (Thread.interrupted() || thrown instanceof InterruptedException)
                && context.control().isEnding();
        mark(session, keys, results, thrown == null, context);
        // What failed says that the receiver is there; so what it could not do comes last.
        for (RowKey each : keys) fail(session, each, results.of(each), context);
        List<RowKey> rest = new ArrayList<>();
        if (thrown != null) for (RowKey each : keys) if (results.of(each) == null) rest.add(each);
        if (leaving) missed.addAll(rest);
        else if (thrown != null) failRest(session, rest, thrown, context, missed);
        for (RowKey each : keys) {
            ToldResults.Told told = results.of(each);
            if (told == null || told.kind() != ToldResults.Kind.UNAVAILABLE) continue;
            context.unavailable(new ReceiverUnavailableException(told.text(), told.retryAfter()));
            missed.add(each);
        }
    }

    private static void mark(
            LockingSession session, List<RowKey> keys, ToldResults results, boolean returned, WorkerContext context)
            throws SQLException, InterruptedException {
        List<RowKey> done = new ArrayList<>(keys.size());
        for (RowKey each : keys) {
            ToldResults.Told told = results.of(each);
            if (told == null ? returned : told.kind() == ToldResults.Kind.DONE) done.add(each);
        }
        if (!done.isEmpty()) RowMarker.mark(session, done, context);
    }

    private static void fail(LockingSession session, RowKey key, ToldResults.@Nullable Told told, WorkerContext context)
            throws SQLException {
        if (told == null) return;
        if (told.kind() == ToldResults.Kind.FAILED_FOR_GOOD) context.giveUp(session, key, told.text());
        if (told.kind() == ToldResults.Kind.FAILED)
            context.blame(session, key, ErrorText.of(told.text()), new SweepException(told.text()), null);
    }

    private static void failRest(
            LockingSession session, List<RowKey> rest, Throwable thrown, WorkerContext context, List<RowKey> missed)
            throws SQLException {
        ReceiverUnavailableException unavailable = SweepSqlErrors.unavailable(thrown);
        if (unavailable != null) {
            context.unavailable(unavailable);
            missed.addAll(rest);
            return;
        }
        ErrorText error = SweepSqlErrors.error(thrown);
        for (RowKey each : rest) context.blame(session, each, error, thrown, thrown);
    }
}
