package dev.howdah.sweep.internal.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The definition on which all processes of a sweep have to agree.
 *
 * @param table as the user names it
 * @param order a column, perhaps with {@code DESC} behind it; null: that of the key
 * @param mark what marks a row; null: the work does
 * @param sql the work, where it is SQL
 * @param run the column that says of which run a row is, or {@link #STAMPS}; null: there are no runs
 */
public record SweepDefinition(
        String table,
        String where,
        List<String> key,
        @Nullable String order,
        @Nullable String mark,
        @Nullable String sql,
        @Nullable String run) {
    /** The table that says which rows are of a run, where the user's has no column for that. */
    public static final String STAMPS = "howdah_internal.sweep_run";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Returns whether rows are stamped before any is worked on. */
    public boolean isStamped() {
        return run != null;
    }

    /** Returns whether the stamps are in a table of Howdah's. */
    public boolean hasStamps() {
        return STAMPS.equals(run);
    }

    /** @param target says the table with its schema, so that it is the same whatever the search_path is */
    public String json(TargetTable target) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("table", target.qualified());
        fields.put("where", where.strip());
        fields.put("key", String.join(", ", key));
        fields.put("order", order);
        fields.put("mark", mark == null ? null : mark.strip());
        fields.put("sql", sql == null ? null : sql.strip());
        fields.put("run", target.run() == null ? run : target.run().name());
        fields.values().removeIf(Objects::isNull);
        try {
            return JSON.writeValueAsString(fields);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    public static Map<String, String> read(String json) {
        try {
            return JSON.readValue(json, new TypeReference<LinkedHashMap<String, String>>() {});
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("this is no definition of a sweep: " + json, e);
        }
    }

    /** What two definitions do not agree on, for a message; empty if there is nothing. */
    static String differences(String there, String here) {
        Map<String, String> theirs = read(there);
        Map<String, String> ours = read(here);
        TreeSet<String> names = new TreeSet<>(theirs.keySet());
        names.addAll(ours.keySet());
        List<String> different = new ArrayList<>();
        for (String name : names) {
            if (Objects.equals(theirs.get(name), ours.get(name))) continue;
            different.add(name + " is " + said(theirs.get(name)) + ", not " + said(ours.get(name)));
        }
        return String.join("; ", different);
    }

    private static String said(@Nullable String value) {
        return value == null ? "not set" : "\"" + SqlFragment.shown(value) + "\"";
    }
}
