package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.internal.store.SweepSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sweep that has ended and is started again: as it is, or anew. */
@Tag("long")
@PostgresTest
class SweepAgainTest {
    private static final int ROWS = 300;

    private final SweepDatabase database;

    SweepAgainTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    private SweepBuilder weekly() {
        return database.mailing().where("last_mail_at IS NULL OR last_mail_at < :started");
    }

    private SweepProgress progress() {
        return sweeps().find("mailing").orElseThrow();
    }

    private Sweeps sweeps() {
        return Sweeps.on(database.dataSource());
    }

    private SweepProgress done(SweepBuilder builder, long here) throws InterruptedException {
        try (Sweep sweep = builder.start()) {
            SweepProgress end = sweep.join();
            assertThat(sweep.doneHere()).isEqualTo(here);
            return end;
        }
    }

    @Test
    void sweep_leavesItsCourse() throws InterruptedException, SQLException {
        done(weekly(), ROWS);
        assertThat(database.number("SELECT max(done) FROM howdah_internal.sweep_course"))
                .isEqualTo(ROWS);
        // What another process writes a moment later is not needed, and what is old goes.
        database.execute(
                "INSERT INTO howdah_internal.sweep_course SELECT sweep, now() - interval '36 days', now(), 7, 0"
                        + " FROM howdah_internal.sweep_course LIMIT 1; UPDATE howdah.sweep SET done = 1;"
                        + " UPDATE howdah_internal.sweep_course SET minute = to_timestamp(floor(extract(epoch FROM now()) / 60) * 60), at = now()"
                        + " WHERE done = (SELECT max(done) FROM howdah_internal.sweep_course)");
        try (Connection connection = database.source().getConnection();
                PreparedStatement note = SweepSql.SWEEP
                        .statement("sweep_note")
                        .prepare(connection, (int) database.number("SELECT id FROM howdah.sweep"), false)) {
            note.execute();
        }
        assertThat(database.number("SELECT min(done) FROM howdah_internal.sweep_course"))
                .isEqualTo(ROWS);
    }

    @Test
    void sweep_doneAndStartedAgain_countsByItsOwnMoment() throws InterruptedException {
        SweepProgress first = done(weekly(), ROWS);
        try (Sweep second = weekly().start()) {
            assertThat(second.doneBefore()).isEqualTo(first.ended());
            SweepProgress end = second.join();
            assertThat(end.state()).isEqualTo(SweepState.DONE);
            assertThat(end.total()).isEqualTo(ROWS);
            assertThat(end.done()).isEqualTo(ROWS);
            assertThat(end.started()).isEqualTo(first.started());
            assertThat(second.doneHere()).isZero();
        }
        SweepPlan plan = weekly().dryRun();
        assertThat(plan.rows()).isZero();
        assertThat(plan.started()).isEqualTo(first.started());
        assertThat(plan.ended()).isEqualTo(progress().ended());
        // What is new is to do, and is counted.
        database.execute("INSERT INTO subscription (id, email) VALUES (-1, 'new')");
        assertThat(weekly().dryRun().rows()).isEqualTo(1);
        assertThat(done(weekly(), 1).total()).isEqualTo(ROWS + 1);
        assertThat(database.mails()).isEqualTo("1:" + (ROWS + 1));
    }

    @Test
    void sweep_doneAndBegunAnew_doesAllRowsOnceMore() throws InterruptedException {
        SweepProgress first = done(
                weekly().retries(RetryPolicy.never()).forEachRow(row -> {
                    if (row.getLong("id") == 7) throw new IllegalStateException("not this one");
                }),
                ROWS - 1);
        assertThat(first.failed()).isEqualTo(1);
        assertThat(weekly().dryRun().skipped()).isEqualTo(1);
        assertThat(weekly().retryFailed().dryRun().skipped()).isZero();
        SweepPlan plan = weekly().again().dryRun();
        assertThat(plan.rows()).isEqualTo(ROWS);
        assertThat(plan.started()).isNull();
        assertThat(plan.skipped()).isZero();
        assertThat(progress().started()).as("a dry run changes nothing").isEqualTo(first.started());
        try (Sweep sweep = weekly().again().start()) {
            assertThat(sweep.doneBefore()).isNull();
            SweepProgress end = sweep.join();
            assertThat(end.started()).isAfter(first.started());
            assertThat(end.total()).isEqualTo(ROWS);
            assertThat(end.done()).isEqualTo(ROWS);
            assertThat(end.failed()).isZero();
        }
        assertThat(database.mails()).isEqualTo("1:1 2:" + (ROWS - 1));
        assertThat(sweeps().history("mailing", 10))
                .containsExactly(new SweepGeneration(
                        1, SweepState.DONE, first.started(), first.ended(), ROWS - 1, first.failed()));
    }

    @Test
    void history_hasTheLatestGenerationsFirst_andGoesWithTheSweep() throws InterruptedException {
        done(weekly(), ROWS);
        assertThat(sweeps().history("mailing", 10)).isEmpty();
        try (Sweep second = weekly().again()
                .forEachRow(row -> new CountDownLatch(1).await())
                .start()) {
            assertThat(second.stop()).isTrue();
        }
        done(weekly().again(), ROWS);
        assertThat(sweeps().history("mailing", 10))
                .extracting(SweepGeneration::number, SweepGeneration::state, SweepGeneration::done)
                .containsExactly(tuple(2, SweepState.STOPPED, 0L), tuple(1, SweepState.DONE, (long) ROWS));
        assertThat(sweeps().history("mailing", 1)).hasSize(1);
        // As after very many of them.
        database.execute("UPDATE howdah.sweep_history SET generation = 1500 WHERE generation = 2");
        done(weekly().again(), ROWS);
        assertThat(sweeps().history("mailing", 10))
                .extracting(SweepGeneration::number)
                .containsExactly(1501, 1500);
        assertThat(sweeps().remove("mailing")).isTrue();
        assertThat(database.number("SELECT count(*) FROM howdah.sweep_history")).isZero();
        assertThatThrownBy(() -> sweeps().history("mailing", 1)).hasMessage("there is no sweep named mailing");
    }

    @Test // rows get their stamps once more
    void sweep_withStampsBegunAnew_doesAllRowsOnceMore() throws InterruptedException {
        for (int i = 1; i <= 3; i++) {
            done(weekly().runTable().orderBy("email").again(), ROWS);
            assertThat(database.mails()).isEqualTo(i + ":" + ROWS);
        }
    }

    @Test // several machines start it at the same time, and so does one that comes a bit later
    void sweep_begunAnewByMany_isBegunAnewOnce() throws Exception {
        done(weekly(), ROWS);
        CountDownLatch all = new CountDownLatch(3);
        List<Instant> moments = new ArrayList<>();
        List<Sweep> sweeps = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++)
                sweeps.add(weekly().again()
                        .forEachRow(row -> {
                            all.await();
                        })
                        .start());
            for (Sweep each : sweeps) {
                moments.add(each.progress().started());
                all.countDown();
            }
            for (Sweep each : sweeps) each.join();
        } finally {
            for (int i = 0; i < 3; i++) all.countDown();
            sweeps.forEach(Sweep::close);
        }
        assertThat(moments.stream().distinct()).hasSize(1);
        assertThat(sweeps.stream().mapToLong(Sweep::doneHere).sum()).isEqualTo(ROWS);
        assertThat(sweeps().history("mailing", 10)).hasSize(1);
        assertThat(database.mails()).isEqualTo("2:" + ROWS);
    }

    @Test // a process that finds nothing more to do ends its own run, not the next one
    void process_ofAnEarlierRun_doesNotEndTheNext() throws InterruptedException {
        database.execute("INSERT INTO subscription (id, email) VALUES (1000, 'slow')");
        CountDownLatch old = new CountDownLatch(1);
        CountDownLatch young = new CountDownLatch(1);
        try (Sweep former = weekly().forEachRow(row -> {
                    if (row.getLong("id") == 1000) old.await();
                })
                .start()) {
            SweepDatabase.awaiting("one row is left")
                    .until(() -> database.number("SELECT count(*) FROM subscription WHERE mails = 0") == 1);
            // As if the sweep had been stopped while this process could not hear of it.
            database.execute("UPDATE howdah.sweep SET state = 'stopped', runs = runs + 1; UPDATE howdah.sweep"
                    + " SET state = 'running'");
            old.countDown();
            former.join();
        }
        assertThat(progress().state()).as("that run goes on").isEqualTo(SweepState.RUNNING);
        try (Sweep next = weekly().forEachRow(row -> young.await()).start()) {
            young.countDown();
            assertThat(next.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(database.mails()).isEqualTo("1:" + (ROWS + 1));
    }

    @Test // a dry run promises what the run does: also that it is refused
    void dryRun_ofAnotherSweepOfThatName_isRefused() throws InterruptedException {
        done(weekly(), ROWS);
        assertThatThrownBy(() -> database.mailing().dryRun())
                .isInstanceOf(SweepException.class)
                .hasMessageContaining("there is another sweep named mailing");
    }

    @Test
    void refusal_hasItsObjections_andSaysHowToStartAllTheSame() {
        database.execute("ALTER TABLE subscription DROP CONSTRAINT subscription_pkey");
        assertThatThrownBy(() -> weekly().start())
                .isInstanceOf(SweepRefusedException.class)
                .hasMessageEndingWith("; force() starts it all the same")
                .satisfies(e -> assertThat(((SweepRefusedException) Objects.requireNonNull(e)).objections())
                        .singleElement()
                        .asString()
                        .contains("is not known to be unique"));
    }
}
