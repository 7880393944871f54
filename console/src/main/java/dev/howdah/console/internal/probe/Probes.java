package dev.howdah.console.internal.probe;

import dev.howdah.console.ConsoleMonitoring;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.access.NeededRole;
import dev.howdah.console.internal.access.RequestGuard;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import org.jspecify.annotations.Nullable;

/**
 * What monitoring reads: metrics for Prometheus, and whether the program lives and works. The probes answer every client, in one word
 * where it is not known who asks; the reasons and the metrics are for callers with a role, and for programs on this machine.
 */
public final class Probes {
    private final ConsoleMonitoring monitoring;

    public Probes(ConsoleMonitoring monitoring) {
        this.monitoring = monitoring;
    }

    public void addTo(RoutesConfig routes) {
        RequestGuard.read(routes, "/metrics", this::metrics, NeededRole.VIEWER);
        routes.get("/live", this::live, RequestGuard.Open.TO_ALL);
        routes.head("/live", this::live, RequestGuard.Open.TO_ALL);
        routes.get("/ready", this::ready, RequestGuard.Open.TO_ALL);
        routes.head("/ready", this::ready, RequestGuard.Open.TO_ALL);
    }

    private void metrics(Context context) {
        ConsoleMonitoring.Exposition shown = monitoring.metrics(context.header("Accept"));
        context.contentType(shown.contentType()).result(shown.text());
    }

    private void live(Context context) {
        probe(context, "live", "not live", monitoring.notLive());
    }

    private void ready(Context context) {
        String paused = monitoring.paused();
        boolean isTold = paused != null && Caller.isKnown(context);
        probe(context, isTold ? "ready, but " + paused : "ready", "not ready", monitoring.notReady());
    }

    private static void probe(Context context, String well, String ill, @Nullable String obstacle) {
        String text = obstacle == null ? well : Caller.isKnown(context) ? obstacle : ill;
        context.status(obstacle == null ? 200 : 503)
                .contentType("text/plain; charset=utf-8")
                .result(text + "\n");
    }
}
