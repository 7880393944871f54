package dev.howdah.console.internal.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a form sends.
 *
 * @param page the address and the names in its path
 * @param form the fields of the form
 */
public record ActionRequest(PageRequest page, Map<String, List<String>> form) {
    public ActionRequest {
        form = new LinkedHashMap<>(form);
    }

    /** The id in the path. */
    public long id() {
        return page.id();
    }

    /** The value of that field; null if it is missing or empty. */
    public @Nullable String field(String name) {
        List<String> values = form.get(name);
        return values == null || values.isEmpty() || values.get(0).isBlank() ? null : values.get(0);
    }

    /** The values of that field; empty if it is missing. */
    public List<String> fields(String name) {
        return form.getOrDefault(name, List.of());
    }
}
