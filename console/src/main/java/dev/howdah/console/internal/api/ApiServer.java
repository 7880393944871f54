package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.access.NeededRole;
import dev.howdah.console.internal.access.RequestGuard;
import dev.howdah.console.internal.audit.Audit;
import dev.howdah.console.internal.connection.Client;
import dev.howdah.console.internal.data.ActorSource;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Values;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.security.RouteRole;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests of the API by its routes. Safe for use by many threads. */
public final class ApiServer {
    /** All paths begin so. */
    public static final String BASE = "/api/v1";

    private static final Logger log = LoggerFactory.getLogger(ApiServer.class);
    private static final int LONGEST_REASON = 200;
    /** A body of up to so many times the allowed bytes is read before it is refused. */
    private static final long DISCARDED = 8;

    private final List<ApiRoute> routes;
    private final Map<String, ApiRoute> readings;
    private final Audit audit;
    private final String version;
    private byte @Nullable [] document;

    public ApiServer(List<ApiRoute> routes, Audit audit, String version) {
        this.routes = List.copyOf(routes);
        this.readings = EntityTags.readings(this.routes);
        this.audit = audit;
        this.version = version;
    }

    /** Adds the routes; before those of pages, which take all paths. */
    public void addTo(RoutesConfig to) {
        RequestGuard.read(to, BASE + "/openapi.json", this::document, NeededRole.VIEWER);
        for (ApiRoute route : oftenAskedFirst()) {
            ApiRoute.Stream stream = route.stream();
            RouteRole role = route.isOpen()
                    ? RequestGuard.Open.TO_ALL
                    : new NeededRole(route.role(), route.audit(), route.also());
            Handler handler = context -> {
                if (stream != null && stream.isAsked(context)) open(context, route, stream);
                else answer(context, route);
            };
            if (route.method().equals("GET")) RequestGuard.read(to, BASE + route.path(), handler, role);
            else to.post(BASE + route.path(), handler, role);
        }
        Handler none = this::none;
        to.get(RequestGuard.API + "*", none, NeededRole.VIEWER);
        to.head(RequestGuard.API + "*", none, NeededRole.VIEWER);
        to.post(RequestGuard.API + "*", none, NeededRole.VIEWER);
        to.put(RequestGuard.API + "*", none, NeededRole.VIEWER);
        to.patch(RequestGuard.API + "*", none, NeededRole.VIEWER);
        to.delete(RequestGuard.API + "*", none, NeededRole.VIEWER);
    }

    /** The server compares a request with one route after the other: workers ask most. */
    private List<ApiRoute> oftenAskedFirst() {
        return routes.stream()
                .sorted(Comparator.comparing(each -> !each.path().startsWith("/workers/")))
                .toList();
    }

    /** Made when it is asked for: what makes JSON need not be there when a console starts. */
    private synchronized void document(Context context) {
        byte[] made = document;
        if (made == null) made = ApiJson.text(OpenApi.of(routes, version)).getBytes(StandardCharsets.UTF_8);
        document = made;
        context.contentType("application/json").result(made);
    }

    private void none(Context context) {
        String path = context.req().getRequestURI();
        TreeSet<String> methods = new TreeSet<>();
        for (ApiRoute route : routes)
            if (path.matches((BASE + route.path()).replaceAll("\\{[^}]*}", "[^/]+"))) methods.add(route.method());
        if (methods.isEmpty()) {
            Problems.send(
                    context, 404, "there is nothing at " + path + "; " + BASE + "/openapi.json says what there is");
        } else {
            context.header("Allow", String.join(", ", methods));
            Problems.send(context, 405, "here are " + String.join(" and ", methods));
        }
    }

    private static void open(Context context, ApiRoute route, ApiRoute.Stream stream) throws Exception {
        try {
            query(context, route);
            stream.open(context);
        } catch (RuntimeException e) {
            // A part of an answer cannot be taken back.
            if (context.res().isCommitted()) throw e;
            Problems.send(context, Problems.of(e));
        }
    }

    private void answer(Context context, ApiRoute route) {
        ApiRequest request;
        CompletableFuture<ApiAnswer> answer;
        try {
            request = request(context, route);
            checkUnchanged(context, route, request);
            answer = run(route, request);
        } catch (RuntimeException e) {
            Problems.send(context, Problems.of(e));
            return;
        }
        if (answer.isDone() && !answer.isCompletedExceptionally()) {
            send(context, route, request, answer.join());
            return;
        }
        context.future(() -> answer.handle((ready, thrown) -> {
            if (thrown == null) send(context, route, request, ready);
            else Problems.send(context, Problems.of(cause(thrown)));
            return null;
        }));
    }

    /**
     * Calls a route from within, as a request does.
     *
     * @param arguments the names of the path, the parameters and the fields of the body
     */
    public CompletableFuture<ApiAnswer> call(ApiRoute route, Caller caller, ObjectNode arguments) {
        if (!route.isFor(caller.role())) caller.require(route.role());
        return run(route, request(route, caller, arguments));
    }

    /** The question before a call, as pages ask it; empty: there is none in words. */
    public String question(ApiRoute route, Caller caller, ObjectNode arguments) {
        ApiRequest request = request(route, caller, arguments);
        Operation declared = route.declared();
        return declared == null
                ? ""
                : audit.question(
                        declared, Values.read(declared.subject().names(), request::key), declared.read(request::lines));
    }

    /** A request as {@link #call} makes it of its arguments. */
    public static ApiRequest request(ApiRoute route, Caller caller, ObjectNode arguments) {
        ObjectNode body = arguments.deepCopy();
        Map<String, String> names = new LinkedHashMap<>();
        Map<String, String> query = new LinkedHashMap<>();
        for (String each : route.names()) names.put(each, text(each, body.remove(each)));
        for (Field each : route.query()) {
            JsonNode value = body.remove(each.name());
            if (value != null && !value.isNull()) query.put(each.name(), text(each.name(), value));
        }
        Shape shape = route.body() == null ? Shape.of("Nothing") : route.body();
        return new ApiRequest(caller, names, query, BodyReader.read(ApiJson.text(body), shape), null, null);
    }

    private static String text(String name, @Nullable JsonNode value) {
        if (value == null || value.isNull()) throw ApiProblemException.invalid(name + " is missing");
        List<String> texts = new ArrayList<>();
        if (value.isArray()) value.forEach(each -> texts.add(each.asText()));
        else texts.add(value.isContainerNode() ? ApiJson.text(value) : value.asText());
        String text = String.join("\n", texts);
        if (text.indexOf('\0') >= 0) throw ApiProblemException.invalid(name + " has the character 0");
        return text;
    }

    /** What {@link #call} takes, as JSON Schema. */
    public static ObjectNode schema(ApiRoute route) {
        return OpenApi.arguments(route);
    }

    /** Refuses a change of an object that is not as the caller has read it, if the request says how that was. */
    private void checkUnchanged(Context context, ApiRoute route, ApiRequest request) {
        if (route.audit() == null || EntityTags.named(context, "If-Match").isEmpty()) return;
        ApiRoute reading = readings.get(route.path());
        // Ignored, it would promise something.
        if (reading == null)
            throw ApiProblemException.invalid("this route takes no If-Match: send the request without it");
        Map<String, String> query = new LinkedHashMap<>(request.query());
        query.keySet().retainAll(reading.query().stream().map(Field::name).toList());
        ApiAnswer present = reading.work()
                .run(new ApiRequest(request.caller(), request.names(), query, ApiJson.object(), null, null))
                .join();
        JsonNode body = present.body();
        if (body != null && EntityTags.isNamed(context, "If-Match", EntityTags.of(body))) return;
        throw new ApiProblemException(
                412, "precondition-failed", "it has changed since it was read: read it again, nothing was done");
    }

    private static void send(Context context, ApiRoute route, ApiRequest request, ApiAnswer answer) {
        answer.headers().forEach(context::header);
        context.status(answer.status());
        JsonNode json = answer.body();
        if (json == null) return;
        byte[] body = ApiJson.text(json).getBytes(StandardCharsets.UTF_8);
        if (route.method().equals("GET")) {
            String tag = EntityTags.of(body);
            context.header("ETag", tag);
            if (EntityTags.isNamed(context, "If-None-Match", tag)) {
                context.status(304);
                return;
            }
            PageLinks.put(context, route, request, json);
        }
        context.contentType("application/json").result(body);
    }

    private CompletableFuture<ApiAnswer> run(ApiRoute route, ApiRequest request) {
        if (route.audit() == null) return route.work().run(request);
        String reason = request.text(Field.REASON.name());
        if (reason != null && reason.length() > LONGEST_REASON)
            throw ApiProblemException.ofField(
                    "reason", "reason has " + reason.length() + " characters: up to " + LONGEST_REASON + " are kept");
        Map<String, List<String>> sent = new LinkedHashMap<>();
        request.body()
                .fields()
                .forEachRemaining(each -> sent.put(
                        each.getKey(),
                        List.of(
                                each.getValue().isTextual()
                                        ? each.getValue().asText()
                                        : ApiJson.text(each.getValue()))));
        Operation declared = route.declared();
        Audit.Change change = declared == null
                ? audit.begin(request.caller(), route.audit(), object(route, request), sent)
                : audit.begin(request.caller(), declared, request::key, sent);
        CompletableFuture<ApiAnswer> answer;
        try {
            answer = ActorSource.as(request.caller().name(), () -> route.work().run(request));
        } catch (RuntimeException e) {
            change.failed(Problems.of(e).detail());
            throw e;
        }
        // Written before it is answered.
        return answer.whenComplete((ready, thrown) -> {
            if (thrown == null) end(change, ready);
            else change.failed(Problems.of(cause(thrown)).detail());
        });
    }

    /** Writes down how a change ended, or will end in the background. */
    private static void end(Audit.Change change, ApiAnswer answer) {
        CompletionStage<ActionResult.End> ending = answer.ending();
        if (ending == null) change.done(String.valueOf(answer.body()));
        else ending.thenAccept(change::over);
    }

    private static Throwable cause(Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }

    /** Such as {@code jobs/42}, as pages name it; null: the route names none. */
    private static @Nullable String object(ApiRoute route, ApiRequest request) {
        List<String> names = route.names();
        if (names.isEmpty()) return null;
        String table = request.parameter("table");
        return route.path().substring(1, route.path().indexOf('{'))
                + names.stream().map(request::name).collect(Collectors.joining("/"))
                + (table == null ? "" : " of " + table);
    }

    private static ApiRequest request(Context context, ApiRoute route) {
        Map<String, String> names = new LinkedHashMap<>();
        for (String each : route.names()) names.put(each, context.pathParam(each));
        return new ApiRequest(
                Caller.of(context),
                names,
                query(context, route),
                route.body() == null ? ApiJson.object() : BodyReader.read(body(context, route), route.body()),
                key(context, route),
                Client.of(context));
    }

    /** The parameters of a request, which have to be those of the route. */
    public static Map<String, String> query(Context context, ApiRoute route) {
        List<String> known = route.query().stream().map(Field::name).toList();
        Map<String, String> query = new LinkedHashMap<>();
        context.queryParamMap().forEach((name, values) -> {
            if (!known.contains(name))
                throw ApiProblemException.invalid("there is no parameter " + name
                        + (known.isEmpty() ? "" : "; there are " + String.join(", ", known)));
            boolean isMany =
                    route.query().stream().anyMatch(each -> each.name().equals(name) && each.type() == FieldType.TEXTS);
            if (values.size() > 1 && !isMany)
                throw ApiProblemException.invalid(name + " is given " + values.size() + " times");
            if (values.get(0).indexOf('\0') >= 0) throw ApiProblemException.invalid(name + " has the character 0");
            if (!values.get(0).isEmpty()) query.put(name, String.join("\n", values));
        });
        return query;
    }

    private static String body(Context context, ApiRoute route) {
        // Before it is kept, where the length is said.
        if (context.contentLength() > route.mostBytes()) {
            discard(context, route);
            throw tooLarge(route);
        }
        byte[] bytes = context.bodyAsBytes();
        if (bytes.length > route.mostBytes()) throw tooLarge(route);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ApiProblemException(400, "bad-request", "the body is no text in UTF-8");
        }
    }

    /** Most clients read no answer before they have sent all, and would see a connection that was reset. A much larger body is not read. */
    private static void discard(Context context, ApiRoute route) {
        if (context.contentLength() > DISCARDED * route.mostBytes()) return;
        try {
            context.bodyInputStream().skipNBytes(context.contentLength());
        } catch (IOException e) {
            log.debug("a body that is too large has not come to its end", e);
        }
    }

    private static ApiProblemException tooLarge(ApiRoute route) {
        return new ApiProblemException(413, "body-too-large", "a body has up to " + route.mostBytes() + " bytes here");
    }

    private static @Nullable String key(Context context, ApiRoute route) {
        List<String> keys = new ArrayList<>();
        context.req().getHeaders("Idempotency-Key").asIterator().forEachRemaining(keys::add);
        // A read is the same each time.
        if (keys.isEmpty() || route.method().equals("GET")) return null;
        // Ignored, it would promise something.
        if (!route.isKeyed())
            throw ApiProblemException.invalid("this route takes no Idempotency-Key: send the request without it");
        if (keys.size() > 1 || !keys.get(0).matches("[\\x20-\\x7e]{1,255}"))
            throw ApiProblemException.invalid("an Idempotency-Key is one text of 1 to 255 printable ASCII characters");
        return keys.get(0);
    }
}
