package dev.howdah.task.internal.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.task.Task;
import dev.howdah.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of the table {@code task} as the statements of clients return them. */
public final class TaskRow {
    private static final ObjectMapper JSON = new ObjectMapper();

    private TaskRow() {}

    /** The task of the row that the cursor is on. */
    public static Task task(ResultSet row) throws SQLException {
        return new Task(
                row.getLong("id"),
                number(row, "parent"),
                instant(row, "plan").orElseThrow(),
                instant(row, "start").orElse(null),
                instant(row, "stop").orElse(null),
                TaskState.valueOf(row.getString("state")),
                row.getString("group"),
                row.getString("remote"),
                row.getInt("max"),
                row.getString("active"),
                row.getString("repeat"),
                row.getString("cron"),
                row.getString("zone"),
                row.getInt("attempts"),
                row.getString("backoff"),
                row.getString("after"),
                number(row, "retry"),
                row.getBoolean("once"),
                row.getString("notify"),
                row.getString("owner"),
                row.getString("timeout"),
                pid(row),
                row.getString("data"),
                row.getString("input"),
                row.getString("output"),
                row.getString("error"),
                others(row.getString("others")));
    }

    /** Of any type of whole numbers: a table of a user's own may have another one than ours. */
    private static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    private static @Nullable Integer pid(ResultSet row) throws SQLException {
        Long pid = number(row, "pid");
        return pid == null ? null : pid.intValue();
    }

    private static Map<String, @Nullable Object> others(String json) {
        try {
            return JSON.readValue(json, new TypeReference<LinkedHashMap<String, @Nullable Object>>() {});
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no JSON from the server: " + json, e);
        }
    }

    private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        if (time == null) return Optional.empty();
        if (time.equals(OffsetDateTime.MAX)) return Optional.of(Instant.MAX);
        if (time.equals(OffsetDateTime.MIN)) return Optional.of(Instant.MIN);
        return Optional.of(time.toInstant());
    }
}
