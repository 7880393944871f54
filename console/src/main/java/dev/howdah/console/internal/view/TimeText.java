package dev.howdah.console.internal.view;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** TimeText and durations for people. Without a script they are in UTC; the script shows them in the reader's zone. */
public final class TimeText {
    private static final DateTimeFormatter SHOWN =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("yyyy-MM-dd", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    private TimeText() {}

    /** In UTC; the ends of the calendar by PostgreSQL's words. */
    public static String text(Instant time) {
        if (time.equals(Instant.MAX)) return "infinity";
        if (time.equals(Instant.MIN)) return "-infinity";
        return SHOWN.format(time) + " UTC";
    }

    /** As a tick of an axis, in UTC: the day, or the time of day. */
    public static String tick(Instant time, boolean isDay) {
        return (isDay ? DAY : CLOCK).format(time);
    }

    /** As the attribute of a {@code time} element; empty for the ends of the calendar. */
    public static String machine(Instant time) {
        if (time.equals(Instant.MAX) || time.equals(Instant.MIN)) return "";
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /** Such as {@code 850 ms}, {@code 12.4 s}, {@code 3 min 20 s}. */
    public static String duration(@Nullable Instant from, @Nullable Instant to) {
        if (from == null || to == null) return "";
        return duration(Duration.between(from, to));
    }

    /** Such as {@code 850 ms}, {@code 12.4 s}, {@code 3 min 20 s}, {@code 2 h 5 min}, {@code 3 d 4 h}. */
    public static String duration(Duration time) {
        if (time.isNegative()) return "0 ms";
        long seconds = time.toSeconds();
        if (seconds < 1) return time.toMillis() + " ms";
        if (seconds < 60) return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
        if (seconds < 3600) return two(seconds / 60, "min", seconds % 60, "s");
        if (seconds < 86_400) return two(seconds / 3600, "h", seconds / 60 % 60, "min");
        return two(seconds / 86_400, "d", seconds / 3600 % 24, "h");
    }

    private static String two(long large, String unit, long small, String smaller) {
        return large + " " + unit + (small == 0 ? "" : " " + small + " " + smaller);
    }
}
