package dev.howdah.daemon.monitoring;

import dev.howdah.console.ConsoleMonitoring;
import dev.howdah.daemon.console.CliException;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.util.JavalinBindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves metrics at {@code /metrics} and the probes {@code /live} and {@code /ready}, for reading, to every client that can reach it.
 */
public final class MonitoringServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MonitoringServer.class);
    private static final int MOST_THREADS = 12;

    private static final Pattern LOCAL =
            Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?", Pattern.CASE_INSENSITIVE);

    /** A connection on which nothing comes or is taken for so long is closed. */
    private static final int IDLE_MILLIS = 5_000;

    private final Javalin javalin;

    private MonitoringServer(Javalin javalin) {
        this.javalin = javalin;
    }

    /**
     * Begins to listen.
     *
     * @param port 0 takes a free one
     * @throws CliException if the address cannot be had
     */
    public static MonitoringServer start(String address, int port, ConsoleMonitoring told) {
        Javalin javalin = Javalin.create(config -> {
            configure(config, address, port);
            config.routes.before(MonitoringServer::checkMethod);
            // A page elsewhere may let its own name lead here. Where others can reach this port, their programs have
            // other names for it.
            if (isLoopback(address)) config.routes.before(MonitoringServer::checkHost);
            config.routes.get("/metrics", context -> metrics(context, told));
            config.routes.get("/live", context -> probe(context, "live", told.notLive()));
            config.routes.get("/ready", context -> probe(context, ready(told.paused()), told.notReady()));
            config.routes.error(
                    404, context -> text(context, 404, "metrics are at /metrics, probes at /live and /ready"));
        });
        try {
            javalin.start();
        } catch (JavalinBindException e) {
            javalin.stop();
            throw CliException.failed(
                    "--metrics-port " + port + ": cannot listen at " + address + ":" + port + ": " + reason(e), e);
        }
        MonitoringServer server = new MonitoringServer(javalin);
        log.info("metrics are at http://{}:{}/metrics", address, server.port());
        return server;
    }

    private static void configure(JavalinConfig config, String address, int port) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.http.maxRequestSize = 0;
        config.jetty.host = address;
        config.jetty.port = port;
        QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, 1);
        threads.setName("howdah-metrics");
        threads.setDaemon(true);
        config.jetty.threadPool = threads;
        config.jetty.modifyHttpConfiguration(http -> {
            http.setSendServerVersion(false);
            http.setIdleTimeout(IDLE_MILLIS);
        });
    }

    private static boolean isLoopback(String address) {
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static void checkHost(Context context) {
        String host = String.valueOf(context.header("Host"));
        if (LOCAL.matcher(host).matches()) return;
        text(context, 421, "this port is known as localhost, 127.0.0.1 and [::1], not by this name");
        context.skipRemainingHandlers();
    }

    private static void checkMethod(Context context) {
        if (context.method() == HandlerType.GET || context.method() == HandlerType.HEAD) return;
        context.header("Allow", "GET, HEAD");
        text(context, 405, "for reading only");
        context.skipRemainingHandlers();
    }

    private static void metrics(Context context, ConsoleMonitoring told) {
        ConsoleMonitoring.Exposition shown = told.metrics(context.header("Accept"));
        context.contentType(shown.contentType()).result(shown.text());
    }

    private static String ready(@Nullable String pause) {
        return pause == null ? "ready" : "ready, but " + pause;
    }

    /** @param obstacle why not; null: all is well */
    private static void probe(Context context, String word, @Nullable String obstacle) {
        text(context, obstacle == null ? 200 : 503, obstacle == null ? word : obstacle);
    }

    private static void text(Context context, int status, String text) {
        context.status(status)
                .contentType("text/plain; charset=utf-8")
                .header("Cache-Control", "no-store")
                .result(text + "\n");
    }

    private static String reason(Throwable bind) {
        Throwable cause = bind;
        while (cause.getCause() != null) cause = cause.getCause();
        return String.valueOf(cause.getMessage());
    }

    public int port() {
        return javalin.port();
    }

    @Override
    public void close() {
        javalin.stop();
    }
}
