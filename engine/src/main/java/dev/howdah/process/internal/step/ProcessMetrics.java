package dev.howdah.process.internal.step;

import dev.howdah.internal.metrics.Instruments;
import dev.howdah.spi.Metrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The metrics of each namespace. Safe for use by many threads. */
public final class ProcessMetrics {
    private final Instruments instruments;
    private final Map<String, NamespaceMetrics> all = new ConcurrentHashMap<>();

    public ProcessMetrics(Metrics metrics) {
        this.instruments = Instruments.of(metrics);
    }

    /** Returns whether no metrics are collected. */
    public boolean isOff() {
        return instruments.isOff();
    }

    /** @param namespace one that exists: its metrics are kept for ever */
    public NamespaceMetrics of(String namespace) {
        return all.computeIfAbsent(namespace, name -> new NamespaceMetrics(instruments, name));
    }
}
