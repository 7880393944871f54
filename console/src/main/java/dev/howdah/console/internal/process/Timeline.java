package dev.howdah.console.internal.process;

import dev.howdah.process.Event;
import dev.howdah.process.query.TaskStatus;
import dev.howdah.process.query.TraceEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tasks and events of a process over time: numbers for an SVG of {@value #WIDTH} units by as many rows as there are bars, and one for
 * the events. A bar has two parts: the time it waited, and the time it ran.
 */
public record Timeline(
        List<Bar> bars,
        List<Mark> marks,
        @Nullable Instant from,
        @Nullable Instant to) {
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

    /** An event. */
    public record Mark(int x, Event event) {}

    /** @param now the end of what runs */
    static Timeline of(List<TraceEntry> tasks, List<Event> events, Instant now) {
        List<TraceEntry> begun =
                tasks.stream().filter(each -> each.running() != null).toList();
        Instant from = null;
        Instant to = null;
        for (TraceEntry each : begun) {
            if (from == null || each.scheduled().isBefore(from)) from = each.scheduled();
            Instant end = end(each, now);
            if (to == null || end.isAfter(to)) to = end;
        }
        List<Bar> bars = new ArrayList<>();
        List<Mark> marks = new ArrayList<>();
        if (from == null || to == null) return new Timeline(bars, marks, from, to);
        long span = Math.max(1, to.toEpochMilli() - from.toEpochMilli());
        for (TraceEntry each : begun) {
            Instant running = each.running() == null ? each.scheduled() : each.running();
            bars.add(new Bar(
                    (bars.size() + 1) * ROW,
                    place(each.scheduled(), from, span),
                    place(running, from, span),
                    place(end(each, now), from, span),
                    each.status() == TaskStatus.ERROR || each.error() != null ? "fail" : "done",
                    each));
        }
        for (Event each : events) {
            Instant at = each.timestamp();
            if (!at.isBefore(from) && !at.isAfter(to)) marks.add(new Mark(place(at, from, span), each));
        }
        return new Timeline(bars, marks, from, to);
    }

    private static Instant end(TraceEntry task, Instant now) {
        if (task.finished() != null) return task.finished();
        Instant began = task.running() == null ? task.scheduled() : task.running();
        return task.status() == TaskStatus.RUNNING && now.isAfter(began) ? now : began;
    }

    private static int place(Instant at, Instant from, long span) {
        long passed = Math.min(span, Math.max(0, at.toEpochMilli() - from.toEpochMilli()));
        return (int) ((double) passed / span * (WIDTH - 4));
    }

    public int height() {
        return (bars.size() + 1) * ROW;
    }
}
