package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.job.JobShapes;
import dev.howdah.console.internal.api.job.NewJobReader;
import dev.howdah.job.Job;
import dev.howdah.job.NewJob;
import dev.howdah.job.wait.Awaited;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.EmittedEvent;
import dev.howdah.job.wait.EventWait;
import dev.howdah.job.wait.FailedStepException;
import dev.howdah.job.wait.ParentEnd;
import dev.howdah.job.wait.Signal;
import dev.howdah.job.wait.Wait;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Steps, children and waits of workers: each call does in the thread of the job's handler what a handler of a program does there, so that records, their
 * order and what is refused are the same. Safe for use by many threads.
 */
final class WorkerWaits {
    private static final int ANSWERED_SECONDS = 10;
    private static final int MOST_BYTES = 5_000_000;
    /** Far more than the records of a job may be. */
    private static final int MOST_CALLS = 1_000_000;

    /** Leaves a step that is not recorded: an error is no failure of the step. */
    private static final class NotDone extends Error {
        private static final long serialVersionUID = 1;

        NotDone() {
            super("", null, false, false);
        }
    }

    private final PolledNodes nodes;

    WorkerWaits(PolledNodes nodes) {
        this.nodes = nodes;
    }

    List<ApiRoute> routes() {
        return List.of(
                ApiRoute.worker(
                                "/workers/step",
                                "beginStep",
                                "Asks for a step: what an earlier run has recorded of it, or that it has to be done.")
                        .takes(WorkerShapes.STEP)
                        .answers(WorkerShapes.KNOWN_STEP)
                        .waits(request -> call(request, step(named(request)))),
                ApiRoute.worker("/workers/record", "recordStep", "Records a step that was done, or has failed.")
                        .takes(WorkerShapes.RECORD)
                        .answers(WorkerShapes.RECORDED)
                        .waits(request -> call(request, record(request))),
                ApiRoute.worker(
                                "/workers/token",
                                "makeSignalToken",
                                "Makes a secret with which an outside party can send one signal to the job.")
                        .takes(WorkerShapes.SIGNAL_TOKEN)
                        .answers(WorkerShapes.SECRET)
                        .waits(request -> call(request, token(request))),
                ApiRoute.worker(
                                "/workers/change",
                                "changeHandler",
                                "Says how the code of a handler has changed since jobs began to wait in it.")
                        .takes(WorkerShapes.CHANGE)
                        .answers(WorkerShapes.CHANGED)
                        .waits(request -> call(request, change(request))),
                ApiRoute.worker("/workers/child", "addChildren", "Adds children of the job, once for their name.")
                        .takes(WorkerShapes.children(JobShapes.NEW))
                        .upTo(MOST_BYTES)
                        .answers(WorkerShapes.CHILDREN)
                        .waits(request -> call(request, children(request))),
                ApiRoute.worker(
                                "/workers/suspend",
                                "suspendJob",
                                "Waits: the claim is over, unless that which the job waits for is there already.")
                        .takes(WorkerShapes.SUSPEND)
                        .answers(WorkerShapes.RESUMED)
                        .waits(request -> call(request, suspend(request))));
    }

    private CompletableFuture<ApiAnswer> call(ApiRequest request, ClaimCalls.Work work) {
        HttpClaim claim = claim(request);
        return claim.call(request.integer("number", 1, 1, MOST_CALLS), request.body(), work)
                .copy()
                .orTimeout(ANSWERED_SECONDS, TimeUnit.SECONDS)
                .handleAsync(
                        (json, thrown) -> {
                            if (thrown != null && WorkerReports.cause(thrown) instanceof ApiProblemException problem)
                                throw problem;
                            if (thrown != null)
                                throw new ApiProblemException(
                                        503,
                                        "not-written",
                                        "the database has not answered for job "
                                                + claim.job().id() + " yet: send the same again");
                            return ApiAnswer.ok(json);
                        },
                        nodes.answers());
    }

    private HttpClaim claim(ApiRequest request) {
        return nodes.find(String.valueOf(request.text("token")));
    }

    private static String named(ApiRequest request) {
        String name = request.text("name");
        if (name == null)
            throw ApiProblemException.ofField("name", "name is missing: type " + request.text("type") + " needs it");
        return name;
    }

    private static ObjectNode answer() {
        return ApiJson.object().put("suspended", false);
    }

    private static ClaimCalls.Work step(String name) {
        return job -> {
            try {
                JsonNode result = job.step(name, JsonNode.class, () -> {
                    throw new NotDone();
                });
                return answer().put("done", true).set("result", orNull(result));
            } catch (NotDone e) {
                return answer().put("done", false);
            } catch (FailedStepException e) {
                ObjectNode json = answer().put("done", true);
                json.putObject("failed").put("type", "StepFailed").put("message", String.valueOf(e.thrownMessage()));
                return json;
            }
        };
    }

    private static ClaimCalls.Work record(ApiRequest request) {
        String name = named(request);
        String error = request.text("error");
        JsonNode result = orNull(request.body().get("result"));
        return job -> {
            try {
                job.step(name, JsonNode.class, () -> {
                    if (error != null) throw new WorkerStepException(error);
                    return result;
                });
            } catch (WorkerStepException e) {
                // The job has noted it.
            }
            return answer();
        };
    }

    private static ClaimCalls.Work token(ApiRequest request) {
        String name = named(request);
        Duration keep = duration(request, "keep");
        return job -> answer().put("secret", job.signalToken(name, keep));
    }

    private static ClaimCalls.Work change(ApiRequest request) {
        String name = named(request);
        String type = String.valueOf(request.text("type"));
        return switch (type) {
            case "patched" -> job -> answer().put("patched", job.patched(name));
            case "renamed" -> {
                String old = needed(request, "old").asText();
                yield job -> {
                    job.renamed(old, name);
                    return answer();
                };
            }
            case "retired" ->
                job -> {
                    job.retired(name);
                    return answer();
                };
            default ->
                throw ApiProblemException.ofField(
                        "type", "type has to be one of " + WorkerShapes.CHANGES + ", not \"" + type + '"');
        };
    }

    private static ClaimCalls.Work children(ApiRequest request) {
        List<NewJob<JsonNode>> jobs = new ArrayList<>();
        for (JsonNode each : request.body().path("jobs")) jobs.add(NewJobReader.read(request.with((ObjectNode) each)));
        if (jobs.isEmpty()) throw ApiProblemException.ofField("jobs", "jobs is empty: there has to be one");
        ParentEnd end = parentEnd(request.text("parent_end"));
        String name = named(request);
        return job -> {
            ObjectNode json = answer();
            ArrayNode array = json.putArray("children");
            for (Child each : job.children(name, jobs, end)) {
                ObjectNode child = array.addObject().put("name", each.name()).put("number", each.number());
                ApiJson.put(child, "id", each.id());
            }
            return json;
        };
    }

    private static ParentEnd parentEnd(@Nullable String word) {
        return word == null
                ? ParentEnd.CANCEL
                : Arrays.stream(ParentEnd.values())
                        .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(word))
                        .findFirst()
                        .orElseThrow(() -> ApiProblemException.ofField(
                                "parent_end",
                                "parent_end has to be cancel, leave or cancel_always, not \"" + word + '"'));
    }

    private ClaimCalls.Work suspend(ApiRequest request) {
        String type = String.valueOf(request.text("type"));
        return switch (type) {
            case "sleep" -> sleep(request);
            case "signal" -> signal(request);
            case "event" -> event(request);
            case "child" -> {
                Child child = child(request.body().path("children").path(0));
                yield job -> result(job.awaitChild(child, JsonNode.class));
            }
            case "children" -> {
                List<Child> children = new ArrayList<>();
                for (JsonNode each : request.body().path("children")) children.add(child(each));
                yield job -> {
                    job.awaitChildren(children);
                    return answer();
                };
            }
            case "job" -> {
                String name = named(request);
                long id = needed(request, "job").asLong();
                Duration atMost = duration(request, "at_most");
                checkTold(request, id);
                yield job -> result(job.awaitJob(name, id, JsonNode.class, atMost));
            }
            case "any" -> any(request);
            case "continue" -> {
                JsonNode payload = orNull(request.body().get("payload"));
                Job claimed = claim(request).job();
                request.checkJob(claimed.queue(), claimed.kind());
                yield job -> {
                    job.continueAs(payload);
                    return answer();
                };
            }
            default ->
                throw ApiProblemException.ofField(
                        "type", "type has to be one of " + WorkerShapes.WAITS + ", not \"" + type + '"');
        };
    }

    private static ClaimCalls.Work sleep(ApiRequest request) {
        String name = named(request);
        Instant until = ApiRequest.time("until", request.text("until"));
        Duration duration = until == null ? duration(request, "duration") : null;
        Duration spread = Objects.requireNonNullElse(request.duration("spread"), Duration.ZERO);
        return job -> {
            if (until != null) job.sleepUntil(name, until);
            else job.sleep(name, Objects.requireNonNull(duration), spread);
            return answer();
        };
    }

    private static ClaimCalls.Work signal(ApiRequest request) {
        String name = named(request);
        Duration atMost = duration(request, "at_most");
        boolean orFail = request.body().path("or_fail").asBoolean();
        return job -> {
            Optional<Signal<JsonNode>> read = orFail
                    ? Optional.of(job.awaitOrFail(name, JsonNode.class, atMost))
                    : job.await(name, JsonNode.class, atMost);
            ObjectNode json = answer();
            read.ifPresent(each -> put(json, each.payload(), each.id(), each.sender(), each.sent()));
            return json;
        };
    }

    private static ClaimCalls.Work event(ApiRequest request) {
        EventWait<JsonNode> event = event(named(request), request.body());
        Duration atMost = duration(request, "at_most");
        return job -> {
            ObjectNode json = answer();
            job.awaitEvent(event, atMost).ifPresent(each -> put(json, each));
            return json;
        };
    }

    private static EventWait<JsonNode> event(String topic, JsonNode about) {
        EventWait<JsonNode> event = EventWait.of(topic, JsonNode.class);
        if (about.has("key")) event = event.key(about.path("key").asText());
        JsonNode containing = about.get("containing");
        if (containing != null) event = event.containing(ApiJson.text(containing));
        return about.path("only_new").asBoolean() ? event.onlyNew() : event;
    }

    private ClaimCalls.Work any(ApiRequest request) {
        String name = named(request);
        List<Wait> waits = new ArrayList<>();
        for (JsonNode each : request.body().path("any")) waits.add(anyOf(request, each));
        Duration atMost = request.duration("at_most");
        if (atMost != null) waits.add(Wait.time(atMost));
        return job -> first(job, name, waits);
    }

    private Wait anyOf(ApiRequest request, JsonNode each) {
        if (each.has("signal")) return Wait.signal(each.path("signal").asText(), JsonNode.class);
        if (each.has("event")) return Wait.event(event(each.path("event").asText(), each));
        if (!each.has("job")) return Wait.child(child(each.path("child")));
        long id = each.path("job").asLong();
        checkTold(request, id);
        return Wait.job(id, JsonNode.class);
    }

    /** A job that is deleted may have been waited for before: its recorded end stays the worker's. */
    private void checkTold(ApiRequest request, long id) {
        nodes.job(id).ifPresent(other -> request.checkTold("job " + id, other));
    }

    @SuppressWarnings("unchecked") // each signal, event and job is waited for with that class
    private static ObjectNode first(Job job, String name, List<Wait> waits) {
        Awaited first = job.awaitAny(name, waits.toArray(Wait[]::new));
        ObjectNode json = answer().put("first", first.index());
        Wait winner = waits.get(first.index());
        if (winner instanceof Wait.OfSignal<?> of) {
            Signal<JsonNode> signal = first.signal((Wait.OfSignal<JsonNode>) of);
            put(json, signal.payload(), signal.id(), signal.sender(), signal.sent());
        } else if (winner instanceof Wait.OfEvent<?> of) {
            put(json, first.event((Wait.OfEvent<JsonNode>) of));
        } else if (winner instanceof Wait.OfJob<?> of) {
            json.set("result", orNull(first.result((Wait.OfJob<JsonNode>) of)));
        }
        return json;
    }

    private static Child child(JsonNode json) {
        if (!json.isObject())
            throw ApiProblemException.ofField("children", "a child is missing, as /workers/child has answered it");
        return new Child(
                json.path("name").asText(),
                json.path("number").asInt(),
                json.path("id").asLong());
    }

    private static Duration duration(ApiRequest request, String field) {
        needed(request, field);
        return Objects.requireNonNull(request.duration(field));
    }

    private static JsonNode needed(ApiRequest request, String field) {
        JsonNode value = request.body().get(field);
        if (value == null)
            throw ApiProblemException.ofField(field, field + " is missing: type " + request.text("type") + " needs it");
        return value;
    }

    private static ObjectNode result(@Nullable JsonNode result) {
        return answer().set("result", orNull(result));
    }

    private static JsonNode orNull(@Nullable JsonNode value) {
        return value == null ? NullNode.getInstance() : value;
    }

    private static void put(ObjectNode json, EmittedEvent<JsonNode> event) {
        put(json, event.payload(), Long.toString(event.number()), event.sender(), event.emitted());
    }

    private static void put(
            ObjectNode json, @Nullable JsonNode payload, @Nullable String id, String sender, Instant sent) {
        ObjectNode signal = json.putObject("signal");
        signal.set("payload", orNull(payload));
        ApiJson.put(signal, "id", id);
        ApiJson.put(signal, "sender", sender);
        ApiJson.put(signal, "sent", sent);
    }
}
