package dev.howdah.process;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Plans;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.process.internal.store.ProcessSql;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** Each statement of the hot path finds its rows by an index, whatever the tables are like. */
@PostgresTest
class ProcessPlansTest {
    /** The statements that run while there is work, and the index that each one lives by. */
    private static final Map<String, String> STEP = Map.of(
            "step_claim", "process_due",
            "step_load", "process_pkey",
            "step_head", "process_pkey",
            "step_events", "process_event_pkey",
            "step_commit", "process_pkey",
            "step_remove", "process_event_pkey",
            "step_leftovers", "process_task_pkey",
            "step_next_due", "process_due");

    private static final Map<String, String> REQUEST = Map.of(
            "request_enter",
            "process_id",
            "request_why",
            "process_id",
            "request_key",
            "process_key_pkey",
            "request_answers",
            "process_task_pkey",
            "request_simple_repair",
            "process_id");
    private static final Map<String, String> READ = Map.of(
            "process_get",
            "process_event_pkey",
            "trace_read",
            "process_task_pkey",
            "process_list",
            "process_id",
            "process_list_prefix",
            "process_id",
            "process_list_broken",
            "process_broken",
            "namespace_overview",
            "process_broken",
            "timer_list",
            "process_due",
            "process_depth",
            "process_due");
    private static final Map<String, String> NODE = Map.of(
            "process_rescue", "process_worked", "process_mine", "process_worked", "process_orphans", "process_worked");

    private static final Map<String, String> HOUSE = Map.of(
            "history_retire", "process_due", "history_purge", "process_event_pkey", "history_notice", "process_pkey");

    private static final Map<String, String> OUTBOX = Map.of(
            "outbox_next", "process_outbox_next",
            "outbox_arrived", "process_outbox_pkey",
            "outbox_set_aside", "process_outbox_pkey",
            "outbox_release", "process_outbox_held",
            "outbox_lag", "process_outbox_next");

    private static final List<String> TABLES =
            List.of("process", "process_task", "process_event", "process_key", "process_gone", "process_outbox");

    private final TestDatabase database;

    ProcessPlansTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void statements_tablesOfAnySize_useTheirIndex() throws SQLException {
        Processes.on(Scripted.dataSource(database)).start().close();
        check("empty tables");
        database.execute(
                "INSERT INTO howdah_internal.process (namespace, id, status, previous_status, timer_type, timer_task, timer_at, due_at, lane)"
                        + " SELECT 1, 'p' || i, 'running', 'running', 'timeout', i, now() + i * interval '1 s', now() + i * interval '1 s', 1 FROM generate_series(1, 30000) i;"
                        + " INSERT INTO howdah_internal.process_task (process, id, type, status, scheduled, finished)"
                        + " SELECT i, i, 'timeout', 'finished', now(), now() FROM generate_series(1, 30000) i;"
                        + " INSERT INTO howdah_internal.process_event (process, id, task, at, payload) SELECT i, 1, i, now(), '' FROM generate_series(1, 30000) i;"
                        + " INSERT INTO howdah_internal.process_outbox (namespace, process, at, kind) SELECT 1, 'p' || i, now(), 'created' FROM generate_series(1, 100000) i");
        check("full tables without statistics");
        database.execute(
                "ANALYZE howdah_internal.process; ANALYZE howdah_internal.process_task; ANALYZE howdah_internal.process_event; ANALYZE howdah_internal.process_outbox");
        check("full tables");
    }

    private void check(String tables) throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        try (DedicatedSession session =
                        new DedicatedSession(Scripted.source(database).getConnection());
                Statement statement = session.connection().createStatement()) {
            check(softly, statement, ProcessSql.STEP, STEP, tables);
            check(softly, statement, ProcessSql.REQUEST, REQUEST, tables);
            check(softly, statement, ProcessSql.READ, READ, tables);
            check(softly, statement, ProcessSql.NODE, NODE, tables);
            check(softly, statement, ProcessSql.HISTORY, HOUSE, tables);
            check(softly, statement, ProcessSql.OUTBOX, OUTBOX, tables);
        }
        softly.assertAll();
    }

    private static void check(
            SoftAssertions softly, Statement statement, SqlFile file, Map<String, String> hot, String tables)
            throws SQLException {
        for (Map.Entry<String, String> each : hot.entrySet()) {
            String plan = Plans.of(statement, file, each.getKey());
            softly.assertThat(plan).as("%s on %s", each.getKey(), tables).contains(each.getValue());
            for (String table : TABLES)
                softly.assertThat(plan)
                        .as("%s on %s", each.getKey(), tables)
                        .doesNotContainPattern("Seq Scan on " + table + "\\b");
        }
    }
}
