package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Plans;
import dev.howdah.job.internal.maintain.BacklogSampler;
import dev.howdah.job.internal.maintain.StatisticsRollup;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.spi.Metrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many jobs there were at each minute, and how long they had waited. */
@PostgresTest
class JobBacklogTest {
    private static final Kind<Integer> MAIL = Kind.of("mail", Integer.class);
    private static final String LINES =
            "SELECT COALESCE(l.queue, ''), b.kind, b.due, b.later, b.running, b.oldest IS NOT NULL, b.is_all"
                    + " FROM howdah_internal.backlog b LEFT JOIN howdah_internal.lane l ON l.id = b.lane ORDER BY 1, 2";

    private static long sample(JobsDatabase jobs) throws SQLException {
        try (JobSession session = JobSession.open(ConnectionSource.of(jobs.dataSource()))) {
            return new BacklogSampler().run(session);
        }
    }

    @Test
    void jobs_areCountedByQueueAndKind_onceInAMinute(TestDatabase database) throws SQLException {
        JobsDatabase jobs = JobsDatabase.in(database);
        jobs.execute("SELECT howdah.add_many('a', 'mail', '{1,2,3}')");
        jobs.execute("SELECT howdah.add('a', 'mail', '4', delay => '1 h')");
        jobs.execute("SELECT howdah.add('a', 'sms', '5'), howdah.add('b', 'sms', '6', delay => '1 h')");
        jobs.execute("SELECT howdah.add('a', 'mail', '7', options => '{\"group\": \"customer 1\"}')");
        assertThat(sample(jobs)).isBetween(1L, 60_000L);
        assertThat(jobs.rows(LINES))
                .hasToString("[[, , 5, 2, 0, t, t], [a, , 5, 1, 0, t, t], [a, mail, 4, 1, 0, t, t],"
                        + " [a, sms, 1, 0, 0, t, t], [b, , 0, 1, 0, f, t], [b, sms, 0, 1, 0, f, t]]");
        // As if it was a moment ago in this minute, whichever this is.
        jobs.execute(
                "UPDATE howdah_internal.backlog SET at = to_timestamp(floor(extract(epoch FROM now()) / 60) * 60)");
        jobs.execute("SELECT howdah.add('a', 'mail', '8')");
        String before = jobs.rows(LINES).toString();
        jobs.execute(
                "BEGIN; UPDATE howdah_internal.backlog SET at = to_timestamp(floor(extract(epoch FROM now()) / 60) * 60);"
                        + " SELECT howdah_internal.sample_backlog(1000, 100); COMMIT");
        assertThat(jobs.rows(LINES)).hasToString(before);
    }

    @Test
    void jobsThatRun_areCounted_andWhatTheyHadWaited(TestDatabase database) throws Exception {
        JobsDatabase jobs = JobsDatabase.in(database);
        jobs.execute(
                "SELECT howdah.add_many('default', 'mail', (SELECT array_agg(i::text::json) FROM generate_series(1, 100) i))");
        jobs.execute("UPDATE howdah_internal.job SET run_at = now() - interval '10 s' WHERE id % 10 = 0");
        try (Jobs node = jobs.jobs().handle(MAIL, (number, job) -> {}).start()) {
            JobsDatabase.awaiting("all").until(() -> jobs.ended("d") == 100);
        }
        try (JobSession session = JobSession.open(ConnectionSource.of(jobs.dataSource()))) {
            StatisticsRollup rollup = new StatisticsRollup(new JobMetrics(Metrics.none()));
            for (int i = 0; i < 3; i++) {
                jobs.execute("UPDATE howdah_internal.stat_mark SET seen_at = seen_at - interval '1 min'");
                rollup.run(session);
            }
        }
        // Of lane 0, of the queue, and of the kind; ten seconds are 2 ^ 13.3 milliseconds.
        assertThat(jobs.rows("SELECT lane = 0, kind, sum(n), sum(n) FILTER (WHERE number > 26) >= 10"
                        + " FROM howdah_internal.stat_wait, unnest(waits) WITH ORDINALITY u (n, number)"
                        + " GROUP BY 1, 2 ORDER BY 1, 2"))
                .hasToString("[[f, , 100, t], [f, mail, 100, t], [t, , 100, t]]");
        assertThat(jobs.number("SELECT count(*) FROM howdah_internal.stat_wait WHERE waits[1] IS NULL"))
                .isZero();
    }

    @Test
    void lanesWithManyJobs_areCountedUpToABound_andLinesAreAsManyAsSaid(TestDatabase database) {
        JobsDatabase jobs = JobsDatabase.in(database);
        IntStream.rangeClosed(1, 5).forEach(i -> jobs.execute("SELECT howdah.add_many('q" + i + "', 'k', '{1,2}')"));
        jobs.execute(
                "SELECT howdah.add_many('q3', 'k', (SELECT array_agg(i::text::json) FROM generate_series(1, 900) i))");
        jobs.execute("SELECT howdah_internal.sample_backlog(10000, 100)");
        jobs.execute("UPDATE howdah_internal.backlog SET at = at - interval '1 min'");
        jobs.execute("SELECT howdah_internal.sample_backlog(500, 3)");
        assertThat(jobs.rows("SELECT COALESCE(l.queue, ''), b.kind, b.due, b.is_all FROM howdah_internal.backlog b"
                        + " LEFT JOIN howdah_internal.lane l ON l.id = b.lane"
                        + " WHERE b.at = (SELECT max(at) FROM howdah_internal.backlog) ORDER BY 1, 2 LIMIT 1"))
                .hasToString("[[, , 500, f]]");
        assertThat(jobs.number("SELECT count(*) FROM howdah_internal.backlog"
                        + " WHERE at = (SELECT max(at) FROM howdah_internal.backlog)"))
                .isEqualTo(3);
        assertThat(jobs.rows("SELECT b.due, b.is_all FROM howdah_internal.backlog b"
                        + " JOIN howdah_internal.lane l ON l.id = b.lane WHERE l.queue = 'q3' ORDER BY b.at, b.kind"))
                .startsWith(List.of("902", "t"))
                .endsWith(List.of("492", "f"));
    }

    @Test
    void oldMinutes_go_andHoursStay(TestDatabase database) {
        JobsDatabase jobs = JobsDatabase.in(database);
        jobs.execute("INSERT INTO howdah_internal.backlog"
                + " SELECT 0, '', to_timestamp(m * 60), 1, 0, 0, NULL, true, m % 60 = 0"
                + " FROM (SELECT floor(extract(epoch FROM now()) / 60)::bigint AS this) n, generate_series(this - 40 * 1440, this - 1) m"
                + " WHERE m > this - 3 * 1440 OR m % 60 = 0");
        jobs.execute("SELECT howdah_internal.sample_backlog(100, 1000)");
        assertThat(
                        jobs.rows(
                                "SELECT count(*) FILTER (WHERE NOT is_hour) BETWEEN 2780 AND 2860,"
                                        + " count(*) FILTER (WHERE is_hour) BETWEEN 838 AND 842,"
                                        + " min(at) > now() - interval '35 days 2 min',"
                                        + " min(at) FILTER (WHERE NOT is_hour) > now() - interval '2 days 2 min' FROM howdah_internal.backlog"))
                .hasToString("[[t, t, t, t]]");
    }

    /** What a sample reads does not grow with the jobs of a lane, nor with what was written before. */
    @Test
    void sample_ofManyJobs_readsAsManyAsSaid(TestDatabase database) throws SQLException {
        JobsDatabase jobs = JobsDatabase.in(database);
        jobs.execute(
                "SELECT howdah.add_many('a', 'mail', (SELECT array_agg(i::text::json) FROM generate_series(1, 20000) i))");
        jobs.execute(
                "INSERT INTO howdah_internal.backlog SELECT 0, '', now() - i * interval '1 min', 1, 0, 0, NULL, true, false"
                        + " FROM generate_series(1, 2800) i");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            long before = Plans.rowsRead(statement);
            statement.execute("SELECT howdah_internal.sample_backlog(1000, 100)");
            assertThat(Plans.rowsRead(statement) - before).isBetween(1000L, 1300L);
        }
    }

    @Test
    void errors_areCountedByTheirPattern_alsoWhenTheirJobsAreRetried(TestDatabase database) throws SQLException {
        JobsDatabase jobs = JobsDatabase.in(database);
        jobs.execute("SELECT howdah.add('a', 'mail', '1')");
        String failed =
                "INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error)"
                        + " SELECT -i, 1, CASE WHEN i %% 10 = 9 THEN 'cancelled' ELSE 'failed' END, 'mail', 0, 1, 0, now(),"
                        + " now() - interval '%s', '%s ' || i FROM generate_series(%d, %d) i";
        jobs.execute("UPDATE howdah_internal.error_mark SET upto = now() - interval '1 d'");
        jobs.execute(String.format(failed, "20 min", "no host", 1, 20));
        jobs.execute(String.format(failed, "1 min", "no host", 21, 24));
        jobs.execute(String.format(failed, "1 s", "no host", 31, 34));
        jobs.execute(String.format(failed, "40 d", "old", 41, 44));
        sample(jobs);
        String counts = "SELECT t.pattern, sum(s.jobs), count(DISTINCT s.slot), t.first < now() - interval '19 min'"
                + " FROM howdah_internal.error_text t JOIN howdah_internal.error_stat s ON s.error = t.id GROUP BY t.id";
        assertThat(jobs.rows(counts)).as("not those of this moment").hasToString("[[no host ..., 22, 2, t]]");
        jobs.execute("DELETE FROM howdah_internal.failed WHERE ended < now() - interval '5 s'");
        sample(jobs);
        assertThat(jobs.rows(counts)).hasToString("[[no host ..., 22, 2, t]]");
        jobs.execute("UPDATE howdah_internal.error_stat SET slot = slot - interval '36 days';"
                + " UPDATE howdah_internal.error_text SET last = now() - interval '36 days'");
        sample(jobs);
        assertThat(jobs.rows("SELECT * FROM howdah_internal.error_text")).isEmpty();
        assertThat(jobs.rows("SELECT * FROM howdah_internal.error_stat")).isEmpty();
    }

    @Test
    void errorsThatAreAllDifferent_areCountedTogether(TestDatabase database) {
        JobsDatabase jobs = JobsDatabase.in(database);
        jobs.execute("SELECT howdah.add('a', 'mail', '1')");
        jobs.execute("UPDATE howdah_internal.error_mark SET upto = now() - interval '1 d'");
        jobs.execute(
                "INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error)"
                        + " SELECT -i, 1, 'failed', 'mail', 0, 1, 0, now(), now() - interval '1 min',"
                        + " translate(i::text, '0123456789', 'abcdefghij') FROM generate_series(1, 300) i");
        assertThat(jobs.number("SELECT howdah_internal.add_up_errors(100)"))
                .as("with ties")
                .isEqualTo(300);
        assertThat(jobs.rows("SELECT count(*), count(*) FILTER (WHERE pattern = '') FROM howdah_internal.error_text"))
                .hasToString("[[201, 1]]");
        assertThat(jobs.number("SELECT sum(jobs) FROM howdah_internal.error_stat"))
                .isEqualTo(300);
    }
}
