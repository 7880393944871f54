package dev.howdah.console.internal.view;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sentences of the database, whose moments are in the zone of its session: on a page they are shown as all others are. */
public final class Sentence {
    private static final Pattern MOMENT =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,6})?[+-]\\d\\d(?::\\d\\d)?");
    private static final DateTimeFormatter WRITTEN = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 6, true)
            .appendOffset("+HH:mm", "Z")
            .toFormatter(Locale.ROOT);

    private Sentence() {}

    /**
     * A part of a sentence.
     *
     * @param at the moment that it is; null: it is text
     */
    public record Piece(String text, @Nullable Instant at) {}

    /** The text and the moments in it, in their order. */
    public static List<Piece> pieces(String sentence) {
        List<Piece> pieces = new ArrayList<>();
        Matcher moment = MOMENT.matcher(sentence);
        int end = 0;
        while (moment.find()) {
            Instant at = instant(moment.group());
            if (at == null) continue;
            if (moment.start() > end) pieces.add(new Piece(sentence.substring(end, moment.start()), null));
            pieces.add(new Piece(moment.group(), at));
            end = moment.end();
        }
        if (end < sentence.length()) pieces.add(new Piece(sentence.substring(end), null));
        return pieces;
    }

    private static @Nullable Instant instant(String text) {
        try {
            return OffsetDateTime.parse(text, WRITTEN).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }
}
