package dev.howdah.micrometer;

import dev.howdah.spi.Metrics;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Metrics in a registry of Micrometer.
 *
 * <pre>{@code
 * Jobs.on(dataSource).metrics(MicrometerMetrics.of(registry))
 * }</pre>
 *
 * <p>Meters are named as Micrometer names them, with dots and without units: {@code howdah.jobs.ended}, {@code howdah.job}. A registry of
 * Prometheus makes the names of it from those, the same as the daemon's: {@code howdah_jobs_ended_total}, {@code howdah_job_seconds}, with the same
 * buckets. Safe for use by many threads.
 */
public final class MicrometerMetrics implements Metrics {
    private static final String TOTAL = "_total";
    private static final String SECONDS = "_seconds";

    /** Upper bounds of the buckets of times. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofMinutes(1),
        Duration.ofMinutes(5),
        Duration.ofHours(1)
    };

    private final MeterRegistry registry;
    /** A registry keeps the first gauge of a name and its tags, and warns of each further one. */
    private final Map<GaugeKey, AtomicReference<Double>> gauges = new ConcurrentHashMap<>();

    private record GaugeKey(String name, Map<String, String> labels) {}

    private MicrometerMetrics(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "a registry of meters is needed, not null");
    }

    /** Returns metrics whose meters are in that registry. One object is for all features of a program. */
    public static MicrometerMetrics of(MeterRegistry registry) {
        return new MicrometerMetrics(registry);
    }

    @Override
    public Counter counter(String name, String help, Map<String, String> labels) {
        io.micrometer.core.instrument.Counter counter = io.micrometer.core.instrument.Counter.builder(
                        meter(name, TOTAL))
                .description(help)
                .tags(tags(labels))
                .register(registry);
        return counter::increment;
    }

    @Override
    public Timer timer(String name, String help, Map<String, String> labels) {
        io.micrometer.core.instrument.Timer timer = io.micrometer.core.instrument.Timer.builder(meter(name, SECONDS))
                .description(help)
                .tags(tags(labels))
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        return nanos -> timer.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public Gauge gauge(String name, String help, Map<String, String> labels) {
        AtomicReference<Double> value = gauges.computeIfAbsent(new GaugeKey(name, Map.copyOf(labels)), key -> {
            AtomicReference<Double> made = new AtomicReference<>(Double.NaN);
            io.micrometer.core.instrument.Gauge.builder(meter(name, SECONDS), made, AtomicReference::get)
                    .description(help)
                    .tags(tags(labels))
                    .baseUnit(unit(name))
                    .strongReference(true)
                    .register(registry);
            return made;
        });
        return value::set;
    }

    @Override
    public Histogram histogram(String name, String help, List<Double> bounds, Map<String, String> labels) {
        DistributionSummary summary = DistributionSummary.builder(meter(name, ""))
                .description(help)
                .tags(tags(labels))
                .serviceLevelObjectives(
                        bounds.stream().mapToDouble(Double::doubleValue).toArray())
                .register(registry);
        return summary::record;
    }

    /** @param ending that a registry of Prometheus adds */
    private static String meter(String name, String ending) {
        String without = name.endsWith(ending) ? name.substring(0, name.length() - ending.length()) : name;
        return without.replace('_', '.');
    }

    private static @Nullable String unit(String name) {
        return name.endsWith(SECONDS) ? "seconds" : null;
    }

    private static List<Tag> tags(Map<String, String> labels) {
        return labels.entrySet().stream()
                .map(each -> Tag.of(each.getKey(), each.getValue()))
                .toList();
    }
}
