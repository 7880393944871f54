package dev.howdah.job.internal.maintain;

import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** A row of {@code howdah.schedule}, as the statements of {@code schedule.sql} read it. */
public record ScheduleRow(
        String name,
        NewJob<?> job,
        String payload,
        @Nullable String cron,
        @Nullable Duration period,
        String zone,
        Schedule.Missed missed,
        Instant from,
        @Nullable Instant nextAt) {
    public static ScheduleRow of(ResultSet row) throws SQLException {
        String name = row.getString(1);
        long micros = row.getLong(7);
        Duration period = row.wasNull() ? null : Duration.of(micros, ChronoUnit.MICROS);
        NewJob<Object> job = NewJob.of(Kind.of(row.getString(3), Object.class), (Object) name)
                .queue(row.getString(2))
                .priority(row.getInt(4));
        Instant from = moment(row, 10);
        if (from == null) throw new SQLException("schedule " + name + " has no starts_at");
        return new ScheduleRow(
                name,
                job,
                row.getString(5),
                row.getString(6),
                period,
                row.getString(8),
                Schedule.Missed.valueOf(row.getString(9).toUpperCase(java.util.Locale.ROOT)),
                from,
                moment(row, 11));
    }

    static @Nullable public Instant moment(ResultSet row, int column) throws SQLException {
        OffsetDateTime moment = row.getObject(column, OffsetDateTime.class);
        return moment == null ? null : moment.toInstant();
    }

    /** @throws IllegalArgumentException if cron or zone are none */
    public Schedule schedule() {
        Schedule plain = period != null ? Schedule.every(name, period) : Schedule.cron(name, String.valueOf(cron));
        return plain.zone(zone).missed(missed).from(from);
    }
}
