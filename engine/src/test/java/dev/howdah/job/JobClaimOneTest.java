package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Plans;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The claim of one job, by a statement of few nodes: from which lanes it takes, and what it costs. */
@PostgresTest
class JobClaimOneTest {
    private static final int MOST = 100;

    private final JobsDatabase database;
    private final PassiveNode node;

    JobClaimOneTest(TestDatabase database) throws SQLException {
        this.database = JobsDatabase.in(database);
        node = new PassiveNode(this.database);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private void add(String value) {
        database.execute("SELECT howdah.add('default', 'work', '" + value + "')");
    }

    private BatchStore.Claimed claimOne() throws SQLException {
        return node.store().claimOne(node.lane("default"));
    }

    private BatchStore.Claimed claimUnruled() throws SQLException {
        return node.store().claimUnruled(List.of(), node.lane("default"), MOST, ScanBounds.NONE);
    }

    @Test
    void jobs_oneAfterTheOther_areTakenAndEnded() throws SQLException {
        add("1");
        add("2");
        database.execute("SELECT howdah.add('default', 'work', '3', run_at => now() + interval '1 hour')");
        BatchStore.Claimed first = claimOne();
        assertThat(first.jobs()).isEqualTo(1);
        assertThat(first.asked()).as("there is one more").isEqualTo(1);
        BatchStore.Claimed second = claimOne();
        assertThat(second.jobs()).isEqualTo(1);
        assertThat(second.asked()).as("there is none").isGreaterThan(1);
        assertThat(second.lane().nextMillis()).isBetween(3_000_000L, 3_600_000L);
        assertThat(claimOne().jobs()).isZero();
        List<ClaimedBatch> both =
                List.of(first.batches().get(0), second.batches().get(0));
        assertThat(both).extracting(batch -> batch.job(0).payload()).containsExactly("1", "2");
        node.store().end(both);
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE state = 'done'"))
                .isEqualTo(2);
    }

    /** A session in another zone has another day, and so another table. */
    @Test
    void batches_ofTwoDays_endTogether() throws SQLException {
        List<ClaimedBatch> claimed = new ArrayList<>();
        for (String zone : List.of("Etc/GMT-14", "Etc/GMT+12", "Etc/GMT-14")) {
            try (Statement statement = node.session().connection().createStatement()) {
                statement.execute("SET TimeZone = '" + zone + "'");
            }
            add("1");
            add("2");
            claimed.addAll(claimOne().batches());
            claimed.addAll(claimUnruled().batches());
        }
        assertThat(claimed).extracting(ClaimedBatch::day).doesNotContainNull();
        assertThat(claimed.stream().map(ClaimedBatch::day).distinct()).hasSize(2);
        node.store().end(claimed.subList(0, 4));
        node.store().claim(claimed.subList(4, 6), node.lane("default"), 0, ScanBounds.NONE);
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE state = 'done'"))
                .isEqualTo(6);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT howdah.limit('default', 1)",
                "SELECT howdah.limit('default', 1, kind => 'work')",
                "SELECT howdah.rate_limit('default', 1, interval '1 hour')",
                "SELECT howdah.age('default', interval '1 hour')"
            })
    void job_ofAQueueThatWasJustRuled_isTakenByNoClaimThatDoesNotKnow(String rule) throws SQLException {
        add("1");
        add("2");
        add("3");
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(rule);
            assertThat(claimOne().jobs()).as("that is not committed").isEqualTo(1);
            other.commit();
        }
        assertThat(claimOne().jobs()).isZero();
        BatchStore.Claimed all = claimUnruled();
        assertThat(all.jobs()).isZero();
        assertThat(all.lane().ruled()).isTrue();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT howdah.pause('default')",
                "SELECT howdah.pause('default', 'other')",
                "CREATE VIEW howdah.paused AS SELECT 1 AS one",
                "SELECT howdah.add('default', 'work', '2', priority => 5, run_at => now() + interval '1 hour')"
            })
    void job_ofALaneThatIsNotPlain_isLeft(String what) throws SQLException {
        add("1");
        database.execute(what);
        assertThat(claimOne().jobs()).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job WHERE run_at <= now()"))
                .isEqualTo(1);
    }

    /** What a limit allows is not exceeded by a node that has read the limits before, not even once. */
    @Test
    void limit_setTogetherWithItsFirstJobs_holdsFromTheFirstOn() throws SQLException {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        Semaphore go = new Semaphore(0);
        Kind<Integer> work = Kind.of("work", Integer.class);
        try (Jobs jobs = database.jobs()
                .queues("default", "later")
                .concurrency(8)
                .handle(work, (value, job) -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    go.acquire();
                    running.decrementAndGet();
                    done.incrementAndGet();
                })
                .start()) {
            jobs.add(NewJob.of(work, 1).queue("later"));
            go.release();
            JobsDatabase.awaiting("the first job").until(() -> done.get() == 1);
            try (Connection other = database.connect();
                    Statement statement = other.createStatement()) {
                other.setAutoCommit(false);
                statement.execute("SELECT howdah.limit('later', 1)");
                statement.execute("SELECT howdah.add('later', 'work', i::text::json) FROM generate_series(1, 6) i");
                other.commit();
            }
            for (int i = 2; i <= 7; i++) {
                JobsDatabase.awaiting("one job runs").until(() -> running.get() > 0);
                go.release();
                int ended = i;
                JobsDatabase.awaiting("it has ended").until(() -> done.get() == ended);
            }
        }
        assertThat(most).hasValue(1);
    }

    /** How many nodes the plan of a statement has: the first one, and one for each arrow. */
    private static int nodes(String plan) {
        return 1 + (int) plan.lines().filter(line -> line.contains("->  ")).count();
    }

    /** Each of them costs some microseconds before the first row, in each execution: more are a change to be measured. */
    @Test
    void plans_ofStatementsForEachJob_haveFewNodes_howeverManyDaysAreKept() throws SQLException {
        for (int day = 10; day < 40; day++)
            database.execute("SELECT howdah_internal.make_day(CURRENT_DATE - " + day + ")");
        SqlFile today =
                JobSql.JOB.with(Map.of("of_day", "b.day = DATE '" + database.text("SELECT CURRENT_DATE::text") + "'"));
        try (Statement statement = node.session().connection().createStatement()) {
            assertThat(nodes(Plans.of(statement, today, "job_claim_one"))).isLessThanOrEqualTo(17);
            assertThat(nodes(Plans.of(statement, today, "batch_done"))).isLessThanOrEqualTo(6);
            assertThat(nodes(Plans.of(statement, today, "job_claim"))).isLessThanOrEqualTo(67);
            assertThat(nodes(Plans.of(statement, today, "batch_settle"))).isLessThanOrEqualTo(74);
            assertThat(nodes(Plans.of(statement, JobSql.JOB, "batch_done")))
                    .as("of any day")
                    .isGreaterThan(30);
        }
    }
}
