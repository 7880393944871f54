package dev.howdah.console.internal.schedule;

import dev.howdah.job.Schedule;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One of the next times of a schedule.
 *
 * @param at the time
 * @param local the same by the clocks of the schedule's zone
 * @param change what the clocks do between the time before and this one; null: nothing
 */
public record NextTime(Instant at, String local, @Nullable String change) {
    private static final DateTimeFormatter SHOWN =
            DateTimeFormatter.ofPattern("EEE yyyy-MM-dd HH:mm:ss", Locale.ENGLISH);

    /** These times, with the changes of the clocks from that time on. */
    public static List<NextTime> of(List<Instant> times, Instant from, ZoneId zone) {
        List<NextTime> next = new ArrayList<>();
        Instant before = from;
        for (Instant each : times) {
            Duration forward =
                    Duration.ofSeconds(zone.getRules().getOffset(each).getTotalSeconds()
                            - zone.getRules().getOffset(before).getTotalSeconds());
            String change = forward.isZero()
                    ? null
                    : "the clocks went " + (forward.isNegative() ? "back " : "forward ") + minutes(forward.abs());
            next.add(new NextTime(each, SHOWN.format(each.atZone(zone)) + " " + name(zone, each), change));
            before = each;
        }
        return next;
    }

    /**
     * The next times of a cron expression of a task.
     *
     * @param zone null: UTC
     * @param after the time after which they are
     * @return empty if PostgreSQL knows a zone that Java does not
     */
    public static List<NextTime> ofCron(String cron, @Nullable String zone, Instant after, int times) {
        try {
            Schedule plain = Schedule.cron("task", cron);
            Schedule schedule = zone == null ? plain : plain.zone(zone);
            return of(schedule.next(times, after), after, schedule.zone());
        } catch (IllegalArgumentException | DateTimeException e) {
            return List.of();
        }
    }

    private static String minutes(Duration time) {
        long minutes = time.toMinutes();
        return minutes % 60 == 0 ? minutes / 60 + " h" : minutes + " min";
    }

    private static String name(ZoneId zone, Instant at) {
        String named = DateTimeFormatter.ofPattern("zzz", Locale.ENGLISH).format(at.atZone(zone));
        return named.isEmpty() ? zone.getDisplayName(TextStyle.SHORT, Locale.ENGLISH) : named;
    }
}
