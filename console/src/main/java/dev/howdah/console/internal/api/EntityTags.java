package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.internal.text.Sha256;
import io.javalin.http.Context;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Tags of what is read ({@code ETag}): the same as long as the answer is. A caller sends one back to be answered only if something has changed
 * ({@code If-None-Match}), or to change an object only if nothing has ({@code If-Match}).
 */
final class EntityTags {
    private static final int BYTES = 16;

    private EntityTags() {}

    /** The tag of an answer. */
    static String of(byte[] body) {
        return "\"" + HexFormat.of().formatHex(Sha256.of(body), 0, BYTES) + "\"";
    }

    /** The tag of what a route has answered. */
    static String of(JsonNode body) {
        return of(ApiJson.text(body).getBytes(StandardCharsets.UTF_8));
    }

    /** Whether a header names that tag, or any. A proxy that compresses answers makes weak ones of them. */
    static boolean isNamed(Context context, String header, String tag) {
        for (String each : named(context, header))
            if (each.equals("*") || each.equals(tag) || each.equals("W/" + tag)) return true;
        return false;
    }

    /** The tags that a header names; empty: there is no such header. */
    static List<String> named(Context context, String header) {
        List<String> tags = new ArrayList<>();
        context.req().getHeaders(header).asIterator().forEachRemaining(value -> {
            for (String each : value.split(",", -1)) tags.add(each.strip());
        });
        return tags;
    }

    /** By the path of a change the route that reads its object: that of the path without the verb, if it is no list. */
    static Map<String, ApiRoute> readings(List<ApiRoute> routes) {
        Map<String, ApiRoute> objects = routes.stream()
                .filter(each -> each.method().equals("GET") && each.stream() == null && isObject(each))
                .collect(Collectors.toMap(ApiRoute::path, Function.identity()));
        return routes.stream()
                .filter(each -> each.audit() != null && objects.containsKey(parent(each.path())))
                .collect(Collectors.toMap(ApiRoute::path, each -> objects.get(parent(each.path()))));
    }

    private static boolean isObject(ApiRoute route) {
        return route.path().endsWith("}")
                && route.answer() != null
                && route.answer().fields().stream()
                        .noneMatch(field -> field.name().equals("items"));
    }

    private static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }
}
