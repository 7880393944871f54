package dev.howdah.operations.chart;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How far back charts go, and how much time a bar is of. */
public enum ChartRange {
    H1("1h", Duration.ofHours(1), Duration.ofMinutes(1)),
    H24("24h", Duration.ofHours(24), Duration.ofMinutes(20)),
    D7("7d", Duration.ofDays(7), Duration.ofHours(2)),
    D30("30d", Duration.ofDays(30), Duration.ofHours(8));

    private static final int SPACES = 4;

    private final String text;
    private final Duration last;
    private final Duration step;

    ChartRange(String text, Duration last, Duration step) {
        this.text = text;
        this.last = last;
        this.step = step;
    }

    /** The one of that text. */
    public static ChartRange of(String wanted) {
        for (ChartRange each : values()) if (each.text.equals(wanted)) return each;
        throw new IllegalArgumentException(
                "range has to be one of " + String.join(", ", texts()) + ", not \"" + wanted + "\"");
    }

    public static List<String> texts() {
        return Arrays.stream(values()).map(ChartRange::text).toList();
    }

    /** As addresses have it. */
    public String text() {
        return text;
    }

    public Duration last() {
        return last;
    }

    public Duration step() {
        return step;
    }

    public boolean isOfDays() {
        return last.toDays() > 1;
    }

    /** How many bars there are. */
    public int steps() {
        return (int) (last.toSeconds() / step.toSeconds());
    }

    /** The place of a time from the left; negative: it is before. */
    public int place(Instant time, Instant now) {
        long seconds = step.toSeconds();
        return (int) (steps() - 1 - (now.getEpochSecond() / seconds - Math.floorDiv(time.getEpochSecond(), seconds)));
    }

    /** The beginning of the oldest bar. */
    public Instant begin(Instant now) {
        return end(now).minus(last);
    }

    /** The beginning of the newest bar, and one bar more. */
    private Instant end(Instant now) {
        return Instant.ofEpochSecond((now.getEpochSecond() / step.toSeconds() + 1) * step.toSeconds());
    }

    /** Times at equal distances, from the beginning to the end. */
    public List<Instant> ticks(Instant now) {
        List<Instant> ticks = new ArrayList<>();
        for (int i = 0; i <= SPACES; i++) ticks.add(begin(now).plusSeconds(last.toSeconds() * i / SPACES));
        return ticks;
    }
}
