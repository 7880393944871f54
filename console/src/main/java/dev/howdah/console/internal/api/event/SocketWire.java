package dev.howdah.console.internal.api.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.howdah.console.internal.api.ApiJson;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;

/** A WebSocket: each event is an object of JSON. */
final class SocketWire implements StateStream.Wire {
    private final Session session;

    SocketWire(Session session) {
        this.session = session;
    }

    @Override
    public void send(List<StateStream.Message> messages) {
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (StateStream.Message each : messages) {
            ObjectNode json = ApiJson.object().put("event", each.type());
            if (each.id() != null) json.put("id", each.id());
            json.putRawValue("data", new RawValue(each.data()));
            Callback.Completable written = new Callback.Completable();
            sent.add(written);
            session.sendText(ApiJson.text(json), written);
        }
        await(CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)));
    }

    private void await(CompletableFuture<Void> sent) {
        try {
            sent.join();
        } catch (CompletionException e) {
            session.disconnect();
        }
    }

    @Override
    public void comment() {
        Callback.Completable sent = new Callback.Completable();
        session.sendPing(ByteBuffer.allocate(0), sent);
        await(sent);
    }

    @Override
    public boolean isClosed() {
        return !session.isOpen();
    }

    @Override
    public void close() {
        session.close(StatusCode.SHUTDOWN, "the stream has ended", Callback.NOOP);
    }
}
