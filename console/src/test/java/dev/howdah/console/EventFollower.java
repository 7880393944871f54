package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** A client of a stream of events, which keeps the lines that it gets. */
final class EventFollower implements AutoCloseable {
    final List<String> lines = new CopyOnWriteArrayList<>();
    private final Stream<String> body;
    private final Thread thread;
    final int status;

    EventFollower(HttpClient http, URI console, String token, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(console.resolve("/api/v1/events"))
                .header("Authorization", token)
                .header("Accept", "text/event-stream");
        if (headers.length > 0) request.headers(headers);
        HttpResponse<Stream<String>> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofLines());
        status = answer.statusCode();
        body = answer.body();
        thread = new Thread(() -> {
            try {
                body.forEach(lines::add);
            } catch (UncheckedIOException | IllegalStateException e) {
                // It was closed here.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    String text() {
        return String.join("\n", lines);
    }

    void awaitText(String... texts) {
        await().atMost(Patience.LIMIT).untilAsserted(() -> assertThat(text()).contains(texts));
    }

    String lastId() {
        return lines.stream()
                .filter(each -> each.startsWith("id: "))
                .reduce((one, other) -> other)
                .orElseThrow()
                .substring(4);
    }

    boolean isOver() {
        return !thread.isAlive();
    }

    @Override
    public void close() {
        body.close();
    }
}
