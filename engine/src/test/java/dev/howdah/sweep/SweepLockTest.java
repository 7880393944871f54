package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.store.SweepStore;
import dev.howdah.sweep.internal.store.TargetTable;
import dev.howdah.sweep.internal.work.LockingSession;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How rows are taken. */
@PostgresTest
class SweepLockTest {
    private static final String LOCKS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    private final SweepDatabase database;

    SweepLockTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, 10);
    }

    private LockingSession open() throws SQLException {
        try (DedicatedSession session = new DedicatedSession(database.source().getConnection())) {
            Sweep.install(session.connection());
            database.execute(
                    "INSERT INTO howdah.sweep (name, definition) VALUES ('locks', '{}') ON CONFLICT DO NOTHING");
            int process =
                    (int) database.number("INSERT INTO howdah_internal.sweep_process (sweep, name, workers, locks)"
                            + " SELECT id, 'test', 1, 100 FROM howdah.sweep RETURNING id");
            SweepDefinition definition = new SweepDefinition(
                    "subscription",
                    "last_mail_at IS NULL",
                    List.of("id"),
                    null,
                    "last_mail_at = now(), mails = mails + 1",
                    null,
                    null);
            TargetTable target = TargetTable.find(session, definition);
            SweepStatements statements = new SweepStatements(definition, target, SweepStore.now(session), 1);
            return LockingSession.open(
                    ConnectionSource.of(database.dataSource()),
                    LockingSession.Plans.of(statements, 1, 1, true, false, false),
                    process,
                    1,
                    0);
        }
    }

    private static List<RowKey> keys(int from, int to) {
        List<RowKey> keys = new ArrayList<>();
        for (int i = from; i <= to; i++) keys.add(new RowKey(List.of(Integer.toString(i))));
        return keys;
    }

    @Test // nobody waits, and the table itself is not locked
    void rows_lockedByOneWorker_areLeftToItByAnother() throws SQLException {
        try (LockingSession first = open();
                LockingSession second = open()) {
            assertThat(first.take(keys(1, 5)).rows()).hasSize(5);
            LockingSession.Taken taken = second.take(keys(3, 8));
            assertThat(taken.rows()).extracting(row -> row.getLong("id")).containsExactly(6L, 7L, 8L);
            assertThat(taken.others()).isEqualTo(keys(3, 5));
            database.execute("UPDATE subscription SET email = 'other@example.com' WHERE id = 1");
            first.unlock(keys(1, 5));
            assertThat(second.take(keys(3, 5)).rows()).hasSize(3);
        }
    }

    @Test // on a barrier, not by luck: the second worker has read the keys before the first one marks and lets go
    void row_finishedBetweenTheFirstLookAndTheLock_isNotWorkedOnAgain() throws SQLException {
        try (LockingSession first = open();
                LockingSession second = open()) {
            List<RowKey> readBefore = keys(1, 5); // as any scout that looked before the next three lines
            assertThat(first.take(readBefore).rows()).hasSize(5);
            first.mark(readBefore);
            first.unlock(readBefore);
            // Without the second look all of them would be worked on twice: the second worker gets every lock,
            assertThat(lockedWithoutLooking(readBefore)).isEqualTo(5);
            // and with it none is, and no lock is kept.
            LockingSession.Taken taken = second.take(readBefore);
            assertThat(taken.rows()).isEmpty();
            assertThat(taken.others()).isEmpty();
            assertThat(database.number(LOCKS)).isZero();
        }
        assertThat(database.mails()).isEqualTo("0:5 1:5");
    }

    /** What a worker would go on with that trusted what was read before the locks. */
    private int lockedWithoutLooking(List<RowKey> keys) throws SQLException {
        int locked = 0;
        try (Connection connection = database.source().getConnection();
                Statement statement = connection.createStatement()) {
            for (RowKey each : keys)
                try (ResultSet row = statement.executeQuery("SELECT pg_try_advisory_lock(hashtextextended('" + each
                        + "', 'subscription'::regclass::oid::bigint))")) {
                    row.next();
                    if (row.getBoolean(1)) locked++;
                }
            statement.execute("SELECT pg_advisory_unlock_all()");
        }
        return locked;
    }

    @Test // where the mark is the look
    void row_finishedBetweenTheFirstLookAndTheMark_isNotMarkedAgain() throws SQLException {
        try (LockingSession first = open();
                LockingSession second = open()) {
            assertThat(first.batch(keys(1, 5), false).rows()).isEqualTo(5);
            assertThat(second.batch(keys(1, 8), false).rows()).isEqualTo(3);
            assertThat(second.batch(keys(1, 10), true).rows()).isEqualTo(2);
        }
        assertThat(database.mails()).isEqualTo("1:10");
        assertThat(database.number(LOCKS)).isZero();
    }

    @Test
    void locks_ofRowsThatAreNotInTheBatch_areReleasedBeforeWorkStarts() throws SQLException {
        database.execute("UPDATE subscription SET last_mail_at = now() WHERE id <= 4");
        try (LockingSession session = open()) {
            assertThat(session.take(keys(1, 10)).rows()).hasSize(6);
            assertThat(database.number(LOCKS)).isEqualTo(6);
        }
    }

    @Test // two rows of a batch with the same hash are locked twice, and let go twice
    void rows_ofTheSameHash_areBothTaken() throws SQLException {
        try (LockingSession session = open();
                LockingSession other = open()) {
            List<RowKey> same = List.of(keys(1, 1).get(0), keys(1, 1).get(0));
            session.take(same);
            session.unlock(keys(1, 1));
            assertThat(other.take(keys(1, 1)).others()).hasSize(1);
            session.unlock(keys(1, 1));
            assertThat(other.take(keys(1, 1)).rows()).hasSize(1);
        }
    }

    @Test // a row that somebody has locked is left for later, not waited for
    void row_lockedBySomebodyElse_isPassedOver() throws SQLException {
        try (Connection other = database.source().getConnection();
                Statement statement = other.createStatement();
                LockingSession session = open()) {
            other.setAutoCommit(false);
            statement.execute("UPDATE subscription SET email = 'x' WHERE id = 3");
            assertThat(session.batch(keys(1, 5), true).rows()).isEqualTo(4);
            other.commit();
            assertThat(session.batch(keys(1, 5), true).rows()).isEqualTo(1);
        }
    }
}
