package dev.howdah.sweep.internal.work;

import dev.howdah.internal.error.AttemptLog;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.LogContext;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.ReceiverUnavailableException;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepRow;
import dev.howdah.sweep.internal.control.SweepControl;
import dev.howdah.sweep.internal.read.KeyPrefetcher;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The context of a worker: counts, errors, and the proof that the mark does what it should.
 *
 * @param worked the rows that this process has marked
 * @param isGuarded whether something on the table can drop the mark of a row or take it back
 * @param log where rows that have failed are logged
 * @param retries decides when a row that has failed is tried again
 * @param mostFailures how many rows in a row may fail; 0: any number
 * @param mostFailed how many rows may fail for good, in all processes; 0: any number
 */
public record WorkerContext(
        String sweep,
        SweepControl control,
        KeyPrefetcher prefetcher,
        WorkedRows worked,
        boolean isGuarded,
        WorkerCounters counters,
        SweepMetrics metrics,
        AttemptLog log,
        RetryPolicy retries,
        int mostFailures,
        long mostFailed) {
    private static final int LONGEST_ERROR = 4_000;
    /** So many rows in a row without a mark, before any has one, show that the mark is wrong. */
    private static final int MOST_DISPROOFS = 10;

    private static final String STILL =
            "the mark does not make the condition false: the row was processed, and still matches it";
    private static final String UNDONE =
            "the mark does not make the condition false: the row still matches it after its"
                    + " mark, so its work was rolled back";
    private static final String AGAIN =
            "the row was processed and marked in this run, and matches the condition once more:"
                    + " something has taken its mark back";

    /** A row could not be delivered, which is not its fault; false: it is to be offered again. */
    boolean unavailable(ReceiverUnavailableException e) {
        control.unavailable(SweepSqlErrors.text(e), e.retryAfter());
        return false;
    }

    /** What the MDC holds while the user's code works on that row. */
    LogContext logContext(RowKey key) {
        if (LogContext.isOff()) return LogContext.off();
        return LogContext.of("feature", "sweeps", "sweep", sweep, "key", key.toString());
    }

    /**
     * A row has failed. Most failures are the first of their rows: one statement writes them, with the delay of a first attempt.
     *
     * @param failure an exception of the user's code, or of the database
     * @param logged the exception whose stack trace is logged; null: none
     */
    void blame(LockingSession session, RowKey key, ErrorText error, Throwable failure, @Nullable Throwable logged)
            throws SQLException {
        for (int attempt = 1; ; ) {
            RetryDelay retry = RetryDelay.ask(retries, attempt, failure, error);
            LockingSession.Blamed blamed =
                    session.blame(key, retry.error().text(LONGEST_ERROR), attempt, retry.seconds());
            if (blamed.isWritten()) {
                failed(key, retry, blamed.attempts(), logged);
                return;
            }
            attempt = blamed.attempts() + 1;
        }
    }

    private void failed(RowKey key, RetryDelay retry, int attempts, @Nullable Throwable logged) {
        ErrorText error = retry.error();
        boolean isFirst = attempts == 1;
        // That of a receiver's answer, which is said in words.
        Throwable trace = logged instanceof SweepException ? null : logged;
        if (retry.delay() == null) log.failed(error, trace, "row {} of sweep {} failed for good", key, sweep);
        else log.retry(error, "attempt {} of row {} of sweep {} failed", attempts, key, sweep);
        control.errors(true);
        counters.failed(1);
        metrics.failed(retry.delay() == null);
        int failures = control.failed(isFirst);
        if (isFirst && failures == mostFailures)
            throw new SweepException(
                    failures + " rows in a row have failed, so the sweep was stopped. The last one was "
                            + RowKey.text(key.columns()) + ": " + error.line() + ". Started again, it goes on");
        if (retry.delay() != null || mostFailed == 0) return;
        long failed = control.failedForGood();
        if (failed >= mostFailed) throw tooManyFailed(failed);
    }

    /** The end of a sweep of which too many rows have failed for good. */
    public static SweepException tooManyFailed(long rows) {
        return new SweepException(rows + (rows == 1 ? " row has" : " rows have")
                + " failed for good, so the sweep was stopped. Started again with those retried, or with a higher"
                + " limit, it goes on");
    }

    /** A row has failed, and is tried again on request only: its work is done. */
    void giveUp(LockingSession session, RowKey key, String error) throws SQLException {
        LockingSession.Blamed blamed = session.blame(key, ErrorText.of(error).text(LONGEST_ERROR), null, null);
        failed(key, new RetryDelay(null, ErrorText.of(error)), blamed.attempts(), null);
    }

    /** As {@link LockingSession#take}, without rows that were marked in this run: those have failed. */
    LockingSession.Taken take(LockingSession session, List<RowKey> keys) throws SQLException {
        LockingSession.Taken taken = session.take(keys);
        List<SweepRow> rows = new ArrayList<>();
        List<RowKey> again = new ArrayList<>();
        for (SweepRow each : taken.rows()) {
            RowKey key = new RowKey(each.key());
            if (worked.contains(key)) again.add(key);
            else rows.add(each);
        }
        if (again.isEmpty()) return taken;
        for (RowKey each : again) {
            giveUp(session, each, AGAIN);
            worked.remove(each);
        }
        session.unlock(again);
        return new LockingSession.Taken(rows, taken.others());
    }

    /** The mark of a row has not made the condition false, so the transaction of its work was rolled back. */
    void notMarked(LockingSession session, RowKey key) throws SQLException {
        checkMark(key);
        blame(session, key, ErrorText.of(UNDONE), new SweepException(UNDONE), null);
    }

    /** @throws SweepException if the first rows are to do all the same: then the mark is wrong for all */
    private void checkMark(RowKey key) {
        if (prefetcher.isProven() || prefetcher.disprove() < (isGuarded ? MOST_DISPROOFS : 1)) return;
        throw new SweepException(
                "the mark does not make the condition false: row "
                        + key
                        + " still matches the condition after its mark, and would be processed again and again. Change the mark, or the condition");
    }

    /**
     * Rows were marked, and that is committed.
     *
     * @param keys of all of them; none if it is not known which they were
     * @throws SweepException if the first ones are to do all the same: then all would be worked on again and again
     */
    void marked(LockingSession session, List<RowKey> keys, LockingSession.Marked marked) throws SQLException {
        if (control.hasErrors()) session.forgive();
        for (RowKey each : marked.todo()) {
            checkMark(each);
            giveUp(session, each, STILL);
        }
        List<RowKey> taken = new ArrayList<>(keys);
        taken.removeAll(Set.copyOf(marked.todo()));
        worked.add(session.epoch(), taken);
        long done = marked.rows() - marked.todo().size();
        if (done > 0) {
            counters.done(done);
            metrics.done(done);
            control.done();
            prefetcher.prove();
        }
    }

    /** Returns whether a row of the batch may be begun now; waits for the throttle. */
    boolean mayBegin(int rows) throws InterruptedException {
        return control.mayBegin() && control.acquire(rows);
    }
}
