package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows of tasks that have ended are kept for as long as configured. */
@Tag("long")
class RetentionTest {
    private final TestDatabase database = TestDatabase.create();

    @AfterEach
    void drop() {
        database.close();
    }

    private ServedTable serve(String retention) {
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.retention = '" + retention + "'");
        return ServedTable.in(database);
    }

    /** A table that nobody serves yet. */
    private void make() {
        ServedTable.in(database).close();
    }

    private void add(String state, String stop, String count) {
        database.execute(
                "INSERT INTO task (input, state, stop, start, output, plan) SELECT 'SELECT 1', '" + state + "', " + stop
                        + ", " + stop + ", 'x', now() + interval '1 day' FROM generate_series(1, " + count + ")");
    }

    private String counts() {
        return ""
                + database.value(
                        "SELECT string_agg(state || ' ' || n, ', ' ORDER BY state) FROM (SELECT state, count(*) AS n FROM task"
                                + " GROUP BY state) x");
    }

    @Test
    void retention_notSet_keepsAll() {
        make();
        add("DONE", "now() - interval '10 years'", "600");
        try (ServedTable tasks = serve("")) {
            tasks.run("SELECT 1");
            assertThat(counts()).isEqualTo("DONE 601");
        }
    }

    @Test
    void oldRows_amongOthers_areRemovedAndNothingElse() {
        make();
        add("PLAN", "NULL", "3000"); // planned for later, with the lowest numbers
        for (String state : new String[] {"DONE", "FAIL", "GONE"}) add(state, "now() - interval '2 hours'", "1200");
        add("STOP", "NULL", "7"); // stopped before they ran: somebody may let them go
        add("DONE", "now() - interval '1 minute'", "5000");
        add("DONE", "now() - interval '2 hours'", "10"); // ran long
        add("DONE", "now()", "100");
        try (ServedTable tasks = serve("1 hour")) {
            tasks.awaitTrue("SELECT NOT EXISTS (SELECT FROM task WHERE state = 'FAIL' OR state = 'GONE')");
            tasks.run("SELECT 1");
            tasks.awaitTrue(
                    "SELECT count(*) FILTER (WHERE state = 'PLAN') = 3000 AND count(*) FILTER (WHERE stop < now() - interval '1 h') <= 10 FROM task");
            assertThat(counts()).startsWith("PLAN 3000, DONE 51").endsWith("STOP 7");
        }
    }

    @Test
    void rows_thatGrowOldWhileTheSchedulerSleeps_areRemoved() {
        try (ServedTable tasks = serve("5 s")) {
            long id = tasks.run("SELECT 1").id();
            assertThat(tasks.find(id)).isPresent();
            tasks.awaitTrue("SELECT count(*) = 0 FROM task");
        }
    }

    @Test
    void rows_thatSomethingKeeps_stayAlone() {
        make();
        add("DONE", "now() - interval '2 hours'", "1200");
        database.execute(
                "CREATE TABLE mine (task bigint REFERENCES task); INSERT INTO mine SELECT id FROM task WHERE id % 100 = 0;"
                        + " CREATE TABLE late (task bigint REFERENCES task DEFERRABLE INITIALLY DEFERRED); INSERT INTO late VALUES (7);"
                        + " CREATE TABLE gone (task bigint REFERENCES task ON DELETE CASCADE); INSERT INTO gone SELECT id FROM task WHERE id < 50");
        try (ServedTable tasks = serve("1 hour")) {
            tasks.awaitTrue("SELECT count(*) = 13 FROM task");
            assertThat(database.value("SELECT count(*) FROM task WHERE id = 7 OR id % 100 = 0"))
                    .isEqualTo("13");
            assertThat(database.value("SELECT string_agg(task::text, ' ') FROM gone"))
                    .isEqualTo("7");
            assertThat(tasks.run("SELECT 1").output()).isEqualTo("1");
        }
    }

    @Test
    void rowThatSomebodyHolds_isNotWaitedFor() {
        make();
        add("DONE", "now() - interval '2 hours'", "700");
        try (ServedTable.Holder holder =
                        new ServedTable.Holder(database, "SELECT 1 FROM task WHERE id = 5 FOR UPDATE");
                ServedTable tasks = serve("1 hour")) {
            assertThat(holder).isNotNull();
            tasks.awaitTrue("SELECT count(*) = 1 FROM task");
            assertThat(tasks.run("SELECT 1").output()).isEqualTo("1");
        }
    }

    @Test
    void failedTask_whoseNextAttemptIsToCome_stays() {
        try (ServedTable tasks = serve("2 s")) {
            String group = tasks.newGroup();
            long id = tasks.add("SELECT 1/0", "group", group, "attempts", "2", "backoff", "8 s");
            long other = tasks.run("SELECT 1").id();
            tasks.awaitTrue("SELECT NOT EXISTS (SELECT FROM task WHERE id = " + other + ")");
            assertThat(tasks.find(id)).isPresent();
            tasks.awaitTrue("SELECT count(*) = 0 FROM task");
        }
    }

    @Test
    void retention_thatMakesNoSense_keepsAll() {
        make();
        add("DONE", "now() - interval '10 years'", "10");
        try (ServedTable tasks = serve("for a while")) {
            tasks.run("SELECT 1");
            assertThat(counts()).isEqualTo("DONE 11");
        }
    }
}
