package dev.howdah.console.internal.api.event;

import io.javalin.http.sse.SseClient;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A stream of server-sent events. */
final class EventWire implements StateStream.Wire {
    private final SseClient client;

    EventWire(SseClient client) {
        this.client = client;
    }

    @Override
    public void send(List<StateStream.Message> messages) {
        if (client.terminated()) return;
        StringBuilder text = new StringBuilder();
        for (StateStream.Message each : messages) {
            text.append("event: ").append(each.type()).append('\n');
            text.append("data: ").append(each.data()).append('\n');
            if (each.id() != null) text.append("id: ").append(each.id()).append('\n');
            text.append('\n');
        }
        try {
            // Together, and not each by itself: a thousand a second go to many clients. Not by the stream of Javalin,
            // whose flush does nothing.
            HttpServletResponse response = client.ctx().res();
            response.getOutputStream().write(text.toString().getBytes(StandardCharsets.UTF_8));
            response.flushBuffer();
        } catch (IOException e) {
            client.close();
        }
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
