package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Workers, sessions and processes that die, or are half dead. */
@Tag("long")
@PostgresTest
class SweepDeathTest {
    private static final int ROWS = 2_000;

    private final SweepDatabase database;

    SweepDeathTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    @Test // its locks go with its sessions; only rows that were in work are worked on again
    void process_killed_itsRowsAreDoneByOthers() throws InterruptedException {
        try (SweepProcess doomed = SweepProcess.at(database.uri(), true)) {
            SweepDatabase.awaiting("it works").until(() -> !doomed.said().isEmpty());
            try (Sweep sweep = database.mailing().forEachRow(row -> {}).start()) {
                SweepDatabase.awaiting("all but its own are done")
                        .until(() -> database.number("SELECT count(*) FROM subscription WHERE mails = 0") <= 4);
                assertThat(database.number("SELECT count(*) FROM subscription WHERE mails = 0"))
                        .isPositive();
                assertThat(sweep.progress().workers()).hasSize(6);
                doomed.child().kill();
                SweepDatabase.awaiting("only the living are shown")
                        .until(() -> sweep.progress().workers().size() <= 4);
                assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
            }
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test // what it did in its last moment, and could not report, is counted when all is done
    void process_killedBeforeItsReport_isCountedInTheEnd() throws InterruptedException, SQLException {
        try (Sweep first = database.mailing().maxRowsPerSecond(400).start()) {
            first.stop();
            first.join();
        }
        long before = database.number("SELECT count(*) FROM subscription WHERE mails = 1");
        try (SweepProcess doomed = SweepProcess.at(database.uri(), false);
                Connection other = database.source().getConnection();
                Statement statement = other.createStatement()) {
            SweepDatabase.awaiting("it works").until(() -> !doomed.said().isEmpty());
            other.setAutoCommit(false);
            statement.execute("SELECT FROM howdah.sweep FOR UPDATE");
            SweepDatabase.awaiting("its report waits")
                    .until(() ->
                            database.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                            + " AND wait_event_type = 'Lock'")
                                    > 0);
            long reported = database.number("SELECT count(*) FROM subscription WHERE mails = 1");
            SweepDatabase.awaiting("it goes on")
                    .until(() -> database.number("SELECT count(*) FROM subscription WHERE mails = 1") > reported + 50);
            doomed.child().kill();
            other.rollback();
        }
        assertThat(before).isLessThan(ROWS);
        try (Sweep sweep = database.mailing().maxRowsPerSecond(100_000).start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.number("SELECT done FROM howdah.sweep")).isEqualTo(ROWS);
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test // the number of rows that there were is the planner's guess, and a process is killed each time it has begun
    void processes_killedOneAfterTheOther_areCountedExactly() throws InterruptedException {
        for (int i = 0; i < 4; i++)
            try (SweepProcess doomed = SweepProcess.at(database.uri(), false)) {
                long marked = database.number("SELECT count(*) FROM subscription WHERE mails > 0");
                SweepDatabase.awaiting("it works")
                        .until(() -> database.number("SELECT count(*) FROM subscription WHERE mails > 0") > marked);
                database.execute("UPDATE howdah.sweep SET total = 7, exact = false");
                doomed.child().kill();
            }
        try (Sweep sweep = database.mailing().start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.number("SELECT done FROM howdah.sweep")).isEqualTo(ROWS);
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test // the row of the process goes while a worker writes its new session there
    void process_takenForDeadWhileAWorkerComesBack_goesOn() throws InterruptedException, SQLException {
        try (Sweep sweep = database.mailing()
                        .workers(1)
                        .maxRowsPerSecond(1000)
                        .forEachRow(row -> {})
                        .start();
                Connection other = database.source().getConnection();
                Statement statement = other.createStatement()) {
            SweepDatabase.awaiting("it works")
                    .until(() -> database.number("SELECT count(*) FROM subscription WHERE mails = 1") > 10);
            other.setAutoCommit(false);
            statement.execute("DELETE FROM howdah_internal.sweep_process");
            database.execute("SELECT pg_terminate_backend(w.pid) FROM howdah_internal.sweep_worker w");
            SweepDatabase.awaiting("the worker waits")
                    .until(() -> database.number("SELECT count(*) FROM pg_stat_activity WHERE"
                                    + " datname = current_database() AND wait_event_type = 'Lock'"
                                    + " AND query LIKE '%sweep_worker AS w%'")
                            > 0);
            other.commit();
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test // it died at the very end, and no process was left that could have seen it
    void process_deadAtTheVeryEnd_isCountedAllTheSame() throws InterruptedException {
        try (Sweep sweep = database.mailing().start()) {
            sweep.join();
        }
        database.execute(
                "INSERT INTO howdah_internal.sweep_process (sweep, name, workers, locks) VALUES (1, 'dead', 1, 1);"
                        + " INSERT INTO howdah_internal.sweep_worker (process, worker, marked) SELECT id, 1, 4 FROM howdah_internal.sweep_process;"
                        + " UPDATE howdah.sweep SET done = done - 4");
        assertThat(Sweeps.on(database.dataSource())
                        .find("mailing")
                        .orElseThrow()
                        .done())
                .isEqualTo(ROWS);
    }

    @Test // its connections live on: whoever is there ends its sessions
    void process_frozen_itsRowsAreDoneByOthers() throws InterruptedException {
        try (SweepProcess frozen = SweepProcess.at(database.uri(), true)) {
            SweepDatabase.awaiting("it works").until(() -> !frozen.said().isEmpty());
            frozen.child().freeze();
            try (Sweep sweep = database.mailing().forEachRow(row -> {}).start()) {
                SweepProgress end = sweep.join();
                assertThat(end.done()).isEqualTo(ROWS);
            }
            assertThat(database.mails()).isEqualTo("1:" + ROWS);
            frozen.child().thaw();
        }
    }

    @Test // each session in turn, and all at once: nothing is lost, and nothing marked twice
    void sessions_ended_nothingIsLostOrMarkedTwice() throws InterruptedException {
        ConcurrentMap<Long, Integer> worked = new ConcurrentHashMap<>();
        int ended = 0;
        try (Sweep sweep = database.mailing()
                .batch(20)
                .maxRowsPerSecond(1500)
                .forEachRow(row -> worked.merge(row.getLong("id"), 1, Integer::sum))
                .start()) {
            for (int i = 0; !sweep.join(Duration.ofMillis(50)); i++) {
                if (i >= 8) continue;
                String which = i % 4 == 3 ? "true" : "random() < 0.3";
                ended += (int) database.number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND application_name = 'sweep' AND " + which);
            }
        }
        assertThat(ended).isPositive();
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(worked).hasSize(ROWS);
        int repeats = worked.values().stream().mapToInt(times -> times - 1).sum();
        assertThat(repeats).as("rows that were in work when a session ended").isLessThanOrEqualTo(ended);
    }
}
