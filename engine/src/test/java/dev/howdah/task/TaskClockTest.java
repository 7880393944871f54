package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Repeating tasks whose plans are of a clock that was ahead go on when it has been set back. */
@PostgresTest
class TaskClockTest {
    private final TestDatabase database;

    TaskClockTest(TestDatabase database) {
        this.database = database;
    }

    private TaskScheduler serve() throws InterruptedException {
        TaskScheduler scheduler = TaskScheduler.on(Database.of(database.uri())).start();
        assertThat(scheduler.awaitServed(Duration.ofSeconds(60))).isTrue();
        return scheduler;
    }

    @Test
    void runsPlannedWhileTheClockWasAhead_areDue_andWhatWasPlannedOtherwiseIsLeft() throws Exception {
        serve().close();
        database.execute("INSERT INTO task (input, state, start, stop, delete) VALUES"
                + " ('SELECT 0', 'DONE', now() + interval '8 h', now() + interval '8 h', false);"
                + " INSERT INTO task (input, parent, plan, repeat, cron, schedule) SELECT x.input, x.parent, now() + interval '8 h',"
                + " x.repeat::interval, x.cron, x.schedule FROM (VALUES ('SELECT 1', 1, '10 s', NULL, NULL),"
                + " ('SELECT 2', 1, '0', '* * * * * *', NULL), ('SELECT 3', NULL, '10 s', NULL, NULL),"
                + " ('SELECT 4', 1, '1 day', NULL, NULL), ('SELECT 5', NULL, '0', '* * * * * *', 'new'),"
                + " ('SELECT 6', NULL, '0', '* * * * * *', NULL)) x (input, parent, repeat, cron, schedule)");
        try (TaskScheduler scheduler = serve()) {
            await().atMost(Patience.LIMIT)
                    .until(
                            () -> "3"
                                    .equals(
                                            database.value(
                                                    "SELECT count(DISTINCT input) FROM task WHERE input IN ('SELECT 1', 'SELECT 2', 'SELECT 5')"
                                                            + " AND plan < now() + interval '1 minute' AND (start IS NOT NULL OR parent > 1)")));
            assertThat(database.value(
                            "SELECT string_agg(input, ', ' ORDER BY id) FROM task WHERE plan > now() + interval '7 h'"))
                    .isEqualTo("SELECT 3, SELECT 4, SELECT 6");
        }
    }
}
