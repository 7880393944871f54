package dev.howdah.reach.internal.secret;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads values of objects in JSON, and refuses what is not expected, by name and never by value. */
public final class JsonKeys {
    private JsonKeys() {}

    /** @throws IllegalArgumentException if it is no object, or has other keys than these */
    public static void only(JsonNode node, Set<String> known) {
        if (!node.isObject()) throw new IllegalArgumentException("an object of JSON has to stand here");
        Iterator<String> names = node.fieldNames();
        while (names.hasNext()) {
            String name = names.next();
            if (!known.contains(name))
                throw new IllegalArgumentException(
                        "there is no key \"" + name + "\", but " + String.join(", ", new TreeSet<>(known)));
        }
    }

    /** The text under that key; null if there is none. */
    @Nullable
    public static String text(JsonNode node, String key) {
        JsonNode value = node.get(key);
        if (value == null || value.isNull()) return null;
        if (!value.isTextual()) throw new IllegalArgumentException("\"" + key + "\" has to be a text");
        return value.asText();
    }

    /** The texts under that key: an array of them, or one alone; none if there is none. */
    public static List<String> texts(JsonNode node, String key) {
        JsonNode value = node.get(key);
        List<String> all = new ArrayList<>();
        if (value == null || value.isNull()) return all;
        if (value.isTextual()) return List.of(value.asText());
        if (!value.isArray())
            throw new IllegalArgumentException("\"" + key + "\" has to be a text or an array of texts");
        for (JsonNode each : value) {
            if (!each.isTextual())
                throw new IllegalArgumentException("\"" + key + "\" has to be a text or an array of texts");
            all.add(each.asText());
        }
        return all;
    }
}
