package dev.howdah.internal.metrics;

import dev.howdah.spi.Metrics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The metric instruments of a feature: each is requested once, when it is first used, and guarded against exceptions of the user's {@link
 * Metrics}. Instruments of one name are a {@link Family}. Safe for use by many threads.
 */
public final class Instruments {
    /**
     * How many instruments of one name there are at most before the first label of further ones is {@link #OTHERS}: with a queue for each
     * tenant there would be a series for each, in each program.
     */
    public static final int MOST = 1_000;

    /** The value of the first label for all values that came later. */
    public static final String OTHERS = "(others)";

    private final Metrics metrics;
    private final Map<String, String> common;

    private Instruments(Metrics metrics, Map<String, String> common) {
        this.metrics = metrics;
        this.common = common;
    }

    public static Instruments of(Metrics metrics) {
        return new Instruments(GuardedMetrics.of(metrics), Map.of());
    }

    /** Returns the same with a further label that all instruments have. */
    public Instruments with(String label, String value) {
        Map<String, String> labels = new HashMap<>(common);
        labels.put(label, value);
        return new Instruments(metrics, Map.copyOf(labels));
    }

    /** Returns whether all values are discarded. */
    public boolean isOff() {
        return metrics == Metrics.none();
    }

    /** @param labels their names, three at most */
    public Family<Metrics.Counter> counters(String name, String help, String... labels) {
        return new Family<>(values -> metrics.counter(name, help, values), common, labels);
    }

    /** As {@link #counters}. */
    public Family<Metrics.Timer> timers(String name, String help, String... labels) {
        return new Family<>(values -> metrics.timer(name, help, values), common, labels);
    }

    /** As {@link #counters}. */
    public Family<Metrics.Gauge> gauges(String name, String help, String... labels) {
        return new Family<>(values -> metrics.gauge(name, help, values), common, labels);
    }

    /** As {@link #counters}. */
    public Family<Metrics.Histogram> histograms(String name, String help, List<Double> bounds, String... labels) {
        return new Family<>(values -> metrics.histogram(name, help, bounds, values), common, labels);
    }

    /** The instruments of one name, by the values of their labels. Safe for use by many threads. */
    public static final class Family<T> {
        private static final String NONE = "";

        private final Map<Key, T> instruments = new ConcurrentHashMap<>();
        private final Function<Map<String, String>, T> maker;
        private final Map<String, String> common;
        private final List<String> labels;

        private record Key(String first, String second, String third) {}

        private Family(Function<Map<String, String>, T> maker, Map<String, String> common, String[] labels) {
            this.maker = maker;
            this.common = common;
            this.labels = List.of(labels);
        }

        /** The instrument of a family without labels of its own. */
        public T get() {
            return get(0, new Key(NONE, NONE, NONE));
        }

        public T get(String value) {
            return get(1, new Key(value, NONE, NONE));
        }

        public T get(String first, String second) {
            return get(2, new Key(first, second, NONE));
        }

        public T get(String first, String second, String third) {
            return get(3, new Key(first, second, third));
        }

        private T get(int count, Key key) {
            if (count != labels.size()) throw new IllegalArgumentException(count + " values for the labels " + labels);
            T known = instruments.get(key);
            if (known != null) return known;
            boolean isFull = count > 0 && instruments.size() >= MOST;
            return instruments.computeIfAbsent(isFull ? new Key(OTHERS, key.second(), key.third()) : key, this::make);
        }

        private T make(Key key) {
            Map<String, String> values = new HashMap<>(common);
            List<String> own = List.of(key.first(), key.second(), key.third());
            for (int i = 0; i < labels.size(); i++) values.put(labels.get(i), own.get(i));
            return maker.apply(Map.copyOf(values));
        }
    }
}
