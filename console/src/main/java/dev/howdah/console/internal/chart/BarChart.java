package dev.howdah.console.internal.chart;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Bars over time, each of some parts one on the other: numbers for an SVG of {@value #WIDTH} by {@value #HEIGHT}.
 *
 * @param title what it is of, in words that say its numbers
 * @param top the words at the top of its axis, and at the middle
 */
public record BarChart(String title, List<Legend> legend, String top, String middle, List<Bar> bars) {
    public static final int WIDTH = 960;
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

    /** A bar before the height of the axis is known. */
    record Column(
            int place, Instant time, String text, @Nullable String link, double... parts) {
        double sum() {
            double sum = 0;
            for (double each : parts) sum += each;
            return sum;
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
                Math.max(least, columns.stream().mapToDouble(Column::sum).max().orElse(0)));
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
            bars.add(new Bar(
                    each.place() * width, Math.max(1, width - 2), each.time(), each.text(), each.link(), segments));
        }
        return new BarChart(title, legend, words.apply(most), words.apply(most / 2), bars);
    }

    /** The next number of 1, 2, 4, 6 or 10 by a power of ten: its half is a number that people read. */
    static double round(double most) {
        double power = Math.pow(10, Math.floor(Math.log10(most)));
        for (double each : new double[] {1, 2, 4, 6, 10}) if (most <= each * power * (1 + 1e-9)) return each * power;
        return 10 * power;
    }
}
