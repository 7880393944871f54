package dev.howdah.job.internal.schedule;

import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
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
        @Nullable Instant nextAt,
        Schedule.Overlap overlap,
        @Nullable Long lastJob,
        Duration jitter,
        @Nullable Duration catchUp,
        Clocks clocks,
        @Nullable String calendar,
        Schedule.OnHoliday onHoliday,
        Set<LocalDate> holidays) {
    /** The policy for changes of the clocks. */
    public record Clocks(Schedule.SkippedHour skipped, Schedule.DoubledHour doubled) {}

    public static ScheduleRow of(ResultSet row) throws SQLException {
        String name = row.getString("name");
        Duration jitter = duration(row, "jitter");
        NewJob<?> job = NewJob.of(Kind.of(row.getString("kind"), Object.class), (Object) name)
                .queue(row.getString("queue"))
                .priority(row.getInt("priority"))
                .options(row.getString("options"));
        String key = row.getString("key");
        if (key != null) job = job.key(key);
        Instant from = moment(row, "starts_at");
        if (from == null) throw new SQLException("schedule " + name + " has no starts_at");
        return new ScheduleRow(
                name,
                job,
                row.getString("payload"),
                row.getString("cron"),
                duration(row, "micros"),
                row.getString("zone"),
                Schedule.Missed.valueOf(row.getString("missed").toUpperCase(Locale.ROOT)),
                from,
                moment(row, "next_at"),
                Schedule.Overlap.valueOf(row.getString("overlap").toUpperCase(Locale.ROOT)),
                row.getObject("last_job", Long.class),
                jitter == null ? Duration.ZERO : jitter,
                duration(row, "catch_up"),
                new Clocks(
                        Schedule.SkippedHour.valueOf(word(row, "skipped_hour")),
                        Schedule.DoubledHour.valueOf(word(row, "doubled_hour"))),
                row.getString("calendar"),
                Schedule.OnHoliday.valueOf(word(row, "on_holiday")),
                days(row.getString("holidays")));
    }

    private static String word(ResultSet row, String column) throws SQLException {
        return row.getString(column).toUpperCase(Locale.ROOT);
    }

    /** @param days as dates, with a comma between two; null: none */
    public static Set<LocalDate> days(@Nullable String days) {
        if (days == null || days.isEmpty()) return Set.of();
        Set<LocalDate> read = new TreeSet<>();
        for (String each : days.split(",", -1)) read.add(LocalDate.parse(each));
        return Collections.unmodifiableSet(read);
    }

    private static @Nullable Duration duration(ResultSet row, String column) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : Duration.of(micros, ChronoUnit.MICROS);
    }

    static @Nullable public Instant moment(ResultSet row, String column) throws SQLException {
        OffsetDateTime moment = row.getObject(column, OffsetDateTime.class);
        return moment == null ? null : moment.toInstant();
    }

    /** @throws IllegalArgumentException if cron or zone are none */
    public Schedule schedule() {
        Schedule plain = period != null ? Schedule.every(name, period) : Schedule.cron(name, String.valueOf(cron));
        // Whatever was written to the table: a job never moves beyond the next time.
        Duration most = period != null && jitter.compareTo(period) > 0 ? period : jitter;
        Schedule whole =
                plain.zone(zone).missed(missed).from(from).overlap(overlap).jitter(most);
        whole = whole.skippedHour(clocks.skipped())
                .doubledHour(clocks.doubled())
                .onHoliday(onHoliday);
        if (calendar != null) whole = whole.calendar(calendar);
        return catchUp == null ? whole : whole.catchUp(catchUp);
    }
}
