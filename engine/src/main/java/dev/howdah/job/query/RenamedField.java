package dev.howdah.job.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds values that a class of today passes over and others that it makes up: that of a stored payload is written again, and the two are
 * compared. Objects that only gain fields, or only lose some, have changed as they may; where both happened, a field has most probably another
 * name now, and its value is null or 0.
 */
final class RenamedField {
    private static final ObjectMapper JSON = new ObjectMapper();

    private RenamedField() {}

    /**
     * What differs, in words; null: nothing that matters.
     *
     * @param stored JSON
     * @param again the JSON of what was read from it
     */
    static @Nullable String find(String stored, String again) {
        try {
            return find(JSON.readTree(stored), JSON.readTree(again), "");
        } catch (JsonProcessingException e) {
            return null; // a codec of the user's own, which says how it is written
        }
    }

    private static @Nullable String find(JsonNode stored, JsonNode again, String at) {
        String found = stored.isObject() && again.isObject() ? renamed(stored, again, at) : null;
        for (Iterator<String> names = stored.fieldNames(); found == null && names.hasNext(); ) {
            String name = names.next();
            if (again.has(name)) found = find(stored.get(name), again.get(name), at + name + ".");
        }
        if (stored.isArray() && again.isArray())
            for (int i = 0; found == null && i < Math.min(stored.size(), again.size()); i++)
                found = find(stored.get(i), again.get(i), at + i + ".");
        return found;
    }

    private static @Nullable String renamed(JsonNode stored, JsonNode again, String at) {
        List<String> lost = without(stored, again);
        List<String> gained = without(again, stored);
        // One that is read by an alias has the value that it had.
        for (Iterator<String> each = gained.iterator(); each.hasNext(); ) {
            JsonNode value = again.get(each.next());
            if (lost.removeIf(name -> stored.get(name).equals(value))) each.remove();
        }
        if (lost.isEmpty() || gained.isEmpty()) return null;
        return "its field " + at + lost.get(0) + " is passed over, and " + at + gained.get(0)
                + ", which it does not have, becomes " + again.get(gained.get(0))
                + "; if that is its new name, @JsonAlias(\"" + lost.get(0) + "\") reads the old one";
    }

    private static List<String> without(JsonNode one, JsonNode other) {
        List<String> names = new ArrayList<>();
        for (Iterator<String> each = one.fieldNames(); each.hasNext(); ) {
            String name = each.next();
            if (!other.has(name)) names.add(name);
        }
        return names;
    }
}
