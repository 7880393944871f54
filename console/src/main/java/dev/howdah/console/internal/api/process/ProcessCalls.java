package dev.howdah.console.internal.api.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.data.ActorSource;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.text.Sha256;
import dev.howdah.internal.text.StorableText;
import dev.howdah.operations.Role;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Request;
import dev.howdah.process.client.ProcessClient;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks processes, and waits for their answers in threads of its own: those of the server are for requests that are answered at once. Safe
 * for use by many threads.
 */
final class ProcessCalls {
    private static final int MOST = 64;

    /** The server closes connections on which nothing comes for 30 s. */
    private static final int LONGEST_WAIT = 25;

    private final ConsoleData data;
    private final ProcessJson json;
    private final ApiMask mask;
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0, MOST, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> Threads.daemon("howdah-http-call", work));

    ProcessCalls(ConsoleData data, ProcessJson json, ApiMask mask) {
        this.data = data;
        this.json = json;
        this.mask = mask;
    }

    /** Something that is asked; what it answers, or null. */
    @FunctionalInterface
    interface Ask {
        @Nullable
        Payload of(ProcessClient client, Request request);
    }

    /** Asks; the id is in the path. */
    CompletableFuture<ApiAnswer> ask(ApiRequest request, Ask ask) {
        return ask(request, request.name("id"), 200, Map.of(), ask);
    }

    /** As {@link #ask}, of what answers nothing. */
    CompletableFuture<ApiAnswer> tell(ApiRequest request, BiConsumer<ProcessClient, Request> told) {
        return ask(request, (client, sent) -> {
            told.accept(client, sent);
            return null;
        });
    }

    CompletableFuture<ApiAnswer> ask(ApiRequest request, String id, int status, Map<String, String> headers, Ask ask) {
        Role role = request.caller().role();
        Request asked = Request.of(request.name("namespace"), id)
                .timeout(Duration.ofSeconds(request.integer("wait", 10, 1, LONGEST_WAIT)));
        byte[] args = bytes(request, "args");
        if (args != null) asked = asked.args(args);
        String key = request.idempotencyKey();
        if (key != null) asked = asked.key(ofCaller(request.caller().name(), key));
        byte[] context = bytes(request, "context");
        Request sent = context == null ? asked : asked.context(context);
        try {
            return CompletableFuture.supplyAsync(
                    () -> {
                        Payload answer = ActorSource.as(request.caller().name(), () -> answered(sent, ask, role));
                        ObjectNode said = ApiJson.object();
                        said.put("id", id);
                        json.payload(said, "response", answer, role);
                        return new ApiAnswer(status, said, headers);
                    },
                    threads);
        } catch (RejectedExecutionException e) {
            throw new ApiProblemException(503, "unavailable", MOST + " requests wait for processes already");
        }
    }

    private @Nullable Payload answered(Request request, Ask ask, Role role) {
        try {
            return ask.of(data.processClient(), request);
        } catch (ProcessException e) {
            throw problem(request.namespace(), request.id(), e, mask, role);
        }
    }

    /** A key belongs to its caller; the keys of a namespace are those of programs as well. */
    private static String ofCaller(String caller, String key) {
        return "http " + HexFormat.of().formatHex(Sha256.of(caller + "\n" + key));
    }

    private static byte @Nullable [] bytes(ApiRequest request, String field) {
        JsonNode value = request.body().get(field);
        return value == null ? null : StorableText.bytes(ApiJson.text(value));
    }

    /** The problem of what a process has answered instead. */
    static RuntimeException problem(String namespace, String id, ProcessException refusal, ApiMask mask, Role role) {
        String said = mask.shown(refusal.getMessage(), role);
        return switch (refusal.reason()) {
            case NAMESPACE_NOT_FOUND -> ApiProblemException.notFound("there is no namespace \"" + namespace + "\"");
            case PROCESS_NOT_FOUND ->
                ApiProblemException.notFound(
                        "there is no process \"" + id + "\" in namespace \"" + namespace + "\", or it was removed");
            case PROCESS_EXISTS, PROCESS_INIT, PROCESS_RUNNING, PROCESS_ERROR, CONFLICT, NOTICE_NOT_BLOCKED ->
                ApiProblemException.conflict("process \"" + id + "\": " + said);
            case KEY_CONFLICT ->
                new ApiProblemException(422, "key-reused", "another request was sent with this idempotency key before");
            case TIMEOUT ->
                new ApiProblemException(
                        504,
                        "no-answer",
                        "process \"" + id + "\" has not answered in time: the request goes on, or waits for a node");
            case STEP_FAILED, CRASHED, LOST ->
                new ApiProblemException(422, "step-failed", "process \"" + id + "\": " + said);
            case CLOSED, INTERRUPTED -> new ApiProblemException(503, "unavailable", "this server ends");
            case DATABASE -> refusal;
        };
    }
}
