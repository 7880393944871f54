package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RecordedMetrics;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the metrics of tasks tell of a leader, and of the program that stands by. */
@PostgresTest
@Tag("long")
class TaskMetricsTest {
    private static final Duration PATIENCE = Patience.LIMIT;

    private final TestDatabase database;

    TaskMetricsTest(TestDatabase database) {
        this.database = database;
    }

    private TaskScheduler serve(RecordedMetrics metrics) throws InterruptedException {
        return serve(metrics, database.uri());
    }

    private TaskScheduler serve(RecordedMetrics metrics, String uri) throws InterruptedException {
        TaskScheduler scheduler =
                TaskScheduler.on(Database.of(uri, Map.of())).metrics(metrics).start();
        assertThat(scheduler.awaitServed(PATIENCE)).isTrue();
        return scheduler;
    }

    private double gauge(RecordedMetrics metrics, String name) {
        return Objects.requireNonNull(
                metrics.figures().get(name + "{database=" + database.name() + ", table=public.task}"), name);
    }

    private void await(RecordedMetrics metrics, String name, double value) {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(gauge(metrics, name)).isEqualTo(Double.valueOf(value)));
    }

    @Test
    void gauges_areThoseOfTheLeader_andOfTheNextOne() throws Exception {
        serve(new RecordedMetrics()).close();
        RecordedMetrics first = new RecordedMetrics();
        RecordedMetrics second = new RecordedMetrics();
        try (Connection holder = database.connect();
                Statement holds = holder.createStatement()) {
            holds.execute("SELECT pg_advisory_lock(7)");
            // One of the group at a time, and one that is not due.
            holds.execute("INSERT INTO task (\"group\", max, plan, input) SELECT 'one', 0, now() - interval '10 min',"
                    + " 'SELECT pg_advisory_lock(7), pg_advisory_unlock(7)' FROM generate_series(1, 4);"
                    + " INSERT INTO task (plan, input) VALUES (now() + interval '1 hour', 'SELECT 1')");
            TaskScheduler leader = serve(first);
            await(first, "howdah_tasks_waiting", 3);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(gauge(first, "howdah_tasks_lag_seconds")).isBetween(600.0, 700.0));
            await(first, "howdah_tasks_running", 1);
            await(first, "howdah_task_sessions_limit", 40);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(gauge(first, "howdah_task_sessions")).isPositive());
            assertThat(gauge(first, "howdah_task_sessions_refused")).isZero();
            await(first, "howdah_task_leader", 1);
            try (TaskScheduler standby = serve(second)) {
                assertThat(standby.isOver()).isFalse();
                assertThat(gauge(second, "howdah_task_leader")).isZero();
                assertThat(gauge(second, "howdah_tasks_waiting")).isNaN();
                assertThat(gauge(second, "howdah_tasks_running")).isZero();
                leader.close();
                await(first, "howdah_task_leader", Double.NaN);
                assertThat(gauge(first, "howdah_tasks_waiting")).isNaN();
                await(second, "howdah_task_leader", 1);
                await(second, "howdah_tasks_waiting", 3);
            }
        }
    }

    @Test
    void leader_ofATableThatCannotBeServed_isZero() {
        database.execute("CREATE TABLE task (id bigint PRIMARY KEY, input text)");
        RecordedMetrics metrics = new RecordedMetrics();
        CountDownLatch refused = new CountDownLatch(1);
        try (TaskScheduler scheduler = TaskScheduler.on(Database.of(database.uri()))
                .metrics(metrics)
                .listener(new TaskScheduler.Listener() {
                    @Override
                    public void refused(String reason) {
                        refused.countDown();
                    }
                })
                .start()) {
            Awaitility.await().atMost(PATIENCE).until(() -> refused.getCount() == 0);
            assertThat(scheduler.isOver()).isFalse();
            assertThat(gauge(metrics, "howdah_task_leader")).isZero();
        }
    }

    @Test
    void sessions_thatTheServerRefuses_areSaid_untilItAcceptsOne() throws Exception {
        database.execute(
                "CREATE ROLE narrow LOGIN CREATEROLE CONNECTION LIMIT 3; GRANT CREATE ON SCHEMA public TO narrow");
        try {
            RecordedMetrics metrics = new RecordedMetrics();
            try (TaskScheduler scheduler = serve(metrics, database.uri().replace("postgres@", "narrow@"))) {
                assertThat(scheduler.isOver()).isFalse();
                database.execute("SET ROLE narrow; INSERT INTO task (input, max) SELECT 'SELECT pg_sleep(0.1)', 9"
                        + " FROM generate_series(1, 60)");
                await(metrics, "howdah_task_sessions_refused", 1);
                database.execute("ALTER ROLE narrow CONNECTION LIMIT 50");
                await(metrics, "howdah_task_sessions_refused", 0);
            }
        } finally {
            database.execute("DROP OWNED BY narrow; DROP ROLE narrow");
        }
    }
}
