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
 * @param isOpen whether it asks for no login: what comes with the request is enough
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
        boolean isOpen,
        Work work) {
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

    /** Reads something, for viewers unless said otherwise. */
    public static Builder read(String path, String operation, String words) {
        return new Builder("GET", path, operation, Role.VIEWER, words);
    }

    /** Changes something, for administrators unless said otherwise. */
    public static Builder change(String path, String operation, String words) {
        return new Builder("POST", path, operation, Role.ADMINISTRATOR, words);
    }

    /** A call of a worker, which may take long. */
    public static Builder worker(String path, String operation, String words) {
        return new Builder("POST", path, operation, Role.WORKER, words);
    }

    /** The declaration of a route. Not safe for use by many threads. */
    public static final class Builder {
        private static final int USUAL_BYTES = 1_000_000;

        private static final String ADDED_ONCE =
                "1 to 255 printable ASCII characters: the same request again within 24 hours is answered with the same"
                        + " answer and changes nothing";

        private final String method;
        private final String path;
        private final String operation;
        private final String words;
        private Role role;
        private @Nullable Role also;
        private boolean isOpen;
        private List<Field> query = List.of();
        private @Nullable Shape body;
        private int status = 200;
        private @Nullable Shape answer;
        private @Nullable String audit;
        private int mostBytes;
        private @Nullable String keyWords;
        private @Nullable Operation declared;
        private @Nullable Stream stream;

        private Builder(String method, String path, String operation, Role role, String words) {
            this.method = method;
            this.path = path;
            this.operation = operation;
            this.role = role;
            this.words = words;
            this.mostBytes = method.equals("GET") ? 0 : USUAL_BYTES;
        }

        /** What a caller needs. */
        public Builder role(Role needed) {
            role = needed;
            return this;
        }

        /** It asks for no login. */
        public Builder open() {
            isOpen = true;
            return this;
        }

        /** The role, for programs too: the route answers them of what is theirs alone. */
        public Builder alsoFor(Role program) {
            also = program;
            return this;
        }

        /** The change is written to the audit table, with the {@code reason} of its body. */
        public Builder audited(String action) {
            audit = action;
            return this;
        }

        /** The parameters after the question mark. */
        public Builder query(Field... parameters) {
            return query(List.of(parameters));
        }

        public Builder query(List<Field> parameters) {
            query = List.copyOf(parameters);
            return this;
        }

        public Builder takes(Shape sent) {
            body = sent;
            return this;
        }

        /** A body has up to so many bytes. */
        public Builder upTo(int bytes) {
            mostBytes = bytes;
            return this;
        }

        /** It takes an {@code Idempotency-Key} for adding once. */
        public Builder keyed() {
            return keyed(ADDED_ONCE);
        }

        /** It takes an {@code Idempotency-Key}, which does what the words say. */
        public Builder keyed(String said) {
            keyWords = said;
            return this;
        }

        /** The route is that of a declared operation, whose role and audit name it has. */
        public Builder of(Operation called) {
            declared = called;
            return role(called.role()).audited(called.audit());
        }

        /** Requests that want an answer of other types get it. */
        public Builder or(Stream other) {
            stream = other;
            return this;
        }

        public Builder answers(Shape shape) {
            answer = shape;
            return this;
        }

        /** The answer says what was added. */
        public Builder adds(Shape shape) {
            status = 201;
            return answers(shape);
        }

        /** The answer says what goes on in the background. */
        public Builder begins(Shape shape) {
            status = 202;
            return answers(shape);
        }

        public ApiRoute does(Step step) {
            return waits(request -> CompletableFuture.completedFuture(step.run(request)));
        }

        /** As {@link #does}, by what waits for more than the database. */
        public ApiRoute waits(Work work) {
            Shape taken = body;
            if (audit != null) taken = taken == null ? Shape.REASON : taken.with(Field.REASON);
            return new ApiRoute(
                    method, path, operation, role, words, query, taken, status, answer, audit, mostBytes, keyWords,
                    declared, stream, also, isOpen, work);
        }

        /** The answer is sent while it is made. */
        public ApiRoute streams(Stream only) {
            return or(only).does(request -> {
                throw new IllegalStateException("a stream is no answer");
            });
        }
    }

    /** Whether a caller of that role may call it. */
    public boolean isFor(Role caller) {
        return isOpen || caller.covers(role) || caller == also;
    }

    /** Whether it takes an {@code Idempotency-Key}. */
    boolean isKeyed() {
        return keyWords != null;
    }

    /** The names in braces. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        for (String segment : path.split("/", -1))
            if (segment.startsWith("{")) names.add(segment.substring(1, segment.length() - 1));
        return names;
    }
}
