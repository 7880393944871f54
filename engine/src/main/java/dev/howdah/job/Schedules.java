package dev.howdah.job;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.schedule.PastTimes;
import dev.howdah.job.internal.schedule.ScheduleRow;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobFinder;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobOptions;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.job.internal.store.JobRows;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.internal.store.JobStatements;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.unique.Unique;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The schedules of a database, rows of {@code howdah.schedule}, at whose times nodes add jobs. They may be changed at
 * any time, also by SQL. Safe for use by many threads.
 */
public final class Schedules {
    private static final Sql PUT = JobSql.SCHEDULE.statement("schedule_put", ScheduleParameters.class);
    private static final Sql REMOVE = JobSql.SCHEDULE.statement("schedule_remove");
    private static final Sql PAUSE = JobSql.SCHEDULE.statement("schedule_pause");
    private static final Sql RESUME = JobSql.SCHEDULE.statement("schedule_resume");
    private static final Sql RUN = JobSql.SCHEDULE.statement("schedule_run");
    private static final Sql ADD_HOLIDAYS = JobSql.SCHEDULE.statement("holiday_add");
    private static final Sql REMOVE_HOLIDAYS = JobSql.SCHEDULE.statement("holiday_remove");
    private static final Sql CALENDARS = JobSql.SCHEDULE.statement("holiday_calendars");
    private static final Sql HOLIDAYS = JobSql.SCHEDULE.statement("holiday_list");
    private static final Sql JOBS = JobSql.SCHEDULE.statement("schedule_jobs");
    private static final int CLAIMS = 200;
    private static final Sql ALL = JobSql.SCHEDULE.statement("schedule_list");

    private final JobStatements statements;
    private final PayloadCodec codec;

    Schedules(ConnectionSource source, PayloadCodec codec) {
        this.statements = new JobStatements(source);
        this.codec = codec;
    }

    /**
     * A schedule as it is stored.
     *
     * @param schedule the times; null: invalid, see {@code error}
     * @param payload JSON
     * @param priority of its jobs
     * @param key of its jobs; null: they have none
     * @param options of its jobs, tags and metadata among them, as {@link NewJob#options} takes them; null: none
     * @param nextAt the next time; null: no node has computed it yet, or it is paused or invalid
     * @param lastAt the last time for which a job was added, if any
     * @param lastJob the last job that was added, if any
     * @param skipped for how many times {@link Schedule.Overlap} or the key has added no job
     * @param error why it is invalid; null: it is valid
     * @param holidays the days of its calendar from some time before now on; empty if it has none
     */
    public record Entry(
            String name,
            String queue,
            String kind,
            String payload,
            int priority,
            @Nullable String key,
            @Nullable String options,
            @Nullable Schedule schedule,
            boolean paused,
            @Nullable Instant nextAt,
            @Nullable Instant lastAt,
            @Nullable Long lastJob,
            long skipped,
            @Nullable String error,
            Set<LocalDate> holidays) {
        /** Returns the next {@code count} times as far as known now; none if it is paused or invalid. */
        public List<Instant> next(int count) {
            if (schedule == null || nextAt == null || paused || count < 1) return List.of();
            List<Instant> times = new ArrayList<>(List.of(nextAt));
            times.addAll(schedule.next(count - 1, nextAt, holidays));
            return times;
        }
    }

    /**
     * Stores a schedule and its job. A schedule of that name that exists is changed; storing the same again changes nothing.
     *
     * @throws IllegalArgumentException if the payload cannot be converted to JSON, or if the job has a time, a version, an order key, attempts or a
     *     timeout, or a key with {@link Schedule.Overlap#QUEUE_ONE}
     */
    public void put(Schedule schedule, NewJob<?> job) {
        if (job.runAt() != null || !job.delay().isZero())
            throw new IllegalArgumentException(
                    "schedule " + schedule.name() + ": its job has a time of its own; the schedule says when");
        if (job.version() != null
                || job.orderKey() != null
                || job.maxAttempts() != 0
                || !job.timeout().isZero())
            throw new IllegalArgumentException("schedule " + schedule.name()
                    + ": its job has a version, an order key, attempts or a timeout of its own; a schedule keeps queue, kind, payload,"
                    + " priority, key, tags and metadata");
        Unique unique = job.unique();
        if (unique != null && schedule.overlap() == Schedule.Overlap.QUEUE_ONE)
            throw new IllegalArgumentException("schedule " + schedule.name() + ": the key "
                    + Objects.requireNonNullElse(job.key(), "of the payload")
                    + ", and overlap QUEUE_ONE: its jobs have one of the two");
        JobNames.checkNew("schedule", schedule.name());
        JobNames.checkNew(job);
        Duration period = schedule.period();
        Instant from = schedule.from();
        Duration catchUp = schedule.catchUp();
        ask(
                schedule.name(),
                PUT,
                new ScheduleParameters(
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
                        catchUp == null ? null : Durations.micros(catchUp),
                        job.key(),
                        schedule.calendar(),
                        schedule.onHoliday().word(),
                        schedule.skippedHour().word(),
                        schedule.doubledHour().word(),
                        unique == null || unique.isPlain()
                                ? job.options()
                                : JobOptions.with(job.options(), "unique", JobOptions.read(unique.toJson()))));
    }

    /**
     * A schedule to be stored, as {@code howdah.schedule} takes it.
     *
     * @param cron null: it has a period, in microseconds
     * @param missed what becomes of missed times
     * @param begins from when on; null: from now
     * @param overlap what becomes of a time while the last job has not ended
     * @param jitter in microseconds
     * @param catchUp the longest one, in microseconds
     * @param onHoliday what becomes of a time on a holiday
     * @param skippedHour what becomes of a time that the clocks leave out
     * @param doubledHour what becomes of a time that occurs twice
     */
    private record ScheduleParameters(
            String name,
            String queue,
            String kind,
            String payload,
            @Nullable String cron,
            @Nullable Long period,
            String zone,
            String missed,
            int priority,
            @Nullable String begins,
            String overlap,
            long jitter,
            @Nullable Long catchUp,
            @Nullable String key,
            @Nullable String calendar,
            String onHoliday,
            String skippedHour,
            String doubledHour,
            @Nullable String options) {}

    /** Removes a schedule; jobs that it has added stay. Returns whether there was one. */
    public boolean remove(String name) {
        return ask(name, REMOVE, name);
    }

    /** Pauses a schedule. Returns whether it went on until now: not one that is paused already, or is not there. */
    public boolean pause(String name) {
        return ask(name, PAUSE, name);
    }

    /** Resumes a schedule; times during the pause are dropped. Returns whether it was paused until now. */
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
        return statements.about("schedule " + name).number(RUN, name);
    }

    /** As {@link #runNow(String)}, in the transaction of that connection. */
    public long runNow(Connection connection, String name) {
        return statements.about("schedule " + name).number(connection, RUN, name);
    }

    /**
     * Adds days to a calendar, on which schedules with that calendar add no job; a calendar is its days.
     *
     * @return how many are new
     * @throws JobsException if the name is empty or too long
     */
    public long addHolidays(String calendar, Collection<LocalDate> days) {
        return days(calendar, ADD_HOLIDAYS, texts(days));
    }

    /** Removes days from a calendar; returns how many it had. */
    public long removeHolidays(String calendar, Collection<LocalDate> days) {
        return days(calendar, REMOVE_HOLIDAYS, texts(days));
    }

    /** Removes a calendar with all of its days; returns how many it had. */
    public long removeCalendar(String calendar) {
        return days(calendar, REMOVE_HOLIDAYS, null);
    }

    /** Returns the days of a calendar, sorted; none, if there is no such calendar. */
    public Set<LocalDate> holidays(String calendar) {
        return new TreeSet<>(statements
                .about("calendar " + calendar)
                .list(HOLIDAYS, row -> LocalDate.parse(row.getString(1)), calendar));
    }

    /** Returns all calendars by name, with the number of their days. */
    public Map<String, Long> calendars() {
        Map<String, Long> calendars = new LinkedHashMap<>();
        statements
                .about("the calendars could not be read")
                .list(CALENDARS, row -> Map.entry(row.getString(1), row.getLong(2)))
                .forEach(each -> calendars.put(each.getKey(), each.getValue()));
        return calendars;
    }

    private static String[] texts(Collection<LocalDate> days) {
        return days.stream().map(LocalDate::toString).toArray(String[]::new);
    }

    private long days(String calendar, Sql sql, String @Nullable [] days) {
        return statements.about("calendar " + calendar).number(sql, calendar, (Object) days);
    }

    /** Returns all schedules by name. */
    public List<Entry> all() {
        return statements.about("the schedules could not be read").list(ALL, Schedules::entry, (@Nullable Object) null);
    }

    /** Returns the schedule of that name. */
    public Optional<Entry> find(String name) {
        return statements.about("schedule " + name).list(ALL, Schedules::entry, name).stream()
                .findFirst();
    }

    /**
     * Lists jobs that a schedule has added, the latest first: those of its queue and kind that were due at one of its last times, as they are now. Its times
     * are those it has at present: if it had others, jobs of those are not found, nor are jobs of {@link #runNow}. Reads a bounded number of rows, by indexes that
     * exist: of each time the jobs that wait for it, and the first 200 claims after it.
     *
     * @param most how many of its last times are looked at, 1 to 100
     * @return empty if there is no such schedule, it is invalid, or it has added no job
     * @throws IllegalArgumentException if {@code most} is out of bounds
     */
    public List<JobSummary> jobs(String name, int most) {
        if (most < 1 || most > 100) throw new IllegalArgumentException(most + " times: it has to be 1 to 100");
        Entry entry = find(name).orElse(null);
        Schedule schedule = entry == null ? null : entry.schedule();
        Instant last = entry == null ? null : entry.lastAt();
        if (entry == null || schedule == null || last == null) return List.of();
        String[] times = PastTimes.of(schedule, last, most, entry.holidays()).stream()
                .map(Instant::toString)
                .toArray(String[]::new);
        JobStatements about = statements.about("schedule " + name);
        List<Long> ids = new ArrayList<>(about.list(JOBS, row -> row.getLong("id"), name, times, CLAIMS));
        // The last one may be of another time: it was due later where the calendar has changed since.
        Long known = entry.lastJob();
        if (known != null && !ids.contains(known)) ids.add(known);
        Map<Long, JobSummary> found = new HashMap<>();
        about.list(JobFinder.FIND, JobRows::summary, (Object) ids.toArray(Long[]::new))
                .forEach(each -> found.put(each.id(), each));
        return found.values().stream()
                .sorted(Comparator.comparing(JobSummary::id).reversed())
                .limit(most)
                .toList();
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
                read.job().priority(),
                read.job().key(),
                read.job().options(),
                schedule,
                row.getObject("paused") != null,
                read.nextAt(),
                ScheduleRow.moment(row, "last_at"),
                read.lastJob(),
                row.getLong("skipped"),
                error,
                read.holidays());
    }

    private boolean ask(String name, Sql sql, @Nullable Object... values) {
        return statements.about("schedule " + name).isSo(sql, values);
    }
}
