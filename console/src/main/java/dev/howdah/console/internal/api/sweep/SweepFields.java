package dev.howdah.console.internal.api.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.sweep.SweepLauncher;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a request to start a sweep says, as the form of the page has it. */
final class SweepFields {
    /** The fields of the form that are called otherwise in JSON. */
    private static final Map<String, String> NAMES = Map.of("rows", "rows_per_second", "retry", "retry_failed");

    private final ApiRequest request;

    SweepFields(ApiRequest request) {
        this.request = request;
    }

    /** The name in JSON of a field of the form. */
    static String shown(String field) {
        return NAMES.getOrDefault(field, field);
    }

    /** The value of a field of the form; null: it is absent. */
    @Nullable
    String value(String field) {
        if (field.equals(SweepLauncher.WORK))
            return request.text(SweepLauncher.SQL) == null ? SweepLauncher.ONLY_MARK : null;
        JsonNode sent = request.body().get(shown(field));
        if (sent == null) return null;
        if (sent.isArray()) return String.join(",", request.texts(field));
        if (sent.isBoolean()) return sent.asBoolean() ? SweepLauncher.YES : null;
        return sent.asText();
    }
}
