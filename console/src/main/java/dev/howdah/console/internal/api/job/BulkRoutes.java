package dev.howdah.console.internal.api.job;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.operation.ApiChanges;
import dev.howdah.console.internal.bulk.BulkQuestion;
import dev.howdah.console.internal.bulk.BulkRun;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.BulkChange.Action;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.operations.Role;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.JobLists;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /jobs/change} and {@code /jobs/change-all}: many jobs by their ids, or by a filter in the background. Safe for use by many threads. */
public final class BulkRoutes {
    private static final String ALL = "changeAllJobs";
    private static final int COUNTED = 10_000;

    private final ConsoleData data;
    private final BulkRuns runs;
    private final ApiChanges changes;
    private final ApiMask mask;

    private BulkRoutes(ConsoleData data, AccessSettings access, BulkRuns runs) {
        this.data = data;
        this.runs = runs;
        this.changes = new ApiChanges(access);
        this.mask = new ApiMask(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access, BulkRuns runs) {
        BulkRoutes bulk = new BulkRoutes(data, access, runs);
        return List.of(
                ApiRoute.change(
                                "/jobs/change",
                                "changeJobs",
                                "Retries, hurries, cancels, moves or deletes up to 1,000 jobs, a hundred in a transaction.")
                        .role(Role.OPERATOR)
                        .audited("jobs.change")
                        .takes(JobShapes.CHANGE_MANY)
                        .answers(JobShapes.CHANGED_MANY)
                        .does(bulk::changeEach),
                ApiRoute.change(
                                "/jobs/change-all",
                                ALL,
                                "Begins to do the same with all jobs that match a filter, in the background.")
                        .role(Role.OPERATOR)
                        .audited("jobs.change")
                        .takes(JobShapes.CHANGE_ALL)
                        .begins(ApiChanges.SHAPE)
                        .does(bulk::changeAll),
                ApiRoute.read("/changes/{id}", "getChange", "Says how far a change in the background is.")
                        .answers(ApiChanges.SHAPE)
                        .does(request -> ApiAnswer.ok(bulk.changes.json(
                                bulk.known(request), request.caller().role()))),
                ApiRoute.change(
                                "/changes/{id}/stop",
                                "stopChange",
                                "Stops a change in the background after its present step; what is done stays.")
                        .role(Role.OPERATOR)
                        .audited("bulk.stop")
                        .answers(ApiChanges.SHAPE)
                        .does(bulk::stop));
    }

    /** What is asked before the changes of all that match, by their operations. */
    public static Map<String, Function<ApiRequest, BulkQuestion>> questions(
            ConsoleData data, AccessSettings access, BulkRuns runs) {
        return Map.of(ALL, new BulkRoutes(data, access, runs)::question);
    }

    /** The list of changes in the background. */
    public static ListModel<BulkRun.Status> list(BulkRuns runs) {
        return ListModel.of(
                        "listChanges", "/changes", "Lists the latest 50 changes in the background.", ApiChanges.CHANGE)
                .order("the newest first")
                .all(call -> runs.list());
    }

    private static Action action(ApiRequest request) {
        return ApiChanges.action(
                request,
                Action.values(),
                Texts::word,
                each -> JobOperations.of(each).role(),
                "jobs");
    }

    private static @Nullable String target(ApiRequest request, Action action) {
        String to = request.text("to");
        if ((to != null) != (action == Action.MOVE))
            throw ApiProblemException.invalid(
                    to == null
                            ? "to is missing: the queue to which the jobs are moved"
                            : "to is for the action move only");
        return to;
    }

    private ApiAnswer changeEach(ApiRequest request) {
        Action action = action(request);
        String to = target(request, action);
        List<Long> ids = ApiChanges.ids(request, "jobs");
        return ApiChanges.changed(
                to == null ? data.jobs().changeEach(action, ids) : data.jobs().moveEach(ids, to), ids.size());
    }

    private ApiAnswer changeAll(ApiRequest request) {
        BulkChange change = change(request);
        JobQuery query = change.query();
        BulkRun run =
                runs.start(title(change, null), "/jobs?state=" + ListModel.word(query.state()), count(query), each -> {
                    data.jobs().change(change, each::step);
                });
        return changes.begun(run, request.caller().role());
    }

    private BulkQuestion question(ApiRequest request) {
        BulkChange change = change(request);
        Long count = count(change.query());
        return new BulkQuestion(title(change, count), count);
    }

    private BulkChange change(ApiRequest request) {
        Action action = action(request);
        String to = target(request, action);
        Values chosen = request.values(JobLists.CHOSEN);
        if (JobLists.JOBS.isSearch(chosen)) mask.checkSearch(request.caller().role());
        JobQuery query;
        try {
            query = JobLists.query(chosen);
        } catch (IllegalArgumentException e) {
            throw ApiProblemException.invalid(String.valueOf(e.getMessage()));
        }
        List<JobState> states = JobOperations.states(action);
        if (!states.contains(query.state()))
            throw ApiProblemException.invalid("state has to be one of "
                    + states.stream().map(ListModel::word).collect(Collectors.joining(", ")) + " for the action "
                    + Texts.word(action) + ", not \"" + ListModel.word(query.state()) + "\"");
        return new BulkChange(action, query, to);
    }

    private static String title(BulkChange change, @Nullable Long count) {
        JobQuery query = change.query();
        return Texts.word(change.action())
                + ' '
                + Numbers.all(count)
                + ListModel.word(query.state())
                + (count != null && count == 1 ? " job" : " jobs")
                + JobLists.words(query)
                + (change.queue() == null ? "" : " to queue " + change.queue());
    }

    /** Null: they are too many to be counted. */
    private @Nullable Long count(JobQuery query) {
        try {
            long jobs = data.jobs().count(query, COUNTED);
            return jobs < COUNTED ? Long.valueOf(jobs) : null;
        } catch (JobsException e) {
            return null;
        }
    }

    private BulkRun.Status known(ApiRequest request) {
        BulkRun.Status run = runs.find(request.id());
        if (run == null)
            throw ApiProblemException.notFound(
                    "there is no change " + request.id() + ": its id is wrong, or a thousand others came after it");
        return run;
    }

    private ApiAnswer stop(ApiRequest request) {
        known(request);
        runs.stop(request.id());
        return ApiAnswer.ok(changes.json(known(request), request.caller().role()));
    }
}
