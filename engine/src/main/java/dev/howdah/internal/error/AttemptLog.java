package dev.howdah.internal.error;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

/**
 * Logs failed attempts of user code: one that is tried again in one line at WARN, with its stack trace if it is the first of its kind and error, or the
 * level DEBUG is on; one that is the last at ERROR with its stack trace. Each of the two levels has at most 100 lines at once and 10 a second after that; the next line that is logged says how many were
 * left out. Safe for use by many threads.
 */
public final class AttemptLog {
    private static final int BURST = 100;
    private static final long NANOS_A_LINE = 100_000_000;
    /** As many are remembered; then the first ones are logged with their stack traces once more. */
    private static final int MOST_KNOWN = 500;

    private final Logger log;
    private final Allowance warnings;
    private final Allowance errors;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    public AttemptLog(Logger log) {
        this(log, System::nanoTime);
    }

    /** @param clock in nanoseconds */
    AttemptLog(Logger log, LongSupplier clock) {
        this.log = log;
        this.warnings = new Allowance(clock);
        this.errors = new Allowance(clock);
    }

    /**
     * An attempt has failed and is made again, and user code has said so itself; or it has an end that is to be looked at.
     *
     * @param what which attempt of what, and when it is made again
     */
    public void retry(ErrorText error, String what, Object... values) {
        retry(error, null, "", what, values);
    }

    /**
     * An attempt has failed and is made again.
     *
     * @param thrown what user code has thrown; null: it has said so itself
     * @param kind of the work
     * @param what which attempt of what, and when it is made again
     */
    public void retry(ErrorText error, @Nullable Throwable thrown, String kind, String what, Object... values) {
        if (!log.isWarnEnabled()) return;
        long leftOut = warnings.take();
        if (leftOut < 0) return;
        String message = format(what, values);
        if (thrown != null && error.isRegular() && (log.isDebugEnabled() || isFirst(kind, thrown))) {
            boolean logged = safely(() -> log.warn("{}: {}{}", message, error.line(), more(leftOut), thrown));
            if (logged) return;
        }
        safely(() -> log.warn("{}: {}{}", message, error.line(), more(leftOut)));
    }

    /** Errors are the same if they have the same class and come from the same place. */
    private boolean isFirst(String kind, Throwable thrown) {
        StackTraceElement[] trace = thrown.getStackTrace();
        String place = trace.length == 0 ? "" : trace[0].toString();
        if (known.size() >= MOST_KNOWN) known.clear();
        return known.add(kind + '\n' + thrown.getClass().getName() + '\n' + place);
    }

    /**
     * The last attempt has failed.
     *
     * @param thrown what user code has thrown; null: it has said so itself
     */
    public void failed(ErrorText error, @Nullable Throwable thrown, String what, Object... values) {
        if (!log.isErrorEnabled()) return;
        long leftOut = errors.take();
        if (leftOut < 0) return;
        String message = format(what, values);
        if (thrown != null && error.isRegular()) {
            boolean logged = safely(() -> log.error("{}: {}{}", message, error.line(), more(leftOut), thrown));
            if (logged) return;
        }
        safely(() -> log.error("{}: {}{}", message, error.text(), more(leftOut)));
    }

    private static String format(String what, Object... values) {
        // Names of queues, kinds and workers among them, in which others may have put anything.
        return PlainText.line(
                String.valueOf(MessageFormatter.arrayFormat(what, values).getMessage()));
    }

    private static String more(long leftOut) {
        return leftOut == 0 ? "" : " (" + leftOut + " more failed attempts were not logged)";
    }

    /** An appender may call methods of what was thrown; that is no reason to end a worker. */
    private static boolean safely(Runnable logging) {
        try {
            logging.run();
            return true;
        } catch (Throwable e) {
            return false;
        }
    }

    /** A bucket of lines that fills up again with time. */
    private static final class Allowance {
        private final LongSupplier clock;
        private long lines = BURST;
        private long filled;
        private long leftOut;

        Allowance(LongSupplier clock) {
            this.clock = clock;
            this.filled = clock.getAsLong();
        }

        /** How many lines were left out since the last one; -1: this one is left out, too. */
        synchronized long take() {
            long now = clock.getAsLong();
            long fresh = (now - filled) / NANOS_A_LINE;
            if (fresh > 0) {
                lines = Math.min(BURST, lines + fresh);
                filled += fresh * NANOS_A_LINE;
            }
            if (lines == 0) {
                leftOut++;
                return -1;
            }
            lines--;
            long before = leftOut;
            leftOut = 0;
            return before;
        }
    }
}
