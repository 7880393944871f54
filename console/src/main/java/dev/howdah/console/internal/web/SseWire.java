package dev.howdah.console.internal.web;

import dev.howdah.console.internal.live.LiveStream;
import io.javalin.http.sse.SseClient;

/** A stream of server-sent events of Javalin. */
final class SseWire implements LiveStream.Wire {
    /** Of an empty text Javalin writes no line of data, and browsers pass over an event that has none. */
    private static final String EMPTY = " ";

    private final SseClient client;

    SseWire(SseClient client) {
        this.client = client;
    }

    @Override
    public void send(String event, String data) {
        if (!client.terminated()) client.sendEvent(event, data.isEmpty() ? EMPTY : data);
    }

    @Override
    public void comment() {
        if (!client.terminated()) client.sendComment("");
    }

    @Override
    public boolean isClosed() {
        return client.terminated();
    }

    @Override
    public void close() {
        client.close();
    }
}
