package dev.howdah.console.internal.view;

import java.util.Locale;

/** Numbers for people. */
public final class Numbers {
    private Numbers() {}

    /** With commas between thousands. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** A number that was counted up to a bound: {@code more than 10,000} beyond it. */
    public static String capped(long number, long cap) {
        return number > cap ? "more than " + count(cap) : count(number);
    }

    /** A number that may be larger: {@code more than 12,000}. */
    public static String atLeast(long number, boolean isMore) {
        return isMore ? "more than " + count(number) : count(number);
    }

    /** By the second, below one by the minute. */
    public static String rate(double perSecond) {
        if (perSecond == 0) return "0/s";
        if (perSecond < 1) return String.format(Locale.ROOT, "%.1f/min", perSecond * 60);
        if (perSecond < 10) return String.format(Locale.ROOT, "%.1f/s", perSecond);
        return count(Math.round(perSecond)) + "/s";
    }
}
