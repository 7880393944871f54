package dev.howdah.job.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.job.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The times of a schedule with holidays, beside a list of all plain times of which each is left out or moved by itself. */
class HolidayTimesTest {
    private static final List<String> ZONES =
            List.of("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo");
    private static final List<String> CRONS = List.of(
            "0 9 * * *",
            "30 0-3 * * *",
            "15,45 1,2,23 * * MON-FRI",
            "0 */5 * * *",
            "59 23 * * *",
            "0 0 * * *",
            "10 2 */3 * *");

    private final long seed = Long.getLong("howdah.fuzz.seed", 1);
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    void next_ofRandomSchedulesAndDays_isThatOfTheList() {
        for (int i = 0; i < 400; i++) {
            ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
            Instant start = start(zone);
            Set<LocalDate> days = days(LocalDate.ofInstant(start, zone));
            boolean moves = random.nextBoolean();
            Schedule schedule = random.nextInt(4) == 0
                    ? Schedule.every("s", Duration.ofMinutes(random.nextInt(100, 3_000)))
                    : Schedule.cron("s", CRONS.get(random.nextInt(CRONS.size())));
            schedule = schedule.zone(zone.getId())
                    .skippedHour(Schedule.SkippedHour.values()[random.nextInt(2)])
                    .doubledHour(Schedule.DoubledHour.values()[random.nextInt(2)])
                    .onHoliday(moves ? Schedule.OnHoliday.NEXT_DAY : Schedule.OnHoliday.SKIP);
            Instant origin = start.minus(Duration.ofDays(60));
            ScheduleTimes plain = ScheduleTimes.of(schedule, origin, Set.of());
            ScheduleTimes times = ScheduleTimes.of(schedule, origin, days);
            Instant end = start.plus(Duration.ofDays(25));
            List<Instant> expected = new ArrayList<>();
            for (Instant each : listed(plain, zone, days, moves, start.minus(Duration.ofDays(50)), end))
                if (each.isAfter(start) && !each.isAfter(end)) expected.add(each);
            List<Instant> found = new ArrayList<>();
            for (Instant each = times.next(start); !each.isAfter(end); each = times.next(each)) found.add(each);
            assertThat(found)
                    .as("seed %s, case %s: %s after %s, without %s", seed, i, schedule, start, days)
                    .isEqualTo(expected);
        }
    }

    /** Half of them within two days of a change of the clocks. */
    private Instant start(ZoneId zone) {
        Instant any = Instant.parse("2015-01-01T00:00:00Z").plusSeconds(random.nextInt(100_000_000));
        ZoneOffsetTransition change = zone.getRules().nextTransition(any);
        return change == null || random.nextBoolean()
                ? any
                : change.getInstant().plusSeconds(random.nextInt(-170_000, 170_000));
    }

    private Set<LocalDate> days(LocalDate near) {
        Set<LocalDate> days = new TreeSet<>();
        LocalDate day = near.minusDays(random.nextInt(6));
        for (int i = random.nextInt(1, 14); i > 0; i--) {
            day = day.plusDays(random.nextInt(3) > 0 ? 1 : random.nextInt(1, 6));
            days.add(day);
        }
        return days;
    }

    private static Set<Instant> listed(
            ScheduleTimes plain, ZoneId zone, Set<LocalDate> days, boolean moves, Instant from, Instant end) {
        Set<Instant> times = new TreeSet<>();
        for (Instant each = plain.next(from); !each.isAfter(end); each = plain.next(each)) {
            LocalDateTime local = LocalDateTime.ofInstant(each, zone);
            if (!days.contains(local.toLocalDate())) times.add(each);
            else if (moves) {
                LocalDate day = local.toLocalDate();
                while (days.contains(day)) day = day.plusDays(1);
                times.add(CronSchedule.moment(day.atTime(local.toLocalTime()), zone.getRules()));
            }
        }
        return times;
    }
}
