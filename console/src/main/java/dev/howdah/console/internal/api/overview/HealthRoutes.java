package dev.howdah.console.internal.api.overview;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ReadException;
import dev.howdah.console.internal.store.AuditRow;
import dev.howdah.console.internal.store.AuditStore;
import dev.howdah.health.HealthCheck;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code /database}, the checks of {@code howdah doctor}, and {@code /audit}. Safe for use by many threads. */
public final class HealthRoutes {
    private static final Shape CHECKS = Shape.of(
            "HealthChecks",
            Field.of("level", FieldType.TEXT, "the worst: critical, warning, unknown, notice or ok"),
            Field.many(
                    "items",
                    Shape.of(
                            "HealthCheck",
                            Field.of("name", FieldType.TEXT, "of the check, such as snapshot"),
                            Field.of("level", FieldType.TEXT, "critical, warning, unknown, notice or ok"),
                            Field.of("value", FieldType.TEXT, "what was found; unknown if it could not be checked"),
                            Field.of("threshold", FieldType.TEXT, "from where on it is a warning, and critical"),
                            Field.of("sentence", FieldType.TEXT, "the result for people, without secrets"),
                            Field.maybe("remedy", FieldType.TEXT, "what to do about it, mostly an SQL statement")),
                    "the worst first"));

    private static final Shape AUDIT = Shape.of(
            "AuditPage",
            Field.many(
                    "items",
                    Shape.of(
                            "AuditEntry",
                            Field.of("id", FieldType.ID, "of the row"),
                            Field.of("at", FieldType.TIME, "when it began"),
                            Field.of("actor", FieldType.TEXT, "the name of the caller"),
                            Field.maybe("role", FieldType.TEXT, "of the caller"),
                            Field.of("via", FieldType.TEXT, "console, api, cli or sql"),
                            Field.maybe("address", FieldType.TEXT, "from which the caller came"),
                            Field.of("action", FieldType.TEXT, "such as tasks.cancel"),
                            Field.maybe("object", FieldType.TEXT, "such as tasks/42"),
                            Field.of("outcome", FieldType.TEXT, "done, failed or refused; begun: it may have happened"),
                            Field.maybe("message", FieldType.TEXT, "what was said of the outcome"),
                            Field.maybe("before", FieldType.JSON, "the object before, without secrets"),
                            Field.maybe("sent", FieldType.JSON, "what the request has said, without secrets"),
                            Field.maybe("after", FieldType.JSON, "the object after, without secrets")),
                    "the newest first"),
            Field.maybe("next", FieldType.TEXT, "the parameter after of the next page; absent: this is the last one"));

    private static final List<Field> AUDIT_FILTER = List.of(
            Field.maybe("actor", FieldType.TEXT, "only of callers whose names contain this"),
            Field.maybe("object", FieldType.TEXT, "only of objects that begin so, such as tasks/42"),
            Field.maybe("action", FieldType.TEXT, "only actions that begin so, such as tasks.cancel"),
            Field.maybe("limit", FieldType.INTEGER, "1 to 500 rows; 50 unless given"),
            Field.maybe("after", FieldType.ID, "next of the page before"));

    private final ConsoleData data;
    private final ApiMask mask;
    private final AuditStore audit;

    private HealthRoutes(ConsoleData data, AccessSettings access, AuditStore audit) {
        this.data = data;
        this.mask = new ApiMask(access);
        this.audit = audit;
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access, AuditStore audit) {
        HealthRoutes health = new HealthRoutes(data, access, audit);
        return List.of(
                ApiRoute.read(
                        "/database",
                        "checkDatabase",
                        "Checks the health of the database, as howdah doctor does.",
                        List.of(),
                        CHECKS,
                        health::check),
                ApiRoute.read(
                                "/audit",
                                "listAudit",
                                "Lists changes by the console and the API, logins and refusals.",
                                AUDIT_FILTER,
                                AUDIT,
                                health::audit)
                        .forRole(Role.ADMINISTRATOR));
    }

    private static String word(HealthCheck.Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }

    private ApiAnswer check(ApiRequest request) {
        List<HealthCheck> checks;
        try {
            checks = data.health().check();
        } catch (SQLException e) {
            throw new ReadException(e);
        }
        Role role = request.caller().role();
        HealthCheck.Level worst = HealthCheck.Level.OK;
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (HealthCheck each : checks) {
            if (each.level().compareTo(worst) < 0) worst = each.level();
            ObjectNode check = items.addObject();
            check.put("name", each.name());
            check.put("level", word(each.level()));
            mask.text(check, "value", each.value(), role);
            check.put("threshold", each.threshold());
            mask.text(check, "sentence", each.sentence(), role);
            mask.text(check, "remedy", each.remedy(), role);
        }
        answer.put("level", word(worst));
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer audit(ApiRequest request) {
        int limit = request.integerParameter("limit", 50, 1, 500);
        String after = request.parameter("after");
        if (after != null && !after.matches("\\d{1,18}"))
            throw ApiProblemException.invalid("after has to be next of the page before, not \"" + after + "\"");
        List<AuditRow> rows = audit.list(
                request.parameter("actor"),
                request.parameter("object"),
                request.parameter("action"),
                after == null ? null : Long.valueOf(after),
                limit + 1);
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (AuditRow each : rows.subList(0, Math.min(limit, rows.size()))) items.add(json(each));
        if (rows.size() > limit) ApiJson.put(answer, "next", rows.get(limit - 1).id());
        return ApiAnswer.ok(answer);
    }

    /** What is stored has no secrets. */
    private static ObjectNode json(AuditRow row) {
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "id", row.id());
        ApiJson.put(json, "at", row.at());
        json.put("actor", row.entry().actor());
        ApiJson.put(json, "role", row.entry().role());
        json.put("via", row.entry().via());
        ApiJson.put(json, "address", row.entry().address());
        json.put("action", row.entry().action());
        ApiJson.put(json, "object", row.entry().object());
        json.put("outcome", row.outcome());
        ApiJson.put(json, "message", row.message());
        stored(json, "before", row.entry().before());
        stored(json, "sent", row.entry().after());
        stored(json, "after", row.result());
        return json;
    }

    private static void stored(ObjectNode json, String name, @Nullable String text) {
        if (text != null) json.set(name, ApiJson.stored(text));
    }
}
