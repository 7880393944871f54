package dev.howdah.console.internal.chart;

import dev.howdah.console.internal.view.Texts;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.operations.read.JobLatency;
import dev.howdah.operations.read.KindTotals;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the template of charts shows.
 *
 * @param queue of which queue; null: of all
 * @param kind of which kind; null: of all
 * @param tag of which tag; null: of all
 * @param data the path of their numbers as a file
 * @param ticks times of their common axis at equal distances, from its beginning to its end
 * @param marks when versions of nodes began
 * @param kinds what has become of the jobs of each kind in that time
 * @param isSearch whether its links search in texts, which some callers may not
 * @param latency of the newest attempts; null: of a kind or a tag, of which it is not known
 */
public record Charts(
        boolean isInstalled,
        ChartRange range,
        @Nullable String queue,
        @Nullable String kind,
        @Nullable String tag,
        String data,
        List<BarChart> charts,
        List<Instant> ticks,
        List<Mark> marks,
        List<KindTotals> kinds,
        boolean isSearch,
        @Nullable JobLatency latency) {
    /** How many kinds are listed. */
    public static final int KINDS = 20;

    /** A moment at the axis. */
    public record Mark(int x, Instant time, String text) {}

    /** Of what they are, such as {@code , kind print}; empty: of all kinds. */
    public String of() {
        return (kind == null ? "" : ", kind " + Texts.line(kind)) + (tag == null ? "" : ", tag " + Texts.line(tag));
    }

    /** Charts of something else than jobs. */
    static Charts of(ChartRange range, String data, List<BarChart> charts, Instant now, List<Mark> marks) {
        return new Charts(true, range, null, null, null, data, charts, range.ticks(now), marks, List.of(), false, null);
    }

    /** The same, with links that search in texts. */
    Charts searching() {
        return new Charts(isInstalled, range, queue, kind, tag, data, charts, ticks, marks, kinds, true, latency);
    }

    static Charts none(ChartRange range) {
        return new Charts(false, range, null, null, null, "", List.of(), List.of(), List.of(), List.of(), false, null);
    }
}
