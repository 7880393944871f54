package dev.howdah.examples.payment;

import com.sun.net.httpserver.HttpExchange;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.HttpPlace.Seen;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A bank that keeps a book, knows a request that comes again by its key, and stops in the middle of one where a test wants it to. */
final class TestBank implements AutoCloseable {
    /** Where in a request it stops. */
    enum Moment {
        /** Before it has done anything; a request that it has stopped at is lost. */
        BEFORE,
        /** When it has written the book, and not said so. */
        AFTER
    }

    /** A request at which it stops, once. */
    private record Stop(CountDownLatch reached, CountDownLatch goOn, boolean lost) {}

    private final Map<String, List<String>> book = new ConcurrentHashMap<>();
    private final Map<String, Stop> stops = new ConcurrentHashMap<>();
    private final Set<String> closedFor = ConcurrentHashMap.newKeySet();
    private final HttpPlace place;

    TestBank() throws IOException {
        place = new HttpPlace(this::answer);
    }

    URI address() {
        return URI.create(place.address() + "/");
    }

    /** What was done with the money of a payment, in that order. */
    List<String> book(String payment) {
        return book.getOrDefault(payment, List.of());
    }

    /** How many requests there were with that key. */
    long asked(String key) {
        return place.seen().stream()
                .filter(each -> key.equals(each.headers().getFirst("idempotency-key")))
                .count();
    }

    /** It stops at the next request with that key, and loses it if it has not done anything. */
    CountDownLatch stopAt(Moment moment, String key) {
        Stop stop = new Stop(new CountDownLatch(1), place.over(), moment == Moment.BEFORE);
        stops.put(moment + " " + key, stop);
        return stop.reached();
    }

    /** It stops at the next request with that key, before it does anything, until the latch is down. */
    CountDownLatch waitAt(String key, CountDownLatch goOn) {
        Stop stop = new Stop(new CountDownLatch(1), goOn, false);
        stops.put(Moment.BEFORE + " " + key, stop);
        return stop.reached();
    }

    /** It says 503 to all requests for that payment. */
    void closeFor(String payment) {
        closedFor.add(payment);
    }

    void openFor(String payment) {
        closedFor.remove(payment);
    }

    private void answer(HttpExchange exchange, Seen request) throws IOException, InterruptedException {
        String key = String.valueOf(request.headers().getFirst("idempotency-key"));
        String payment = key.substring(0, key.lastIndexOf('/'));
        if (isStopped(Moment.BEFORE, key)) return;
        if (closedFor.contains(payment)) {
            say(exchange, 503, "closed");
            return;
        }
        String refusal = write(payment, request.path().substring(1));
        if (isStopped(Moment.AFTER, key)) return;
        say(exchange, refusal == null ? 200 : 409, refusal == null ? "done" : refusal);
    }

    /** Whether nobody is to hear anything more of the request. */
    private boolean isStopped(Moment moment, String key) throws InterruptedException {
        Stop stop = stops.remove(moment + " " + key);
        if (stop == null) return false;
        stop.reached().countDown();
        stop.goOn().await();
        return stop.lost();
    }

    /** Null: it is done, now or before. */
    private synchronized @Nullable String write(String payment, String what) {
        List<String> done = book.computeIfAbsent(payment, key -> new CopyOnWriteArrayList<>());
        if (done.contains(what)) return null;
        boolean first = done.isEmpty();
        if (what.equals("hold") != first || done.size() > 1) return "cannot " + what + " after " + done;
        done.add(what);
        return null;
    }

    private static void say(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        place.close();
    }
}
