package dev.howdah.console.internal.api.event;

import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.access.NeededRole;
import dev.howdah.console.internal.access.RequestGuard;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.ApiServer;
import dev.howdah.operations.Role;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.sse.SseClient;
import io.javalin.http.sse.SseHandler;
import io.javalin.websocket.WsConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code /events}: what becomes of tasks, jobs, processes, sweeps, queues, tables of tasks, namespaces and nodes, as server-sent events or
 * through a WebSocket. Safe for use by many threads.
 */
public final class EventRoutes {
    private static final String PATH = "/events";
    private static final String LAST = "Last-Event-ID";
    private static final String ASKED = "howdah.events";
    private static final int LONGEST_ID = 100;

    /** Of a WebSocket, of which a page cannot set headers. */
    private static final Field AFTER =
            Field.maybe("last_event_id", FieldType.TEXT, "as the header Last-Event-ID, for a WebSocket");

    private final EventStreams streams;
    private final Set<String> channels;
    private final ApiRoute route;
    private final Map<String, StateStream> sockets = new ConcurrentHashMap<>();

    /** @param channels of the user that may be passed on */
    public EventRoutes(EventStreams streams, Set<String> channels) {
        this.streams = streams;
        this.channels = channels;
        this.route = ApiRoute.read(
                        PATH,
                        "streamEvents",
                        "Tells what becomes of tasks, jobs, processes, sweeps, queues, tables of tasks, namespaces and nodes:"
                                + " server-sent events, or a WebSocket.")
                .query(Stream.concat(EventFilter.FIELDS.stream(), Stream.of(AFTER))
                        .toList())
                .streams(this::open);
    }

    public List<ApiRoute> routes() {
        return List.of(route);
    }

    /** What a request asks for, and by which name its streams are counted. */
    private record Asked(Caller caller, @Nullable String id, EventFilter filter) {
        String name() {
            return caller.name() + " at " + caller.address();
        }
    }

    private Asked asked(Context context) {
        String header = context.header(LAST);
        String id = header == null ? context.queryParam(AFTER.name()) : header;
        if (id != null && id.length() > LONGEST_ID)
            throw ApiProblemException.invalid(LAST + " has " + id.length() + " characters: it is an id of an event");
        return new Asked(Caller.of(context), id, EventFilter.of(context, channels));
    }

    private StateStream stream(Asked asked, StateStream.Wire wire) {
        return new StateStream(
                asked.name(),
                asked.caller().stands(),
                streams.events(),
                asked.id(),
                asked.filter(),
                wire,
                System.nanoTime());
    }

    private void open(Context context) throws Exception {
        String accept = context.header("Accept");
        if (accept == null || !accept.contains("text/event-stream"))
            throw new ApiProblemException(
                    406, "not-acceptable", "this is a stream: send the header Accept: text/event-stream");
        Asked asked = asked(context);
        streams.reserve(asked.name());
        context.header("X-Accel-Buffering", "no");
        new SseHandler(client -> open(client, asked)).handle(context);
    }

    private void open(SseClient client, Asked asked) {
        StateStream stream = stream(asked, new EventWire(client));
        client.keepAlive();
        client.onClose(() -> streams.remove(stream));
        streams.add(stream);
    }

    /** Adds the same path for WebSockets. The requests that become one are checked as all others. */
    public void addSocket(RoutesConfig to, RequestGuard guard) {
        to.wsBeforeUpgrade(context -> {
            guard.check(context);
            guard.checkSocket(context);
        });
        to.wsBeforeUpgrade(ApiServer.BASE + PATH, context -> {
            Caller.of(context).require(Role.VIEWER);
            ApiServer.query(context, route);
            Asked asked = asked(context);
            streams.reserve(asked.name());
            context.attribute(ASKED, asked);
        });
        to.ws(ApiServer.BASE + PATH, this::socket, new NeededRole(Role.VIEWER, null));
    }

    private void socket(WsConfig socket) {
        socket.onConnect(context -> {
            Asked asked = context.attribute(ASKED);
            if (asked == null) throw new IllegalStateException("the request was not checked");
            StateStream stream = stream(asked, new SocketWire(context.session));
            sockets.put(context.sessionId(), stream);
            streams.add(stream);
        });
        socket.onClose(context -> {
            StateStream stream = sockets.remove(context.sessionId());
            if (stream != null) streams.remove(stream);
        });
        // The session is closed then, which is noticed.
        socket.onError(context -> context.session.disconnect());
    }
}
