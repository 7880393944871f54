package dev.howdah.operations.value;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Moments as people type them. */
public final class Moments {
    private static final DateTimeFormatter TYPED =
            DateTimeFormatter.ofPattern("yyyy-MM-dd['T'][' ']HH:mm[:ss][' '][XXX][X]", Locale.ROOT);

    private static final String DAY = "\\d{4}-\\d{2}-\\d{2}";

    private static final String LOCAL = DAY + "[T ]\\d{2}:\\d{2}(:\\d{2})?";

    private static final String AGO = "-\\d{1,4}[hd]";

    private static final String SINCE = " ago";

    private Moments() {}

    /** For programs: ISO 8601 in UTC, or PostgreSQL's two infinities. */
    public static String text(Instant time) {
        if (time.equals(Instant.MAX)) return "infinity";
        return time.equals(Instant.MIN) ? "-infinity" : time.toString();
    }

    /**
     * Reads a day or a time without a zone in UTC too, such as {@code 2026-11-25}, and a time so long ago, such as {@code -1h} or
     * {@code 5 min ago}; {@code today} and {@code yesterday} are days in UTC.
     *
     * @param isEnd whether a day means its end
     * @throws IllegalArgumentException if it is neither a day nor a time
     */
    public static Instant parseOrDay(String text, boolean isEnd) {
        String plain = text.strip();
        if (plain.matches(AGO)) {
            long number = Long.parseLong(plain.substring(1, plain.length() - 1));
            return Instant.now().minus(plain.endsWith("h") ? Duration.ofHours(number) : Duration.ofDays(number));
        }
        if (plain.endsWith(SINCE))
            return Instant.now().minus(Periods.parse(plain.substring(0, plain.length() - SINCE.length())));
        try {
            LocalDate day = switch (plain) {
                case "today" -> LocalDate.now(ZoneOffset.UTC);
                case "yesterday" -> LocalDate.now(ZoneOffset.UTC).minusDays(1);
                default -> plain.matches(DAY) ? LocalDate.parse(plain) : null;
            };
            if (plain.matches(LOCAL))
                return LocalDateTime.parse(plain.replace(' ', 'T')).toInstant(ZoneOffset.UTC);
            if (day == null) return parse(text);
            return day.plusDays(isEnd ? 1 : 0).atStartOfDay(ZoneOffset.UTC).toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("there is no day \"" + text + "\"", e);
        }
    }

    /**
     * Reads {@code 2026-11-25T14:00:00Z} or {@code 2026-11-25 14:00 +01:00}.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static Instant parse(String text) {
        String plain = text.strip();
        try {
            return Instant.parse(plain);
        } catch (DateTimeException e) {
            // Then it is written as people write it.
        }
        try {
            return OffsetDateTime.parse(plain.replaceFirst("(?i)\\s*UTC$", "Z"), TYPED)
                    .toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "a time is written as 2026-11-25T14:00:00Z or 2026-11-25 14:00 +01:00, not \"" + text + "\"", e);
        }
    }
}
