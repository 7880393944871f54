package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The settings of autovacuum that the table of tasks is made with. */
@PostgresTest
class TaskTableVacuumTest {
    private static final String OPTIONS =
            "SELECT array_to_string(reloptions, ' ') FROM pg_class WHERE oid = to_regclass('task')";

    private final TestDatabase database;

    TaskTableVacuumTest(TestDatabase database) {
        this.database = database;
    }

    private void serve() {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler).isNotNull();
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .until(() -> "t"
                            .equals(database.value("SELECT EXISTS (SELECT FROM pg_proc WHERE proname = 'task_done')")));
        }
    }

    @Test
    void table_isVacuumedAndAnalyzedAfterATwentieth_unlessItsOwnerSaysOtherwise() {
        serve();
        assertThat(database.value(OPTIONS))
                .contains("autovacuum_vacuum_scale_factor=0.05", "autovacuum_analyze_scale_factor=0.05");
        database.execute("ALTER TABLE task RESET (autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor,"
                + " autovacuum_vacuum_insert_scale_factor); ALTER TABLE task SET (autovacuum_enabled = off)");
        serve();
        assertThat(database.value(OPTIONS)).isEqualTo("autovacuum_enabled=off");
    }
}
