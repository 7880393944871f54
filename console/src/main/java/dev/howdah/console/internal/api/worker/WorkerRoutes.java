package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.connection.Client;
import dev.howdah.operations.read.ClaimedDetails;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** {@code /workers}: programs in any language claim jobs and say how they ended. Safe for use by many threads. */
public final class WorkerRoutes {
    /** The server closes connections on which nothing comes for 30 s. */
    private static final int LONGEST_WAIT = 25;

    private static final int MOST_NAMES = 20;
    private static final int LONGEST_VERSION = 200;

    private static final String KEY_WORDS =
            "1 to 255 printable ASCII characters, another one for each claim: the same request again, after an answer"
                    + " that was lost, is answered with the same claims as far as they still hold, and claims nothing";

    private final PolledNodes nodes;

    private WorkerRoutes(PolledNodes nodes) {
        this.nodes = nodes;
    }

    public static List<ApiRoute> of(PolledNodes nodes) {
        WorkerRoutes workers = new WorkerRoutes(nodes);
        WorkerReports reports = new WorkerReports(nodes);
        List<ApiRoute> routes = new ArrayList<>();
        routes.add(ApiRoute.worker("/workers/claim", "claimJobs", "Claims jobs; waits until there is one.")
                .takes(WorkerShapes.CLAIM)
                .keyed(KEY_WORDS)
                .answers(WorkerShapes.CLAIMS)
                .waits(workers::claim));
        routes.add(ApiRoute.worker(
                        "/workers/withdraw",
                        "withdrawClaim",
                        "Takes a request for jobs back: while it waits it is answered with none, and jobs that it was answered with"
                                + " and that have not ended go back at once, without an attempt.")
                .takes(WorkerShapes.WITHDRAW)
                .answers(WorkerShapes.WITHDRAWN)
                .waits(workers::withdraw));
        routes.addAll(reports.routes());
        routes.addAll(new WorkerWaits(nodes).routes());
        return routes;
    }

    private CompletableFuture<ApiAnswer> claim(ApiRequest request) {
        List<String> kinds = names(request, "kinds");
        List<String> queues = request.body().has("queues") ? names(request, "queues") : List.of("default");
        queues.forEach(request::checkQueue);
        kinds.forEach(request::checkKind);
        PolledNodes.Served served = new PolledNodes.Served(Set.copyOf(queues), Set.copyOf(kinds), versions(request));
        String worker = request.text("worker");
        if (worker != null && worker.length() > 100)
            throw ApiProblemException.invalid("worker has " + worker.length() + " characters: up to 100 are allowed");
        String called = worker == null ? request.caller().name() : worker;
        int lease = request.integer("lease", 30, 5, 3600);
        int most = request.integer("max", 1, 1, 100);
        long wait = request.integer("wait", 20, 0, LONGEST_WAIT) * 1_000L;
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
            nodes.add(served, poll, wait);
            claimed = poll.answer();
        } else {
            claimed = nodes.keyed()
                    .once(
                            new KeyedPolls.Key(request.caller().name(), key),
                            new KeyedPolls.Asked(served, called, lease, most),
                            poll,
                            client::isGone,
                            each -> nodes.add(served, each, wait));
        }
        return claimed.thenCompose(claims -> claims(claims, client));
    }

    private CompletableFuture<ApiAnswer> withdraw(ApiRequest request) {
        KeyedPolls.Key key = new KeyedPolls.Key(request.caller().name(), String.valueOf(request.text("key")));
        ObjectNode json = ApiJson.object();
        json.put("withdrawn", nodes.withdraw(key));
        return CompletableFuture.completedFuture(ApiAnswer.ok(json));
    }

    private static List<String> versions(ApiRequest request) {
        String own = request.text("version");
        List<String> earlier = request.texts("also_runs");
        if (own == null && earlier.isEmpty()) return List.of();
        if (own == null)
            throw ApiProblemException.ofField("version", "version is missing: also_runs are earlier ones beside it");
        List<String> all = new ArrayList<>(List.of(own));
        all.addAll(earlier);
        for (String each : all)
            if (each.isBlank() || each.length() > LONGEST_VERSION || all.size() > MOST_NAMES)
                throw ApiProblemException.ofField(
                        "version",
                        "a version has 1 to " + LONGEST_VERSION + " characters, and there are up to " + MOST_NAMES);
        return List.copyOf(all);
    }

    private static List<String> names(ApiRequest request, String field) {
        List<String> names = request.texts(field);
        if (names.isEmpty() || names.size() > MOST_NAMES)
            throw ApiProblemException.invalid(
                    field + " has " + names.size() + " names: it has to be 1 to " + MOST_NAMES);
        return names;
    }

    /** What no client takes goes back: that was no attempt. */
    private CompletableFuture<ApiAnswer> claims(List<HttpClaim> claims, Client client) {
        Runnable notTaken = () -> claims.forEach(HttpClaim::notTaken);
        return nodes.details(claims)
                .thenApplyAsync(
                        details -> {
                            if (client.isGone()) {
                                notTaken.run();
                                return answer(List.of(), details);
                            }
                            client.onFailure(notTaken);
                            return answer(claims, details);
                        },
                        nodes.answers());
    }

    private static ApiAnswer answer(List<HttpClaim> claims, Map<Long, ClaimedDetails> details) {
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
            ClaimedDetails more = details.get(each.job().id());
            ApiJson.put(claim, "run_at", more == null ? each.job().runAt() : more.runAt());
            ApiJson.put(claim, "created", more == null ? each.job().createdAt() : more.created());
            ApiJson.put(claim, "tags", each.job().tags());
            claim.set("metadata", ApiJson.of(each.job().metadata()));
            ApiJson.put(claim, "lease", each.leaseSeconds());
            ApiJson.put(claim, "fencing_token", each.job().fencingToken());
            if (more == null) continue;
            ApiJson.put(claim, "timeout", more.timeout());
            if (more.trace() != null) claim.set("trace", ApiJson.stored(more.trace()));
            if (more.predecessors() != null) claim.set("predecessors", ApiJson.stored(more.predecessors()));
        }
        return ApiAnswer.ok(json);
    }
}
