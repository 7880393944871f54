package dev.howdah.job.internal.schedule;

import dev.howdah.internal.schedule.CronSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The times of a schedule without those on some days, or with those moved to the same local time of the next other day. The
 * SQL function {@code howdah_internal.calendar_next} is the same.
 *
 * @param moves whether they are moved
 */
record HolidayTimes(ScheduleTimes plain, ZoneId zone, Set<LocalDate> days, boolean moves) implements ScheduleTimes {
    /** Less than the precision of times. */
    private static final Duration TICK = Duration.ofNanos(1_000);

    @Override
    public Instant next(Instant after) {
        return moves ? nextMoved(after) : nextOther(after);
    }

    private Instant nextOther(Instant after) {
        Instant reached = after;
        while (true) {
            Instant each = plain.next(reached);
            LocalDate day = local(each).toLocalDate();
            if (!days.contains(day)) return each;
            reached = later(each, beforeDay(workDay(day)));
        }
    }

    private Instant nextMoved(Instant after) {
        LocalDateTime then = local(after);
        LocalDate day = workDay(then.toLocalDate());
        Instant reached = after;
        while (true) {
            Instant own = plain.next(later(reached, beforeDay(day)));
            Instant best = local(own).toLocalDate().equals(day) ? own : null;
            LocalTime from = then.toLocalDate().equals(day) ? then.toLocalTime() : LocalTime.MIN;
            for (LocalDate source = day.minusDays(1); days.contains(source); source = source.minusDays(1)) {
                Instant moved = firstMoved(source, from, day, after);
                if (moved != null && (best == null || moved.isBefore(best))) best = moved;
            }
            if (best != null) return best;
            reached = later(reached, beforeDay(day.plusDays(1)));
            day = workDay(local(plain.next(reached)).toLocalDate());
        }
    }

    /** The first time of a day, from that local time on, that is after a moment when it is moved to the other day. */
    private @Nullable Instant firstMoved(LocalDate source, LocalTime from, LocalDate day, Instant after) {
        Instant each = moment(source.atTime(from)).minus(TICK);
        while (true) {
            each = plain.next(each);
            LocalDateTime local = local(each);
            if (!local.toLocalDate().equals(source)) return null;
            Instant moved = moment(day.atTime(local.toLocalTime()));
            if (moved.isAfter(after)) return moved;
        }
    }

    private LocalDate workDay(LocalDate from) {
        LocalDate day = from;
        while (days.contains(day)) day = day.plusDays(1);
        return day;
    }

    private LocalDateTime local(Instant moment) {
        return LocalDateTime.ofInstant(moment, zone);
    }

    private Instant moment(LocalDateTime local) {
        return CronSchedule.moment(local, zone.getRules());
    }

    private Instant beforeDay(LocalDate day) {
        return moment(day.atStartOfDay()).minus(TICK);
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
