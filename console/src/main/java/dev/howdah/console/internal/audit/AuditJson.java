package dev.howdah.console.internal.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.console.internal.mask.Masker;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Objects and forms as JSON for the audit table: without secrets, and long texts cut. Immutable and safe for use by many threads. */
public final class AuditJson {
    private static final int LONGEST = 500;

    private final Masker masker;

    /** Loaded with the first change: 400 classes that the start of a console need not wait for. */
    private static final class Mapper {
        static final ObjectMapper MAPPER = new ObjectMapper();
    }

    public AuditJson(Masker masker) {
        this.masker = masker;
    }

    /** The components of a record. */
    @Nullable
    String of(@Nullable Record object) {
        if (object == null) return null;
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (RecordComponent each : object.getClass().getRecordComponents()) {
            try {
                Object value = each.getAccessor().invoke(object);
                if (value != null) fields.put(each.getName(), value(each.getName(), value));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return json(fields);
    }

    /** Values by name, without secrets, and long texts cut. */
    public Map<String, Object> masked(Map<String, String> values) {
        Map<String, Object> masked = new LinkedHashMap<>();
        values.forEach((name, value) -> masked.put(name, value(name, value)));
        return masked;
    }

    /** The fields of a form; null if there is none. */
    @Nullable
    String ofForm(Map<String, List<String>> form) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        form.forEach((name, values) -> {
            if (name.equals("csrf") || name.equals("confirmed") || name.equals("typed")) return;
            List<Object> shown =
                    values.stream().limit(1_000).map(each -> value(name, each)).toList();
            fields.put(name, shown.size() == 1 ? shown.get(0) : shown);
        });
        return fields.isEmpty() ? null : json(fields);
    }

    private Object value(String name, Object value) {
        if (value instanceof Number || value instanceof Boolean) return value;
        if (value instanceof Collection<?> many)
            return many.stream().limit(100).map(each -> value(name, each)).toList();
        return masker.isSecretKey(name) ? Masker.MASK : text(value.toString());
    }

    /** A text without secrets, cut; PostgreSQL has no character 0. */
    public String text(String text) {
        // Masked before it is cut: half a secret would not be recognized.
        String masked = masker.text(text).replace('\0', ' ');
        return masked.length() <= LONGEST ? masked : masked.substring(0, LONGEST) + "...";
    }

    private static String json(Map<String, @Nullable Object> fields) {
        try {
            return Mapper.MAPPER.writeValueAsString(fields);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
