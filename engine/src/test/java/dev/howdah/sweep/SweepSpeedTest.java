package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What keeps a sweep as fast at the end as it was at the beginning; figures are in benchmarks. */
@PostgresTest
@Tag("long")
class SweepSpeedTest {
    private final SweepDatabase database;

    SweepSpeedTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, 240);
    }

    @Test // as many rows are in work as there are workers, and nobody gets another's
    void workers_twentyOfSlowWork_allWorkAtTheSameTime() throws InterruptedException {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        try (Sweep sweep = database.mailing()
                .sessionDataSource(database.source()) // more than a pool has
                .workers(20)
                .forEachRow(row -> {
                    most.accumulateAndGet(now.incrementAndGet(), Math::max);
                    TimeUnit.MILLISECONDS.sleep(50); // the work
                    now.decrementAndGet();
                    assertThat(seen.add(row.getLong("id"))).isTrue();
                })
                .start()) {
            assertThat(sweep.join().failed()).isZero();
        }
        assertThat(most).hasValue(20);
        assertThat(seen).hasSize(240);
    }

    @Test // what is to do is rare, and looking at a row takes long: no reading does
    void rows_rareAndSlowToFind_areFoundInWindows() throws InterruptedException {
        database.execute("CREATE FUNCTION slow(timestamptz) RETURNS boolean LANGUAGE plpgsql VOLATILE AS"
                + " 'BEGIN PERFORM pg_sleep(0.002); RETURN $1 IS NULL; END';"
                + " INSERT INTO subscription (id, email) SELECT i, 'p' FROM generate_series(241, 1200) i;"
                + " UPDATE subscription SET last_mail_at = now(), mails = 1 WHERE id NOT IN (7, 200, 233)");
        try (Sweep sweep = database.mailing().where("slow(last_mail_at)").start()) {
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(database.mails()).isEqualTo("1:1200");
    }

    @Test // the last look finds what has appeared behind the sweep, however far behind
    void rows_thatAppearFarBehind_areFoundByTheLastLook() throws InterruptedException {
        int rows = 40_000;
        database.execute("INSERT INTO subscription (id, email) SELECT i, 'p' FROM generate_series(241, " + rows + ") i;"
                + " DELETE FROM subscription WHERE id = 12345; ANALYZE subscription;"
                + " CREATE FUNCTION appear() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN"
                + " INSERT INTO subscription (id, email) VALUES (-7, ''a''), (12345, ''b''), (1000000, ''c''); RETURN NULL; END';"
                + " CREATE TRIGGER appear AFTER UPDATE ON subscription FOR EACH ROW WHEN (NEW.id = " + (rows - 5)
                + ") EXECUTE FUNCTION appear()");
        try (Sweep sweep = database.mailing().start()) {
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(database.mails()).isEqualTo("1:" + (rows + 2));
    }
}
