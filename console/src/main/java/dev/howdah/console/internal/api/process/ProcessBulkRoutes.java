package dev.howdah.console.internal.api.process;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.operation.ApiChanges;
import dev.howdah.console.internal.bulk.BulkQuestion;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.process.ProcessBulk;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.operations.Role;
import dev.howdah.operations.listed.ProcessLists;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.query.ProcessQuery;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code /processes/{namespace}/change} and {@code /processes/{namespace}/change-all}. Safe for use by many threads. */
public final class ProcessBulkRoutes {
    private static final String ALL_MATCHING = "changeAllProcesses";
    private static final int MOST_IDS = 1_000;

    private static final Field ACTION =
            Field.of("action", FieldType.TEXT, "simple-repair, or remove, which needs the role administrator");

    private static final Shape EACH =
            Shape.of("ChangeProcesses", ACTION, Field.of("ids", FieldType.TEXTS, "1 to 1,000 ids of processes"));

    private static final Shape ALL = Shape.of(
            "ChangeAllProcesses",
            ACTION,
            Field.maybe("status", FieldType.TEXT, "init, running or error; any unless given; error to repair"),
            Field.maybe("prefix", FieldType.TEXT, "only ids that begin so"));

    private final ConsoleData data;
    private final BulkRuns runs;
    private final ApiChanges changes;

    private ProcessBulkRoutes(ConsoleData data, AccessSettings access, BulkRuns runs) {
        this.data = data;
        this.runs = runs;
        this.changes = new ApiChanges(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access, BulkRuns runs) {
        ProcessBulkRoutes bulk = new ProcessBulkRoutes(data, access, runs);
        return List.of(
                ApiRoute.change(
                                "/processes/{namespace}/change",
                                "changeProcesses",
                                "Begins to repair or to remove up to 1,000 processes, in the background.")
                        .role(Role.OPERATOR)
                        .audited("processes.change")
                        .takes(EACH)
                        .begins(ApiChanges.SHAPE)
                        .does(bulk::changeEach),
                ApiRoute.change(
                                "/processes/{namespace}/change-all",
                                ALL_MATCHING,
                                "Begins to do the same with all processes that match a filter.")
                        .role(Role.OPERATOR)
                        .audited("processes.change")
                        .takes(ALL)
                        .begins(ApiChanges.SHAPE)
                        .does(bulk::changeAll));
    }

    private static ProcessBulk.Action action(ApiRequest request, @Nullable ProcessStatus status) {
        ProcessBulk.Action action = ApiChanges.action(
                request, ProcessBulk.Action.values(), ProcessBulk.Action::word, ProcessBulk.Action::role, "processes");
        if (!action.isFor(status)) throw ApiProblemException.invalid("status has to be error for " + action.word());
        return action;
    }

    private static String back(String namespace) {
        return "/processes/" + PageRequest.encoded(namespace);
    }

    private ApiAnswer changeEach(ApiRequest request) {
        String namespace = request.name("namespace");
        ProcessBulk bulk = new ProcessBulk(action(request, null), ProcessQuery.of(namespace));
        List<String> ids = request.texts("ids").stream().distinct().toList();
        if (ids.isEmpty() || ids.size() > MOST_IDS)
            throw ApiProblemException.invalid("ids has " + ids.size() + " ids: it has to be 1 to " + MOST_IDS);
        check(bulk);
        String title =
                bulk.action().label() + ": " + Numbers.of(ids.size(), "process of ", "processes of ") + namespace;
        return changes.begun(
                runs.start(title, back(namespace), (long) ids.size(), run -> bulk.each(run, data.processClient(), ids)),
                request.caller().role());
    }

    /** What is asked before the changes of all that match, by their operations. */
    public static Map<String, Function<ApiRequest, BulkQuestion>> questions(
            ConsoleData data, AccessSettings access, BulkRuns runs) {
        return Map.of(ALL_MATCHING, new ProcessBulkRoutes(data, access, runs)::question);
    }

    private BulkQuestion question(ApiRequest request) {
        ProcessBulk bulk = bulk(request);
        Long count = check(bulk);
        return new BulkQuestion(bulk.action().word() + " " + bulk.words(count), count);
    }

    private ApiAnswer changeAll(ApiRequest request) {
        ProcessBulk bulk = bulk(request);
        Long count = check(bulk);
        return changes.begun(
                runs.start(
                        bulk.action().label() + ": " + bulk.words(null),
                        back(bulk.query().namespace()),
                        count,
                        run -> bulk.all(run, data.processes(), data.processClient())),
                request.caller().role());
    }

    private static ProcessBulk bulk(ApiRequest request) {
        ProcessQuery query = ProcessLists.query(request.name("namespace"), request.values(ProcessLists.CHOSEN));
        return new ProcessBulk(action(request, query.status()), query);
    }

    /** How many there are; a namespace that is not there is not found. */
    private @Nullable Long check(ProcessBulk bulk) {
        try {
            return bulk.count(data.processes());
        } catch (ProcessException e) {
            if (e.reason() == ProcessException.Reason.NAMESPACE_NOT_FOUND)
                throw ApiProblemException.notFound(
                        "there is no namespace \"" + bulk.query().namespace() + "\"");
            throw e;
        }
    }
}
