package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.StatisticsRollup;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.spi.RecordedMetrics;
import dev.howdah.spi.RetryPolicy;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Statistics and metrics by tag, of the tags that are counted. */
@PostgresTest
@Tag("long")
class JobTagStatisticsTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final JobsDatabase database;
    private final RecordedMetrics metrics = new RecordedMetrics();

    JobTagStatisticsTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private void work(NewJob<Integer> job, int times) {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (n, running) -> {
                    if (n < 0) throw new IllegalStateException("no");
                })
                .start()) {
            List<NewJob<Integer>> all = new ArrayList<>();
            for (int i = 0; i < times; i++) all.add(job);
            jobs.addAll(all);
            database.awaitEmpty();
        }
    }

    private void addUp() throws SQLException {
        StatisticsRollup rollup = new StatisticsRollup(new JobMetrics(metrics));
        try (JobSession session = JobSession.open(ConnectionSource.of(database.dataSource()))) {
            for (int i = 0; i < 3; i++) {
                database.execute("UPDATE howdah_internal.stat_mark SET seen_at = seen_at - interval '1 min'");
                rollup.run(session);
            }
        }
    }

    private String stats() {
        return database.rows("SELECT tag, sum(done), sum(failed), sum(run_total) >= '0'::interval FROM howdah.tag_stats"
                        + " GROUP BY 1 ORDER BY 1")
                .toString();
    }

    @Test
    void tags_thatAreCounted_areInStatisticsAndMetrics() throws SQLException {
        try (Jobs jobs = database.jobs().start()) {
            jobs.history().countTag("vip", 1);
            jobs.history().countTag("customer:*", 2);
            assertThat(jobs.history().countedTags()).containsExactly(Map.entry("customer:*", 2), Map.entry("vip", 1));
        }
        work(NewJob.of(WORK, 1), 3);
        work(NewJob.of(WORK, 1).tags("vip", "customer:1", "other"), 4);
        work(NewJob.of(WORK, -1).tags("vip", "customer:2"), 2);
        addUp();
        assertThat(stats()).isEqualTo("[[customer:1, 4, 0, t], [customer:2, 0, 2, t], [vip, 4, 2, t]]");
        work(NewJob.of(WORK, 1).tags("customer:3", "customer:4"), 5);
        work(NewJob.of(WORK, 1).tags("customer:1"), 1);
        addUp();
        assertThat(stats())
                .as("what is beyond the bound is counted together, for each tag")
                .isEqualTo("[[customer:*, 10, 0, t], [customer:1, 5, 0, t], [customer:2, 0, 2, t], [vip, 4, 2, t]]");
        assertThat(metrics.figures().toString())
                .contains("howdah_jobs_tagged_total{outcome=done, tag=customer:*}=10.0")
                .contains("howdah_jobs_tagged_total{outcome=failed, tag=vip}=2.0")
                .contains("howdah_jobs_tagged_total{outcome=done, tag=vip}=4.0")
                .doesNotContain("other");
        try (Jobs jobs = database.jobs().start()) {
            assertThat(jobs.history().uncountTag("customer:*")).isTrue();
            assertThat(jobs.history().uncountTag("customer:*")).isFalse();
        }
        work(NewJob.of(WORK, 1).tags("customer:1", "vip"), 1);
        addUp();
        assertThat(stats()).contains("[customer:1, 5, 0, t]", "[vip, 5, 2, t]");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.counted_tag_name"))
                .isZero();
    }

    @Test
    void tags_thatAreNotCounted_areNowhere() throws SQLException {
        work(NewJob.of(WORK, 1).tags("vip"), 3);
        addUp();
        assertThat(stats()).isEqualTo("[]");
        assertThat(metrics.figures().toString()).doesNotContain("tagged");
        assertThat(database.number("SELECT sum(done) FROM howdah.stats")).isEqualTo(3);
    }

    @Test
    void tags_tooManyOrWrong_areRefused() {
        assertThatThrownBy(() -> database.execute("SELECT howdah.count_tag('')"))
                .hasMessageContaining("a tag has 1 to 100 characters, not 0");
        assertThatThrownBy(() -> database.execute("SELECT howdah.count_tag('a', 0)"))
                .hasMessageContaining("most is 0: it has to be from 1 to 1000");
        database.execute("SELECT howdah.count_tag('t' || n) FROM generate_series(1, 100) n");
        database.execute("SELECT howdah.count_tag('t1', 5)");
        assertThatThrownBy(() -> database.execute("SELECT howdah.count_tag('one more')"))
                .hasMessageContaining("100 tags and patterns are counted already");
    }
}
