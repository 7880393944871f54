package dev.howdah.process;

import static dev.howdah.process.Scripted.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.process.client.ProcessClient;
import dev.howdah.process.internal.client.NamespaceRegistry;
import dev.howdah.process.internal.node.DepthReporter;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessMetrics;
import dev.howdah.spi.Backoff;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.RecordedMetrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is told of processes, by names that others have chosen and by our own. */
@PostgresTest
class ProcessMetricsTest {
    private static final String NAMESPACE = "default/default";

    private final TestDatabase database;
    private final RecordedMetrics metrics = new RecordedMetrics();
    private final Map<String, Double> figures = metrics.figures();

    ProcessMetricsTest(TestDatabase database) {
        this.database = database;
    }

    private static Intent step(ProcessTask task, ProcessState process) {
        String args = task.args().size() == 0 ? "" : task.args().as(String.class);
        return switch (task.type() == TaskType.TIMEOUT ? "timeout" : args) {
            case "fail" -> throw new StepFailedException("no");
            case "timer" -> Intent.none().event("a").then(Action.timeout());
            case "timeout" -> {
                if (task.attempt() == 1) throw new StepFailedException("once more");
                yield Intent.of(Action.suspend());
            }
            case "remove" -> Intent.of(Action.remove());
            default -> Intent.none();
        };
    }

    @Test // as the daemon does for requests by HTTP
    void requests_ofAClient_areMeasured() {
        RecordedMetrics own = new RecordedMetrics();
        try (Processes processes = start()) {
            ProcessClient client =
                    ProcessClient.on(Scripted.dataSource(database)).metrics(own);
            client.init(Request.of(NAMESPACE, "a"));
            client.call(Request.of(NAMESPACE, "a").key("k"));
            client.notify(Request.of(NAMESPACE, "a"));
            processes.call(NAMESPACE, "a", null);
        }
        for (String type : List.of("init", "call", "notify"))
            assertThat(own.figures())
                    .containsEntry(
                            "progressor_request_preparing_duration_ms{prg_namespace=" + NAMESPACE + ", task_type="
                                    + type + "}",
                            1.0);
    }

    private Processes start() {
        Namespace namespace = Namespace.builder(NAMESPACE, ProcessMetricsTest::step)
                .retries(Backoff.of(Duration.ofMillis(1), 1, Duration.ofHours(1), 3))
                .build();
        return Processes.on(Scripted.dataSource(database))
                .metrics(metrics)
                .namespace(namespace, notices -> {})
                .start();
    }

    private void await(String figure, double value) {
        Scripted.awaiting(figure + " is " + value).until(() -> figures.getOrDefault(figure, 0.0) == value);
    }

    private void awaitSome(String figure) {
        Scripted.awaiting(figure).until(() -> figures.getOrDefault(figure, 0.0) > 0);
    }

    private static String steps(String type, String outcome) {
        return "howdah_process_steps_total{namespace=" + NAMESPACE + ", outcome=" + outcome + ", type=" + type + "}";
    }

    @Test
    void everything_thatIsTold_hasTheNamesAndLabelsOfTheSpecification() {
        try (Processes processes = start()) {
            processes.init(NAMESPACE, "a", "timer");
            Scripted.awaiting("the timer has run")
                    .until(() -> processes.trace(NAMESPACE, "a").size() == 3
                            && processes.get(NAMESPACE, "a").timer() == null);
            processes.call(NAMESPACE, "a", "");
            processes.notify(NAMESPACE, "a", "");
            assertThat(reason(() -> processes.call(NAMESPACE, "a", "fail"))).isEqualTo("no");
            assertThat(reason(() -> processes.repair(NAMESPACE, "a", "fail"))).isEqualTo("no");
            processes.repair(NAMESPACE, "a", "");
            processes.call(NAMESPACE, "a", "remove");
            await(steps("init", "done"), 1);
            await(steps("timeout", "retried"), 1);
            await(steps("timeout", "done"), 1);
            await(steps("call", "done"), 1);
            await(steps("notify", "done"), 1);
            await(steps("call", "broken"), 1);
            await(steps("repair", "failed"), 1);
            await(steps("repair", "done"), 1);
            await(steps("call", "removed"), 1);
            for (String each : List.of("calls", "timers")) {
                awaitSome("progressor_" + each + "_scanning_duration_ms{prg_namespace=" + NAMESPACE + "}");
                awaitSome("progressor_process_removing_duration_ms{prg_namespace=" + NAMESPACE + "}");
                for (String gauge : List.of("waiting", "lag_seconds"))
                    Scripted.awaiting("it is known that nothing waits: " + gauge)
                            .until(() -> figures.containsKey(
                                    "howdah_processes_" + gauge + "{lane=" + each + ", namespace=" + NAMESPACE + "}"));
            }
            awaitSome("progressor_zombie_collection_duration_ms{prg_namespace=" + NAMESPACE + "}");
            for (String type : List.of("init", "call", "repair"))
                awaitSome("progressor_request_preparing_duration_ms{prg_namespace=" + NAMESPACE + ", task_type=" + type
                        + "}");
            for (String type : List.of("init", "call", "repair", "timeout"))
                awaitSome("progressor_task_processing_duration_ms{prg_namespace=" + NAMESPACE + ", task_type=" + type
                        + "}");
            for (String type : List.of("continue", "suspend", "unlock", "error"))
                awaitSome("progressor_task_completion_duration_ms{completion_type=complete_and_" + type
                        + ", prg_namespace=" + NAMESPACE + "}");
            for (String type : List.of("event_sink", "lifecycle_sink"))
                awaitSome("progressor_notification_duration_ms{notification_type=" + type + ", prg_namespace="
                        + NAMESPACE + "}");
            awaitSome("howdah_process_timer_lateness_seconds{namespace=" + NAMESPACE + "}");
        }
        assertThat(metrics.bounds()).hasSize(8);
        // Those that its dashboards ask for, and finer ones.
        Set<Double> known = Set.of(10.0, 50.0, 150.0, 300.0, 500.0, 750.0, 1000.0);
        assertThat(metrics.bounds().values())
                .allSatisfy(
                        each -> assertThat(each).isSorted().containsAll(known).contains(0.5, 1.0, 5.0));
    }

    @Test
    void processes_ofADeadNode_areCountedByWhoeverBringsThemHome() {
        try (Processes first = start()) {
            first.init(NAMESPACE, "a", "");
            first.init(NAMESPACE, "b", "");
        }
        database.execute(
                "UPDATE howdah_internal.process SET node = 4711, timer_type = 'timeout', timer_task = 1, timer_at = now(), task = 1");
        try (Processes second = start()) {
            await("howdah_process_recoveries_total{namespace=" + NAMESPACE + "}", 2);
            assertThat(second.health().passing()).isTrue();
        }
    }

    @Test
    void notices_thatWaitOrAreHeld_areFiguresOfWhoeverTells() throws SQLException {
        Namespace quiet = Namespace.of("quiet", ProcessMetricsTest::step);
        Namespace telling =
                Namespace.builder("told", ProcessMetricsTest::step).outbox(true).build();
        Processes.on(Scripted.dataSource(database)).start().close();
        List<NamespaceSlots> served;
        try (Connection connection = database.connect()) {
            served = new NamespaceRegistry(ConnectionSource.of(Scripted.dataSource(database)))
                    .serve(connection, List.of(quiet, telling), new JacksonCodec(), new ProcessMetrics(metrics));
        }
        DepthReporter depths = new DepthReporter(ConnectionSource.of(Scripted.dataSource(database)), served);
        depths.run();
        assertThat(figures)
                .containsEntry("howdah_process_notices_waiting{namespace=told}", 0.0)
                .containsEntry("howdah_process_notices_lag_seconds{namespace=told}", 0.0)
                .containsEntry("howdah_process_notices_held{namespace=told}", 0.0);
        database.execute("INSERT INTO howdah_internal.process_outbox (namespace, process, at, kind, held)"
                + " SELECT n.id, 'p' || i, now() - interval '1 hour' * i, 'created', i > 3"
                + " FROM howdah_internal.process_namespace n, generate_series(5, 1, -1) i");
        depths.run();
        assertThat(figures)
                .containsEntry("howdah_process_notices_waiting{namespace=told}", 3.0)
                .containsEntry("howdah_process_notices_held{namespace=told}", 2.0)
                .doesNotContainKey("howdah_process_notices_waiting{namespace=quiet}");
        assertThat(figures.get("howdah_process_notices_lag_seconds{namespace=told}"))
                .isBetween(10_800.0, 14_000.0);
    }

    @Test // nobody asks the database for figures that nobody wants
    void figures_thatNobodyWants_costNothing() {
        AtomicInteger asked = new AtomicInteger();
        assertThat(new ProcessMetrics(Metrics.none()).isOff()).isTrue();
        assertThat(new ProcessMetrics(metrics).isOff()).isFalse();
        new ProcessMetrics(Metrics.none()).of("a").waiting("calls", asked.incrementAndGet(), 0);
        assertThat(figures).isEmpty();
    }
}
