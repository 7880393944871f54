package dev.howdah.sweep.internal.read;

import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.internal.control.SweepControl;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads ahead for the workers of a process and hands each of them keys of its own, so that they never meet in front of the
 * same rows. What they could not get is offered again. Runs in a thread of its own; workers call {@link #take} and {@link #settle}.
 */
public final class KeyPrefetcher implements Runnable {
    private static final int MOST_LEFT = 20_000;
    private static final long NAP_MILLIS = 50;
    private static final long LONGEST_NAP_MILLIS = 1_000;

    private final KeyScanner candidates;
    private final @Nullable RunStamper stamps;
    private final SweepControl control;
    private final int ahead;
    private final Consumer<Throwable> failed;
    private final Deque<RowKey> buffer = new ArrayDeque<>();
    private List<RowKey> left = new ArrayList<>();
    private boolean leftTooMany;
    private int out;
    private long got;
    private boolean over;
    private boolean proven;
    private boolean proving;
    private int disproofs;

    /**
     * @param stamps of the rows of the run, before any is read; null: there are none
     * @param ahead how many keys to have ready
     * @param failed told when the table cannot be read
     */
    public KeyPrefetcher(
            KeyScanner candidates,
            @Nullable RunStamper stamps,
            SweepControl control,
            int ahead,
            Consumer<Throwable> failed) {
        this.candidates = candidates;
        this.stamps = stamps;
        this.control = control;
        this.ahead = ahead;
        this.failed = failed;
    }

    /**
     * Keys for a worker; waits until there are some. Until it is known that the mark does what it should, one worker gets one
     * key, and the others wait.
     *
     * @return null when nothing is left, or nothing is to begin any more
     */
    @Nullable
    public List<RowKey> take(int most) throws InterruptedException {
        if (!control.awaitBegin()) return null;
        synchronized (this) {
            while (!over && !control.isEnding() && (buffer.isEmpty() || (!proven && proving))) wait(500);
            if (over || control.isEnding()) return null;
            int count = proven ? Math.min(most, buffer.size()) : 1;
            proving = !proven;
            List<RowKey> keys = new ArrayList<>(count);
            for (int i = 0; i < count; i++) keys.add(buffer.remove());
            out += count;
            if (buffer.size() <= ahead / 2) notifyAll();
            return keys;
        }
    }

    /**
     * What became of keys that a worker took.
     *
     * @param done how many are done, or have failed, and will not be offered again by the way
     * @param missed those that are to be offered again: another worker had them, or they were not begun
     */
    public synchronized void settle(int taken, long done, List<RowKey> missed) {
        out -= taken;
        got += done;
        if (left.size() + missed.size() > MOST_LEFT) leftTooMany = true;
        else left.addAll(missed);
        proving = false;
        notifyAll();
    }

    /** A row was marked, and is not to do any more. */
    public synchronized void prove() {
        proven = true;
    }

    /** A row was marked, and is to do all the same; returns how many of them there were before the first that is not. */
    public synchronized int disprove() {
        return proven ? 0 : ++disproofs;
    }

    public synchronized boolean isProven() {
        return proven;
    }

    /** Something has changed that a waiting worker should know. */
    public synchronized void wake() {
        notifyAll();
    }

    @Override
    public void run() {
        try {
            boolean more = stamps == null || stamps.complete();
            while (more && !control.isEnding()) more = pass();
            // A sweep has one connection to read with, and another one may not be left in the pool.
            candidates.close();
            if (stamps != null && !control.isEnding()) stamps.clear();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException | RuntimeException | Error e) {
            failed.accept(e);
        } finally {
            candidates.close();
            if (stamps != null) stamps.close();
            synchronized (this) {
                over = true;
                notifyAll();
            }
        }
    }

    /** Goes over the table once; false if there was nothing to do. */
    private boolean pass() throws SQLException, InterruptedException {
        long begun = System.nanoTime();
        candidates.rewind();
        long found = 0;
        while (!candidates.isAtEnd()) {
            if (!awaitRoom()) return false;
            List<RowKey> keys = read();
            found += keys.size();
            offer(keys);
        }
        long lasted = (System.nanoTime() - begun) / 1_000_000;
        boolean any = awaitSettled();
        if (found == 0) return awaitRetry();
        long nap = NAP_MILLIS;
        while (true) {
            List<RowKey> again = takeLeft();
            if (again.isEmpty()) break;
            if (!nap(nap)) return false;
            offer(again);
            any = awaitSettled();
            nap = any ? NAP_MILLIS : Math.min(nap * 2, LONGEST_NAP_MILLIS);
        }
        // Others have what is left: the table is not read without a pause, the less so the longer that takes.
        return any || nap(Math.max(NAP_MILLIS, Math.min(lasted, 5 * LONGEST_NAP_MILLIS)));
    }

    private List<RowKey> read() throws SQLException, InterruptedException {
        long nap = NAP_MILLIS;
        while (true) {
            try {
                return candidates.read(ahead);
            } catch (SQLException e) {
                pardon(e);
                control.databaseOutage().failed("rows that are to do cannot be read", SweepSqlErrors.text(e));
                if (!nap(nap)) return List.of();
                nap = Math.min(nap * 2, 5 * LONGEST_NAP_MILLIS);
            }
        }
    }

    /** What may be different in another session is no reason to give up. */
    private void pardon(SQLException e) throws SQLException {
        candidates.close();
        if (!SqlErrors.isConnectionLost(e) && !SqlErrors.isOutOfResources(e) && !SqlErrors.isConflict(e)) throw e;
    }

    /** False if nothing that has failed will be tried again. */
    private boolean awaitRetry() throws SQLException, InterruptedException {
        long millis;
        try {
            millis = candidates.retryIn();
        } catch (SQLException e) {
            pardon(e);
            millis = LONGEST_NAP_MILLIS;
        }
        return millis >= 0 && nap(Math.min(Math.max(millis, NAP_MILLIS), LONGEST_NAP_MILLIS));
    }

    /** Until there is room for more keys; looks back meanwhile. False if nothing is to begin any more. */
    private boolean awaitRoom() throws SQLException, InterruptedException {
        while (isFull(candidates.canLookBack())) {
            try {
                candidates.lookBack();
            } catch (SQLException e) {
                pardon(e);
            }
        }
        return !control.isEnding();
    }

    /** @param busy whether there is something else to do meanwhile; else it waits until it is not full any more */
    private synchronized boolean isFull(boolean busy) throws InterruptedException {
        while (!busy && buffer.size() > ahead / 2 && !control.isEnding()) wait(500);
        return buffer.size() > ahead / 2 && !control.isEnding();
    }

    /** Until all that was offered has been settled; returns whether a worker got any of it. */
    private synchronized boolean awaitSettled() throws InterruptedException {
        while ((!buffer.isEmpty() || out > 0) && !control.isEnding()) wait(500);
        boolean any = got > 0;
        got = 0;
        return any;
    }

    private synchronized void offer(List<RowKey> keys) {
        buffer.addAll(keys);
        notifyAll();
    }

    /** What is to be offered again; nothing if it was too much to remember: then the table is read again. */
    private synchronized List<RowKey> takeLeft() {
        List<RowKey> taken = leftTooMany ? List.of() : left;
        left = new ArrayList<>();
        leftTooMany = false;
        return taken;
    }

    private synchronized boolean nap(long millis) throws InterruptedException {
        long until = System.nanoTime() + millis * 1_000_000;
        for (long rest = millis; rest > 0 && !control.isEnding(); rest = (until - System.nanoTime()) / 1_000_000)
            wait(rest);
        return !control.isEnding();
    }
}
