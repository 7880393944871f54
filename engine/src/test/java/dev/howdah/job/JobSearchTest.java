package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.internal.query.JobLister;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.query.JobOrder;
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.query.QueueSummary;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A search among very many jobs reads a bounded number of them at a time, and goes on where it has ended. */
@PostgresTest
@Tag("long")
class JobSearchTest {
    private static final SqlFile OLDEST = JobSql.QUERY.with(
            Map.of("way", "ASC", "past", ">", "from", ">=", "upto", "<", "entries", "false", "edge", "min"));

    private final TestDatabase database;
    private final JobLister lister;
    private final JobAdmin admin;

    JobSearchTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
        this.lister = new JobLister(ConnectionSource.of(JobsDatabase.dataSource(database)));
        this.admin = Jobs.on(JobsDatabase.dataSource(database)).admin();
    }

    /** 25,000 jobs that have failed, the fifth with a tag; as many that wait; 2,500 batches, each with one that is done. */
    @BeforeEach
    void fill() throws SQLException {
        try (var connection = database.connect()) {
            Jobs.install(connection);
        }
        admin.pause("mail");
        database.execute(
                "INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, more)"
                        + " SELECT i, l.id, 'failed', 'send', 0, 1, 0, now(), 'no',"
                        + " CASE WHEN i = 5 THEN '{\"tags\": [\"rare\"]}'::jsonb END"
                        + " FROM generate_series(1, 25000) i, howdah_internal.lane l WHERE l.queue = 'mail';"
                        + " INSERT INTO howdah_internal.job (id, lane, kind, payload, attempt, more)"
                        + " SELECT 100000 + i, l.id, 'send', '{}', CASE WHEN i % 10 = 0 THEN 1 ELSE 0 END,"
                        + " CASE WHEN i = 5 THEN '{\"key\": \"rare\"}'::jsonb END"
                        + " FROM generate_series(1, 25000) i, howdah_internal.lane l WHERE l.queue = 'mail';"
                        + " INSERT INTO howdah_internal.batch (id, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads,"
                        + " ended, begins, runs, rest)"
                        + " SELECT (extract(epoch FROM now()) * 1000000)::bigint + i, 1, l.id, true, false, 1, 200000 + i, 200000 + i,"
                        + " ARRAY[200000 + i], now(), 'send', ARRAY['{}'::json], now(), ARRAY[1], ARRAY[1],"
                        + " CASE WHEN i IN (5, 6) THEN jsonb_build_object(200000 + i, jsonb_build_object('m',"
                        + " jsonb_build_object('key', 'key ' || i, 'tags', ARRAY['rare', 'tag ' || i]))) END"
                        + " FROM generate_series(1, 2500) i, howdah_internal.lane l WHERE l.queue = 'mail';"
                        + " ANALYZE howdah_internal.failed, howdah_internal.job, howdah_internal.batch");
    }

    /** The jobs of all pages of a search whose time is over at once, and how many pages there were. */
    private List<Long> steps(JobQuery query, int pages) {
        List<Long> found = new ArrayList<>();
        int seen = 0;
        for (JobQuery at = query; at != null; seen++) {
            JobPage page = lister.search(at, Duration.ZERO);
            page.jobs().forEach(each -> found.add(each.id()));
            assertThat(page.searchedTo() == null)
                    .isEqualTo(page.next() == null || page.jobs().size() == query.limit());
            at = page.next();
        }
        assertThat(seen).isEqualTo(pages);
        return found;
    }

    private static List<Long> ids(JobPage page) {
        return page.jobs().stream().map(JobSummary::id).toList();
    }

    @Test
    void search_withoutTime_endsAfterEachStep() {
        assertThat(steps(JobQuery.in(JobState.FAILED).tag("rare").limit(10), 3)).containsExactly(5L);
        assertThat(steps(JobQuery.in(JobState.WAITING).key("rare").limit(10), 3))
                .containsExactly(100_005L);
        JobQuery done = JobQuery.in(JobState.DONE).limit(10);
        assertThat(steps(done.key("key 5"), 3)).containsExactly(200_005L);
        assertThat(steps(done.key("key 5").tag("tag 5").tag("rare"), 3)).containsExactly(200_005L);
        assertThat(steps(done.key("key 5").tag("tag 6"), 3)).isEmpty();
        assertThat(steps(done.tag("rare"), 3)).containsExactly(200_006L, 200_005L);
        assertThat(steps(done.queue("other"), 3)).isEmpty();
        assertThat(steps(done.node(2), 3)).isEmpty();
        assertThat(steps(JobQuery.in(JobState.FAILED).node(2).limit(10), 3)).isEmpty();

        JobPage.SearchedTo failed = Objects.requireNonNull(
                lister.search(JobQuery.in(JobState.FAILED).tag("rare"), Duration.ZERO)
                        .searchedTo());
        assertThat(failed).isEqualTo(new JobPage.SearchedTo(15_000, null));
        Instant claimed = Objects.requireNonNull(
                        lister.search(done.key("no"), Duration.ZERO).searchedTo())
                .time();
        assertThat(claimed)
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(1));
    }

    @Test
    void search_ofAQueueWithFew_beginsWhereTheyAre() {
        admin.pause("rare");
        database.execute(
                "UPDATE howdah_internal.failed f SET lane = l.id FROM howdah_internal.lane l WHERE l.queue = 'rare' AND f.id IN (3, 7)");
        JobQuery rare = JobQuery.in(JobState.FAILED).queue("rare").limit(10);
        assertThat(steps(rare, 1)).containsExactly(7L, 3L);
        assertThat(steps(rare.limit(1), 2)).containsExactly(7L, 3L);
        assertThat(steps(rare.order(JobOrder.OLDEST), 1)).containsExactly(3L, 7L);
        assertThat(steps(rare.tag("no"), 1)).isEmpty();
        assertThat(steps(JobQuery.in(JobState.CANCELLED).queue("rare"), 1)).isEmpty();
        assertThat(steps(JobQuery.in(JobState.FAILED).queue("none"), 1)).isEmpty();
        assertThat(steps(JobQuery.in(JobState.FAILED).queue("mail").tag("rare"), 3))
                .containsExactly(5L);
    }

    @Test
    void search_withTime_looksAtAll() {
        for (JobState state : List.of(JobState.FAILED, JobState.WAITING, JobState.DONE)) {
            JobPage page = lister.search(JobQuery.in(state).tag("no"), Duration.ofMinutes(5));
            assertThat(page).isEqualTo(new JobPage(List.of(), null, null, null));
        }
        JobPage found = lister.search(JobQuery.in(JobState.DONE).tag("rare").limit(1), Duration.ofMinutes(5));
        assertThat(found.jobs())
                .singleElement()
                .satisfies(each -> assertThat(each.id()).isEqualTo(200_006));
        assertThat(found.searchedTo()).isNull();
        found = lister.search(Objects.requireNonNull(found.next()), Duration.ofMinutes(5));
        assertThat(found.jobs())
                .singleElement()
                .satisfies(each -> assertThat(each.id()).isEqualTo(200_005));
    }

    @Test
    void search_withoutConditions_givesThePagesOfTheList() {
        for (JobState state : List.of(JobState.FAILED, JobState.WAITING, JobState.DONE, JobState.RUNNING)) {
            JobQuery query = JobQuery.in(state).limit(state == JobState.DONE ? 600 : 4_000);
            int seen = 0;
            JobQuery other = query;
            for (JobQuery at = query; at != null; seen++) {
                JobPage page = lister.search(at, Duration.ZERO);
                JobPage listed = admin.list(Objects.requireNonNull(other));
                assertThat(ids(page)).isEqualTo(ids(listed));
                at = page.next();
                other = listed.next();
            }
            assertThat(other).isNull();
            assertThat(seen).isEqualTo(state == JobState.RUNNING ? 1 : state == JobState.DONE ? 5 : 7);
        }
    }

    @Test
    void oldestFirst_hasTheSameJobsTurnedRound() {
        for (JobState state : List.of(JobState.FAILED, JobState.WAITING, JobState.DONE)) {
            JobQuery newest = JobQuery.in(state).limit(state == JobState.DONE ? 600 : 4_000);
            JobQuery oldest = newest.order(JobOrder.OLDEST);
            List<Long> turned = new ArrayList<>();
            for (JobQuery at = oldest; at != null; ) {
                JobPage page = admin.list(at);
                turned.addAll(ids(page));
                at = page.next();
            }
            int pages = state == JobState.DONE ? 5 : 7;
            assertThat(steps(oldest, pages)).isEqualTo(turned);
            Collections.reverse(turned);
            assertThat(steps(newest, pages)).isEqualTo(turned);
        }
        assertThat(steps(
                        JobQuery.in(JobState.FAILED)
                                .tag("rare")
                                .order(JobOrder.OLDEST)
                                .limit(10),
                        3))
                .containsExactly(5L);
        JobPage.SearchedTo failed = Objects.requireNonNull(
                lister.search(JobQuery.in(JobState.FAILED).tag("no").order(JobOrder.OLDEST), Duration.ZERO)
                        .searchedTo());
        assertThat(failed).isEqualTo(new JobPage.SearchedTo(10_001, null));
        JobQuery done = JobQuery.in(JobState.DONE).limit(10).order(JobOrder.OLDEST);
        assertThat(steps(done.tag("rare"), 3)).containsExactly(200_005L, 200_006L);
    }

    @Test
    void statements_ofAStep_readNoMoreThanTheStep() throws SQLException {
        try (JobSession session = JobSession.open(ConnectionSource.of(JobsDatabase.dataSource(database)));
                Statement statement = session.connection().createStatement()) {
            statement.execute("SET plan_cache_mode = force_custom_plan");
            assertThat(plan(statement, "job_search_bound_failed", "9000000, 10000"))
                    .contains("failed_pkey")
                    .doesNotContain("Sort Method");
            assertThat(plan(statement, "job_search_bound_waiting", "9000000, 10000"))
                    .contains("job_pkey")
                    .doesNotContain("Sort Method");
            assertThat(plan(statement, "job_search_bound_done", "9223372036854775807, 1000, NULL, NULL"))
                    .contains("_pkey on batch_")
                    .doesNotContain("Sort Method");
            // Of a queue with many it reads as many as are few, and one.
            assertThat(plan(statement, "job_search_next_failed", "'mail', 'failed', 9000000, 5000"))
                    .contains("failed_lane on failed")
                    .contains("(actual rows=5001")
                    .doesNotContain("rows=25000")
                    .doesNotContain("Sort Method");
            String nothing = "NULL, NULL, NULL, NULL, NULL, NULL, NULL, ";
            assertThat(plan(
                            statement,
                            "job_list_failed",
                            "'failed', " + nothing + "9000000, 51, '{\"no\"}', NULL, NULL, 15000, NULL"))
                    .contains("Index Scan Backward using failed_pkey")
                    .contains("Rows Removed by Filter: 10000")
                    .doesNotContain("Sort Method");
            assertThat(plan(
                            statement,
                            "job_list_waiting",
                            "'waiting', " + nothing + "9000000, 51, '{\"no\"}', NULL, NULL, 115000"))
                    .contains("Index Scan Backward using job_pkey")
                    .contains("Rows Removed by Filter: 10000")
                    // Of what the page has only, and of as many entries of log queues.
                    .containsOnlyOnce("Sort Method")
                    .contains("->  Sort (actual rows=0");
            assertThat(plan(
                            statement,
                            OLDEST,
                            "job_list_failed",
                            "'failed', " + nothing + "15000, 51, '{\"no\"}', NULL, NULL, 9000000, NULL"))
                    .contains("Index Scan using failed_pkey")
                    .contains("Rows Removed by Filter: 10000")
                    .doesNotContain("Sort Method");
            assertThat(plan(
                            statement,
                            OLDEST,
                            "job_list_waiting",
                            "'waiting', " + nothing + "115000, 51, '{\"no\"}', NULL, NULL, 9000000"))
                    .contains("Index Scan using job_pkey")
                    .contains("Rows Removed by Filter: 10000")
                    .doesNotContain("log_waiting");
            for (String step : List.of("job_search_bound_failed", "job_search_bound_waiting"))
                assertThat(plan(statement, OLDEST, step, "0, 10000"))
                        .contains("_pkey")
                        .doesNotContain("Sort Method");
            assertThat(plan(statement, OLDEST, "job_search_bound_done", "0, 1000, NULL, NULL"))
                    .contains("_pkey on batch_")
                    .doesNotContain("Sort Method");
            long bound =
                    Long.parseLong(one("SELECT id FROM howdah_internal.batch ORDER BY id DESC OFFSET 1000 LIMIT 1"));
            // No batch has that key: none is taken apart.
            assertThat(plan(
                            statement,
                            "job_list_done",
                            "NULL, NULL, 'no', NULL, NULL, NULL, 9223372036854775807, 9223372036854775807, 51, NULL, NULL, NULL, "
                                    + bound + ", NULL"))
                    .contains("_pkey on batch_")
                    .containsPattern("Function Scan on u .*never executed");
            // Nor has another node one.
            assertThat(plan(
                            statement,
                            "job_list_done",
                            "NULL, NULL, NULL, NULL, NULL, NULL, 9223372036854775807, 9223372036854775807, 51, NULL, NULL, NULL, "
                                    + bound + ", 2"))
                    .contains("_pkey on batch_")
                    .containsPattern("Function Scan on u .*never executed");
            assertThat(plan(statement, "job_list", "'running', " + nothing + "9000000, 51, NULL, NULL, NULL, 2"))
                    .contains("_node_idx")
                    .containsPattern("Function Scan on u .*never executed");
        }
    }

    private String one(String sql) throws SQLException {
        try (var connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static String plan(Statement statement, String name, String values) throws SQLException {
        return plan(statement, JobSql.QUERY, name, values);
    }

    private static String plan(Statement statement, SqlFile sql, String name, String values) throws SQLException {
        statement.execute("DEALLOCATE ALL");
        statement.execute("PREPARE " + name + " AS " + sql.text(name));
        StringBuilder plan = new StringBuilder();
        try (ResultSet rows = statement.executeQuery(
                "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE " + name + " (" + values + ")")) {
            while (rows.next()) plan.append(rows.getString(1)).append('\n');
        }
        return plan.toString();
    }

    @Test
    void queues_countedUpToABound_sayThatThereAreMore() {
        assertThat(admin.queues(100)).singleElement().satisfies(queue -> {
            assertThat(queue.due()).isEqualTo(101);
            assertThat(queue.failed()).isEqualTo(101);
        });
        assertThat(admin.queues().get(0).due()).isEqualTo(QueueSummary.COUNTED + 1);
        assertThatThrownBy(() -> admin.queues(0)).hasMessage("counting up to 0 jobs: it has to be 1 to 10000");
    }
}
