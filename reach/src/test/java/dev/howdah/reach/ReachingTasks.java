package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskScheduler;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** A served table whose tasks reach out. */
final class ReachingTasks implements AutoCloseable {
    static {
        // The servers of these tests report the end of a connection as an uncaught exception of one of their threads,
        // maybe while the next test waits.
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }

    final TaskReach reach;
    private final TestDatabase database;
    private final TaskScheduler scheduler;

    ReachingTasks(TestDatabase database, ReachSettings settings) {
        this.database = database;
        this.reach = new TaskReach(settings);
        this.scheduler = TaskScheduler.on(Database.of(database.uri(), Map.of()))
                .reach(reach)
                .start();
        try {
            assertThat(scheduler.awaitServed(Duration.ofMinutes(1))).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    ReachingTasks(TestDatabase database, String... places) {
        this(database, ReachSettings.of(List.of(places)));
    }

    long add(String remote, String input) {
        return add(remote, input, "data", "NULL");
    }

    long add(String remote, String input, String columns, String values) {
        String sql = "INSERT INTO task (remote, input, " + columns + ") VALUES (?, ?, " + values + ") RETURNING id";
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, remote);
            statement.setString(2, input);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    String column(String name, long id) {
        return String.valueOf(database.value("SELECT " + name + " FROM task WHERE id = " + id));
    }

    /** What a try of a target says, without a task: a line for each step. */
    static String steps(ReachSettings settings, String remote) {
        try (ReachProbe probe = new ReachProbe(settings)) {
            return probe.test("postgres", remote, Duration.ofSeconds(30)).stream()
                    .map(each -> each.outcome() + " " + each.name() + ": " + each.detail() + "\n")
                    .collect(Collectors.joining());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String sql) {
        database.execute(sql);
    }

    void awaitState(long id, String state) {
        await().atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(column("state", id))
                        .as(() -> column("error", id))
                        .isEqualTo(state));
    }

    /** The output of a task that is done. */
    String output(String remote, String input) {
        long id = add(remote, input);
        awaitState(id, "DONE");
        return column("output", id);
    }

    /** The error of a task that fails. */
    String error(String remote, String input) {
        long id = add(remote, input);
        awaitState(id, "FAIL");
        return column("error", id);
    }

    @Override
    public void close() {
        scheduler.close();
        reach.close();
    }
}
