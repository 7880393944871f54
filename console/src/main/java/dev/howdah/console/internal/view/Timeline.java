package dev.howdah.console.internal.view;

import dev.howdah.process.query.TaskStatus;
import dev.howdah.process.query.TraceEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a process over time: numbers for an SVG of {@value #WIDTH} units by as many rows as there are bars. A bar has two
 * parts: the time it waited, and the time it ran.
 */
public record Timeline(
        List<Bar> bars, @Nullable Instant from, @Nullable Instant to) {
    public static final int WIDTH = 960;
    public static final int ROW = 12;

    /** A bar: where it begins to wait, where to run, where it ends. */
    public record Bar(int y, int waits, int runs, int ends, String tone, TraceEntry task) {
        public int waited() {
            return Math.max(1, runs - waits);
        }

        public int ran() {
            return Math.max(2, ends - runs);
        }
    }

    public static Timeline of(List<TraceEntry> tasks) {
        Instant from = null;
        Instant to = null;
        for (TraceEntry each : tasks) {
            if (each.running() == null) continue;
            if (from == null || each.scheduled().isBefore(from)) from = each.scheduled();
            Instant end = each.finished() == null ? each.running() : each.finished();
            if (to == null || end.isAfter(to)) to = end;
        }
        List<Bar> bars = new ArrayList<>();
        if (from == null || to == null) return new Timeline(bars, from, to);
        long span = Math.max(1, to.toEpochMilli() - from.toEpochMilli());
        for (TraceEntry each : tasks) {
            Instant running = each.running();
            if (running == null) continue;
            Instant end = each.finished() == null ? to : each.finished();
            bars.add(new Bar(
                    bars.size() * ROW,
                    place(each.scheduled(), from, span),
                    place(running, from, span),
                    place(end, from, span),
                    each.status() == TaskStatus.ERROR || each.error() != null ? "fail" : "done",
                    each));
        }
        return new Timeline(bars, from, to);
    }

    private static int place(Instant at, Instant from, long span) {
        return (int) ((at.toEpochMilli() - from.toEpochMilli()) * (WIDTH - 4) / span);
    }

    public int height() {
        return bars.size() * ROW;
    }
}
