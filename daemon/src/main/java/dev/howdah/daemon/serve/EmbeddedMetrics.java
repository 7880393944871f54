package dev.howdah.daemon.serve;

import dev.howdah.spi.Metrics;
import java.util.Map;

/** The metrics of the PostgreSQL that this program runs. Safe for use by many threads. */
final class EmbeddedMetrics {
    private final Metrics.Gauge up;
    private final Metrics.Counter restarts;

    /** Of one that runs. */
    EmbeddedMetrics(Metrics metrics) {
        this.up = metrics.gauge("howdah_embedded_up", "1 while the PostgreSQL of this program runs", Map.of());
        this.restarts = metrics.counter(
                "howdah_embedded_restarts_total", "How often it had ended by itself and was started again", Map.of());
        restarts.add(0);
        runs();
    }

    void runs() {
        up.set(1);
    }

    /** It has ended by itself, and is started again. */
    void ended() {
        up.set(0);
        restarts.add(1);
    }
}
