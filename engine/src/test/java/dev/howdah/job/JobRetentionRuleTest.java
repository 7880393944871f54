package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.history.RetentionRule;
import dev.howdah.job.internal.history.RetentionRunner;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.job.query.JobState;
import dev.howdah.spi.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Retention by queue and outcome, and what is removed goes to an archive. */
@PostgresTest
@Timeout(120)
@Tag("long")
class JobRetentionRuleTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final JobsDatabase database;

    JobRetentionRuleTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** Jobs of a queue that have ended: of five one has failed, one was cancelled; so long ago. */
    private void fill(String queue, int jobs, String ago) {
        try (Jobs node = database.jobs()
                .queues(queue)
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (n, job) -> {
                    if (n % 5 == 1) throw new IllegalStateException("no");
                    if (n % 5 == 2) throw new FatalException("no");
                    job.log("line");
                    job.progress(0.5, null);
                })
                .start()) {
            node.addAll(IntStream.range(0, jobs)
                    .mapToObj(n -> NewJob.of(WORK, n).queue(queue).tags("t" + n))
                    .toList());
            awaiting("all have ended")
                    .until(() -> database.number("SELECT count(*) FROM howdah.jobs WHERE state IN ('done', 'failed')"
                                    + " AND queue = '" + queue + "'")
                            == jobs);
        }
        String lanes = " WHERE lane IN (SELECT id FROM howdah_internal.lane WHERE queue = '" + queue + "')";
        database.execute(
                "UPDATE howdah_internal.batch SET taken = taken - interval '" + ago + "', ended = ended - interval '"
                        + ago + "'" + lanes + "; UPDATE howdah_internal.failed SET ended = ended - interval '" + ago
                        + "', state = CASE WHEN payload::text::int % 5 = 2 THEN 'cancelled' ELSE state END" + lanes);
        addedUp();
    }

    /** As if the statistics had all there is. */
    private void addedUp() {
        database.execute(
                "UPDATE howdah_internal.stat_mark SET upto = COALESCE((SELECT max(id) FROM howdah_internal.batch), upto)");
    }

    private void retain(String values) {
        database.execute("SELECT howdah.retain(" + values + ")");
    }

    private void remove() throws SQLException {
        database.execute("UPDATE howdah.retention SET next_at = now()");
        try (RetentionRunner runner = new RetentionRunner(ConnectionSource.of(database.dataSource()))) {
            runner.runDue();
        }
    }

    private void tidy() throws SQLException {
        HistoryCleaner cleaner = new HistoryCleaner(ConnectionSource.of(database.dataSource()), 7, 30);
        cleaner.tidy();
    }

    /** How many there are: done, failed, cancelled. */
    private String left(String queue) {
        return database.text(
                "SELECT count(*) FILTER (WHERE state = 'done') || ' ' || count(*) FILTER (WHERE state = 'failed')"
                        + " || ' ' || count(*) FILTER (WHERE state = 'cancelled') FROM howdah.jobs WHERE queue = '"
                        + queue
                        + "'");
    }

    @Test
    void jobs_ofAQueueAndOutcomeWithARule_goAndOthersStay() throws SQLException {
        fill("a", 50, "2 hours");
        fill("b", 50, "2 hours");
        retain("'a', 'done', '1 hour'");
        retain("'b', 'failed', '1 hour'");
        retain("'b', 'cancelled', '3 hours'");
        retain("'b', 'done', '3 hours'");
        remove();
        assertThat(left("a")).isEqualTo("0 10 10");
        assertThat(left("b")).isEqualTo("30 0 10");
        assertThat(database.number("SELECT count(*) FROM howdah.log")).isEqualTo(30);
        assertThat(database.number("SELECT count(*) FROM howdah.progress")).isEqualTo(30);
        retain("NULL, 'cancelled', '0'");
        remove();
        assertThat(left("a")).isEqualTo("0 10 0");
        assertThat(left("b")).isEqualTo("30 0 10");
        retain("'b', 'cancelled', NULL");
        remove();
        assertThat(left("b")).isEqualTo("30 0 0");
        assertThat(database.rows("SELECT queue, outcome, removed FROM howdah.retention ORDER BY 1, 2"))
                .hasToString("[[a, done, 30], [b, done, 0], [b, failed, 10], [null, cancelled, 20]]");
    }

    @Test // by a node, and from Java
    void queue_withoutAHistory_keepsNothingThatIsInTheStatistics() {
        try (Jobs jobs = database.jobs().handle(WORK, (n, job) -> {}).start()) {
            jobs.history().retain(RetentionRule.of("default", JobState.DONE, Duration.ZERO));
            assertThat(jobs.history().rules())
                    .containsExactly(RetentionRule.of("default", JobState.DONE, Duration.ZERO));
            jobs.addAll(
                    IntStream.range(0, 2_000).mapToObj(n -> NewJob.of(WORK, n)).toList());
            awaiting("all are done")
                    .until(() -> database.number("SELECT COALESCE(sum(done), 0) FROM howdah.stats") == 2_000);
            database.awaitEmpty();
            // The other statements of a batch need no history to be there.
            awaiting("all are gone").until(() -> {
                addedUp();
                return database.number("SELECT count(*) FROM howdah_internal.batch") == 0;
            });
            assertThat(jobs.history().rules().get(0).removed()).isEqualTo(2_000);
            jobs.history().retainByDefault("default", JobState.DONE);
            assertThat(jobs.history().rules()).isEmpty();
        }
    }

    @Test
    void batch_thatHasNotEndedWhenTheMarkPassed_goesLater() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (Jobs jobs = database.jobs().handle(WORK, (n, job) -> over.await()).start()) {
            jobs.add(WORK, 1);
            awaiting("it runs").until(() -> database.number("SELECT count(*) FROM howdah_internal.batch") == 1);
            database.execute("INSERT INTO howdah_internal.stat_open SELECT id FROM howdah_internal.batch");
            addedUp();
            retain("'default', 'done', '0'");
            remove();
            assertThat(database.number("SELECT count(*) FROM howdah_internal.retention_late"))
                    .isEqualTo(1);
            over.countDown();
            database.awaitEmpty();
        }
        remove();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.batch"))
                .as("not in the statistics")
                .isEqualTo(1);
        database.execute("DELETE FROM howdah_internal.stat_open");
        remove();
        assertThat(
                        database.number(
                                "SELECT (SELECT count(*) FROM howdah_internal.batch) + (SELECT count(*) FROM howdah_internal.retention_late)"))
                .isZero();
    }

    @Test
    void archive_ofATableOrAFunction_getsAllThatGoes() throws SQLException {
        fill("a", 50, "1 hour");
        fill("b", 50, "1 hour");
        database.execute(
                "CREATE TABLE public.kept (LIKE howdah.jobs); CREATE TABLE public.counted (jobs int, ids text);"
                        + " CREATE FUNCTION public.keep(jobs jsonb) RETURNS void LANGUAGE sql AS"
                        + " 'INSERT INTO public.counted VALUES (jsonb_array_length(jobs), jobs -> 0 ->> ''queue'')'");
        for (String outcome : List.of("done", "failed", "cancelled")) {
            retain("'a', '" + outcome + "', '0', 'kept'");
            retain("'b', '" + outcome + "', '0', 'keep'");
        }
        assertThat(database.rows("SELECT DISTINCT archive FROM howdah.retention ORDER BY 1"))
                .hasToString("[[public.keep], [public.kept]]");
        remove();
        assertThat(left("a") + ", " + left("b")).isEqualTo("0 0 0, 0 0 0");
        assertThat(database.rows(
                        "SELECT state, count(*), count(DISTINCT id), count(ended), min(queue), count(tags ->> 0),"
                                + " count(error) FROM public.kept GROUP BY 1 ORDER BY 1"))
                .hasToString(
                        "[[cancelled, 10, 10, 10, a, 10, 10], [done, 30, 30, 30, a, 30, 0], [failed, 10, 10, 10, a, 10, 10]]");
        assertThat(database.rows("SELECT sum(jobs), min(ids) FROM public.counted"))
                .hasToString("[[50, b]]");
    }

    @Test
    void archive_thatFailsOrEndsItsSession_losesNothingAndHoldsUpNoOther() throws Exception {
        fill("a", 50, "1 hour");
        fill("b", 50, "1 hour");
        database.execute("CREATE TABLE public.kept (LIKE howdah.jobs)");
        String function = "CREATE OR REPLACE FUNCTION public.keep(jobs jsonb) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
                + " INSERT INTO public.kept SELECT r.* FROM jsonb_populate_recordset(NULL::public.kept, jobs) r; %s END $$";
        database.execute(function.formatted("PERFORM 1 / 0;"));
        retain("'a', 'done', '0', 'public.keep'");
        retain("'b', 'done', '0'");
        remove();
        assertThat(left("a")).isEqualTo("30 10 10");
        assertThat(left("b")).isEqualTo("0 10 10");
        assertThat(database.text("SELECT error FROM howdah.retention WHERE queue = 'a'"))
                .isEqualTo("division by zero");
        database.execute(function.formatted("PERFORM pg_terminate_backend(pg_backend_pid());"));
        assertThatThrownBy(this::remove).isInstanceOf(SQLException.class);
        assertThat(left("a")).isEqualTo("30 10 10");
        assertThat(database.number("SELECT count(*) FROM public.kept")).isZero();
        database.execute(function.formatted(""));
        // Two at once: each job is archived by one of them.
        ExecutorService both = Executors.newFixedThreadPool(2);
        try {
            for (Future<?> each : List.of(both.submit(this::removeQuietly), both.submit(this::removeQuietly)))
                each.get();
        } finally {
            both.shutdown();
        }
        remove();
        assertThat(left("a")).isEqualTo("0 10 10");
        assertThat(database.rows("SELECT count(*), count(DISTINCT id) FROM public.kept"))
                .hasToString("[[30, 30]]");
        assertThat(database.rows("SELECT error FROM howdah.retention WHERE error IS NOT NULL"))
                .isEmpty();
    }

    private void removeQuietly() {
        try {
            remove();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void day_withWhatAnotherQueueKeepsLonger_staysAndTheRestOfItGoes() throws SQLException {
        database.execute("SELECT howdah_internal.make_day(CURRENT_DATE - 9)");
        fill("a", 50, "9 days");
        fill("b", 50, "9 days");
        database.execute("UPDATE howdah_internal.batch SET day = CURRENT_DATE - 9");
        retain("'a', 'done', '10 days'");
        tidy();
        remove();
        assertThat(left("a")).isEqualTo("30 10 10");
        assertThat(left("b")).isEqualTo("0 10 10");
        retain("'a', 'done', '8 days'");
        // What is to be archived keeps its day as well.
        database.execute("CREATE TABLE public.kept (LIKE howdah.jobs)");
        retain("'b', 'done', '1 hour', 'public.kept'");
        tidy();
        assertThat(left("a")).isEqualTo("30 10 10");
        remove();
        tidy();
        assertThat(left("a")).isEqualTo("0 10 10");
        assertThat(
                        database.number(
                                "SELECT count(*) FROM pg_class WHERE relname = 'batch_' || to_char(CURRENT_DATE - 9, 'YYYYMMDD')"))
                .isZero();
        retain("'a', 'done', '1 day'");
        tidy();
        assertThat(database.number("SELECT count(*) FROM howdah.retention WHERE by_default"))
                .isZero();
    }

    @Test
    void failedJobs_withARuleOfTheirOwn_areLeftByTheNodes() throws SQLException {
        fill("a", 50, "40 days");
        fill("b", 50, "40 days");
        retain("'a', 'failed', '50 days'");
        tidy();
        remove();
        assertThat(left("a")).isEqualTo("30 10 0");
        assertThat(left("b")).isEqualTo("30 0 0");
        retain("'a', 'failed', NULL");
        tidy();
        assertThat(left("a")).isEqualTo("30 0 0");
        assertThat(database.number("SELECT count(*) FROM howdah.retention")).isZero();
    }

    @Test // 100,000 jobs, or as many as -Dhowdah.rows says
    void step_ofAHistoryOfManyQueues_removesAFewBatches() throws SQLException {
        int batches = Integer.getInteger("howdah.rows", 100_000) / 50;
        database.execute("""
                INSERT INTO howdah_internal.lane (queue) VALUES ('a'), ('b');
                INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads, taken, ended, begins, runs, id)
                SELECT 1, (SELECT id FROM howdah_internal.lane WHERE queue = CASE WHEN i %% 10 = 0 THEN 'a' ELSE 'b' END), true, false, 50, i * 50, i * 50 + 49,
                    ARRAY(SELECT i * 50 + j FROM generate_series(0, 49) j), now(), 'k', array_fill('1'::json, ARRAY[50]), now() - interval '1 hour',
                    now() - interval '1 hour', array_fill(1, ARRAY[50]), array_fill(1, ARRAY[50]), i
                FROM generate_series(1, %d) i; ANALYZE howdah_internal.batch""".formatted(batches));
        addedUp();
        retain("'a', 'done', '10 minutes'");
        assertThat(database.number(
                        "SELECT d.removed FROM howdah.retention r, howdah_internal.retention_done(r, 500) d"))
                .isEqualTo(1_000);
        remove();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.batch"))
                .isEqualTo(batches - batches / 10);
        assertThat(
                        database.number(
                                "SELECT count(*) FROM howdah_internal.batch WHERE lane IN (SELECT id FROM howdah_internal.lane WHERE queue = 'a')"))
                .isZero();
    }

    @Test
    void retention_thatIsWrong_isRefusedWithWhatIsRight() {
        for (List<String> each : List.of(
                List.of("'', 'done', '1 day'", "the name of a queue has 1 to 200 characters"),
                List.of(
                        "'q', 'waiting', '1 day'",
                        "the outcome is \"waiting\": it has to be done, failed or cancelled"),
                List.of("'q', NULL, '1 day'", "the outcome is NULL"),
                List.of("'q', 'done', '-1 day'", "a retention of -1 days: it has to be from 0 to 100000 days"),
                List.of("'q', 'done', NULL, 'x'", "the archive \"x\" without a retention"),
                List.of("'q', 'done', '1 day', 'x'", "there is no table \"x\", and no function \"x(jsonb)\"")))
            assertThatThrownBy(() -> retain(each.get(0))).hasMessageContaining(each.get(1));
        assertThatThrownBy(() -> RetentionRule.of("q", JobState.RUNNING, Duration.ZERO))
                .hasMessageContaining("it has to be DONE, FAILED or CANCELLED");
        assertThatThrownBy(() -> RetentionRule.of("q", JobState.DONE, Duration.ofDays(-1)))
                .hasMessageContaining("zero to 100000 days");
        try (Jobs jobs = database.jobs().start()) {
            assertThatThrownBy(() -> jobs.history()
                            .retain(RetentionRule.ofOthers(JobState.DONE, Duration.ofDays(1))
                                    .archive("nowhere.kept")))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("there is no table \"nowhere.kept\"");
        }
    }
}
