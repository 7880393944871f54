package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Thousands of tasks and several terms leave no thread and no session behind. */
@Isolated("it counts the threads of all schedulers")
@PostgresTest
class ResourceFaultTest {
    private final Scheduled tasks;

    ResourceFaultTest(TestDatabase database) {
        this.tasks = Scheduled.at(database.uri()).withWork();
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("howdah-task") || name.startsWith("howdah-doorbell"))
                .sorted()
                .collect(Collectors.toList());
    }

    private List<String> sessions() {
        return tasks
                .list("SELECT application_name FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND application_name ~ '^(howdah|pg_task) '")
                .stream()
                .map(String::valueOf)
                .toList();
    }

    @Test
    void scheduler_afterThousandsOfTasksAndSeveralTerms_keepsNothing() {
        Scheduled.awaiting("threads of other tests").until(() -> threads().isEmpty());
        tasks.serve(tasks.database(), 20);
        for (int term = 1; term <= 4; term++) {
            tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(0, 5)', 'g' || n % 4, 5"
                    + " FROM generate_series(1, 750) n");
            tasks.assertAllDone(term * 750L);
            int terms = term;
            tasks.terminate(Scheduled.BOOKS);
            tasks.awaitTold("active", terms + 1);
        }
        tasks.add("SELECT work(0)");
        tasks.assertAllDone(3001);
        // The scheduler's, the doorbell's, one ready for the next task and one on its way to be closed.
        Scheduled.awaiting("idle sessions closed")
                .untilAsserted(
                        () -> assertThat(sessions()).hasSizeLessThanOrEqualTo(4).contains(Scheduled.BOOKS));
        Scheduled.awaiting("threads of earlier terms ended")
                .untilAsserted(() -> assertThat(threads().stream().filter(name -> !name.startsWith("howdah-task-")))
                        .containsExactlyInAnyOrder("howdah-doorbell", "howdah-tasks"));
        tasks.close();
        Scheduled.awaiting("sessions ended")
                .untilAsserted(() -> assertThat(sessions()).isEmpty());
        Scheduled.awaiting("threads ended")
                .untilAsserted(() -> assertThat(threads()).isEmpty());
    }
}
