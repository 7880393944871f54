package dev.howdah.internal.error;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs an outage of the database in few lines, however many threads of a feature try again: one at WARN when it begins, at most
 * one a minute while it lasts, and one at INFO when it ends. A further outage within a minute is logged when that minute is over,
 * if it lasts so long. Retries that are left out are logged at DEBUG. Safe for use by many threads.
 */
public final class OutageLog {
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final String feature;
    private final LongSupplier clock;
    private volatile @Nullable String reason;
    private boolean logged;
    private boolean ever;
    private long since;
    private long lastLine;
    private long leftOut;

    /** @param feature that the lines begin with, such as "processes" */
    public OutageLog(Logger log, String feature) {
        this(log, feature, System::nanoTime);
    }

    /** @param clock in nanoseconds */
    OutageLog(Logger log, String feature, LongSupplier clock) {
        this.log = log;
        this.feature = feature;
        this.clock = clock;
    }

    /**
     * The database could not be reached, or could not do it, and is asked again.
     *
     * @param what cannot be done for the time being
     * @param why in one line
     */
    public synchronized void failed(String what, String why) {
        long now = clock.getAsLong();
        boolean begins = reason == null;
        reason = what + ": " + why;
        if (begins) {
            logged = false;
            since = now;
        }
        if (ever && now - lastLine < PAUSE_NANOS) {
            leftOut++;
            log.debug("{}: {}: {}", feature, what, why);
            return;
        }
        String more = leftOut == 0 ? "" : " (" + leftOut + " more failures since the line before)";
        log.warn("{}: {}, trying again until it works: {}{}", feature, what, why, more);
        ever = true;
        logged = true;
        lastLine = now;
        leftOut = 0;
    }

    /** The database has done what it was asked. Costs next to nothing without an outage. */
    public void worked() {
        if (reason != null) end();
    }

    /** What cannot be done now, and why; null: there is no outage. */
    public @Nullable String reason() {
        return reason;
    }

    private synchronized void end() {
        if (reason == null) return;
        reason = null;
        if (!logged) return;
        long seconds = TimeUnit.NANOSECONDS.toSeconds(clock.getAsLong() - since);
        log.info(
                "{}: the database works again, {} s after the first failure; {} failures were not logged",
                feature,
                seconds,
                leftOut);
        leftOut = 0;
    }
}
