package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A running sweep whose total is not there, as at a promoted standby that lacks the commit with it. */
@PostgresTest
class SweepTotalTest {
    private static final int ROWS = 200;
    private static final int FREE = 50;

    private final SweepDatabase database;
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CountDownLatch held = new CountDownLatch(1);

    SweepTotalTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    private Sweep start() {
        return database.mailing()
                .workers(1)
                .batch(5)
                .forEachRow(row -> {
                    if (row.getLong("id") <= FREE) return;
                    held.countDown();
                    mayEnd.await();
                })
                .start();
    }

    private SweepProgress progress() {
        return Sweeps.on(database.dataSource()).find("mailing").orElseThrow();
    }

    @Test
    void total_isLost_isCountedAgain() throws InterruptedException {
        try (Sweep sweep = start()) {
            assertThat(progress().total()).isEqualTo(ROWS);
            assertThat(progress().isTotalExact()).isTrue();
            held.await();
            SweepDatabase.awaiting("what is done is reported")
                    .until(() -> progress().done() == FREE);
            database.execute("UPDATE howdah.sweep SET total = NULL, exact = false");
            SweepDatabase.awaiting("it is counted again").until(() -> progress().total() >= 0);
            assertThat(progress().total()).isEqualTo(ROWS);
            assertThat(progress().isTotalExact()).as("rows were in work").isFalse();
            mayEnd.countDown();
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        } finally {
            mayEnd.countDown();
        }
        assertThat(progress().total()).isEqualTo(ROWS);
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test
    void total_isLostAndTheTableIsLocked_theSweepGoesOn() throws Exception {
        try (Sweep sweep = start()) {
            held.await();
            SweepDatabase.awaiting("what is done is reported")
                    .until(() -> progress().done() == FREE);
            try (var connection = database.source().getConnection();
                    var statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("LOCK TABLE subscription IN ACCESS EXCLUSIVE MODE");
                database.execute("UPDATE howdah.sweep SET total = NULL, exact = false");
                SweepDatabase.awaiting("the count waits for the lock")
                        .until(() -> database.number("SELECT count(*) FROM pg_locks l JOIN pg_database d"
                                        + " ON d.oid = l.database AND d.datname = current_database()"
                                        + " WHERE l.relation = 'subscription'::regclass AND NOT l.granted")
                                > 0);
                SweepDatabase.awaiting("it waits no more")
                        .until(() -> database.number("SELECT count(*) FROM pg_locks l JOIN pg_database d"
                                        + " ON d.oid = l.database AND d.datname = current_database()"
                                        + " WHERE l.relation = 'subscription'::regclass AND NOT l.granted")
                                == 0);
                connection.rollback();
            }
            mayEnd.countDown();
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        } finally {
            mayEnd.countDown();
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }
}
