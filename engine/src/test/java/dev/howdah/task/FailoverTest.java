package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.ServerPair;
import dev.howdah.internal.sql.AdvisoryLock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The primary is killed or frozen and its standby is promoted: the scheduler, which knows both addresses, goes on there, with
 * what was acknowledged (replication is synchronous).
 */
@Tag("long")
class FailoverTest {
    private static final int TASKS = 300;

    @TempDir
    private Path directory;

    @Test
    void primaryKilled_standbyPromoted_workGoesOnThere() throws Exception {
        try (ServerPair pair = ServerPair.start(directory)) {
            pair.makeSynchronous();
            failOver(pair, pair::killPrimary, Duration.ofSeconds(15));
        }
    }

    /** Its kernel goes on answering: what was asked of it has no answer, and its sessions do not end. */
    @Test
    void primaryFrozen_standbyPromoted_workGoesOnThere() throws Exception {
        try (ServerPair pair = ServerPair.start(directory)) {
            pair.makeSynchronous();
            failOver(pair, pair::freezePrimary, Duration.ofMinutes(2));
        }
    }

    /** It asks for nothing for an hour; the server's silence has to be noticed by the session that listens. */
    @Test
    void primaryFrozen_whileTheSchedulerSleeps_workGoesOnAtTheStandby() throws Exception {
        try (ServerPair pair = ServerPair.start(directory)) {
            Database before = Database.of(pair.primaryUri());
            execute(before, "ALTER DATABASE postgres SET pg_task.idle = 3600");
            try (TaskScheduler scheduler =
                    TaskScheduler.on(Database.of(pair.uri())).start()) {
                assertThat(scheduler.awaitServed(Duration.ofSeconds(30))).isTrue();
                await("the scheduler sleeps")
                        .atMost(Patience.LIMIT)
                        .until(() -> values(
                                        before,
                                        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = "
                                                + AdvisoryLock.TASK_ASLEEP.classId())
                                .equals(List.of("1")));
                pair.awaitReplay();
                pair.freezePrimary();
                pair.promote();
                Database after = Database.of(pair.standbyUri());
                execute(after, "INSERT INTO task (input) VALUES ('SELECT 1')");
                await("the task runs")
                        .atMost(Patience.LIMIT)
                        .until(() -> ended(after).size() == 1);
            }
        }
    }

    private interface Loss {
        void ofThePrimary() throws Exception;
    }

    private static void failOver(ServerPair pair, Loss loss, Duration patience) throws Exception {
        Database before = Database.of(pair.primaryUri());
        Database after = Database.of(pair.standbyUri());
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(pair.uri())).maxSessions(8).start()) {
            assertThat(scheduler.awaitServed(Duration.ofSeconds(30))).isTrue();
            execute(
                    before,
                    "INSERT INTO task (input, \"group\", max) SELECT 'SELECT pg_sleep(0.1), ' || n, 'g' || n % 4, 1"
                            + " FROM generate_series(1, " + TASKS + ") n");
            await("some done").atMost(Patience.LIMIT).until(() -> ended(before).size() >= 50);
            List<String> acknowledged = ended(before);
            assertThat(acknowledged).hasSizeLessThan(TASKS);
            loss.ofThePrimary();
            pair.promote();
            long promoted = System.nanoTime();
            int done = ended(after).size();
            await("work goes on").atMost(patience).until(() -> ended(after).size() > done);
            System.out.printf("work goes on %d ms after the promotion%n", (System.nanoTime() - promoted) / 1_000_000);
            await("all done").atMost(Patience.LIMIT).until(() -> ended(after).size() == TASKS);
            // With their ends as they were: none of them ran again.
            assertThat(ended(after)).containsAll(acknowledged);
        }
    }

    private static List<String> ended(Database database) throws SQLException {
        return values(database, "SELECT id || ' ' || stop || ' ' || output FROM task WHERE state = 'DONE'");
    }

    private static List<String> values(Database database, String query) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) values.add(rows.getString(1));
            return values;
        }
    }

    private static void execute(Database database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
