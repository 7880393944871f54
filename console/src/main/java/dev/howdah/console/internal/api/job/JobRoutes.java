package dev.howdah.console.internal.api.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiCauses;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.IdempotentRequests;
import dev.howdah.console.internal.api.operation.ListRoutes;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.health.Cause;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobAttempt;
import dev.howdah.job.query.JobCounts;
import dev.howdah.job.query.JobLogLine;
import dev.howdah.job.query.JobProgress;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobStep;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.JobChild;
import dev.howdah.job.wait.SentSignal;
import dev.howdah.operations.Role;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.JobLists;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** {@code /jobs}: read, add, change and delete. Safe for use by many threads. */
public final class JobRoutes {
    private static final int LONGEST_WAIT = 25;
    private static final int SIGNALS = 1_000;
    private static final int CHILDREN = 10_000;
    private static final int BATCH_BYTES = 5_000_000;

    private final ConsoleData data;
    private final AccessSettings access;
    private final ApiMask mask;
    private final IdempotentRequests requests;

    private final WaitedJobs waits;

    private JobRoutes(ConsoleData data, AccessSettings access, WaitedJobs waits) {
        this.waits = waits;
        this.data = data;
        this.access = access;
        this.mask = new ApiMask(access);
        this.requests = new IdempotentRequests(data.source(), data.schema());
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access, WaitedJobs waits) {
        JobRoutes jobs = new JobRoutes(data, access, waits);
        return List.of(
                ApiRoute.read("/jobs/counts", "countJobs", "Counts jobs by state, as the tabs of the console do.")
                        .answers(JobShapes.COUNTS)
                        .does(jobs::counts),
                ApiRoute.read(
                                "/jobs/{id}",
                                "getJob",
                                "Finds a job; with wait, when it has ended, or after so many seconds as it is then.")
                        .query(JobShapes.WAIT)
                        .alsoFor(Role.PRODUCER)
                        .answers(JobLists.JOB.shape())
                        .waits(jobs::find),
                ApiRoute.read("/jobs/{id}/why", "whyJob", "Says why a job does not run.")
                        .answers(ApiCauses.SHAPE)
                        .does(jobs::why),
                ApiRoute.read(
                                "/jobs/{id}/history",
                                "getJobHistory",
                                "Lists the attempts of a job, its steps and its log, and says how far it is.")
                        .query(JobShapes.LINES)
                        .answers(JobShapes.HISTORY)
                        .does(jobs::history),
                ApiRoute.change("/jobs", "addJob", "Adds a job.")
                        .role(Role.PRODUCER)
                        .audited("jobs.add")
                        .takes(JobShapes.NEW)
                        .keyed()
                        .adds(JobShapes.ADDED)
                        .does(jobs::add),
                ApiRoute.change("/jobs/batch", "addJobs", "Adds up to 1,000 jobs: all of them, or none.")
                        .role(Role.PRODUCER)
                        .audited("jobs.add")
                        .takes(JobShapes.MANY)
                        .keyed()
                        .upTo(BATCH_BYTES)
                        .adds(JobShapes.ADDED_MANY)
                        .does(jobs::addMany));
    }

    private ApiAnswer counts(ApiRequest request) {
        JobCounts counts = data.jobs().counts();
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (JobState state : JobState.values()) {
            ObjectNode item = items.addObject().put("state", ListModel.word(state));
            ApiJson.count(item, "jobs", counts.of(state), counts.isExact(state));
        }
        return ApiAnswer.ok(answer);
    }

    private CompletableFuture<ApiAnswer> find(ApiRequest request) {
        int wait = request.integerParameter("wait", 0, 0, LONGEST_WAIT);
        JobSummary job = own(request, known(request));
        return waits.await(job, wait)
                .thenApply(ended -> ApiAnswer.ok(ListRoutes.object(
                        JobLists.JOB, own(request, ended.orElseThrow(() -> missing(request.id()))), access, request)));
    }

    private static JobSummary own(ApiRequest request, JobSummary job) {
        request.checkTold("job " + job.id(), job);
        return job;
    }

    private ApiAnswer history(ApiRequest request) {
        JobSummary job = known(request);
        Role role = request.caller().role();
        JobAdmin admin = data.jobs();
        ObjectNode json = ApiJson.object();
        JobProgress progress = admin.progress(job.id()).orElse(null);
        if (progress != null) {
            ApiJson.put(json, "progress", progress.done());
            mask.text(json, "message", progress.message(), role);
        }
        ArrayNode attempts = json.putArray("attempts");
        for (JobAttempt each : admin.attempts(job.id())) {
            ObjectNode attempt = attempts.addObject();
            attempt.put("number", each.number());
            attempt.put("kind", each.kind());
            attempt.put("result", Texts.word(each.result()));
            attempt.put("node", each.node());
            ApiJson.put(attempt, "begun", each.begun());
            ApiJson.put(attempt, "ended", each.ended());
            mask.text(attempt, "error", each.error(), role);
        }
        ArrayNode steps = json.putArray("steps");
        for (JobStep each : admin.steps(job.id())) {
            ObjectNode step = steps.addObject();
            step.put("name", each.name());
            step.put("kind", each.kind());
            step.put("attempt", each.attempt());
            ApiJson.put(step, "at", each.at());
            mask.stored(step, "result", each.result(), role);
        }
        ArrayNode signals = json.putArray("signals");
        for (SentSignal each : admin.signals(job.id(), SIGNALS)) {
            ObjectNode signal = signals.addObject();
            signal.put("name", each.name());
            signal.put("sender", each.sender());
            ApiJson.put(signal, "sent", each.sent());
            ApiJson.put(signal, "read", each.read());
            mask.text(signal, "problem", each.problem(), role);
            mask.stored(signal, "payload", each.payload(), role);
        }
        admin.parent(job.id()).ifPresent(parent -> json.put("parent", parent));
        ArrayNode children = json.putArray("children");
        for (JobChild each : admin.children(job.id(), CHILDREN)) {
            ObjectNode child = children.addObject();
            child.put("name", each.name());
            child.put("number", each.number());
            child.put("id", each.id());
            child.put("kind", each.kind());
            child.put("state", each.state() == null ? null : Texts.word(each.state()));
            mask.text(child, "error", each.error(), role);
        }
        ArrayNode lines = json.putArray("log");
        for (JobLogLine each : admin.log(job.id(), request.integerParameter("lines", 200, 1, 10_000))) {
            ObjectNode line = lines.addObject();
            ApiJson.put(line, "at", each.at());
            line.put("attempt", each.attempt());
            mask.text(line, "line", each.line(), role);
        }
        return ApiAnswer.ok(json);
    }

    private ApiAnswer why(ApiRequest request) {
        long id = request.id();
        List<Cause> causes = data.jobs().why(id);
        if (ApiCauses.isUnknown(causes)) throw ApiCauses.missing(id, causes);
        return ApiCauses.answer(causes, mask, request.caller().role());
    }

    private ApiProblemException missing(long id) {
        return ApiCauses.missing(id, data.jobs().why(id));
    }

    private ApiAnswer add(ApiRequest request) {
        NewJob<JsonNode> job = NewJobReader.read(request);
        ObjectNode json = requests.once(request, "/jobs", connection -> (ObjectNode)
                JobBatch.add(connection, JobBatch.of(job)).path("jobs").path(0));
        return new ApiAnswer(
                201,
                json,
                Map.of(
                        "Location",
                        access.base() + "/api/v1/jobs/" + json.path("id").asText()));
    }

    private ApiAnswer addMany(ApiRequest request) {
        ArrayNode many = JobBatch.read(request);
        return new ApiAnswer(
                201, requests.once(request, "/jobs/batch", connection -> JobBatch.add(connection, many)), Map.of());
    }

    private JobSummary known(ApiRequest request) {
        return data.jobs().find(request.id()).orElseThrow(() -> missing(request.id()));
    }
}
