package dev.howdah.process;

import static dev.howdah.process.Scripted.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.process.Namespace.Retention;
import dev.howdah.process.internal.node.FinishedProcessCleaner;
import dev.howdah.process.internal.step.NamespaceMetrics;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessMetrics;
import dev.howdah.process.notice.Notice;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import dev.howdah.spi.Metrics;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Finished processes go by policy; what has much goes in small steps. */
@PostgresTest
class ProcessRetentionTest {
    private static final Processor STEPS = (task, process) -> {
        String args = task.args().size() == 0 ? "" : task.args().as(String.class);
        return switch (args) {
            case "fail" -> throw new StepFailedException("no");
            case "timer" -> Intent.of(Action.timeout(Duration.ofDays(1)));
            case "remove" -> Intent.of(Action.remove());
            default -> Intent.none().event(args).auxState("state");
        };
    };

    private final TestDatabase database;

    ProcessRetentionTest(TestDatabase database) {
        this.database = database;
    }

    private Processes start(Namespace namespace) {
        return Processes.on(Scripted.dataSource(database)).namespace(namespace).start();
    }

    /** Keeps house once; another one may be at it just now. */
    private void tidy(Namespace namespace) throws SQLException {
        int id = Integer.parseInt(database.value(
                "SELECT id FROM howdah_internal.process_namespace WHERE name = '" + namespace.name() + "'"));
        NamespaceMetrics meter = new ProcessMetrics(Metrics.none()).of(namespace.name());
        new FinishedProcessCleaner(
                        ConnectionSource.of(Scripted.dataSource(database)),
                        List.of(new NamespaceSlots(id, namespace, new JacksonCodec(), meter)))
                .tidy();
    }

    private void tidyUntil(Namespace namespace, String condition) {
        Scripted.awaiting(condition).until(() -> {
            tidy(namespace);
            return "t".equals(database.value("SELECT " + condition));
        });
    }

    @Test
    void processes_finished_goAfterTheirTime_othersStay() {
        List<String> told = new CopyOnWriteArrayList<>();
        Namespace namespace = Namespace.builder("finished", STEPS)
                .outbox(true)
                .retention(Retention.removeAfter(Duration.ofDays(1)))
                .build();
        try (Processes node = Processes.on(Scripted.dataSource(database))
                .namespace(
                        namespace,
                        notices -> notices.stream()
                                .filter(each -> each.kind() == Notice.Kind.REMOVED)
                                .forEach(each -> told.add(each.process())))
                .start()) {
            for (String each : List.of("old", "young", "called")) node.init("finished", each, each);
            node.call(Request.of("finished", "old").args("again").key("k"));
            node.init("finished", "timed", "timer");
            assertThat(reason(() -> node.init("finished", "broken", "fail"))).isEqualTo("no");
            database.execute(
                    "UPDATE howdah_internal.process SET due_at = due_at - interval '25 hours' WHERE id IN ('old', 'called') AND lane = 2");
            // Whoever is asked something is not finished.
            node.call("finished", "called", "once more");
            tidyUntil(namespace, "NOT EXISTS (SELECT FROM howdah_internal.process WHERE id = 'old')");
            tidyUntil(namespace, "NOT EXISTS (SELECT FROM howdah_internal.process_gone)");
            assertThat(node.list(ProcessQuery.of("finished").limit(10)))
                    .extracting(ProcessSummary::id)
                    .containsExactly("broken", "called", "timed", "young");
            assertThat(reason(() -> node.call("finished", "old", ""))).isEqualTo("process not found");
            for (String table : List.of("process_task", "process_event", "process_key"))
                assertThat(database.value("SELECT count(*) FROM howdah_internal." + table
                                + " WHERE process NOT IN (SELECT number FROM howdah_internal.process)"))
                        .as(table)
                        .isEqualTo("0");
            Scripted.awaiting("somebody is told").until(() -> told.contains("old"));
            node.init("finished", "old", "another");
        }
    }

    @Test
    void processes_finished_goToTheArchive() {
        Namespace namespace = Namespace.builder("archived", STEPS)
                .retention(Retention.archiveAfter(Duration.ZERO))
                .build();
        try (Processes node = start(namespace)) {
            node.init("archived", "a", "first");
            tidyUntil(namespace, "NOT EXISTS (SELECT FROM howdah_internal.process_event)");
            assertThat(database.value("SELECT a.id || ' ' || a.last_event || ' ' || convert_from(a.aux_state, 'UTF8')"
                            + " || ' ' || convert_from(e.payload, 'UTF8') FROM howdah.process_archive a"
                            + " JOIN howdah.process_archive_event e ON e.process = a.number"
                            + " WHERE a.finished BETWEEN a.created AND a.archived"))
                    .isEqualTo("a 1 \"state\" \"first\"");
            assertThat(database.value("SELECT count(*) FROM howdah_internal.process_task"))
                    .isEqualTo("0");
            assertThat(reason(() -> node.get("archived", "a"))).isEqualTo("process not found");
        }
    }

    @Test // what was done before somebody wanted to know since when it has nothing to do
    void processes_finishedBeforeThePolicy_goAsWell() {
        Namespace before = Namespace.of("before", STEPS);
        try (Processes node = start(before)) {
            for (String each : List.of("a", "b")) node.init("before", each, each);
            node.init("before", "timed", "timer");
            node.importProcess(ProcessImport.of("before", "imported", List.of()));
            assertThat(database.value("SELECT count(*) FROM howdah_internal.process WHERE lane = 2"))
                    .isEqualTo("0");
        }
        tidyUntil(
                before.toBuilder()
                        .retention(Retention.removeAfter(Duration.ZERO))
                        .build(),
                "(SELECT count(*) = 1 FROM howdah_internal.process WHERE id = 'timed') AND NOT EXISTS (SELECT FROM howdah_internal.process WHERE id <> 'timed')");
    }

    @Test // its caller need not wait until all of it has gone
    void process_withALongHistory_isRemovedInSmallSteps() {
        Namespace namespace =
                Namespace.builder("long", STEPS).history(HistoryRange.NONE).build();
        try (Processes node = start(namespace)) {
            node.init("long", "a", "first");
            database.execute("INSERT INTO howdah_internal.process_event (process, id, task, at, payload)"
                    + " SELECT number, i, 1, now(), '' FROM howdah_internal.process, generate_series(2, 30000) i;"
                    + " INSERT INTO howdah_internal.process_task (process, id, type, status, scheduled, finished)"
                    + " SELECT number, -i, 'timeout', 'finished', now(), now() FROM howdah_internal.process, generate_series(1, 10000) i;"
                    + " UPDATE howdah_internal.process SET last_event = 30000");
            node.call("long", "a", "remove");
            assertThat(reason(() -> node.get("long", "a"))).isEqualTo("process not found");
            assertThat(Long.parseLong(database.value("SELECT count(*) FROM howdah_internal.process_event")))
                    .isGreaterThan(0);
            node.init("long", "a", "another");
            tidyUntil(namespace, "NOT EXISTS (SELECT FROM howdah_internal.process_gone)");
            assertThat(database.value("SELECT count(*) FROM howdah_internal.process_event"))
                    .isEqualTo("1");
            assertThat(database.value("SELECT count(*) FROM howdah_internal.process_task"))
                    .isEqualTo("1");
        }
    }

    @Test
    void policy_outOfBounds_isRefused() {
        assertThatThrownBy(() -> Retention.removeAfter(Duration.ofDays(-1)))
                .hasMessage("finished processes are kept for PT-24H: it has to be 0 to 36500 days");
    }
}
