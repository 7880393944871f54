package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Watching a sweep, holding it up, joining it. */
@PostgresTest
class SweepWatchTest {
    private static final int ROWS = 200;

    private final SweepDatabase database;
    private final Sweeps sweeps;

    SweepWatchTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
        this.sweeps = Sweeps.on(this.database.dataSource());
    }

    private SweepProgress progress() {
        return sweeps.find("mailing").orElseThrow();
    }

    @Test // a row for each permit, so that nothing depends on speed
    void sweep_pausedResumedAndStopped_doesAsItIsTold() throws InterruptedException {
        Semaphore permits = new Semaphore(10);
        try (Sweep sweep =
                database.mailing().forEachRow(row -> permits.acquire()).start()) {
            SweepDatabase.awaiting("ten are done").until(() -> progress().done() == 10);
            SweepProgress seen = progress();
            assertThat(seen.state()).isEqualTo(SweepState.RUNNING);
            assertThat(seen.total()).isEqualTo(ROWS);
            assertThat(seen.isTotalExact()).isTrue();
            assertThat(seen.left()).isEqualTo(ROWS - 10);
            assertThat(seen.workers())
                    .hasSize(4)
                    .allMatch(each -> each.processName().startsWith("pid "));
            assertThat(seen.definition())
                    .containsEntry("table", "\"public\".\"subscription\"")
                    .containsEntry("key", "id");
            assertThat(sweep.pause()).isTrue();
            assertThat(sweep.pause()).isFalse();
            // Rows that are in work end; no other one begins.
            permits.release(ROWS);
            SweepDatabase.awaiting("workers hold nothing")
                    .until(() -> database.number(
                                    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
                                            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
                            == 0);
            long paused = database.number("SELECT count(*) FROM subscription WHERE mails = 1");
            assertThat(paused).isLessThan(ROWS);
            assertThat(progress().state()).isEqualTo(SweepState.PAUSED);
            permits.drainPermits();
            assertThat(sweep.resume()).isTrue();
            SweepDatabase.awaiting("they wait again").until(permits::hasQueuedThreads);
            assertThat(sweep.stop()).isTrue();
            permits.release(ROWS);
            assertThat(sweep.join().state()).isEqualTo(SweepState.STOPPED);
            assertThat(database.number("SELECT count(*) FROM subscription WHERE mails = 1"))
                    .isLessThan(ROWS);
        }
        assertThat(progress().workers()).isEmpty();
        // It goes on where it was.
        try (Sweep sweep = database.mailing().forEachRow(row -> {}).start()) {
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(sweeps.remove("mailing")).isTrue();
        assertThat(sweeps.list()).isEmpty();
        assertThatThrownBy(() -> sweeps.stop("mailing")).hasMessage("there is no sweep named mailing");
    }

    @Test // joined by name, the moment is that of the first
    void sweep_joinedByName_isSharedAndOfOneMoment() throws InterruptedException {
        database.execute("UPDATE subscription SET last_mail_at = '2020-01-01'");
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        AtomicInteger twice = new AtomicInteger();
        CountDownLatch both = new CountDownLatch(2);
        SweepBuilder[] builders = new SweepBuilder[2];
        for (int i = 0; i < 2; i++) {
            Set<Long> mine = ConcurrentHashMap.newKeySet();
            builders[i] = database.mailing()
                    .where("last_mail_at < :started")
                    .mark("last_mail_at = :started, mails = mails + 1")
                    .batch(5)
                    .forEachRow(row -> {
                        if (mine.isEmpty()) both.countDown();
                        mine.add(row.getLong("id"));
                        both.await();
                        if (!seen.add(row.getLong("id"))) twice.incrementAndGet();
                    });
        }
        try (Sweep first = builders[0].start();
                Sweep second = builders[1].start()) {
            assertThat(first.join().done() + second.join().done()).isPositive();
        }
        assertThat(twice).hasValue(0);
        assertThat(seen).hasSize(ROWS);
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(database.text("SELECT count(DISTINCT last_mail_at) || ' ' || bool_and(last_mail_at = s.started)"
                        + " FROM subscription, howdah.sweep s"))
                .isEqualTo("1 true");
        assertThat(progress().done()).isEqualTo(ROWS);
    }

    @Test
    void row_fails_isSkippedAndListedAndTakenUpAgain() throws InterruptedException {
        Set<Long> bad = ConcurrentHashMap.newKeySet();
        bad.addAll(List.of(3L, 150L));
        AtomicInteger calls = new AtomicInteger();
        RowHandler handler = row -> {
            if (!bad.contains(row.getLong("id"))) return;
            calls.incrementAndGet();
            throw new IllegalStateException("no such address: " + row.getString("email"));
        };
        try (Sweep sweep = database.mailing()
                .retries(RetryPolicy.linear(Duration.ofMillis(50), 2))
                .forEachRow(handler)
                .start()) {
            SweepProgress end = sweep.join();
            assertThat(end.state()).isEqualTo(SweepState.DONE);
            assertThat(end.done()).isEqualTo(ROWS - 2);
            assertThat(end.failed()).isEqualTo(2);
        }
        assertThat(calls).hasValue(4);
        assertThat(sweeps.errors("mailing", 10))
                .hasSize(2)
                .allMatch(each -> each.attempts() == 2 && each.retryAt() == null)
                .extracting(each -> each.error().lines().findFirst().orElse(""))
                .containsExactlyInAnyOrder(
                        "java.lang.IllegalStateException: no such address: p3@example.com",
                        "java.lang.IllegalStateException: no such address: p150@example.com");
        bad.clear();
        assertThat(sweeps.retryFailed("mailing")).isEqualTo(2);
        try (Sweep sweep = database.mailing().forEachRow(handler).start()) {
            assertThat(sweep.join().failed()).isZero();
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test // what fails at first and then does not leaves no error behind
    void row_failsOnce_isDoneLaterBySql() throws InterruptedException {
        database.execute("CREATE TABLE mail (subscription integer CHECK (subscription <> 7))");
        try (Sweep sweep = database.mailing()
                .retries(RetryPolicy.linear(Duration.ofMillis(300), 100))
                .sql("INSERT INTO mail SELECT id FROM batch")
                .start()) {
            SweepDatabase.awaiting("one has failed").until(() -> progress().failed() == 1);
            database.execute("ALTER TABLE mail DROP CONSTRAINT mail_subscription_check");
            assertThat(sweep.join().failed()).isZero();
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(database.number("SELECT count(DISTINCT subscription) FROM mail"))
                .isEqualTo(ROWS);
    }

    @Test // in all, whoever joins
    void sweep_throttled_staysBelow() throws InterruptedException {
        long begun = System.nanoTime();
        try (Sweep first = database.mailing()
                        .maxRowsPerSecond(80)
                        .forEachRow(row -> {})
                        .start();
                Sweep second = database.mailing().forEachRow(row -> {}).start()) {
            first.join();
            second.join();
        }
        // 200 rows; a second's worth before the other is seen, and what each begins with, are not waited for.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(1200));
        assertThat(progress().throttle()).isEqualTo(80);
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test
    void throttle_isChangedWhileItRuns_appliesFromThenOn() throws InterruptedException {
        Sweeps sweeps = Sweeps.on(database.dataSource());
        try (Sweep sweep =
                database.mailing().maxRowsPerSecond(0.5).forEachRow(row -> {}).start()) {
            SweepDatabase.awaiting("it has begun").until(() -> progress().throttle() == 0.5);
            assertThat(sweeps.throttle("mailing", 100_000)).isTrue();
            assertThat(sweeps.throttle("mailing", 100_000)).isFalse();
            // With a row in two seconds it would take minutes.
            assertThat(sweep.join(SweepDatabase.PATIENCE)).isTrue();
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(sweeps.throttle("mailing", 0)).isTrue();
        assertThat(progress().throttle()).isZero();
        assertThatThrownBy(() -> sweeps.throttle("mailing", -1)).hasMessageContaining("-1.0 rows a second");
        assertThatThrownBy(() -> sweeps.throttle("none", 1)).hasMessage("there is no sweep named none");
    }

    @Test
    void database_suffers_isLeftAloneUntilItDoesNot() throws InterruptedException, SQLException {
        database.execute("CREATE TABLE load AS SELECT true AS high");
        try (Sweep sweep = database.mailing()
                .backOffWhile("SELECT high FROM load")
                .maxReplicationLag(Duration.ofMinutes(10))
                .yieldToMaintenance()
                .start()) {
            SweepDatabase.awaiting("it says why")
                    .until(() -> progress().workers().stream().anyMatch(each -> each.held() != null));
            assertThat(database.mails()).isEqualTo("0:" + ROWS);
            assertThat(progress().workers().get(0).held()).contains("query of yours");
            try (Connection vacuum = database.source().getConnection();
                    Statement statement = vacuum.createStatement()) {
                vacuum.setAutoCommit(false);
                statement.execute("LOCK TABLE subscription IN SHARE UPDATE EXCLUSIVE MODE");
                database.execute("UPDATE load SET high = false");
                SweepDatabase.awaiting("it yields")
                        .until(() -> String.valueOf(progress().workers().get(0).held())
                                .contains("VACUUM"));
                vacuum.commit();
            }
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
    }

    @Test
    void dryRun_ofASweep_saysWhatWouldBeAndTouchesNothing() {
        SweepPlan plan = database.mailing().workers(2).batch(10).dryRun();
        assertThat(plan.rows()).isEqualTo(ROWS);
        assertThat(plan.isExact()).isTrue();
        assertThat(plan.plan()).isNotEmpty().first().asString().contains("Limit");
        assertThat(plan.locks()).isEqualTo(20);
        assertThat(plan.locksFree()).isGreaterThan(100);
        assertThat(plan.objections()).isEmpty();
        assertThat(database.number("SELECT count(*) FROM pg_namespace WHERE nspname = 'howdah'"))
                .isZero();
        assertThat(database.mails()).isEqualTo("0:" + ROWS);
    }

    @Test // rows that appear behind the sweep, and rows that others finish
    void rows_changeMeanwhile_areDoneIfTheyAreToDo() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(3);
        CountDownLatch changed = new CountDownLatch(1);
        try (Sweep sweep = database.mailing()
                .workers(3)
                .forEachRow(row -> {
                    began.countDown();
                    changed.await();
                })
                .start()) {
            SweepDatabase.awaiting("one begins").until(() -> began.getCount() < 3);
            database.execute(
                    "INSERT INTO subscription (id, email) VALUES (-5, 'behind'); DELETE FROM subscription WHERE id = 90;"
                            + " UPDATE subscription SET last_mail_at = now(), mails = 5 WHERE id = 100");
            changed.countDown();
            sweep.join();
        }
        assertThat(database.mails()).isEqualTo("1:" + (ROWS - 1) + " 5:1");
    }

    @Test // what is kept comes from where it should: one connection for each worker and two more
    void sessions_ofTheirOwn_areTheOnesThatAreKept() throws InterruptedException {
        PGSimpleDataSource direct = database.source();
        direct.setApplicationName("direct");
        CountDownLatch looked = new CountDownLatch(1);
        String kept =
                "SELECT string_agg(application_name || ':' || n, ' ' ORDER BY application_name) FROM (SELECT application_name,"
                        + " count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name IN ('sweep', 'direct')"
                        + " GROUP BY 1) a";
        try (Sweep sweep = database.mailing()
                .sessionDataSource(direct)
                .workers(3)
                .batch(5)
                .forEachBatch(rows -> {
                    if (rows.size() > 1) looked.await();
                })
                .start()) {
            SweepDatabase.awaiting("all of them work")
                    .until(() -> "direct:5".equals(database.rows(kept).get(0).get(0)));
            looked.countDown();
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test // the first process goes row by row until it knows that the mark serves; who comes later knows
    void process_joiningLater_takesWholeBatchesAtOnce() throws InterruptedException {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        SweepBuilder builder = database.mailing().workers(1).batch(20).forEachBatch(rows -> sizes.add(rows.size()));
        try (Sweep sweep = builder.start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        database.execute("UPDATE subscription SET last_mail_at = NULL");
        assertThat(sizes.get(0)).isEqualTo(1);
        int before = sizes.size();
        try (Sweep sweep = builder.start()) {
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(sizes.get(before)).isEqualTo(20);
        assertThat(database.mails()).isEqualTo("2:" + ROWS);
    }
}
