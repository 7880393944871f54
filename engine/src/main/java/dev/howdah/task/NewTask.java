package dev.howdah.task;

import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.ZoneNames;
import dev.howdah.internal.text.NameText;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A task to add: its SQL and the values of its columns. Columns without a value take their defaults. Immutable: each method returns a
 * copy.
 *
 * <pre>{@code
 * long id = tasks.add(NewTask.of("REFRESH MATERIALIZED VIEW sales").group("reports").cron("0 3 * * *").maxAttempts(3));
 * }</pre>
 */
public final class NewTask {
    private static final String INPUT = "input";
    private static final String GROUP = "group";

    private final String sql;
    private final Map<String, String> columns;

    private NewTask(String sql, Map<String, String> columns) {
        this.sql = sql;
        this.columns = columns;
    }

    /** Makes a task that runs one or more SQL statements, due now, with the defaults of the table. */
    public static NewTask of(String sql) {
        return new NewTask(Objects.requireNonNull(sql, "a task needs its SQL, not null"), Map.of());
    }

    /** Sets the group. Tasks of one group take turns. */
    public NewTask group(String name) {
        return column(GROUP, name);
    }

    /** Sets the earliest start; {@link Instant#MAX}: never; {@link Instant#MIN}: before all others. */
    public NewTask runAt(Instant time) {
        if (time.equals(Instant.MAX)) return column("plan", "infinity");
        return column("plan", time.equals(Instant.MIN) ? "-infinity" : time.toString());
    }

    /**
     * Sets how long after its planned time the task may still start; later it ends as {@link TaskState#GONE}.
     *
     * @param time more than zero
     * @throws IllegalArgumentException if it is not
     */
    public NewTask active(Duration time) {
        if (time.isNegative() || time.isZero())
            throw new IllegalArgumentException("active for " + time + ": it has to be more than zero");
        return column("active", time.toString());
    }

    /** Sets how many other tasks of its group may run beside it; negative: the pause of the group after it, in milliseconds. */
    public NewTask max(int tasks) {
        return column("max", Integer.toString(tasks));
    }

    /**
     * Runs the task again and again: each run is planned that long after the one before. {@code column("repeat", "1 month")} for calendar
     * units.
     *
     * @param time zero or more; zero: never
     * @throws IllegalArgumentException if it is negative
     */
    public NewTask repeat(Duration time) {
        return column("repeat", notNegative("repeat", time));
    }

    /**
     * Runs the task again at the times of a schedule.
     *
     * @param schedule five or six fields, or a name such as {@code @daily}
     * @throws IllegalArgumentException if it is no schedule
     */
    public NewTask cron(String schedule) {
        CronSchedule.parse(schedule);
        return column("cron", schedule);
    }

    /**
     * Sets the time zone of the schedule. The default is that of new sessions of the owner.
     *
     * @throws IllegalArgumentException if the zone is an offset other than UTC: PostgreSQL and Java read their signs in opposite ways
     */
    public NewTask zone(ZoneId zone) {
        String name = zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId();
        ZoneNames.zone(name);
        return column("zone", name);
    }

    /**
     * Sets the number of runs until one ends well, the first included.
     *
     * @param runs 1 or more
     * @throws IllegalArgumentException if it is less
     */
    public NewTask maxAttempts(int runs) {
        if (runs < 1) throw new IllegalArgumentException(runs + " attempts: at least 1 is needed");
        return column("attempts", Integer.toString(runs));
    }

    /** Sets the delay before the second attempt, zero or more. Each further delay is twice as long. */
    public NewTask backoff(Duration delay) {
        return column("backoff", notNegative("backoff", delay));
    }

    /** Starts the task only when those tasks have ended as {@link TaskState#DONE}. */
    public NewTask after(long... ids) {
        return column("after", Arrays.toString(ids).replace('[', '{').replace(']', '}'));
    }

    /** Commits the effects of the task and its end in one transaction, so that both happen exactly once. */
    public NewTask once() {
        return column("once", "true");
    }

    /** Sends a {@code NOTIFY} on a channel when the task has ended. */
    public NewTask notifyOn(String channel) {
        return column("notify", channel);
    }

    /** Sets how long one of its statements may take, zero or more; zero: as long as it takes. */
    public NewTask timeout(Duration time) {
        return column("timeout", notNegative("timeout", time));
    }

    /** Runs the task on another PostgreSQL. */
    public NewTask remote(String address) {
        return column("remote", address);
    }

    /**
     * Sets a column by its name, also one that the user has added to the table.
     *
     * @param value text that PostgreSQL reads for the type of the column, such as {@code 1 month} for {@code repeat}
     * @throws IllegalArgumentException if the column is {@code input}, or the name of a group has a control character
     */
    public NewTask column(String name, String value) {
        if (name.equals(INPUT)) throw new IllegalArgumentException("the input is the SQL itself, given to NewTask.of");
        if (name.equals(GROUP)) NameText.check("the name of a group", value);
        Map<String, String> all = new LinkedHashMap<>(columns);
        all.put(name, Objects.requireNonNull(value, name));
        return new NewTask(sql, all);
    }

    String sql() {
        return sql;
    }

    boolean has(String column) {
        return columns.containsKey(column);
    }

    String[] names() {
        String[] names = new String[columns.size() + 1];
        names[0] = INPUT;
        int at = 1;
        for (String each : columns.keySet()) names[at++] = each;
        return names;
    }

    String[] values() {
        String[] values = new String[columns.size() + 1];
        values[0] = sql;
        int at = 1;
        for (String each : columns.values()) values[at++] = each;
        return values;
    }

    private static String notNegative(String name, Duration time) {
        if (time.isNegative()) throw new IllegalArgumentException(name + " " + time + ": it has to be zero or more");
        return time.toString();
    }
}
