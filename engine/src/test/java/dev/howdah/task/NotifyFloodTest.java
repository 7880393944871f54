package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Any role that may connect can notify on the channel of the schedulers, and tasks run all the same. The console
 * listens on no channel.
 */
@PostgresTest
@Tag("long")
class NotifyFloodTest {
    private final TestDatabase database;
    private final Scheduled tasks;

    NotifyFloodTest(TestDatabase database) {
        this.database = database;
        this.tasks = Scheduled.at(database.uri()).serve();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    private static long pulseThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("howdah-pulse"))
                .count();
    }

    @Test
    void flood_ofForeignPulsesAndLongPayloads_startsNoThreadsAndTasksRun() {
        AtomicLong most = new AtomicLong();
        for (int i = 0; i < 5; i++) {
            database.execute(
                    "DO $$ BEGIN FOR i IN 1..20000 LOOP PERFORM pg_notify('howdah_task', 'pulse ' || i); END LOOP; FOR"
                            + " i IN 1..500 LOOP PERFORM pg_notify('howdah_task', rpad(i::text, 3000)); END LOOP; END $$");
            long id = tasks.add("SELECT 1");
            Scheduled.awaiting("end of task " + id).until(() -> {
                most.accumulateAndGet(pulseThreads(), Math::max);
                return tasks.state(id).equals("DONE");
            });
        }
        assertThat(most.get()).isLessThan(10); // tests beside this one have schedulers, too
    }

    @Test
    void flood_ofTrueRings_tasksRun() {
        long books = tasks.number("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name = '" + Scheduled.BOOKS + "'");
        long oid = tasks.number("SELECT 'task'::regclass::oid::bigint");
        for (String ring : List.of(Long.toString(oid), "pulse " + books, "vacant"))
            // A transaction each: notifications of one are told together, and equal ones once.
            database.execute("DO $$ BEGIN FOR i IN 1..300 LOOP PERFORM pg_notify('howdah_task', '" + ring
                    + "'); COMMIT; END LOOP; END $$");
        tasks.awaitState(tasks.add("SELECT 1"), "DONE");
        assertThat(tasks.told).containsExactly("active");
    }
}
