package dev.howdah.job;

import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.CronSyntaxException;
import dev.howdah.internal.schedule.ZoneNames;
import dev.howdah.job.internal.schedule.ScheduleTimes;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The times at which a job is added: by cron in a time zone, or with a period. The manual describes daylight saving
 * time. Immutable: each method returns a copy.
 */
public final class Schedule {
    /** The policy for times at which no node ran. */
    public enum Missed {
        /** Drops times that are more than a minute past. */
        SKIP,
        /** Adds one job for all of them, with the last of the times. */
        ONCE,
        /** Adds a job for each of them. */
        ALL;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The policy for a time at which the last job of the schedule has not ended: it waits, runs, or waits for a retry. */
    public enum Overlap {
        /** Adds another job. */
        ALLOW,
        /** Adds no job. */
        SKIP,
        /**
         * Lets one job wait while one runs, and adds no more. Its jobs have an order key of the schedule: the job that
         * waits begins when the other has ended.
         */
        QUEUE_ONE,
        /** Cancels the last job and adds another, which may begin while the handler of the last one is being interrupted. */
        CANCEL_OLD;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The policy for a time of a cron with fixed hours that the clocks leave out. */
    public enum SkippedHour {
        /** Runs it at the change of the clocks. */
        RUN,
        /** Leaves it out. */
        SKIP;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The policy for a time of a cron with fixed hours that occurs twice. */
    public enum DoubledHour {
        /** Runs it the first time. */
        FIRST,
        /** Runs it both times. */
        BOTH;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The policy for a time on a day of the schedule's calendar. */
    public enum OnHoliday {
        /** Leaves it out. */
        SKIP,
        /** Moves it to the same local time of the next day that is not in the calendar, where it is one with a time that is there already. */
        NEXT_DAY;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private final String name;
    private final @Nullable String cron;
    private final @Nullable Duration period;
    private final Options options;

    /** Not changed once a schedule has it. */
    private static final class Options {
        private ZoneId zone = ZoneOffset.UTC;
        private String zoneName = "UTC";
        private Missed missed = Missed.ONCE;
        private @Nullable Instant from;
        private Overlap overlap = Overlap.ALLOW;
        private Duration jitter = Duration.ZERO;
        private @Nullable Duration catchUp;
        private SkippedHour skippedHour = SkippedHour.RUN;
        private DoubledHour doubledHour = DoubledHour.FIRST;
        private @Nullable String calendar;
        private OnHoliday onHoliday = OnHoliday.SKIP;

        private Options() {}

        private Options(Options other) {
            zone = other.zone;
            zoneName = other.zoneName;
            missed = other.missed;
            from = other.from;
            overlap = other.overlap;
            jitter = other.jitter;
            catchUp = other.catchUp;
            skippedHour = other.skippedHour;
            doubledHour = other.doubledHour;
            calendar = other.calendar;
            onHoliday = other.onHoliday;
        }
    }

    private Schedule(String name, @Nullable String cron, @Nullable Duration period, Options options) {
        this.name = name;
        this.cron = cron;
        this.period = period;
        this.options = options;
    }

    /**
     * Makes a schedule by cron, in UTC unless {@link #zone} sets another zone.
     *
     * @param name 1 to 200 characters, unique in the database
     * @param cron five fields (minute, hour, day of month, month, day of week), six with seconds in front, or a name such as
     *     {@code @daily}
     * @throws IllegalArgumentException if it cannot be parsed, or never occurs, such as the 31st of February
     */
    public static Schedule cron(String name, String cron) {
        JobNames.check("schedule", name);
        try {
            CronSchedule.parse(cron);
        } catch (CronSyntaxException e) {
            throw new IllegalArgumentException("schedule " + name + ": " + e.getMessage(), e);
        }
        return new Schedule(name, cron, null, new Options());
    }

    /**
     * Makes a schedule with a period, first after one period, unless {@link #from} sets another time.
     *
     * @param name 1 to 200 characters, unique in the database
     * @param period a second or more, to the microsecond
     * @throws IllegalArgumentException if the period is shorter than a second or longer than a thousand years
     */
    public static Schedule every(String name, Duration period) {
        JobNames.check("schedule", name);
        Durations.check(period);
        if (period.compareTo(SHORTEST) < 0)
            throw new IllegalArgumentException(
                    "schedule " + name + ": a period of " + period + " is less than a second");
        return new Schedule(name, null, period, new Options());
    }

    /**
     * Sets the time zone of cron.
     *
     * @param name such as {@code Europe/Berlin}
     * @throws IllegalArgumentException if there is none of that name
     */
    public Schedule zone(String name) {
        ZoneId known = ZoneNames.zone(name);
        return with(each -> {
            each.zone = known;
            each.zoneName = name.strip();
        });
    }

    /** Sets the policy for times at which no node ran. Defaults to {@link Missed#ONCE}. */
    public Schedule missed(Missed policy) {
        return with(each -> each.missed = policy);
    }

    /** Sets the earliest time; with a period it is also the first time. */
    public Schedule from(Instant moment) {
        return with(each -> each.from = moment);
    }

    /** Sets the policy for a time at which the last job of the schedule has not ended. Defaults to {@link Overlap#ALLOW}. */
    public Schedule overlap(Overlap policy) {
        return with(each -> each.overlap = policy);
    }

    /**
     * Moves {@code run_at} of each job by a random time of up to that one after its planned time, so that jobs of many schedules do not
     * begin at once. Defaults to zero. A job never moves beyond the next time of its schedule.
     *
     * @param most to the microsecond; not longer than the time between two times of the schedule, of which {@link Schedules#put} looks
     *     at the next ten of a cron
     * @throws IllegalArgumentException if it is negative or longer than the period or a thousand years
     */
    public Schedule jitter(Duration most) {
        check("jitter", most);
        if (period != null && most.compareTo(period) > 0)
            throw new IllegalArgumentException(
                    "schedule " + name + ": a jitter of " + most + " is longer than the period, " + period);
        return with(each -> each.jitter = most);
    }

    /**
     * Leaves out missed times that are longer ago, with each value of {@link #missed}. A time counts as missed when it is more than a
     * minute past. By default none is left out.
     *
     * @param most to the microsecond
     * @throws IllegalArgumentException if it is negative or longer than a thousand years
     */
    public Schedule catchUp(Duration most) {
        check("catch-up", most);
        return with(each -> each.catchUp = most);
    }

    /** Sets the policy for a time of a cron with fixed hours that the clocks leave out. Defaults to {@link SkippedHour#RUN}. */
    public Schedule skippedHour(SkippedHour policy) {
        return with(each -> each.skippedHour = policy);
    }

    /** Sets the policy for a time of a cron with fixed hours that occurs twice. Defaults to {@link DoubledHour#FIRST}. */
    public Schedule doubledHour(DoubledHour policy) {
        return with(each -> each.doubledHour = policy);
    }

    /**
     * Sets the calendar: days on which no job is added, see {@link Schedules#addHolidays}. The days are those of {@link #zone}.
     *
     * @param name 1 to 200 characters; {@link Schedules#put} refuses one that has no days
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public Schedule calendar(String name) {
        JobNames.check("calendar", name);
        return with(each -> each.calendar = name);
    }

    /** Sets the policy for a time on a day of the calendar. Defaults to {@link OnHoliday#SKIP}. */
    public Schedule onHoliday(OnHoliday policy) {
        return with(each -> each.onHoliday = policy);
    }

    private void check(String what, Duration most) {
        if (most.isNegative() || most.compareTo(Durations.LONGEST) > 0)
            throw new IllegalArgumentException(
                    "schedule " + name + ": a " + what + " of " + most + ": it has to be from 0 to a thousand years");
    }

    private Schedule with(Consumer<Options> change) {
        Options changed = new Options(options);
        change.accept(changed);
        return new Schedule(name, cron, period, changed);
    }

    /**
     * Returns the next {@code count} times after that time. A period without {@link #from} is counted from that time.
     *
     * @throws IllegalStateException if it has a calendar, whose days are in the database: {@link Schedules#holidays} reads them
     */
    public List<Instant> next(int count, Instant after) {
        if (options.calendar != null)
            throw new IllegalStateException("schedule " + name + " has the calendar " + options.calendar
                    + ": its next times need the days, which Schedules.holidays reads");
        return next(count, after, Set.of());
    }

    /**
     * The same with these days of its calendar.
     *
     * @param holidays as {@link Schedules#holidays} reads them
     * @throws IllegalArgumentException if the time is outside the years 1 to 9999
     */
    public List<Instant> next(int count, Instant after, Set<LocalDate> holidays) {
        Durations.checkMoment("the times after ", after);
        Instant from = options.from;
        ScheduleTimes timing = ScheduleTimes.of(
                this, from != null ? from : period != null ? after.plus(period) : Instant.MIN, holidays);
        List<Instant> times = new ArrayList<>(count);
        for (Instant each = after; times.size() < count; times.add(each)) each = timing.next(each);
        return times;
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** The cron expression; null for a schedule with a period. */
    public @Nullable String cronExpression() {
        return cron;
    }

    /** The period; null for a schedule by cron. */
    public @Nullable Duration period() {
        return period;
    }

    /** The time zone of cron; UTC by default. */
    public ZoneId zone() {
        return options.zone;
    }

    /** The name of the time zone as it was given: a fixed offset, which is what Java makes of EST, is no name in SQL. */
    public String zoneName() {
        return options.zoneName;
    }

    /** The policy for missed times. */
    public Missed missed() {
        return options.missed;
    }

    /** The time before which nothing is added; null by default. */
    public @Nullable Instant from() {
        return options.from;
    }

    /** The policy for a time at which the last job has not ended. */
    public Overlap overlap() {
        return options.overlap;
    }

    /** By how much at most a job is later than its planned time. */
    public Duration jitter() {
        return options.jitter;
    }

    /** Returns the largest age of a missed time; null: any age. */
    public @Nullable Duration catchUp() {
        return options.catchUp;
    }

    /** The policy for a time that the clocks leave out. */
    public SkippedHour skippedHour() {
        return options.skippedHour;
    }

    /** The policy for a time that occurs twice. */
    public DoubledHour doubledHour() {
        return options.doubledHour;
    }

    /** The calendar; null by default. */
    public @Nullable String calendar() {
        return options.calendar;
    }

    /** The policy for a time on a day of the calendar. */
    public OnHoliday onHoliday() {
        return options.onHoliday;
    }

    @Override
    public String toString() {
        String when = cron == null ? "every " + period : "cron \"" + cron + "\" in " + options.zoneName;
        return name + ": " + when + ", missed " + options.missed
                + (options.overlap == Overlap.ALLOW ? "" : ", overlap " + options.overlap)
                + (options.jitter.isZero() ? "" : ", jitter " + options.jitter)
                + (options.catchUp == null ? "" : ", catch-up " + options.catchUp)
                + (options.skippedHour == SkippedHour.RUN ? "" : ", skipped hour " + options.skippedHour)
                + (options.doubledHour == DoubledHour.FIRST ? "" : ", doubled hour " + options.doubledHour)
                + (options.calendar == null ? "" : ", calendar " + options.calendar + " " + options.onHoliday)
                + (options.from == null ? "" : ", from " + options.from);
    }
}
