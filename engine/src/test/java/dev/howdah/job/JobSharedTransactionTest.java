package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.error.RecordedLog;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several jobs of a transactional handler in one transaction. */
@PostgresTest
class JobSharedTransactionTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final int JOBS = 400;
    private static final int MIDDLE = 50;

    private final JobsDatabase database;
    private final Map<Integer, AtomicInteger> calls = new ConcurrentHashMap<>();

    JobSharedTransactionTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @BeforeEach
    void table() {
        database.execute("CREATE TABLE effect (number integer NOT NULL, job bigint NOT NULL, xid xid8 NOT NULL)");
        try (Jobs adder = database.jobs().start()) {
            adder.addAll(IntStream.range(0, JOBS)
                    .mapToObj(number -> NewJob.of(WORK, number))
                    .toList());
        }
    }

    private JobsBuilder sharing(TransactionalHandler<Integer> handler) {
        return database.jobs()
                .concurrency(2)
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(20), Duration.ZERO))
                .handleInTransaction(
                        WORK,
                        (number, job, connection) -> {
                            calls.computeIfAbsent(number, n -> new AtomicInteger())
                                    .incrementAndGet();
                            effect(number, job, connection);
                            handler.handle(number, job, connection);
                        },
                        options -> options.sharedTransaction(20));
    }

    private static void effect(int number, Job job, Connection connection) throws Exception {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO effect VALUES (?, ?, pg_current_xact_id())")) {
            insert.setInt(1, number);
            insert.setLong(2, job.id());
            insert.executeUpdate();
        }
    }

    private void awaitDone(int done, int failed) {
        JobsDatabase.awaiting("all have ended")
                .until(() -> database.ended("d") == done && database.ended("f") == failed);
    }

    private void assertEffects(int expected) {
        assertThat(database.number("SELECT count(*) FROM effect")).isEqualTo(expected);
        assertThat(database.number("SELECT count(DISTINCT number) FROM effect")).isEqualTo(expected);
        assertThat(database.number("SELECT count(DISTINCT xid::text) FROM effect"))
                .as("transactions")
                .isLessThan(expected);
        assertThat(database.timesDone()).containsExactly("1");
    }

    @Test
    void jobs_commitTogether() {
        try (Jobs node =
                sharing((number, job, connection) -> job.result(number)).start()) {
            awaitDone(JOBS, 0);
            assertEffects(JOBS);
            assertThat(database.number("SELECT max(n) FROM (SELECT count(*) AS n FROM effect GROUP BY xid::text) g"))
                    .isBetween(2L, 20L);
            assertThat(
                            database.number(
                                    "SELECT count(*) FROM howdah_internal.batch b"
                                            + " JOIN effect e ON e.job = b.first_id AND b.details -> e.job::text ->> 'result' = e.number::text"))
                    .isEqualTo(JOBS);
            assertThat(node.node()).isPositive();
        }
    }

    @Test
    void jobsThatFail_orAreTriedAgain_disturbNoOther() {
        try (Jobs node = sharing((number, job, connection) -> {
                    if (number % 50 == 7) throw new FatalException("never");
                    if (number % 50 == 9 && job.attempt() == 1) throw new IllegalStateException("once more");
                    if (number % 50 == 11)
                        connection.prepareStatement("SELECT 1 / 0").execute();
                })
                .defaultRetries(RetryPolicy.never())
                .start()) {
            int failing = JOBS / 50 * 3;
            awaitDone(JOBS - failing, failing);
            assertEffects(JOBS - failing);
            assertThat(node.node()).isPositive();
        }
        assertThat(calls.values().stream().mapToInt(AtomicInteger::get).max().orElse(0))
                .as("once with others, and once alone")
                .isLessThanOrEqualTo(2);
        assertThat(database.number("SELECT max(attempt) FROM howdah_internal.failed"))
                .isEqualTo(1);
    }

    @Test
    void handlerThatEndsTheTransaction_commitsNoEndOfOthers() {
        try (Jobs node = sharing((number, job, connection) -> {
                    if (number == 200) connection.createStatement().execute("ROLLBACK");
                })
                .defaultRetries(RetryPolicy.never())
                .start()) {
            awaitDone(JOBS - 1, 1);
            assertEffects(JOBS - 1);
            assertThat(node.node()).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "ROLLBACK", "COMMIT; SELECT 1", "COMMIT AND CHAIN", "ROLLBACK AND CHAIN"})
    void handlerThatEndsTheTransaction_isToldOf_andSharesNoneAnyMore(String end) {
        RecordedLog log = new RecordedLog();
        boolean commits = end.startsWith("COMMIT");
        try (Jobs node = sharing((number, job, connection) -> {
                    if (number % 20 != 7) return;
                    for (String each : end.split("; ", -1))
                        connection.createStatement().execute(each);
                })
                .defaultRetries(RetryPolicy.never())
                .log(log.logger())
                .start()) {
            awaitDone(JOBS - JOBS / 20, JOBS / 20);
            assertThat(node.node()).isPositive();
        }
        String innocent = " FROM effect WHERE number % 20 <> 7";
        assertThat(database.number("SELECT count(DISTINCT number)" + innocent)).isEqualTo(JOBS - JOBS / 20);
        assertThat(database.number("SELECT count(*)" + innocent) - (JOBS - JOBS / 20))
                .as("effects that were committed twice, of a transaction of each thread at most")
                .isBetween(0L, commits ? 2L * 19 : 0L);
        assertThat(database.number("SELECT count(DISTINCT number) FROM effect WHERE number % 20 = 7"))
                .isEqualTo(commits ? JOBS / 20 : 0);
        assertThat(calls.values().stream().filter(times -> times.get() > 1).count())
                .isBetween(1L, 2L * 20);
        assertThat(database.timesDone()).containsExactly("1");
        List<String> told = log.lines().stream()
                .filter(line -> line.contains("share no transaction any more"))
                .toList();
        assertThat(told).hasSizeBetween(1, 2).allMatch(line -> line.startsWith("ERROR the handler of work has ended"));
        for (List<String> job : database.rows("SELECT job" + innocent + " GROUP BY job HAVING count(*) > 1"))
            assertThat(told).as("job %s", job).anyMatch(line -> line.matches(".*[\\[ ]" + job.get(0) + "[,\\]].*"));
    }

    @Test
    void sessionsThatEnd_leaveEachEffectOnce() {
        try (Jobs node = sharing((number, job, connection) -> {}).start()) {
            for (int round = 0; round < 5; round++)
                database.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND pid <> pg_backend_pid() AND application_name = 'jobs' AND query LIKE '%effect%'");
            awaitDone(JOBS, 0);
            assertEffects(JOBS);
            assertThat(node.node()).isPositive();
        }
    }

    @Test
    void handlerThatIsAbandoned_holdsUpNoneOfTheOthers() {
        CountDownLatch free = new CountDownLatch(1);
        AtomicInteger stuck = new AtomicInteger();
        try (Jobs node = sharing((number, job, connection) -> {
                    if (number != 200 || job.attempt() > 1) return;
                    stuck.incrementAndGet();
                    while (free.getCount() > 0) Thread.onSpinWait();
                })
                .defaultTimeout(Duration.ofSeconds(1))
                .abandonAfter(Duration.ofMillis(300), 1)
                .start()) {
            awaitDone(JOBS, 0);
            assertEffects(JOBS);
            assertThat(node.node()).isPositive();
            free.countDown();
        } finally {
            free.countDown();
        }
        assertThat(stuck).as("its attempt is over").hasValue(1);
    }

    @Test
    void slowJob_holdsUpNoneBehindIt() {
        AtomicBoolean begun = new AtomicBoolean();
        try (Jobs node = sharing((number, job, connection) -> {
                    if (begun.getAndSet(true)) return;
                    JobsDatabase.awaiting("all others are done").until(() -> database.ended("d") == JOBS - 1);
                })
                .start()) {
            awaitDone(JOBS, 0);
            assertEffects(JOBS);
            assertThat(node.node()).isPositive();
        }
    }

    @Test
    void transactionThatLastsLong_takesNoFurtherJob() {
        try (Jobs node = sharing((number, job, connection) -> {
                    if (number < 10) connection.createStatement().execute("SELECT pg_sleep(0.06)");
                })
                .start()) {
            awaitDone(JOBS, 0);
            assertEffects(JOBS);
            assertThat(database.number("SELECT max(n) FROM (SELECT count(*) AS n FROM effect WHERE number < 10"
                            + " GROUP BY xid::text) g"))
                    .isEqualTo(1);
            assertThat(node.node()).isPositive();
        }
    }

    private int calls() {
        return calls.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    @Test
    void nodeThatStops_commitsWhatIsDone_andCallsNoFurtherHandler() {
        CountDownLatch middle = new CountDownLatch(1);
        Jobs node = sharing((number, job, connection) -> {
                    if (calls() < MIDDLE) return;
                    middle.countDown();
                    JobsDatabase.awaiting("what has not begun is given back")
                            .until(() -> database.waiting() == JOBS - MIDDLE);
                })
                .concurrency(1)
                .start();
        try {
            JobsDatabase.awaiting("a transaction is in its middle").until(() -> middle.getCount() == 0);
        } finally {
            node.close();
        }
        assertThat(calls()).isEqualTo(MIDDLE);
        assertThat(database.ended("d")).isEqualTo(MIDDLE);
        assertThat(database.number("SELECT count(*) FROM effect")).isEqualTo(MIDDLE);
        assertThat(database.waiting()).isEqualTo(JOBS - MIDDLE);
    }

    @Test
    void handlerThatIsInterruptedWhenItsNodeStops_takesTheOthersBack() {
        CountDownLatch middle = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Jobs node = sharing((number, job, connection) -> {
                    if (calls() < MIDDLE) return;
                    middle.countDown();
                    if (calls() == MIDDLE) never.await();
                })
                .concurrency(1)
                .shutdownTimeout(Duration.ofMillis(50))
                .start();
        try {
            JobsDatabase.awaiting("a transaction is in its middle").until(() -> middle.getCount() == 0);
        } finally {
            node.close();
        }
        assertThat(calls()).isEqualTo(MIDDLE);
        assertThat(database.number("SELECT count(*) FROM effect"))
                .isEqualTo(database.ended("d"))
                .isLessThan(MIDDLE);
        assertThat(database.waiting()).isEqualTo(JOBS - database.ended("d"));
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job WHERE attempt > 0"))
                .as("no attempt is counted")
                .isZero();
    }

    @Test
    void number_isChecked() {
        for (int wrong : new int[] {0, 101})
            assertThatThrownBy(() -> database.jobs()
                            .handleInTransaction(
                                    WORK, (number, job, connection) -> {}, options -> options.sharedTransaction(wrong)))
                    .hasMessageContaining("1 to 100 jobs");
    }
}
