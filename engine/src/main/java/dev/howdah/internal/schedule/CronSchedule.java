package dev.howdah.internal.schedule;

import dev.howdah.internal.schedule.CronField.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A cron schedule: five fields (minute, hour, day of month, month, day of week), or six with seconds in front, or a name
 * such as {@code @daily}. What it does where the clocks change is told in the description of the package. Immutable and
 * safe for use by many threads.
 */
public final class CronSchedule {
    private static final Map<String, String> NAMED = new TreeMap<>(Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *"));

    private static final Duration TICK = Duration.ofNanos(1);

    private final CronField seconds;
    private final CronField minutes;
    private final CronField hours;
    private final CronDays days;

    private CronSchedule(CronField seconds, CronField minutes, CronField hours, CronDays days) {
        this.seconds = seconds;
        this.minutes = minutes;
        this.hours = hours;
        this.days = days;
    }

    /**
     * Reads a schedule.
     *
     * @throws CronSyntaxException if it is none, or if it would never be met
     */
    public static CronSchedule parse(String text) {
        String plain = text.strip();
        if (plain.startsWith("@")) {
            String named = NAMED.get(plain.toLowerCase(Locale.ROOT));
            if (named == null)
                throw new CronSyntaxException("'" + plain + "' is none of " + String.join(", ", NAMED.keySet()));
            plain = named;
        }
        List<String> fields = plain.isEmpty() ? List.of() : List.of(plain.split("\\s+", -1));
        if (fields.size() != 5 && fields.size() != 6)
            throw new CronSyntaxException(
                    "it has " + fields.size()
                            + " fields, not the 5 (minute, hour, day of month, month, day of week) or the 6 with seconds in front");
        int at = fields.size() - 5;
        CronField seconds = Kind.SECOND.parse(at == 0 ? "0" : fields.get(0));
        CronField minutes = Kind.MINUTE.parse(fields.get(at));
        CronField hours = Kind.HOUR.parse(fields.get(at + 1));
        CronField ofMonth = Kind.DAY_OF_MONTH.parse(fields.get(at + 2));
        CronField months = Kind.MONTH.parse(fields.get(at + 3));
        CronDays days = new CronDays(ofMonth, months, Kind.DAY_OF_WEEK.parse(fields.get(at + 4)));
        days.ceiling(LocalDate.EPOCH);
        return new CronSchedule(seconds, minutes, hours, days);
    }

    /** The first point after that time. */
    public Instant next(Instant after, ZoneId zone) {
        return next(after, zone, ClockPolicy.EACH_ONCE);
    }

    /** The same with another policy for changes of the clocks. Of an interval it changes nothing. */
    public Instant next(Instant after, ZoneId zone, ClockPolicy policy) {
        ZoneRules rules = zone.getRules();
        if (hours.interval()) return nextByTheClock(after, rules);
        if (!policy.runsBoth()) return nextPromised(after, rules, policy.runsSkipped());
        Instant byTheClock = nextByTheClock(after, rules);
        if (!policy.runsSkipped()) return byTheClock;
        Instant promised = nextPromised(after, rules, true);
        return promised.isBefore(byTheClock) ? promised : byTheClock;
    }

    /** That time if it is a point of the schedule, else the first point after it. */
    public Instant nextOrSame(Instant from, ZoneId zone) {
        return next(from.minus(TICK), zone);
    }

    /** When the clocks show that local time: right after the gap that it is in, or the first time. */
    public static Instant moment(LocalDateTime local, ZoneRules rules) {
        List<ZoneOffset> offsets = rules.getValidOffsets(local);
        return offsets.isEmpty() ? rules.getTransition(local).getInstant() : local.toInstant(offsets.get(0));
    }

    /** Goes along the time, from one change of the clocks to the next. */
    private Instant nextByTheClock(Instant after, ZoneRules rules) {
        Instant reached = after;
        ZoneOffset offset = rules.getOffset(after);
        LocalDateTime from = LocalDateTime.ofInstant(after, offset).plus(TICK);
        while (true) {
            Instant found = ceiling(from).toInstant(offset);
            @Nullable ZoneOffsetTransition change = rules.nextTransition(reached);
            if (change == null || found.isBefore(change.getInstant())) return found;
            reached = change.getInstant();
            offset = change.getOffsetAfter();
            from = change.getDateTimeAfter();
        }
    }

    /** Goes along the local times, each of which happens once at most; in a gap it does if {@code runsSkipped}. */
    private Instant nextPromised(Instant after, ZoneRules rules, boolean runsSkipped) {
        LocalDateTime local = ceiling(LocalDateTime.ofInstant(after, rules.getOffset(after)));
        while (true) {
            Instant happens = moment(local, rules);
            if (happens.isAfter(after)
                    && (runsSkipped || !rules.getValidOffsets(local).isEmpty())) return happens;
            local = ceiling(local.plus(TICK));
        }
    }

    /** The first local time from this one on. */
    private LocalDateTime ceiling(LocalDateTime from) {
        LocalDateTime start = from.truncatedTo(ChronoUnit.SECONDS);
        if (start.isBefore(from)) start = start.plusSeconds(1);
        LocalDate day = start.toLocalDate();
        if (days.has(day)) {
            LocalTime time = ceiling(start.toLocalTime());
            if (time != null) return day.atTime(time);
        }
        return days.ceiling(day.plusDays(1)).atTime(hours.next(0), minutes.next(0), seconds.next(0));
    }

    private @Nullable LocalTime ceiling(LocalTime from) {
        int hour = hours.next(from.getHour());
        if (hour == from.getHour()) {
            int minute = minutes.next(from.getMinute());
            if (minute == from.getMinute()) {
                int second = seconds.next(from.getSecond());
                if (second >= 0) return LocalTime.of(hour, minute, second);
                minute = minutes.next(minute + 1);
            }
            if (minute >= 0) return LocalTime.of(hour, minute, seconds.next(0));
            hour = hours.next(hour + 1);
        }
        return hour < 0 ? null : LocalTime.of(hour, minutes.next(0), seconds.next(0));
    }
}
