package dev.howdah.console;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The API of workers as the example of a worker meets it on its worst days: each answer is as the test says, and each request is kept. */
final class WorkerHost implements AutoCloseable {
    /** An answer that gets lost: the connection ends without one. */
    static final Reply NONE = new Reply(0, "", null);

    record Reply(int status, String body, @Nullable String retryAfter) {
        static Reply problem(int status, String type) {
            return new Reply(
                    status,
                    "{\"type\": \"urn:howdah:problem:" + type + "\", \"title\": \"any title\", \"detail\": \"any\"}",
                    null);
        }

        static Reply ok(String body) {
            return new Reply(200, body, null);
        }
    }

    /**
     * A request.
     *
     * @param at nanoseconds
     */
    record Asked(
            String path, @Nullable String key, @Nullable String authorization, String body, long at) {
        JsonNode json() {
            try {
                return new ObjectMapper().readTree(body);
            } catch (JsonProcessingException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final List<Asked> requests = new CopyOnWriteArrayList<>();
    private final Map<String, Queue<Supplier<Reply>>> scripts = new ConcurrentHashMap<>();
    private final Map<String, Supplier<Reply>> usual = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final Path said;
    private @Nullable Process worker;

    WorkerHost(Path folder) throws IOException {
        said = folder.resolve("said");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/api/v1/", this::answer);
        server.start();
        usually("workers/claim", () -> Reply.ok("{\"claims\": []}"));
        usually("workers/heartbeat", () -> Reply.ok("{\"cancel\": false, \"lease\": 30}"));
    }

    /** What that path answers, once and before what it usually does; the last said comes last. */
    void once(String path, Reply reply) {
        once(path, () -> reply);
    }

    void once(String path, Supplier<Reply> reply) {
        scripts.computeIfAbsent(path, each -> new ConcurrentLinkedQueue<>()).add(reply);
    }

    void usually(String path, Supplier<Reply> reply) {
        usual.put(path, reply);
    }

    /** The next claim gets these jobs. */
    void give(String... jobs) {
        once("workers/claim", claims(jobs));
    }

    static Reply claims(String... jobs) {
        return Reply.ok("{\"claims\": [" + String.join(", ", jobs) + "], \"a_field_of_later\": 1}");
    }

    /** A job as the API gives it, and with a field that no worker knows yet. */
    static String job(int id, String payload) {
        return job(id, payload, 30);
    }

    static String job(int id, String payload, int lease) {
        return "{\"token\": \"t" + id + "\", \"id\": \"" + id
                + "\", \"queue\": \"default\", \"kind\": \"mail\", \"payload\": "
                + payload
                + ", \"attempt\": 2, \"last_attempt\": false, \"run_at\": \"2026-01-02T03:04:05Z\", \"tags\": [],"
                + " \"metadata\": {}, \"lease\": " + lease + ", \"fencing_token\": \"9" + id + "\", \"later\": {}}";
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath().substring("/api/v1/".length());
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(new Asked(
                    path,
                    exchange.getRequestHeaders().getFirst("Idempotency-Key"),
                    exchange.getRequestHeaders().getFirst("Authorization"),
                    body,
                    System.nanoTime()));
            Queue<Supplier<Reply>> script = scripts.get(path);
            Supplier<Reply> next = script == null ? null : script.poll();
            if (next == null) next = usual.getOrDefault(path, () -> Reply.ok("{\"id\": \"1\", \"later\": 1}"));
            Reply reply = next.get();
            if (reply.status() == 0) return;
            if (reply.retryAfter() != null) exchange.getResponseHeaders().set("Retry-After", reply.retryAfter());
            byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    /** Starts the example against this server. */
    Process start(Map<String, String> environment, String... arguments) throws IOException {
        ProcessBuilder program = new ProcessBuilder(
                "/usr/bin/python3",
                "../examples/worker.py",
                "http://127.0.0.1:" + server.getAddress().getPort());
        program.command().addAll(List.of(arguments));
        program.environment().putAll(environment);
        Process started =
                program.redirectErrorStream(true).redirectOutput(said.toFile()).start();
        worker = started;
        return started;
    }

    String said() {
        try {
            return Files.readString(said);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitSaid(String words) {
        await(words).atMost(Patience.LIMIT).until(() -> said().contains(words));
    }

    /** The requests of that path so far. */
    List<Asked> asked(String path) {
        return requests.stream().filter(each -> each.path().equals(path)).toList();
    }

    /** The request of that path with this number, from 0 on. */
    Asked awaitAsked(String path, int number) {
        await(path + " " + number)
                .atMost(Patience.LIMIT)
                .until(() -> asked(path).size() > number);
        return asked(path).get(number);
    }

    @Override
    public void close() throws InterruptedException {
        if (worker != null) worker.destroyForcibly().waitFor();
        server.stop(0);
        threads.shutdownNow();
    }
}
