package dev.howdah.daemon.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.howdah.daemon.console.CliException;
import dev.howdah.internal.run.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves metrics at {@code /metrics} to every client that can reach it. */
public final class MetricsServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetricsServer.class);
    /** A request takes a thread from its first byte on. */
    private static final int READERS = 16;

    /** A request that takes longer to arrive, or its answer to be taken, is cut off. */
    private static final String SECONDS = "5";

    static {
        // The JDK's server reads them once, before its first instance.
        for (String limit : List.of("maxReqTime", "maxRspTime"))
            if (System.getProperty("sun.net.httpserver." + limit) == null)
                System.setProperty("sun.net.httpserver." + limit, SECONDS);
    }

    private static final int WAITING = 16;

    private final HttpServer server;
    private final ExecutorService threads =
            Executors.newFixedThreadPool(READERS, work -> Threads.daemon("howdah-metrics", work));

    private MetricsServer(HttpServer server) {
        this.server = server;
    }

    /**
     * Begins to show them.
     *
     * @param port 0 takes a free one
     * @throws CliException if the address cannot be had
     */
    public static MetricsServer start(String address, int port, Prometheus figures) {
        try {
            HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getByName(address), port), WAITING);
            MetricsServer server = new MetricsServer(http);
            http.setExecutor(server.threads);
            http.createContext("/", exchange -> answer(exchange, figures));
            http.start();
            log.info("metrics are at http://{}:{}/metrics", address, server.port());
            return server;
        } catch (IOException e) {
            throw CliException.failed(
                    "--metrics-port " + port + ": cannot listen at " + address + ":" + port + ": " + e.getMessage(), e);
        }
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange, Prometheus figures) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            boolean head = method.equals("HEAD");
            if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                send(exchange, 404, "metrics are at /metrics\n", head);
            } else if (!head && !method.equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, "metrics can be read only\n", false);
            } else {
                send(exchange, 200, figures.text(), head);
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String text, boolean head) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders()
                .set("Content-Type", "text/plain; " + (status == 200 ? "version=0.0.4; " : "") + "charset=utf-8");
        exchange.sendResponseHeaders(status, head ? -1 : bytes.length);
        if (!head) exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
