package dev.howdah.console.internal.token;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.store.StoredToken;
import dev.howdah.console.internal.store.TokenStore;
import dev.howdah.operations.Role;
import java.util.List;

/** {@code /tokens}: list and add. Safe for use by many threads. */
public final class TokenRoutes {
    private static final Field NAME = Field.of("name", FieldType.TEXT, "its name, 1 to 100 characters");
    private static final Field ROLE =
            Field.of("role", FieldType.TEXT, "worker, producer, viewer, operator or administrator; there may be more");

    private static final Field QUEUES = Field.maybe(
            "queues",
            FieldType.TEXTS,
            "of a worker or producer: the only queues that it may use; a producer needs them; absent: all");

    private static final Shape TOKEN = Shape.of(
            "Token",
            NAME,
            ROLE,
            QUEUES,
            Field.of("state", FieldType.TEXT, "accepted, expired or revoked"),
            Field.of("created", FieldType.TIME, "when it was added"),
            Field.of("created_by", FieldType.TEXT, "the caller that has added it"),
            Field.maybe("expires", FieldType.TIME, "absent: never"),
            Field.maybe("used", FieldType.TIME, "its last use, to the minute; absent: never"),
            Field.maybe("revoked", FieldType.TIME, "absent: it was not"));

    private static final Shape TOKENS = Shape.of("Tokens", Field.many("items", TOKEN, "those that are accepted first"));

    private static final Shape NEW = Shape.of(
            "NewToken",
            NAME,
            ROLE,
            QUEUES,
            Field.maybe("expires", FieldType.DURATION, "up to 366 days; never unless given"));

    private static final Shape ADDED = Shape.of(
            "AddedToken", NAME, ROLE, Field.of("token", FieldType.TEXT, "the token, which is not to be had again"));

    private final TokenStore store;

    private TokenRoutes(TokenStore store) {
        this.store = store;
    }

    public static List<ApiRoute> of(TokenStore store) {
        TokenRoutes tokens = new TokenRoutes(store);
        return List.of(
                ApiRoute.read(
                                "/tokens",
                                "listTokens",
                                "Lists tokens, also revoked ones, without the tokens themselves.",
                                List.of(),
                                TOKENS,
                                tokens::list)
                        .forRole(Role.ADMINISTRATOR),
                ApiRoute.change(
                        "/tokens",
                        "addToken",
                        Role.ADMINISTRATOR,
                        "Adds a token, and tells it once.",
                        NEW,
                        201,
                        ADDED,
                        "tokens.add",
                        tokens::add));
    }

    private ApiAnswer list(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (StoredToken each : store.list()) {
            ObjectNode token = items.addObject();
            token.put("name", each.name());
            token.put("role", each.role());
            if (!each.queues().isEmpty()) ApiJson.put(token, "queues", each.queues());
            token.put("state", TokensPage.state(each));
            ApiJson.put(token, "created", each.created());
            token.put("created_by", each.createdBy());
            ApiJson.put(token, "expires", each.expires());
            ApiJson.put(token, "used", each.used());
            ApiJson.put(token, "revoked", each.revoked());
        }
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer add(ApiRequest request) {
        NewToken wanted = NewToken.of(
                request.text("name"), request.text("role"), request.text("expires"), request.texts("queues"));
        String token = store.add(
                wanted.name(),
                wanted.role().text(),
                wanted.lasts(),
                request.caller().name(),
                wanted.queueArray());
        ObjectNode answer = ApiJson.object();
        answer.put("name", wanted.name());
        answer.put("role", wanted.role().text());
        answer.put("token", token);
        return new ApiAnswer(201, answer, java.util.Map.of());
    }
}
