package dev.howdah.testkit.internal.sql;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The time of work that runs in threads of its own: waits until nothing is left that is due, and moves the rows from one due time to the
 * next.
 */
public final class Settling {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int LOOK_MILLIS = 3;

    private final String what;
    private final Supplier<List<String>> unsettled;
    private final Supplier<@Nullable Long> nextDue;
    private final LongConsumer advance;

    /**
     * @param what the things, for messages
     * @param unsettled those that run or are due
     * @param nextDue in how many microseconds the next one is due; null: none
     * @param advance moves the rows by so many microseconds
     */
    public Settling(
            String what, Supplier<List<String>> unsettled, Supplier<@Nullable Long> nextDue, LongConsumer advance) {
        this.what = what;
        this.unsettled = unsettled;
        this.nextDue = nextDue;
        this.advance = advance;
    }

    /**
     * Waits until nothing runs or is due.
     *
     * @throws AssertionError if what is left stays the same for half a minute
     */
    public void settle() {
        List<String> left = unsettled.get();
        List<String> seen = left;
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!left.isEmpty()) {
            if (!left.equals(seen)) until = System.nanoTime() + PATIENCE.toNanos();
            seen = left;
            if (System.nanoTime() - until > 0)
                throw new AssertionError(
                        what + " are due and do not end in " + PATIENCE.toSeconds() + " seconds: " + left);
            pause();
            left = unsettled.get();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", e);
        }
    }

    /** Lets time pass, from one due time to the next; settles at each. */
    public void pass(Duration time) {
        if (time.isNegative()) throw new IllegalArgumentException("time does not go back, not by " + time);
        long left = TimeUnit.MICROSECONDS.convert(time);
        settle();
        for (Long next = nextDue.get(); next != null && next <= left; next = nextDue.get()) {
            long micros = Math.max(next, 0) + 1;
            advance.accept(micros);
            left -= micros;
            settle();
        }
        if (left > 0) advance.accept(left);
        settle();
    }
}
