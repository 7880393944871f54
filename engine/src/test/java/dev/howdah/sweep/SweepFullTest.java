package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Others fill the server's table of locks while a sweep goes on. On a server of its own, whose table is small. */
@Tag("long")
class SweepFullTest {
    private static TestServer server;

    private final List<Integer> batches = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch began = new CountDownLatch(1);
    private final CountDownLatch full = new CountDownLatch(1);

    @BeforeAll
    static void start() {
        server = TestServer.with(
                Map.of("max_locks_per_transaction", "10", "max_connections", "25", "autovacuum", "off"));
    }

    private SweepBuilder mailing(SweepDatabase database) {
        return database.mailing().forEachBatch(rows -> {
            batches.add(rows.size());
            began.countDown();
            full.await();
        });
    }

    /** Takes every lock that there is room for. */
    private static void fill(Statement hog) {
        assertThatThrownBy(() -> hog.execute("SELECT pg_advisory_lock(77, i) FROM generate_series(1, 100000) i"))
                .hasMessageContaining("out of shared memory");
    }

    private static void release(Statement hog, int locks) throws SQLException {
        hog.execute("SELECT pg_advisory_unlock(77, i) FROM generate_series(1, " + locks + ") i");
    }

    @Test
    void locks_takenByOthersMeanwhile_makeBatchesSmaller() throws SQLException, InterruptedException {
        try (TestDatabase test = TestDatabase.create(server);
                Connection hogs = test.connect();
                Statement hog = hogs.createStatement();
                Connection other = test.connect();
                Statement theirs = other.createStatement()) {
            SweepDatabase database = SweepDatabase.in(test, 1_000);
            database.execute("CREATE TABLE another (n integer)");
            other.setAutoCommit(false);
            theirs.execute("INSERT INTO another VALUES (1)");
            try (Sweep sweep = mailing(database).workers(2).start()) {
                began.await();
                fill(hog);
                release(hog, 60);
                full.countDown();
                assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
            }
            theirs.execute("INSERT INTO another VALUES (2)");
            other.commit();
            assertThat(database.mails()).isEqualTo("1:1000");
            assertThat(batches.stream().mapToInt(each -> each).sum()).isEqualTo(1_000);
            assertThat(batches).allMatch(each -> each <= 60);
        }
    }
}
