package dev.howdah.spi;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps what it is told, by name and labels: of a counter the sum, of timers and histograms how often, of a gauge its value. Thread-safe. */
public final class RecordedMetrics implements Metrics {
    private final Map<String, Double> figures = new ConcurrentHashMap<>();
    private final Map<String, List<Double>> bounds = new ConcurrentHashMap<>();

    /** Such as {@code waiting{queue=a}}. What timers have recorded in all stands there too, in seconds, under their name and {@code _time}. */
    public Map<String, Double> figures() {
        return figures;
    }

    /** The buckets of histograms, by name. */
    public Map<String, List<Double>> bounds() {
        return bounds;
    }

    private void add(String name, Map<String, String> labels, double value) {
        figures.merge(name + new TreeMap<>(labels), value, Double::sum);
    }

    @Override
    public Counter counter(String name, String help, Map<String, String> labels) {
        return count -> add(name, labels, count);
    }

    @Override
    public Timer timer(String name, String help, Map<String, String> labels) {
        return nanos -> {
            figures.merge(name + "_time", nanos / 1e9, Double::sum);
            add(name, labels, 1);
        };
    }

    @Override
    public Gauge gauge(String name, String help, Map<String, String> labels) {
        return value -> figures.put(name + new TreeMap<>(labels), value);
    }

    @Override
    public Histogram histogram(String name, String help, List<Double> buckets, Map<String, String> labels) {
        bounds.put(name, buckets);
        return value -> add(name, labels, 1);
    }
}
