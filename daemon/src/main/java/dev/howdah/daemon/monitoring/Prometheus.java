package dev.howdah.daemon.monitoring;

import dev.howdah.spi.Metrics;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.datapoints.GaugeDataPoint;
import io.prometheus.metrics.core.metrics.MetricWithFixedMetadata;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Metrics in a registry of Prometheus. Safe for use by many threads. */
public final class Prometheus implements Metrics {
    /** Upper bounds of the buckets of times, in seconds. */
    private static final List<Double> SECONDS = List.of(
            0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0);

    private static final double NANOS = 1e9;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final Map<String, MetricWithFixedMetadata> families = new ConcurrentHashMap<>();

    /** Adds metrics of the JVM: memory, garbage collection, threads, classes. */
    public Prometheus withJvm() {
        JvmMetrics.builder().register(registry);
        return this;
    }

    @Override
    public Counter counter(String name, String help, Map<String, String> labels) {
        Labels sorted = Labels.of(labels);
        CounterDataPoint counter = family(
                        name,
                        io.prometheus.metrics.core.metrics.Counter.class,
                        () -> io.prometheus.metrics.core.metrics.Counter.builder()
                                .name(name)
                                .help(help)
                                .labelNames(sorted.names())
                                .register(registry))
                .labelValues(sorted.values());
        return counter::inc;
    }

    @Override
    public Timer timer(String name, String help, Map<String, String> labels) {
        DistributionDataPoint seconds = buckets(name, help, SECONDS, labels);
        return nanos -> seconds.observe(nanos / NANOS);
    }

    @Override
    public Histogram histogram(String name, String help, List<Double> bounds, Map<String, String> labels) {
        return buckets(name, help, bounds, labels)::observe;
    }

    private DistributionDataPoint buckets(String name, String help, List<Double> bounds, Map<String, String> labels) {
        Labels sorted = Labels.of(labels);
        return family(
                        name,
                        io.prometheus.metrics.core.metrics.Histogram.class,
                        () -> io.prometheus.metrics.core.metrics.Histogram.builder()
                                .name(name)
                                .help(help)
                                .labelNames(sorted.names())
                                .classicOnly()
                                .classicUpperBounds(bounds.stream()
                                        .mapToDouble(Double::doubleValue)
                                        .toArray())
                                .register(registry))
                .labelValues(sorted.values());
    }

    @Override
    public Gauge gauge(String name, String help, Map<String, String> labels) {
        Labels sorted = Labels.of(labels);
        GaugeDataPoint gauge = family(
                        name,
                        io.prometheus.metrics.core.metrics.Gauge.class,
                        () -> io.prometheus.metrics.core.metrics.Gauge.builder()
                                .name(name)
                                .help(help)
                                .labelNames(sorted.names())
                                .register(registry))
                .labelValues(sorted.values());
        return gauge::set;
    }

    private <F extends MetricWithFixedMetadata> F family(String name, Class<F> type, Supplier<F> made) {
        MetricWithFixedMetadata family = families.computeIfAbsent(name, key -> made.get());
        if (!type.isInstance(family))
            throw new IllegalArgumentException(
                    name + " is a " + family.getClass().getSimpleName() + ", and cannot be a " + type.getSimpleName());
        return type.cast(family);
    }

    /**
     * Returns all metrics as they are now.
     *
     * @param accept the formats that the reader understands, as in the HTTP header; null: the text format 0.0.4
     */
    public String text(@Nullable String accept) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            writer(accept).write(out, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /** Returns the media type of {@link #text}. */
    public String contentType(@Nullable String accept) {
        return writer(accept).getContentType();
    }

    private ExpositionFormatWriter writer(@Nullable String accept) {
        return formats.findWriter(accept);
    }

    /** Keys and values in the order of the keys. */
    private record Labels(String[] names, String[] values) {
        static Labels of(Map<String, String> labels) {
            TreeMap<String, String> sorted = new TreeMap<>(labels);
            return new Labels(
                    sorted.keySet().toArray(new String[0]), sorted.values().toArray(new String[0]));
        }
    }
}
