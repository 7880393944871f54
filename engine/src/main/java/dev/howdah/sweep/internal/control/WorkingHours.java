package dev.howdah.sweep.internal.control;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The times of the day at which a sweep begins rows, as the clocks of a time zone show them: an hour that clocks leave out does not come, and
 * one that comes twice counts twice. Immutable.
 */
public final class WorkingHours {
    /** What takes the hours of a sweep away. */
    public static final String ALWAYS = "always";

    private static final int MOST = 20;
    private static final int DAYS_AHEAD = 3;
    private static final Pattern TEXT = Pattern.compile("([^A-Za-z]*)\\s(\\S+)");
    private static final Pattern SPAN = Pattern.compile("(\\d{1,2}:\\d\\d)\\s*-\\s*(\\d{1,2}:\\d\\d)");

    private final List<Span> spans;
    private final ZoneId zone;

    /** From one time of the day, in seconds, to another, which is on the next day if it is not later. */
    private record Span(int from, int to) {
        boolean has(int second) {
            return from < to ? second >= from && second < to : second >= from || second < to;
        }
    }

    private WorkingHours(List<Span> spans, ZoneId zone) {
        this.spans = spans;
        this.zone = zone;
    }

    /**
     * Reads them.
     *
     * @param text such as {@code 22:00-06:00 Europe/Berlin}, with several spans {@code 12:00-13:00, 22:00-06:00 Europe/Berlin}
     * @throws IllegalArgumentException if it is none, with what is wrong
     */
    public static WorkingHours of(String text) {
        Matcher both = TEXT.matcher(text.strip());
        if (!both.matches() || SPAN.matcher(both.group(2)).matches())
            throw wrong(text, "there is no time zone in them");
        List<Span> spans = new ArrayList<>();
        for (String each : both.group(1).split(",", -1)) spans.add(span(text, each.strip()));
        if (spans.size() > MOST) throw wrong(text, "there are more than " + MOST + " spans");
        return new WorkingHours(List.copyOf(spans), zone(text, both.group(2)));
    }

    /** The text as it is stored: that of {@link #toString}, or {@link #ALWAYS}. */
    public static String checked(String text) {
        return text.strip().equals(ALWAYS) ? ALWAYS : of(text).toString();
    }

    private static ZoneId zone(String text, String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw wrong(text, "there is no time zone \"" + name + "\"");
        }
    }

    private static Span span(String text, String span) {
        Matcher times = SPAN.matcher(span);
        if (!times.matches()) throw wrong(text, "\"" + span + "\" is not a span of times");
        int from = second(text, times.group(1));
        int to = second(text, times.group(2));
        if (from == to || (from == 0 && to == 86_400))
            throw wrong(
                    text,
                    "\"" + span + "\" is " + (from == to ? "empty" : "the whole day") + " (\"" + ALWAYS
                            + "\" is at any time)");
        if (from == 86_400) throw wrong(text, "\"" + span + "\" begins at 24:00, which is 00:00");
        return new Span(from, to);
    }

    private static int second(String text, String time) {
        String[] parts = time.split(":", -1);
        int hour = Integer.parseInt(parts[0]);
        int minute = Integer.parseInt(parts[1]);
        if (hour > 24 || minute > 59 || (hour == 24 && minute > 0))
            throw wrong(text, "\"" + time + "\" is not a time of the day");
        return hour * 3_600 + minute * 60;
    }

    private static IllegalArgumentException wrong(String text, String why) {
        return new IllegalArgumentException("the hours of a sweep are \"" + text + "\", and " + why
                + ": they have to be like \"22:00-06:00 Europe/Berlin\" or \"" + ALWAYS + "\"");
    }

    /** Returns whether rows may be begun at that time. */
    public boolean isOpen(Instant at) {
        int second = at.atZone(zone).toLocalTime().toSecondOfDay();
        return spans.stream().anyMatch(each -> each.has(second));
    }

    /**
     * Why nothing is to begin at that time.
     *
     * @param at the time, by the clock of the database
     * @return null: rows may be begun
     */
    public @Nullable String complaint(Instant at) {
        if (isOpen(at)) return null;
        Instant next = next(at);
        return "it is outside of the hours of the sweep (" + this + ")"
                + (next == null ? "" : ", which begin at " + local(next));
    }

    private String local(Instant time) {
        ZonedDateTime zoned = time.atZone(zone);
        return zoned.toLocalDate() + " " + zoned.toLocalTime() + zoned.getOffset();
    }

    /** When rows may be begun again; null: not within some days. */
    @Nullable
    Instant next(Instant after) {
        TreeSet<Instant> beginnings = new TreeSet<>();
        LocalDate today = after.atZone(zone).toLocalDate();
        for (int day = 0; day <= DAYS_AHEAD; day++)
            for (Span each : spans) {
                LocalDateTime local = today.plusDays(day).atTime(LocalTime.ofSecondOfDay(each.from()));
                for (ZoneOffset offset : zone.getRules().getValidOffsets(local))
                    beginnings.add(local.toInstant(offset));
            }
        // Clocks that are put forward or back may lead into a span as well.
        ZoneOffsetTransition change = zone.getRules().nextTransition(after);
        if (change != null) beginnings.add(change.getInstant());
        return beginnings.stream()
                .filter(each -> each.isAfter(after) && isOpen(each))
                .findFirst()
                .orElse(null);
    }

    /** As they can be read again. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Span each : spans)
            text.append(text.isEmpty() ? "" : ", ")
                    .append(time(each.from()))
                    .append('-')
                    .append(time(each.to()));
        return text.append(' ').append(zone).toString();
    }

    private static String time(int second) {
        return String.format(Locale.ROOT, "%02d:%02d", second / 3_600, second / 60 % 60);
    }
}
