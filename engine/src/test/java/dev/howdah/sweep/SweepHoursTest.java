package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The hours of a sweep, by a clock of the database that the test sets. */
@PostgresTest
class SweepHoursTest {
    private static final int ROWS = 200;
    private static final String HOURS = "22:00-06:00 Europe/Berlin";

    private final SweepDatabase database;
    private final DataSource clocked;
    private final Sweeps sweeps;

    SweepHoursTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
        PGSimpleDataSource source = this.database.source();
        source.setOptions("-c search_path=clock,pg_catalog,public");
        this.clocked = database.dataSource(source);
        this.sweeps = Sweeps.on(clocked);
        database.execute("CREATE SCHEMA clock; CREATE TABLE clock.hand (at timestamptz);"
                + " INSERT INTO clock.hand VALUES ('2026-10-24 20:00+02');"
                + " CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE"
                + " AS 'SELECT at FROM clock.hand'");
    }

    private void set(String time) {
        database.execute("UPDATE clock.hand SET at = '" + time + "'");
    }

    private SweepBuilder mailing() {
        return Sweep.on(clocked)
                .name("mailing")
                .table("public.subscription")
                .where("last_mail_at IS NULL")
                .key("id")
                .mark("last_mail_at = now(), mails = mails + 1");
    }

    private void awaitHeld(String begins) {
        SweepDatabase.awaiting("it waits for " + begins)
                .until(() -> ("it is outside of the hours of the sweep (" + HOURS + "), which begin at " + begins)
                        .equals(sweeps.find("mailing").orElseThrow().held()));
    }

    @Test // the night in which clocks are put back, two processes, of which one has said nothing about hours
    void rows_areBegunInTheHoursOnly_andABatchAtTheirEndIsFinished() throws InterruptedException {
        Set<Integer> begun = ConcurrentHashMap.newKeySet();
        Semaphore permits = new Semaphore(0);
        CountDownLatch bothWork = new CountDownLatch(2);
        BatchHandler work = rows -> {
            begun.add((int) rows.get(0).getLong("id"));
            bothWork.countDown();
            permits.acquire();
        };
        try (Sweep first = mailing()
                        .between(HOURS)
                        .workers(1)
                        .batch(10)
                        .forEachBatch(work)
                        .start();
                Sweep second = mailing().workers(1).batch(10).forEachBatch(work).start()) {
            awaitHeld("2026-10-24 22:00+02:00");
            assertThat(begun).isEmpty();
            assertThat(sweeps.find("mailing").orElseThrow().hours()).isEqualTo(HOURS);
            set("2026-10-25 02:30+01"); // the second time that clocks show this
            permits.release(1); // a single row proves the mark
            bothWork.await();
            set("2026-10-25 06:00+01");
            awaitHeld("2026-10-25 22:00+01:00");
            int inWork = begun.size();
            permits.release(ROWS);
            SweepDatabase.awaiting("batches in work are finished")
                    .until(() -> database.number("SELECT count(*) FROM subscription WHERE mails = 1") > 1);
            long done = database.number("SELECT count(*) FROM subscription WHERE mails = 1");
            set("2026-10-25 21:59:59+01");
            awaitHeld("2026-10-25 22:00+01:00");
            assertThat(begun.size()).isEqualTo(inWork);
            assertThat(done).isLessThan(ROWS);
            set("2026-10-25 22:00+01");
            assertThat(first.join().done()).isEqualTo(ROWS);
            second.join();
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test
    void hours_changedWhileItRuns_applyAtOnce_andStayForTheNextStart() throws InterruptedException {
        try (Sweep sweep = mailing().between(HOURS).start()) {
            awaitHeld("2026-10-24 22:00+02:00");
            assertThat(sweeps.between("mailing", "always")).isTrue();
            assertThat(sweeps.between("mailing", "always")).isFalse();
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(sweeps.between("mailing", HOURS)).isTrue();
        assertThatThrownBy(() -> sweeps.between("mailing", "22-6"))
                .hasMessageStartingWith("the hours of a sweep are \"22-6\", and ");
        database.execute("UPDATE subscription SET last_mail_at = NULL");
        try (Sweep sweep = mailing().start()) {
            awaitHeld("2026-10-24 22:00+02:00");
            // As a program of another version might write it.
            database.execute("UPDATE howdah.sweep SET hours = 'at full moon'");
            SweepDatabase.awaiting("it says what is wrong")
                    .until(() -> String.valueOf(
                                    sweeps.find("mailing").orElseThrow().held())
                            .startsWith("the hours of a sweep are \"at full moon\", and "));
            assertThat(database.mails()).isEqualTo("1:" + ROWS);
        }
        try (Sweep sweep = mailing().between("always").start()) {
            assertThat(sweep.join().hours()).isNull();
        }
        assertThat(database.mails()).isEqualTo("2:" + ROWS);
    }
}
