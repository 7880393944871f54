package dev.howdah.console.internal.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Kind: a change of many that ends at the first one that is refused. */
@PostgresTest
class TaskBulkTest {
    private static final String RUNNING = "SELECT pg_sleep(600)";

    @Test
    void cancel_ofTasksThatThisRoleMayNotSignal_goesOnWithTheOthers(TestDatabase database) throws Exception {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            Awaitility.await().until(() -> "t".equals(database.value("SELECT to_regclass('task') IS NOT NULL")));
            assertThat(scheduler).isNotNull();
        }
        String role = database.name() + "_clerk";
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT SELECT, UPDATE ON task TO " + role);
        try (Connection session = database.connect();
                Statement statement = session.createStatement()) {
            CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> isCancelled(statement));
            database.execute(
                    "INSERT INTO task (input, plan) VALUES ('" + RUNNING + "', now()), ('SELECT 1', 'infinity');"
                            + " UPDATE task SET state = 'WORK', start = now(), pid = a.pid FROM (SELECT "
                            + pid(database) + " AS pid) a WHERE id = 1");
            TaskTable clerk = TaskTable.on(Database.of(database.uri()).withUser(role), "public", "task");
            assertThat(new TaskBulk(TaskBulk.Action.CANCEL, TaskQuery.all(), clerk).each(List.of(1L, 2L)))
                    .isEqualTo(1);
            assertThat(database.value("SELECT string_agg(state::text, ',' ORDER BY id) FROM task"))
                    .isEqualTo("WORK,STOP");
            TaskTable owner = TaskTable.on(Database.of(database.uri()), "public", "task");
            assertThat(new TaskBulk(TaskBulk.Action.CANCEL, TaskQuery.all(), owner).each(List.of(1L, 2L)))
                    .isEqualTo(1);
            assertThat(ended.get()).isTrue();
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    private static String pid(TestDatabase database) {
        String sql =
                "SELECT max(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query = '"
                        + RUNNING + "'";
        Awaitility.await().until(() -> database.value(sql) != null);
        return String.valueOf(database.value(sql));
    }

    private static boolean isCancelled(Statement statement) {
        try {
            statement.execute(RUNNING);
            return false;
        } catch (SQLException e) {
            return "57014".equals(e.getSQLState());
        }
    }
}
