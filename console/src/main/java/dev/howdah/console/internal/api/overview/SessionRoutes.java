package dev.howdah.console.internal.api.overview;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.session.SessionList;
import dev.howdah.health.DatabaseSession;
import dev.howdah.operations.Role;
import java.util.List;

/** {@code /database/sessions}. Safe for use by many threads. */
public final class SessionRoutes {
    private static final Shape SESSION = Shape.of(
            "DatabaseSession",
            Field.of("pid", FieldType.INTEGER, "of its server process; another session can have it later"),
            Field.maybe("started", FieldType.TIME, "when it began; absent: the role of the console may not see it"),
            Field.maybe("role", FieldType.TEXT, "as which it is logged in"),
            Field.maybe("database", FieldType.TEXT, "that it is connected to"),
            Field.of("application", FieldType.TEXT, "the name that it has given itself"),
            Field.maybe("address", FieldType.TEXT, "of the client; absent: the same machine"),
            Field.maybe("state", FieldType.TEXT, "such as active or idle in transaction"),
            Field.maybe("transaction_started", FieldType.TIME, "absent: it has no transaction open"),
            Field.maybe(
                    "held_transactions",
                    FieldType.ID,
                    "of how many transactions, up to now, dead rows stay because of it; absent: of none"),
            Field.of("waits", FieldType.BOOLEAN, "whether it waits for a lock"),
            Field.of("blocks", FieldType.INTEGER, "how many sessions wait for its locks"),
            Field.of("query", FieldType.TEXT, "its present statement, or its last one, without secrets"));

    private static final Shape SESSIONS = Shape.of(
            "DatabaseSessions", Field.many("items", SESSION, "the one whose transaction began first is the first"));

    private static final Field LIMIT = Field.maybe("limit", FieldType.INTEGER, "1 to 500 sessions; 100 unless given");

    private final SessionList sessions;
    private final ApiMask mask;

    private SessionRoutes(ConsoleData data, AccessSettings access) {
        this.sessions = new SessionList(data);
        this.mask = new ApiMask(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        SessionRoutes routes = new SessionRoutes(data, access);
        return List.of(ApiRoute.read(
                "/database/sessions",
                "listSessions",
                "Lists sessions that have a transaction open, or for whose locks others wait.",
                List.of(LIMIT),
                SESSIONS,
                routes::list));
    }

    private ApiAnswer list(ApiRequest request) {
        Role role = request.caller().role();
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (DatabaseSession each : sessions.first(request.integerParameter("limit", 100, 1, 500)))
            items.add(json(each, role));
        return ApiAnswer.ok(answer);
    }

    private ObjectNode json(DatabaseSession session, Role role) {
        ObjectNode json = ApiJson.object();
        json.put("pid", session.pid());
        ApiJson.put(json, "started", session.started());
        ApiJson.put(json, "role", session.role());
        ApiJson.put(json, "database", session.database());
        mask.text(json, "application", session.application(), role);
        ApiJson.put(json, "address", session.address());
        ApiJson.put(json, "state", session.state());
        ApiJson.put(json, "transaction_started", session.transactionStarted());
        ApiJson.put(json, "held_transactions", session.heldTransactions());
        json.put("waits", session.waits());
        json.put("blocks", ApiJson.number(session.blocks()));
        mask.text(json, "query", session.query(), role);
        return json;
    }
}
