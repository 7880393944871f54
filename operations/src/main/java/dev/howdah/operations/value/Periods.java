package dev.howdah.operations.value;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Periods as people type them. */
public final class Periods {
    private static final int NANOS_OF_MILLI = 1_000_000;

    private static final Pattern PART = Pattern.compile(
            "\\G\\s*(\\d{1,9})\\s*(d|days?|h|hours?|min|minutes?|m|s|sec|seconds?|ms|milliseconds?)(?![a-z])\\s*");

    private Periods() {}

    /**
     * Reads {@code 90 s}, {@code 5 min}, {@code 1 h 30 min}, {@code 2 days}, {@code 0}, or ISO 8601 such as {@code PT5M}.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static Duration parse(String text) {
        String plain = text.strip().toLowerCase(Locale.ROOT);
        if (plain.startsWith("p")) {
            try {
                return Duration.parse(plain);
            } catch (DateTimeException e) {
                throw none(text);
            }
        }
        if (plain.equals("0")) return Duration.ZERO;
        Matcher part = PART.matcher(plain);
        Duration whole = Duration.ZERO;
        int end = 0;
        while (end < plain.length() && part.find()) {
            whole = whole.plus(Duration.of(Long.parseLong(part.group(1)), unit(part.group(2))));
            end = part.end();
        }
        if (plain.isEmpty() || end < plain.length()) throw none(text);
        return whole;
    }

    /** A period as people read it, such as {@code 1 h 30 min}, which {@link #parse} reads too. */
    public static String words(Duration period) {
        StringBuilder words = new StringBuilder();
        add(words, period.toDays(), "d");
        add(words, period.toHoursPart(), "h");
        add(words, period.toMinutesPart(), "min");
        if (period.toNanosPart() % NANOS_OF_MILLI != 0) return period.toString();
        add(words, period.toSecondsPart(), "s");
        add(words, period.toMillisPart(), "ms");
        return words.length() == 0 ? "0" : words.toString();
    }

    private static void add(StringBuilder words, long number, String unit) {
        if (number != 0)
            words.append(words.length() == 0 ? "" : " ")
                    .append(number)
                    .append(' ')
                    .append(unit);
    }

    private static ChronoUnit unit(String name) {
        if (name.equals("ms") || name.startsWith("milli")) return ChronoUnit.MILLIS;
        return switch (name.charAt(0)) {
            case 'd' -> ChronoUnit.DAYS;
            case 'h' -> ChronoUnit.HOURS;
            case 's' -> ChronoUnit.SECONDS;
            default -> ChronoUnit.MINUTES;
        };
    }

    private static IllegalArgumentException none(String text) {
        return new IllegalArgumentException(
                "a period is written as 90 s, 5 min, 1 h 30 min, 2 d or PT5M, not \"" + text + "\"");
    }
}
