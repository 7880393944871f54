package dev.howdah.console.internal.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.operations.Role;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import dev.howdah.operations.store.TokenStore;
import java.util.List;

/** {@code /tokens}: add. Safe for use by many threads. */
public final class TokenRoutes {
    private static final Field NAME = Field.of("name", FieldType.TEXT, "its name, 1 to 100 characters");
    private static final Field ROLE = Field.of("role", FieldType.TEXT, Role.names() + "; there may be more");

    private static final Field QUEUES = Field.maybe(
            "queues",
            FieldType.TEXTS,
            "of a worker, producer or sender: the only queues that it may use; the latter two need them; absent: all");

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
        return List.of(ApiRoute.change("/tokens", "addToken", "Adds a token, and tells it once.")
                .audited("tokens.add")
                .takes(NEW)
                .adds(ADDED)
                .does(tokens::add));
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
