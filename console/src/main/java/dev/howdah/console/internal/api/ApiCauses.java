package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.health.Cause;
import dev.howdah.operations.Role;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.List;

/** Why something does not run, as {@code howdah why} says it. */
public final class ApiCauses {
    private static final String UNKNOWN = "unknown";

    private static final Shape CAUSE = Shape.of(
            "Cause",
            Field.of("code", FieldType.TEXT, "the kind of cause, such as paused; there may be more"),
            Field.of("sentence", FieldType.TEXT, "the cause for people"),
            Field.of("detail", FieldType.JSON, "the facts of the sentence"),
            Field.maybe("remedy", FieldType.TEXT, "what to do about it; absent: nothing"));

    public static final Shape SHAPE =
            Shape.of("Causes", Field.many("causes", CAUSE, "those that hold, the most important first; never empty"));

    private ApiCauses() {}

    /** Whether they say that there is no such object. */
    public static boolean isUnknown(List<Cause> causes) {
        return causes.get(0).code().equals(UNKNOWN);
    }

    /**
     * The problem of a job that is not there: {@code gone} if its id was given once.
     *
     * @param causes why it does not run
     */
    public static ApiProblemException missing(long id, List<Cause> causes) {
        Cause cause = causes.get(0);
        if (!isUnknown(causes)) return ApiProblemException.notFound("there is no job " + id);
        long last = ApiJson.stored(cause.detail()).path("last_id").asLong();
        return id >= 1 && id <= last
                ? new ApiProblemException(410, "gone", cause.sentence())
                : ApiProblemException.notFound(cause.sentence());
    }

    /**
     * The causes: an error that one of them repeats is masked as where it stands itself.
     *
     * @throws ApiProblemException if they say that there is no such object
     */
    public static ApiAnswer answer(List<Cause> causes, ApiMask mask, Role role) {
        if (isUnknown(causes)) throw ApiProblemException.notFound(causes.get(0).sentence());
        ObjectNode json = ApiJson.object();
        ArrayNode array = json.putArray("causes");
        for (Cause each : causes) {
            ObjectNode cause = array.addObject();
            cause.put("code", each.code());
            mask.text(cause, "sentence", each.sentence(), role);
            mask.stored(cause, "detail", each.detail(), role);
            mask.text(cause, "remedy", each.remedy(), role);
        }
        return ApiAnswer.ok(json);
    }
}
