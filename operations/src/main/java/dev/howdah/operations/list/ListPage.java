package dev.howdah.operations.list;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a page of a list.
 *
 * @param facts of the list as a whole, by the names of its fields
 */
public record ListPage<R>(List<R> rows, ListPlace.Beside beside, Map<String, Object> facts) {
    public ListPage {
        rows = List.copyOf(rows);
        facts = new LinkedHashMap<>(facts);
    }

    /** All rows of a list. */
    public static <R> ListPage<R> of(List<R> rows) {
        return new ListPage<>(rows, ListPlace.Beside.NONE, Map.of());
    }

    /** The same with one more fact; null: it is not known. */
    public ListPage<R> with(String name, @Nullable Object value) {
        Map<String, Object> all = new LinkedHashMap<>(facts);
        if (value != null) all.put(name, value);
        return new ListPage<>(rows, beside, all);
    }
}
