package dev.howdah.examples.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.HttpPlace.Seen;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A model server and a shop. The model's answers follow a script, and each answer is paid for once: a request whose key it knows gets the answer of before.
 * Both stop in the middle of a request where a test wants it; requests are told apart by the number of the order and what they are.
 */
final class TestModel implements AutoCloseable {
    /** Where in a request it stops. */
    enum Moment {
        /** Before anything is done or paid; the request is lost. */
        BEFORE,
        /** When the answer is paid for, and not said. */
        AFTER
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> paid = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> stops = new ConcurrentHashMap<>();
    private final Map<String, Integer> refusals = new ConcurrentHashMap<>();
    private final HttpPlace place;

    TestModel() throws IOException {
        place = new HttpPlace(this::answer);
    }

    String address() {
        return place.address() + "/v1";
    }

    URI shop() {
        return URI.create(place.address() + "/");
    }

    /** It stops at the next such request: {@code model 2}, {@code orders} or {@code inspect} of an order. */
    CountDownLatch stopAt(Moment moment, int order, String what) {
        CountDownLatch reached = new CountDownLatch(1);
        stops.put(moment + " " + order + " " + what, reached);
        return reached;
    }

    /** The next such request gets that status. */
    void refuse(int order, String what, int status) {
        refusals.put(order + " " + what, status);
    }

    /** How often such a request was paid for. */
    int paid(int order, String what) {
        AtomicInteger times = paid.get(order + " " + what);
        return times == null ? 0 : times.get();
    }

    /** How many requests have come in, also those that came again. */
    int asked() {
        return place.seen().size();
    }

    private void answer(HttpExchange exchange, Seen request) throws IOException, InterruptedException {
        String[] path = request.path().substring(1).split("/");
        boolean isModel = path[0].equals("v1");
        JsonNode body = JSON.readTree(request.body());
        String order = isModel ? body.at("/messages/1/content").asText().replaceAll("\\D", "") : path[1];
        String what = isModel ? "model " + (1 + said(body)) : path[0];
        String name = order + " " + what;
        if (stopped(Moment.BEFORE, name)) return;
        Integer refusal = refusals.remove(name);
        if (refusal != null) {
            say(exchange, refusal, "{\"error\": {\"message\": \"refused\"}}");
            return;
        }
        String key = String.valueOf(request.headers().getFirst("idempotency-key"));
        String answer = answers.computeIfAbsent(key, unknown -> {
            paid.computeIfAbsent(name, first -> new AtomicInteger()).incrementAndGet();
            return isModel ? turn(1 + said(body), order, body) : shopAnswer(what, path);
        });
        if (!stopped(Moment.AFTER, name)) say(exchange, 200, answer);
    }

    private boolean stopped(Moment moment, String name) throws InterruptedException {
        CountDownLatch reached = stops.remove(moment + " " + name);
        if (reached == null) return false;
        reached.countDown();
        place.over().await();
        return true;
    }

    private static long said(JsonNode body) {
        long said = 0;
        for (JsonNode each : body.path("messages"))
            if (each.path("role").asText().equals("assistant")) said++;
        return said;
    }

    private static String shopAnswer(String what, String[] path) {
        return what.equals("orders") ? "two parcels, 5000 cents" : "parcel " + path[2] + " is crushed";
    }

    private static String turn(long turn, String order, JsonNode body) {
        String number = "{\"order\": " + order;
        if (turn == 1) return asks(List.of(Map.entry("find_order", number + "}")));
        if (turn == 2)
            return asks(List.of(
                    Map.entry("inspect", number + ", \"parcel\": 1}"),
                    Map.entry("inspect", number + ", \"parcel\": 2}")));
        if (turn == 3)
            return asks(List.of(
                    Map.entry("refund", number + ", \"cents\": 5000}"),
                    Map.entry("refund", number + ", \"cents\": \"many\"}"),
                    Map.entry("apologise", "{}")));
        return completion(Map.of("role", "assistant", "content", results(body)), "stop");
    }

    /** What the tools have answered to the model, so that a test sees that it has all been sent. */
    private static String results(JsonNode body) {
        StringBuilder results = new StringBuilder();
        for (JsonNode each : body.path("messages"))
            if (each.path("role").asText().equals("tool"))
                results.append(results.isEmpty() ? "" : "; ")
                        .append(each.path("content").asText());
        return results.toString();
    }

    private static String asks(List<Map.Entry<String, String>> calls) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Map.Entry<String, String> each : calls)
            all.add(Map.of(
                    "id",
                    "call_" + all.size(),
                    "type",
                    "function",
                    "function",
                    Map.of("name", each.getKey(), "arguments", each.getValue())));
        return completion(Map.of("role", "assistant", "tool_calls", all), "tool_calls");
    }

    private static String completion(Map<String, ?> message, String reason) {
        Map<String, Object> choice = Map.of("index", 0, "message", message, "finish_reason", reason);
        try {
            return JSON.writeValueAsString(Map.of(
                    "id",
                    "chatcmpl-1",
                    "object",
                    "chat.completion",
                    "created",
                    0,
                    "model",
                    "gpt-4.1",
                    "choices",
                    List.of(choice),
                    "usage",
                    Map.of("prompt_tokens", 10, "completion_tokens", 5, "total_tokens", 15)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void say(HttpExchange exchange, int status, @Nullable String text) throws IOException {
        byte[] body = String.valueOf(text).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("content-type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        place.close();
    }
}
