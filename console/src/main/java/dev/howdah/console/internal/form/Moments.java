package dev.howdah.console.internal.form;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Moments as people type them. */
public final class Moments {
    private static final DateTimeFormatter TYPED =
            DateTimeFormatter.ofPattern("yyyy-MM-dd['T'][' ']HH:mm[:ss][' '][XXX][X]", Locale.ROOT);

    private Moments() {}

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
