-- The health of a database: one statement for each check. Each answers with one row: how bad it is
-- (ok, notice, warning or critical), what was found, from where on it is bad, a sentence, and what
-- to do. $1, where there is one, is by how much bounds on times are multiplied.

-- name: health_begin
-- :millis how many milliseconds each check may take.
SELECT set_config('transaction_read_only', 'on', true),
    set_config('statement_timeout', :millis::text, true),
    set_config('search_path', 'pg_catalog, pg_temp', true),
    pg_has_role('pg_read_all_stats', 'USAGE') AS stats, quote_ident(current_user) AS role,
    COALESCE(has_schema_privilege(to_regnamespace('howdah'), 'USAGE'), true)
        AND COALESCE(has_schema_privilege(to_regnamespace('howdah_internal'), 'USAGE'), true)
        AS enters,
    current_setting('server_version_num')::integer AS version,
    EXISTS (
        SELECT
        FROM pg_class c
        WHERE c.relnamespace = to_regnamespace('howdah_internal') AND c.relname = 'node') AS nodes,
    EXISTS (
        SELECT
        FROM pg_class c
        WHERE c.relnamespace = to_regnamespace('howdah') AND c.relname = 'schedule') AS schedules;

-- name: check_snapshot
-- Dead rows that any snapshot may still see cannot be removed, in no table of the database.
WITH holder AS (
    SELECT 'Session ' || a.pid || ' (' || a.usename
            || COALESCE(', ' || NULLIF(a.application_name, ''), '') || ', database '
            || COALESCE(a.datname, 'none') || ') holds a snapshot since '
            || date_trunc('second', a.xact_start) || ': '
            || left(regexp_replace(a.query, E'\\s+', ' ', 'g'), 100) AS sentence,
        format('SELECT pg_terminate_backend(%s);', a.pid) AS remedy,
        clock_timestamp() - a.xact_start AS held, age(a.backend_xmin) AS xids
    FROM pg_stat_activity a
    WHERE a.backend_xmin IS NOT NULL
        AND a.pid <> pg_backend_pid()
        AND a.xact_start IS NOT NULL
        AND a.backend_type <> 'walsender'
    UNION ALL
    SELECT 'The prepared transaction ' || p.gid || ' of ' || p.owner || ' is open since '
            || date_trunc('second', p.prepared),
        format('ROLLBACK PREPARED %L; -- or COMMIT PREPARED, in database %s', p.gid, p.database),
        clock_timestamp() - p.prepared, age(p.transaction)
    FROM pg_prepared_xacts p
    UNION ALL
    SELECT 'The replication slot ' || s.slot_name
            || CASE WHEN s.active THEN '' ELSE ', which no client uses,' END
            || ' keeps dead rows of the last ' || GREATEST(age(s.xmin), age(s.catalog_xmin))
            || ' transactions',
        format('SELECT pg_drop_replication_slot(%L);', s.slot_name), NULL,
        GREATEST(age(s.xmin), age(s.catalog_xmin))
    FROM pg_replication_slots s
    WHERE s.xmin IS NOT NULL OR s.catalog_xmin IS NOT NULL
    UNION ALL
    SELECT 'The standby ' || COALESCE(NULLIF(r.application_name, ''), host(r.client_addr), 'of '
            || r.pid) || ' keeps dead rows of the last ' || age(r.backend_xmin) || ' transactions',
        'On the standby: end its long queries, or set hot_standby_feedback = off.', NULL,
        age(r.backend_xmin)
    FROM pg_stat_replication r
    WHERE r.backend_xmin IS NOT NULL
), judged AS (
    SELECT h.*, CASE
            WHEN h.held >= interval '1 hour' * $1::float8 THEN 'critical'
            WHEN h.held >= interval '5 min' * $1::float8 OR h.xids >= 1000000 THEN 'warning'
            ELSE 'ok' END AS level
    FROM holder h
)
SELECT COALESCE(w.level, 'ok') AS level,
    COALESCE(date_trunc('second', w.held)::text, w.xids || ' transactions', 'none') AS value,
    '5 min or 1,000,000 transactions; 1 h' AS threshold,
    COALESCE(w.sentence, 'No snapshot is held') || '.' AS sentence,
    CASE WHEN w.level <> 'ok' THEN w.remedy END AS remedy
FROM (SELECT) one
LEFT JOIN (
    SELECT *
    FROM judged j
    ORDER BY j.level = 'critical' DESC, j.level = 'warning' DESC, j.held DESC NULLS LAST,
        j.xids DESC NULLS LAST
    LIMIT 1) w ON true;

-- name: check_idle_transaction
-- A session that is idle in a transaction keeps its locks.
WITH idle AS (
    SELECT a.pid, a.usename, a.application_name, a.query,
        clock_timestamp() - a.state_change AS idle,
        (
            SELECT count(*)
            FROM pg_locks l
            WHERE NOT l.granted AND a.pid = ANY (pg_blocking_pids(l.pid))) AS blocks
    FROM pg_stat_activity a
    WHERE a.datname = current_database()
        AND a.state LIKE 'idle in transaction%'
        AND a.pid <> pg_backend_pid()
), judged AS (
    SELECT i.*, CASE
            WHEN i.idle >= interval '15 min' * $1::float8 OR i.blocks > 0 THEN 'critical'
            WHEN i.idle >= interval '1 min' * $1::float8 THEN 'warning'
            ELSE 'ok' END AS level
    FROM idle i
)
SELECT COALESCE(w.level, 'ok') AS level,
    COALESCE(date_trunc('second', w.idle)::text, 'none') AS value,
    '1 min; 15 min, or others wait for it' AS threshold,
    COALESCE(
        'Session ' || w.pid || ' (' || w.usename || COALESCE(', ' || NULLIF(w.application_name, ''),
            '') || ') is idle in a transaction'
            || CASE WHEN w.blocks = 1 THEN ', and 1 session waits for its locks'
                WHEN w.blocks > 0 THEN ', and ' || w.blocks || ' sessions wait for its locks'
                ELSE '' END
            || '; its last statement: ' || left(regexp_replace(w.query, E'\\s+', ' ', 'g'), 100),
        'No session is idle in a transaction') || '.' AS sentence,
    CASE WHEN w.level <> 'ok' THEN format('SELECT pg_terminate_backend(%s);', w.pid) END AS remedy
FROM (SELECT) one
LEFT JOIN (
    SELECT *
    FROM judged j
    ORDER BY j.level = 'critical' DESC, j.level = 'warning' DESC, j.idle DESC
    LIMIT 1) w ON true;

-- name: check_blocked
-- Sessions that wait for locks of others; the one named is waited for and does not wait itself.
WITH waiting AS (
    SELECT a.pid, clock_timestamp() - a.query_start AS waits, pg_blocking_pids(a.pid) AS by
    FROM pg_stat_activity a
    WHERE a.datname = current_database() AND a.wait_event_type = 'Lock'
), root AS (
    SELECT b.pid, count(*) AS n, max(w.waits) AS waits
    FROM waiting w
    CROSS JOIN LATERAL unnest(w.by) AS b (pid)
    WHERE NOT EXISTS (SELECT FROM waiting o WHERE o.pid = b.pid)
    GROUP BY b.pid
    ORDER BY max(w.waits) DESC
    LIMIT 1
)
SELECT CASE
        WHEN r.waits >= interval '30 s' * $1::float8 THEN 'critical'
        WHEN r.waits >= interval '2 s' * $1::float8 THEN 'warning'
        ELSE 'ok' END AS level,
    COALESCE(date_trunc('second', r.waits)::text, 'none') AS value, '2 s; 30 s' AS threshold,
    COALESCE(
        r.n || CASE WHEN r.n = 1 THEN ' session waits' ELSE ' sessions wait' END
            || ' for locks of session ' || r.pid
            || COALESCE(' (' || a.usename || ', ' || COALESCE(a.state, 'state unknown') || ')', ''),
        'No session waits for a lock') || '.' AS sentence,
    CASE WHEN r.pid IS NOT NULL THEN format('SELECT pg_cancel_backend(%s);', r.pid) END AS remedy
FROM (SELECT) one
LEFT JOIN root r ON true
LEFT JOIN pg_stat_activity a ON a.pid = r.pid;

-- name: check_connections(warning, critical)
-- :warning, :critical from which percentage on. Sessions of Howdah are known by their names; those
-- of data sources that programs give to it have other names.
SELECT CASE
        WHEN c.used * 100 >= c.most * :critical::integer THEN 'critical'
        WHEN c.used * 100 >= c.most * :warning::integer THEN 'warning'
        ELSE 'ok' END AS level,
    c.used || ' of ' || c.most AS value, :warning || ' %; ' || :critical || ' %' AS threshold,
    c.used || ' of ' || c.most || ' connections are used'
        || CASE WHEN o.own > 0 THEN ', ' || o.own || ' by Howdah'
                || CASE WHEN o.tasks > 0 THEN ' (' || o.tasks || ' for tasks)' ELSE '' END
            ELSE '' END
        || '; ' || current_setting('superuser_reserved_connections')
        || ' more are for superusers.' AS sentence,
    CASE WHEN c.used * 100 >= c.most * :warning::integer
        THEN 'Lower --sessions of Howdah or the pools of programs, use a pooler, or raise '
            'max_connections.' END AS remedy
FROM (
    SELECT sum(d.numbackends) AS used,
        current_setting('max_connections')::integer
            - current_setting('superuser_reserved_connections')::integer AS most
    FROM pg_stat_database d) c
CROSS JOIN (
    SELECT count(*) AS own, count(*) FILTER (WHERE a.application_name LIKE E'pg\\_task %') AS tasks
    FROM pg_stat_activity a
    WHERE a.application_name ~ '^(howdah( |$)|pg_task )') o;

-- name: check_dead_rows
-- :rows the least number of dead rows that counts.
WITH ours AS (
    SELECT c.oid, c.oid::regclass::text AS name, s.n_dead_tup AS dead, s.n_live_tup AS live,
        s.last_autovacuum,
        COALESCE((
                SELECT o.option_value::float8
                FROM pg_options_to_table(c.reloptions) o
                WHERE o.option_name = 'autovacuum_vacuum_threshold'),
            current_setting('autovacuum_vacuum_threshold')::float8)
        + GREATEST(c.reltuples, 0) * COALESCE((
                SELECT o.option_value::float8
                FROM pg_options_to_table(c.reloptions) o
                WHERE o.option_name = 'autovacuum_vacuum_scale_factor'),
            current_setting('autovacuum_vacuum_scale_factor')::float8) AS bound
    FROM pg_class c
    JOIN pg_stat_all_tables s ON s.relid = c.oid
    WHERE c.relkind = 'r'
        AND (
            c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
            OR EXISTS (
                SELECT
                FROM pg_trigger g
                WHERE g.tgrelid = c.oid AND g.tgname = c.relname || '_wake_up'))
), worst AS (
    SELECT o.*, CASE
            WHEN o.dead >= 10 * :rows::bigint AND o.dead > 10 * o.bound
                OR o.dead >= :rows::bigint AND o.dead > 100000 AND o.dead > o.live THEN 'critical'
            WHEN o.dead >= :rows::bigint AND o.dead > 2 * o.bound THEN 'warning'
            ELSE 'ok' END AS level
    FROM ours o
    ORDER BY o.dead / (o.bound + 1) DESC
    LIMIT 1
)
SELECT COALESCE(w.level, 'ok') AS level, COALESCE(w.dead || ' in ' || w.name, 'none') AS value,
    'twice; ten times the bound of autovacuum' AS threshold,
    COALESCE(
        w.name || ' has ' || w.dead || ' dead rows beside ' || w.live || ' live ones; autovacuum '
            || COALESCE('was there last at ' || date_trunc('second', w.last_autovacuum),
                'was never there'), 'There are no tables of Howdah') || '.' AS sentence,
    CASE WHEN w.level <> 'ok' THEN 'VACUUM (ANALYZE) ' || w.name
        || '; -- first end what holds an old snapshot' END AS remedy
FROM (SELECT) one
LEFT JOIN worst w ON true;

-- name: check_autovacuum
SELECT CASE WHEN current_setting('autovacuum') = 'off' THEN 'critical'
        WHEN t.name IS NOT NULL THEN 'warning'
        ELSE 'ok' END AS level,
    current_setting('autovacuum') AS value, 'off for a table; off' AS threshold,
    CASE WHEN current_setting('autovacuum') = 'off'
        THEN 'Autovacuum is off: tables grow, and the database will stop to take writes.'
        WHEN t.name IS NOT NULL THEN 'Autovacuum is off for ' || t.name || '.'
        ELSE 'Autovacuum is on.' END AS sentence,
    CASE WHEN current_setting('autovacuum') = 'off'
        THEN 'ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf();'
        WHEN t.name IS NOT NULL
            THEN 'ALTER TABLE ' || t.name || ' RESET (autovacuum_enabled);' END AS remedy
FROM (SELECT) one
LEFT JOIN (
    SELECT c.oid::regclass::text AS name
    FROM pg_class c
    CROSS JOIN LATERAL pg_options_to_table(c.reloptions) o
    WHERE c.relkind = 'r'
        AND o.option_name = 'autovacuum_enabled'
        AND o.option_value IN ('false', 'off', 'no', '0')
        -- Of a segment of a log queue no row is changed; it is dropped as a whole.
        AND NOT EXISTS (
            SELECT
            FROM pg_inherits i
            WHERE i.inhrelid = c.oid AND i.inhparent = to_regclass('howdah_internal.log_entry'))
        AND (
            c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
            OR EXISTS (
                SELECT
                FROM pg_trigger g
                WHERE g.tgrelid = c.oid AND g.tgname = c.relname || '_wake_up'))
    LIMIT 1) t ON true;

-- name: check_vacuum_workers
-- While all workers are busy, no other table is vacuumed.
WITH worker AS (
    SELECT a.pid, clock_timestamp() - a.xact_start AS runs, p.relid, a.query
    FROM pg_stat_activity a
    LEFT JOIN pg_stat_progress_vacuum p ON p.pid = a.pid
    WHERE a.backend_type = 'autovacuum worker'
), total AS (
    SELECT count(*) AS n, current_setting('autovacuum_max_workers')::integer AS most,
        min(w.runs) AS all_for,
        (array_agg(regexp_replace(w.query, '^autovacuum: ', '') ORDER BY w.runs DESC))[1] AS longest
    FROM worker w
)
SELECT CASE WHEN t.n >= t.most AND t.all_for >= interval '10 min' * $1::float8 THEN 'warning'
        ELSE 'ok' END AS level,
    t.n || ' of ' || t.most AS value, 'all of them for 10 min' AS threshold,
    CASE WHEN t.n = 0 THEN 'No worker of autovacuum is busy.'
        ELSE t.n || ' of ' || t.most || ' workers of autovacuum '
            || CASE WHEN t.n = 1 THEN 'is' ELSE 'are' END || ' busy, the longest with '
            || COALESCE(NULLIF(t.longest, ''), 'a table') || '.' END AS sentence,
    CASE WHEN t.n >= t.most
        THEN 'Raise autovacuum_max_workers, or lower autovacuum_vacuum_cost_delay.' END AS remedy
FROM total t;

-- name: check_wraparound(warning, critical)
-- :warning, :critical from which age on.
SELECT CASE WHEN d.age >= :critical::bigint THEN 'critical'
        WHEN d.age >= :warning::bigint THEN 'warning'
        ELSE 'ok' END AS level,
    d.age::text AS value,
    to_char(:warning::bigint, 'FM999,999,999,999') || '; ' || to_char(:critical::bigint,
        'FM999,999,999,999')
        AS threshold,
    'The oldest transaction id in database ' || d.datname || ' is '
        || to_char(d.age, 'FM999,999,999,999')
        || ' transactions old; at 2,100,000,000 the database stops to take writes.' AS sentence,
    CASE WHEN d.age >= :warning::bigint
        THEN 'In database ' || d.datname
            || ': VACUUM (FREEZE); -- first end what holds an old snapshot' END AS remedy
FROM (
    SELECT d.datname,
        GREATEST(age(d.datfrozenxid), mxid_age(d.datminmxid))::bigint AS age
    FROM pg_database d
    ORDER BY 2 DESC
    LIMIT 1) d;

-- name: check_statistics
-- :rows how many changed rows count at least.
WITH worst AS (
    SELECT c.oid::regclass::text AS name, s.n_mod_since_analyze AS changed, s.n_live_tup AS live,
        s.last_analyze IS NULL AND s.last_autoanalyze IS NULL AS never
    FROM pg_class c
    JOIN pg_stat_all_tables s ON s.relid = c.oid
    WHERE c.relkind = 'r'
        AND s.n_mod_since_analyze >= :rows::bigint
        AND s.n_mod_since_analyze > s.n_live_tup / 5
        -- Segments of log queues are read by their ids, whatever their statistics say.
        AND NOT EXISTS (
            SELECT
            FROM pg_inherits i
            WHERE i.inhrelid = c.oid AND i.inhparent = to_regclass('howdah_internal.log_entry'))
        AND (
            c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
            OR EXISTS (
                SELECT
                FROM pg_trigger g
                WHERE g.tgrelid = c.oid AND g.tgname = c.relname || '_wake_up'))
    ORDER BY s.n_mod_since_analyze DESC
    LIMIT 1
)
SELECT CASE WHEN w.name IS NULL THEN 'ok' ELSE 'warning' END AS level,
    COALESCE(w.changed || ' changes in ' || w.name, 'none') AS value,
    '20 % of the rows, at least ' || :rows::bigint AS threshold,
    COALESCE(w.name || CASE WHEN w.never THEN ' was never analyzed'
            ELSE ' has changed since it was analyzed' END || ': ' || w.changed
            || ' changed rows, ' || w.live || ' live ones',
        'The statistics of the tables are recent') || '.' AS sentence,
    'ANALYZE ' || w.name || ';' AS remedy
FROM (SELECT) one
LEFT JOIN worst w ON true;

-- name: check_indexes
-- Those that a REINDEX or CREATE INDEX CONCURRENTLY has left invalid, and those that are missing.
WITH bad AS (
    SELECT 1 AS n, i.indexrelid::regclass || ' of ' || i.indrelid::regclass || ' is invalid'
            AS sentence,
        'REINDEX INDEX CONCURRENTLY ' || i.indexrelid::regclass || ';' AS remedy,
        i.indisunique AS worse
    FROM pg_index i
    JOIN pg_class c ON c.oid = i.indrelid
    WHERE NOT (i.indisvalid AND i.indisready)
        AND (
            c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
            OR EXISTS (
                SELECT
                FROM pg_trigger g
                WHERE g.tgrelid = c.oid AND g.tgname = c.relname || '_wake_up'))
    UNION ALL
    SELECT 2, c.oid::regclass || ' has no index ' || c.relname || '_' || x.name || '_idx',
        'Restart the scheduler, which makes the index again.', true
    FROM pg_class c
    CROSS JOIN unnest('{turn,due,busy}'::text[]) AS x (name)
    WHERE EXISTS (
            SELECT
            FROM pg_trigger g
            WHERE g.tgrelid = c.oid AND g.tgname = c.relname || '_wake_up')
        AND NOT EXISTS (
            SELECT
            FROM pg_index i
            JOIN pg_class o ON o.oid = i.indexrelid
            WHERE i.indrelid = c.oid AND o.relname = c.relname || '_' || x.name || '_idx')
    UNION ALL
    SELECT 3, c.oid::regclass || ' has no index ' || m.name,
        regexp_replace(
            'CREATE ' || m.kind || CASE WHEN c.relkind = 'r' THEN ' CONCURRENTLY ' ELSE ' ' END
                || m.name || ' ON ' || c.oid::regclass || ' ' || m.rest || ';', E'\\s+', ' ', 'g'),
        m.kind LIKE 'UNIQUE%' OR m.name IN ('job_ready', 'batch_open', 'process_due')
    FROM (
        VALUES
            ('awaited_look', 'awaited', 'INDEX', '(look) WHERE look IS NOT NULL'),
            ('awaited_until', 'awaited', 'INDEX', '(until)'),
            ('awaited_waiter', 'awaited', 'INDEX', '(waiter) WHERE look IS NOT NULL'),
            ('backlog_at', 'backlog', 'INDEX', '(is_hour, at)'),
            ('batch_jobs', 'batch', 'INDEX',
                'USING brin (first_id, last_id) WITH (pages_per_range = 4, autosummarize = on)'),
            ('batch_open', 'batch', 'INDEX', '(node) WHERE ended IS NULL'),
            ('cancellation_node', 'cancellation', 'INDEX', '(node)'),
            ('error_stat_slot', 'error_stat', 'INDEX', '(slot)'),
            ('error_text_last', 'error_text', 'INDEX', '(last)'),
            ('failed_ended', 'failed', 'INDEX', '(ended)'),
            ('child_end_at', 'child_end', 'INDEX', '(at)'),
            ('child_end_fresh', 'child_end', 'INDEX', '(child) WHERE fresh'),
            ('child_end_parent', 'child_end', 'INDEX', '(parent)'),
            ('failed_lane', 'failed', 'INDEX', '(lane, state, ended)'),
            ('group_state_due', 'group_state', 'INDEX', '(home, pass) WHERE due'),
            ('group_state_idle', 'group_state', 'INDEX', '(idle) WHERE idle IS NOT NULL'),
            ('group_state_next', 'group_state', 'INDEX',
                '(home, next_at) WHERE next_at IS NOT NULL'),
            ('group_wake_home', 'group_wake', 'INDEX', '(home, at)'),
            ('job_event_fresh', 'job_event', 'INDEX', '(id) WHERE fresh'),
            ('job_event_topic', 'job_event', 'INDEX', '(topic, key, id)'),
            ('job_event_until', 'job_event', 'INDEX', '(until)'),
            ('job_ready', 'job', 'INDEX', '(lane, priority, run_at, id)'),
            ('job_retrying', 'job', 'INDEX', '(id) WHERE attempt > 0'),
            ('job_record_at', 'job_record', 'INDEX', '(at)'),
            ('job_record_child', 'job_record', 'INDEX', '(child) WHERE child IS NOT NULL'),
            ('job_record_event', 'job_record', 'INDEX',
                '(name, event_key) WHERE event_key IS NOT NULL AND closed IS NULL'),
            ('job_record_fresh', 'job_record', 'INDEX', '(job) WHERE fresh'),
            ('job_signal_creates', 'job_signal', 'INDEX',
                '(job) WHERE creates IS NOT NULL AND read IS NULL'),
            ('job_signal_fresh', 'job_signal', 'INDEX', '(id) WHERE fresh'),
            ('job_signal_job', 'job_signal', 'INDEX', '(job, name, id)'),
            ('job_signal_sent', 'job_signal', 'INDEX', '(sent)'),
            ('job_signal_unread', 'job_signal', 'INDEX', '(job) WHERE read IS NULL'),
            ('job_step_at', 'job_step', 'INDEX', '(at)'),
            ('job_token_job', 'job_token', 'INDEX', '(job, name)'),
            ('job_token_until', 'job_token', 'INDEX', '(until)'),
            ('key_ended', 'key', 'INDEX', '(ended) WHERE ended IS NOT NULL'),
            ('key_job', 'key', 'INDEX', '(job)'),
            ('key_next', 'key', 'INDEX', '(next) WHERE next IS NOT NULL'),
            ('key_until', 'key', 'INDEX', '(until) WHERE until IS NOT NULL'),
            ('key_late_job', 'key_late', 'INDEX', '(job)'),
            ('lane_group', 'lane', 'INDEX', '(home, group_name) WHERE home IS NOT NULL'),
            ('lane_name', 'lane', 'UNIQUE INDEX',
                '(queue, COALESCE(kind, '''')) WHERE home IS NULL'),
            ('lane_priority_lane', 'lane_priority', 'INDEX', '(lane, priority)'),
            ('log_at', 'log', 'INDEX', '(at)'),
            ('log_job', 'log', 'INDEX', '(job, at)'),
            ('log_lease_node', 'log_lease', 'INDEX', '(node) WHERE node IS NOT NULL'),
            ('node_end_ended', 'node_end', 'INDEX', '(ended)'),
            ('order_key_free', 'order_key', 'INDEX', '(queue, key) WHERE job IS NULL'),
            ('order_key_job', 'order_key', 'UNIQUE INDEX', '(job) WHERE job IS NOT NULL'),
            ('ordered_fresh', 'ordered', 'INDEX', '(id) WHERE fresh'),
            ('ordered_key', 'ordered', 'INDEX', '(queue, key, id)'),
            ('process_broken', 'process', 'INDEX', '(namespace, id) WHERE status = ''error'''),
            ('process_due', 'process', 'INDEX',
                '(namespace, lane, due_at) WHERE due_at IS NOT NULL'),
            ('process_id', 'process', 'UNIQUE INDEX', '(namespace, id)'),
            ('process_worked', 'process', 'INDEX', '(node) WHERE node IS NOT NULL'),
            ('process_archive_id', 'process_archive', 'INDEX', '(namespace, id)'),
            ('process_key_process', 'process_key', 'INDEX', '(process)'),
            ('process_outbox_held', 'process_outbox', 'INDEX',
                '(namespace, process, id) WHERE held'),
            ('process_outbox_next', 'process_outbox', 'INDEX',
                '(namespace, (id + 0)) WHERE NOT held'),
            ('process_task_open', 'process_task', 'INDEX', '(process, id) WHERE finished IS NULL'),
            ('progress_at', 'progress', 'INDEX', '(at)'),
            ('queue_limit_of', 'queue_limit', 'UNIQUE INDEX',
                '(queue, COALESCE(kind, ''''), COALESCE(group_name, ''''), each_group, '
                'each_node)'),
            ('rate_limit_of', 'rate_limit', 'UNIQUE INDEX',
                '(queue, COALESCE(kind, ''''), COALESCE(group_name, ''''), each_group, '
                'period)'),
            ('rate_use_until', 'rate_use', 'INDEX', '(until)'),
            ('retention_of', 'retention', 'UNIQUE INDEX', '(COALESCE(queue, ''''), outcome)'),
            ('schedule_due', 'schedule', 'INDEX',
                '(next_at NULLS FIRST) WHERE paused IS NULL AND error IS NULL'),
            ('stat_wait_minute', 'stat_wait', 'INDEX', '(minute)'),
            ('sweep_error_retry', 'sweep_error', 'INDEX', '(sweep, retry_at)'),
            ('sweep_process_sweep', 'sweep_process', 'INDEX', '(sweep)'),
            ('sweep_run_place', 'sweep_run', 'INDEX', '(sweep, place, word, key)'),
            ('sweep_worker_pid', 'sweep_worker', 'INDEX', '(pid)'),
            ('workflow_due', 'workflow', 'INDEX',
                '(id) WHERE ended IS NULL AND (cancel_asked IS NOT NULL OR NOT open AND total '
                '= done + failed + cancelled)'),
            ('workflow_ended', 'workflow', 'INDEX', '(ended) WHERE ended IS NOT NULL'),
            ('workflow_unfinished', 'workflow', 'INDEX', '(id) WHERE ended IS NULL'),
            ('workflow_edge_after', 'workflow_edge', 'INDEX', '(after)'),
            ('workflow_event_of', 'workflow_event', 'INDEX', '(workflow)')
    ) AS m (name, relation, kind, rest)
    JOIN pg_class c
        ON c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
            AND c.relname = m.relation
    WHERE c.relkind IN ('r', 'p')
        AND NOT EXISTS (
            SELECT
            FROM pg_index i
            JOIN pg_class o ON o.oid = i.indexrelid
            WHERE i.indrelid = c.oid AND o.relname = m.name)
)
SELECT CASE WHEN b.worse THEN 'critical' WHEN b.sentence IS NOT NULL THEN 'warning' ELSE 'ok' END
        AS level,
    (SELECT count(*) FROM bad)::text AS value,
    'any; one that is unique, of tasks, or that each claim reads' AS threshold,
    COALESCE(b.sentence, 'All indexes are there and valid') || '.' AS sentence, b.remedy
FROM (SELECT) one
LEFT JOIN (SELECT * FROM bad ORDER BY worse DESC, n, sentence LIMIT 1) b ON true;

-- name: check_bloat(bytes, factor)
-- Indexes that are much larger than their entries, by the statistics: an estimate. :bytes from how
-- many bytes on, :factor how many times as large.
WITH ours AS (
    SELECT o.oid, o.oid::regclass::text AS name, c.oid::regclass::text AS of_table,
        pg_relation_size(o.oid) AS bytes,
        -- An entry has a header of 8 bytes and a place of 4, and leaves are filled to nine tenths.
        GREATEST(o.reltuples, 0) * (12 + (
            SELECT sum(COALESCE(NULLIF(k.attlen, -1)::float8, w.avg_width, 32))
            FROM pg_attribute k
            LEFT JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = k.attname
            LEFT JOIN pg_stats w
                ON w.schemaname = n.nspname AND w.tablename = c.relname AND w.attname = t.attname
            WHERE k.attrelid = o.oid)) / 0.9 AS needed
    FROM pg_index i
    JOIN pg_class o ON o.oid = i.indexrelid
    JOIN pg_am a ON a.oid = o.relam AND a.amname = 'btree'
    JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE o.relkind = 'i'
        AND pg_relation_size(o.oid) >= :bytes::bigint
        AND (
            c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
            OR EXISTS (
                SELECT
                FROM pg_trigger g
                WHERE g.tgrelid = c.oid AND g.tgname = c.relname || '_wake_up'))
), worst AS (
    SELECT o.*
    FROM ours o
    WHERE o.bytes > :factor::float8 * (o.needed + 8192)
    ORDER BY o.bytes DESC
    LIMIT 1
)
SELECT CASE WHEN w.name IS NULL THEN 'ok' ELSE 'warning' END AS level,
    COALESCE(pg_size_pretty(w.bytes) || ' of ' || w.name, 'none') AS value,
    :factor || ' times what its entries need,
        from ' || pg_size_pretty(:bytes::bigint) || ' on' AS threshold,
    COALESCE(
        'Index ' || w.name || ' of ' || w.of_table || ' takes ' || pg_size_pretty(w.bytes)
            || '; its entries need about ' || pg_size_pretty(w.needed::bigint) || ', an estimate',
        'No index is much larger than its entries, as far as statistics say') || '.' AS sentence,
    'REINDEX INDEX CONCURRENTLY ' || w.name || ';' AS remedy
FROM (SELECT) one
LEFT JOIN worst w ON true;

-- name: check_triggers
-- What was disabled.
WITH off AS (
    SELECT g.tgname, g.tgrelid::regclass::text AS name,
        CASE WHEN c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
            THEN '' ELSE 'ALWAYS ' END AS how
    FROM pg_trigger g
    JOIN pg_class c ON c.oid = g.tgrelid
    WHERE NOT g.tgisinternal
        AND g.tgenabled IN ('D', 'R')
        AND g.tgparentid = 0
        AND (
            c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
            OR g.tgname LIKE c.relname || E'\\_%' AND EXISTS (
                SELECT
                FROM pg_trigger o
                WHERE o.tgrelid = c.oid AND o.tgname = c.relname || '_wake_up'))
    ORDER BY g.tgname
)
SELECT CASE WHEN o.tgname IS NULL THEN 'ok' ELSE 'critical' END AS level,
    (SELECT count(*) FROM off)::text AS value, 'any' AS threshold,
    COALESCE('Trigger ' || o.tgname || ' of ' || o.name || ' is disabled',
        'No trigger is disabled') || '.' AS sentence,
    'ALTER TABLE ' || o.name || ' ENABLE ' || o.how || 'TRIGGER ' || quote_ident(o.tgname) || ';'
        AS remedy
FROM (SELECT) one
LEFT JOIN (SELECT * FROM off LIMIT 1) o ON true;

-- name: check_notifications(warning, critical)
-- :warning, :critical from which share on.
SELECT CASE WHEN q.used >= :critical::float8 THEN 'critical'
        WHEN q.used >= :warning::float8 THEN 'warning'
        ELSE 'ok' END AS level,
    round((q.used * 100)::numeric, 1) || ' %' AS value,
    :warning::float8 * 100 || ' %; ' || :critical::float8 * 100 || ' %' AS threshold,
    'The queue of notifications is full to ' || round((q.used * 100)::numeric, 1)
        || ' %; when it is full, adding fails.' AS sentence,
    CASE WHEN q.used >= :warning::float8
        THEN 'End the session that listens and does not read: it is idle in a transaction.' END
        AS remedy
FROM (SELECT pg_notification_queue_usage() AS used) q;

-- name: check_replication
-- :factor by how much bounds are multiplied, those on bytes too.
WITH place AS (
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END
        AS lsn
), slow AS (
    SELECT 'Standby ' || COALESCE(NULLIF(r.application_name, ''), r.pid::text) || ' is '
            || COALESCE(date_trunc('second', r.replay_lag)::text || ' and ', '')
            || pg_size_pretty(pg_wal_lsn_diff(p.lsn, r.replay_lsn)) || ' behind' AS sentence,
        r.replay_lag AS lag, pg_wal_lsn_diff(p.lsn, r.replay_lsn) AS bytes,
        'Look at the network and the load of the standby.' AS remedy,
        CASE WHEN r.replay_lag >= interval '10 s' * :factor::float8
                OR pg_wal_lsn_diff(p.lsn,
                    r.replay_lsn) >= 1073741824 * :factor::float8 THEN 'warning'
            ELSE 'ok' END AS level
    FROM pg_stat_replication r
    CROSS JOIN place p
    UNION ALL
    SELECT 'Replication slot ' || s.slot_name || ' is ' || s.wal_status
            || COALESCE(
                ' and keeps ' || pg_size_pretty(pg_wal_lsn_diff(p.lsn, s.restart_lsn)) || ' of WAL',
                ''), NULL, pg_wal_lsn_diff(p.lsn, s.restart_lsn),
        format('SELECT pg_drop_replication_slot(%L); -- the standby has to be made anew',
            s.slot_name),
        CASE WHEN s.wal_status IN ('unreserved', 'lost') THEN 'critical'
            WHEN NOT s.active
                AND pg_wal_lsn_diff(p.lsn,
                    s.restart_lsn) >= 1073741824 * :factor::float8 THEN 'warning'
            ELSE 'ok' END
    FROM pg_replication_slots s
    CROSS JOIN place p
    WHERE s.wal_status IS NOT NULL
)
SELECT COALESCE(w.level, 'ok') AS level,
    COALESCE(date_trunc('second', w.lag)::text, pg_size_pretty(w.bytes), 'none') AS value,
    '10 s or 1 GB; a slot that is unreserved or lost' AS threshold,
    COALESCE(w.sentence, 'No server replicates this one') || '.' AS sentence,
    CASE WHEN w.level <> 'ok' THEN w.remedy END AS remedy
FROM (SELECT) one
LEFT JOIN (
    SELECT *
    FROM slow s
    ORDER BY s.level = 'critical' DESC, s.level = 'warning' DESC, s.lag DESC NULLS LAST,
        s.bytes DESC NULLS LAST
    LIMIT 1) w ON true;

-- name: check_checkpoints
-- Checkpoints that are requested more often than they are due: more WAL is written than
-- max_wal_size lets be. Commands such as CREATE DATABASE, and backups, request some as well. Up to
-- version 16. :requested how many that were requested count at least.
SELECT CASE WHEN n.asked >= :requested::bigint
    AND n.asked > n.timed THEN 'notice' ELSE 'ok' END AS level,
    n.asked || ' of ' || n.asked + n.timed AS value,
    'more than half of them requested, at least ' || :requested::bigint AS threshold,
    n.asked || ' of ' || n.asked + n.timed
        || ' checkpoints were requested and not due by time.' AS sentence,
    'If much is written, and not by CREATE DATABASE or backups: raise max_wal_size, now '
        || current_setting('max_wal_size') || '.' AS remedy
FROM (SELECT b.checkpoints_timed AS timed, b.checkpoints_req AS asked FROM pg_stat_bgwriter b) n;

-- name: check_checkpoints_17
-- The same from version 17 on.
SELECT CASE WHEN n.asked >= :requested::bigint
    AND n.asked > n.timed THEN 'notice' ELSE 'ok' END AS level,
    n.asked || ' of ' || n.asked + n.timed AS value,
    'more than half of them requested, at least ' || :requested::bigint AS threshold,
    n.asked || ' of ' || n.asked + n.timed
        || ' checkpoints were requested and not due by time.' AS sentence,
    'If much is written, and not by CREATE DATABASE or backups: raise max_wal_size, now '
        || current_setting('max_wal_size') || '.' AS remedy
FROM (SELECT c.num_timed AS timed, c.num_requested AS asked FROM pg_stat_checkpointer c) n;

-- name: check_durability
SELECT CASE WHEN s.off IS NULL THEN 'ok' ELSE 'critical' END AS level,
    COALESCE(s.off || ' off', 'on') AS value, 'off' AS threshold,
    COALESCE(s.off || ' is off: a crash of the machine can lose or destroy the database',
        'What is committed outlives a crash of the machine') || '.' AS sentence,
    'ALTER SYSTEM SET ' || s.off || ' = on; SELECT pg_reload_conf();' AS remedy
FROM (
    SELECT CASE WHEN current_setting('fsync') = 'off' THEN 'fsync'
        WHEN current_setting('full_page_writes') = 'off' THEN 'full_page_writes' END AS off) s;

-- name: check_foreign_locks
-- Advisory locks of nodes, of schedulers of tasks and of sweeps in sessions whose roles may be none
-- of these.
WITH held AS (
    SELECT l.pid, l.classid::bigint AS classid, l.objid::bigint AS objid, a.usename, a.usesysid
    FROM pg_locks l
    JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory'
        AND l.objsubid = 2
        AND l.granted
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
), served AS (
    SELECT c.oid, c.relowner, c.oid::regclass::text AS name,
        hashtext(
            '"' || replace(n.nspname, '"', '""') || '"."' || replace(c.relname, '"', '""')
                || '"')::bigint & 4294967295 AS lock
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE EXISTS (
        SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND g.tgname = c.relname || '_wake_up')
), strange AS (
    SELECT h.pid, h.usename,
        'advisory lock ' || h.classid || ', which only nodes take, and is none' AS what
    FROM held h
    CROSS JOIN (SELECT to_regclass('howdah_internal.node') AS nodes) n
    WHERE h.classid IN (1215264874, 1215264876, 1215264884, 1215264885, 1215264888)
        AND n.nodes IS NOT NULL
        AND NOT EXISTS (
            SELECT
            FROM pg_roles r
            WHERE pg_has_role(h.usesysid, r.oid, 'MEMBER')
                AND has_any_column_privilege(r.oid, n.nodes, 'INSERT'))
    UNION ALL
    SELECT h.pid, h.usename,
        'the lock of the scheduler of ' || s.name || ', and is none: its tasks do not run'
    FROM held h
    JOIN served s ON s.lock = h.objid
    JOIN pg_roles r ON r.oid = h.usesysid
    WHERE h.classid = 1215264867
        AND NOT r.rolsuper
        AND NOT pg_has_role(r.oid, s.relowner, 'MEMBER')
        AND NOT (has_table_privilege(r.oid, s.oid, 'UPDATE')
            AND has_table_privilege(r.oid, s.oid, 'DELETE'))
    UNION ALL
    SELECT h.pid, h.usename, 'the lock of a process of a sweep, and is none'
    FROM held h
    CROSS JOIN (SELECT to_regclass('howdah_internal.sweep_process') AS sweeps) n
    WHERE h.classid = 1215264890
        AND n.sweeps IS NOT NULL
        AND NOT EXISTS (
            SELECT
            FROM pg_roles r
            WHERE pg_has_role(h.usesysid, r.oid, 'MEMBER')
                AND has_any_column_privilege(r.oid, n.sweeps, 'INSERT'))
    LIMIT 1
)
SELECT CASE WHEN s.pid IS NULL THEN 'ok' ELSE 'critical' END AS level,
    COALESCE('session ' || s.pid, 'none') AS value, 'any' AS threshold,
    COALESCE('Session ' || s.pid || ' of role ' || s.usename || ' holds ' || s.what,
        'Only programs of Howdah hold its locks') || '.' AS sentence,
    format('SELECT pg_terminate_backend(%s);', s.pid) AS remedy
FROM (SELECT) one
LEFT JOIN strange s ON true;

-- name: check_lock_table(warning, critical, places)
-- :warning, :critical from which percentage on; :places as how many places a day of the history
-- counts, whose table each statement may lock: as in howdah_internal.retention_fits.
SELECT CASE WHEN t.used * 100 >= t.most * :critical::integer THEN 'critical'
        WHEN t.used * 100 >= t.most * :warning::integer OR t.days * :places::integer > t.most
            THEN 'warning'
        ELSE 'ok' END AS level,
    t.used || ' of ' || t.most AS value, :warning || ' %; ' || :critical || ' %' AS threshold,
    t.used || ' of ' || t.most || ' places of the lock table are used'
        || CASE WHEN t.days * :places::integer > t.most
            THEN ', and ' || t.days || ' days of history are more than the '
                || t.most / :places::integer
                || ' that it bears'
            ELSE '' END || '.' AS sentence,
    CASE WHEN t.days * :places::integer > t.most
            THEN 'Keep fewer days, or set max_locks_per_transaction to '
                || (t.days * :places::integer + t.sessions - 1) / t.sessions || ' or more.'
        WHEN t.used * 100 >= t.most * :warning::integer
            THEN 'Lower the batches of sweeps, or raise max_locks_per_transaction.' END AS remedy
FROM (
    SELECT n.used, n.sessions, n.days,
        current_setting('max_locks_per_transaction')::bigint * n.sessions AS most
    FROM (
        -- Those of serializable transactions are in a table of their own.
        SELECT count(*) FILTER (
                WHERE l.granted AND NOT l.fastpath AND l.mode <> 'SIReadLock') AS used,
            current_setting('max_connections')::bigint
                + current_setting('max_prepared_transactions')::bigint AS sessions,
            (
                SELECT count(*)
                FROM pg_inherits i
                WHERE i.inhparent = to_regclass('howdah_internal.batch')) AS days
        FROM pg_locks l) n) t;

-- name: check_days
-- Jobs that are claimed go to the table of their day.
SELECT CASE WHEN d.batches IS NULL OR d.missing IS NULL THEN 'ok'
        WHEN d.missing = CURRENT_DATE THEN 'critical'
        ELSE 'warning' END AS level,
    CASE WHEN d.batches IS NULL THEN 'no jobs' ELSE COALESCE(d.missing || ' is missing', 'all') END
        AS value,
    'one of the next 2 days; today' AS threshold,
    CASE WHEN d.batches IS NULL THEN 'There are no jobs in this database.'
        WHEN d.missing IS NULL THEN 'The tables of the next days are there.'
        ELSE 'There is no table for the jobs that are claimed on ' || d.missing || '.' END
        AS sentence,
    CASE WHEN d.missing IS NOT NULL AND d.batches IS NOT NULL
        THEN 'SELECT howdah.make_days(); -- nodes do so while they run' END AS remedy
FROM (
    SELECT to_regclass('howdah_internal.batch') AS batches, (
            SELECT min(x.day)
            FROM (
                SELECT CURRENT_DATE + n.n AS day
                FROM generate_series(0, 1) AS n (n)) x
            WHERE to_regclass('howdah_internal.batch_' || to_char(x.day, 'YYYYMMDD')) IS
                NULL) AS missing) d;

-- name: check_nodes
-- Nodes of two versions, as in the middle of an upgrade.
WITH living AS (
    SELECT d.id, d.name,
        d.serves -> 'job' ->> 'version' AS version
    FROM howdah_internal.node d
    JOIN pg_locks l
        ON l.locktype = 'advisory'
            AND l.classid = 1215264874
            AND l.objid::bigint = d.id
            AND l.objsubid = 2
            AND l.granted
            AND l.database = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())
), seen AS (
    SELECT l.version, string_agg(l.id || ' (' || l.name || ')', ', ' ORDER BY l.id) AS nodes,
        count(*) AS n
    FROM living l
    WHERE l.version IS NOT NULL
    GROUP BY l.version
), total AS (
    SELECT (SELECT count(*) FROM living) AS nodes, count(*) AS versions,
        string_agg(
            CASE WHEN s.n = 1 THEN 'node ' ELSE 'nodes ' END || s.nodes || ' version ' || s.version,
            ', ' ORDER BY s.version) AS words
    FROM seen s
)
SELECT CASE WHEN t.versions > 1 THEN 'warning' ELSE 'ok' END AS level,
    t.versions::text AS value, 'more than one version' AS threshold,
    CASE WHEN t.versions > 1 THEN 'Nodes have different versions: ' || t.words || '.'
        WHEN t.nodes = 0 THEN 'No node works.'
        ELSE 'All nodes that say it have the same version.' END AS sentence,
    'Finish the upgrade: restart the programs of earlier versions.' AS remedy
FROM total t;

-- name: check_nodes_none
-- The same in a database without jobs and processes.
SELECT 'ok' AS level, '0' AS value, 'more than one version' AS threshold,
    'There are no nodes in this database.' AS sentence, NULL AS remedy;

-- name: check_waits
-- Suspended jobs that no living node can go on with: their records do not fit its code, it does not
-- list their version, or it does not handle their kind. Of the next 10,000 of a queue and priority.
WITH levels AS (
    SELECT DISTINCT p.lane, p.priority
    FROM howdah_internal.lane_priority p
    WHERE EXISTS (SELECT FROM howdah_internal.job_record)
), nodes AS MATERIALIZED (
    SELECT d.serves -> 'job' AS serves
    FROM howdah_internal.node d
    JOIN pg_locks l
        ON l.locktype = 'advisory'
            AND l.classid = 1215264874
            AND l.objid::bigint = d.id
            AND l.objsubid = 2
            AND l.granted
            AND l.database = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())
    WHERE 'job' = ANY (d.features)
    UNION ALL
    -- Workers by HTTP that ask from time to time have no node in between.
    SELECT p.serves
    FROM howdah_internal.worker_pace p
    WHERE p.awaited > now()
), found AS (
    SELECT l.queue, w.kind, w.jobs, w.first,
        CASE WHEN w.type IN ('diverged', 'version') THEN w.type
            WHEN EXISTS (
                SELECT
                FROM nodes n
                WHERE n.serves IS NULL
                    OR n.serves -> 'queues' ? l.queue AND n.serves -> 'kinds' ? w.kind) THEN NULL
            ELSE 'unhandled' END AS type
    FROM levels p
    CROSS JOIN LATERAL (
        SELECT d.kind, d.more -> 'wait' ->> 'type' AS type, count(*) AS jobs, min(d.id) AS first
        FROM (
            SELECT j.id, j.kind, j.more
            FROM howdah_internal.job j
            WHERE j.lane = p.lane AND j.priority = p.priority AND j.run_at > now()
            ORDER BY j.run_at
            LIMIT 10000) d
        WHERE d.more -> 'wait' IS NOT NULL
        GROUP BY d.kind, d.more -> 'wait' ->> 'type') w
    JOIN howdah_internal.lane l ON l.id = p.lane
), total AS (
    SELECT COALESCE(sum(f.jobs), 0)::bigint AS jobs, min(f.first) AS first,
        string_agg(
            DISTINCT 'kind ' || f.kind || ' of queue ' || f.queue || CASE f.type
                WHEN 'diverged' THEN ' (its records do not fit the code)'
                WHEN 'version' THEN ' (no node lists its version)'
                ELSE ' (no node handles it)' END, ', ') AS words
    FROM found f
    WHERE f.type IS NOT NULL
)
SELECT CASE WHEN t.jobs > 0 THEN 'warning' ELSE 'ok' END AS level, t.jobs::text AS value,
    'a job that no node goes on with' AS threshold,
    CASE WHEN t.jobs > 0
        THEN t.jobs || ' suspended ' || CASE WHEN t.jobs = 1 THEN 'job has' ELSE 'jobs have' END
            || ' no program that goes on with them: ' || t.words || '.'
        ELSE 'Each suspended job has a program that goes on with it.' END AS sentence,
    'howdah why job ' || t.first || ' says what it takes: start a program of its version, or that '
        || 'handles its kind.' AS remedy
FROM total t;

-- name: check_waits_none
-- The same in a database without jobs.
SELECT 'ok' AS level, '0' AS value, 'a job that no node goes on with' AS threshold,
    'There are no jobs in this database.' AS sentence, NULL AS remedy;

-- name: check_archiving
-- WAL that cannot be archived fills the disk, and no backup can be brought up to date.
SELECT CASE WHEN current_setting('archive_mode') = 'off' OR NOT a.failing THEN 'ok'
        WHEN a.since >= interval '1 hour' * $1::float8 THEN 'critical'
        ELSE 'warning' END AS level,
    CASE WHEN current_setting('archive_mode') = 'off' THEN 'off'
        WHEN a.failing THEN a.failed_count || ' failures' ELSE 'on' END AS value,
    'it fails; for 1 h' AS threshold,
    CASE WHEN current_setting('archive_mode') = 'off'
            THEN 'WAL is not archived: a backup restores the moment at which it was made.'
        WHEN a.failing THEN 'WAL cannot be archived since '
            || COALESCE(date_trunc('second', a.last_archived_time)::text, 'the server began')
            || ': ' || a.last_failed_wal || ' failed at '
            || date_trunc('second', a.last_failed_time) || '.'
        ELSE 'WAL is archived.' END AS sentence,
    'Look into the log of the server for what archive_command says.' AS remedy
FROM (
    SELECT s.*,
        COALESCE(s.last_failed_time > COALESCE(s.last_archived_time, '-infinity'), false)
            AS failing,
        clock_timestamp() - COALESCE(s.last_archived_time, s.stats_reset) AS since
    FROM pg_stat_archiver s) a;

-- Times of rows that have not come: the clock of the server was ahead, and was set back. Each of
-- these says what it has found and when, or has no row.

-- name: server_ahead
SELECT 'the server began' AS what, pg_postmaster_start_time() AS at
WHERE pg_postmaster_start_time() > clock_timestamp() + interval '1 minute';

-- name: node_ahead
SELECT CASE WHEN count(*) = 1 THEN 'node ' || min(d.id) || ' (' || min(d.name) || ')'
        ELSE count(*) || ' nodes' END || ' began' AS what,
    max(d.started) AS at
FROM howdah_internal.node d
WHERE d.started > clock_timestamp() + interval '1 minute'
HAVING count(*) > 0;

-- name: schedule_ahead
SELECT CASE WHEN count(*) = 1 THEN 'schedule ' || min(s.name)
        ELSE count(*) || ' schedules' END || ' added a job' AS what,
    max(s.last_at) AS at
FROM howdah.schedule s
WHERE s.last_at > clock_timestamp() + interval '1 minute'
HAVING count(*) > 0;

-- name: task_ahead
-- Of the newest tasks. :table the name of their table.
SELECT CASE WHEN count(*) = 1 THEN 'task ' || min(n.id) ELSE count(*) || ' tasks' END
        || ' of ' || :table::text || ' began' AS what,
    max(n.start)::timestamptz AS at
FROM (
    SELECT t.id, t.start
    FROM /*table*/public.task t
    ORDER BY t.id DESC
    LIMIT 1000) n
WHERE n.start > clock_timestamp() + interval '1 minute'
HAVING count(*) > 0;

-- name: table_of_tasks
SELECT c.oid::regclass::text AS name
FROM pg_class c
JOIN pg_trigger g ON g.tgrelid = c.oid AND g.tgname = c.relname || '_wake_up'
WHERE c.relkind IN ('r', 'p') AND has_table_privilege(c.oid, 'SELECT')
ORDER BY c.oid
LIMIT 100;

-- name: check_size
SELECT 'ok' AS level, pg_size_pretty(s.bytes) AS value, 'none' AS threshold,
    'The tables of Howdah take ' || pg_size_pretty(s.bytes)
        || COALESCE(', the largest is ' || s.name, '') || '.' AS sentence, NULL AS remedy
FROM (
    SELECT COALESCE(sum(t.bytes), 0) AS bytes, (array_agg(t.name ORDER BY t.bytes DESC))[1] AS name
    FROM (
        SELECT c.oid::regclass::text AS name, pg_total_relation_size(c.oid) AS bytes
        FROM pg_class c
        WHERE c.relkind = 'r'
            AND (
                c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
                OR EXISTS (
                    SELECT
                    FROM pg_trigger g
                    WHERE g.tgrelid = c.oid AND g.tgname = c.relname || '_wake_up'))) t) s;
