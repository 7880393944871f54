package dev.howdah.console.internal.view;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers for people. */
public final class Numbers {
    private Numbers() {}

    /** With commas between thousands. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** A number that is a lower bound unless it is exact: {@code 10,000+}. */
    public static String counted(long number, boolean isExact) {
        return count(number) + (isExact ? "" : "+");
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

    /** A number that was counted up to a bound: {@code 10,000+} beyond it. */
    public static String capped(long number, long cap) {
        return counted(Math.min(number, cap), number <= cap);
    }

    /** By the second, below one by the minute. */
    public static String rate(double perSecond) {
        if (perSecond == 0) return "0/s";
        if (perSecond < 1) return String.format(Locale.ROOT, "%.1f/min", perSecond * 60);
        if (perSecond < 10) return String.format(Locale.ROOT, "%.1f/s", perSecond);
        return count(Math.round(perSecond)) + "/s";
    }
}
