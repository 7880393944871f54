package dev.howdah.console.internal.api.overview;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.list.ListPlace;
import dev.howdah.console.internal.store.AuditFilter;
import dev.howdah.console.internal.store.AuditOrder;
import dev.howdah.console.internal.store.AuditRow;
import dev.howdah.console.internal.store.AuditStore;
import dev.howdah.operations.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /audit}. Safe for use by many threads. */
public final class AuditRoutes {
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
                    "in the order of sort"),
            Field.NEXT,
            Field.PREVIOUS);

    private static final List<Field> CONDITIONS = List.of(
            Field.maybe("actor", FieldType.TEXT, "only of callers whose names contain this"),
            Field.maybe("object", FieldType.TEXT, "only of objects that begin so, such as tasks/42"),
            Field.maybe("action", FieldType.TEXT, "only actions that begin so, such as tasks.cancel"),
            Field.maybe("from", FieldType.TIME, "not earlier"),
            Field.maybe("until", FieldType.TIME, "only earlier"),
            Field.maybe("sort", FieldType.TEXT, "newest or oldest; newest unless given"));

    private static final List<Field> PAGING = List.of(
            Field.maybe("limit", FieldType.INTEGER, "1 to 500 rows; 50 unless given"),
            Field.maybe("after", FieldType.ID, "next of the page before"),
            Field.maybe("before", FieldType.ID, "previous of the page behind"));

    private static final Field FORMAT = Field.of("format", FieldType.TEXT, "csv or json, an array");

    private final AuditStore audit;

    private AuditRoutes(AuditStore audit) {
        this.audit = audit;
    }

    public static List<ApiRoute> of(AuditStore audit) {
        AuditRoutes routes = new AuditRoutes(audit);
        return List.of(
                ApiRoute.read(
                                "/audit",
                                "listAudit",
                                "Lists changes by the console and the API, logins and refusals.",
                                all(CONDITIONS, PAGING),
                                AUDIT,
                                routes::list)
                        .forRole(Role.ADMINISTRATOR),
                ApiRoute.stream(
                                "/audit/export",
                                "exportAudit",
                                "Sends rows of the audit log as a file: up to " + AuditExport.MOST
                                        + " of them. A file that ends before its end was cut off.",
                                new AuditExport(audit))
                        .withQuery(all(CONDITIONS, List.of(FORMAT)).toArray(Field[]::new))
                        .forRole(Role.ADMINISTRATOR));
    }

    private static List<Field> all(List<Field> some, List<Field> others) {
        return java.util.stream.Stream.concat(some.stream(), others.stream()).toList();
    }

    private ApiAnswer list(ApiRequest request) {
        int limit = request.integerParameter("limit", 50, 1, 500);
        ListPlace place = request.placeById();
        AuditFilter filter = filter(request);
        List<AuditRow> found =
                audit.list(place.isBackwards() ? filter.backwards() : filter, place.startId(), limit + 1);
        if (place.isPastFirst(found, false)) {
            place = ListPlace.FIRST;
            found = audit.list(filter, null, limit + 1);
        }
        ListPlace.Rows<AuditRow> page = place.rows(found, limit, AuditRow::id);
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (AuditRow each : page.rows()) items.add(json(each));
        ApiJson.put(answer, page.beside());
        return ApiAnswer.ok(answer);
    }

    static AuditFilter filter(ApiRequest request) {
        AuditOrder order = request.choice("sort", AuditOrder.class);
        return new AuditFilter(
                request.parameter("actor"),
                request.parameter("object"),
                request.parameter("action"),
                ApiRequest.time("from", request.parameter("from")),
                ApiRequest.time("until", request.parameter("until")),
                order == null ? AuditOrder.NEWEST : order);
    }

    /** What is stored has no secrets. */
    static ObjectNode json(AuditRow row) {
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
