package dev.howdah.daemon;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Moments as text. */
final class Times {
    private static final DateTimeFormatter LOCAL =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    private Times() {}

    /** For programs: ISO 8601 in UTC, or PostgreSQL's two infinities. */
    static String iso(Instant instant) {
        if (instant.equals(Instant.MAX)) return "infinity";
        if (instant.equals(Instant.MIN)) return "-infinity";
        return instant.toString();
    }

    /** For people: to the millisecond, in the zone of this machine; nothing for null. */
    static String local(@Nullable Instant instant) {
        if (instant == null) return "";
        if (instant.equals(Instant.MAX) || instant.equals(Instant.MIN)) return iso(instant);
        return LOCAL.format(instant);
    }
}
