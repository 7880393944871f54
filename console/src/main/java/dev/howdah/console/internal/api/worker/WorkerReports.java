package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.Problems;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.job.Job;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What workers report of the jobs that they have: that they live, and how their jobs ended; of one job or of many. Safe for use by many threads. */
final class WorkerReports {
    private static final int WRITTEN_SECONDS = 10;
    private static final int MOST_JOBS = 100;
    private static final int MOST_LINES = 100;
    private static final int FORBIDDEN = 403;
    private static final int GONE = 410;

    private final PolledNodes nodes;

    WorkerReports(PolledNodes nodes) {
        this.nodes = nodes;
    }

    List<ApiRoute> routes() {
        return List.of(
                ApiRoute.worker("/workers/heartbeat", "heartbeat", "Says that the worker lives: its lease begins anew.")
                        .takes(WorkerShapes.HEARTBEAT)
                        .answers(WorkerShapes.ALIVE)
                        .waits(request -> CompletableFuture.completedFuture(
                                ApiAnswer.ok(Beat.read(request).send(found(request))))),
                ApiRoute.worker(
                                "/workers/heartbeat/batch",
                                "heartbeatBatch",
                                "Says that the worker lives, of up to 100 jobs: their leases begin anew.")
                        .takes(WorkerShapes.HEARTBEATS)
                        .answers(WorkerShapes.ALL_ALIVE)
                        .waits(this::beatAll),
                ApiRoute.worker("/workers/complete", "completeJob", "The job is done.")
                        .takes(WorkerShapes.COMPLETE)
                        .answers(WorkerShapes.ENDED)
                        .waits(request -> end(request, "complete")),
                ApiRoute.worker("/workers/fail", "failJob", "The attempt has failed.")
                        .takes(WorkerShapes.FAIL)
                        .answers(WorkerShapes.ENDED)
                        .waits(request -> end(request, "fail")),
                ApiRoute.worker("/workers/snooze", "snoozeJob", "The job is due again later; this was no attempt.")
                        .takes(WorkerShapes.SNOOZE)
                        .answers(WorkerShapes.ENDED)
                        .waits(request -> end(request, "snooze")),
                ApiRoute.worker("/workers/release", "releaseJob", "The job goes back at once; this was no attempt.")
                        .takes(WorkerShapes.RELEASE)
                        .answers(WorkerShapes.ENDED)
                        .waits(request -> end(request, "release")),
                ApiRoute.worker("/workers/cancel", "cancelClaimedJob", "The job is cancelled: it does not begin again.")
                        .takes(WorkerShapes.CANCEL)
                        .answers(WorkerShapes.ENDED)
                        .waits(request -> end(request, "cancel")),
                ApiRoute.worker(
                                "/workers/end/batch",
                                "endJobBatch",
                                "Ends up to 100 jobs, each by its own outcome; ends that come together are written together.")
                        .takes(WorkerShapes.ENDS)
                        .answers(WorkerShapes.ALL_ENDED)
                        .waits(this::endAll));
    }

    private HttpClaim found(ApiRequest request) {
        return nodes.find(String.valueOf(request.text("token")));
    }

    /** What a heartbeat says of a job. */
    private record Beat(@Nullable Double progress, @Nullable String message, List<String> lines) {
        static Beat read(ApiRequest request) {
            JsonNode progress = request.body().get("progress");
            if (progress != null && !(progress.asDouble() >= 0 && progress.asDouble() <= 1))
                throw ApiProblemException.invalid("progress has to be from 0 to 1, not " + progress);
            List<String> lines = request.texts("log");
            if (lines.size() > MOST_LINES)
                throw ApiProblemException.invalid(
                        "log has " + lines.size() + " lines: up to " + MOST_LINES + " are allowed");
            return new Beat(progress == null ? null : progress.asDouble(), request.text("message"), lines);
        }

        ObjectNode send(HttpClaim claim) {
            Job.StopReason stop = claim.heartbeat(progress, message, lines);
            ObjectNode json = ApiJson.object();
            ApiJson.put(json, "cancel", stop != null);
            ApiJson.put(json, "stop", stop == null ? null : Texts.word(stop));
            ApiJson.put(json, "lease", claim.leaseSeconds());
            return json;
        }
    }

    private CompletableFuture<ApiAnswer> beatAll(ApiRequest request) {
        // All are read before one counts: a request that is refused changes nothing.
        List<Supplier<ObjectNode>> beats = new ArrayList<>();
        each(request, part -> {
            Beat beat = Beat.read(part);
            beats.add(() -> {
                try {
                    return ofToken(part, beat.send(found(part)));
                } catch (ApiProblemException e) {
                    return ofToken(part, refused(e));
                }
            });
        });
        return CompletableFuture.completedFuture(
                many(beats.stream().map(Supplier::get).toList()));
    }

    private CompletableFuture<ApiAnswer> end(ApiRequest request, String action) {
        return ended(request, verdict(request, action)).thenApply(ApiAnswer::ok);
    }

    private CompletableFuture<ApiAnswer> endAll(ApiRequest request) {
        List<Supplier<CompletableFuture<ObjectNode>>> ends = new ArrayList<>();
        each(request, part -> ends.add(attempt(part)));
        List<CompletableFuture<ObjectNode>> begun =
                ends.stream().map(Supplier::get).toList();
        return CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new))
                .thenApply(
                        all -> many(begun.stream().map(CompletableFuture::join).toList()));
    }

    /** The end of one of many. A claim that was lost is its own answer; anything else that is wrong refuses the whole request. */
    private Supplier<CompletableFuture<ObjectNode>> attempt(ApiRequest part) {
        Verdict said;
        try {
            said = verdict(part, String.valueOf(part.text("outcome")));
        } catch (ApiProblemException e) {
            if (e.status() != GONE) throw e;
            return () -> CompletableFuture.completedFuture(ofToken(part, refused(e)));
        }
        return () -> {
            try {
                return ended(part, said)
                        .exceptionally(thrown -> refused(Problems.of(cause(thrown))))
                        .thenApply(json -> ofToken(part, json));
            } catch (ApiProblemException e) {
                return CompletableFuture.completedFuture(ofToken(part, refused(e)));
            }
        };
    }

    /** @throws ApiProblemException if there are too few or too many, or what is read of one throws it: it says of which */
    private static void each(ApiRequest request, Consumer<ApiRequest> read) {
        JsonNode jobs = request.body().path("jobs");
        if (jobs.isEmpty() || jobs.size() > MOST_JOBS)
            throw ApiProblemException.ofField(
                    "jobs", "jobs has " + jobs.size() + " jobs: it has to be 1 to " + MOST_JOBS);
        for (int i = 0; i < jobs.size(); i++) {
            try {
                read.accept(request.with((ObjectNode) jobs.get(i)));
            } catch (ApiProblemException | IllegalArgumentException e) {
                if (e instanceof ApiProblemException problem && problem.status() == FORBIDDEN) throw problem;
                throw ApiProblemException.at("/jobs/" + i, "jobs[" + i + "]: " + e.getMessage());
            }
        }
    }

    private static ObjectNode refused(ApiProblemException problem) {
        ObjectNode json = ApiJson.object();
        json.set("problem", Problems.json(problem));
        return json;
    }

    private static ObjectNode ofToken(ApiRequest part, ObjectNode answer) {
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "token", part.text("token"));
        json.setAll(answer);
        return json;
    }

    private static ApiAnswer many(List<ObjectNode> answers) {
        ObjectNode json = ApiJson.object();
        ArrayNode jobs = json.putArray("jobs");
        answers.forEach(jobs::add);
        return ApiAnswer.ok(json);
    }

    static Throwable cause(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return thrown instanceof CompletionException && cause != null ? cause : thrown;
    }

    /** Answers when the end is written. */
    private CompletableFuture<ObjectNode> ended(ApiRequest request, Verdict said) {
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
                            return json;
                        },
                        nodes.answers());
    }

    private Verdict verdict(ApiRequest request, String action) {
        return switch (action) {
            case "complete" -> completion(request);
            case "fail" -> {
                JsonNode retry = request.body().get("retry");
                yield new Verdict(
                        action,
                        null,
                        null,
                        needed(request, "error"),
                        retry == null || retry.asBoolean(),
                        request.duration("delay"),
                        request.integer("cause", 0, 1, Integer.MAX_VALUE));
            }
            case "snooze" -> {
                needed(request, "delay");
                yield new Verdict(action, null, null, null, false, request.duration("delay"));
            }
            case "release" -> new Verdict(action, null, null, null, false, null);
            case "cancel" -> new Verdict(action, null, null, request.text("error"), false, null);
            default ->
                throw ApiProblemException.ofField(
                        "outcome", "outcome has to be one of " + WorkerShapes.OUTCOMES + ", not \"" + action + "\"");
        };
    }

    private static String needed(ApiRequest request, String field) {
        String text = request.text(field);
        if (text == null)
            throw ApiProblemException.ofField(
                    field, field + " is missing: outcome " + request.text("outcome") + " needs it");
        return text;
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
}
