package dev.howdah.job;

import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.CronSyntaxException;
import dev.howdah.internal.schedule.ZoneNames;
import dev.howdah.job.internal.maintain.ScheduleTimes;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    private static final String UTC = "UTC";
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private final String name;
    private final @Nullable String cron;
    private final @Nullable Duration period;
    private final ZoneId zone;
    private final String zoneName;
    private final Missed missed;
    private final @Nullable Instant from;
    private final Overlap overlap;

    private Schedule(
            String name,
            @Nullable String cron,
            @Nullable Duration period,
            ZoneId zone,
            String zoneName,
            Missed missed,
            @Nullable Instant from,
            Overlap overlap) {
        this.name = name;
        this.cron = cron;
        this.period = period;
        this.zone = zone;
        this.zoneName = zoneName;
        this.missed = missed;
        this.from = from;
        this.overlap = overlap;
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
        return new Schedule(name, cron, null, ZoneOffset.UTC, UTC, Missed.ONCE, null, Overlap.ALLOW);
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
        return new Schedule(name, null, period, ZoneOffset.UTC, UTC, Missed.ONCE, null, Overlap.ALLOW);
    }

    /**
     * Sets the time zone of cron.
     *
     * @param name such as {@code Europe/Berlin}
     * @throws IllegalArgumentException if there is none of that name
     */
    public Schedule zone(String name) {
        return new Schedule(this.name, cron, period, ZoneNames.zone(name), name.strip(), missed, from, overlap);
    }

    /** Sets the policy for times at which no node ran. Defaults to {@link Missed#ONCE}. */
    public Schedule missed(Missed policy) {
        return new Schedule(name, cron, period, zone, zoneName, policy, from, overlap);
    }

    /** Sets the earliest time; with a period it is also the first time. */
    public Schedule from(Instant moment) {
        return new Schedule(name, cron, period, zone, zoneName, missed, moment, overlap);
    }

    /** Sets the policy for a time at which the last job of the schedule has not ended. Defaults to {@link Overlap#ALLOW}. */
    public Schedule overlap(Overlap policy) {
        return new Schedule(name, cron, period, zone, zoneName, missed, from, policy);
    }

    /**
     * Returns the next {@code count} times after that time. A period without {@link #from} is counted from that time.
     */
    public List<Instant> next(int count, Instant after) {
        ScheduleTimes timing =
                ScheduleTimes.of(this, from != null ? from : period != null ? after.plus(period) : after);
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
        return zone;
    }

    /** The name of the time zone as it was given: a fixed offset, which is what Java makes of EST, is no name in SQL. */
    public String zoneName() {
        return zoneName;
    }

    /** The policy for missed times. */
    public Missed missed() {
        return missed;
    }

    /** The time before which nothing is added; null by default. */
    public @Nullable Instant from() {
        return from;
    }

    /** The policy for a time at which the last job has not ended. */
    public Overlap overlap() {
        return overlap;
    }

    @Override
    public String toString() {
        String when = cron == null ? "every " + period : "cron \"" + cron + "\" in " + zoneName;
        return name + ": " + when + ", missed " + missed + (overlap == Overlap.ALLOW ? "" : ", overlap " + overlap) + (from == null ? "" : ", from " + from);
    }
}
