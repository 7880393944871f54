package dev.howdah.job.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.job.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The times of schedules, without a database. */
class ScheduleTimesTest {
    private static Instant at(String text) {
        return Instant.parse(text);
    }

    @Test
    void period_isCountedFromItsStart_soNothingDrifts() {
        ScheduleTimes timing =
                ScheduleTimes.of(Schedule.every("s", Duration.ofSeconds(10)), at("2026-01-01T00:00:03.5Z"), Set.of());
        assertThat(timing.next(at("2025-06-01T00:00:00Z"))).isEqualTo(at("2026-01-01T00:00:03.5Z"));
        assertThat(timing.next(at("2026-01-01T00:00:03.5Z"))).isEqualTo(at("2026-01-01T00:00:13.5Z"));
        assertThat(timing.next(at("2026-03-01T12:34:56.789Z"))).isEqualTo(at("2026-03-01T12:35:03.5Z"));
    }

    @Test
    void cron_followsTheZone_acrossTheChangeOfTheClocks() {
        Schedule nightly = Schedule.cron("s", "30 2 * * *").zone("Europe/Berlin");
        assertThat(nightly.next(3, at("2026-03-28T00:00:00Z")))
                .as("half past two does not exist on the 29th: right after the gap")
                .containsExactly(at("2026-03-28T01:30:00Z"), at("2026-03-29T01:00:00Z"), at("2026-03-30T00:30:00Z"));
    }

    @Test
    void cron_withStart_hasNothingBefore() {
        Schedule hourly = Schedule.cron("s", "0 * * * *").from(at("2026-01-01T10:00:00Z"));
        assertThat(hourly.next(2, at("2026-01-01T07:30:00Z")))
                .containsExactly(at("2026-01-01T10:00:00Z"), at("2026-01-01T11:00:00Z"));
    }

    @Test
    void due_missedAll_isEachTime_inSteps() {
        ScheduleTimes timing = ScheduleTimes.of(Schedule.cron("s", "0 * * * *"), Instant.EPOCH, Set.of());
        Instant now = at("2026-01-01T12:30:00Z");
        ScheduleTimes.Due first = timing.due(at("2026-01-01T08:00:00Z"), now, Schedule.Missed.ALL, 3);
        assertThat(first.times())
                .containsExactly(at("2026-01-01T08:00:00Z"), at("2026-01-01T09:00:00Z"), at("2026-01-01T10:00:00Z"));
        assertThat(timing.due(first.next(), now, Schedule.Missed.ALL, 3))
                .isEqualTo(new ScheduleTimes.Due(
                        List.of(at("2026-01-01T11:00:00Z"), at("2026-01-01T12:00:00Z")), at("2026-01-01T13:00:00Z")));
    }

    @Test
    void due_missedOnce_isTheLastTime() {
        ScheduleTimes timing = ScheduleTimes.of(Schedule.cron("s", "0 * * * *"), Instant.EPOCH, Set.of());
        assertThat(timing.due(at("2026-01-01T08:00:00Z"), at("2026-01-01T12:30:00Z"), Schedule.Missed.ONCE, 3))
                .isEqualTo(new ScheduleTimes.Due(List.of(at("2026-01-01T12:00:00Z")), at("2026-01-01T13:00:00Z")));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 59, 60, 61, 1800})
    void due_missedSkip_isOnlyWhatIsNotLate(int lateSeconds) {
        ScheduleTimes timing = ScheduleTimes.of(Schedule.cron("s", "0 * * * *"), Instant.EPOCH, Set.of());
        Instant noon = at("2026-01-01T12:00:00Z");
        assertThat(timing.due(at("2026-01-01T08:00:00Z"), noon.plusSeconds(lateSeconds), Schedule.Missed.SKIP, 3))
                .isEqualTo(
                        new ScheduleTimes.Due(lateSeconds <= 60 ? List.of(noon) : List.of(), noon.plusSeconds(3600)));
    }

    @ParameterizedTest // 20 s after a time that ran before the pause, or that was before there was a schedule
    @EnumSource(Schedule.Missed.class)
    void due_newOrResumed_isNothingBeforeTheNextTime(Schedule.Missed missed) {
        Instant noon = at("2026-01-01T12:00:00Z");
        Schedule hourly = Schedule.cron("s", "0 * * * *");
        Schedule every = Schedule.every("s", Duration.ofHours(1));
        for (ScheduleTimes timing : List.of(
                ScheduleTimes.of(hourly, Instant.EPOCH, Set.of()),
                ScheduleTimes.of(every, noon.minusSeconds(3600), Set.of()),
                ScheduleTimes.of(hourly, Instant.EPOCH, Set.of(LocalDate.parse("2025-12-31")))))
            for (int late : new int[] {0, 20, 61})
                assertThat(timing.due(null, noon.plusSeconds(late), missed, 3))
                        .isEqualTo(new ScheduleTimes.Due(List.of(), noon.plusSeconds(3600)));
    }

    @Test
    void due_afterTenYearsOfSeconds_isFoundQuickly() {
        ScheduleTimes timing = ScheduleTimes.of(Schedule.cron("s", "* * * * * *"), Instant.EPOCH, Set.of());
        assertThat(timing.due(at("2016-01-01T00:00:00Z"), at("2026-01-01T12:00:00.5Z"), Schedule.Missed.ONCE, 3))
                .isEqualTo(new ScheduleTimes.Due(List.of(at("2026-01-01T12:00:00Z")), at("2026-01-01T12:00:01Z")));
    }

    /** Against the obvious way: one time after the other. */
    @ParameterizedTest
    @EnumSource(Schedule.Missed.class)
    void due_ofRandomSchedules_isThatOfTheObviousWay(Schedule.Missed missed) {
        long seed = Long.getLong("howdah.fuzz.seed", 1);
        Random random = new Random(seed);
        String[] crons = {"*/7 * * * *", "0 5,17 * * *", "30 2 * * *", "0 0 1 * *", "0 0 29 2 *"};
        for (int i = 0; i < 500; i++) {
            Schedule schedule = random.nextBoolean()
                    ? Schedule.every("s", Duration.ofSeconds(1 + random.nextInt(1_000_000)))
                    : Schedule.cron("s", crons[random.nextInt(crons.length)]).zone("Europe/Berlin");
            ScheduleTimes timing = ScheduleTimes.of(
                    schedule, at("2020-01-01T00:00:00Z").plusSeconds(random.nextInt(1_000_000)), Set.of());
            Instant planned = timing.next(at("2020-01-01T00:00:00Z").plusSeconds(random.nextInt(100_000_000)));
            Instant now = planned.plusSeconds((long) Math.pow(10, random.nextDouble() * 7));
            List<Instant> over = new ArrayList<>();
            Instant next = planned;
            for (; !next.isAfter(now); next = timing.next(next)) over.add(next);
            Instant last = over.get(over.size() - 1);
            List<Instant> wanted = switch (missed) {
                case ALL -> over;
                case ONCE -> List.of(last);
                case SKIP -> last.isBefore(now.minusSeconds(60)) ? List.of() : List.of(last);
            };
            assertThat(timing.due(planned, now, missed, Integer.MAX_VALUE))
                    .as("seed %s, step %s", seed, i)
                    .isEqualTo(new ScheduleTimes.Due(wanted, next));
        }
    }

    @ParameterizedTest // of hourly times from 8 on, at half past twelve
    @CsvSource({"PT5H, 8", "PT4H30M, 8", "PT4H29M, 9", "PT30M, 12", "PT29M, 13", "PT0S, 13"})
    void catchUp_isTheFirstTimeNotLongerAgo(String most, int hour) {
        Instant now = at("2026-01-01T12:30:00Z");
        for (Schedule schedule : List.of(Schedule.cron("s", "0 * * * *"), Schedule.every("s", Duration.ofHours(1))))
            assertThat(ScheduleTimes.of(schedule, at("2026-01-01T00:00:00Z"), Set.of())
                            .catchUp(at("2026-01-01T08:00:00Z"), now, Duration.parse(most)))
                    .isEqualTo(at("2026-01-01T00:00:00Z").plusSeconds(hour * 3600L));
    }

    @Test
    void catchUp_withinAMinute_leavesNothingOut() {
        Instant noon = at("2026-01-01T12:00:00Z");
        ScheduleTimes timing = ScheduleTimes.of(Schedule.cron("s", "0 * * * *"), Instant.EPOCH, Set.of());
        assertThat(timing.catchUp(noon, noon.plusSeconds(60), Duration.ZERO)).isEqualTo(noon);
        assertThat(timing.catchUp(noon, noon.plusSeconds(61), Duration.ZERO)).isEqualTo(noon.plusSeconds(3600));
    }

    @Test
    void moved_byAJitter_staysBeforeTheNextTime() {
        Instant noon = at("2026-01-01T12:00:00Z");
        ScheduleTimes timing = ScheduleTimes.of(Schedule.cron("s", "0 12,13 * * *"), Instant.EPOCH, Set.of());
        for (int i = 0; i < 100; i++) {
            assertThat(timing.moved(noon, Duration.ofMinutes(5))).isBetween(noon, noon.plusSeconds(300));
            assertThat(timing.moved(noon, Duration.ofDays(5))).isBetween(noon, noon.plusSeconds(3600));
        }
        assertThat(timing.moved(noon, Duration.ZERO)).isEqualTo(noon);
    }

    @Test
    void schedule_thatNeverComes_isRefused() {
        assertThatThrownBy(() -> Schedule.cron("backup", "0 0 31 2 *"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("schedule backup");
        assertThatThrownBy(() -> Schedule.cron("backup", "nonsense")).hasMessageContaining("it has 1 fields");
        assertThatThrownBy(() -> Schedule.cron("backup", "@daily").zone("Mars/Olympus"))
                .hasMessageContaining("there is no zone 'Mars/Olympus'");
        assertThatThrownBy(() -> Schedule.every("backup", Duration.ofMillis(999)))
                .hasMessageContaining("less than a second");
    }
}
