package dev.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@PostgresTest
class TestTasksTest {
    private final TestDatabase database;
    private final TestTasks tasks;

    TestTasksTest(TestDatabase database) {
        this.database = database;
        this.tasks = TestTasks.of(Database.of(database.uri()));
    }

    @Test
    void runDue_runsWhatIsDueAndNothingElse() {
        long first = tasks.add("SELECT 40 + 2");
        long wrong = tasks.add("SELECT 1 / 0");
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 7', now() + interval '72 hours')");
        tasks.assertState(first, TaskState.PLAN);
        assertThat(tasks.runDue()).isEqualTo(2);
        tasks.assertOutput(first, "42");
        tasks.assertFailed(wrong, "division by zero");
        tasks.assertState(wrong + 1, TaskState.PLAN);
        assertThat(tasks.advance(Duration.ofDays(2))).isZero();
        assertThat(tasks.advance(Duration.ofDays(1).plusMinutes(1))).isEqualTo(1);
        tasks.assertOutput(wrong + 1, "7");
        assertThatThrownBy(() -> tasks.assertOutput(first, "43"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("the output of task " + first + " is \"42\", not \"43\"");
        assertThatThrownBy(() -> tasks.assertState(wrong, TaskState.DONE))
                .hasMessageContaining("task " + wrong + " is FAIL, not DONE: ")
                .hasMessageContaining("division by zero");
    }

    @Test
    void advance_repeatedTask_runsEachTime() {
        database.execute("CREATE TABLE log (n bigint GENERATED ALWAYS AS IDENTITY)");
        database.execute("INSERT INTO task (input, repeat) VALUES ('INSERT INTO log DEFAULT VALUES', '24 hours')");
        assertThat(tasks.advance(Duration.ofDays(3).plusMinutes(5))).isEqualTo(4);
        assertThat(database.value("SELECT count(*) FROM log")).isEqualTo("4");
    }
}
