package dev.howdah.daemon;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy between workers and a daemon that cuts connections before and after the answer, and sends requests twice. */
final class FaultyProxy implements AutoCloseable {
    /** One request in so many suffers each fault. */
    private static final int ONE_IN = 25;

    private final HttpServer server;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Random random = new Random(11);
    private final AtomicInteger faults = new AtomicInteger();
    private volatile String target;

    FaultyProxy(String target) throws IOException {
        this.target = target;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::pass);
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** The daemon is another one now. */
    void leadTo(String daemon) {
        target = daemon;
    }

    int faults() {
        return faults.get();
    }

    private void pass(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        int fault;
        synchronized (random) {
            fault = random.nextInt(ONE_IN);
        }
        if (fault < 4) faults.incrementAndGet();
        try {
            // Without an answer the exchange is cut.
            if (fault == 0) return;
            CompletableFuture<HttpResponse<byte[]>> answer = sent(exchange, body);
            if (fault == 1) answer.join();
            if (fault == 1 || fault == 3) answer = sent(exchange, body);
            HttpResponse<byte[]> last = answer.join();
            if (fault == 2) return;
            last.headers()
                    .firstValue("Content-Type")
                    .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
            exchange.sendResponseHeaders(last.statusCode(), last.body().length == 0 ? -1 : last.body().length);
            exchange.getResponseBody().write(last.body());
        } catch (RuntimeException e) {
            // The daemon was killed: the client is cut off, too.
            faults.incrementAndGet();
        } finally {
            exchange.close();
        }
    }

    private CompletableFuture<HttpResponse<byte[]>> sent(HttpExchange exchange, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(target + exchange.getRequestURI()))
                .timeout(Duration.ofSeconds(60))
                .method(
                        exchange.getRequestMethod(),
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        for (String header : new String[] {"Content-Type", "Authorization", "Idempotency-Key"}) {
            String value = exchange.getRequestHeaders().getFirst(header);
            if (value != null) request.header(header, value);
        }
        return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
