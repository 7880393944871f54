package dev.howdah.console.internal.chart;

import dev.howdah.operations.chart.ChartRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Bars over time, each of some parts one on the other, and a line: numbers for an SVG of {@value #WIDTH} by {@value #HEIGHT}.
 *
 * @param title what it is of, in words that say its numbers
 * @param top the words at the top of its axis, and at the middle
 * @param lines of another number, as the points of polylines; more than one where it is not known in between
 */
public record BarChart(
        String title, List<Legend> legend, String top, String middle, List<Bar> bars, List<String> lines) {
    /** A bar of each range is a whole number of these. */
    public static final int WIDTH = 2520;

    public static final int HEIGHT = 100;

    /** The words of a part. */
    public record Legend(String tone, String text) {}

    /** A part of a bar: its tone, its upper end and its height. */
    public record Segment(String tone, int y, int height) {}

    /**
     * A bar.
     *
     * @param link the jobs that it is of; null: there are none
     * @param text its numbers in words
     */
    public record Bar(
            int x,
            int width,
            Instant time,
            String text,
            @Nullable String link,
            List<Segment> segments) {}

    /**
     * A bar before the height of the axis is known.
     *
     * @param line of the line; negative: it is not known
     */
    record Column(
            int place, Instant time, String text, @Nullable String link, double line, double... parts) {
        double most() {
            double sum = 0;
            for (double each : parts) sum += each;
            return Math.max(sum, line);
        }
    }

    /**
     * Draws columns.
     *
     * @param tones of the parts, from below
     * @param least the axis is not lower
     * @param words of a number at the axis
     */
    static BarChart of(
            ChartRange range,
            String title,
            List<Legend> legend,
            List<String> tones,
            List<Column> columns,
            double least,
            DoubleFunction<String> words) {
        double most = round(
                Math.max(least, columns.stream().mapToDouble(Column::most).max().orElse(0)));
        int width = WIDTH / range.steps();
        List<Bar> bars = new ArrayList<>();
        for (Column each : columns) {
            if (each.place() < 0 || each.place() >= range.steps()) continue;
            List<Segment> segments = new ArrayList<>();
            int y = HEIGHT;
            for (int i = 0; i < each.parts().length; i++) {
                int height = each.parts()[i] <= 0 ? 0 : (int) Math.max(1, each.parts()[i] * HEIGHT / most);
                if (height == 0) continue;
                y -= height;
                segments.add(new Segment(tones.get(i), y, height));
            }
            bars.add(new Bar(each.place() * width, width - width / 8, each.time(), each.text(), each.link(), segments));
        }
        return new BarChart(title, legend, words.apply(most), words.apply(most / 2), bars, lines(columns, width, most));
    }

    /** A step of the line is as wide as a bar. */
    private static List<String> lines(List<Column> columns, int width, double most) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int next = -1;
        for (Column each : columns) {
            if (each.line() < 0) continue;
            if (each.place() != next && !line.isEmpty()) {
                lines.add(line.toString().strip());
                line.setLength(0);
            }
            next = each.place() + 1;
            int y = (int) (HEIGHT - each.line() * HEIGHT / most);
            line.append(each.place() * width).append(',').append(y).append(' ');
            line.append(next * width).append(',').append(y).append(' ');
        }
        if (!line.isEmpty()) lines.add(line.toString().strip());
        return lines;
    }

    /** The next number of 1, 2, 4, 6 or 10 by a power of ten: its half is a number that people read. */
    static double round(double most) {
        double power = Math.pow(10, Math.floor(Math.log10(most)));
        for (double each : new double[] {1, 2, 4, 6, 10}) if (most <= each * power * (1 + 1e-9)) return each * power;
        return 10 * power;
    }
}
