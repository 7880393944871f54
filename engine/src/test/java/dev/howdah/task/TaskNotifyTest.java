package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** A NOTIFY on the channel of the column {@code notify} when a task ends. */
@PostgresTest
class TaskNotifyTest {
    private final TestDatabase database;
    private final ServedTable tasks;
    private final Connection listener;

    TaskNotifyTest(TestDatabase database) throws SQLException {
        this.database = database;
        this.tasks = ServedTable.in(database);
        this.listener = database.connect();
        try (Statement statement = listener.createStatement()) {
            statement.execute("LISTEN ended; LISTEN \"" + "n".repeat(63) + "\"");
        }
    }

    @AfterEach
    void close() throws SQLException {
        listener.close();
        tasks.close();
    }

    /** The next payloads. */
    private List<String> heard(int count) throws SQLException {
        List<String> payloads = new ArrayList<>();
        for (int tries = 0; payloads.size() < count && tries < 30; tries++)
            for (PGNotification each : listener.unwrap(PGConnection.class).getNotifications(1000))
                payloads.add(each.getParameter());
        return payloads;
    }

    private static String payload(long id, String state) {
        return "{\"schema\" : \"public\", \"table\" : \"task\", \"id\" : " + id + ", \"state\" : \"" + state + "\"}";
    }

    @Test
    void taskWithChannel_everyKindOfEnd_isToldOnce() throws SQLException {
        long done = tasks.add("SELECT 1", "notify", "ended", "group", "a");
        assertThat(heard(1)).containsExactly(payload(done, "DONE"));
        long fail = tasks.add("SELECT 1/0", "notify", "ended");
        assertThat(heard(1)).containsExactly(payload(fail, "FAIL"));
        long gone = tasks.add("SELECT 1", "notify", "ended", "plan", "2001-01-01");
        assertThat(heard(1)).containsExactly(payload(gone, "GONE"));
        long unreachable = tasks.add("SELECT 1", "notify", "ended", "remote", "host=127.0.0.1 port=1");
        assertThat(heard(1)).containsExactly(payload(unreachable, "FAIL"));
        long paused = tasks.add("SELECT 1", "notify", "n".repeat(63), "max", "-1");
        assertThat(heard(1)).containsExactly(payload(paused, "DONE"));
        long silent = tasks.add("SELECT 1");
        tasks.ended(silent);
        long last = tasks.add("SELECT 1", "notify", "ended");
        assertThat(heard(1)).containsExactly(payload(last, "DONE"));
    }

    @Test
    void taskWithChannel_whenHeard_rowSaysTheSame() throws SQLException {
        for (int i = 0; i < 20; i++) {
            long id = tasks.add("SELECT 1", "notify", "ended");
            assertThat(heard(1)).hasSize(1);
            assertThat(tasks.find(id).orElseThrow().state()).isEqualTo(TaskState.DONE);
        }
    }

    @Test
    void taskThatLeavesNoRow_isToldAllTheSame() throws SQLException {
        long id = tasks.add("SELECT 1 WHERE false", "notify", "ended");
        assertThat(heard(1)).containsExactly(payload(id, "DONE"));
        assertThat(tasks.find(id)).isEmpty();
    }

    @Test
    void taskThatRepeats_tellsOfEachRun() throws SQLException {
        tasks.add("SELECT 1", "notify", "ended", "repeat", "0.1 s", "group", "r");
        assertThat(heard(3)).hasSizeGreaterThanOrEqualTo(3).allMatch(each -> each.endsWith("\"DONE\"}"));
        tasks.execute("UPDATE task SET state = 'STOP' WHERE state = 'PLAN'");
    }

    @Test
    void channel_fromSetting_isTheDefault() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET pg_task.notify = 'ended'");
            statement.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
            statement.execute("SET pg_task.notify = ''");
            statement.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
        }
        assertThat(heard(1)).hasSize(1);
        assertThat(tasks.value("SELECT string_agg(COALESCE(notify, '-'), ' ' ORDER BY id) FROM task"))
                .isEqualTo("ended -");
    }

    @Test
    void channel_thatIsNone_isRefusedAndHurtsNobody() throws SQLException {
        TaskTable table = TaskTable.on(Database.of(database.uri()), "public", "task");
        for (String bad : List.of("", "n".repeat(64), "ä".repeat(32)))
            assertThatThrownBy(() -> table.add(NewTask.of("SELECT 1").column("notify", bad)))
                    .isInstanceOf(TaskException.class)
                    .hasMessageContaining("task_notify_check");
        // Even where somebody has taken the check away.
        tasks.execute("ALTER TABLE task DROP CONSTRAINT task_notify_check");
        tasks.execute(
                "INSERT INTO task (\"group\", input, max, notify) SELECT 'many', 'SELECT 1', 9,"
                        + " CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN repeat('n', 64) WHEN 2 THEN 'ended' END FROM generate_series(1, 40) i");
        tasks.settled("many");
        assertThat(tasks.value("SELECT count(*) FROM task WHERE state = 'DONE' AND error IS NULL"))
                .isEqualTo("40");
        assertThat(heard(10)).hasSize(10);
    }
}
