package dev.howdah.console.internal.form;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Periods as people type them. */
public final class Periods {
    private static final Pattern PART = Pattern.compile("\\G\\s*(\\d{1,9})\\s*(d|h|min|m|s)(?![a-z])\\s*");

    private Periods() {}

    /**
     * Reads {@code 90 s}, {@code 5 min}, {@code 1 h 30 min}, {@code 2 d}, or ISO 8601 such as {@code PT5M}.
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
        Matcher part = PART.matcher(plain);
        Duration whole = Duration.ZERO;
        int end = 0;
        while (end < plain.length() && part.find()) {
            long number = Long.parseLong(part.group(1));
            whole = whole.plus(
                    switch (part.group(2)) {
                        case "d" -> Duration.ofDays(number);
                        case "h" -> Duration.ofHours(number);
                        case "s" -> Duration.ofSeconds(number);
                        default -> Duration.ofMinutes(number);
                    });
            end = part.end();
        }
        if (plain.isEmpty() || end < plain.length()) throw none(text);
        return whole;
    }

    private static IllegalArgumentException none(String text) {
        return new IllegalArgumentException(
                "a period is written as 90 s, 5 min, 1 h 30 min, 2 d or PT5M, not \"" + text + "\"");
    }
}
