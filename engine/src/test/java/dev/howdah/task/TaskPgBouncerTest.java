package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PgBouncer;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks with a real PgBouncer before the database: added through it, and not run through it. */
@PostgresTest
@Tag("long")
class TaskPgBouncerTest {
    private final TestDatabase database;

    TaskPgBouncerTest(TestDatabase database) {
        this.database = database;
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "transaction"})
    void scheduler_behindAPooler_isRefusedWithTheRemedy(String mode) {
        assumeTrue(PgBouncer.isThere(), PgBouncer.MISSING);
        try (PgBouncer pooler = PgBouncer.before(database, mode);
                ServedTable tasks = ServedTable.begin(
                        database,
                        "postgresql://postgres@127.0.0.1:" + pooler.port() + "/" + database.name(),
                        "public",
                        "task_" + mode)) {
            assertThat(tasks.refused())
                    .contains("is reached through a pooler such as PgBouncer", "give the address of the server itself");
        }
    }
}
