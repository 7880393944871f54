package dev.howdah.daemon.cli.top.list;

import dev.howdah.health.Cause;
import dev.howdah.internal.error.PlainText;
import dev.howdah.operations.value.Moments;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Values for people, without anything that a terminal would carry out. */
public final class TopText {
    private static final int MOST_LINES = 200;

    private TopText() {}

    /** The first line that is not blank. */
    public static String line(@Nullable String text) {
        if (text == null) return "";
        String first = text.lines()
                .filter(each -> !each.isBlank())
                .findFirst()
                .orElse("")
                .strip();
        return PlainText.of(first.replace('\t', ' '));
    }

    /** Adds a heading and all lines of a text, if there is one. */
    public static void add(List<String> lines, String heading, @Nullable String text) {
        if (text == null || text.isBlank()) return;
        lines.add("");
        lines.add(heading);
        text.lines().limit(MOST_LINES).forEach(each -> lines.add("  " + PlainText.of(each.replace('\t', ' '))));
    }

    /** Adds the causes. */
    public static void add(List<String> lines, List<Cause> causes) {
        lines.add("");
        lines.add("Why");
        for (Cause each : causes) {
            lines.add("  " + line(each.sentence()));
            if (each.remedy() != null) add(lines, "  What to do", each.remedy());
        }
    }

    /** A list of names and values; those without a value are left out. */
    public static List<String> pairs(@Nullable String... pairs) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2)
            if (pairs[i + 1] != null && !pairs[i + 1].isEmpty())
                lines.add(String.format(Locale.ROOT, "%-10s  %s", pairs[i], line(pairs[i + 1])));
        return lines;
    }

    /** Such as {@code 1,234 jobs} or {@code 1 job}. */
    public static String of(long number, String one, String more) {
        return count(number) + " " + (number == 1 ? one : more);
    }

    public static @Nullable String time(@Nullable Instant time) {
        if (time == null) return null;
        boolean isEver = time.equals(Instant.MAX) || time.equals(Instant.MIN);
        return Moments.text(isEver ? time : time.truncatedTo(ChronoUnit.SECONDS));
    }

    /** How long ago, or {@code in} how long; empty: there is no time. */
    public static String age(@Nullable Instant time, Instant now) {
        if (time == null || time.equals(Instant.MIN)) return "";
        if (time.equals(Instant.MAX)) return "never";
        return time.isAfter(now) ? "in " + duration(now, time) : duration(time, now);
    }

    private static String duration(Instant from, Instant to) {
        return duration(Duration.between(from, to));
    }

    /** In two units at most, such as {@code 3m20s}. */
    public static String duration(Duration time) {
        long seconds = time.toSeconds();
        if (seconds < 60) return seconds + "s";
        if (seconds < 3_600) return seconds / 60 + "m" + seconds % 60 + "s";
        if (seconds < 86_400) return seconds / 3_600 + "h" + seconds % 3_600 / 60 + "m";
        return seconds / 86_400 + "d" + seconds % 86_400 / 3_600 + "h";
    }

    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** A number that is a lower bound unless it is exact: {@code 10,000+}. */
    public static String counted(long number, boolean isExact) {
        return count(number) + (isExact ? "" : "+");
    }

    /** A number that was counted up to a bound. */
    public static String capped(long number, long cap) {
        return counted(Math.min(number, cap), number <= cap);
    }
}
