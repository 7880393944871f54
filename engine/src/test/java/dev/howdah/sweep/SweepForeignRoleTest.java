package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The lock of a process of a sweep, held by a role that may connect, and nothing else. */
@PostgresTest
class SweepForeignRoleTest {
    private final SweepDatabase database;
    private final TestDatabase raw;
    private final String mallory;

    SweepForeignRoleTest(TestDatabase database) {
        this.raw = database;
        this.database = SweepDatabase.in(database, 100);
        this.mallory = "mallory_" + database.name();
    }

    @BeforeEach
    void makeRole() {
        database.execute("CREATE ROLE \"" + mallory + "\" LOGIN");
    }

    @AfterEach
    void dropRole() {
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + mallory
                + "'; DROP ROLE \"" + mallory + "\"");
    }

    @Test // otherwise the process would seem to live, and work, for as long as that session
    void lockOfADeadProcess_heldByAnotherRole_sessionIsEndedAndTheProcessIsDropped() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        try (Sweep sweep = database.mailing().forEachRow(row -> mayGoOn.await()).start();
                Connection holder = mallory();
                Statement statement = holder.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1215264890, 4711)");
            database.execute("INSERT INTO howdah_internal.sweep_process (id, sweep, name, workers, locks)"
                    + " OVERRIDING SYSTEM VALUE VALUES (4711, 1, 'dead', 1, 1)");
            SweepDatabase.awaiting("the dead process is dropped")
                    .atMost(3, TimeUnit.MINUTES)
                    .until(() ->
                            database.number("SELECT count(*) FROM howdah_internal.sweep_process WHERE id = 4711") == 0);
            assertThat(holder.isValid(30)).isFalse();
            mayGoOn.countDown();
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        } finally {
            mayGoOn.countDown();
        }
    }

    private Connection mallory() throws Exception {
        PGSimpleDataSource source = SweepDatabase.source(raw.uri());

        source.setUser(mallory);
        return source.getConnection();
    }
}
