package dev.howdah.internal.metrics;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.spi.Metrics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of a program, asked for each instrument once, and whose errors reach nobody: a metric that fails is left out, and the log says so
 * once a minute. Safe for use by many threads.
 */
public final class GuardedMetrics implements Metrics {
    private static final Logger log = LoggerFactory.getLogger(GuardedMetrics.class);
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Metrics metrics;
    private final Map<Key, Object> instruments = new ConcurrentHashMap<>();
    private final AtomicLong logged = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

    /** @param form of the instrument: two of different forms may have one name */
    private record Key(Class<?> form, String name, Map<String, String> labels) {}

    private GuardedMetrics(Metrics metrics) {
        this.metrics = metrics;
    }

    /** {@link Metrics#none} stays what it is. */
    public static Metrics of(Metrics metrics) {
        return metrics == Metrics.none() || metrics instanceof GuardedMetrics ? metrics : new GuardedMetrics(metrics);
    }

    @Override
    public Counter counter(String name, String help, Map<String, String> labels) {
        return kept(Counter.class, name, labels, () -> {
            Counter made = made(name, () -> metrics.counter(name, help, labels));
            return count -> {
                if (made != null) guard(name, () -> made.add(count));
            };
        });
    }

    @Override
    public Timer timer(String name, String help, Map<String, String> labels) {
        return kept(Timer.class, name, labels, () -> {
            Timer made = made(name, () -> metrics.timer(name, help, labels));
            return nanos -> {
                if (made != null) guard(name, () -> made.record(nanos));
            };
        });
    }

    @Override
    public Gauge gauge(String name, String help, Map<String, String> labels) {
        return kept(Gauge.class, name, labels, () -> {
            Gauge made = made(name, () -> metrics.gauge(name, help, labels));
            return value -> {
                if (made != null) guard(name, () -> made.set(value));
            };
        });
    }

    @Override
    public Histogram histogram(String name, String help, List<Double> bounds, Map<String, String> labels) {
        return kept(Histogram.class, name, labels, () -> {
            Histogram made = made(name, () -> metrics.histogram(name, help, bounds, labels));
            return value -> {
                if (made != null) guard(name, () -> made.record(value));
            };
        });
    }

    private <T> T kept(Class<T> form, String name, Map<String, String> labels, Supplier<T> maker) {
        return form.cast(instruments.computeIfAbsent(new Key(form, name, labels), key -> maker.get()));
    }

    /** Null if the program has none: nothing is recorded there then. */
    private <T> @Nullable T made(String name, Supplier<T> maker) {
        try {
            return maker.get();
        } catch (Throwable e) {
            failed(name, e);
            return null;
        }
    }

    private void guard(String name, Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            failed(name, e);
        }
    }

    private void failed(String name, Throwable e) {
        long now = System.nanoTime();
        long last = logged.get();
        if (now - last < PAUSE_NANOS || !logged.compareAndSet(last, now)) return;
        log.warn("metric {} could not be recorded: {}", name, ErrorText.line(e));
    }
}
