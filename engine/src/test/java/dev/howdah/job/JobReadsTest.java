package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Plans;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever is asked of jobs reads a few rows, however large the tables are. The server counts them, in functions as well. With
 * {@code -Dhowdah.rows=10000000} the long form, for which see docs/decisions.md.
 */
@PostgresTest
@Tag("long")
class JobReadsTest {
    private static final int ROWS = Integer.getInteger("howdah.rows", 100_000);
    /** More than any of them has to read; a claim of 500 jobs reads 500 entries and 500 rows. */
    private static final long MOST = 1_500;

    private static final String NOBODY = "'{}', '{}', '{}', ";

    private static final Map<String, SqlFile> FILES = new LinkedHashMap<>(Map.of(
            "job", JobSql.JOB,
            "node", JobSql.NODE,
            "order", JobSql.ORDER,
            "limit", JobSql.LIMIT,
            "schedule", JobSql.SCHEDULE,
            "add", JobSql.ADD,
            "lane", JobSql.LANE,
            "stat", JobSql.STAT,
            "query", JobSql.QUERY,
            "step", JobSql.STEP));

    static {
        FILES.put("wait", JobSql.WAIT);
        FILES.put("workflow", JobSql.WORKFLOW);
    }

    /**
     * What asks no table, or only writes; nodes, lanes, limits, days and schedules, which do not grow with jobs; what three functions do that are
     * asked by themselves; and what counts everything before it is removed, or for people.
     */
    private static final Set<String> HARMLESS = Set.of(
            "job.payload_is_json",
            "job.payload_is_text",
            "job.day_today",
            "job.transaction_check",
            "job.transaction_commit",
            // Those of job.batch_end and job.batch_done.
            "job.batch_end_own",
            "job.batch_end_own_all",
            "job.lane_ring",
            "add.job_add_one",
            "add.job_add_many",
            "add.job_add_alike",
            "add.job_bulk_begin",
            "add.job_bulk_add",
            "add.job_bulk_end",
            "add.job_add_large",
            "add.job_add_keyed",
            "add.job_add_each",
            "add.trace_set",
            "order.order_add",
            "node.transaction_end_own",
            "node.day_lock",
            "node.day_may_make",
            "node.day_make",
            "node.day_drop",
            "order.order_lock",
            "step.step_now",
            "limit.limit_lock",
            "limit.limit_list",
            "limit.limit_wait",
            "limit.limit_wait_no_more",
            "limit.limit_room_left",
            "limit.limit_set",
            "limit.limit_set_rate",
            "limit.limit_set_share",
            "limit.limit_set_ageing",
            "limit.limit_list_all",
            "stat.stat_lock",
            "stat.tag_count",
            "stat.tag_uncount",
            "stat.tag_list",
            "node.retention_put",
            "node.retention_list",
            "lane.lane_list",
            "lane.lane_find",
            "lane.lane_make",
            "lane.lane_patience",
            "lane.lane_patience_end",
            "lane.lane_priority_find",
            "lane.lane_priority_add",
            "schedule.schedule_patience",
            "schedule.schedule_after_clock",
            "schedule.schedule_put",
            "schedule.schedule_remove",
            "schedule.schedule_pause",
            "schedule.schedule_resume",
            "schedule.schedule_run",
            "schedule.schedule_list",
            "schedule.holiday_add",
            "schedule.holiday_remove",
            "schedule.holiday_list",
            "schedule.holiday_calendars",
            "schedule.schedule_add_keyed",
            "job.delegated_begin",
            "job.delegated_end",
            "node.job_count_left",
            "node.job_serves",
            "node.schedule_list_unserved",
            "workflow.workflow_count_own",
            "workflow.workflow_check_open",
            "workflow.workflow_add_jobs",
            "workflow.workflow_close",
            "workflow.workflow_cancel");

    private final Set<String> asked = new TreeSet<>();
    private final JobsDatabase database;
    private final SoftAssertions softly = new SoftAssertions();

    JobReadsTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** Of N jobs one half is due; a tenth as many have failed, half as many are in order, have keys, and have been done. */
    private void fill() {
        int half = ROWS / 2;
        int tenth = ROWS / 10;
        database.execute("""
                INSERT INTO howdah_internal.lane (queue) VALUES ('q');
                INSERT INTO howdah_internal.lane_priority SELECT max(l.id), p FROM howdah_internal.lane l, generate_series(-2, 2) p GROUP BY p;
                SELECT howdah.limit('q', 10), howdah.limit('q', 5, kind => 'narrow');
                INSERT INTO howdah_internal.log_done (lane, kind, done, run_micros, run_max_micros)
                SELECT 1, 'k', 1000, 1000, 1 FROM generate_series(1, %1$d);
                INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, attempt, payload)
                SELECT i, (SELECT id FROM howdah_internal.lane WHERE queue = 'q' AND kind IS NULL), 'k', i %% 5 - 2,
                    now() + (i - %2$d) * interval '1 s', i / %2$d, '1' FROM generate_series(1, %1$d) i;
                INSERT INTO howdah_internal.key (queue, kind, key, job, version, ended)
                SELECT (SELECT id FROM howdah_internal.lane WHERE queue = 'q' AND kind IS NULL), 'k', 'key ' || i, i, now(), CASE WHEN i %% 2 = 0 THEN now() END
                FROM generate_series(1, %2$d) i;
                INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error, payload, more)
                SELECT -i, (SELECT id FROM howdah_internal.lane WHERE queue = 'q' AND kind IS NULL), 'failed', 'k', 0, 1, 0, now(),
                    now() - i * interval '1 ms', 'error ' || i %% 7, '1', NULL
                FROM generate_series(1, %3$d) i;
                INSERT INTO howdah_internal.order_key (queue, key, job) SELECT 'q', 'customer ' || i, i FROM generate_series(1, %3$d) i;
                INSERT INTO howdah_internal.ordered (id, queue, key, fresh, run_at, lane, priority, kind, payload, more)
                SELECT -i, 'q', 'customer ' || i %% %3$d + 1, false, now(), (SELECT id FROM howdah_internal.lane WHERE queue = 'q' AND kind IS NULL), 0, 'k', '1',
                    jsonb_build_object('ordered', 'customer ' || i %% %3$d + 1) FROM generate_series(%3$d + 1, %1$d) i;
                UPDATE howdah_internal.ordered SET fresh = true WHERE id > -%3$d - 200;
                UPDATE howdah_internal.order_key SET job = NULL WHERE key = ANY (ARRAY(SELECT 'customer ' || i FROM generate_series(11, 110) i));
                INSERT INTO howdah_internal.body (job, payload) SELECT i, '1' FROM generate_series(1, %3$d) i;
                INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads, ended, begins, runs)
                SELECT 1, (SELECT id FROM howdah_internal.lane WHERE queue = 'q' AND kind IS NULL), true, false, 50, 1000000000 + i * 50, 1000000000 + i * 50 + 49,
                    ARRAY(SELECT 1000000000 + i * 50 + j FROM generate_series(0, 49) j), now(), 'k', array_fill('1'::json, ARRAY[50]), now(),
                    array_fill(1, ARRAY[50]), array_fill(1, ARRAY[50])
                FROM generate_series(1, %1$d / 50) i;
                INSERT INTO howdah_internal.node (name, features) VALUES ('gone', '{job}');
                INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads, token)
                SELECT (SELECT max(id) FROM howdah_internal.node), (SELECT id FROM howdah_internal.lane WHERE queue = 'q' AND kind IS NULL), true, true, 1, -5, -5, '{-5}', now(), 'k', ARRAY['1'::json], 1;
                SELECT setval('howdah_internal.job_id_seq', 2000000000);
                SELECT howdah.delegate('q', 'k', 'postgres');
                INSERT INTO howdah.schedule (name, queue, kind, period, next_at, overlap, last_job)
                SELECT 's' || i, 'q', 'k', '1 h', now() + (i - 5) * interval '1 s', 'skip', i FROM generate_series(1, 10000) i;
                INSERT INTO howdah_internal.stat (minute, lane, kind, done, retried, failed, cancelled, died, run_micros, run_max_micros)
                SELECT date_trunc('minute', now()) - i * interval '1 min', 1, 'k', 1, 0, 0, 0, 0, 1, 1 FROM generate_series(0, 2000) i;
                INSERT INTO howdah_internal.backlog
                SELECT 1, 'k' || i %% 10, date_trunc('minute', now()) - i / 10 * interval '1 min', 1, 1, 1, NULL, true, i / 10 %% 60 = 0
                FROM generate_series(0, 40000) i;
                INSERT INTO howdah_internal.stat_wait
                SELECT 1, 'k' || i %% 10, date_trunc('minute', now()) - i / 10 * interval '1 min', '{1,2}' FROM generate_series(0, 40000) i;
                UPDATE howdah_internal.error_mark SET upto = now() - interval '1 day';
                INSERT INTO howdah_internal.stat_open SELECT i FROM generate_series(1, 9) i;
                UPDATE howdah_internal.stat_mark SET upto = 10, seen = 40, seen_at = now() - interval '1 min';
                """.formatted(ROWS, half, tenth));
        database.execute("""
                INSERT INTO howdah.log SELECT i / 10, now() - i * interval '10 s', 1, 'line' FROM generate_series(1, %1$d) i;
                INSERT INTO howdah.progress SELECT i, 1, now() - i * interval '10 s', 0.5 FROM generate_series(1, %1$d) i;
                INSERT INTO howdah_internal.job_step SELECT 3000000000 + i / 10, 'k', 's' || i, 1, now() - i * interval '10 s', '1' FROM generate_series(1, %1$d) i;
                INSERT INTO howdah_internal.child_end (child, parent, state, kind, at, fresh)
                SELECT i, i + 3000000000, 'failed', 'k', now() - interval '30 d', i %% 100 = 0 FROM generate_series(1001, %1$d) i;
                INSERT INTO howdah_internal.job_record (job, number, kind, type, name, nth, at, until, fresh, node)
                SELECT 3000000000 + i / 10, i %% 10, 'k', 'signal', 'ok', i %% 10, now() - i * interval '10 s', now() + interval '1 day',
                    i < 100, 1 FROM generate_series(1, %1$d) i;
                INSERT INTO howdah_internal.job_signal (job, name, payload, sender, sent, fresh)
                SELECT 3000000000 + i / 10, 'ok', '1', 'ann', now() - i * interval '10 s', i < 100 FROM generate_series(1, %1$d) i;
                UPDATE howdah_internal.key SET until = now() + interval '1 h' * (id_of.i %% 100 - 1)
                FROM (SELECT o.ctid AS tid, row_number() OVER () AS i FROM howdah_internal.key o) id_of WHERE key.ctid = id_of.tid;
                INSERT INTO howdah_internal.workflow (id, open, ended, total, done)
                SELECT i, false, now() - i * interval '1 min', 10, 10 FROM generate_series(1, %1$d / 10) i;
                INSERT INTO howdah_internal.workflow (id, open, total, first_id, last_id)
                SELECT i, true, 10, 10 * (i - 5000000), 10 * (i - 5000000) + 100 FROM generate_series(5000000, 5000300) i;
                INSERT INTO howdah_internal.workflow_job (id, workflow, name, state, run_at, lane, priority, kind, more)
                SELECT 4000000000 + i, i / 10, 'j' || i, 'done', now(), 1, 0, 'k', '{}' FROM generate_series(1, %1$d) i;
                INSERT INTO howdah_internal.workflow (id, open, total, first_id, last_id) VALUES (6000000, true, %1$d, 6000000000, 6900000000);
                SELECT setval('howdah_internal.workflow_id_seq', 7000000);
                INSERT INTO howdah_internal.workflow_job (id, workflow, name, state, run_at, lane, priority, kind, more)
                SELECT 6000000000 + i, 6000000, 'j' || i, 'done', now(), 1, 0, 'k', '{}' FROM generate_series(1, %1$d) i;
                INSERT INTO howdah_internal.workflow_edge SELECT 4000000000 + i, 4000000000 + i + 1 FROM generate_series(1, %1$d) i;
                INSERT INTO howdah_internal.workflow_event (workflow, done, jobs)
                SELECT i / 10, 0, jsonb_build_array(jsonb_build_object('id', 4000000000 + i, 'state', 'done'))
                FROM generate_series(1, 100) i;
                """.formatted(ROWS));
        database.execute("""
                INSERT INTO howdah_internal.lane (queue) VALUES ('g');
                INSERT INTO howdah_internal.lane_priority SELECT max(l.id), p FROM howdah_internal.lane l, generate_series(0, 1) p GROUP BY p;
                INSERT INTO howdah_internal.lane (id, queue, home, group_name) OVERRIDING SYSTEM VALUE
                SELECT -i, 'g', (SELECT l.id FROM howdah_internal.lane l WHERE l.queue = 'g' AND l.home IS NULL), 'group ' || i
                FROM generate_series(1, %1$d) i;
                INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
                SELECT -1000000000 - i, -(i %% %1$d + 1), 'k', i %% 2, now(), '1', jsonb_build_object('group', i %% %1$d + 1)
                FROM generate_series(1, %2$d) i;
                INSERT INTO howdah_internal.group_clock SELECT l.id, 100, 0 FROM howdah_internal.lane l WHERE l.queue = 'g' AND l.home IS NULL;
                INSERT INTO howdah_internal.group_state (lane, home, pass, due, next_at)
                SELECT l.id, l.home, -l.id %% 100, l.id %% 2 = 0, CASE WHEN l.id %% 2 <> 0 THEN now() + interval '1 h' END
                FROM howdah_internal.lane l WHERE l.home IS NOT NULL;
                INSERT INTO howdah_internal.group_wake (home, lane) SELECT l.home, l.id FROM howdah_internal.lane l WHERE l.id BETWEEN -100 AND -1;
                SELECT howdah.limit('g', 2, each_group => true), howdah.limit('g', 5, group_name => 'group 7'),
                    howdah.rate_limit('g', 1000, '1 min', each_group => true), howdah.rate_limit('g', 10000, '1 min');
                INSERT INTO howdah_internal.rate_use
                SELECT 1, 'group ' || i, '{1}', '{1}', 1, now() + i * interval '1 s' FROM generate_series(1, %1$d) i;
                """.formatted(tenth, ROWS));
        for (String table : List.of(
                "howdah_internal.lane",
                "howdah_internal.group_state",
                "howdah_internal.workflow",
                "howdah_internal.workflow_job",
                "howdah_internal.workflow_edge",
                "howdah_internal.workflow_event",
                "howdah_internal.rate_use",
                "howdah_internal.job",
                "howdah_internal.key",
                "howdah_internal.failed",
                "howdah_internal.ordered",
                "howdah_internal.order_key",
                "howdah_internal.body",
                "howdah_internal.batch",
                "howdah.schedule",
                "howdah_internal.stat",
                "howdah.log",
                "howdah.progress",
                "howdah_internal.job_step")) database.execute("VACUUM (ANALYZE) " + table);
    }

    @Test
    void everythingThatIsAskedOfJobs_readsAFewRows() throws SQLException {
        fill();
        long lane = database.number("SELECT id FROM howdah_internal.lane WHERE queue = 'q' AND kind IS NULL");
        long groups = database.number("SELECT id FROM howdah_internal.lane WHERE queue = 'g' AND home IS NULL");
        long node = database.number("SELECT max(id) FROM howdah_internal.node");
        long batch = database.number("SELECT max(id) FROM howdah_internal.batch");
        String claim = "(" + node + ", " + NOBODY + lane
                + ", 500, '{}', '{}', '{}', '{}', 0, 1, '{}', NULL, false, true, NULL)";
        try (JobSession session = JobSession.open(ConnectionSource.of(database.dataSource()))) {
            Connection connection = session.connection();
            connection.setAutoCommit(false);
            check(connection, "claim of 500", asked("job.job_claim", claim));
            check(
                    connection,
                    "claim of one",
                    asked("job.job_claim_one", "(" + node + ", 1, " + lane + ", 'q', '{}', false)"));
            check(
                    connection,
                    "end of a batch",
                    asked("job.batch_done", "(" + node + ", ARRAY[" + batch + "], '{\"{1}\"}', '{\"{1}\"}', '{1}')"));
            check(
                    connection,
                    "how far runs are",
                    asked("job.batch_turns", "(" + node + ", ARRAY[" + batch + "], ARRAY['\\x01'], '{1}')"));
            check(connection, "what a second sleeper asks", asked("job.lane_try_asleep", "(ARRAY[" + lane + "])"));
            check(connection, "next due", asked("job.job_next_due", "(ARRAY[" + lane + "])"));
            check(connection, "what nodes ask", asked("node.job_watch", ""));
            check(connection, "a node's batches", asked("job.batch_mine", "(" + node + ")"));
            check(
                    connection,
                    "a dead node's jobs",
                    asked("job.batch_give_back", "(" + node + ", 20, NULL, NULL, true)"));
            check(connection, "orphans", asked("node.batch_orphans", ""));
            check(
                    connection,
                    "kinds that move to their lanes",
                    asked("job.kind_move", "(" + lane + ", '{k}', '{" + (lane + 1) + "}', 200)"));
            check(
                    connection,
                    "end of a job",
                    asked(
                            "job.batch_settle",
                            "(" + node + ", ARRAY[" + batch
                                    + "], '{\"{1}\"}', '{\"{1}\"}', '{\"{r}\"}', '{\"{0}\"}', '{\"{no}\"}', '{\"{NULL}\"}', '{}', '{\"{NULL}\"}', '{1}')"));
            check(
                    connection,
                    "a job's own transaction",
                    asked("job.batch_still_mine", "(" + node + ", " + batch + ", 1)"));
            check(connection, "a job begins alone", asked("job.batch_begin", "(" + node + ", " + batch + ", 1)"));
            check(
                    connection,
                    "a job ends alone",
                    asked("job.batch_end", "(" + node + ", " + batch + ", -5, NULL, 1, 1, 1)"));
            check(connection, "payloads that stand apart", asked("job.body_read", "('{1,2,3}')"));
            check(connection, "a payload that is done with", asked("job.body_delete", "(7)"));
            check(connection, "room by limits", asked("limit.limit_room", "('q', 'narrow')"));
            check(
                    connection,
                    "claim of 10 from a lane with groups",
                    asked("limit.limit_claim", "(" + node + ", 77, " + groups + ", 10, '{}', NULL, 10, 5000)"));
            check(connection, "let in by order", asked("order.order_let_in", "(500)"));
            check(connection, "turns that are left", asked("order.order_release", "('{1}')"));
            check(connection, "turns that are wanted back", asked("order.order_return", "('{1}')"));
            check(
                    connection,
                    "pass on by order",
                    asked("order.order_pass_on", "(" + node + ", " + (batch - 1) + ", '{1}', 1, '{0}', '{2}', NULL)"));
            check(
                    connection,
                    "ends in order",
                    asked(
                            "order.order_end",
                            "(" + node + ", ARRAY[" + batch + "], '{\"{1}\"}', '{\"{1}\"}', '{1}', 10, " + lane
                                    + ", '{k}', 2, 10)"));
            check(connection, "late keys", asked("node.key_settle_late", ""));
            check(connection, "notifications of prepared transactions", asked("node.bell_answer", ""));
            check(connection, "ends of keys", asked("job.key_settle", "('{1,3,5}')"));
            check(connection, "cancellations of a settle", asked("job.cancellation_of", "('{1,3,5}')"));
            check(connection, "cancellations", asked("node.cancellation_list", "(" + node + ")"));
            check(connection, "removal of failed jobs", asked("node.failed_delete_old", "(30, 1000)"));
            check(connection, "removal of versions", asked("node.key_delete_old", "(30, 1000)"));
            check(connection, "removal of windows", asked("node.key_forget", "(200)"));
            check(
                    connection,
                    "a workflow is added",
                    asked(
                            "workflow.workflow_add",
                            "('[{\"name\": \"a\", \"kind\": \"k\"}, {\"name\": \"b\", \"kind\": \"k\", \"after\": [\"a\"]}]', 'f', true, '{}')"));
            check(
                    connection,
                    "jobs join a large workflow",
                    asked(
                            "workflow.workflow_join",
                            "(6000000, '[{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"j7\"]}, {\"name\": \"b\", \"kind\": \"k\", \"after\": [\"a\", \"j9\"]}]')"));
            check(
                    connection,
                    "jobs that have joined a large workflow",
                    "SELECT howdah.add_to_workflow(6000000, '[{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"j7\"]}]');"
                            + " SELECT howdah_internal.workflow_settle(200)");
            check(connection, "100 events of workflows", asked("workflow.workflow_settle_events", "(100)"));
            check(
                    connection,
                    "count of a batch",
                    asked(
                            "workflow.workflow_count",
                            "(" + node + ", ARRAY[" + batch + "], '{1}', '{5}', '{1}', '{NULL}')"));
            check(connection, "removal of workflows", asked("workflow.workflow_delete_old", "(30, 10)"));
            check(connection, "removal of lines", asked("node.job_log_delete_old", "(7, 500)"));
            check(connection, "removal of progress", asked("node.job_progress_delete_old", "(7, 500)"));
            check(connection, "removal of lanes of groups", asked("lane.lane_delete_old", "(30, 1000)"));
            check(connection, "removal of what was used of rates", asked("limit.limit_use_delete_old", "(30, 1000)"));
            check(connection, "removal of steps", asked("step.step_delete_old", "(7, 200)"));
            check(
                    connection,
                    "what handlers say",
                    asked(
                            "node.job_notes_write",
                            "('{1,2}', '{1,1}', '{0.5,0.6}', '{a,b}', '{1,1}', '{1}', '{1}', '{line}', '{1}')"));
            check(connection, "steps of a job", asked("step.step_read", "(3000000007, 'k', 'q')"));
            check(
                    connection,
                    "a step that is done",
                    asked("step.step_write", "(" + node + ", 1, -5, 'k', 'charge', 1, '1', NULL, NULL)"));
            check(connection, "steps of a resumed job", asked("step.step_read_resumed", "(3000000007, 'k', 'q')"));
            check(connection, "records of a job", asked("wait.wait_read", "(3000000007, 'k', 'q')"));
            check(connection, "jobs that have records", asked("wait.wait_list_jobs", "(0, 20)"));
            check(connection, "removal of records", asked("wait.wait_delete_old", "(7, 200)"));
            check(connection, "removal of signals", asked("wait.signal_delete_old", "(7, 200)"));
            check(connection, "signals of a job", asked("wait.signal_list", "(3000000007, 100)"));
            check(connection, "a signal", asked("wait.signal_send", "(7, 'ok', '1', 'an id', true)"));
            check(
                    connection,
                    "a signal by key",
                    asked("wait.signal_send_by_key", "('q', 'k', 'key 7', 'ok', '1', NULL, false)"));
            check(
                    connection,
                    "a signal to a job or a new one",
                    asked(
                            "wait.signal_send_or_add",
                            "('q', 'k', 'key 7', 'ok', '1', '2', NULL, false, 0, NULL, NULL, NULL, NULL)"));
            check(connection, "waits that have a signal", asked("wait.signal_pair", "(100)"));
            String claimed = "(" + node + ", 1, 3000000007, 'k', ";
            check(connection, "the end of a wait", asked("wait.signal_take", claimed + "100, 'ok', 1, false)"));
            check(connection, "a signal set aside", asked("wait.signal_set_aside", claimed + "70, 'no JSON')"));
            check(connection, "a wait that fails its job", asked("wait.wait_fail", claimed + "'signal', 'ok', 1)"));
            check(connection, "a sleep in the thread", asked("wait.wait_slept", claimed + "101, 'sleep', 'x', 1)"));
            check(
                    connection,
                    "the first of several waits",
                    asked(
                            "wait.wait_take_any",
                            claimed
                                    + "'first', 1, NULL, ARRAY['ok', NULL, NULL, NULL], ARRAY[NULL, 7, NULL, NULL]::bigint[],"
                                    + " ARRAY[NULL, NULL, 8, NULL]::bigint[], ARRAY[NULL, NULL, NULL, 'paid'],"
                                    + " ARRAY[NULL, NULL, NULL, '17'], ARRAY[NULL, NULL, NULL, NULL]::text[],"
                                    + " ARRAY[false, false, false, false], 102, NULL, false, 1000)"));
            check(
                    connection,
                    "a wait for another job",
                    asked("wait.wait_take_job", claimed + "'end', 1, 7, 103, false, 1000)"));
            check(
                    connection,
                    "a wait for an event",
                    asked("wait.job_event_take", claimed + "'paid', 1, false, '17', NULL, 104, false)"));
            check(connection, "an event", asked("wait.job_event_emit", "('paid', '17', '1', 1000)"));
            check(connection, "removal of events", asked("wait.job_event_delete_old", "(7, 200)"));
            check(connection, "signals that are not read", asked("stat.stat_unread", "(100)"));
            check(connection, "removal of tokens", asked("wait.token_delete_old", "(7, 200)"));
            check(connection, "a token", asked("wait.token_make", "(7, 'ok', 1000000)"));
            check(connection, "how many jobs are suspended", asked("stat.stat_suspended", "(100)"));
            check(connection, "a job gets children", asked("wait.child_begin", "(" + node + ", 1, -5, 1, false)"));
            check(
                    connection,
                    "failures of steps",
                    asked("wait.step_failed", "(-5, 3, '{a,b}', " + node + ", 1, 'k', '{1,1}', '{E,E}', '{x,NULL}')"));
            check(
                    connection,
                    "jobs become children",
                    asked(
                            "wait.child_link",
                            "(-5, '{11,12,-" + (ROWS / 10 + 5) + "}', 'k', 1, 'part', " + node + ", NULL, '{k,k,k}')"));
            check(
                    connection,
                    "children are done",
                    asked("wait.child_done", "('{11,12}', '{-5,-5}', '{k,k}', '{1,NULL}', '{-5}')"));
            check(connection, "children of a job", asked("wait.child_list", "(-5, 100)"));
            check(connection, "the parent of a job", asked("wait.child_parent", "(11)"));
            check(connection, "the failure of a child", asked("wait.child_seen", "(13)"));
            check(connection, "removal of ends of children", asked("wait.child_delete_old", "(7, 200)"));
            check(connection, "days that are over", asked("node.day_list_old", "(0)"));
            check(connection, "whether there is anything to add up", asked("stat.stat_pending", ""));
            check(connection, "adding up 20 batches", asked("stat.stat_step", "(20)"));
            check(connection, "adding up 20 leases of logs", asked("stat.stat_add_logs", "(20)"));
            check(connection, "minutes of tags become hours", asked("stat.stat_fold_tags", "(1000)"));
            check(connection, "how long the history is kept", asked("node.retention_days", "(7)"));
            check(connection, "a retention of the others", asked("node.retention_rest", "(7, 30)"));
            check(connection, "removal by a rule", asked("node.retention_step", "(20)"));
            check(connection, "what was not seen yet", asked("stat.stat_look", ""));
            check(connection, "minutes become hours", asked("stat.stat_fold", "(1000)"));
            check(connection, "waits of minutes become those of hours", asked("stat.stat_fold_waits", "(100)"));
            check(connection, "how many there are at this minute, to 200", asked("stat.stat_sample", "(200, 50)"));
            check(connection, "errors of 100 failed jobs", asked("stat.stat_add_errors", "(100)"));
            check(connection, "how many are due, to 100", asked("stat.stat_depth", "(100)"));
            check(connection, "schedules that are due", asked("schedule.schedule_due", "(100)"));
            check(connection, "when the next schedule is due", asked("schedule.schedule_next", ""));
            check(
                    connection,
                    "a schedule moves on",
                    asked("schedule.schedule_move", "('{s7}', '{2999-01-01}', '{NULL}', '{NULL}', '{7}', '{0}')"));
            check(
                    connection,
                    "jobs of the last times of a schedule",
                    asked(
                            "schedule.schedule_jobs",
                            "('s7', ARRAY[now()::text, (now() - interval '1 day')::text], 200)"));
            check(connection, "a schedule cancels its last job", asked("schedule.schedule_cancel", "('{8}')"));
            check(
                    connection,
                    "the end by another role",
                    "SELECT howdah_internal.begin_own(" + node + ", " + batch + ", 1), howdah_internal.end_own(" + node
                            + ", " + batch + ", -5, NULL, 1, 1, 1)");
        }
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (Map.Entry<String, String> each : byHand().entrySet())
                check(connection, each.getKey(), each.getValue());
            check(connection, "one job", asked("query.job_find", "('{9,1000000777}')"));
            for (String state : List.of("failed", "waiting", "done"))
                check(
                        connection,
                        "count of " + state + " jobs up to 100",
                        asked(
                                "query.job_count",
                                "('" + state
                                        + "', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 100, NULL)"));
            check(
                    connection,
                    "a page of failed jobs",
                    asked(
                            "query.job_list_failed",
                            "('failed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 9223372036854775807, 100, NULL, NULL, NULL, -1, NULL)"));
            check(
                    connection,
                    "a page of jobs that wait for a retry",
                    asked(
                            "query.job_list_waiting",
                            "('retrying', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 9223372036854775807, 100, NULL, NULL, NULL, -1)"));
            check(
                    connection,
                    "a page of running jobs",
                    asked(
                            "query.job_list",
                            "('running', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 9223372036854775807, 100, NULL, NULL, NULL, NULL)"));
            check(
                    connection,
                    "a page of jobs that a node runs",
                    asked(
                            "query.job_list",
                            "('running', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 9223372036854775807, 100, NULL, NULL, NULL, 7)"));
            check(
                    connection,
                    "a page of what is done",
                    asked(
                            "query.job_list_done",
                            "(NULL, NULL, NULL, NULL, NULL, NULL, 9223372036854775807, 9223372036854775807, 100, NULL, NULL, NULL, -1, NULL)"));
            check(
                    connection,
                    "jobs by states, for which lanes may be read",
                    asked("query.job_counts", "(100)"),
                    database.number("SELECT count(*) FROM howdah_internal.lane"));
            check(connection, "what readers have not read", asked("query.job_entry_ranges", "(NULL)"));
            check(
                    connection,
                    "a page of entries of logs, for which lanes may be read",
                    asked(
                            "query.job_list_entries",
                            "('log', NULL, NULL, NULL, NULL, NULL, NULL, 9223372036854775807, 0, 100, 100)"),
                    database.number("SELECT count(*) FROM howdah_internal.lane"));
            check(
                    connection,
                    "a step of a search",
                    asked("query.job_search_bound_failed", "(9223372036854775807, 100)"));
            check(
                    connection,
                    "a step of a search",
                    asked("query.job_search_bound_waiting", "(9223372036854775807, 100)"));
            check(
                    connection,
                    "a step of a search",
                    asked("query.job_search_bound_done", "(9223372036854775807, 100, NULL, NULL)"));
            check(
                    connection,
                    "where a search of a queue's failed jobs goes on",
                    asked("query.job_search_next_failed", "('q', 'failed', 9223372036854775807, 100)"));
            check(connection, "a workflow", asked("workflow.workflow_find", "(7)"));
            check(
                    connection,
                    "unfinished workflows",
                    asked("workflow.workflow_list", "(NULL, true, 9223372036854775807, 10)"));
            check(connection, "the oldest workflows", asked("workflow.workflow_list_oldest", "(NULL, true, 0, 10)"));
            check(connection, "jobs of a workflow", asked("workflow.workflow_list_jobs", "(7)"));
            check(connection, "what a job waited for", asked("workflow.workflow_list_before", "(4000000077)"));
            check(connection, "attempts", asked("query.job_attempts", "(1000000777)"));
            for (long job : List.of(1_000_000_777L, -7L, -9_999_999L, -1_000_000_005L, 4_000_000_077L, 5_000_000_000L))
                check(connection, "why job " + job + " does not run", "SELECT howdah.why_job(" + job + ")");
            check(connection, "why a schedule adds no job", "SELECT howdah.why_schedule('s7')");
            check(
                    connection,
                    "add to a group",
                    asked(
                            "add.job_add_grouped",
                            "('{" + groups
                                    + "}', '{k}', '{0}', '{NULL}', '{0}', '{1}', '{\"{\\\"group\\\": \\\"group 9\\\"}\"}')"));
            check(connection, "pipelines", asked("workflow.workflow_list_pipelines", ""));
            check(connection, "a pipeline that is removed", asked("workflow.workflow_remove_pipeline", "('none')"));
            check(connection, "how far jobs have come", asked("query.job_watch_mark", ""));
            check(
                    connection,
                    "what became of jobs",
                    asked("query.job_watch_events", "('1:1:', '{0}', '{0}', '{0}', 0, 20, '{5, 6}')"));
            check(connection, "progress", asked("query.job_progress", "(77)"));
            check(connection, "the log of a job", asked("query.job_log", "(77, 20)"));
            check(connection, "steps for people", asked("query.job_steps", "(3000000007)"));
        }
        database.execute("SELECT howdah.retain('q', 'done', '0'), howdah.retain('q', 'failed', '0');"
                + " UPDATE howdah_internal.stat_mark SET upto = (SELECT max(b.id) FROM howdah_internal.batch b)");
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            check(
                    connection,
                    "removal of 20 batches by a rule",
                    "SELECT howdah_internal.retention_done(r, 20) FROM howdah.retention r WHERE r.outcome = 'done'");
            check(
                    connection,
                    "removal of 200 failed jobs by a rule",
                    "SELECT howdah_internal.retention_failed(r, 200) FROM howdah.retention r WHERE r.outcome = 'failed'");
        }
        softly.assertThat(rest()).as("statements that nobody has looked at").isEmpty();
        softly.assertAll();
    }

    /** The statement of that file, and that it was looked at. */
    private String asked(String statement, String values) {
        asked.add(statement);
        String[] name = statement.split("\\.");
        return prepared(Objects.requireNonNull(FILES.get(name[0]), statement).text(name[1]), values);
    }

    private Set<String> rest() {
        Set<String> rest = new TreeSet<>();
        FILES.forEach((file, sql) -> sql.names().forEach(name -> rest.add(file + "." + name)));
        rest.removeAll(asked);
        assertThat(rest).as("statements that read nothing which grows").containsAll(HARMLESS);
        rest.removeAll(HARMLESS);
        // It reads of each queue as many jobs as it counts.
        rest.remove("query.queue_overview");
        return rest;
    }

    private static Map<String, String> byHand() {
        Map<String, String> calls = new LinkedHashMap<>();
        calls.put("add", "SELECT howdah.add('q', 'k', '1')");
        calls.put("add of 500", "SELECT count(*) FROM howdah.add_many('q', 'k', array_fill('1'::json, ARRAY[500]))");
        calls.put("which 500 were added", "SELECT howdah_internal.added(" + (ROWS - 500) + ", " + ROWS + ")");
        calls.put("add with a new key", "SELECT howdah.add('q', 'k', '1', key => 'new')");
        calls.put("add with a key that is held", "SELECT howdah.add('q', 'k', '1', key => 'key 1')");
        calls.put(
                "add of a newer version",
                "SELECT howdah.add('q', 'k', '1', key => 'key 3', version => now() + interval '1 s')");
        String many =
                "SELECT count(*) FROM howdah.add_keyed_many('q', 'k', array_fill('1'::json, ARRAY[%1$d]), ARRAY(SELECT '%2$s' || i"
                        + " FROM generate_series(1, %1$d) i)%3$s)";
        calls.put("add of 500 with new keys", many.formatted(500, "new ", ""));
        calls.put("add of 200 with keys that are held or were", many.formatted(200, "key ", ""));
        calls.put(
                "add of 100 newer versions",
                many.formatted(100, "key ", ", array_fill(now() + interval '1 s', ARRAY[100])"));
        calls.put("add in order", "SELECT howdah.add_ordered('q', 'k', '1', 'customer 5')");
        calls.put("cancel what waits", "SELECT howdah.cancel(7)");
        calls.put("cancel what waits for its turn", "SELECT howdah.cancel(-" + (ROWS / 10 + 7) + ")");
        calls.put("cancel what is not there", "SELECT howdah.cancel(1999999999)");
        calls.put("cancel a workflow", "SELECT howdah.cancel_workflow(5000007)");
        calls.put(
                "add of 200 once in a window",
                many.formatted(200, "key ", ", options => '{\"unique\": {\"within\": \"1 h\"}}'"));
        calls.put("retry", "SELECT howdah.retry(-7)");
        calls.put("hurry", "SELECT howdah.hurry(" + (ROWS - 7) + ")");
        calls.put("another priority", "SELECT howdah.reprioritize(8, 9)");
        calls.put("another time", "SELECT howdah.reschedule(8, now())");
        calls.put("another payload", "SELECT howdah.set_payload(8, '1')");
        calls.put("other tags", "SELECT howdah.set_tags(8, '{a}')");
        calls.put("pause and resume", "SELECT howdah.pause('q'), howdah.resume('q')");
        calls.put("find what waits", "SELECT state FROM howdah.find(9)");
        calls.put("find what is done", "SELECT state FROM howdah.find(1000000000 + " + ROWS / 2 + ")");
        calls.put("find what has failed", "SELECT state FROM howdah.find(-9)");
        calls.put("find what is not there", "SELECT state FROM howdah.find(1999999999)");
        calls.put("stages", "SELECT count(*) FROM howdah.stages(9)");
        calls.put("stages of what is done", "SELECT count(*) FROM howdah.stages(1000000000 + " + ROWS / 2 + ")");
        calls.put("view: running", "SELECT count(*) FROM howdah.jobs WHERE state = 'running'");
        calls.put("view: 20 waiting", "SELECT * FROM howdah.jobs WHERE state = 'waiting' LIMIT 20");
        calls.put("view: 20 failed", "SELECT * FROM howdah.jobs WHERE state = 'failed' LIMIT 20");
        calls.put(
                "view: 20 done today",
                "SELECT * FROM howdah.jobs WHERE state = 'done' AND day = CURRENT_DATE LIMIT 20");
        return calls;
    }

    private static String prepared(String statement, String values) {
        return "PREPARE hot AS " + statement + "; EXECUTE hot" + values + "; DEALLOCATE hot";
    }

    /** PostgreSQL 13 hashes all lanes for a view of jobs, even for the first 20. */
    private long lanes() {
        return TestServer.shared().isAtLeast(14) ? 0 : database.number("SELECT count(*) FROM howdah_internal.lane");
    }

    private void check(Connection connection, String what, String sql) throws SQLException {
        check(connection, what, sql, lanes());
    }

    /** In a transaction that is rolled back. */
    private void check(Connection connection, String what, String sql, long more) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            long before = Plans.rowsRead(statement);
            long began = System.nanoTime();
            statement.execute(sql);
            double millis = (System.nanoTime() - began) / 1e6;
            long read = Plans.rowsRead(statement) - before;
            if (ROWS > 100_000) System.out.printf(Locale.ROOT, "%s | %d | %.1f%n", what, read, millis);
            softly.assertThat(read).as("rows read for %s", what).isLessThan(MOST + more);
        } finally {
            connection.rollback();
        }
    }
}
