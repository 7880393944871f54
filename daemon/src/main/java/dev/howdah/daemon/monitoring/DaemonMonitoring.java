package dev.howdah.daemon.monitoring;

import dev.howdah.console.ConsoleMonitoring;
import dev.howdah.spi.Metrics;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the daemon tells monitoring, on the port of the console and on one of its own. Safe for use by many threads. */
public final class DaemonMonitoring implements ConsoleMonitoring {
    private final Prometheus metrics;
    private final Supplier<@Nullable String> obstacle;
    private final Supplier<@Nullable String> pause;
    private final Metrics.Gauge ready;

    /**
     * @param obstacle why the program is not ready; null: it is
     * @param pause what is paused, which is no obstacle; null: nothing
     */
    public DaemonMonitoring(Prometheus metrics, Supplier<@Nullable String> obstacle, Supplier<@Nullable String> pause) {
        this.metrics = metrics;
        this.obstacle = obstacle;
        this.pause = pause;
        ready = metrics.gauge(
                "howdah_ready", "1 while all that this program is to work is worked, as /ready says", Map.of());
    }

    @Override
    public Exposition metrics(@Nullable String accept) {
        ready.set(obstacle.get() == null ? 1 : 0);
        return new Exposition(metrics.contentType(accept), metrics.text(accept));
    }

    @Override
    public @Nullable String notLive() {
        return Liveness.obstacle();
    }

    @Override
    public @Nullable String notReady() {
        return obstacle.get();
    }

    @Override
    public @Nullable String paused() {
        return pause.get();
    }
}
