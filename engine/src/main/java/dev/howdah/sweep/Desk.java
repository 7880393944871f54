package dev.howdah.sweep;

import java.sql.SQLException;
import java.util.List;

/**
 * What a worker's work leaves behind: counts, errors, and the proof that the mark does what it should.
 *
 * @param attempts how often a row is tried
 * @param skippedSeconds for how long a row that has failed is passed over, the first time
 * @param mostFailures how many rows in a row may fail; 0: any number
 */
record Desk(Control control, Scout scout, Meter meter, int attempts, double skippedSeconds, int mostFailures) {
    /** A row could not be delivered, which is not its fault; false: it is to be offered again. */
    boolean unavailable(ReceiverUnavailableException e) {
        control.unavailable(Failures.text(e), e.retryAfter());
        return false;
    }

    /** A row has failed. */
    void blame(WorkSession session, Key key, String error) throws SQLException {
        blame(session, key, error, attempts);
    }

    private void blame(WorkSession session, Key key, String error, int tries) throws SQLException {
        boolean isFirst = session.blame(key, error, tries, skippedSeconds) == 1;
        control.errors(true);
        meter.failed(1);
        int failures = control.failed(isFirst);
        if (isFirst && failures == mostFailures)
            throw new SweepException(
                    failures + " rows in a row have failed, so the sweep was stopped. The last one was "
                            + Key.text(key.columns()) + ": " + error + ". Started again, it goes on");
    }

    /** A row has failed, and nobody should try it again by himself: its work is done. */
    void giveUp(WorkSession session, Key key, String error) throws SQLException {
        blame(session, key, error, 1);
    }

    /**
     * Rows were marked, and that is committed.
     *
     * @throws SweepException if the first ones are to do all the same: then all would be worked on again and again
     */
    void marked(WorkSession session, WorkSession.Marked marked) throws SQLException {
        if (!scout.isProven() && !marked.todo().isEmpty())
            throw new SweepException(
                    "the mark does not make the condition false: row "
                            + marked.todo().get(0)
                            + " is still to do after it was marked, and would be worked on again and again. Change the mark, or the condition");
        if (control.hasErrors()) session.forgive();
        for (Key each : marked.todo())
            giveUp(
                    session,
                    each,
                    "the mark does not make the condition false: the row was worked on, and is still to do");
        long done = marked.rows() - marked.todo().size();
        if (done > 0) {
            meter.done(done);
            control.done();
            scout.prove();
        }
    }

    /** Whether a row of the batch may be begun now; waits for the throttle. */
    boolean mayBegin(int rows) throws InterruptedException {
        return control.mayBegin() && control.acquire(rows);
    }

    static List<Key> rest(List<Key> keys, int from) {
        return List.copyOf(keys.subList(from, keys.size()));
    }
}
