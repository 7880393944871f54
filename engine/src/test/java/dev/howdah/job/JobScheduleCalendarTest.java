package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.unique.Unique;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Schedules with a calendar, with a key, and with policies for changes of the clocks. */
@Tag("long")
@PostgresTest
class JobScheduleCalendarTest {
    /** No node takes from its queue: it waits. */
    private static final NewJob<String> WAITS =
            NewJob.of(Kind.of("waits", String.class), "x").queue("q");

    private final TestDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();

    JobScheduleCalendarTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    @BeforeEach
    void install() {
        JobsDatabase.in(database);
    }

    private Jobs node() {
        Jobs node = Jobs.on(Sources.of(database))
                .handle(Kind.of("tick", String.class), (name, job) -> {})
                .start();
        nodes.add(node);
        return node;
    }

    @AfterEach
    void stop() {
        nodes.forEach(Jobs::close);
    }

    private void awaitTrue(String sql) {
        Sources.awaitTrue(database, sql);
    }

    private long number(String sql) {
        return Long.parseLong(String.valueOf(database.value(sql)));
    }

    private LocalDate today() {
        return LocalDate.parse(String.valueOf(database.value("SELECT (now() AT TIME ZONE 'UTC')::date")));
    }

    @Test
    void schedule_onAHoliday_addsNothingUntilTheDayIsNone() {
        Jobs jobs = node();
        Set<LocalDate> days = Set.of(today(), today().plusDays(1), today().plusDays(2));
        assertThat(jobs.schedules().addHolidays("all", days)).isEqualTo(3);
        assertThat(jobs.schedules().addHolidays("all", days)).isZero();
        jobs.schedule(Schedule.every("other", Duration.ofSeconds(1)), WAITS.queue("other"));
        jobs.schedule(Schedule.every("s", Duration.ofSeconds(1)).calendar("all"), WAITS);
        awaitTrue(
                "SELECT count(*) >= 3 FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane WHERE l.queue = 'other'");
        awaitTrue("SELECT next_at > now() + interval '1 day' FROM howdah.schedule WHERE name = 's'");
        Schedules.Entry entry = jobs.schedules().all().get(1);
        assertThat(entry.schedule())
                .extracting(Schedule::calendar, Schedule::onHoliday)
                .containsExactly("all", Schedule.OnHoliday.SKIP);
        assertThat(entry.next(3))
                .allMatch(each -> LocalDate.ofInstant(each, ZoneOffset.UTC).isAfter(today().plusDays(2)));
        assertThat(jobs.schedules().removeHolidays("all", List.of(today(), today().plusDays(9))))
                .isEqualTo(1);
        awaitTrue("SELECT last_at IS NOT NULL FROM howdah.schedule WHERE name = 's'");
        assertThat(jobs.schedules().holidays("all")).containsExactly(today().plusDays(1), today().plusDays(2));
    }

    @Test // its time was planned when the day was none
    void schedule_whoseCalendarChangesWhileNoNodeRuns_keepsToIt() {
        database.execute("SELECT howdah.schedule('s', 'q', 'k', cron => '* * * * * *');"
                + " SELECT howdah.schedule('o', 'o', 'k', cron => '* * * * * *');"
                + " UPDATE howdah.schedule SET next_at = date_trunc('second', now()) - interval '5 s'");
        database.execute(
                "INSERT INTO howdah.holiday SELECT 'c', (now() AT TIME ZONE 'UTC')::date + d FROM generate_series(-1, 1) d");
        database.execute(
                "UPDATE howdah.schedule SET calendar = 'c' WHERE name = 's';"
                        + " UPDATE howdah.schedule SET next_at = date_trunc('second', now()) - interval '5 s' WHERE name = 's'");
        node();
        awaitTrue(
                "SELECT count(*) > 0 FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane WHERE l.queue = 'o'");
        awaitTrue("SELECT next_at > now() + interval '1 hour' FROM howdah.schedule WHERE name = 's'");
        assertThat(
                        number(
                                "SELECT count(*) FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane WHERE l.queue = 'q'"))
                .isZero();
    }

    @Test
    void previews_ofAStoredSchedule_agreeInJavaAndSql() {
        try (Jobs jobs = Jobs.on(JobsDatabase.source(database.uri())).start()) {
            Set<LocalDate> days = Set.of(today().plusDays(1), today().plusDays(2), today().plusDays(4));
            jobs.schedules().addHolidays("c", days);
            Instant from = Instant.parse("2020-01-01T00:00:03.5Z");
            Map<String, Schedule> all = Map.of(
                    "a", Schedule.cron("a", "0 9-17/4 * * *"),
                    "b", Schedule.every("b", Duration.ofMinutes(433)),
                    "c", Schedule.every("c", Duration.ofDays(2)));
            for (Schedule.OnHoliday policy : Schedule.OnHoliday.values()) {
                all.values()
                        .forEach(each -> jobs.schedule(
                                each.zone("America/New_York")
                                        .from(from)
                                        .calendar("c")
                                        .onHoliday(policy),
                                WAITS));
                for (Schedules.Entry entry : jobs.schedules().all()) {
                    Schedule schedule = Objects.requireNonNull(entry.schedule());
                    Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
                    List<String> sql = database
                            .query("SELECT to_char(r AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM"
                                    + " howdah.schedule_runs('" + entry.name() + "', 20, '" + now + "') r")
                            .stream()
                            .map(row -> String.valueOf(row.get(0)))
                            .toList();
                    assertThat(sql.stream().map(Instant::parse).toList())
                            .as(schedule.toString())
                            .isEqualTo(schedule.next(20, now, entry.holidays()));
                }
            }
            assertThatThrownBy(() -> Schedule.cron("x", "@daily").calendar("c").next(1, Instant.now()))
                    .hasMessageContaining("has the calendar c");
        }
    }

    @Test
    void schedule_withAKeyThatIsTaken_addsNone() throws SQLException {
        Jobs jobs = node();
        jobs.schedule(
                Schedule.every("s", Duration.ofSeconds(1)),
                WAITS.key("k").tags("eu").metadata(Map.of("by", "schedule")));
        awaitTrue("SELECT skipped >= 2 FROM howdah.schedule");
        assertThat(number("SELECT count(*) FROM howdah_internal.job")).isEqualTo(1);
        assertThat(database.query("SELECT key, tags, metadata ->> 'by' FROM howdah.jobs WHERE state = 'waiting'"))
                .hasToString("[[k, [\"eu\"], schedule]]");
        assertThat(jobs.schedules().runNow("s")).isEqualTo(number("SELECT id FROM howdah_internal.job"));
        // By hand as well.
        assertThat(jobs.add(WAITS.key("k")).added()).isFalse();
        long first = number("SELECT last_job FROM howdah.schedule");
        jobs.admin().cancel(first);
        awaitTrue("SELECT last_job <> " + first + " FROM howdah.schedule");
        jobs.schedules().remove("s");
        database.execute("SELECT howdah.cancel(id) FROM howdah_internal.job");
        // Another transaction that is adding one with the key holds up no other schedule.
        try (Connection connection = JobsDatabase.source(database.uri()).getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT howdah.add('q', 'waits', '1', key => 'k')");
            jobs.schedule(Schedule.every("s", Duration.ofSeconds(1)), WAITS.key("k"));
            jobs.schedule(Schedule.every("other", Duration.ofSeconds(1)), WAITS.queue("other"));
            awaitTrue("SELECT skipped >= 2 FROM howdah.schedule WHERE name = 's'");
            awaitTrue("SELECT count(*) >= 2 FROM howdah.jobs WHERE queue = 'other' AND state = 'waiting'");
            connection.rollback();
        }
        awaitTrue("SELECT last_job IS NOT NULL FROM howdah.schedule WHERE name = 's'");
    }

    @Test
    void schedule_withARuleOfUniqueness_keepsToIt() {
        Jobs jobs = node();
        database.execute("SELECT howdah.schedule('broken', 'q', 'k', period => '1 s', options =>"
                + " '{\"unique\": {\"while\": \"waiting\"}}')");
        jobs.schedule(
                Schedule.every("s", Duration.ofSeconds(1)), WAITS.tags("eu").unique(Unique.byPayload()));
        awaitTrue("SELECT skipped >= 2 FROM howdah.schedule WHERE name = 's'");
        awaitTrue("SELECT error IS NOT NULL FROM howdah.schedule WHERE name = 'broken'");
        assertThat(number("SELECT count(*) FROM howdah_internal.job")).isEqualTo(1);
        assertThat(jobs.add(WAITS.unique(Unique.byPayload())).added()).isFalse();
    }

    @Test
    void schedule_thatIsWrong_isRefusedWithWhatIsRight() {
        for (List<String> each : List.of(
                List.of("calendar => 'none'", "schedule s: there is no calendar 'none'"),
                List.of("on_holiday => 'x'", "schedule s: on_holiday is 'x'"),
                List.of("skipped_hour => 'both'", "schedule s: skipped_hour is 'both'"),
                List.of("doubled_hour => 'skip'", "schedule s: doubled_hour is 'skip'"),
                List.of("key => ''", "schedule s: a key has 1 to 400 characters, not 0"),
                List.of("key => 'k', overlap => 'queue_one'", "schedule s: a key, and overlap queue_one"),
                List.of("options => '{\"tag\": 1}'", "there is no option \"tag\"")))
            assertThatThrownBy(() -> database.execute(
                            "SELECT howdah.schedule('s', 'q', 'k', cron => '@daily', " + each.get(0) + ")"))
                    .hasMessageContaining(each.get(1));
        try (Jobs jobs = Jobs.on(JobsDatabase.source(database.uri())).start()) {
            assertThatThrownBy(() -> jobs.schedule(
                            Schedule.cron("s", "@daily").overlap(Schedule.Overlap.QUEUE_ONE), WAITS.key("k")))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> jobs.schedule(Schedule.cron("s", "@daily").calendar("none"), WAITS))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("there is no calendar 'none'");
        }
        assertThatThrownBy(() -> database.execute("SELECT howdah.add_holidays('c', '{NULL}')"))
                .hasMessageContaining("array of dates without NULL");
    }
}
