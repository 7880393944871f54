package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.CronSyntaxException;
import dev.howdah.internal.schedule.ZoneNames;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code howdah.next_runs} says in SQL what schedules do in Java. */
@PostgresTest
@Tag("long")
class JobNextRunsTest {
    private static final int CASES = 3_000;
    private static final String ANY = "0123456789*/-,?#LWlw ax@\\'%";
    private static final List<String> ZONES = List.of(
            "UTC",
            "Europe/Berlin",
            "America/New_York",
            "Europe/Dublin", // winter time is the negative one
            "Australia/Lord_Howe", // half an hour
            "Antarctica/Troll", // two hours
            "America/Sao_Paulo", // at midnight
            "America/Godthab", // the zone has moved
            "Pacific/Apia", // a day was left out
            "Asia/Kathmandu");

    private final TestDatabase database;
    private final long seed = Long.getLong("howdah.fuzz.seed", 1);
    private final SplittableRandom random = new SplittableRandom(seed);

    JobNextRunsTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    @BeforeEach
    void install() {
        JobsDatabase.in(database);
    }

    private record Case(
            String cron,
            String zone,
            Instant after,
            int runs,
            Schedule.SkippedHour skipped,
            Schedule.DoubledHour doubled,
            @Nullable String calendar,
            Schedule.OnHoliday onHoliday) {
        Case(String cron, String zone, Instant after, int runs) {
            this(
                    cron,
                    zone,
                    after,
                    runs,
                    Schedule.SkippedHour.RUN,
                    Schedule.DoubledHour.FIRST,
                    null,
                    Schedule.OnHoliday.SKIP);
        }

        List<Instant> expected(Map<String, Set<LocalDate>> calendars) {
            Schedule schedule = Schedule.cron("s", cron)
                    .zone(zone)
                    .skippedHour(skipped)
                    .doubledHour(doubled)
                    .onHoliday(onHoliday);
            Set<LocalDate> days = calendar == null ? Set.of() : calendars.getOrDefault(calendar, Set.of());
            return schedule.next(runs, after, days);
        }
    }

    /** What the database says to all of them, asked at once. */
    private static List<List<Instant>> answers(TestDatabase database, List<Case> cases) throws SQLException {
        List<List<Instant>> answers = new ArrayList<>();
        try (Connection connection = JobsDatabase.source(database.uri()).getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT ARRAY(SELECT (extract(epoch FROM r) * 1000000)::bigint FROM howdah.next_runs("
                                + "c.cron, c.zone, c.n, c.after::timestamptz, c.skipped, c.doubled, c.calendar, c.holiday) AS r)"
                                + " FROM unnest(?::text[], ?::text[], ?::integer[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])"
                                + " WITH ORDINALITY AS c (cron, zone, n, after, skipped, doubled, calendar, holiday, i) ORDER BY c.i")) {
            statement.setArray(
                    5, texts(connection, cases, each -> each.skipped().word()));
            statement.setArray(
                    6, texts(connection, cases, each -> each.doubled().word()));
            statement.setArray(7, texts(connection, cases, Case::calendar));
            statement.setArray(
                    8, texts(connection, cases, each -> each.onHoliday().word()));
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "text", cases.stream().map(Case::cron).toArray()));
            statement.setArray(
                    2,
                    connection.createArrayOf(
                            "text", cases.stream().map(Case::zone).toArray()));
            statement.setArray(
                    3,
                    connection.createArrayOf(
                            "integer", cases.stream().map(Case::runs).toArray()));
            statement.setArray(
                    4,
                    connection.createArrayOf(
                            "text",
                            cases.stream().map(each -> each.after().toString()).toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Long[] micros = (Long[]) row.getArray(1).getArray();
                    List<Instant> times = new ArrayList<>();
                    for (long each : micros) times.add(Instant.EPOCH.plus(each, ChronoUnit.MICROS));
                    answers.add(times);
                }
            }
        }
        return answers;
    }

    private static Array texts(Connection connection, List<Case> cases, Function<Case, @Nullable String> text)
            throws SQLException {
        return connection.createArrayOf("text", cases.stream().map(text).toArray());
    }

    private static void assertAgreement(TestDatabase database, List<Case> cases, String as) throws SQLException {
        assertAgreement(database, cases, Map.of(), as);
    }

    private static void assertAgreement(
            TestDatabase database, List<Case> cases, Map<String, Set<LocalDate>> calendars, String as)
            throws SQLException {
        List<List<Instant>> answers = answers(database, cases);
        assertThat(answers).hasSameSizeAs(cases);
        for (int i = 0; i < cases.size(); i++)
            assertThat(answers.get(i))
                    .as("%s, %s", cases.get(i), as)
                    .isEqualTo(cases.get(i).expected(calendars));
    }

    @Test
    void nextRuns_ofRandomSchedules_areThoseOfJava() throws SQLException {
        List<Case> cases = new ArrayList<>();
        while (cases.size() < CASES) {
            String cron = cron();
            if (!isMet(cron)) continue;
            String zone = ZONES.get(random.nextInt(ZONES.size()));
            cases.add(new Case(cron, zone, after(ZoneNames.zone(zone)), random.nextInt(1, 8)));
        }
        assertAgreement(database, cases, "seed " + seed);
    }

    /** With policies for changes of the clocks, and calendars with single days and runs of days, half of them around a change. */
    @Test
    void nextRuns_ofRandomPoliciesAndCalendars_areThoseOfJava() throws SQLException {
        List<Case> cases = new ArrayList<>();
        Map<String, Set<LocalDate>> calendars = new HashMap<>();
        while (cases.size() < 1_000) {
            String cron = cron();
            if (!isMet(cron)) continue;
            String zone = ZONES.get(random.nextInt(ZONES.size()));
            Instant after = after(ZoneNames.zone(zone));
            String calendar = null;
            if (random.nextInt(4) > 0) {
                calendar = "calendar " + cases.size();
                calendars.put(calendar, days(after));
            }
            cases.add(new Case(
                    cron,
                    zone,
                    after,
                    random.nextInt(1, 8),
                    Schedule.SkippedHour.values()[random.nextInt(2)],
                    Schedule.DoubledHour.values()[random.nextInt(2)],
                    calendar,
                    Schedule.OnHoliday.values()[random.nextInt(2)]));
        }
        try (Jobs jobs = Jobs.on(JobsDatabase.source(database.uri())).start()) {
            calendars.forEach((name, days) -> jobs.schedules().addHolidays(name, days));
        }
        assertAgreement(database, cases, calendars, "seed " + seed);
    }

    private Set<LocalDate> days(Instant near) {
        LocalDate day = LocalDate.ofInstant(near, ZoneOffset.UTC).minusDays(random.nextInt(5));
        Set<LocalDate> days = new TreeSet<>();
        for (int i = random.nextInt(1, 12); i > 0; i--) {
            day = day.plusDays(random.nextInt(3) > 0 ? 1 : random.nextInt(40));
            days.add(day);
        }
        return days;
    }

    private static boolean isMet(String cron) {
        try {
            CronSchedule.parse(cron);
            return true;
        } catch (CronSyntaxException e) {
            return false;
        }
    }

    /** Half of them within 30 hours of a change of the clocks. */
    private Instant after(ZoneId zone) {
        Instant any =
                Instant.parse("2000-01-01T00:00:00Z").plus(random.nextLong(820_000_000_000_000L), ChronoUnit.MICROS);
        if (random.nextInt(5) > 0) any = any.truncatedTo(ChronoUnit.SECONDS);
        ZoneOffsetTransition change = zone.getRules().nextTransition(any);
        if (change == null || random.nextBoolean()) return any;
        return switch (random.nextInt(3)) {
            case 0 -> change.getInstant().plusSeconds(random.nextInt(-108_000, 108_000));
            case 1 -> change.getInstant().plusSeconds(random.nextInt(-7_200, 7_200));
            default -> change.getInstant().plus(random.nextInt(-2, 3), ChronoUnit.MICROS);
        };
    }

    private String cron() {
        if (random.nextInt(40) == 0)
            return List.of("@yearly", "@annually", "@MONTHLY", "@weekly", "@daily", "@midnight", " @hourly ")
                    .get(random.nextInt(7));
        String hours = random.nextInt(3) == 0 ? String.valueOf(random.nextInt(0, 4)) : field(0, 23);
        String month = random.nextInt(6) == 0 ? "feb-Apr,OCT" : random.nextBoolean() ? "*" : field(1, 12);
        String five = String.join(" ", field(0, 59), hours, ofMonth(), month, ofWeek());
        return random.nextInt(3) == 0 ? field(0, 59) + " " + five : five;
    }

    private String ofMonth() {
        return switch (random.nextInt(10)) {
            case 0 -> "L";
            case 1 -> "LW";
            case 2 -> random.nextInt(1, 32) + "w";
            case 3 -> "L-" + random.nextInt(0, 31);
            case 4 -> "1W,15,L-2";
            case 5 -> field(1, 31);
            default -> random.nextBoolean() ? "*" : "?";
        };
    }

    private String ofWeek() {
        return switch (random.nextInt(9)) {
            case 0 -> random.nextInt(0, 8) + "#" + random.nextInt(1, 6);
            case 1 -> random.nextInt(0, 8) + "L";
            case 2 -> "L";
            case 3 -> "tue-Thu,SUN";
            case 4 -> "fri-sun";
            case 5 -> field(0, 7);
            case 6 -> "MON#1,Wed,friL";
            default -> "*";
        };
    }

    private String field(int min, int max) {
        int first = random.nextInt(min, max);
        int last = random.nextInt(first, max) + 1;
        return switch (random.nextInt(7)) {
            case 0, 1 -> "*";
            case 2 -> "*/" + random.nextInt(1, max - min + 5);
            case 3 -> first + "-" + last;
            case 4 -> first + "-" + last + "/" + random.nextInt(1, 5);
            case 5 -> Math.min(first, 6) + "/" + random.nextInt(1, 9);
            default ->
                IntStream.range(0, random.nextInt(1, 4))
                        .map(n -> random.nextInt(min, max + 1))
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(","));
        };
    }

    /** Random crons with random characters in other places: both refuse the same, in the same words. */
    @Test
    void crons_thatAreWrong_areRefusedInTheWordsOfJava() throws SQLException {
        List<String> crons = new ArrayList<>(List.of("", " ", "@", "@reboot", "0 0 30 2 *", "0 0 31W 4 ?", "\t"));
        for (int i = 0; i < CASES; i++) {
            StringBuilder cron = new StringBuilder(cron());
            for (int change = random.nextInt(1, 4); change > 0; change--) {
                int at = random.nextInt(cron.length());
                String any = String.valueOf(ANY.charAt(random.nextInt(ANY.length())));
                cron.replace(at, random.nextBoolean() ? at : at + 1, any);
            }
            crons.add(cron.toString());
        }
        database.execute("CREATE FUNCTION complaint(cron text) RETURNS text LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM howdah_internal.cron_plan(cron, ''); RETURN NULL;"
                + " EXCEPTION WHEN invalid_parameter_value THEN RETURN SQLERRM; END $$");
        int wrong = 0;
        try (Connection connection = JobsDatabase.source(database.uri()).getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT complaint(c.cron) FROM unnest(?::text[]) WITH ORDINALITY AS c (cron, i) ORDER BY c.i")) {
            statement.setArray(1, connection.createArrayOf("text", crons.toArray()));
            try (ResultSet row = statement.executeQuery()) {
                for (String cron : crons) {
                    String expected = null;
                    try {
                        CronSchedule.parse(cron);
                    } catch (CronSyntaxException e) {
                        expected = e.getMessage();
                        wrong++;
                    }
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString(1)).as("'%s', seed %s", cron, seed).isEqualTo(expected);
                }
            }
        }
        assertThat(wrong).isBetween(CASES / 4, CASES);
    }

    @Test
    void nextRuns_aroundEveryChange_areThoseOfJava() throws SQLException {
        List<Case> cases = new ArrayList<>();
        for (String zone : ZONES) {
            Instant from = Instant.parse("2009-06-01T00:00:00Z");
            for (int i = 0; i < 6; i++) {
                ZoneOffsetTransition change = ZoneNames.zone(zone).getRules().nextTransition(from);
                if (change == null) break;
                from = change.getInstant();
                for (String cron : List.of("30 2 * * *", "0,30 0-3 * * *", "*/20 * * * *", "15 */2 * * *", "@daily"))
                    cases.add(new Case(cron, zone, from.minus(26, ChronoUnit.HOURS), 20));
            }
        }
        assertThat(cases).hasSizeGreaterThan(150);
        assertAgreement(database, cases, "around a change");
    }

    @Test
    void nextRuns_onTheOldestServer_areThoseOfJava() throws SQLException {
        try (TestDatabase oldest =
                TestDatabase.create(TestServer.of(TestServer.majors().get(0)))) {
            try (Connection connection = JobsDatabase.source(oldest.uri()).getConnection()) {
                Jobs.install(connection);
            }
            Instant winter = Instant.parse("2025-10-25T12:00:00Z");
            assertAgreement(
                    oldest,
                    List.of(
                            new Case("30 2 * * *", "Europe/Berlin", winter, 3),
                            new Case("*/30 * * * *", "Europe/Berlin", winter, 40),
                            new Case("0 0 LW * FRI#2", "America/New_York", winter, 10)),
                    "on the oldest server");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'30 3 * * *', 'Europe/Berlin', 2, '2026-03-28 12:00Z' | 2026-03-29 01:30:00 2026-03-30 01:30:00",
                "'30 2 * * *', 'Europe/Berlin', 2, '2026-03-28 12:00Z' | 2026-03-29 01:00:00 2026-03-30 00:30:00",
                "'30 2 * * *', 'europe/berlin', 2, '2026-10-24 12:00Z' | 2026-10-25 00:30:00 2026-10-26 01:30:00",
                "'30 * * * *', 'CET', 3, '2026-10-25 00:00Z' | 2026-10-25 00:30:00 2026-10-25 01:30:00 2026-10-25 02:30:00",
                "'0 12 * * *', 'CET', 1, '2026-07-01 00:00Z' | 2026-07-01 10:00:00", // a zone, not the abbreviation
                "'0 12 * * *', ' EST ', 1, '2026-07-01 00:00Z' | 2026-07-01 17:00:00",
                "'0 0 30 12 *', 'Pacific/Apia', 2, '2010-12-31 12:00Z' | 2011-12-30 10:00:00 2012-12-29 10:00:00",
                "'0 0 29 2 MON#1', 'UTC', 2, '2026-11-22Z' | 2027-02-01 00:00:00 2028-02-07 00:00:00",
                "'0 0 1 1 *', 'UTC', 1000, '9998-01-01Z' | 9999-01-01 00:00:00",
            })
    void nextRuns_ofASchedule_areThese(String arguments, String times) {
        assertThat(database.value("SELECT string_agg((r AT TIME ZONE 'UTC')::text, ' ') FROM howdah.next_runs("
                        + arguments + ") AS r"))
                .isEqualTo(times);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'30 2 * * *', 'CET', 2, '2026-03-28 12:00Z', skipped_hour => 'skip' | 2026-03-30 00:30:00 2026-03-31 00:30:00",
                "'30 2 * * *', 'CET', 3, '2026-10-24 12:00Z', doubled_hour => 'both' | 2026-10-25 00:30:00 2026-10-25 01:30:00 2026-10-26 01:30:00",
                "'0 9 * * *', 'CET', 2, '2026-12-24 12:00Z', calendar => 'xmas' | 2026-12-27 08:00:00 2026-12-28 08:00:00",
                "'0 9 25 * *', 'CET', 2, '2026-12-24 12:00Z', calendar => 'xmas', on_holiday => 'next_day' | 2026-12-27 08:00:00 2027-01-25 08:00:00",
                "'0 9,10 24,27 * *', 'CET', 3, '2026-12-24 08:30Z', calendar => 'xmas', on_holiday => 'next_day' | 2026-12-24 09:00:00 2026-12-27 08:00:00 2026-12-27 09:00:00",
                "'*/20 * * * *', 'CET', 3, '2026-12-26 22:50Z', calendar => 'xmas', on_holiday => 'next_day' | 2026-12-26 23:00:00 2026-12-26 23:20:00 2026-12-26 23:40:00",
            })
    void nextRuns_withAPolicyOrACalendar_areThese(String arguments, String times) {
        database.execute("SELECT howdah.add_holidays('xmas', '{2026-12-25,2026-12-26}')");
        assertThat(database.value("SELECT string_agg((r AT TIME ZONE 'UTC')::text, ' ') FROM howdah.next_runs("
                        + arguments + ") AS r"))
                .isEqualTo(times);
    }

    @Test
    void nextRuns_withoutMore_areTenInUtcFromNow() {
        assertThat(
                        database.query(
                                "SELECT count(*), min(r) > now(), max(r) <= now() + interval '10 min' FROM howdah.next_runs('* * * * *') AS r"))
                .hasToString("[[10, t, t]]");
        assertThat(database.value("SELECT count(*) FROM howdah.next_runs('* * * * * *', n => 1000)"))
                .isEqualTo("1000");
        assertThat(database.query("SELECT current_setting('TimeZone') = b.zone FROM (SELECT current_setting('TimeZone')"
                        + " AS zone) b, howdah.next_runs('@daily', 'Asia/Tokyo', 1)"))
                .as("the zone of the session is as before")
                .hasToString("[[t]]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'99 * * * *' | cron '99 * * * *': the minute field is '99'; it takes 0 to 59, *, lists (1,2)",
                "'* * *' | cron '* * *': it has 3 fields, not the 5 (minute, hour",
                "'0 0 31 2 *' | cron '0 0 31 2 *': there is no such day",
                "'@reboot' | cron '@reboot': '@reboot' is none of @annually, @daily",
                "NULL | cron is NULL",
                "'@daily', 'Mars/Olympus' | there is no zone 'Mars/Olympus'",
                "'@daily', 'UTC+3' | there is no zone 'UTC+3'",
                "'@daily', 'CEST' | there is no zone 'CEST'",
                "'@daily', '3' | there is no zone '3'",
                "'@daily', '' | there is no zone ''",
                "'@daily', skipped_hour => 'both' | skipped_hour is 'both'",
                "'@daily', calendar => 'xmas' | there is no calendar 'xmas'",
                "'@daily', on_holiday => 'run' | on_holiday is 'run'",
                "'@daily', n => 0 | n is 0: it has to be from 1 to 1000",
                "'@daily', n => 1001 | n is 1001: it has to be from 1 to 1000",
                "'@daily', after => 'infinity' | after is infinity: it has to be in the years 1 to 9999",
            })
    void nextRuns_ofNonsense_sayWhatIsWrong(String arguments, String words) {
        assertThatThrownBy(() -> database.value("SELECT howdah.next_runs(" + arguments + ")"))
                .hasMessageContaining(words);
    }
}
