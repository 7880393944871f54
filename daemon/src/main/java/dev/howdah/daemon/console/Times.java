package dev.howdah.daemon.console;

import dev.howdah.operations.value.Moments;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Moments as text. */
public final class Times {
    private static final DateTimeFormatter LOCAL =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    private static final DateTimeFormatter SERVER = new DateTimeFormatterBuilder()
            .appendValue(ChronoField.YEAR_OF_ERA, 4, 10, SignStyle.NEVER)
            .appendPattern("-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
            .appendOffset("+HH:mm:ss", "+00")
            .toFormatter(Locale.ROOT)
            .withZone(ZoneId.systemDefault());

    private Times() {}

    /** As PostgreSQL shows it to a session in the zone of this machine. */
    public static String server(Instant instant) {
        if (instant.equals(Instant.MAX) || instant.equals(Instant.MIN)) return Moments.text(instant);
        return SERVER.format(instant);
    }

    /** The moment in that column, which is not null. */
    public static Instant instant(ResultSet rows, int column) throws SQLException {
        OffsetDateTime time = rows.getObject(column, OffsetDateTime.class);
        if (time.equals(OffsetDateTime.MAX)) return Instant.MAX;
        return time.equals(OffsetDateTime.MIN) ? Instant.MIN : time.toInstant();
    }

    /** For people: to the millisecond, in the zone of this machine; nothing for null. */
    public static String local(@Nullable Instant instant) {
        if (instant == null) return "";
        if (instant.equals(Instant.MAX) || instant.equals(Instant.MIN)) return Moments.text(instant);
        return LOCAL.format(instant);
    }
}
