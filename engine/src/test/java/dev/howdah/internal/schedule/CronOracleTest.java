package dev.howdah.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against another implementation, where both mean the same: everything but where the clocks change. */
@Tag("long")
class CronOracleTest {
    private static final int SCHEDULES = 150;
    private static final int POINTS = 6;
    private static final CronParser UNIX = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));
    private static final CronParser QUARTZ =
            new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.QUARTZ));
    private static final List<String> WEEK = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

    private final SplittableRandom random;
    private final long seed = Long.getLong("howdah.fuzz.seed", 1);

    CronOracleTest() {
        random = new SplittableRandom(seed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Asia/Kathmandu"})
    void next_fiveFields_isThatOfTheOther(String zone) {
        for (int i = 0; i < SCHEDULES; i++) {
            // A day with a star and a step restricts over there, and does not in Vixie cron.
            String ofMonth = field(1, 28).replaceFirst("^\\*/.*", "*");
            String ofWeek = field(0, 6).replaceFirst("^\\*/.*", "*");
            String text = String.join(" ", field(0, 59), field(0, 23), ofMonth, field(1, 12), ofWeek);
            check(text, UNIX, text, ZoneId.of(zone));
        }
    }

    /** Its days of the week have other numbers, hence names, and of both kinds of days one has to be a question mark. */
    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Asia/Kathmandu"})
    void next_sixFieldsAndSpecialDays_isThatOfTheOther(String zone) {
        for (int i = 0; i < SCHEDULES; i++) {
            String month = field(1, 12);
            String days = random.nextBoolean() ? special() + " " + month + " ?" : "? " + month + " " + weekday();
            String text = field(0, 59) + " " + field(0, 59) + " " + field(0, 23) + " " + days;
            check(text, QUARTZ, text, ZoneId.of(zone));
        }
    }

    private String special() {
        return switch (random.nextInt(4)) {
            case 0 -> "L";
            case 1 -> "LW";
            // Where the 28th of February is a Sunday the other one stays on it; Quartz says the Friday before.
            case 2 -> random.nextInt(1, 28) + "W";
            default -> "L-" + random.nextInt(1, 20);
        };
    }

    private String weekday() {
        String day = WEEK.get(random.nextInt(7));
        return random.nextBoolean() ? day + "#" + random.nextInt(1, 5) : day;
    }

    private String field(int min, int max) {
        int first = random.nextInt(min, max);
        int last = random.nextInt(first, max) + 1;
        return switch (random.nextInt(6)) {
            case 0, 1 -> "*";
            case 2 -> "*/" + random.nextInt(1, max - min + 1);
            case 3 -> first + "-" + last;
            case 4 -> first + "-" + last + "/" + random.nextInt(1, 5);
            default ->
                IntStream.range(0, random.nextInt(1, 4))
                        .map(n -> random.nextInt(min, max + 1))
                        .sorted()
                        .distinct()
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(","));
        };
    }

    private void check(String ours, CronParser parser, String theirs, ZoneId zone) {
        Instant from = ZonedDateTime.of(2020, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC)
                .toInstant()
                .plusSeconds(random.nextInt(300_000_000));
        ExecutionTime other = ExecutionTime.forCron(parser.parse(theirs));
        CronSchedule schedule = CronSchedule.parse(ours);
        Instant point = from;
        for (int i = 0; i < POINTS; i++) {
            Instant expected =
                    other.nextExecution(point.atZone(zone)).orElseThrow().toInstant();
            point = schedule.next(point, zone);
            assertThat(point)
                    .as("%s after %s in %s, seed %s", ours, from, zone, seed)
                    .isEqualTo(expected);
        }
    }
}
