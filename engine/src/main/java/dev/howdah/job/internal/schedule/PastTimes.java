package dev.howdah.job.internal.schedule;

import dev.howdah.job.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** The times of a schedule that are over. */
public final class PastTimes {
    private static final int AT_ONCE = 1_000;
    /** So often the time that is looked back on is made four times as long. */
    private static final int LONGER = 8;
    /** A cron has no more than so many times in a year in which its times are looked at. */
    private static final int MOST_READS = 100;

    private PastTimes() {}

    /**
     * The last times up to one, that one included, the latest first.
     *
     * @param last a time of the schedule
     * @param holidays those of its calendar that are known
     */
    public static List<Instant> of(Schedule schedule, Instant last, int count, Set<LocalDate> holidays) {
        Duration period = schedule.period();
        if (period != null) return spaced(schedule, last, count, period);
        List<Instant> following = schedule.next(1, last, holidays);
        Duration span = following.isEmpty()
                ? Duration.ofDays(1)
                : Duration.between(last, following.get(0)).multipliedBy(count);
        List<Instant> times = List.of(last);
        for (int i = 0; i < LONGER && times.size() < count; i++, span = span.multipliedBy(4))
            times = between(schedule, last.minus(span), last, count, holidays);
        return times;
    }

    private static List<Instant> spaced(Schedule schedule, Instant last, int count, Duration period) {
        List<Instant> times = new ArrayList<>();
        Instant from = schedule.from();
        for (int i = 0; i < count; i++) {
            Instant time = last.minus(period.multipliedBy(i));
            if (i == 0 || from == null || !time.isBefore(from)) times.add(time);
        }
        return times;
    }

    private static List<Instant> between(
            Schedule schedule, Instant after, Instant last, int count, Set<LocalDate> holidays) {
        Deque<Instant> kept = new ArrayDeque<>();
        Instant at = after;
        for (int i = 0; i < MOST_READS; i++) {
            List<Instant> some = schedule.next(AT_ONCE, at, holidays);
            for (Instant each : some) {
                if (each.isAfter(last)) break;
                kept.add(each);
                if (kept.size() > count) kept.remove();
            }
            if (some.size() < AT_ONCE || some.get(some.size() - 1).isAfter(last)) break;
            at = some.get(some.size() - 1);
        }
        // It may have had other times then.
        if (!last.equals(kept.peekLast())) kept.add(last);
        if (kept.size() > count) kept.remove();
        List<Instant> times = new ArrayList<>(kept);
        Collections.reverse(times);
        return times;
    }
}
