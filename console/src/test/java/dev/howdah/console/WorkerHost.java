package dev.howdah.console;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.howdah.fixtures.ClientLanguage;
import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

/**
 * The API of workers as a client library meets it on its worst days: each answer is as the test says, and each request is kept. A request for
 * many jobs is as many requests for one, unless a test says how all of it is answered.
 */
final class WorkerHost implements AutoCloseable {
    /** An answer that gets lost: the connection ends without one. */
    static final Reply NONE = new Reply(0, "", null);

    record Reply(int status, String body, @Nullable String retryAfter) {
        static Reply problem(int status, String type) {
            return new Reply(
                    status,
                    "{\"type\": \"urn:howdah:problem:" + type + "\", \"title\": \"any title\", \"status\": " + status
                            + ", \"detail\": \"any\"}",
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
                return JSON.readTree(body);
            } catch (JsonProcessingException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final String BATCH = "/batch";

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build()
            .setNodeFactory(JsonNodeFactory.withExactBigDecimals(true));

    private final List<Asked> requests = new CopyOnWriteArrayList<>();
    private final Map<String, Queue<Supplier<Reply>>> scripts = new ConcurrentHashMap<>();
    private final Map<String, Supplier<Reply>> usual = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final ClientLanguage language;
    private final Path said;
    private @Nullable Process worker;

    WorkerHost(ClientLanguage language, Path folder) throws IOException {
        this.language = language;
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
            Asked asked = new Asked(
                    path,
                    exchange.getRequestHeaders().getFirst("Idempotency-Key"),
                    exchange.getRequestHeaders().getFirst("Authorization"),
                    body,
                    System.nanoTime());
            Reply scripted = kept(asked);
            Reply reply = scripted != null
                    ? scripted
                    : path.startsWith("workers/") && path.endsWith(BATCH)
                            ? each(asked)
                            : Reply.ok("{\"id\": \"1\", \"later\": 1}");
            if (reply.status() == 0) return;
            if (reply.retryAfter() != null) exchange.getResponseHeaders().set("Retry-After", reply.retryAfter());
            byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    /** Keeps the request; returns how a test wants it answered, null: as usual. */
    private @Nullable Reply kept(Asked asked) {
        requests.add(asked);
        Queue<Supplier<Reply>> script = scripts.get(asked.path());
        Supplier<Reply> next = script == null ? null : script.poll();
        if (next == null) next = usual.get(asked.path());
        return next == null ? null : next.get();
    }

    /** Answers each job of many as a request for it alone. */
    private Reply each(Asked asked) throws JsonProcessingException {
        ArrayNode answers = JSON.createArrayNode();
        for (JsonNode job : asked.json().path("jobs")) {
            JsonNode outcome = ((ObjectNode) job).remove("outcome");
            String path = outcome == null
                    ? asked.path().substring(0, asked.path().length() - BATCH.length())
                    : "workers/" + outcome.asText();
            Reply reply = kept(new Asked(path, asked.key(), asked.authorization(), job.toString(), asked.at()));
            if (reply == NONE) return NONE;
            ObjectNode answer =
                    answers.addObject().put("token", job.path("token").asText());
            if (reply == null) answer.put("id", "1");
            else if (reply.status() == 200) answer.setAll((ObjectNode) JSON.readTree(reply.body()));
            else if (reply.body().startsWith("{")) answer.set("problem", JSON.readTree(reply.body()));
            else answer.putObject("problem").put("status", reply.status());
        }
        return Reply.ok(JSON.createObjectNode().set("jobs", answers).toString());
    }

    /** Starts the program of the language against this server. */
    Process start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(
                List.of("http://127.0.0.1:" + server.getAddress().getPort()));
        words.addAll(List.of(arguments));
        Process started = language.program(language.conformance(), words, environment)
                .redirectOutput(said.toFile())
                .start();
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
