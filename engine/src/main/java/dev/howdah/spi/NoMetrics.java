package dev.howdah.spi;

import java.util.Map;

/** Keeps nothing. */
enum NoMetrics implements Metrics {
    /** The only one. */
    NONE;

    @Override
    public Counter counter(String name, String help, Map<String, String> labels) {
        return count -> {};
    }

    @Override
    public Timer timer(String name, String help, Map<String, String> labels) {
        return nanos -> {};
    }

    @Override
    public Gauge gauge(String name, String help, Map<String, String> labels) {
        return value -> {};
    }
}
