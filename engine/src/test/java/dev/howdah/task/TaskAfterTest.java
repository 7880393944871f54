package dev.howdah.task;

import static dev.howdah.task.ServedTable.GATED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tasks that run when others have ended well. */
@PostgresTest
class TaskAfterTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database);
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static long add(String input, Object after, String... more) {
        String[] columns = new String[more.length + 4];
        columns[0] = "group";
        columns[1] = tasks.newGroup();
        columns[2] = "after";
        columns[3] = "{" + after + "}";
        System.arraycopy(more, 0, columns, 4, more.length);
        return tasks.add(input, columns);
    }

    @Test
    void dependent_ofATaskThatRuns_startsAfterItsEnd() {
        long first;
        long second;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            first = tasks.add(GATED, "group", tasks.newGroup(), "delete", "false");
            second = add("SELECT 'then'", first);
            assertThat(tasks.value("SELECT plan FROM task WHERE id = " + second))
                    .isEqualTo("infinity");
        }
        assertThat(tasks.ended(second).output()).isEqualTo("then");
        assertThat(tasks.value("SELECT b.start >= a.stop AND b.plan <= b.start FROM task a, task b WHERE a.id = "
                        + first + " AND b.id = " + second))
                .isEqualTo("t");
    }

    @Test
    void dependents_ofManyAndInChains_keepTheirOrder() {
        String group = tasks.newGroup();
        tasks.execute("WITH a AS (INSERT INTO task (\"group\", max, input) SELECT '" + group
                + "', 9, 'SELECT pg_sleep(0.1)' FROM generate_series(1, 5)"
                + " RETURNING id), b AS (INSERT INTO task (\"group\", max, input, after) SELECT '" + group
                + "', 9, 'SELECT 2', array_agg(id) FROM a RETURNING id) INSERT INTO task (\"group\", max, input, after) SELECT '"
                + group
                + "', 9, 'SELECT 3', array[id, id] FROM b");
        tasks.settled(group);
        assertThat(tasks.all(group, "state")).isEqualTo("DONE|DONE|DONE|DONE|DONE|DONE|DONE");
        assertThat(tasks.value(
                        "SELECT bool_and(t.start >= d.stop) FROM task t, unnest(t.after) a JOIN task d ON d.id = a WHERE t.\"group\" = '"
                                + group + "'"))
                .isEqualTo("t");
    }

    @Test
    void dependencies_aThousandAndSomeDeleted_areAllWaitedFor() {
        String group = tasks.newGroup();
        long last = Long.parseLong(tasks.value("WITH a AS (INSERT INTO task (\"group\", max, input) SELECT '" + group
                + "', 9, CASE i % 2 WHEN 0 THEN 'SELECT 1' ELSE 'SELECT 1 WHERE false' END"
                + " FROM generate_series(1, 1000) i RETURNING id)"
                + " INSERT INTO task (\"group\", input, after) SELECT '" + tasks.newGroup()
                + "', 'SELECT 2', array_agg(id) FROM a RETURNING id"));
        assertThat(tasks.ended(last).state()).isEqualTo(TaskState.DONE);
        assertThat(tasks.value("SELECT (SELECT start FROM task WHERE id = " + last
                        + ") >= max(stop) FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("t");
    }

    @Test
    void dependency_endedLongAgoOrGone_isNotWaitedFor() {
        long done = tasks.run("SELECT 1").id();
        long deleted = tasks.run("SELECT 1").id();
        tasks.execute("DELETE FROM task WHERE id = " + deleted);
        assertThat(tasks.ended(add("SELECT 2", done + "," + deleted)).state()).isEqualTo(TaskState.DONE);
        assertThat(tasks.ended(add("SELECT 3", "")).state()).isEqualTo(TaskState.DONE);
    }

    @ParameterizedTest
    @CsvSource({"SELECT 1/0, now, FAIL", "SELECT 1, yesterday, GONE"})
    void dependency_endsBadly_soDoAllThatWait(String input, String plan, String state) {
        String group = tasks.newGroup();
        long first = tasks.add(input, "group", group, "plan", plan);
        long second = add("SELECT 2", first);
        long third = add("SELECT 3", second);
        assertThat(tasks.ended(third).error())
                .isEqualTo("ERROR:  task " + second + ", which it runs after, has ended as GONE");
        assertThat(tasks.ended(second).error())
                .isEqualTo("ERROR:  task " + first + ", which it runs after, has ended as " + state);
        assertThat(tasks.ended(second).state()).isEqualTo(TaskState.GONE);
        assertThat(tasks.value(
                        "SELECT output IS NULL AND pid IS NULL AND stop IS NOT NULL FROM task WHERE id = " + third))
                .isEqualTo("t");
    }

    @Test
    void dependency_isStopped_dependentIsGone() {
        long first = tasks.add("SELECT 1", "group", tasks.newGroup(), "plan", "tomorrow");
        long second = add("SELECT 2", first);
        tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + first);
        assertThat(tasks.ended(second).error()).endsWith("has ended as STOP");
    }

    @Test
    void dependency_isTriedAgain_itsLastAttemptDecides() {
        tasks.execute("CREATE SEQUENCE tries");
        String flaky = "DO $$ BEGIN IF nextval('tries') < 3 THEN RAISE 'no'; END IF; END $$; SELECT 1 WHERE false";
        long good = tasks.add(flaky, "group", tasks.newGroup(), "attempts", "3", "backoff", "0.1 s");
        long bad = tasks.add("SELECT 1/0", "group", tasks.newGroup(), "attempts", "2", "backoff", "0.1 s");
        long afterGood = add("SELECT 'good'", good);
        long afterBad = add("SELECT 'bad'", bad);
        assertThat(tasks.ended(afterGood).output()).isEqualTo("good");
        assertThat(tasks.ended(afterBad).state()).isEqualTo(TaskState.GONE);
        String last = tasks.value("SELECT retry FROM task WHERE id = " + bad);
        assertThat(tasks.ended(afterBad).error())
                .isEqualTo("ERROR:  task " + last + ", which it runs after, has ended as FAIL");
        long late = add("SELECT 'late'", good);
        assertThat(tasks.ended(late).output()).as("added when all was over").isEqualTo("late");
    }

    @Test
    void dependent_thatRepeats_waitsOnlyOnce() {
        long first = tasks.run("SELECT 1").id();
        String group = tasks.newGroup();
        tasks.add("SELECT 2", "group", group, "after", "{" + first + "}", "repeat", "1 day", "attempts", "2");
        tasks.idle(group);
        tasks.awaitTrue("SELECT count(*) = 2 FROM task WHERE \"group\" = '" + group + "'");
        assertThat(tasks.all(group, "concat_ws(' ', state, after IS NULL, isfinite(plan))"))
                .isEqualTo("DONE f t|PLAN t t");
    }

    @Test
    void dependent_goneThatRepeats_isPlannedAgain() {
        long first = tasks.run("SELECT 1/0").id();
        String group = tasks.newGroup();
        tasks.add("SELECT 2", "group", group, "after", "{" + first + "}", "cron", "@yearly");
        tasks.awaitTrue("SELECT count(*) = 2 FROM task WHERE \"group\" = '" + group + "'");
        assertThat(tasks.all(group, "concat_ws(' ', state, after IS NULL, plan > now())"))
                .isEqualTo("GONE f f|PLAN t t");
    }

    @Test
    void dependent_afterIsEmptiedLater_starts() {
        long first = tasks.add("SELECT 1", "group", tasks.newGroup(), "plan", "tomorrow");
        long second = add("SELECT 2", first);
        tasks.execute("UPDATE task SET after = '{}' WHERE id = " + second);
        assertThat(tasks.ended(second).output()).isEqualTo("2");
    }

    @Test
    void insert_thatCouldNeverRun_isRefused() {
        assertThatThrownBy(() ->
                        tasks.execute("INSERT INTO task (id, input, after) VALUES (900000, 'SELECT 1', '{1, 900000}')"))
                .hasMessageContaining("task 900000 cannot wait for task 900000")
                .hasMessageContaining("added before it");
        assertThatThrownBy(() -> tasks.execute("INSERT INTO task (input, after) VALUES ('SELECT 1', '{999999999}')"))
                .hasMessageContaining("cannot wait for task 999999999");
        assertThatThrownBy(() -> tasks.execute("INSERT INTO task (input, after) VALUES ('SELECT 1', '{1, NULL}')"))
                .hasMessageContaining("task_after_check");
        assertThatThrownBy(() -> tasks.execute(
                        "INSERT INTO task (input, after, plan) VALUES ('SELECT 1', '{1}', now() + interval '1 h')"))
                .hasMessageContaining("cannot have a \"plan\" as well");
    }

    @Test
    void dependents_thousandsOfOneTask_allStart() {
        long first = tasks.add("SELECT pg_sleep(0.2)", "group", tasks.newGroup());
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", max, input, after) SELECT '" + group + "', 9, 'SELECT 1', array["
                + first + "] FROM generate_series(1, 2000)");
        tasks.settled(group);
        assertThat(tasks.value("SELECT count(*) FROM task WHERE state = 'DONE' AND \"group\" = '" + group + "'"))
                .isEqualTo("2000");
    }
}
