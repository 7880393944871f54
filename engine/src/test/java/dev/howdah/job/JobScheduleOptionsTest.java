package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schedules with a jitter, with a bound of what is caught up with, and run at once. */
@PostgresTest
@Tag("long")
class JobScheduleOptionsTest {
    /** No node takes from its queue: it waits. */
    private static final NewJob<String> WAITS =
            NewJob.of(Kind.of("waits", String.class), "x").queue("q");

    private final TestDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();

    JobScheduleOptionsTest(TestDatabase database) {
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

    @Test // what was planned before the pause is not missed, not even what is only some seconds ago
    void schedule_pausedAndResumed_hasNoPlannedTimeUntilANodeFindsTheNext() {
        for (String times :
                List.of("cron => '0 * * * *'", "period => '1 h', starts_at => now() - interval '1 h 20 s'")) {
            database.execute("SELECT howdah.schedule('s', 'default', 'tick', " + times
                    + "); UPDATE howdah.schedule SET next_at = now() - interval '20 s'");
            assertThat(database.value("SELECT next_at < now() FROM howdah.schedule"))
                    .isEqualTo("t");
            database.execute("SELECT howdah.pause_schedule('s'); SELECT howdah.resume_schedule('s')");
            assertThat(database.value("SELECT next_at IS NULL AND paused IS NULL FROM howdah.schedule"))
                    .isEqualTo("t");
        }
    }

    @Test
    void jitter_movesTheJobs_andNotTheTimes() {
        Jobs jobs = node();
        jobs.schedule(Schedule.every("s", Duration.ofSeconds(1)).jitter(Duration.ofSeconds(1)), WAITS);
        awaitTrue("SELECT count(*) >= 4 FROM howdah_internal.job");
        assertThat(database.value(
                        "SELECT extract(epoch FROM last_at - starts_at)::numeric % 1 = 0 FROM howdah.schedule"))
                .as("the planned time")
                .isEqualTo("t");
        assertThat(database.value("SELECT count(DISTINCT extract(epoch FROM j.run_at - s.starts_at)::numeric % 1) > 1"
                        + " FROM howdah_internal.job j, howdah.schedule s"))
                .as("times that are moved by different amounts")
                .isEqualTo("t");
        assertThat(
                        database.value(
                                "SELECT max(j.run_at) <= max(s.last_at) + interval '1 s' AND min(j.run_at)"
                                        + " >= min(s.starts_at) FROM howdah_internal.job j, howdah.schedule s WHERE j.run_at < s.next_at"))
                .isEqualTo("t");
        assertThat(jobs.schedules().all().get(0).schedule())
                .extracting(Schedule::jitter)
                .isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest // of times 4.5, 3.5, ... hours ago: how many jobs, and how long ago the last of them was planned
    @CsvSource({
        "ALL, 2 h, 2",
        "ALL, 4 h 30 min 1 s, 5",
        "ALL, 0, 0",
        "ONCE, 31 min, 1",
        "ONCE, 29 min, 0",
        "SKIP, 9 h, 0"
    })
    void catchUp_leavesOutWhatIsLongerAgo(Schedule.Missed missed, String catchUp, int jobs) {
        try (Jobs none = Jobs.on(Sources.of(database)).start()) {
            none.schedule(
                    Schedule.every("s", Duration.ofHours(1)).missed(missed).catchUp(Duration.ofHours(5)), WAITS);
        }
        database.execute(
                "UPDATE howdah.schedule SET starts_at = now() - interval '4 h 30 min', catch_up = '" + catchUp + "'");
        database.execute("UPDATE howdah.schedule SET next_at = starts_at");
        node();
        awaitTrue("SELECT next_at = starts_at + interval '5 h' FROM howdah.schedule");
        assertThat(database.query("SELECT count(*), COALESCE(max(j.run_at) = max(s.starts_at) + interval '4 h', true)"
                        + " FROM howdah_internal.job j, howdah.schedule s"))
                .hasToString("[[" + jobs + ", t]]");
    }

    @Test
    void runNow_ofASchedule_addsOneJobAndMovesNothing() {
        Jobs jobs = node();
        jobs.schedule(Schedule.cron("s", "0 0 1 1 *").overlap(Schedule.Overlap.SKIP), WAITS.priority(-7));
        awaitTrue("SELECT next_at IS NOT NULL FROM howdah.schedule");
        String before = database.query("SELECT * FROM howdah.schedule").toString();
        long first = jobs.schedules().runNow("s");
        jobs.schedules().pause("s");
        String second = database.value("SELECT howdah.run_schedule('s')");
        jobs.schedules().resume("s");
        assertThat(database.query("SELECT id, queue, kind, state, priority, payload FROM howdah.jobs ORDER BY id"))
                .hasToString("[[" + first + ", q, waits, waiting, -7, \"x\"], [" + second
                        + ", q, waits, waiting, -7, \"x\"]]");
        awaitTrue("SELECT next_at IS NOT NULL FROM howdah.schedule");
        assertThat(database.query("SELECT * FROM howdah.schedule").toString()).isEqualTo(before);
        assertThatThrownBy(() -> jobs.schedules().runNow("none"))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("there is no schedule \"none\"");
    }

    @Test
    void jitterAndCatchUp_ofJava_areStoredAndRead() {
        Jobs jobs = node();
        Schedule schedule = Schedule.cron("s", "@hourly")
                .jitter(Duration.ofMinutes(10).plusNanos(1_000))
                .catchUp(Duration.ofDays(2));
        jobs.schedule(schedule, WAITS);
        assertThat(database.query("SELECT jitter, catch_up = interval '48 h' FROM howdah.schedule"))
                .hasToString("[[00:10:00.000001, t]]");
        Schedule read = Objects.requireNonNull(jobs.schedules().all().get(0).schedule());
        assertThat(List.of(read.jitter(), String.valueOf(read.catchUp())))
                .hasToString("[" + schedule.jitter() + ", PT48H]");
        assertThat(schedule)
                .hasToString("s: cron \"@hourly\" in UTC, missed ONCE, jitter PT10M0.000001S, catch-up PT48H");
        jobs.schedule(Schedule.cron("s", "@hourly"), WAITS);
        assertThat(database.query("SELECT jitter, catch_up FROM howdah.schedule"))
                .hasToString("[[00:00:00, null]]");
    }

    @Test
    void jitterAndCatchUp_thatAreWrong_areRefusedInJava() {
        Schedule schedule = Schedule.every("s", Duration.ofSeconds(10));
        assertThat(schedule.jitter(Duration.ofSeconds(10)).jitter()).isEqualTo(Duration.ofSeconds(10));
        assertThatThrownBy(() -> schedule.jitter(Duration.ofSeconds(11)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("schedule s: a jitter of PT11S is longer than the period, PT10S");
        assertThatThrownBy(() -> schedule.jitter(Duration.ofMillis(-1)))
                .hasMessage("schedule s: a jitter of PT-0.001S: it has to be from 0 to a thousand years");
        assertThatThrownBy(() -> schedule.catchUp(Duration.ofDays(366_001)))
                .hasMessageContaining("schedule s: a catch-up of PT8784024H: it has to be from 0 to a thousand years");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "cron => '@hourly', jitter => '1 h 1 us' | a jitter of 01:00:00.000001 cannot be kept | which is 01:00:00",
                "cron => '0 9-17 * * *', jitter => '2 h' | a jitter of 02:00:00 cannot be kept | which is 01:00:00",
                "period => '10 s', jitter => '11 s' | a jitter of 00:00:11 cannot be kept | which is 00:00:10",
                "period => '10 s', jitter => '-1 s' | a jitter of -00:00:01 cannot be kept | from 0 to the time",
                "period => '90 days', jitter => '1 month' | a jitter of 1 mon cannot be kept | in days, hours",
                "period => '10 s', catch_up => '-1 s' | a catch_up of -00:00:01 cannot be kept | 0 or longer",
                "period => '10 s', catch_up => '1 year' | a catch_up of 1 year cannot be kept | in days, hours",
            })
    void jitterAndCatchUp_thatAreWrong_areRefusedInSql(String arguments, String error, String hint) {
        assertThatThrownBy(() -> database.execute("SELECT howdah.schedule('s', 'q', 'k', " + arguments + ")"))
                .hasMessageContaining("schedule s: " + error)
                .hasMessageContaining(hint);
    }

    @Test
    void jitterAndCatchUp_fromSql_areStored() {
        database.execute(
                "SELECT howdah.schedule('s', 'q', 'k', cron => '@hourly', jitter => '1 h', catch_up => '2 days')");
        assertThat(database.query("SELECT jitter, catch_up FROM howdah.schedule"))
                .hasToString("[[01:00:00, 2 days]]");
        database.execute("SELECT howdah.schedule('s', 'q', 'k', period => '10 s', jitter => NULL, catch_up => NULL),"
                + " howdah.schedule('plain', 'q', 'k', period => '10 s')");
        assertThat(database.value("SELECT count(DISTINCT (jitter, catch_up)) FROM howdah.schedule"))
                .as("NULL is as if nothing was given")
                .isEqualTo("1");
    }
}
