package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.embedded.EmbeddedPostgres;
import dev.howdah.fixtures.Patience;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The server restarts, crashes, is down or full; tasks wait and run again. */
@Execution(ExecutionMode.SAME_THREAD) // one server for all of them
@Tag("long")
class ServerFaultTest {
    private static final int ROOM = 14;

    @TempDir
    private static Path directory;

    private EmbeddedPostgres server;
    private final Scheduled tasks;

    ServerFaultTest() {
        server = start(0);
        tasks = Scheduled.at(server.uri());
    }

    private static EmbeddedPostgres start(int port) {
        Path programs = Path.of(
                System.getProperty("java.io.tmpdir"), "howdah-test-postgres-" + System.getProperty("user.name"));
        return EmbeddedPostgres.at(directory)
                .binaries(programs)
                .port(port)
                .setting("max_connections", Integer.toString(ROOM))
                .setting("superuser_reserved_connections", "0")
                .setting("fsync", "off")
                .start();
    }

    /** Stops the server in good order, or takes note that it is gone, and starts it again. */
    private void restart() {
        int port = server.port();
        server.close();
        server = start(port);
    }

    @BeforeEach
    void clean() {
        tasks.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        tasks.withWork();
    }

    @AfterEach
    void stop() {
        tasks.close();
        server.close();
    }

    /** Adds tasks in three groups, of which two run at once, and waits until there are some of every kind. */
    private void load() {
        tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(0.05, 1)', 'g' || n % 3, 1"
                + " FROM generate_series(1, 120) n");
        Scheduled.awaiting("some done").until(() -> tasks.number("SELECT count(*) FROM run") >= 20);
    }

    @Test
    void server_restartedUnderLoad_allTasksAreDone() {
        tasks.serve(tasks.database(), 8);
        load();
        restart();
        tasks.assertAllDone(120);
        assertThat(tasks.times("active")).isEqualTo(2);
    }

    @Test
    void server_killedUnderLoad_allTasksAreDone() {
        tasks.serve(tasks.database(), 8);
        load();
        Optional<ProcessHandle> postmaster = ProcessHandle.of(server.pid());
        assertThat(postmaster).hasValueSatisfying(ProcessHandle::destroyForcibly);
        assertThat(postmaster.orElseThrow().onExit()).succeedsWithin(Scheduled.PATIENCE);
        restart();
        tasks.assertAllDone(120);
    }

    @Test
    void server_crashesByOneProcess_allTasksAreDone() {
        tasks.serve(tasks.database(), 8);
        load();
        Scheduled.awaiting("a process that works is destroyed")
                .until(() -> tasks.list("SELECT pid FROM task WHERE state = 'WORK'").stream()
                        .anyMatch(pid -> ProcessHandle.of(Long.parseLong(String.valueOf(pid)))
                                .map(ProcessHandle::destroyForcibly)
                                .orElse(false)));
        Scheduled.awaiting("elected again").until(() -> tasks.times("active") == 2);
        tasks.assertAllDone(120);
    }

    @Test
    void server_downAtStart_isWaitedForWithReason() {
        int port = server.port();
        tasks.serve(tasks.database(), 8);
        tasks.close();
        tasks.add("SELECT work(0)");
        server.close();
        tasks.begin(tasks.database(), 8);
        tasks.awaitTold("waiting", 2);
        assertThat(tasks.told.stream().filter(each -> each.startsWith("waiting")))
                .allMatch(each -> each.contains("refused"));
        assertThat(tasks.times("active")).isEqualTo(1);
        server = start(port);
        tasks.assertAllDone(1);
        assertThat(tasks.times("active")).isEqualTo(2);
    }

    /** Takes all connections that are left. */
    private List<Connection> fill() {
        List<Connection> taken = new ArrayList<>();
        for (; ; ) {
            try {
                taken.add(tasks.database().connect());
            } catch (SQLException e) {
                assertThat(e.getSQLState()).isEqualTo("53300");
                return taken;
            }
        }
    }

    private void leave(List<Connection> connections) throws SQLException {
        for (Connection connection : connections) connection.close();
        // Their backends are gone a little later.
        Scheduled.awaiting("there is room")
                .ignoreExceptionsMatching(SQLException.class::isInstance)
                .until(() -> {
                    try (Connection again = tasks.database().connect()) {
                        return again.isValid(5);
                    }
                });
    }

    @Test
    void server_fullWhileTasksWait_noneFailsAndAllRunWhenThereIsRoom() throws SQLException {
        tasks.serve(tasks.database(), 8);
        try (Connection holding = tasks.connect();
                Statement hold = holding.createStatement()) {
            hold.execute("SELECT pg_advisory_lock(1)");
            List<Connection> others = fill();
            // Every session there is gets a task that waits for the lock.
            hold.execute(
                    "INSERT INTO task (input, \"group\") SELECT 'SELECT pg_advisory_lock_shared(1), work(0)', 'held'"
                            + " || n FROM generate_series(1, 8) n");
            await().during(Duration.ofSeconds(2)).atMost(Patience.LIMIT).until(() -> {
                try (var row = hold.executeQuery(
                        "SELECT count(*) FILTER (WHERE state = 'PLAN') >= 5 AND count(*) FILTER (WHERE state = 'WORK') >= 1"
                                + " AND count(*) FILTER (WHERE state IN ('PLAN', 'WORK')) = 8 FROM task")) {
                    row.next();
                    return row.getBoolean(1);
                }
            });
            hold.execute("SELECT pg_advisory_unlock(1)");
            leave(others);
        }
        tasks.assertAllDone(8);
        assertThat(tasks.times("active")).isEqualTo(1);
    }

    @Test
    void server_fullAtStart_isWaitedForWithReason() throws SQLException {
        List<Connection> others = fill();
        tasks.begin(tasks.database(), 8);
        tasks.awaitTold("waiting", 2);
        assertThat(tasks.told).allMatch(each -> each.contains("too many clients"));
        leave(others);
        tasks.awaitTold("active", 1);
        tasks.add("SELECT work(0)");
        tasks.assertAllDone(1);
    }

    @Test
    void server_fullUnderLoad_noneFails() throws SQLException {
        Connection own = tasks.connect();
        tasks.serve(tasks.database(), 40);
        tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(0.01, 9)', 'g' || n % 3, 9"
                + " FROM generate_series(1, 300) n");
        List<Connection> others = fill();
        try (own;
                Statement count = own.createStatement()) {
            Scheduled.awaiting("all ended").until(() -> {
                try (var row = count.executeQuery("SELECT count(*) FROM task WHERE state IN ('DONE', 'FAIL')")) {
                    row.next();
                    return row.getInt(1) == 300;
                }
            });
        }
        leave(others);
        // The scheduler may have taken the room that was left for a moment.
        Scheduled.awaiting("there is room, and all are done").untilAsserted(() -> tasks.assertAllDone(300));
    }
}
