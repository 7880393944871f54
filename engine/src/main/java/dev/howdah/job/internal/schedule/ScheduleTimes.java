package dev.howdah.job.internal.schedule;

import dev.howdah.internal.schedule.ClockPolicy;
import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.job.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The times of a schedule. Reads no clock. Immutable. */
public sealed interface ScheduleTimes permits ScheduleTimes.Cron, ScheduleTimes.Period, HolidayTimes {
    /** A time that is this much over counts as missed; until then its node was busy. */
    Duration LATE = Duration.ofMinutes(1);

    /**
     * The times of a schedule that begins at {@code start}.
     *
     * @param holidays the days of its calendar
     */
    static ScheduleTimes of(Schedule schedule, Instant start, Set<LocalDate> holidays) {
        Duration period = schedule.period();
        ScheduleTimes plain = period != null
                ? new Period(period, start)
                : new Cron(
                        CronSchedule.parse(String.valueOf(schedule.cronExpression())),
                        schedule.zone(),
                        new ClockPolicy(
                                schedule.skippedHour() == Schedule.SkippedHour.RUN,
                                schedule.doubledHour() == Schedule.DoubledHour.BOTH),
                        start);
        return holidays.isEmpty()
                ? plain
                : new HolidayTimes(
                        plain, schedule.zone(), holidays, schedule.onHoliday() == Schedule.OnHoliday.NEXT_DAY);
    }

    /** The first time after that one. */
    Instant next(Instant after);

    /** By cron, in a zone, not before a moment. */
    record Cron(CronSchedule cron, ZoneId zone, ClockPolicy clocks, Instant from) implements ScheduleTimes {
        @Override
        public Instant next(Instant after) {
            return cron.next(after.isBefore(from) ? from.minusNanos(1) : after, zone, clocks);
        }
    }

    /** At a moment and every so often after it: counted from that moment, so nothing drifts. */
    record Period(Duration period, Instant from) implements ScheduleTimes {
        @Override
        public Instant next(Instant after) {
            if (after.isBefore(from)) return from;
            long step = micros(period);
            long passed = ChronoUnit.MICROS.between(from, after) / step;
            return from.plus(Math.multiplyExact(passed + 1, step), ChronoUnit.MICROS);
        }

        private static long micros(Duration time) {
            return time.toSeconds() * 1_000_000 + time.toNanosPart() / 1000;
        }
    }

    /**
     * The times that are due now, and the next one.
     *
     * @param times for which a job is to be added
     * @param next when there is something to be done again; it may be over as well, when there were very many
     */
    record Due(List<Instant> times, Instant next) {}

    /**
     * Which of the times that are over get a job.
     *
     * @param planned the first of them; null: the schedule is new, or goes on after a pause
     * @param most how many at most
     */
    default Due due(@Nullable Instant planned, Instant now, Schedule.Missed missed, int most) {
        if (planned == null) return new Due(List.of(), next(now));
        if (planned.isAfter(now)) return new Due(List.of(), planned);
        if (missed == Schedule.Missed.ALL) {
            List<Instant> times = new ArrayList<>();
            Instant each = planned;
            for (; !each.isAfter(now) && times.size() < most; each = next(each)) times.add(each);
            return new Due(times, each);
        }
        Instant last = last(planned, now);
        boolean late = last.isBefore(now.minus(LATE));
        return new Due(missed == Schedule.Missed.SKIP && late ? List.of() : List.of(last), next(now));
    }

    /**
     * The first time from a planned one on that is not longer ago than {@code most}, or than what makes a time a missed
     * one.
     */
    default Instant catchUp(Instant planned, Instant now, Duration most) {
        Instant earliest = now.minus(most.compareTo(LATE) > 0 ? most : LATE);
        return planned.isBefore(earliest) ? next(earliest.minusNanos(1)) : planned;
    }

    /** The time at which a job for a planned time may run: at random up to {@code jitter} later, before the next time. */
    default Instant moved(Instant time, Duration jitter) {
        if (jitter.isZero()) return time;
        long most = Math.min(Period.micros(jitter), ChronoUnit.MICROS.between(time, next(time)));
        return most <= 0 ? time : time.plus(ThreadLocalRandom.current().nextLong(most + 1), ChronoUnit.MICROS);
    }

    /** The last time that is over; looks back farther and farther, as there may be a year of seconds. */
    private Instant last(Instant planned, Instant now) {
        for (Duration back = Duration.ofMinutes(2); ; back = back.multipliedBy(30)) {
            Instant start = now.minus(back);
            Instant first = start.isAfter(planned) ? next(start) : planned;
            if (first.isAfter(now)) continue;
            Instant last = first;
            for (Instant each = next(first); !each.isAfter(now); each = next(each)) last = each;
            return last;
        }
    }
}
