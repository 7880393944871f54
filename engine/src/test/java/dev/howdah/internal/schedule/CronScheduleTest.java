package dev.howdah.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the fields of a schedule mean, and what is said of those that mean nothing. */
class CronScheduleTest {
    private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");

    private static Instant utc(String local) {
        return LocalDateTime.parse(local).toInstant(ZoneOffset.UTC);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* * * * *            | 2026-11-22T10:20:30 | 2026-11-22T10:21:00",
                "* * * * * *          | 2026-11-22T10:20:30 | 2026-11-22T10:20:31",
                "*/20 * * * * ?       | 2026-11-22T10:20:40 | 2026-11-22T10:21:00",
                "0 3 * * *            | 2026-11-22T03:00:00 | 2026-11-23T03:00:00",
                "5,35-37 1-2 * * *    | 2026-11-22T01:36:00 | 2026-11-22T01:37:00",
                "5/20 * * * *         | 2026-11-22T01:45:00 | 2026-11-22T02:05:00",
                "0 0 29 2 *           | 2026-11-22T00:00:00 | 2028-02-29T00:00:00",
                "0 0 29 2 MON#1       | 2026-11-22T00:00:00 | 2027-02-01T00:00:00", // Vixie: either
                "0 0 1 jan,Jul *      | 2026-11-22T00:00:00 | 2027-01-01T00:00:00",
                "0 0 * * 0            | 2026-11-23T00:00:00 | 2026-11-29T00:00:00",
                "0 0 * * 7            | 2026-11-23T00:00:00 | 2026-11-29T00:00:00",
                "0 0 * * fri-sun      | 2026-11-23T00:00:00 | 2026-11-27T00:00:00",
                "0 0 * * fri-7        | 2026-11-28T00:00:00 | 2026-11-29T00:00:00",
                "0 0 13 * FRI         | 2026-11-22T00:00:00 | 2026-11-27T00:00:00", // Vixie: either
                "0 0 13 * FRI         | 2026-12-12T00:00:00 | 2026-12-13T00:00:00",
                "0 0 */2 * MON        | 2026-11-22T00:00:00 | 2026-11-23T00:00:00", // a star does not restrict: both
                "0 0 */2 * MON        | 2026-11-23T00:00:00 | 2026-12-07T00:00:00",
                "0 0 L * *            | 2028-02-01T00:00:00 | 2028-02-29T00:00:00",
                "0 0 L-3 * *          | 2026-11-22T00:00:00 | 2026-11-27T00:00:00",
                "0 0 LW * *           | 2027-01-01T00:00:00 | 2027-01-29T00:00:00",
                "0 0 1W * *           | 2026-07-31T00:00:00 | 2026-08-03T00:00:00", // the 1st is a Saturday
                "0 0 31W * *          | 2027-10-01T00:00:00 | 2027-10-29T00:00:00", // the 31st is a Sunday
                "0 0 * * 5L           | 2026-11-22T00:00:00 | 2026-11-27T00:00:00",
                "0 0 * * SUN#1        | 2026-11-22T00:00:00 | 2026-12-06T00:00:00",
                "@hourly              | 2026-11-22T10:20:30 | 2026-11-22T11:00:00",
                "@Daily               | 2026-11-22T10:20:30 | 2026-11-23T00:00:00",
                "@midnight            | 2026-11-22T10:20:30 | 2026-11-23T00:00:00",
                "@weekly              | 2026-11-22T10:20:30 | 2026-11-29T00:00:00",
                "@monthly             | 2026-11-22T10:20:30 | 2026-12-01T00:00:00",
                "@yearly              | 2026-11-22T10:20:30 | 2027-01-01T00:00:00",
                "@annually            | 2026-11-22T10:20:30 | 2027-01-01T00:00:00",
            })
    void next_afterATime_isTheFirstPoint(String schedule, String after, String next) {
        assertThat(CronSchedule.parse(schedule).next(utc(after), ZoneOffset.UTC))
                .isEqualTo(utc(next));
    }

    @Test
    void nextOrSame_onAPoint_isThatPoint() {
        CronSchedule daily = CronSchedule.parse(" 0\t3  * * * ");
        assertThat(daily.nextOrSame(utc("2026-11-22T03:00:00"), ZoneOffset.UTC)).isEqualTo(utc("2026-11-22T03:00:00"));
        assertThat(daily.nextOrSame(utc("2026-11-22T03:00:00.000001"), ZoneOffset.UTC))
                .isEqualTo(utc("2026-11-23T03:00:00"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "30 2 * * *    | 2026-03-08T06:00:00 | 2026-03-08T07:00:00", // in the gap: right after it
                "*/15 2 * * *  | 2026-03-08T06:00:00 | 2026-03-08T07:00:00", // four in the gap: one after it
                "*/15 2 * * *  | 2026-03-08T07:00:00 | 2026-03-09T06:00:00",
                "30 1 * * *    | 2026-11-01T05:00:00 | 2026-11-01T05:30:00", // the first of two
                "30 1 * * *    | 2026-11-01T05:30:00 | 2026-11-02T06:30:00",
                "0 0-23 * * *  | 2026-11-01T05:00:00 | 2026-11-01T07:00:00", // fixed hours: so many a day
                "30 * * * *    | 2026-03-08T06:30:00 | 2026-03-08T07:30:00", // an interval goes by the clock
                "30 * * * *    | 2026-11-01T05:30:00 | 2026-11-01T06:30:00",
                "0 */2 * * *   | 2026-03-08T05:00:00 | 2026-03-08T08:00:00",
            })
    void next_clocksChange_isAsPromised(String schedule, String after, String next) {
        assertThat(CronSchedule.parse(schedule).next(utc(after), NEW_YORK)).isEqualTo(utc(next));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\"              | it has 0 fields, not the 5",
                "* * * *         | it has 4 fields",
                "* * * * * * *   | it has 7 fields",
                "60 * * * *      | the minute field is '60'; it takes 0 to 59,",
                "99 * * * * *    | the second field is '99'; it takes 0 to 59,",
                "* 24 * * *      | the hour field is '24'; it takes 0 to 23,",
                "* 1,25 * * *    | the hour field is '1,25', where '25' is none of these; it takes 0 to 23,",
                "* * 0 * *       | the day of month field is '0'; it takes 1 to 31,",
                "* * * 13 *      | the month field is '13'; it takes 1 to 12,",
                "* * * FOO *     | the month field is 'FOO'; it takes 1 to 12,",
                "* * * * 8       | the day of week field is '8'; it takes 0 to 7,",
                "* * * * MON#6   | the day of week field is 'MON#6', where the number behind # is 1 to 5;",
                "*/0 * * * *     | the minute field is '*/0', where the step of '*/0' has to be 1 or more;",
                "*/x * * * *     | the minute field is '*/x', where 'X' is no number;",
                "1/2/3 * * * *   | the minute field is '1/2/3', where '1/2/3' has more than one step;",
                "1-2-3 * * * *   | the minute field is '1-2-3', where '1-2-3' is no range;",
                "1,,2 * * * *    | the minute field is '1,,2', where something is missing;",
                "* 22-2 * * *    | the hour field is '22-2', where '22-2' runs backwards: write it as two, such as 22-23,0-2;",
                "? * * * *       | the minute field is '?'; it takes",
                "-5 * * * *      | the minute field is '-5', where something is missing;",
                "* * L-31 * *    | the day of month field is 'L-31', where 'L-31' is before the month begins;",
                "@reboot         | '@reboot' is none of @annually, @daily, @hourly, @midnight, @monthly, @weekly, @yearly",
                "0 0 30 2 *      | there is no such day: the day of month, month and day of week fields never meet",
                "0 0 31W 4 ?     | there is no such day",
            })
    void parse_nonsense_saysWhatIsWrong(String schedule, String message) {
        assertThatThrownBy(() -> CronSchedule.parse(schedule))
                .isInstanceOf(CronSyntaxException.class)
                .hasMessageStartingWith(message);
    }

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, Europe/Berlin",
        "europe/berlin, Europe/Berlin",
        "posix/Asia/Kathmandu, Asia/Kathmandu",
        "UTC, UTC",
        "Etc/GMT-3, Etc/GMT-3",
        "<+03>-03, +03:00",
        "<-0330>+03:30, -03:30",
    })
    void zone_asPostgresqlWritesIt_isFound(String name, String zone) {
        assertThat(ZoneNames.zone(name)).isEqualTo(ZoneId.of(zone));
    }

    @Test
    void zone_thatMeansTwoThings_isRefused() {
        assertThat(ZoneNames.zone("EST").getRules().getOffset(Instant.EPOCH)).isEqualTo(ZoneOffset.ofHours(-5));
        assertThatThrownBy(() -> ZoneNames.zone("UTC+3"))
                .hasMessage("there is no zone 'UTC+3'; names such as Europe/Berlin, America/New_York or UTC are known");
    }
}
