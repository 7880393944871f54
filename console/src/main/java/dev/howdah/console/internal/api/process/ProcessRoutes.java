package dev.howdah.console.internal.api.process;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiCauses;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.operations.Role;
import dev.howdah.process.Event;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessState;
import dev.howdah.process.client.ProcessClient;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** {@code /namespaces} and {@code /processes}: read, start, call, repair and remove. Safe for use by many threads. */
public final class ProcessRoutes {
    private static final String PROCESS = "/processes/{namespace}/{id}";

    private static final String KEY_WORDS =
            "1 to 255 printable ASCII characters: the same request again, as long as the process is there, is no further"
                    + " request, and is answered as the first one, which it waits for";

    private final ConsoleData data;
    private final AccessSettings access;
    private final ApiMask mask;
    private final ProcessJson json;
    private final ProcessCalls calls;

    private ProcessRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.access = access;
        this.mask = new ApiMask(access);
        this.json = new ProcessJson(mask);
        this.calls = new ProcessCalls(data, json, mask);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        ProcessRoutes processes = new ProcessRoutes(data, access);
        return List.of(
                ApiRoute.read(PROCESS, "getProcess", "Finds a process, with its newest events.")
                        .query(ProcessShapes.HISTORY)
                        .answers(ProcessShapes.PROCESS)
                        .does(processes::find),
                ApiRoute.read(PROCESS + "/why", "whyProcess", "Says why a process does nothing.")
                        .answers(ApiCauses.SHAPE)
                        .does(processes::why),
                ApiRoute.change(
                                "/processes/{namespace}",
                                "startProcess",
                                "Starts a process, and waits for the answer of its first step.")
                        .role(Role.SUBMITTER)
                        .audited("processes.start")
                        .takes(ProcessShapes.START)
                        .keyed(KEY_WORDS)
                        .adds(ProcessShapes.ANSWER)
                        .waits(processes::start),
                ask("call", "callProcess", Role.OPERATOR, "Calls a process, and waits for its answer.")
                        .keyed(KEY_WORDS)
                        .waits(request -> processes.calls.ask(request, ProcessClient::call)),
                ask("notify", "notifyProcess", Role.OPERATOR, "Gives a process a message.")
                        .keyed(KEY_WORDS)
                        .waits(request -> processes.calls.tell(request, ProcessClient::notify)),
                ask("repair", "repairProcess", Role.OPERATOR, "Repairs a process by a step of its processor.")
                        .keyed(KEY_WORDS)
                        .waits(request -> processes.calls.ask(request, ProcessClient::repair)),
                ask("simple-repair", "simpleRepairProcess", Role.OPERATOR, "Repairs a process without its processor.")
                        .waits(request -> processes.calls.tell(request, ProcessClient::simpleRepair)),
                ask("remove", "removeProcess", Role.ADMINISTRATOR, "Removes a process with its history.")
                        .waits(request -> processes.calls.tell(request, ProcessClient::remove)));
    }

    private static ApiRoute.Builder ask(String verb, String operation, Role role, String words) {
        return ApiRoute.change(PROCESS + "/" + verb, operation, words)
                .role(role)
                .audited("processes." + verb)
                .takes(ProcessShapes.ASK)
                .answers(ProcessShapes.ANSWER);
    }

    /** Reads, and says which namespace or process does not exist. */
    private <T> T found(ApiRequest request, Supplier<T> read) {
        try {
            return read.get();
        } catch (ProcessException e) {
            throw ProcessCalls.problem(
                    request.name("namespace"),
                    request.name("id"),
                    e,
                    mask,
                    request.caller().role());
        }
    }

    private ApiAnswer find(ApiRequest request) {
        int limit = request.integerParameter("limit", 50, 1, 500);
        String after = request.parameter("after");
        if (after != null && !after.matches("\\d{1,18}"))
            throw ApiProblemException.invalid("after has to be next of the page before, not \"" + after + "\"");
        HistoryRange range =
                after == null ? HistoryRange.last(limit) : HistoryRange.before(Long.parseLong(after), limit);
        ProcessState process =
                found(request, () -> data.processes().get(request.name("namespace"), request.name("id"), range));
        ObjectNode answer = json.whole(process, request.caller().role());
        List<Event> history = process.history();
        if (history.size() == limit)
            ApiJson.put(answer, "next", history.get(limit - 1).id());
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer why(ApiRequest request) {
        return ApiCauses.answer(
                found(request, () -> data.processes().why(request.name("namespace"), request.name("id"))),
                mask,
                request.caller().role());
    }

    private CompletableFuture<ApiAnswer> start(ApiRequest request) {
        String id = String.valueOf(request.text("id"));
        String path = access.base() + "/api/v1/processes/" + encoded(request.name("namespace")) + "/" + encoded(id);
        return calls.ask(request, id, 201, Map.of("Location", path), ProcessClient::init);
    }

    private static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
