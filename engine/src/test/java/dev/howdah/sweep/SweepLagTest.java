package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/** A standby is behind. It is one as far as the server can tell: it gets the server's log, and says how much of it is applied. */
@PostgresTest
class SweepLagTest {
    private static final int ROWS = 200;
    private static final int READS = 1_000;

    private final SweepDatabase database;

    SweepLagTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    /** What gets the log. */
    private final class Standby implements AutoCloseable {
        private final Connection connection;
        private final PGReplicationStream stream;
        private final Thread thread = new Thread(this::follow, "standby");
        private volatile boolean applies;
        private volatile boolean over;
        private volatile @Nullable Exception failure;

        Standby() throws SQLException {
            Properties properties = new Properties();
            PGProperty.USER.set(properties, "postgres");
            PGProperty.REPLICATION.set(properties, "true");
            PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "13");
            PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
            connection = DriverManager.getConnection(database.source().getUrl(), properties);
            stream = connection
                    .unwrap(PGConnection.class)
                    .getReplicationAPI()
                    .replicationStream()
                    .physical()
                    // What is written and not flushed cannot be streamed yet.
                    .withStartPosition(LogSequenceNumber.valueOf(database.text("SELECT pg_current_wal_flush_lsn()")))
                    .start();
            thread.start();
        }

        private void follow() {
            try {
                while (!over) {
                    // It reports its state however much there is to read.
                    for (int read = 0; read < READS && stream.readPending() != null; read++) {}
                    if (applies) {
                        stream.setFlushedLSN(stream.getLastReceiveLSN());
                        stream.setAppliedLSN(stream.getLastReceiveLSN());
                    }
                    stream.forceUpdateStatus();
                    TimeUnit.MILLISECONDS.sleep(20); // a standby says so all the time
                }
            } catch (SQLException | InterruptedException e) {
                failure = e;
            }
        }

        /** Fails once the standby gets no log any more. */
        void assertFollows() {
            Exception failed = failure;
            if (failed != null) throw new AssertionError("the standby has ended", failed);
        }

        @Override
        public void close() throws SQLException, InterruptedException {
            over = true;
            thread.join();
            connection.close();
        }
    }

    private String held() {
        return Sweeps.on(database.dataSource()).find("mailing").orElseThrow().workers().stream()
                .map(each -> String.valueOf(each.held()))
                .findFirst()
                .orElse("nobody is there");
    }

    @Test
    void standby_behind_isWaitedFor() throws SQLException, InterruptedException {
        try (Standby standby = new Standby()) {
            SweepDatabase.awaiting("it is behind").until(() -> {
                standby.assertFollows();
                database.execute("UPDATE subscription SET email = email WHERE id = 1");
                return "t"
                        .equals(
                                database.text(
                                        "SELECT COALESCE(bool_or(replay_lag > interval '1 s'), false) FROM pg_stat_replication"));
            });
            try (Sweep sweep =
                    database.mailing().maxReplicationLag(Duration.ofMillis(700)).start()) {
                SweepDatabase.awaiting("it says why").until(() -> held().matches("a standby is \\d+ s behind"));
                assertThat(database.mails()).isEqualTo("0:" + ROWS);
                standby.applies = true;
                assertThat(sweep.join().done()).isEqualTo(ROWS);
            }
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test // not seen is not "all is well"
    void standby_thatTheRoleMayNotSee_isWaitedForAndSaid() throws SQLException, InterruptedException {
        String role = "lag_" + database.text("SELECT current_database()");
        database.execute("CREATE ROLE " + role + " LOGIN; ALTER TABLE subscription OWNER TO " + role
                + "; GRANT CREATE ON DATABASE " + database.text("SELECT current_database()") + " TO " + role);
        PGSimpleDataSource source = database.source();
        source.setUser(role);
        try (Standby standby = new Standby();
                Sweep sweep = Sweep.on(source)
                        .name("mailing")
                        .table("subscription")
                        .where("last_mail_at IS NULL")
                        .key("id")
                        .mark("last_mail_at = now(), mails = mails + 1")
                        .maxReplicationLag(Duration.ofMinutes(10))
                        .start()) {
            standby.applies = true;
            SweepDatabase.awaiting("it says why")
                    .until(() ->
                            held().equals("the role may not see how far standbys are behind: GRANT pg_monitor to it"));
            assertThat(database.mails()).isEqualTo("0:" + ROWS);
            database.execute("GRANT pg_monitor TO " + role);
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        } finally {
            database.execute(
                    "REASSIGN OWNED BY " + role + " TO postgres; DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }
}
