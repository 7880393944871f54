package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.operations.shape.Field;
import io.javalin.http.Context;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The pages beside one of a list as the header {@code Link}, for programs that know lists in general. */
final class PageLinks {
    private PageLinks() {}

    /** Puts the header into an answer that has {@code next} or {@code previous}. */
    static void put(Context context, ApiRoute route, ApiRequest request, JsonNode body) {
        List<String> links = new ArrayList<>();
        add(route, request, body.path("next"), "after", "next", links);
        add(route, request, body.path("previous"), "before", "prev", links);
        if (!links.isEmpty()) context.header("Link", String.join(", ", links));
    }

    private static void add(
            ApiRoute route, ApiRequest request, JsonNode place, String parameter, String relation, List<String> to) {
        if (!place.isTextual()
                || route.query().stream().noneMatch(each -> each.name().equals(parameter))) return;
        Map<String, List<String>> query = new LinkedHashMap<>();
        for (Field each : route.query()) {
            String value = request.parameter(each.name());
            if (value != null) query.put(each.name(), List.of(value));
        }
        query.remove("after");
        query.remove("before");
        query.put(parameter, List.of(place.textValue()));
        // Without a path it is that of the request, also behind a proxy.
        to.add("<" + PageRequest.address("", query) + ">; rel=\"" + relation + "\"");
    }
}
