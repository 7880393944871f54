package dev.howdah.internal.metrics;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.spi.Metrics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of a program, whose exceptions do not leave this class: a metric that fails is left out, and a line of the log says so, one a
 * minute at most. Safe for use by many threads.
 */
final class GuardedMetrics implements Metrics {
    private static final Logger log = LoggerFactory.getLogger(GuardedMetrics.class);
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Metrics metrics;
    private final AtomicLong logged = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

    private GuardedMetrics(Metrics metrics) {
        this.metrics = metrics;
    }

    /** {@link Metrics#none} stays what it is. */
    static Metrics of(Metrics metrics) {
        return metrics == Metrics.none() || metrics instanceof GuardedMetrics ? metrics : new GuardedMetrics(metrics);
    }

    @Override
    public Counter counter(String name, String help, Map<String, String> labels) {
        Counter made = made(name, () -> metrics.counter(name, help, labels));
        return count -> {
            if (made != null) guard(name, () -> made.add(count));
        };
    }

    @Override
    public Timer timer(String name, String help, Map<String, String> labels) {
        Timer made = made(name, () -> metrics.timer(name, help, labels));
        return nanos -> {
            if (made != null) guard(name, () -> made.record(nanos));
        };
    }

    @Override
    public Gauge gauge(String name, String help, Map<String, String> labels) {
        Gauge made = made(name, () -> metrics.gauge(name, help, labels));
        return value -> {
            if (made != null) guard(name, () -> made.set(value));
        };
    }

    @Override
    public Histogram histogram(String name, String help, List<Double> bounds, Map<String, String> labels) {
        Histogram made = made(name, () -> metrics.histogram(name, help, bounds, labels));
        return value -> {
            if (made != null) guard(name, () -> made.record(value));
        };
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
