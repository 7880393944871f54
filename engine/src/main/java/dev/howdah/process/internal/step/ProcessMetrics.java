package dev.howdah.process.internal.step;

import dev.howdah.internal.metrics.GuardedMetrics;
import dev.howdah.spi.Metrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What is told of each namespace. Safe for use by many threads. */
public final class ProcessMetrics {
    private final Metrics metrics;
    private final Map<String, NamespaceMetrics> all = new ConcurrentHashMap<>();

    public ProcessMetrics(Metrics metrics) {
        this.metrics = GuardedMetrics.of(metrics);
    }

    /** Whether no metrics are collected. */
    public boolean isOff() {
        return metrics == Metrics.none();
    }

    /** @param namespace one that there is: what is told of it is kept for ever */
    public NamespaceMetrics of(String namespace) {
        return all.computeIfAbsent(namespace, name -> new NamespaceMetrics(metrics, name));
    }
}
