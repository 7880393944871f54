package dev.howdah.job.shard;

import dev.howdah.spi.Metrics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Gives each instrument the label {@code shard}: those of the same queue in several databases would be one otherwise. */
record ShardMetrics(Metrics to, String shard) implements Metrics {
    private Map<String, String> with(Map<String, String> labels) {
        Map<String, String> more = new HashMap<>(labels);
        more.put("shard", shard);
        return Map.copyOf(more);
    }

    @Override
    public Counter counter(String name, String help, Map<String, String> labels) {
        return to.counter(name, help, with(labels));
    }

    @Override
    public Timer timer(String name, String help, Map<String, String> labels) {
        return to.timer(name, help, with(labels));
    }

    @Override
    public Gauge gauge(String name, String help, Map<String, String> labels) {
        return to.gauge(name, help, with(labels));
    }

    @Override
    public Histogram histogram(String name, String help, List<Double> bounds, Map<String, String> labels) {
        return to.histogram(name, help, bounds, with(labels));
    }
}
