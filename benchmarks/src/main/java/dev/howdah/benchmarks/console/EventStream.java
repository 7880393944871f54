package dev.howdah.benchmarks.console;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The stream of a page that a browser has open. */
final class EventStream implements AutoCloseable {
    private final Stream<String> lines;
    private final Thread reader;
    private final BlockingQueue<String> data = new LinkedBlockingQueue<>();

    private EventStream(Stream<String> lines) {
        this.lines = lines;
        this.reader = new Thread(this::read, "event-stream");
        reader.setDaemon(true);
        reader.start();
    }

    static EventStream open(HttpClient http, String console, String page) throws IOException, InterruptedException {
        URI address = URI.create(console + "/stream?view=" + URLEncoder.encode(page, StandardCharsets.UTF_8));
        HttpResponse<Stream<String>> answer = http.send(
                HttpRequest.newBuilder(address)
                        .header("Accept", "text/event-stream")
                        .build(),
                HttpResponse.BodyHandlers.ofLines());
        if (answer.statusCode() != 200) throw new IOException(address + ": " + answer.statusCode());
        return new EventStream(answer.body());
    }

    private void read() {
        try {
            for (Iterator<String> all = lines.iterator(); all.hasNext(); ) {
                String line = all.next();
                if (line.startsWith("data:")) data.add(line);
            }
        } catch (RuntimeException e) {
            data.add("ended: " + e);
        }
    }

    /** Waits until a line with that text came; false: it did not within ten seconds. */
    boolean awaits(String text) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (true) {
            String line = data.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) return false;
            if (line.contains(text)) return true;
        }
    }

    @Override
    public void close() {
        lines.close();
        reader.interrupt();
    }
}
