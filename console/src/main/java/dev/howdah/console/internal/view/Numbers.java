package dev.howdah.console.internal.view;

import java.math.BigDecimal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers for people. */
public final class Numbers {
    private Numbers() {}

    /** With commas between thousands. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Such as {@code 1,234 jobs} or {@code 1 job}. */
    public static String of(long number, String one, String more) {
        return count(number) + " " + (number == 1 ? one : more);
    }

    /** Before the name of what a change of all is about: {@code all 1,234 }, {@code the only }; null: they were not counted. */
    public static String all(@Nullable Long number) {
        if (number == null) return "all ";
        return number == 1 ? "the only " : "all " + count(number) + " ";
    }

    /** A number that was counted up to a bound: {@code more than 10,000} beyond it. */
    public static String capped(long number, long cap) {
        return number > cap ? "more than " + count(cap) : count(number);
    }

    /** A number that may be larger: {@code more than 12,000}. */
    public static String atLeast(long number, boolean isMore) {
        return isMore ? "more than " + count(number) : count(number);
    }

    /** As a field of a form takes it: with no more digits after the point than it has, and no commas. */
    public static String plain(double number) {
        return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }

    /** By the second, below one by the minute. */
    public static String rate(double perSecond) {
        if (perSecond == 0) return "0/s";
        if (perSecond < 1) return String.format(Locale.ROOT, "%.1f/min", perSecond * 60);
        if (perSecond < 10) return String.format(Locale.ROOT, "%.1f/s", perSecond);
        return count(Math.round(perSecond)) + "/s";
    }
}
