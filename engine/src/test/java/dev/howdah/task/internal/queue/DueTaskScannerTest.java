package dev.howdah.task.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.owner.SessionVersions;
import dev.howdah.task.internal.queue.ScanResult.Reach;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is seen of the table, however long the queue and whatever lies around it. */
@PostgresTest
class DueTaskScannerTest {
    private final TestDatabase database;

    DueTaskScannerTest(TestDatabase database) {
        this.database = database;
    }

    private interface Body {
        void run(DueTaskScanner scanner) throws SQLException;
    }

    private void with(Body body) throws SQLException {
        TableName table = new TableName("public", "task");
        try (Connection connection =
                SharedLeaderSession.connect(Database.of(database.uri()), "test", Duration.ofSeconds(10))) {
            new TableInstaller(connection, table, null, false).complete();
        }
        SharedLeaderSession session =
                SharedLeaderSession.open(Database.of(database.uri()), "test", Duration.ofSeconds(10));
        assertThat(session.join()).isTrue();
        try (LeaderSession books = new LeaderSession(session, table)) {
            long oid = Long.parseLong(Objects.requireNonNull(database.value("SELECT 'task'::regclass::oid")));
            CronTimetable timetable = new CronTimetable(() -> "UTC");
            body.run(new DueTaskScanner(new DueTaskQueries(books, oid, timetable, new SessionVersions())));
        }
    }

    private void insert(int count, String plan) throws SQLException {
        database.execute("INSERT INTO task (input, plan) SELECT 'SELECT 1', " + plan + " FROM generate_series(1, "
                + count + ")");
    }

    @Test
    void scan_queueOfThousands_isSeenWholeAtOnce() throws SQLException {
        with(scanner -> {
            insert(20_000, "now() + interval '1 day'");
            insert(3_000, "now()");
            ScanResult result = scanner.scan(false);
            assertThat(result.reach()).isEqualTo(Reach.ALL);
            assertThat(result.tasks().stream().map(task -> task.task().id()).distinct())
                    .hasSize(3_000);
        });
    }

    @Test
    void scan_veryLongQueue_isWalkedInSteps() throws SQLException {
        with(scanner -> {
            insert(12_000, "now() - random() * interval '1 s'");
            Set<Long> ids = new HashSet<>();
            int scans = 0;
            do {
                ScanResult result = scanner.scan(false);
                assertThat(result.reach()).isEqualTo(Reach.SOME);
                result.tasks().forEach(task -> ids.add(task.task().id()));
                scans++;
            } while (!scanner.walkedAll());
            assertThat(ids).hasSize(12_000);
            assertThat(scans).isBetween(2, 30);
        });
    }

    @Test
    @Tag("long")
    void scan_manyDeadRowsUnderOldSnapshot_goesOnWithWhatIsNew() throws SQLException {
        with(scanner -> {
            try (Connection holder = database.connect()) {
                holder.setAutoCommit(false);
                holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                holder.createStatement()
                        .executeQuery("SELECT count(*) FROM task")
                        .close();
                insert(150_000, "now()");
                database.execute("UPDATE task SET state = 'DONE'");
                ScanResult result = scanner.scan(false);
                for (int i = 0; i < 3; i++) result = scanner.scan(false);
                assertThat(result.reach()).isEqualTo(Reach.NEW);
                // The next one asks only for what is new: it does not have to wait as long as after a walk over the
                // dead, a second.
                assertThat(scanner.nextNanos())
                        .isLessThan(Duration.ofMillis(500).toNanos());
                insert(1, "now()");
                result = scanner.scan(false);
                assertThat(result.reach()).isEqualTo(Reach.NEW);
                assertThat(result.tasks()).hasSize(1);
                insert(1, "now() - interval '1 minute'");
                do {
                    result = scanner.scan(false);
                } while (result.reach() == Reach.NEW);
                assertThat(result.tasks()).hasSize(2);
            }
        });
    }
}
