package dev.howdah.console.internal.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The form that takes a change back: another change, which asks nothing, needs its role and is written down as each other one.
 *
 * @param path to which it is sent
 * @param form its fields
 */
public record Undo(String path, Map<String, List<String>> form) {
    public Undo {
        form = new LinkedHashMap<>(form);
    }

    /** The form with these fields. */
    public static Undo by(String path, Map<String, String> fields) {
        Map<String, List<String>> form = new LinkedHashMap<>();
        fields.forEach((name, value) -> form.put(name, List.of(value)));
        return new Undo(path, form);
    }

    /** The form of a button. */
    public static Undo by(String path) {
        return new Undo(path, Map.of());
    }
}
