package dev.howdah.task;

import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.NameText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The schedules of a table of tasks: tasks with a {@code cron} that have a name, one of each name for each owner. The rows of their runs
 * have the name in the column {@code schedule}. Each method is one statement on a connection of its own, and throws {@link TaskException}
 * if the database refuses it. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * tasks.schedules().put("nightly", NewTask.of("VACUUM").cron("0 3 * * *").zone(ZoneId.of("Europe/Berlin")));
 * }</pre>
 */
public final class TaskSchedules {
    private final TaskTable table;
    private final SqlFile sql;

    TaskSchedules(TaskTable table, SqlFile sql) {
        this.table = table;
        this.sql = sql;
    }

    /** What a schedule does now. */
    public enum State {
        /** It waits for its next time. */
        WAITING,
        /** Its task is chosen to run, or runs. */
        RUNNING,
        /** It runs no more until it is resumed. */
        PAUSED
    }

    /**
     * A schedule.
     *
     * @param owner whose it is; null where tasks have the rights of the scheduler
     * @param zone null where the setting of the owner's sessions holds
     * @param next null while it runs or is paused
     * @param id of the task that waits or runs
     * @param lastId of the last run that has ended; null if there is none, as are the columns of that run
     * @param lastState how that run has ended
     */
    public record Entry(
            String name,
            @Nullable String owner,
            String cron,
            @Nullable String zone,
            State state,
            @Nullable Instant next,
            long id,
            String sql,
            @Nullable Long lastId,
            @Nullable Instant lastStart,
            @Nullable Instant lastStop,
            @Nullable TaskState lastState,
            @Nullable String lastError) {}

    /** All schedules of all owners, by name. */
    public List<Entry> list() {
        return table.one(sql.statement("schedule_all"), TaskSchedules::entries);
    }

    /**
     * Finds a schedule.
     *
     * @param owner null: the role that is connected
     */
    public Optional<Entry> find(String name, @Nullable String owner) {
        return table.one(sql.statement("schedule_find"), TaskSchedules::entries, name, owner).stream()
                .findFirst();
    }

    private static List<Entry> entries(ResultSet rows) throws SQLException {
        List<Entry> entries = new ArrayList<>();
        while (rows.next()) {
            String lastState = rows.getString("last_state");
            entries.add(new Entry(
                    rows.getString("name"),
                    rows.getString("owner"),
                    rows.getString("cron"),
                    rows.getString("zone"),
                    State.valueOf(rows.getString("state").toUpperCase(Locale.ROOT)),
                    instant(rows.getObject("next", OffsetDateTime.class)),
                    rows.getLong("id"),
                    rows.getString("sql"),
                    rows.getObject("last_id", Long.class),
                    instant(rows.getObject("last_start", OffsetDateTime.class)),
                    instant(rows.getObject("last_stop", OffsetDateTime.class)),
                    lastState == null ? null : TaskState.valueOf(lastState),
                    rows.getString("last_error")));
        }
        return entries;
    }

    /**
     * The rows of a schedule: the one that waits or runs and those of its runs, the newest first, with their texts cut to
     * {@link TaskTable#LISTED_CHARACTERS} characters.
     *
     * @param limit the maximum number of rows, 0 or more
     * @return empty if there is no schedule of that name
     */
    public List<Task> runs(String name, int limit) {
        return table.runs(name, limit);
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }

    /**
     * Adds a schedule, or changes the one of that name; with the same values nothing changes. Columns that {@code task} does not set take
     * their defaults, but {@code delete}, which is false: the rows of its runs stay. A run that goes on ends as it began. A paused schedule
     * stays paused.
     *
     * @param name 1 to 200 characters
     * @param task with a {@code cron}; for another owner, {@code column("owner", role)}
     * @return the id of the task that waits or runs
     */
    public long put(String name, NewTask task) {
        Map<String, String> columns = columns(NameText.check("the name of a schedule", name));
        columns.put("delete", "false");
        String[] names = task.names();
        String[] values = task.values();
        for (int i = 0; i < names.length; i++) columns.put(names[i], values[i]);
        return Objects.requireNonNull(call("put", columns));
    }

    /**
     * Pauses a schedule: it does not run until it is resumed. A run that goes on ends.
     *
     * @param owner null: the role that is connected
     * @return the id of the task that waits; empty if there is no such schedule
     */
    public Optional<Long> pause(String name, @Nullable String owner) {
        return change("pause", name, owner);
    }

    /** Resumes a schedule with its next time; the parameters are those of {@link #pause}. Of one that is not paused nothing changes. */
    public Optional<Long> resume(String name, @Nullable String owner) {
        return change("resume", name, owner);
    }

    /** Adds a task that runs what the schedule runs, now and once. Its times stay. Returns the id of that task; see {@link #pause}. */
    public Optional<Long> run(String name, @Nullable String owner) {
        return change("run", name, owner);
    }

    /** Removes a schedule; a run that goes on ends, and the rows of earlier runs stay. The parameters are those of {@link #pause}. */
    public Optional<Long> remove(String name, @Nullable String owner) {
        return change("remove", name, owner);
    }

    private Optional<Long> change(String action, String name, @Nullable String owner) {
        Map<String, String> columns = columns(name);
        if (owner != null) columns.put("owner", owner);
        return Optional.ofNullable(call(action, columns));
    }

    private static Map<String, String> columns(String name) {
        Map<String, String> columns = new LinkedHashMap<>();
        columns.put("schedule", Objects.requireNonNull(name, "a schedule needs a name, not null"));
        return columns;
    }

    private @Nullable Long call(String action, Map<String, String> columns) {
        return table.<@Nullable Long>one(
                sql.statement("schedule_change"),
                row -> {
                    row.next();
                    return row.getObject(1, Long.class);
                },
                action,
                columns.keySet().toArray(String[]::new),
                columns.values().toArray(String[]::new));
    }
}
