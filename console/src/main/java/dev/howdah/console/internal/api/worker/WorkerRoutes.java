package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.connection.Client;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** {@code /workers}: programs in any language claim jobs and say how they ended. Safe for use by many threads. */
public final class WorkerRoutes {
    /** The server closes connections on which nothing comes for 30 s. */
    private static final int LONGEST_WAIT = 25;

    private static final int WRITTEN_SECONDS = 10;
    private static final int MOST_NAMES = 20;

    private static final String KEY_WORDS =
            "1 to 255 printable ASCII characters, another one for each claim: the same request again, after an answer"
                    + " that was lost, is answered with the same claims as far as they still hold, and claims nothing";

    private final PolledNodes nodes;

    private WorkerRoutes(PolledNodes nodes) {
        this.nodes = nodes;
    }

    public static List<ApiRoute> of(PolledNodes nodes) {
        WorkerRoutes workers = new WorkerRoutes(nodes);
        return List.of(
                ApiRoute.worker(
                                "/workers/claim",
                                "claimJobs",
                                "Claims jobs; waits until there is one.",
                                WorkerShapes.CLAIM,
                                WorkerShapes.CLAIMS,
                                workers::claim)
                        .keyed(ApiRoute.USUAL_BYTES, KEY_WORDS),
                ApiRoute.worker(
                        "/workers/heartbeat",
                        "heartbeat",
                        "Says that the worker lives: its lease begins anew.",
                        WorkerShapes.HEARTBEAT,
                        WorkerShapes.ALIVE,
                        workers::heartbeat),
                ApiRoute.worker(
                        "/workers/complete",
                        "completeJob",
                        "The job is done.",
                        WorkerShapes.COMPLETE,
                        WorkerShapes.ENDED,
                        request -> workers.end(request, workers.completion(request))),
                ApiRoute.worker(
                        "/workers/fail",
                        "failJob",
                        "The attempt has failed.",
                        WorkerShapes.FAIL,
                        WorkerShapes.ENDED,
                        request -> workers.end(request, failure(request))),
                ApiRoute.worker(
                        "/workers/snooze",
                        "snoozeJob",
                        "The job is due again later; this was no attempt.",
                        WorkerShapes.SNOOZE,
                        WorkerShapes.ENDED,
                        request -> workers.end(
                                request, new Verdict("snooze", null, null, null, false, request.duration("delay")))),
                ApiRoute.worker(
                        "/workers/release",
                        "releaseJob",
                        "The job goes back at once; this was no attempt.",
                        WorkerShapes.RELEASE,
                        WorkerShapes.ENDED,
                        request -> workers.end(request, new Verdict("release", null, null, null, false, null))));
    }

    private Verdict completion(ApiRequest request) {
        JsonNode result = request.body().get("result");
        JsonNode next = request.body().get("next");
        if (next == null) return new Verdict("complete", result, null, null, false, null);
        if (result != null)
            throw ApiProblemException.ofField("result", "result and next: a job that goes on has no result yet");
        HttpClaim claim = found(request);
        String kind = next.path("kind").asText();
        String queue = next.path("queue").asText(claim.job().queue());
        JsonNode payload = next.has("payload") ? next.get("payload") : claim.payload();
        request.checkJob(queue, kind);
        // Of names that cannot be it says why.
        NewJob.of(Kind.of(kind, JsonNode.class), payload).queue(queue);
        return new Verdict("complete", null, new Outcome.MoveTo(queue, kind, payload), null, false, null);
    }

    private static Verdict failure(ApiRequest request) {
        JsonNode retry = request.body().get("retry");
        return new Verdict(
                "fail",
                null,
                null,
                request.text("error"),
                retry == null || retry.asBoolean(),
                request.duration("delay"));
    }

    private CompletableFuture<ApiAnswer> claim(ApiRequest request) {
        List<String> kinds = names(request, "kinds");
        List<String> queues = request.body().has("queues") ? names(request, "queues") : List.of("default");
        queues.forEach(request::checkQueue);
        String worker = request.text("worker");
        if (worker != null && worker.length() > 100)
            throw ApiProblemException.invalid("worker has " + worker.length() + " characters: up to 100 are allowed");
        String called = worker == null ? request.caller().name() : worker;
        int lease = request.integer("lease", 30, 5, 3600);
        int most = request.integer("max", 1, 1, 100);
        long wait = request.integer("wait", 20, 1, LONGEST_WAIT) * 1_000L;
        Client client = Objects.requireNonNull(request.client());
        WaitingPoll poll = new WaitingPoll(
                PollCaller.of(request.caller()),
                called,
                lease,
                most,
                client::isGone,
                request.caller().stands());
        String key = request.idempotencyKey();
        CompletableFuture<List<HttpClaim>> claimed;
        if (key == null) {
            nodes.add(queues, kinds, poll, wait);
            claimed = poll.answer();
        } else {
            claimed = nodes.keyed()
                    .once(
                            new KeyedPolls.Key(request.caller().name(), key),
                            new KeyedPolls.Asked(Set.copyOf(queues), Set.copyOf(kinds), called, lease, most),
                            poll,
                            client::isGone,
                            each -> nodes.add(queues, kinds, each, wait));
        }
        return claimed.thenApplyAsync(claims -> claims(claims, client), nodes.answers());
    }

    private static List<String> names(ApiRequest request, String field) {
        List<String> names = request.texts(field);
        if (names.isEmpty() || names.size() > MOST_NAMES)
            throw ApiProblemException.invalid(
                    field + " has " + names.size() + " names: it has to be 1 to " + MOST_NAMES);
        return names;
    }

    /** What no client takes goes back: that was no attempt. */
    private ApiAnswer claims(List<HttpClaim> claims, Client client) {
        Runnable notTaken = () -> claims.forEach(HttpClaim::notTaken);
        if (client.isGone()) {
            notTaken.run();
            return answer(List.of());
        }
        client.onFailure(notTaken);
        return answer(claims);
    }

    private ApiAnswer answer(List<HttpClaim> claims) {
        Map<Long, Instant> runAts = nodes.runAts(claims);
        ObjectNode json = ApiJson.object();
        ArrayNode array = json.putArray("claims");
        for (HttpClaim each : claims) {
            ObjectNode claim = array.addObject();
            ApiJson.put(claim, "token", each.token());
            ApiJson.put(claim, "id", each.job().id());
            ApiJson.put(claim, "queue", each.job().queue());
            ApiJson.put(claim, "kind", each.job().kind());
            claim.set("payload", each.payload());
            ApiJson.put(claim, "attempt", each.job().attempt());
            claim.put("last_attempt", each.job().isLastAttempt());
            Instant runAt = runAts.get(each.job().id());
            ApiJson.put(claim, "run_at", runAt == null ? each.job().runAt() : runAt);
            ApiJson.put(claim, "tags", each.job().tags());
            claim.set("metadata", ApiJson.of(each.job().metadata()));
            ApiJson.put(claim, "lease", each.leaseSeconds());
            ApiJson.put(claim, "fencing_token", each.job().fencingToken());
        }
        return ApiAnswer.ok(json);
    }

    private HttpClaim found(ApiRequest request) {
        return nodes.find(String.valueOf(request.text("token")));
    }

    private CompletableFuture<ApiAnswer> heartbeat(ApiRequest request) {
        HttpClaim claim = found(request);
        JsonNode progress = request.body().get("progress");
        if (progress != null && !(progress.asDouble() >= 0 && progress.asDouble() <= 1))
            throw ApiProblemException.invalid("progress has to be from 0 to 1, not " + progress);
        List<String> lines = request.texts("log");
        if (lines.size() > 100)
            throw ApiProblemException.invalid("log has " + lines.size() + " lines: up to 100 are allowed");
        ObjectNode json = ApiJson.object();
        Double done = progress == null ? null : progress.asDouble();
        ApiJson.put(json, "cancel", claim.heartbeat(done, request.text("message"), lines));
        ApiJson.put(json, "lease", claim.leaseSeconds());
        return CompletableFuture.completedFuture(ApiAnswer.ok(json));
    }

    private CompletableFuture<ApiAnswer> end(ApiRequest request, Verdict said) {
        HttpClaim claim = found(request);
        return claim.end(said)
                .copy()
                .orTimeout(WRITTEN_SECONDS, TimeUnit.SECONDS)
                .handleAsync(
                        (accepted, thrown) -> {
                            if (thrown instanceof TimeoutException)
                                throw new ApiProblemException(
                                        503,
                                        "not-written",
                                        "it is not written yet how job "
                                                + claim.job().id() + " ended: send the same again");
                            if (!Boolean.TRUE.equals(accepted)) throw HttpClaim.lost();
                            ObjectNode json = ApiJson.object();
                            ApiJson.put(json, "id", claim.job().id());
                            return ApiAnswer.ok(json);
                        },
                        nodes.answers());
    }
}
