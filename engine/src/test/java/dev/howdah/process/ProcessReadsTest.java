package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.internal.sql.Plans;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessMetrics;
import dev.howdah.process.internal.step.ProcessStore;
import dev.howdah.process.internal.step.Step;
import dev.howdah.process.internal.step.StepEvaluator;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.spi.Metrics;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What is asked of large tables: looking for what is due, a step, a removal read a few rows, however many processes there are and
 * however long their histories. The server counts them. With
 * {@code -Dhowdah.rows=1000000} the long form: so many with a timer, and as many that have nothing to do; for which see docs/decisions.md.
 */
@PostgresTest
class ProcessReadsTest {
    private static final int ROWS = Integer.getInteger("howdah.rows", 50_000);
    private static final int NODE = 1_000_000;
    private static final Namespace NAMESPACE = Namespace.builder("large", (task, process) -> Intent.none())
            .history(HistoryRange.last(10))
            .build();

    private final TestDatabase database;
    private final NamespaceSlots served =
            new NamespaceSlots(1, NAMESPACE, new JacksonCodec(), new ProcessMetrics(Metrics.none()).of("large"));

    ProcessReadsTest(TestDatabase database) {
        this.database = database;
    }

    /** Timers for later, each with a history of two; one process of 30,000 events, and one of 20, that the node works on. */
    private void fill() {
        Processes.on(Scripted.dataSource(database)).namespace(NAMESPACE).start().close();
        database.execute("""
                INSERT INTO howdah_internal.process (namespace, id, status, previous_status, timer_type, timer_task, timer_at, due_at, lane)
                SELECT 1, 'later ' || i, 'running', 'running', 'timeout', i, t.at, t.at, 1
                FROM generate_series(1, %1$d) i, LATERAL (SELECT now() + i * interval '1 h' AS at) t;
                INSERT INTO howdah_internal.process (namespace, id, status, previous_status, due_at, lane)
                SELECT 1, 'idle ' || i, 'running', 'running', now() - i * interval '1 h', 2 FROM generate_series(1, %1$d) i;
                INSERT INTO howdah_internal.process_event (process, id, task, at, payload)
                SELECT p.number, e.id, 1, now(), '' FROM howdah_internal.process p, generate_series(1, 2) e (id);
                INSERT INTO howdah_internal.process_task (process, id, type, status, scheduled, finished)
                SELECT p.number, p.number, 'timeout', 'finished', now(), now() FROM howdah_internal.process p;
                INSERT INTO howdah_internal.process (namespace, id, status, previous_status, node, turn, task, taken, timer_type, timer_task, timer_at, last_event)
                SELECT 1, 'long ' || n, 'running', 'running', %2$d, 1, 1, now(), 'timeout', 1, now(), n FROM (VALUES (30000), (20)) v (n);
                INSERT INTO howdah_internal.process_event (process, id, task, at, payload)
                SELECT p.number, e.id, 1, now(), '' FROM howdah_internal.process p, generate_series(1, p.last_event) e (id) WHERE p.id LIKE 'long %%';
                """.formatted(ROWS, NODE));
        for (String table : List.of("process", "process_event", "process_task"))
            database.execute("VACUUM (ANALYZE) howdah_internal." + table);
    }

    private List<Long> number(String id) {
        return List.of(
                Long.parseLong(database.value("SELECT number FROM howdah_internal.process WHERE id = '" + id + "'")));
    }

    @Test
    void steps_removalsAndLooks_readAFewRowsOfLargeTables() throws SQLException {
        fill();
        List<Long> large = number("long 30000");
        List<Long> small = number("long 20");
        try (DedicatedSession session =
                new DedicatedSession(Scripted.source(database).getConnection())) {
            session.connection().setAutoCommit(false);
            ProcessStore store = new ProcessStore(session, NODE, Map.of(1, served));
            check(
                    session,
                    "looking for what is due",
                    5,
                    () -> assertThat(store.claim(Map.of(1, 100))).isEmpty());
            check(
                    session,
                    "the next timer",
                    5,
                    () -> ask(session, ProcessSql.STEP.statement("step_next_due"), (Object) new Integer[] {1}));
            check(session, "beginning a step of a long history", 20, () -> {
                Step step = store.load(large, Map.of()).get(0);
                assertThat(step.history().events())
                        .extracting(Event::id)
                        .startsWith(30_000L, 29_999L)
                        .hasSize(10);
            });
            check(session, "a step of a long history", 40, () -> {
                Step step = store.load(large, Map.of()).get(0);
                step.end(StepEvaluator.intended(
                        step, Intent.none().event("one more").then(Action.timeout())));
                assertThat(store.commit(List.of(step), true)).hasSize(1);
            });
            check(session, "a removal", 150, () -> {
                Step step = store.load(small, Map.of()).get(0);
                step.end(StepEvaluator.intended(step, Intent.of(Action.remove())));
                assertThat(store.remove(List.of(step)).numbers()).hasSize(1);
            });
            check(session, "the removal of a long history", 1_100, () -> {
                Step step = store.load(large, Map.of()).get(0);
                step.end(StepEvaluator.intended(step, Intent.of(Action.remove())));
                assertThat(store.remove(List.of(step)).numbers()).hasSize(1);
            });
            Sql retire = ProcessSql.HISTORY.statement("history_retire");
            check(
                    session,
                    "100 finished processes",
                    500,
                    () -> assertThat(ask(session, retire, 1, 3_600_000L, 100L, true, true))
                            .isEqualTo(100));
            database.execute("INSERT INTO howdah_internal.process_gone VALUES (" + large.get(0) + ", true)");
            Sql purge = ProcessSql.HISTORY.statement("history_purge");
            check(
                    session,
                    "a step of what is left",
                    2_500,
                    () -> assertThat(ask(session, purge, 100L, 1_000L)).isEqualTo(1_000));
        }
    }

    private interface Work {
        void run() throws SQLException;
    }

    private static long ask(DedicatedSession session, Sql sql, Object... values) throws SQLException {
        try (ResultSet row = session.query(sql, values)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** In a transaction that is rolled back; not the first time, when a plan is made. */
    private static void check(DedicatedSession session, String what, long most, Work work) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            work.run();
            session.connection().rollback();
            long before = Plans.rowsRead(statement);
            long began = System.nanoTime();
            work.run();
            double millis = (System.nanoTime() - began) / 1e6;
            long read = Plans.rowsRead(statement) - before;
            if (ROWS > 50_000) System.out.printf(Locale.ROOT, "%s | %d | %.1f%n", what, read, millis);
            assertThat(read).as("rows read for %s", what).isLessThanOrEqualTo(most);
        } finally {
            session.connection().rollback();
        }
    }
}
