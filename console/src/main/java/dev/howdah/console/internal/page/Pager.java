package dev.howdah.console.internal.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Addresses of further pages of a list. */
public final class Pager {
    private Pager() {}

    /** The same list from that place on. */
    public static @Nullable String next(PageRequest request, @Nullable String place) {
        if (place == null) return null;
        Map<String, List<String>> query = new LinkedHashMap<>(request.query());
        query.put("after", List.of(place));
        return PageRequest.address(request.path(), query);
    }
}
