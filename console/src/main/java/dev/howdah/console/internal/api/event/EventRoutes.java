package dev.howdah.console.internal.api.event;

import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRoute;
import io.javalin.http.Context;
import io.javalin.http.sse.SseClient;
import io.javalin.http.sse.SseHandler;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** {@code /events}: what becomes of tasks, jobs, queues, tables of tasks, namespaces and nodes. Safe for use by many threads. */
public final class EventRoutes {
    private static final String LAST = "Last-Event-ID";

    private final EventStreams streams;

    private EventRoutes(EventStreams streams) {
        this.streams = streams;
    }

    public static List<ApiRoute> of(EventStreams streams) {
        EventRoutes events = new EventRoutes(streams);
        return List.of(ApiRoute.stream(
                "/events",
                "streamEvents",
                "Tells what becomes of tasks, jobs, queues, tables of tasks, namespaces and nodes: server-sent events.",
                events::open));
    }

    private void open(Context context) throws Exception {
        String accept = context.header("Accept");
        if (accept == null || !accept.contains("text/event-stream"))
            throw new ApiProblemException(
                    406, "not-acceptable", "this is a stream: send the header Accept: text/event-stream");
        String id = context.header(LAST);
        if (id != null && id.length() > 100)
            throw ApiProblemException.invalid(LAST + " has " + id.length() + " characters: it is an id of an event");
        Caller caller = Caller.of(context);
        String name = caller.name() + " at " + caller.address();
        streams.reserve(name);
        context.header("X-Accel-Buffering", "no");
        new SseHandler(client -> open(client, name, caller.stands(), id)).handle(context);
    }

    private void open(SseClient client, String caller, BooleanSupplier mayRead, @Nullable String id) {
        StateStream stream =
                new StateStream(caller, mayRead, streams.events(), id, new EventWire(client), System.nanoTime());
        client.keepAlive();
        client.onClose(() -> streams.remove(stream));
        streams.add(stream);
    }

    private static final class EventWire implements StateStream.Wire {
        private final SseClient client;

        EventWire(SseClient client) {
            this.client = client;
        }

        @Override
        public void send(String type, String data, @Nullable String id) {
            if (!client.terminated()) client.sendEvent(type, data, id);
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
}
