package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.internal.schedule.PastTimes;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The jobs of the last times of a schedule. */
@PostgresTest
@Tag("long")
class JobScheduleHistoryTest {
    private final TestDatabase database;
    private final Schedules schedules;

    JobScheduleHistoryTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
        this.schedules = Jobs.on(JobsDatabase.dataSource(database)).schedules();
    }

    /** Hours ago: 0 waits, 1 done with the second attempt, 2 failed, 3 cancelled before it began, 4 nothing, 5 done in a batch of several kinds. */
    @BeforeEach
    void fill() throws SQLException {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        }
        database.execute("SELECT howdah.schedule('hourly', 'mail', 'send', period => '1 h');"
                + " SELECT howdah.schedule('none', 'mail', 'send', period => '1 h');"
                + " UPDATE howdah.schedule SET last_at = date_trunc('hour', now()), last_job = 60,"
                + " starts_at = date_trunc('hour', now()) - interval '30 h' WHERE name = 'hourly';"
                + " SELECT howdah.pause('mail'); SELECT howdah.pause('other');"
                + " INSERT INTO howdah_internal.lane_priority (lane, priority) SELECT id, 0 FROM howdah_internal.lane;"
                + " CREATE FUNCTION lane(text) RETURNS integer LANGUAGE sql AS"
                + " $$SELECT id FROM howdah_internal.lane WHERE queue = $1$$;"
                + " CREATE FUNCTION hour(integer) RETURNS timestamptz LANGUAGE sql AS"
                + " $$SELECT date_trunc('hour', now()) - $1 * interval '1 h'$$;"
                + " INSERT INTO howdah_internal.job (id, lane, kind, run_at) VALUES (60, lane('mail'), 'send', hour(0)),"
                + " (61, lane('mail'), 'other', hour(0)), (62, lane('other'), 'send', hour(0)),"
                + " (63, lane('mail'), 'send', hour(0) - interval '5 minutes');"
                + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error)"
                + " VALUES (40, lane('mail'), 'failed', 'send', 0, 1, 0, hour(2), hour(2), 'no'),"
                + " (30, lane('mail'), 'cancelled', 'send', 0, 0, 0, hour(3), hour(3) + interval '1 minute', 'cancelled');"
                + " INSERT INTO howdah_internal.batch (id, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at,"
                + " run_offsets, kind, kinds, payloads, ended, begins, runs, outcomes)"
                + " SELECT (extract(epoch FROM b.at) * 1000000)::bigint + 2000000, 1, lane('mail'), true, false, cardinality(b.ids),"
                + " b.ids[1], b.ids[cardinality(b.ids)], b.ids, b.at, b.offsets, b.kind, b.kinds,"
                + " array_fill('{}'::json, ARRAY[cardinality(b.ids)]), now(), array_fill(1, ARRAY[cardinality(b.ids)]),"
                + " array_fill(1, ARRAY[cardinality(b.ids)]), b.outcomes"
                + " FROM (VALUES (hour(1), '{50}'::bigint[], NULL::integer[], 'send', NULL::text[], 'r'),"
                + " (hour(1) + interval '3 minutes', '{50}', NULL, 'send', NULL, NULL), (hour(2), '{40}', NULL, 'send', NULL, 'f'),"
                + " (hour(5) - interval '20 ms', '{18,19,20}', '{0,20,20}', NULL, '{send,other,send}', NULL))"
                + " AS b (at, ids, offsets, kind, kinds, outcomes)");
    }

    private static List<Long> ids(List<JobSummary> jobs) {
        return jobs.stream().map(JobSummary::id).toList();
    }

    @Test
    void jobs_ofTheLastTimes_areFoundWhateverBecameOfThem() {
        List<JobSummary> jobs = schedules.jobs("hourly", 20);
        assertThat(ids(jobs)).containsExactly(60L, 50L, 40L, 30L, 20L);
        assertThat(jobs.stream().map(JobSummary::state))
                .containsExactly(JobState.WAITING, JobState.DONE, JobState.FAILED, JobState.CANCELLED, JobState.DONE);
        assertThat(ids(schedules.jobs("hourly", 5))).containsExactly(60L, 50L, 40L, 30L);
        assertThat(ids(schedules.jobs("hourly", 1))).containsExactly(60L);
        assertThat(schedules.jobs("none", 20)).isEmpty();
        assertThat(schedules.jobs("unknown", 20)).isEmpty();
        assertThatThrownBy(() -> schedules.jobs("hourly", 0)).hasMessage("0 times: it has to be 1 to 100");
    }

    @Test
    void jobs_withJitter_areFoundAtLaterTimes() {
        database.execute("UPDATE howdah_internal.job SET run_at = run_at + interval '4 minutes' WHERE id = 60;"
                + " UPDATE howdah.schedule SET last_job = NULL");
        assertThat(ids(schedules.jobs("hourly", 20))).doesNotContain(60L);
        database.execute("UPDATE howdah.schedule SET jitter = '5 minutes'");
        assertThat(ids(schedules.jobs("hourly", 20))).contains(60L, 50L);
    }

    @Test
    void pastTimes_ofCrons_areTheLastOnes() {
        Instant monday = Instant.parse("2026-03-30T01:00:00Z");
        Schedule weekdays = Schedule.cron("s", "0 3 * * MON-FRI").zone("Europe/Berlin");
        // The clocks went forward on Sunday.
        assertThat(PastTimes.of(weekdays, monday, 3, Set.of()))
                .containsExactly(monday, Instant.parse("2026-03-27T02:00:00Z"), Instant.parse("2026-03-26T02:00:00Z"));
        Schedule bursts = Schedule.cron("s", "* 3 * * MON");
        List<Instant> times = PastTimes.of(bursts, Instant.parse("2026-03-30T03:01:00Z"), 5, Set.of());
        assertThat(times)
                .startsWith(Instant.parse("2026-03-30T03:01:00Z"), Instant.parse("2026-03-30T03:00:00Z"))
                .endsWith(Instant.parse("2026-03-23T03:57:00Z"));
        Schedule period = Schedule.every("s", Duration.ofMinutes(7));
        assertThat(PastTimes.of(period, monday, 2, Set.of())).containsExactly(monday, monday.minusSeconds(420));
        assertThat(PastTimes.of(period.from(monday), monday, 2, Set.of())).containsExactly(monday);
    }
}
