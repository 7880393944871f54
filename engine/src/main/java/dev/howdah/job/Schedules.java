package dev.howdah.job;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import dev.howdah.job.internal.maintain.ScheduleRow;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The schedules of a database, rows of {@code howdah.schedule}, at whose times nodes add jobs. They may be changed at
 * any time, also by SQL. Safe for use by many threads.
 */
public final class Schedules {
    private static final Sql PUT = JobSql.SCHEDULE.statement("schedule_put");
    private static final Sql REMOVE = JobSql.SCHEDULE.statement("schedule_remove");
    private static final Sql PAUSE = JobSql.SCHEDULE.statement("schedule_pause");
    private static final Sql RESUME = JobSql.SCHEDULE.statement("schedule_resume");
    private static final Sql RUN = JobSql.SCHEDULE.statement("schedule_run");
    private static final Sql ALL = JobSql.SCHEDULE.statement("schedule_list");

    private final ConnectionSource source;
    private final PayloadCodec codec;

    Schedules(ConnectionSource source, PayloadCodec codec) {
        this.source = source;
        this.codec = codec;
    }

    /**
     * A schedule as it is stored.
     *
     * @param schedule the times; null: invalid, see {@code error}
     * @param payload JSON
     * @param nextAt the next time; null: no node has computed it yet, or it is paused or invalid
     * @param lastAt the last time for which a job was added, if any
     * @param lastJob the last job that was added, if any
     * @param skipped for how many times {@link Schedule.Overlap} has added no job
     * @param error why it is invalid; null: it is valid
     */
    public record Entry(
            String name,
            String queue,
            String kind,
            String payload,
            @Nullable Schedule schedule,
            boolean paused,
            @Nullable Instant nextAt,
            @Nullable Instant lastAt,
            @Nullable Long lastJob,
            long skipped,
            @Nullable String error) {
        /** Returns the next {@code count} times as far as known now; none if it is paused or invalid. */
        public List<Instant> next(int count) {
            if (schedule == null || nextAt == null || paused || count < 1) return List.of();
            List<Instant> times = new ArrayList<>(List.of(nextAt));
            times.addAll(schedule.next(count - 1, nextAt));
            return times;
        }
    }

    /**
     * Stores a schedule and its job. A schedule of that name that exists is changed; storing the same again changes nothing.
     *
     * @throws IllegalArgumentException if the payload cannot be converted to JSON, or if the job has options other than
     * a queue, a kind, a payload and a priority
     */
    public void put(Schedule schedule, NewJob<?> job) {
        if (job.runAt() != null || !job.delay().isZero())
            throw new IllegalArgumentException(
                    "schedule " + schedule.name() + ": its job has a time of its own; the schedule says when");
        if (job.unique() != null
                || job.orderKey() != null
                || job.maxAttempts() != 0
                || job.options() != null
                || !job.timeout().isZero())
            throw new IllegalArgumentException("schedule " + schedule.name()
                    + ": its job has a key, an order key, attempts or a timeout of its own; a schedule keeps queue, kind, payload"
                    + " and priority");
        Duration period = schedule.period();
        Instant from = schedule.from();
        Duration catchUp = schedule.catchUp();
        ask(
                schedule.name(),
                PUT,
                schedule.name(),
                job.queue(),
                job.kind().name(),
                JobPayloads.encode(job, codec),
                schedule.cronExpression(),
                period == null ? null : Durations.micros(period),
                schedule.zoneName(),
                schedule.missed().word(),
                job.priority(),
                from == null ? null : from.toString(),
                schedule.overlap().word(),
                Durations.micros(schedule.jitter()),
                catchUp == null ? null : Durations.micros(catchUp));
    }

    /** Removes a schedule; jobs that it has added stay. Returns whether there was one. */
    public boolean remove(String name) {
        return ask(name, REMOVE, name);
    }

    /** Pauses a schedule. Returns whether there is one. */
    public boolean pause(String name) {
        return ask(name, PAUSE, name);
    }

    /** Resumes a schedule; times during the pause are dropped. Returns whether there is one. */
    public boolean resume(String name) {
        return ask(name, RESUME, name);
    }

    /**
     * Adds one job of a schedule now, also while it is paused or its last job has not ended. The times of the schedule, and the job
     * that {@link Schedule.Overlap} looks at, stay as they are.
     *
     * @return the id of the job
     * @throws JobsException if there is no schedule of that name
     */
    public long runNow(String name) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = RUN.prepare(connection, name);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) throw new SQLException("the database named no job");
            return row.getLong(1);
        } catch (SQLException e) {
            throw new JobsException("schedule " + name + ": " + SqlErrorText.of(e), e);
        }
    }

    /** Returns all schedules by name. */
    public List<Entry> all() {
        List<Entry> entries = new ArrayList<>();
        try (Connection connection = source.getConnection();
                PreparedStatement statement = ALL.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) entries.add(entry(row));
            return entries;
        } catch (SQLException e) {
            throw new JobsException("the schedules could not be read: " + e.getMessage(), e);
        }
    }

    private static Entry entry(ResultSet row) throws SQLException {
        ScheduleRow read = ScheduleRow.of(row);
        String error = row.getString("error");
        Schedule schedule = null;
        try {
            schedule = read.schedule();
        } catch (IllegalArgumentException e) {
            if (error == null) error = e.getMessage();
        }
        return new Entry(
                read.name(),
                read.job().queue(),
                read.job().kind().name(),
                read.payload(),
                schedule,
                row.getObject("paused") != null,
                read.nextAt(),
                ScheduleRow.moment(row, "last_at"),
                read.lastJob(),
                row.getLong("skipped"),
                error);
    }

    private boolean ask(String name, Sql sql, @Nullable Object... values) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean(1);
        } catch (SQLException e) {
            throw new JobsException("schedule " + name + ": " + SqlErrorText.of(e), e);
        }
    }
}
