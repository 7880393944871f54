package dev.howdah.daemon;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server that requests of tests go to: it keeps what it has seen, and answers as the test says. */
final class HttpPlace implements AutoCloseable {
    /** A request. */
    record Seen(String path, Headers headers, String body) {}

    /** Answers a request that {@link #seen} has, too; what goes wrong while it writes is the client's affair. */
    @FunctionalInterface
    interface Answer {
        void give(HttpExchange exchange, Seen request) throws IOException, InterruptedException;
    }

    private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final Answer answer;

    HttpPlace(Answer answer) throws IOException {
        this.answer = answer;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Seen request = new Seen(exchange.getRequestURI().getPath(), exchange.getRequestHeaders(), body);
            seen.add(request);
            answer.give(exchange, request);
        } catch (IOException e) {
            // It was heard enough.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Where it is, without a slash at the end. */
    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** The requests so far, in their order. */
    Queue<Seen> seen() {
        return seen;
    }

    /** Down once the test is over: for answers that take as long. */
    CountDownLatch over() {
        return over;
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
