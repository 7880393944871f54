package dev.howdah.console.internal.live;

import java.util.concurrent.TimeUnit;

/**
 * How many statements pages that are looked at may cost: so many a second, whatever is open and however much changes. Not safe for use by
 * many threads.
 */
final class StatementBudget {
    /** Of the sessions that are taken for statements some send two: fewer than 20 statements. */
    private static final double A_SECOND = 9;

    /** Saved up while nothing changed: an overview is read at once. */
    private static final double MOST = 32;

    /** From this time between two reads of a page on, it is said. */
    private static final double SAID_SECONDS = 3;

    private double left = MOST;
    private long at;

    /** @param now of {@link System#nanoTime} */
    StatementBudget(long now) {
        at = now;
    }

    /** Whether there is something left for another page. */
    boolean hasLeft(long now) {
        left = Math.min(MOST, left + (now - at) * A_SECOND / TimeUnit.SECONDS.toNanos(1));
        at = now;
        return left > 0;
    }

    void spend(long statements) {
        left -= statements;
    }

    /**
     * The seconds between two reads of a page while everything changes all the time; 0: so few that it need not be said.
     *
     * @param statements that all pages cost
     */
    static int pace(long statements, double otherStatementsASecond) {
        double seconds = statements / (A_SECOND - otherStatementsASecond);
        if (seconds < SAID_SECONDS) return 0;
        return seconds < 10 ? (int) Math.ceil(seconds) : (int) Math.ceil(seconds / 5) * 5;
    }
}
