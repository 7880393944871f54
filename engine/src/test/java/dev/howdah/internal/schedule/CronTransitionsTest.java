package dev.howdah.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every change of the clocks from 2020 to 2030, in zones of every kind. What is expected is found by somebody who stands
 * below the clock, looks up at every minute, and knows nothing but what the hands show and showed.
 */
class CronTransitionsTest {
    private static final Instant FROM = Instant.parse("2020-01-01T00:00:00Z");
    private static final Instant TO = Instant.parse("2031-01-01T00:00:00Z");
    private static final Duration AROUND = Duration.ofHours(30);

    /** A schedule, and the same by hand: which local minutes it names, and whether it is an interval. */
    private record Case(String text, boolean interval, Predicate<LocalDateTime> names) {}

    private static final List<Case> CASES = new ArrayList<>();

    static {
        // One for each half hour of the day, so that each gap and each overlap has some at its edges and inside.
        IntStream.range(0, 48)
                .forEach(half -> CASES.add(new Case(
                        half % 2 * 30 + " " + half / 2 + " * * *",
                        false,
                        t -> t.getHour() == half / 2 && t.getMinute() == half % 2 * 30)));
        CASES.addAll(List.of(
                new Case("*/15 1-3 * * *", false, t -> t.getHour() >= 1 && t.getHour() <= 3 && t.getMinute() % 15 == 0),
                new Case("45 0-23 * * *", false, t -> t.getMinute() == 45),
                new Case(
                        "0 2 * * 0",
                        false,
                        t -> t.getHour() == 2
                                && t.getMinute() == 0
                                && t.getDayOfWeek().getValue() == 7),
                new Case("30 * * * *", true, t -> t.getMinute() == 30),
                new Case("*/20 * * * *", true, t -> t.getMinute() % 20 == 0),
                new Case("0 */2 * * *", true, t -> t.getMinute() == 0 && t.getHour() % 2 == 0),
                new Case(
                        "15 1-5/2 * * *",
                        true,
                        t -> t.getMinute() == 15 && List.of(1, 3, 5).contains(t.getHour()))));
    }

    @ParameterizedTest
    @CsvSource({
        "America/New_York, 22",
        "Europe/Berlin, 22",
        "Australia/Lord_Howe, 22", // half an hour
        "Africa/Casablanca, 22", // back for Ramadan, by a date that moves
        "Pacific/Apia, 3", // given up in 2021
        "America/Godthab, 21", // the zone itself has moved, and its overlaps cross midnight
    })
    void next_aroundEveryChange_isWhatTheClockShows(String name, int changes) {
        ZoneId zone = ZoneId.of(name);
        List<ZoneOffsetTransition> all = Stream.iterate(
                        zone.getRules().nextTransition(FROM),
                        change -> change != null && change.getInstant().isBefore(TO),
                        change -> zone.getRules().nextTransition(change.getInstant()))
                .toList();
        assertThat(all).hasSizeGreaterThanOrEqualTo(changes);
        for (ZoneOffsetTransition change : all) {
            Instant from = change.getInstant().minus(AROUND);
            Instant to = change.getInstant().plus(AROUND);
            for (Case each : CASES)
                assertThat(planned(each, zone, from, to))
                        .as("%s, %s", each.text(), change)
                        .isEqualTo(seen(each, zone.getRules(), from, to));
        }
    }

    private static List<Instant> planned(Case each, ZoneId zone, Instant from, Instant to) {
        CronSchedule schedule = CronSchedule.parse(each.text());
        List<Instant> points = new ArrayList<>();
        Instant point = schedule.nextOrSame(from, zone);
        while (!point.isAfter(to)) {
            points.add(point);
            point = schedule.next(point, zone);
        }
        return points;
    }

    private static List<Instant> seen(Case each, ZoneRules rules, Instant from, Instant to) {
        List<Instant> points = new ArrayList<>();
        LocalDateTime latest = local(rules, from).minusMinutes(1);
        for (Instant now = from; !now.isAfter(to); now = now.plus(1, ChronoUnit.MINUTES)) {
            LocalDateTime shown = local(rules, now);
            if (each.interval()) {
                if (each.names().test(shown)) points.add(now);
            } else {
                // Every minute that the hands reach or jump over for the first time.
                boolean reached = false;
                for (LocalDateTime m = latest.plusMinutes(1); !m.isAfter(shown); m = m.plusMinutes(1))
                    reached |= each.names().test(m);
                if (reached) points.add(now);
            }
            if (shown.isAfter(latest)) latest = shown;
        }
        return points;
    }

    private static LocalDateTime local(ZoneRules rules, Instant instant) {
        return LocalDateTime.ofInstant(instant, rules.getOffset(instant));
    }
}
