package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With {@code pg_task.cancel} STOP in the row of a running task cancels it. */
@PostgresTest
class TaskStopTest {
    private final TestDatabase database;
    private ServedTable tasks;

    TaskStopTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void serve() {
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.cancel = 'on'");
        tasks = ServedTable.in(database);
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    private Task stopped(long id) {
        tasks.working(id);
        tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + id);
        tasks.awaitTrue("SELECT state = 'STOP' AND stop IS NOT NULL FROM task WHERE id = " + id);
        return tasks.find(id).orElseThrow();
    }

    @Test
    void runningTask_setToStop_isCancelledAndKeepsItsOutput() {
        Task task = stopped(tasks.add("SELECT 1; SELECT pg_sleep(600)"));
        assertThat(task.output()).isEqualTo("1");
        assertThat(task.error()).startsWith("ERROR:  canceling statement due to user request");
    }

    @Test
    void remoteTask_setToStop_isCancelled() {
        String remote = "host=127.0.0.1 port=" + database.server().port() + " user=postgres dbname=" + database.name();
        Task task = stopped(tasks.add("SELECT pg_sleep(600)", "remote", remote));
        assertThat(task.error()).startsWith("ERROR:  canceling statement due to user request");
        assertThat(task.state()).isEqualTo(TaskState.STOP);
    }

    @Test
    void taskThatGoesOn_isEndedWithItsSession() {
        Task task = stopped(tasks.add("""
                DO $$ BEGIN
                    LOOP
                        BEGIN PERFORM pg_sleep(600);
                        EXCEPTION WHEN query_canceled THEN NULL;
                        END;
                    END LOOP;
                END $$"""));
        assertThat(task.error()).contains("canceling statement due to user request", "was ended with its session");
        tasks.awaitTrue("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = " + task.pid() + ")");
    }

    @Test
    void stoppedTask_isNotRepeated_andTheNextOfItsGroupRuns() {
        String group = tasks.newGroup();
        long first = tasks.add("SELECT pg_sleep(600)", "group", group, "repeat", "1 hour", "count", "9");
        long second = tasks.add("SELECT 2", "group", group, "count", "9");
        stopped(first);
        assertThat(tasks.ended(second).output()).isEqualTo("2");
        assertThat(tasks.value("SELECT count(*) FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("2");
    }

    @Test
    void onceTask_setToStop_leavesNoEffects() {
        tasks.execute("CREATE TABLE effect (n int)");
        Task task = stopped(tasks.add("INSERT INTO effect VALUES (1); SELECT pg_sleep(600)", "once", "true"));
        assertThat(task.error()).startsWith("ERROR:  canceling statement due to user request");
        assertThat(tasks.value("SELECT count(*) FROM effect")).isEqualTo("0");
    }
}
