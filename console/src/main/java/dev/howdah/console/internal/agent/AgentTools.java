package dev.howdah.console.internal.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.access.RefusedException;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.ApiServer;
import dev.howdah.console.internal.api.Problems;
import dev.howdah.console.internal.audit.Audit;
import dev.howdah.console.internal.bulk.BulkQuestion;
import dev.howdah.operations.Operation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The routes of the API that read, and those that change something for people, as tools: with the same roles, masks and audit, and with a
 * question before what ends work or loses something. Safe for use by many threads.
 */
public final class AgentTools {
    /** Says that a person has agreed. */
    public static final String CONFIRMED = "confirmed";

    /** What a person has typed of a change of all that match. */
    public static final String NUMBER = "number";

    private static final int LONGEST_SECONDS = 60;

    private final ApiServer server;
    private final Map<String, Function<ApiRequest, BulkQuestion>> questions;
    private final Audit audit;
    private final Map<String, AgentTool> tools = new LinkedHashMap<>();

    /** @param questions of the changes of all that match, by their operations: they say how many there are */
    public AgentTools(
            ApiServer server,
            List<ApiRoute> routes,
            Map<String, Function<ApiRequest, BulkQuestion>> questions,
            Audit audit) {
        this.server = server;
        this.questions = Map.copyOf(questions);
        this.audit = audit;
        for (ApiRoute each : routes)
            if (isTool(each)) tools.put(each.operation(), new AgentTool(each, schema(each), isAsked(each)));
    }

    /** No worker's call, no token or session, which are no business of an agent, and no stream. */
    private static boolean isTool(ApiRoute route) {
        if (route.answer() == null || route.role().isProgram()) return false;
        String audited = route.audit();
        if (audited == null)
            return route.method().equals("GET") && !isOfAccess(route.path().substring(1));
        return !isOfAccess(audited);
    }

    private static boolean isOfAccess(String name) {
        return name.startsWith("token") || name.startsWith("sessions");
    }

    /** A change of many objects, or one that pages ask about. */
    private static boolean isAsked(ApiRoute route) {
        Operation declared = route.declared();
        if (route.audit() == null) return false;
        return declared == null || declared.isDangerous() || declared.isAskedByObject();
    }

    private ObjectNode schema(ApiRoute route) {
        ObjectNode schema = ApiServer.schema(route);
        if (!isAsked(route)) return schema;
        ObjectNode properties = schema.withObjectProperty("properties");
        properties
                .putObject(CONFIRMED)
                .put("type", "boolean")
                .put("description", "true once a person has answered the question that the call without it returns");
        if (questions.containsKey(route.operation()))
            properties
                    .putObject(NUMBER)
                    .put("type", "string")
                    .put(
                            "description",
                            "what a person has typed, where the question asks for it: how many objects are changed, or all");
        return schema;
    }

    /** The tools of all roles. */
    public List<AgentTool> all() {
        return List.copyOf(tools.values());
    }

    public @Nullable AgentTool find(String name) {
        return tools.get(name);
    }

    /** Whether that caller may use the tool. */
    public static boolean isFor(Caller caller, AgentTool tool) {
        return caller.role().covers(tool.role());
    }

    /**
     * Calls a tool.
     *
     * @return the answer, or the question before it
     * @throws ApiProblemException if it is refused or fails
     */
    public ObjectNode call(AgentTool tool, ObjectNode arguments, Caller caller) {
        ApiRoute route = tool.route();
        if (!isFor(caller, tool)) {
            String audited = route.audit();
            if (audited != null) audit.refused(caller, audited, null, route.role());
            throw new ApiProblemException(
                    403,
                    "forbidden",
                    "This needs the role " + route.role().text() + "; " + caller.name() + " has the role "
                            + caller.role().text() + ".");
        }
        ObjectNode given = arguments.deepCopy();
        boolean confirmed = given.path(CONFIRMED).asBoolean();
        if (tool.isAsked()) given.remove(CONFIRMED);
        Function<ApiRequest, BulkQuestion> ofAll = questions.get(route.operation());
        String typed = ofAll == null ? "" : given.path(NUMBER).asText();
        if (ofAll != null) given.remove(NUMBER);
        try {
            BulkQuestion all = ofAll == null ? null : ofAll.apply(ApiServer.request(route, caller, given));
            // The number is that of now: it may have changed since a person was asked.
            boolean proved = all == null || all.proof().isEmpty() || all.proof().equals(typed);
            if (tool.isAsked() && !(confirmed && proved)) return question(tool, all, given, caller);
            ApiAnswer answer = server.call(route, caller, given).get(LONGEST_SECONDS, TimeUnit.SECONDS);
            return answer.body() instanceof ObjectNode body ? body : ApiJson.object();
        } catch (ExecutionException e) {
            throw Problems.of(e.getCause() == null ? e : e.getCause());
        } catch (RefusedException e) {
            throw new ApiProblemException(e.status(), "forbidden", e.getMessage());
        } catch (TimeoutException e) {
            throw new ApiProblemException(504, "no-answer", "there was no answer within " + LONGEST_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiProblemException(503, "unavailable", "the program ends");
        } catch (RuntimeException e) {
            throw Problems.of(e);
        }
    }

    private ObjectNode question(AgentTool tool, @Nullable BulkQuestion all, ObjectNode given, Caller caller) {
        String asked = all == null ? server.question(tool.route(), caller, given) : sentence(all);
        String proof = all == null ? "" : all.proof();
        ObjectNode answer = ApiJson.object();
        answer.put("done", false);
        answer.put("question", asked.isEmpty() ? tool.words() + " " + ApiJson.text(given) : asked);
        if (all != null && all.count() != null) answer.put("count", all.count());
        answer.put(
                "next",
                "Ask a person. If the answer is yes, call this tool again with the same arguments and " + CONFIRMED
                        + ": true"
                        + (proof.isEmpty()
                                ? "."
                                : ", and with " + NUMBER + ": what the person has typed, " + proof + "."));
        return answer;
    }

    private static String sentence(BulkQuestion all) {
        return Character.toUpperCase(all.objects().charAt(0)) + all.objects().substring(1) + "?";
    }
}
