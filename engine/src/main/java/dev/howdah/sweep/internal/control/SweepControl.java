package dev.howdah.sweep.internal.control;

import dev.howdah.internal.error.OutageLog;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The permission of the workers of a process to begin rows. Safe for use by many threads. */
public final class SweepControl {
    private boolean paused;
    private @Nullable String held;
    private @Nullable String closed;
    private @Nullable String busy;
    private final ReceiverOutage outage = new ReceiverOutage();
    private final OutageLog databaseOutage = new OutageLog(LoggerFactory.getLogger(SweepControl.class), "sweeps");
    private @Nullable ReceiverPause asked;
    private int failuresInARow;
    private long failedForGood;
    private boolean ending;
    private volatile boolean errors;
    private double perSecond;
    private long nextNanos = System.nanoTime();

    /** For all threads that try again while the database cannot be reached. */
    public OutageLog databaseOutage() {
        return databaseOutage;
    }

    /** What the book says. */
    public synchronized void pause(boolean isPaused) {
        paused = isPaused;
        notifyAll();
    }

    /** @param reason why nothing is to begin; null: no reason any more */
    public synchronized void hold(@Nullable String reason) {
        held = reason;
        notifyAll();
    }

    /** @param reason why nothing is to begin at this time of the day; null: it may */
    public synchronized void close(@Nullable String reason) {
        if (Objects.equals(closed, reason)) return;
        closed = reason;
        notifyAll();
    }

    /** @param what has to be done before the first row, for people; null: nothing any more */
    public synchronized void prepare(@Nullable String what) {
        busy = what;
    }

    /** Why nothing begins, apart from a pause. */
    synchronized @Nullable public String held() {
        return held != null ? held : closed != null ? closed : busy != null ? busy : outage.reason();
    }

    /** A row could not be delivered, which is not the row's fault: rows wait for a while. */
    public synchronized void unavailable(String why, @Nullable Duration atLeast) {
        outage.begin(why, atLeast);
        if (atLeast != null) asked = new ReceiverPause(why, atLeast);
        notifyAll();
    }

    /** The receiver has asked another process for a pause. */
    public synchronized void rest(ReceiverPause pause) {
        outage.rest(pause);
        notifyAll();
    }

    /**
     * Why the receiver is unavailable, if it has been so for that long; else null. Has to be asked again and again: only time between two
     * calls counts in which rows could have begun.
     */
    public synchronized @Nullable String outage(Duration most) {
        return outage.lasted(isOpen()).compareTo(most) < 0 ? null : outage.reason();
    }

    /** A pause that the receiver has asked this process for, and that others have not been told of; null: there is none. */
    synchronized @Nullable public ReceiverPause takePause() {
        ReceiverPause pause = asked;
        asked = null;
        return pause;
    }

    /** Rows were done. */
    public synchronized void done() {
        failuresInARow = 0;
        available();
    }

    /**
     * A row has failed.
     *
     * @param isFirst whether for the first time
     * @return how many in a row have failed for the first time
     */
    public synchronized int failed(boolean isFirst) {
        available();
        return isFirst ? ++failuresInARow : failuresInARow;
    }

    /** @param rows how many have failed for good in all processes, as the database says */
    public synchronized void failedForGood(long rows) {
        failedForGood = rows;
    }

    /** A row has failed for good; returns how many have, as far as this process knows. */
    public synchronized long failedForGood() {
        return ++failedForGood;
    }

    private void available() {
        if (outage.reason() == null) return;
        outage.end();
        notifyAll();
    }

    /** The worker of this thread begins nothing any more. */
    public synchronized void leave() {
        outage.leave();
        notifyAll();
    }

    /** @param rowsPerSecond of this process; 0: as many as it can */
    public synchronized void throttle(double rowsPerSecond) {
        if (perSecond == rowsPerSecond) return;
        perSecond = rowsPerSecond;
        nextNanos = System.nanoTime();
        notifyAll();
    }

    /** How many rows a batch may have so that no caller waits for much longer than a moment. */
    public synchronized int most(int batch) {
        if (outage.reason() != null) return 1;
        return perSecond <= 0 ? batch : (int) Math.max(1, Math.min(batch, perSecond / 4));
    }

    /** @param known whether rows of the sweep have failed */
    public void errors(boolean known) {
        errors = known;
    }

    /** Returns whether a row that is done may have failed before. */
    public boolean hasErrors() {
        return errors;
    }

    /** Nothing begins any more. */
    public synchronized void end() {
        ending = true;
        notifyAll();
    }

    public synchronized boolean isEnding() {
        return ending;
    }

    /** Returns whether a worker may begin something now. */
    public synchronized boolean mayBegin() {
        return isOpen() && outage.mayBegin();
    }

    /** Waits until a worker may begin something; false: it never may again. */
    public synchronized boolean awaitBegin() throws InterruptedException {
        while (!ending && (!isOpen() || !outage.mayBegin())) wait(isOpen() ? outage.waitMillis() : 0);
        return !ending;
    }

    private boolean isOpen() {
        return !ending && !paused && held == null && closed == null;
    }

    /** Waits until so many rows may be begun; false: they may not. */
    public boolean acquire(int rows) throws InterruptedException {
        long at;
        synchronized (this) {
            if (perSecond <= 0) return mayBegin();
            at = Math.max(nextNanos, System.nanoTime());
            nextNanos = at + (long) (rows * 1e9 / perSecond);
        }
        for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
            synchronized (this) {
                if (ending || paused) return false;
                TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, 200_000_000));
                if (perSecond <= 0) break;
            }
        }
        return mayBegin();
    }
}
