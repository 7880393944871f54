package dev.howdah.console.internal.api;

import dev.howdah.operations.Operation;
import dev.howdah.operations.Role;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.Shape;
import io.javalin.http.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A route of the API: what it takes is checked by what is said of it here, and the OpenAPI document is made from the same.
 *
 * @param method GET or POST
 * @param path below {@code /api/v1}, with names in braces
 * @param operation its name for generated clients
 * @param role what a caller needs
 * @param query the parameters after the question mark
 * @param body null: it takes none
 * @param status of the answer
 * @param answer null: it has no body
 * @param audit the action in the audit table; null: it changes nothing, or so often that it is not written down
 * @param mostBytes of the body
 * @param keyWords what an {@code Idempotency-Key} does here; null: it takes none
 * @param declared the operation that it calls; null: it is declared for the API only
 * @param also a role of programs, for which the route has what is theirs; null: none
 * @param stream of a route whose answer is sent while it is made, such as server-sent events; null: it has none
 */
public record ApiRoute(
        String method,
        String path,
        String operation,
        Role role,
        String words,
        List<Field> query,
        @Nullable Shape body,
        int status,
        @Nullable Shape answer,
        @Nullable String audit,
        int mostBytes,
        @Nullable String keyWords,
        @Nullable Operation declared,
        @Nullable Stream stream,
        @Nullable Role also,
        Work work) {
    /** The most bytes of a usual body. */
    public static final int USUAL_BYTES = 1_000_000;

    private static final String ADDED_ONCE =
            "1 to 255 printable ASCII characters: the same request again within 24 hours is answered with the same answer"
                    + " and changes nothing";

    public ApiRoute {
        query = List.copyOf(query);
    }

    /** What a route does. */
    @FunctionalInterface
    public interface Work {
        /** Called in a thread of the server: what waits for long answers by a future. */
        CompletableFuture<ApiAnswer> run(ApiRequest request);
    }

    /** What a route does without waiting for anything but the database. */
    @FunctionalInterface
    public interface Step {
        ApiAnswer run(ApiRequest request);
    }

    /** Begins a stream. */
    @FunctionalInterface
    public interface Stream {
        void open(Context context) throws Exception;

        /** Whether a request wants the stream; else it gets the answer of the route. */
        default boolean isAsked(Context context) {
            return true;
        }

        /** The types of its answers. */
        default List<String> media() {
            return List.of("text/event-stream");
        }
    }

    private static Work now(Step step) {
        return request -> CompletableFuture.completedFuture(step.run(request));
    }

    /** Reads something. */
    public static ApiRoute read(
            String path, String operation, String words, List<Field> query, Shape answer, Step step) {
        return new ApiRoute(
                "GET",
                path,
                operation,
                Role.VIEWER,
                words,
                query,
                null,
                200,
                answer,
                null,
                0,
                null,
                null,
                null,
                null,
                now(step));
    }

    /** Changes something, which is written to the audit table, with the {@code reason} of its body. */
    public static ApiRoute change(
            String path,
            String operation,
            Role role,
            String words,
            @Nullable Shape body,
            int status,
            Shape answer,
            String audit,
            Step step) {
        return changeLater(path, operation, role, words, body, status, answer, audit, now(step));
    }

    /** As {@link #change}, by what waits for more than the database. */
    public static ApiRoute changeLater(
            String path,
            String operation,
            Role role,
            String words,
            @Nullable Shape body,
            int status,
            Shape answer,
            String audit,
            Work work) {
        return new ApiRoute(
                "POST",
                path,
                operation,
                role,
                words,
                List.of(),
                body == null ? Shape.REASON : body.with(Field.REASON),
                status,
                answer,
                audit,
                USUAL_BYTES,
                null,
                null,
                null,
                null,
                work);
    }

    /** The same with parameters after the question mark. */
    public ApiRoute withQuery(Field... parameters) {
        return new ApiRoute(
                method,
                path,
                operation,
                role,
                words,
                List.of(parameters),
                body,
                status,
                answer,
                audit,
                mostBytes,
                keyWords,
                declared,
                stream,
                also,
                work);
    }

    /** The same, as the route of a declared operation. */
    public ApiRoute of(Operation called) {
        return new ApiRoute(
                method, path, operation, role, words, query, body, status, answer, audit, mostBytes, keyWords, called,
                stream, also, work);
    }

    /** The same, with an answer of other types for requests that want these. */
    public ApiRoute or(Stream other) {
        return new ApiRoute(
                method, path, operation, role, words, query, body, status, answer, audit, mostBytes, keyWords, declared,
                other, also, work);
    }

    /** The same, for callers of that role only. */
    public ApiRoute forRole(Role needed) {
        return new ApiRoute(
                method, path, operation, needed, words, query, body, status, answer, audit, mostBytes, keyWords,
                declared, stream, also, work);
    }

    /** The same, also for programs of that role: the route answers them of what is theirs alone. */
    public ApiRoute alsoFor(Role program) {
        return new ApiRoute(
                method, path, operation, role, words, query, body, status, answer, audit, mostBytes, keyWords, declared,
                stream, program, work);
    }

    /** The same, by what waits for more than the database. */
    public ApiRoute waiting(Work waits) {
        return new ApiRoute(
                method, path, operation, role, words, query, body, status, answer, audit, mostBytes, keyWords, declared,
                stream, also, waits);
    }

    /** Whether a caller of that role may call it. */
    public boolean isFor(Role caller) {
        return caller.covers(role) || caller == also;
    }

    /** The same with an {@code Idempotency-Key} for adding once, and bodies of up to so many bytes. */
    public ApiRoute keyed(int bytes) {
        return keyed(bytes, ADDED_ONCE);
    }

    /** The same with an {@code Idempotency-Key}, and bodies of up to so many bytes. */
    public ApiRoute keyed(int bytes, String said) {
        return new ApiRoute(
                method, path, operation, role, words, query, body, status, answer, audit, bytes, said, declared, stream,
                also, work);
    }

    /** Whether it takes an {@code Idempotency-Key}. */
    boolean isKeyed() {
        return keyWords != null;
    }

    /** A call of a worker, which may take long. */
    public static ApiRoute worker(
            String path, String operation, String words, @Nullable Shape body, Shape answer, Work work) {
        return new ApiRoute(
                "POST",
                path,
                operation,
                Role.WORKER,
                words,
                List.of(),
                body,
                200,
                answer,
                null,
                USUAL_BYTES,
                null,
                null,
                null,
                null,
                work);
    }

    /** An answer that is sent while it is made. */
    public static ApiRoute stream(String path, String operation, String words, Stream stream) {
        return new ApiRoute(
                "GET",
                path,
                operation,
                Role.VIEWER,
                words,
                List.of(),
                null,
                200,
                null,
                null,
                0,
                null,
                null,
                stream,
                null,
                request -> {
                    throw new IllegalStateException("a stream is no answer");
                });
    }

    /** The names in braces. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        for (String segment : path.split("/", -1))
            if (segment.startsWith("{")) names.add(segment.substring(1, segment.length() - 1));
        return names;
    }
}
