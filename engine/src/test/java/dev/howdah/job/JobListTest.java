package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobAttempt;
import dev.howdah.job.query.JobOrder;
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs listed by what is known of them, and the attempts of one. */
@PostgresTest
class JobListTest {
    private static final Kind<Map> ORDER = Kind.of("order", Map.class);
    private static final Kind<Integer> COUNTED = Kind.of("counted", Integer.class);
    private static final Kind<String> FLAKY = Kind.of("flaky", String.class);

    private final TestDatabase database;

    JobListTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    private static List<Long> ids(JobPage page) {
        return page.jobs().stream().map(JobSummary::id).toList();
    }

    private static List<Long> all(JobAdmin admin, JobQuery query) {
        List<Long> ids = new ArrayList<>();
        for (JobQuery next = query; next != null; ) {
            JobPage page = admin.list(next);
            assertThat(page.jobs()).hasSizeLessThanOrEqualTo(query.limit());
            ids.addAll(ids(page));
            next = page.next();
        }
        return ids;
    }

    @Test
    void list_eachCondition_givesThoseThatMeetIt() {
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database)).start()) {
            JobAdmin admin = jobs.admin();
            Instant later = Instant.now().plus(Duration.ofDays(3));
            long first = jobs.add(ORDER, Map.of("customer", 7, "items", List.of(1, 2)));
            long second =
                    jobs.add(NewJob.of(ORDER, Map.of("customer", 8)).key("k 8")).id();
            long third =
                    jobs.add(NewJob.of(COUNTED, 1).queue("other").runAt(later)).id();
            JobQuery waiting = JobQuery.in(JobState.WAITING);
            assertThat(ids(admin.list(waiting))).containsExactly(second, first);
            assertThat(ids(admin.list(waiting.payload("{\"customer\": 7}")))).containsExactly(first);
            assertThat(ids(admin.list(waiting.payload("{\"items\": [2]}")))).containsExactly(first);
            assertThat(ids(admin.list(waiting.key("k 8")))).containsExactly(second);
            assertThat(ids(admin.list(waiting.kind("counted")))).isEmpty();
            assertThat(ids(admin.list(waiting.queue("other")))).isEmpty();
            JobQuery planned = JobQuery.in(JobState.PLANNED);
            assertThat(ids(admin.list(planned.queue("other").kind("counted")))).containsExactly(third);
            assertThat(ids(admin.list(planned.from(later.minusSeconds(1))))).containsExactly(third);
            assertThat(ids(admin.list(planned.until(later.minusSeconds(1))))).isEmpty();
            assertThat(admin.count(waiting)).isEqualTo(2);
            assertThat(admin.count(waiting.key("k 8"))).isEqualTo(1);
            assertThat(admin.list(waiting.key("k 8")).jobs().get(0).key()).isEqualTo("k 8");
            jobs.add(NewJob.of(Kind.of("text", String.class), "a\u0000b"));
            assertThat(ids(admin.list(waiting.payload("{\"customer\": 8}")))).containsExactly(second);
        }
    }

    @Test
    void list_pages_giveEachJobOnce() {
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database))
                .handle(COUNTED, (n, job) -> {}, options -> {})
                .handle(FLAKY, (text, job) -> {
                    throw new FatalException(text);
                })
                .start()) {
            JobAdmin admin = jobs.admin();
            List<Long> added = new ArrayList<>(jobs.addAll(
                    IntStream.range(0, 237).mapToObj(n -> NewJob.of(COUNTED, n)).toList()));
            List<Long> bad = new ArrayList<>(jobs.addAll(IntStream.range(0, 23)
                    .mapToObj(n -> NewJob.of(FLAKY, "no " + n % 2))
                    .toList()));
            awaiting("all have ended")
                    .until(() -> admin.count(JobQuery.in(JobState.DONE)) == 237
                            && admin.count(JobQuery.in(JobState.FAILED)) == 23);
            List<Long> done = all(admin, JobQuery.in(JobState.DONE).limit(10));
            assertThat(done).hasSize(237).containsExactlyInAnyOrderElementsOf(added);
            List<Long> failed = all(admin, JobQuery.in(JobState.FAILED).limit(5));
            bad.sort(Collections.reverseOrder());
            assertThat(failed).isEqualTo(bad);
            assertThat(admin.count(JobQuery.in(JobState.FAILED).error("no 1"))).isEqualTo(11);
            assertThat(admin.count(JobQuery.in(JobState.DONE).payload("5"))).isEqualTo(1);
            assertThat(admin.count(JobQuery.in(JobState.FAILED), 10)).isEqualTo(10);
            assertThat(admin.count(JobQuery.in(JobState.FAILED).error("no 1"), 12))
                    .isEqualTo(11);
            assertThat(admin.count(JobQuery.in(JobState.DONE), 237)).isEqualTo(237);
            assertThatThrownBy(() -> admin.count(JobQuery.in(JobState.DONE), 0))
                    .hasMessage("counting up to 0 jobs: it has to be 1 at least");
            assertThat(all(admin, JobQuery.in(JobState.DONE).from(Instant.now().minusSeconds(3600))))
                    .hasSize(237);
            assertThat(all(admin, JobQuery.in(JobState.DONE).until(Instant.now().minusSeconds(3600))))
                    .isEmpty();
        }
    }

    @Test
    void list_node_givesThoseOfItsAttempts() throws Exception {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        }
        JobAdmin admin = Jobs.on(JobsDatabase.dataSource(database)).admin();
        admin.pause("mail");
        database.execute(
                "INSERT INTO howdah_internal.batch (id, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind,"
                        + " payloads, ended, begins, runs)"
                        + " SELECT (extract(epoch FROM now()) * 1000000)::bigint + i, 1 + i % 2, l.id, true, false, 1, i, i, ARRAY[i], now(), 'send',"
                        + " ARRAY['{}'::json], CASE WHEN i < 5 THEN now() END, ARRAY[1], ARRAY[1]"
                        + " FROM generate_series(1, 8) i, howdah_internal.lane l WHERE l.queue = 'mail';"
                        + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, node)"
                        + " SELECT i, l.id, CASE WHEN i < 13 THEN 'failed' ELSE 'cancelled' END, 'send', 0, 1, 0, now(), 'no', 1 + i % 2"
                        + " FROM generate_series(11, 14) i, howdah_internal.lane l WHERE l.queue = 'mail'");
        for (JobState state : JobState.values()) {
            JobQuery query = JobQuery.in(state);
            if (!JobQuery.hasNode(state)) {
                assertThatThrownBy(() -> query.node(2))
                        .hasMessage("the node 2 for jobs in the state " + state
                                + ": it is for RUNNING, DONE, FAILED and CANCELLED");
                continue;
            }
            for (int node : new int[] {1, 2}) {
                List<Long> wanted = all(admin, query.limit(1)).stream()
                        .filter(id -> id % 2 == node - 1)
                        .toList();
                assertThat(wanted).isNotEmpty();
                assertThat(all(admin, query.node(node).limit(1)))
                        .as(state + " " + node)
                        .isEqualTo(wanted);
                assertThat(all(admin, query.node(node).order(JobOrder.OLDEST).limit(1)))
                        .as(state + " " + node)
                        .containsExactlyInAnyOrderElementsOf(wanted);
                assertThat(ids(admin.search(query.node(node)))).isEqualTo(wanted);
                assertThat(admin.count(query.node(node))).isEqualTo(wanted.size());
            }
            assertThat(ids(admin.list(query.node(3)))).isEmpty();
        }
        assertThatThrownBy(() -> JobQuery.in(JobState.DONE).node(0))
                .hasMessage("the node 0: ids of nodes are 1 or more");
        assertThatThrownBy(() -> admin.retryAll(JobQuery.in(JobState.FAILED).node(2)))
                .hasMessage(
                        "a change of all jobs of node 2: a query for changes names no node; change jobs by their ids");
        assertThat(admin.count(JobQuery.in(JobState.FAILED))).isEqualTo(2);
    }

    @Test
    void list_day_givesWhatWasClaimedOnIt() throws Exception {
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database))
                .handle(COUNTED, (n, job) -> {})
                .start()) {
            JobAdmin admin = Jobs.on(JobsDatabase.dataSource(database)).admin();
            JobQuery done = JobQuery.in(JobState.DONE);
            long first = jobs.add(COUNTED, 1);
            awaiting("the first is done").until(() -> admin.count(done) == 1);
            LocalDate today = LocalDate.parse(String.valueOf(database.value("SELECT CURRENT_DATE")));
            database.execute("SELECT howdah_internal.make_day('" + today.minusDays(7) + "');"
                    + " UPDATE howdah_internal.batch SET day = '" + today.minusDays(7) + "'");
            long second = jobs.add(COUNTED, 2);
            awaiting("the second is done").until(() -> admin.count(done) == 1);
            assertThat(ids(admin.list(done))).containsExactly(second);
            assertThat(ids(admin.list(done.day(today.minusDays(7))))).containsExactly(first);
            assertThat(ids(admin.list(done.day(today.minusDays(6))))).isEmpty();
            assertThat(admin.count(done.day(today.minusDays(7)))).isEqualTo(1);
        }
        assertThatThrownBy(() -> JobQuery.in(JobState.FAILED).day(LocalDate.EPOCH))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the day 1970-01-01 for jobs in the state FAILED: it is for DONE");
    }

    @Test
    void admin_withoutAStart_createsNoTables() throws Exception {
        try (TestDatabase empty = TestDatabase.create()) {
            JobAdmin admin = Jobs.on(JobsDatabase.dataSource(empty)).admin();
            assertThatThrownBy(() -> admin.find(1)).isInstanceOf(JobsException.class);
            assertThat(empty.value("SELECT to_regclass('howdah_internal.job')")).isNull();
        }
    }

    @Test
    void attempts_retriedJob_areAllThere() {
        AtomicInteger attempts = new AtomicInteger();
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database))
                .handle(
                        FLAKY,
                        (text, job) -> {
                            if (attempts.incrementAndGet() < 3) throw new IllegalStateException(text);
                        },
                        options -> options.retries(RetryPolicy.after(Duration.ZERO, Duration.ZERO)))
                .start()) {
            long id = jobs.add(FLAKY, "no luck");
            awaiting("it is done")
                    .until(() -> jobs.admin().find(id).orElseThrow().state() == JobState.DONE);
            List<JobAttempt> all = jobs.admin().attempts(id);
            assertThat(all).extracting(JobAttempt::number).containsExactly(1, 2, 3);
            assertThat(all)
                    .extracting(JobAttempt::result)
                    .containsExactly(JobAttempt.Result.RETRIED, JobAttempt.Result.RETRIED, JobAttempt.Result.DONE);
            assertThat(all).extracting(JobAttempt::kind).containsOnly("flaky");
            assertThat(all).extracting(JobAttempt::begun).isSortedAccordingTo(Comparator.naturalOrder());
            assertThat(all).allSatisfy(each -> assertThat(each.ended()).isAfterOrEqualTo(each.begun()));
            assertThat(all).allSatisfy(each -> assertThat(each.node()).isEqualTo(jobs.node()));
            assertThat(all.get(0).error()).contains("no luck").contains("\tat ");
            assertThat(all.get(2).error()).isNull();
            assertThat(jobs.admin().attempts(id + 1)).isEmpty();
        }
    }

    @Test
    void query_outOfBounds_isRefused() {
        JobQuery query = JobQuery.in(JobState.DONE);
        assertThatThrownBy(() -> query.limit(0)).hasMessage("a page of 0 jobs: it has to be 1 to 10000");
        assertThatThrownBy(() -> query.queue("")).hasMessageContaining("queue");
        assertThatThrownBy(() -> query.after("x")).hasMessageContaining("take JobPage.next");
        Instant now = Instant.now();
        assertThatThrownBy(() -> query.from(now).until(now)).hasMessageContaining("until has to be later");
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database)).start()) {
            assertThatThrownBy(() -> jobs.admin().list(query.payload("{")))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("invalid input syntax for type json");
        }
    }
}
