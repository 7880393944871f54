package dev.howdah.daemon.metrics;

import dev.howdah.spi.Metrics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** Figures as Prometheus reads them, in its text format 0.0.4. Safe for use by many threads. */
public final class Prometheus implements Metrics {
    /** Upper bounds of the buckets of times, in seconds. */
    private static final List<Double> SECONDS = List.of(
            0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0);

    private static final double NANOS = 1e9;

    /** All instruments of one name. */
    private record Family(String type, String help, Map<String, Instrument> instruments) {}

    /** A printer of samples. */
    private interface Instrument {
        void print(StringBuilder text, String name, String labels);
    }

    private final Map<String, Family> families = new ConcurrentSkipListMap<>();

    @Override
    public Counter counter(String name, String help, Map<String, String> labels) {
        return (Sum) family(name, "counter", help).computeIfAbsent(labels(labels), key -> new Sum());
    }

    @Override
    public Timer timer(String name, String help, Map<String, String> labels) {
        return buckets(name, help, SECONDS, NANOS, labels)::record;
    }

    @Override
    public Histogram histogram(String name, String help, List<Double> bounds, Map<String, String> labels) {
        return buckets(name, help, bounds, 1, labels)::record;
    }

    private Buckets buckets(String name, String help, List<Double> bounds, double unit, Map<String, String> labels) {
        return (Buckets)
                family(name, "histogram", help).computeIfAbsent(labels(labels), key -> new Buckets(bounds, unit));
    }

    @Override
    public Gauge gauge(String name, String help, Map<String, String> labels) {
        return (Level) family(name, "gauge", help).computeIfAbsent(labels(labels), key -> new Level());
    }

    private Map<String, Instrument> family(String name, String type, String help) {
        Family family = families.computeIfAbsent(name, key -> new Family(type, help, new ConcurrentSkipListMap<>()));
        if (!family.type().equals(type))
            throw new IllegalArgumentException(name + " is a " + family.type() + " and no " + type);
        return family.instruments();
    }

    /** {@code a="1",b="2"}, by name. */
    private static String labels(Map<String, String> labels) {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(labels).forEach((name, value) -> {
            if (!text.isEmpty()) text.append(',');
            text.append(name)
                    .append("=\"")
                    .append(escaped(value).replace("\"", "\\\""))
                    .append('"');
        });
        return text.toString();
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n");
    }

    /** All there is, as it is now. */
    public String text() {
        StringBuilder text = new StringBuilder();
        families.forEach((name, family) -> {
            text.append("# HELP ")
                    .append(name)
                    .append(' ')
                    .append(escaped(family.help()))
                    .append('\n');
            text.append("# TYPE ")
                    .append(name)
                    .append(' ')
                    .append(family.type())
                    .append('\n');
            family.instruments().forEach((labels, instrument) -> instrument.print(text, name, labels));
        });
        return text.toString();
    }

    private static void sample(StringBuilder text, String name, String labels, String value) {
        text.append(name);
        if (!labels.isEmpty()) text.append('{').append(labels).append('}');
        text.append(' ').append(value).append('\n');
    }

    /** As Prometheus writes numbers. */
    private static String number(double value) {
        if (Double.isNaN(value)) return "NaN";
        if (Double.isInfinite(value)) return value > 0 ? "+Inf" : "-Inf";
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }

    private static final class Sum implements Counter, Instrument {
        private final LongAdder sum = new LongAdder();

        @Override
        public void add(long count) {
            sum.add(count);
        }

        @Override
        public void print(StringBuilder text, String name, String labels) {
            sample(text, name, labels, Long.toString(sum.sum()));
        }
    }

    private static final class Level implements Gauge, Instrument {
        private final AtomicLong bits = new AtomicLong();

        @Override
        public void set(double value) {
            bits.set(Double.doubleToRawLongBits(value));
        }

        @Override
        public void print(StringBuilder text, String name, String labels) {
            sample(text, name, labels, number(Double.longBitsToDouble(bits.get())));
        }
    }

    private static final class Buckets implements Instrument {
        private final List<Double> bounds;
        private final double unit;
        private final LongAdder[] counts;
        private final DoubleAdder sum = new DoubleAdder();

        /** @param unit how many of what is recorded are one of what is shown */
        Buckets(List<Double> bounds, double unit) {
            this.bounds = bounds;
            this.unit = unit;
            this.counts = new LongAdder[bounds.size() + 1];
            for (int i = 0; i < counts.length; i++) counts[i] = new LongAdder();
        }

        void record(double value) {
            int i = 0;
            while (i < bounds.size() && value > bounds.get(i) * unit) i++;
            counts[i].increment();
            sum.add(value);
        }

        @Override
        public void print(StringBuilder text, String name, String labels) {
            String before = labels.isEmpty() ? "" : labels + ",";
            long count = 0;
            for (int i = 0; i < counts.length; i++) {
                count += counts[i].sum();
                String bound = i < bounds.size() ? number(bounds.get(i)) : "+Inf";
                sample(text, name + "_bucket", before + "le=\"" + bound + "\"", Long.toString(count));
            }
            sample(text, name + "_sum", labels, number(sum.sum() / unit));
            sample(text, name + "_count", labels, Long.toString(count));
        }
    }
}
