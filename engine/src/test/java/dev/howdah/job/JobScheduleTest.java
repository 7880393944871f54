package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that repeat, kept in the database. Its zone is half an hour off. */
@PostgresTest
class JobScheduleTest {
    private static final Kind<String> TICK = Kind.of("tick", String.class);

    private final TestDatabase database;
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final List<Jobs> nodes = new ArrayList<>();

    JobScheduleTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    @BeforeEach
    void start() {
        database.execute("ALTER DATABASE " + database.name() + " SET TimeZone = 'Asia/Kolkata'");
    }

    private Jobs node() {
        Jobs node = Jobs.on(Sources.of(database))
                .handle(TICK, (name, job) -> ran.add(name))
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

    /** Every job that a schedule has added, with the time it was for. */
    /** Of the jobs that are done: one that was given back is in two batches. */
    private String times() {
        return "(SELECT b.run_at + COALESCE(u.o, 0) * interval '1 ms' AS at, u.payload::text AS payload FROM howdah_internal.batch b,"
                + " unnest(b.ids, b.run_offsets, b.payloads) WITH ORDINALITY AS u (id, o, payload, n)"
                + " WHERE b.ended IS NOT NULL AND COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') = 'd') AS t";
    }

    @Test
    void schedule_everySecondFromSql_isKeptOnItsGrid() {
        node();
        database.execute("SELECT howdah.schedule('s', 'default', 'tick', '\"sql\"', cron => '* * * * * *')");
        awaitTrue("SELECT count(*) >= 3 FROM " + times());
        assertThat(database.value(
                        "SELECT count(*) = count(DISTINCT at) AND bool_and(date_trunc('second', at) = at) FROM "
                                + times()))
                .isEqualTo("t");
        assertThat(database.value("SELECT howdah.unschedule('s') AND NOT howdah.unschedule('s')"))
                .isEqualTo("t");
        await().until(() -> ran.contains("sql"));
    }

    @Test
    void schedule_ofAClockThatWasAhead_goesOnWhenItIsSetBack() {
        node().close();
        database.execute("SELECT howdah.schedule('period', 'default', 'tick', '\"period\"', period => '1 s');"
                + " SELECT howdah.schedule('cron', 'default', 'tick', '\"cron\"', cron => '* * * * * *');"
                + " SELECT howdah.schedule('later', 'default', 'tick', '\"later\"', cron => '0 0 1 1 *');"
                + " UPDATE howdah.schedule SET last_at = now() + interval '8 hours',"
                + " next_at = now() + interval '8 hours 1 second' WHERE name <> 'later';"
                + " UPDATE howdah.schedule SET last_at = now() - interval '1 day',"
                + " next_at = '2099-01-01 00:00:00Z' WHERE name = 'later'");
        node();
        await().until(() -> ran.contains("period") && ran.contains("cron"));
        assertThat(database.value("SELECT bool_and(last_at < now() + interval '1 minute') FROM howdah.schedule"))
                .isEqualTo("t");
        assertThat(database.value("SELECT extract(year FROM next_at) FROM howdah.schedule WHERE name = 'later'"))
                .isEqualTo("2099");
    }

    @Tag("long")
    @Test
    void schedule_ofSeveralNodes_addsEachTimeOnce() {
        for (int i = 0; i < 4; i++) node();
        for (int i = 0; i < 20; i++)
            nodes.get(0).schedule(Schedule.every("s" + i, Duration.ofSeconds(1)), NewJob.of(TICK, "s" + i));
        awaitTrue("SELECT count(*) >= 60 FROM " + times());
        for (int i = 0; i < 20; i++) nodes.get(0).schedules().pause("s" + i);
        awaitTrue("SELECT (SELECT count(*) FROM howdah_internal.job)"
                + " + (SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL) = 0");
        String ticks = "SELECT s.name, round(extract(epoch FROM t.at - s.starts_at)) AS tick,"
                + " extract(epoch FROM t.at - s.starts_at) AS exact FROM " + times()
                + " JOIN howdah.schedule s ON t.payload = to_json(s.name)::text";
        assertThat(database.query(
                        "SELECT name, tick, count(*) FROM (" + ticks + ") t GROUP BY 1, 2 HAVING count(*) > 1"))
                .as("times added twice")
                .isEmpty();
        assertThat(database.query("SELECT name, max(tick), count(*) FROM (" + ticks
                        + ") t GROUP BY 1 HAVING count(*) <> max(tick) + 1"))
                .as("times left out")
                .isEmpty();
        assertThat(database.value("SELECT max(abs(exact - tick)) < 0.002 FROM (" + ticks + ") t"))
                .as("counted from the planned time")
                .isEqualTo("t");
    }

    @ParameterizedTest
    @CsvSource({"skip, 0", "once, 1", "all, 5"})
    void schedule_whoseTimesWereMissed_makesUpAsItsPolicySays(String policy, int jobs) {
        try (Jobs none = Jobs.on(Sources.of(database)).start()) {
            none.schedule(Schedule.every("s", Duration.ofHours(1)), NewJob.of(TICK, "s"));
        }
        database.execute("UPDATE howdah.schedule SET missed = '" + policy
                + "', next_at = now() - interval '4 h 30 min', starts_at = now() - interval '9 h 30 min'");
        // As if it had been so all the time: the change itself is none.
        database.execute("UPDATE howdah.schedule SET next_at = starts_at + interval '5 h'");
        node();
        awaitTrue("SELECT next_at = starts_at + interval '10 h' FROM howdah.schedule");
        awaitTrue("SELECT count(*) = " + jobs + " FROM " + times());
        assertThat(database.value(
                        "SELECT COALESCE(max(at) = max(s.starts_at) + interval '9 h', true) FROM howdah.schedule s, "
                                + times()))
                .isEqualTo("t");
        assertThat(database.value("SELECT (last_at IS NOT NULL)::text FROM howdah.schedule"))
                .isEqualTo(Boolean.toString(jobs > 0));
    }

    @Test
    void schedule_changedWhileNodesRun_isFollowedWithinTwoSeconds() {
        Jobs jobs = node();
        jobs.schedule(Schedule.cron("s", "0 0 1 1 *").zone("America/New_York"), NewJob.of(TICK, "s"));
        awaitTrue("SELECT next_at IS NOT NULL FROM howdah.schedule");
        assertThat(
                        database.value(
                                "SELECT to_char(next_at AT TIME ZONE 'America/New_York', 'MM-DD HH24:MI') FROM howdah.schedule"))
                .isEqualTo("01-01 00:00");
        String before = database.value("SELECT next_at FROM howdah.schedule");
        jobs.schedule(Schedule.cron("s", "0 0 1 1 *").zone("America/New_York"), NewJob.of(TICK, "said again"));
        assertThat(database.value("SELECT next_at FROM howdah.schedule")).isEqualTo(before);
        database.execute("UPDATE howdah.schedule SET cron = '* * * * * *'");
        awaitTrue("SELECT count(*) >= 1 FROM " + times());
        await().until(() -> ran.contains("said again"));
    }

    @Test
    void schedule_paused_addsNothing_andResumedMakesUpForNothing() {
        Jobs jobs = node();
        jobs.schedule(Schedule.cron("s", "* * * * * *").missed(Schedule.Missed.ALL), NewJob.of(TICK, "s"));
        awaitTrue("SELECT last_at IS NOT NULL FROM howdah.schedule");
        assertThat(jobs.schedules().pause("s")).isTrue();
        assertThat(jobs.schedules().pause("s")).isFalse();
        String last = database.value("SELECT last_at FROM howdah.schedule");
        assertThat(jobs.schedules().all().get(0).paused()).isTrue();
        assertThat(jobs.schedules().all().get(0).next(3)).isEmpty();
        awaitTrue("SELECT clock_timestamp() > '" + last + "'::timestamptz + interval '2.2 s'");
        assertThat(database.value("SELECT last_at FROM howdah.schedule")).isEqualTo(last);
        database.execute("SELECT howdah.resume_schedule('s')");
        awaitTrue("SELECT last_at > '" + last + "' FROM howdah.schedule");
        assertThat(database.value(
                        "SELECT count(*) FROM " + times() + " WHERE at = '" + last + "'::timestamptz + interval '1 s'"))
                .as("what was planned in the pause")
                .isEqualTo("0");
        assertThat(jobs.schedules().resume("s")).isFalse();
        assertThat(jobs.schedules().pause("none")).isFalse();
    }

    @Test
    void schedules_show_theNextTimes() {
        Jobs jobs = node();
        jobs.schedule(
                Schedule.cron("s", "30 3 * * *").zone("Europe/Berlin"),
                NewJob.of(TICK, "x").queue("night"));
        awaitTrue("SELECT next_at IS NOT NULL FROM howdah.schedule");
        Schedules.Entry entry = jobs.schedules().all().get(0);
        assertThat(jobs.schedules().find("s")).map(Schedules.Entry::nextAt).hasValue(entry.nextAt());
        assertThat(jobs.schedules().find("none")).isEmpty();
        assertThat(entry.queue()).isEqualTo("night");
        assertThat(entry.payload()).isEqualTo("\"x\"");
        List<Instant> next = entry.next(3);
        assertThat(next).hasSize(3).isSorted().startsWith(entry.nextAt());
        assertThat(next)
                .allSatisfy(each -> assertThat(each.atZone(java.time.ZoneId.of("Europe/Berlin"))
                                .toLocalTime())
                        .hasToString("03:30"));
        assertThat(jobs.schedules().remove("s")).isTrue();
        assertThat(jobs.schedules().all()).isEmpty();
    }

    @ParameterizedTest // Java's short names, which older ones list as no zone
    @CsvSource({"EST, 17", "est, 17"})
    void zone_ofJavasShortNames_isKeptByItsNameAndFixed(String zone, int hour) {
        Jobs jobs = node();
        jobs.schedule(Schedule.cron("s", "0 12 * * *").zone(zone), NewJob.of(TICK, "x"));
        assertThat(database.value("SELECT zone FROM howdah.schedule")).isEqualTo(zone);
        awaitTrue("SELECT next_at IS NOT NULL AND error IS NULL FROM howdah.schedule");
        Schedules.Entry entry = jobs.schedules().all().get(0);
        assertThat(entry.next(400))
                .allSatisfy(each -> assertThat(
                                each.atOffset(java.time.ZoneOffset.UTC).getHour())
                        .isEqualTo(hour));
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"MST, 19", "HST, 22"})
    void zone_ofFurtherShortNamesOfJava_isKeptByItsNameAndFixed(String zone, int hour) {
        zone_ofJavasShortNames_isKeptByItsNameAndFixed(zone, hour);
    }

    @ParameterizedTest // the function refuses them
    @CsvSource(
            delimiter = '|',
            value = {
                "cron = '0 0 31 2 *' | there is no such day",
                "cron = '99 * * * *' | minute field is '99'",
                "zone = 'posixrules' | there is no zone",
            })
    void schedule_writtenToTheTableThatNodesCannotKeep_saysWhyInItsRow(String change, String words) {
        Jobs jobs = node();
        database.execute("SELECT howdah.schedule('s', 'default', 'tick', cron => '0 0 1 1 *')");
        database.execute("UPDATE howdah.schedule SET " + change);
        awaitTrue("SELECT error IS NOT NULL FROM howdah.schedule");
        assertThat(jobs.schedules().all().get(0).error()).contains(words);
        database.execute("SELECT howdah.schedule('s', 'default', 'tick', cron => '* * * * * *')");
        awaitTrue("SELECT error IS NULL AND last_at IS NOT NULL FROM howdah.schedule");
    }

    @Test // one that cannot be kept says so, and keeps no other from being kept
    void schedules_farOutsideOfTime_holdUpNoOthers() {
        Jobs jobs = node();
        database.execute("SELECT howdah.schedule('first', 'default', 'tick', '1', cron => '0 0 * * *');"
                + " UPDATE howdah.schedule SET starts_at = '290000-01-01', missed = 'all';"
                + " INSERT INTO howdah.schedule (name, queue, kind, period, missed, starts_at, next_at) VALUES"
                + " ('last of time', 'default', 'tick', '1 s', 'once', '294276-01-01', NULL),"
                + " ('long ago', 'default', 'tick', '1 s', 'all', '4000-01-01 BC', '4000-01-01 BC'),"
                + " ('long', 'default', 'tick', '2000000000 h', 'once', now(), now());"
                + " SELECT howdah.schedule('kept', 'default', 'tick', '\"kept\"', period => '1 s')");
        await().until(() -> ran.contains("kept"));
        awaitTrue("SELECT count(error) >= 3 FROM howdah.schedule");
        assertThat(database.query(
                        "SELECT name, error ~ 'in the years 1 to 9999$', error ~ 'longer than a thousand years$'"
                                + " FROM howdah.schedule WHERE error IS NOT NULL ORDER BY name"))
                .hasToString("[[first, t, f], [long, f, t], [long ago, t, f]]");
        assertThat(jobs.schedules().all()).hasSize(5);
    }

    @Test
    void schedule_ofAJobWithMoreThanItKeeps_isRefused() {
        Jobs jobs = node();
        for (NewJob<String> each : List.of(
                NewJob.of(TICK, "x").key("k").version(Instant.EPOCH),
                NewJob.of(TICK, "x").orderKey("k"),
                NewJob.of(TICK, "x").maxAttempts(3),
                NewJob.of(TICK, "x").timeout(Duration.ofSeconds(1)),
                NewJob.of(TICK, "x").delay(Duration.ofSeconds(1))))
            assertThatThrownBy(() -> jobs.schedule(Schedule.every("s", Duration.ofHours(1)), each))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("schedule s: its job has a ");
        assertThat(jobs.schedules().all()).isEmpty();
    }

    @Test
    void schedule_fromSqlThatIsWrong_isRefused() {
        Map<String, String> refusals = Map.ofEntries(
                Map.entry("cron => '* * *'", "schedule s: it has 3 fields, not the 5"),
                Map.entry("cron => '99 * * * *'", "schedule s: the minute field is '99'; it takes 0 to 59,"),
                Map.entry("cron => '0 0 31 2 *'", "schedule s: there is no such day"),
                Map.entry("cron => '@reboot'", "schedule s: '@reboot' is none of @annually"),
                Map.entry("cron => '@daily', zone => 'UTC+3'", "schedule s: there is no zone 'UTC+3'"),
                Map.entry("cron => '@daily', zone => 'Mars/Olympus'", "there is no zone 'Mars/Olympus'"),
                Map.entry("cron => '@daily', period => '1 h'", "either cron or period"),
                Map.entry("queue => 'q'", "either cron or period"),
                Map.entry("period => '1 month'", "a period of 1 mon cannot be kept"),
                Map.entry("period => '0.5 s'", "a period of 00:00:00.5 cannot be kept"),
                Map.entry("cron => '@daily', missed => 'twice'", "missed is 'twice'"),
                Map.entry("cron => '@daily', priority => 101", "a priority of 101: it has to be from -100 to 100"),
                Map.entry("cron => '@daily', starts_at => '10000-01-01 UTC'", "it has to be in the years 1 to 9999"),
                Map.entry("cron => '@daily', starts_at => 'infinity'", "it has to be in the years 1 to 9999"),
                Map.entry("period => '366001 days'", "a period of 366001 days cannot be kept"),
                Map.entry("queue => '', cron => '@daily'", "the name of a queue has 1 to 200 characters"));
        refusals.forEach((timing, words) -> {
            String queue = timing.startsWith("queue") ? timing : "queue => 'default', " + timing;
            assertThatThrownBy(() ->
                            database.execute("SELECT howdah.schedule(name => 's', kind => 'tick', " + queue + ")"))
                    .hasMessageContaining(words);
        });
    }

    @Test
    void schedule_onTheOldestServer_isKept() {
        try (TestDatabase oldest =
                TestDatabase.create(TestServer.of(TestServer.majors().get(0)))) {
            try (Jobs jobs = Jobs.on(Sources.of(oldest))
                    .handle(TICK, (name, job) -> ran.add(name))
                    .start()) {
                jobs.schedule(Schedule.every("s", Duration.ofSeconds(1)), NewJob.of(TICK, "old"));
                Sources.awaitTrue(oldest, "SELECT last_at IS NOT NULL FROM howdah.schedule");
            }
        }
    }
}
