package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The connections that a sweep keeps, counted on the server. */
@Tag("long")
@PostgresTest
class SweepConnectionsTest {
    private static final int WORKERS = 4;
    private static final int ROWS = 400;

    private final SweepDatabase database;

    SweepConnectionsTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    private PGSimpleDataSource named(String name) {
        PGSimpleDataSource source = database.source();
        source.setApplicationName(name);
        return source;
    }

    private long sessions(String name) {
        return database.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name = '" + name + "'");
    }

    private SweepBuilder mailing() {
        return Sweep.on(named("calls"))
                .sessionDataSource(named("kept"))
                .name("mailing")
                .table("subscription")
                .where("last_mail_at IS NULL")
                .key("id")
                .mark("last_mail_at = now(), mails = mails + 1")
                .batch(5)
                .workers(WORKERS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sweep_busyAndPaused_keepsOneForEachWorkerAndTwo(boolean stamped) throws InterruptedException {
        AtomicInteger rows = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(WORKERS);
        CountDownLatch counted = new CountDownLatch(1);
        SweepBuilder builder = stamped ? mailing().runTable() : mailing();
        try (Sweep sweep = builder.forEachRow(row -> {
                    // The first row is worked on alone, to see that its mark holds.
                    if (rows.getAndIncrement() == 0) return;
                    all.countDown();
                    counted.await();
                })
                .start()) {
            all.await();
            SweepDatabase.awaiting("the one that started it is closed").until(() -> sessions("kept") == WORKERS + 2);
            assertThat(sweep.progress().failed()).isZero();
            SweepDatabase.awaiting("progress() keeps none").until(() -> sessions("calls") == 0);
            sweep.pause();
            counted.countDown();
            SweepDatabase.awaiting("it is paused").until(() -> sweep.progress().state() == SweepState.PAUSED);
            assertThat(sessions("kept")).isLessThanOrEqualTo(WORKERS + 2);
            sweep.resume();
            long most = 0;
            while (!sweep.join(java.time.Duration.ofMillis(1))) most = Math.max(most, sessions("kept"));
            assertThat(most).as("until its end").isLessThanOrEqualTo(WORKERS + 2);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        SweepDatabase.awaiting("none is left").until(() -> sessions("kept") == 0);
    }

    @Test
    void sweep_eachRowInItsTransaction_usesTheWorkersSession() throws InterruptedException {
        AtomicInteger rows = new AtomicInteger();
        try (Sweep sweep = mailing()
                .forEachRowInTransaction((row, connection) -> rows.incrementAndGet())
                .start()) {
            long most = 0;
            while (!sweep.join(java.time.Duration.ofMillis(1)))
                most = Math.max(most, sessions("kept") + sessions("calls"));
            // The session that started it is closed a moment after the first worker has begun.
            assertThat(most).isLessThanOrEqualTo(WORKERS + 3);
        }
        assertThat(rows).hasValue(ROWS);
    }
}
