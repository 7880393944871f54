package dev.howdah.operations.value;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Moments as people type them. */
public final class Moments {
    private static final DateTimeFormatter TYPED =
            DateTimeFormatter.ofPattern("yyyy-MM-dd['T'][' ']HH:mm[:ss][' '][XXX][X]", Locale.ROOT);

    private static final String DAY = "\\d{4}-\\d{2}-\\d{2}";

    private Moments() {}

    /**
     * Reads a day in UTC too, such as {@code 2026-11-25}.
     *
     * @param isEnd whether a day means its end
     * @throws IllegalArgumentException if it is neither a day nor a time
     */
    public static Instant parseOrDay(String text, boolean isEnd) {
        if (!text.strip().matches(DAY)) return parse(text);
        try {
            LocalDate day = LocalDate.parse(text.strip()).plusDays(isEnd ? 1 : 0);
            return day.atStartOfDay(ZoneOffset.UTC).toInstant();
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
