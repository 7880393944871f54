package dev.howdah.daemon.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.schedule.CronSchedule;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schedules of others whose day of the month and day of the week have to match both. */
class BothDaysTest {
    private static final LocalDate FROM = LocalDate.of(2027, 1, 1);
    private static final LocalDate TO = LocalDate.of(2028, 3, 1);

    /** The days on which a cron runs. */
    private static List<LocalDate> days(String cron) {
        CronSchedule schedule = CronSchedule.parse(cron);
        List<LocalDate> days = new ArrayList<>();
        Instant end = TO.atStartOfDay(ZoneOffset.UTC).toInstant();
        Instant at = schedule.next(FROM.atStartOfDay(ZoneOffset.UTC).toInstant().minusNanos(1), ZoneOffset.UTC);
        while (at.isBefore(end)) {
            days.add(at.atZone(ZoneOffset.UTC).toLocalDate());
            at = schedule.next(at, ZoneOffset.UTC);
        }
        return days;
    }

    private static List<LocalDate> days(Predicate<LocalDate> which) {
        return FROM.datesUntil(TO).filter(which).toList();
    }

    private static int weekDay(LocalDate day) {
        return day.getDayOfWeek().getValue() % 7;
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 5 */2 * 1", "0 5 1,8 * */3", "0 0 */100,1-7 * MON"})
    void pgCron_starWithAStep_isTakenAsItStands(String schedule) {
        PgCronSchedule taken = PgCronSchedule.of(schedule);
        assertThat(taken.problem()).isNull();
        assertThat(taken.cron()).isEqualTo(schedule);
    }

    @Test
    void cron_starWithAStep_runsWhereBothDaysMatch() {
        assertThat(days("0 5 */2 * 1")).isEqualTo(days(day -> day.getDayOfMonth() % 2 == 1 && weekDay(day) == 1));
        assertThat(days("0 5 1,8 * */3"))
                .isEqualTo(
                        days(day -> (day.getDayOfMonth() == 1 || day.getDayOfMonth() == 8) && weekDay(day) % 3 == 0));
    }

    @Test
    void pgAgent_anyDays_runWhereBothMatch_orAreLeft() {
        Random random = new Random(7);
        int said = 0;
        for (int i = 0; i < 200; i++) {
            Boolean[] months = random(random, 31, 32);
            Boolean[] weeks = random(random, 7, 7);
            if (!PgAgentTimes.isSaid(months, weeks)) {
                assertThat(months[0] || weeks[0]).isFalse();
                continue;
            }
            said++;
            Boolean[] none = {false};
            String cron =
                    "0 0" + PgAgentTimes.cron(none, none, months, none, weeks).substring(3);
            assertThat(days(cron))
                    .as(cron)
                    .isEqualTo(days(day -> isSet(months, day.getDayOfMonth() - 1) && isSet(weeks, weekDay(day))));
        }
        assertThat(said).isGreaterThan(20);
    }

    private static Boolean[] random(Random random, int used, int size) {
        Boolean[] values = new Boolean[size];
        double share = random.nextDouble();
        for (int i = 0; i < size; i++) values[i] = i < used && random.nextDouble() < share;
        return values;
    }

    /** Where none is set, any is meant. */
    private static boolean isSet(Boolean[] values, int place) {
        return values[place] || List.of(values).stream().noneMatch(each -> each);
    }
}
