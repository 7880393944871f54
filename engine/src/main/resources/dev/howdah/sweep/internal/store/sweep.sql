-- Sweeps: their definitions, their processes, their progress.

-- name: sweep_enter(name, definition, rate, hours)
-- :rate rows a second'always': none.
INSERT INTO howdah.sweep (name, definition, throttle, hours)
VALUES (:name, :definition::jsonb, :rate, NULLIF(:hours, 'always'))
ON CONFLICT (name) DO NOTHING;

-- name: sweep_find
-- Only columns that version 1 of the tables has: a dry run looks at them, too.
SELECT s.id, s.definition::text, s.state,
    to_char(s.started AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00', s.total, s.done > 0,
    s.started, s.ended
FROM howdah.sweep s WHERE s.name = :name;

-- name: sweep_hold_entry
-- Processes that start the sweep at the same time do so one after the other.
SELECT s.state, s.ended FROM howdah.sweep s WHERE s.id = :sweep FOR UPDATE;

-- name: sweep_gone_for_good
-- How many rows have failed and are not tried again unless that is asked for.
SELECT count(*)
FROM howdah.sweep_error e
WHERE e.sweep = :sweep AND e.retry_at IS NULL;

-- name: sweep_keep_generation
-- Before it begins anew, which another session cannot do meanwhile.
INSERT INTO howdah.sweep_history (name, generation, state, started, ended, done, failed)
SELECT s.name,
    1 + COALESCE((SELECT max(h.generation) FROM howdah.sweep_history h WHERE h.name = s.name), 0),
    s.state, s.started, s.ended,
    s.done + COALESCE((
        SELECT sum(w.marked)
        FROM howdah_internal.sweep_process p
        JOIN howdah_internal.sweep_worker w ON w.process = p.id
        WHERE p.sweep = s.id), 0)::bigint,
    f.failed
FROM howdah.sweep s,
    LATERAL (SELECT count(*) AS failed FROM howdah.sweep_error e WHERE e.sweep = s.id) f
WHERE s.id = :sweep;

-- name: sweep_drop_generations
DELETE FROM howdah.sweep_history h
USING howdah.sweep s
WHERE s.id = :sweep
    AND h.name = s.name
    AND h.generation <= (
        SELECT max(l.generation) - 1000 FROM howdah.sweep_history l WHERE l.name = s.name);

-- name: sweep_forget_errors
DELETE FROM howdah.sweep_error WHERE sweep = :sweep;

-- name: sweep_reopen(sweep, rate, anew, hours)
-- What has ended or was stopped goes on; rows of what is done are stamped anew. :rate rows a
-- second; NULL: as before, :anew whether it begins anew, as if it had never been; :hours NULL: as
-- before.
UPDATE howdah.sweep
SET state = CASE WHEN state = 'paused' THEN state ELSE 'running' END,
    ended = NULL,
    error = NULL,
    throttle = COALESCE(:rate, throttle),
    hours = NULLIF(COALESCE(:hours, hours), 'always'),
    resting_until = CASE WHEN state IN ('running', 'paused') THEN resting_until END,
    total = CASE WHEN state IN ('running', 'paused') THEN total END,
    stamped = stamped AND state <> 'done' AND NOT :anew::boolean,
    stamp_key = CASE WHEN state <> 'done' AND NOT :anew::boolean THEN stamp_key END,
    started = CASE WHEN :anew::boolean THEN clock_timestamp() ELSE started END,
    done = CASE WHEN :anew::boolean THEN 0 ELSE done END,
    runs = runs + CASE WHEN state IN ('running', 'paused') THEN 0 ELSE 1 END
WHERE id = :sweep
RETURNING runs;

-- name: sweep_now
SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00';

-- name: sweep_total(sweep, total, counted)
-- :total how many rows, :counted whether they were counted.
UPDATE howdah.sweep s
SET total = :total + s.done + COALESCE((
        SELECT sum(w.marked)
        FROM howdah_internal.sweep_process p
        JOIN howdah_internal.sweep_worker w ON w.process = p.id
        WHERE p.sweep = s.id), 0),
    exact = :counted
WHERE s.id = :sweep AND s.total IS NULL;

-- name: sweep_join(sweep, name, workers, locks)
-- The process is not seen before its lock is held. :workers how many workers, :locks how many locks
-- at most.
INSERT INTO howdah_internal.sweep_process (sweep, name, workers, locks)
VALUES (:sweep, :name, :workers, :locks)
RETURNING id, id::text, pg_try_advisory_lock(1215264890, id);

-- name: sweep_join_elsewhere(sweep, name, workers, locks)
-- The same under a random id. No row: the id is taken.
INSERT INTO howdah_internal.sweep_process (id, sweep, name, workers, locks)
OVERRIDING SYSTEM VALUE
VALUES ((1000000000 + random() * 1000000000)::integer, :sweep, :name, :workers, :locks)
ON CONFLICT (id) DO NOTHING
RETURNING id, id::text, pg_try_advisory_lock(1215264890, id);

-- name: sweep_staff
INSERT INTO howdah_internal.sweep_worker (process, worker)
SELECT p.id, n
FROM howdah_internal.sweep_process p, generate_series(1, p.workers) AS n
WHERE p.id = :process;

-- name: sweep_silence
-- A process that says nothing for ten seconds has lost its session, whether it knows or not.
-- PostgreSQL 14 and later; where the network is gone, 12 and later. A statement that waits for a
-- lock ends before that.
SELECT set_config(s.name, '10000', false)
FROM pg_settings s
WHERE s.name IN ('idle_session_timeout', 'tcp_user_timeout')
UNION ALL SELECT set_config('tcp_keepalives_idle', '4', false)
UNION ALL SELECT set_config('tcp_keepalives_interval', '2', false)
UNION ALL SELECT set_config('tcp_keepalives_count', '3', false)
UNION ALL SELECT set_config('lock_timeout', '3000', false);

-- name: sweep_statement_timeout
-- :millis milliseconds; 0: no limit.
SELECT set_config('statement_timeout', :millis::text, false);

-- name: sweep_attend(process, worker)
-- Nothing if the process has been taken for dead, also by one that does so at this moment. whose
-- session this is.
INSERT INTO howdah_internal.sweep_worker AS w (process, worker, pid, backend_start)
SELECT p.id, :worker, a.pid, a.backend_start
FROM (SELECT id FROM howdah_internal.sweep_process WHERE id = :process FOR KEY SHARE) p,
    pg_stat_activity a
WHERE a.pid = pg_backend_pid()
ON CONFLICT (process, worker) DO UPDATE SET pid = EXCLUDED.pid,
    backend_start = EXCLUDED.backend_start
RETURNING set_config(
    'howdah.sweep_start', (extract(epoch FROM w.backend_start) * 1000000)::bigint::text, false);

-- name: sweep_report(process, sweep, workers, failed, rate, held)
-- Takes what the workers of a process have marked into the counts. :failed rows failed by each of
-- them from the beginning, :rate rows a second, :held why it is held up.
WITH former AS (
    SELECT w.worker, w.marked
    FROM howdah_internal.sweep_worker w
    WHERE w.process = :process
    FOR NO KEY UPDATE
), workers AS (
    UPDATE howdah_internal.sweep_worker w
    SET done = w.done + f.marked, marked = w.marked - f.marked, failed = u.failed, rate = u.rate
    FROM unnest(:workers::integer[], :failed::bigint[], :rate::text[]::float8[]) AS u (worker,
        failed, rate)
    JOIN former f ON f.worker = u.worker
    WHERE w.process = :process
        AND w.worker = u.worker
        AND (f.marked <> 0 OR w.failed <> u.failed OR w.rate <> u.rate)
    RETURNING f.marked AS done
), held AS (
    UPDATE howdah_internal.sweep_process p
    SET held = :held
    WHERE p.id = :process AND p.held IS DISTINCT FROM :held
), sums AS (
    SELECT sum(w.done)::bigint AS done FROM workers w
)
UPDATE howdah.sweep s
SET done = s.done + n.done
FROM sums n
WHERE s.id = :sweep AND n.done <> 0;

-- name: sweep_note(sweep, last)
-- Writes down how far a sweep is: by the first of its processes after 20 seconds, or at its end.
-- :last whether a process leaves it.
WITH gone AS (
    DELETE FROM howdah_internal.sweep_course c
    WHERE c.sweep = :sweep AND c.minute < now() - interval '35 days'
)
INSERT INTO howdah_internal.sweep_course AS c (sweep, minute, at, done, failed)
SELECT s.id, to_timestamp(floor(extract(epoch FROM now()) / 60) * 60), now(), s.done, f.failed
FROM howdah.sweep s
CROSS JOIN LATERAL (
    SELECT count(*) AS failed
    FROM (
        SELECT
        FROM howdah.sweep_error e
        WHERE e.sweep = s.id
        LIMIT 100000) n) f
WHERE s.id = :sweep
ON CONFLICT (sweep, minute) DO UPDATE
SET at = EXCLUDED.at, done = EXCLUDED.done, failed = EXCLUDED.failed
WHERE :last::boolean OR c.at < EXCLUDED.at - interval '20 s';

-- name: sweep_begin_report(process, workers, failed)
-- From which numbers on a process reports. :failed rows failed by each of them.
UPDATE howdah_internal.sweep_worker w
SET failed = u.failed
FROM unnest(:workers::integer[], :failed::bigint[]) AS u (worker, failed)
WHERE w.process = :process AND w.worker = u.worker;

-- name: sweep_orders(process, sweep)
-- What a process asks twice a second.
SELECT CASE WHEN s.state = 'running' AND /*paused:*/false/*:paused*/ THEN 'paused' ELSE s.state END,
    s.throttle, EXISTS (SELECT FROM howdah_internal.sweep_process p WHERE p.id = :process), s.runs,
    (SELECT p.workers FROM howdah_internal.sweep_process p WHERE p.id = :process)::float8
        / (SELECT GREATEST(sum(p.workers), 1) FROM howdah_internal.sweep_process p
            WHERE p.sweep = :sweep),
    EXISTS (SELECT FROM howdah.sweep_error e WHERE e.sweep = :sweep),
    s.total IS NULL,
    clock_timestamp(),
    s.hours,
    CASE WHEN s.resting_until > clock_timestamp()
        THEN extract(epoch FROM s.resting_until - clock_timestamp())::float8 END,
    s.resting_why,
    GREATEST(s.total - s.done, 0)
FROM howdah.sweep s WHERE s.id = :sweep;

-- name: sweep_rest(sweep, run, seconds, reason)
-- The receiver has asked for a pause. :reason why.
UPDATE howdah.sweep
SET resting_until = clock_timestamp() + :seconds::float8 * interval '1 s', resting_why = :reason
WHERE id = :sweep
    AND runs = :run
    AND (
        resting_until IS NULL
        OR resting_until < clock_timestamp() + :seconds::float8 * interval '1 s');

-- name: sweep_failed(sweep, most)
-- How many rows have failed for good, up to a number. :most that number.
SELECT count(*)
FROM (
    SELECT
    FROM howdah.sweep_error e
    WHERE e.sweep = :sweep AND e.retry_at IS NULL
    LIMIT :most) f;

-- name: sweep_free(process, sweep)
-- Processes of the sweep whose locks are free. :process the process that asks.
SELECT p.id
FROM howdah_internal.sweep_process p
WHERE p.sweep = :sweep
    AND p.id <> :process
    AND NOT /*paused:*/false/*:paused*/
    AND pg_try_advisory_xact_lock(1215264890, p.id);

-- name: sweep_end_workers
-- Ends the sessions of workers whose processes have died, and says how many there were of each.
SELECT p.id, (
        SELECT count(pg_terminate_backend(a.pid))
        FROM howdah_internal.sweep_worker w
        JOIN pg_stat_activity a ON a.pid = w.pid AND a.backend_start = w.backend_start
        WHERE w.process = p.id)
FROM howdah_internal.sweep_process p
WHERE p.id = ANY (:processes::integer[]);

-- name: sweep_move(former, process)
-- A process has lost its session and comes back as another, with the same workers, if their
-- sessions were not ended. :process the new one.
WITH fresh AS (
    DELETE FROM howdah_internal.sweep_worker w
    WHERE w.process = :process
        AND EXISTS (SELECT FROM howdah_internal.sweep_worker f WHERE f.process = :former)
    RETURNING w.worker
)
UPDATE howdah_internal.sweep_worker f
SET process = :process
WHERE f.process = :former AND (SELECT count(*) FROM fresh) >= 0;

-- name: sweep_leave
-- What its workers have marked stays in the count.
WITH former AS (
    SELECT w.marked
    FROM howdah_internal.sweep_worker w
    WHERE w.process = :process
    FOR UPDATE
), rows AS (
    SELECT COALESCE(sum(f.marked), 0)::bigint AS marked FROM former f
), gone AS (
    DELETE FROM howdah_internal.sweep_process p
    USING rows r
    WHERE p.id = :process
    RETURNING p.sweep, r.marked
)
UPDATE howdah.sweep s
SET done = s.done + g.marked
FROM gone g
WHERE s.id = g.sweep AND g.marked <> 0;

-- name: sweep_take
-- At the end: what workers of any process have marked, also of one that has died and is not known
-- to be dead yet.
WITH former AS (
    SELECT w.process, w.worker, w.marked
    FROM howdah_internal.sweep_process p
    JOIN howdah_internal.sweep_worker w ON w.process = p.id
    WHERE p.sweep = :sweep AND w.marked <> 0
    ORDER BY w.process, w.worker
    FOR NO KEY UPDATE OF w
), taken AS (
    UPDATE howdah_internal.sweep_worker w
    SET done = w.done + f.marked, marked = w.marked - f.marked
    FROM former f
    WHERE w.process = f.process AND w.worker = f.worker
    RETURNING f.marked
), sums AS (
    SELECT sum(t.marked)::bigint AS marked FROM taken t
)
UPDATE howdah.sweep s
SET done = s.done + n.marked
FROM sums n
WHERE s.id = :sweep AND n.marked <> 0;

-- name: sweep_finish(sweep, state, error, run)
-- A process that has not noticed that the sweep was started again ends nothing. :error why it has
-- failed, :run which of its runs.
UPDATE howdah.sweep SET state = :state, ended = clock_timestamp(), error = :error
WHERE id = :sweep AND runs = :run AND state IN ('running', 'paused');

-- name: sweep_order(name, state, former)
-- Pause, resume, stop. :state the new state, :former the states it may have had.
UPDATE howdah.sweep
SET state = :state, ended = CASE WHEN :state = 'stopped' THEN clock_timestamp() END,
    paused = CASE WHEN :state = 'paused' THEN clock_timestamp() END,
    paused_by = CASE WHEN :state = 'paused'
        THEN COALESCE(NULLIF(current_setting('howdah.actor', true), ''), session_user) END
WHERE name = :name AND state = ANY (:former::text[]);

-- name: sweep_progress
-- With what workers have marked and processes have not reported yet, also those that died before
-- they could. NULL: all.
SELECT s.id, s.name, s.definition::text, s.state, s.started, s.ended, s.total, s.exact,
    s.done + COALESCE((
        SELECT sum(w.marked)
        FROM howdah_internal.sweep_process p
        JOIN howdah_internal.sweep_worker w ON w.process = p.id
        WHERE p.sweep = s.id), 0)::bigint,
    s.throttle, s.error, f.failed,
    extract(epoch FROM COALESCE(s.ended, clock_timestamp()) - s.started)::float8,
    s.hours
FROM howdah.sweep s,
    LATERAL (SELECT count(*) AS failed FROM howdah.sweep_error e WHERE e.sweep = s.id) f
WHERE :name::text IS NULL OR s.name = :name ORDER BY s.id;

-- name: sweep_workers
-- Of processes that live.
SELECT p.id, p.name, w.worker, w.done, w.failed, w.rate, p.held
FROM howdah_internal.sweep_process p JOIN howdah_internal.sweep_worker w ON w.process = p.id
WHERE p.sweep = :sweep AND NOT pg_try_advisory_xact_lock(1215264890, p.id)
ORDER BY p.id, w.worker;

-- name: sweep_errors(name, most)
-- :most how many at most.
SELECT e.key, e.error, e.at, e.attempts, e.retry_at
FROM howdah.sweep_error e
JOIN howdah.sweep s ON s.id = e.sweep
WHERE s.name = :name
ORDER BY e.at, e.key
LIMIT :most;

-- name: sweep_errors_after(name, after, most)
-- In the order of their keys, as texts. :after the key after which they begin; NULL: the first
-- ones, :most how many at most.
SELECT e.key, e.error, e.at, e.attempts, e.retry_at
FROM howdah.sweep_error e
WHERE e.sweep = (SELECT s.id FROM howdah.sweep s WHERE s.name = :name)
    AND e.key > COALESCE(:after::text[], '{}')
ORDER BY e.key
LIMIT :most;

-- name: sweep_errors_before(name, before, most)
-- Backwards. :before the key before which they end, :most how many at most.
SELECT e.key, e.error, e.at, e.attempts, e.retry_at
FROM howdah.sweep_error e
WHERE e.sweep = (SELECT s.id FROM howdah.sweep s WHERE s.name = :name) AND e.key < :before::text[]
ORDER BY e.key DESC
LIMIT :most;

-- name: sweep_history_of(name, most)
-- Generations that were followed by others, the latest first. :most how many at most.
SELECT h.generation, h.state, h.started, h.ended, h.done, h.failed
FROM howdah.sweep_history h
WHERE h.name = :name
ORDER BY h.generation DESC
LIMIT :most;

-- name: sweep_error_groups(name, most)
-- Of up to 10,000, by their first lines without what differs from row to row. :most how many groups
-- at most.
SELECT g.pattern, count(*), count(g.retry_at), min(g.at), max(g.at),
    (array_agg(g.key::text ORDER BY g.at DESC, g.key))[1]::text[]
FROM (
    SELECT e.at, e.retry_at, e.key,
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    left(split_part(e.error, E'\n', 1), 500),
                    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', '...', 'gi'),
                '"[^"]*"|''[^'']*''', '"..."', 'g'),
            E'\\d+', '...', 'g') AS pattern
    FROM howdah.sweep_error e
    WHERE e.sweep = (SELECT s.id FROM howdah.sweep s WHERE s.name = :name)
    LIMIT 10000) g
GROUP BY g.pattern
ORDER BY count(*) DESC, g.pattern
LIMIT :most;

-- name: sweep_throttle(name, rate)
-- Every process asks twice a second. :rate rows a second; 0: no limit.
UPDATE howdah.sweep
SET throttle = NULLIF(:rate::float8, 0)
WHERE name = :name AND throttle IS DISTINCT FROM NULLIF(:rate::float8, 0);

-- name: sweep_hours(name, hours)
-- Every process asks twice a second. NULL: at any time.
UPDATE howdah.sweep
SET hours = :hours
WHERE name = :name AND hours IS DISTINCT FROM :hours;

-- name: sweep_retry_failed
DELETE FROM howdah.sweep_error e
USING howdah.sweep s
WHERE s.id = e.sweep AND s.name = :name;

-- name: sweep_remove
-- Only a sweep that no process works on.
DELETE FROM howdah.sweep s
WHERE s.name = :name AND s.state IN ('stopped', 'done', 'failed')
    AND NOT EXISTS (
        SELECT
        FROM howdah_internal.sweep_process p
        WHERE p.sweep = s.id AND NOT pg_try_advisory_xact_lock(1215264890, p.id))
RETURNING s.id;

-- name: sweep_target
-- What a name stands for. :name the name as PostgreSQL reads it.
SELECT c.oid::bigint, n.nspname, c.relname, c.relkind::text,
    CASE WHEN c.relkind IN ('r', 'm')
        THEN pg_relation_size(c.oid)
        ELSE (
            WITH RECURSIVE under (oid) AS (
                SELECT c.oid
                UNION
                SELECT x.oid
                FROM under u
                CROSS JOIN LATERAL (
                    SELECT d.refobjid AS oid
                    FROM pg_rewrite r
                    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass
                        AND d.objid = r.oid
                        AND d.refclassid = 'pg_class'::regclass
                    WHERE r.ev_class = u.oid
                    UNION ALL
                    SELECT i.inhrelid
                    FROM pg_inherits i
                    JOIN pg_class p ON p.oid = i.inhparent AND p.relkind = 'p'
                    WHERE i.inhparent = u.oid) x
            )
            SELECT COALESCE(sum(pg_relation_size(b.oid)), 0)
            FROM under u
            JOIN pg_class b ON b.oid = u.oid AND b.relkind IN ('r', 'm'))::bigint END
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass(:name);

-- name: sweep_guarded
-- Whether something on the table, or on one under it, can drop a mark or take it back without an
-- error: a trigger, a rule, a policy, what is at another server or below a view.
WITH RECURSIVE under (oid) AS (
    SELECT :table::bigint::oid
    UNION
    SELECT i.inhrelid
    FROM under u
    JOIN pg_inherits i ON i.inhparent = u.oid
)
SELECT EXISTS (
    SELECT
    FROM under u
    JOIN pg_class c ON c.oid = u.oid
    WHERE c.relkind IN ('v', 'f')
        OR c.relrowsecurity
        OR EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)
        OR EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = c.oid));

-- name: sweep_hidden
-- Whether row security may let this role see rows that it lets it neither lock nor change.
SELECT row_security_active(:table::bigint::oid)
    AND EXISTS (
        SELECT
        FROM pg_policy p
        WHERE p.polrelid = :table::bigint::oid AND p.polcmd IN ('r', 'w'));

-- name: sweep_columns
SELECT a.attname, format_type(COALESCE(NULLIF(t.typbasetype, 0), t.oid), -1), a.attnotnull,
    COALESCE(b.typname, t.typname), COALESCE(b.typtype, t.typtype)::text
FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_type b ON b.oid = t.typbasetype
WHERE a.attrelid = :table::bigint::oid AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;

-- name: sweep_unique(table, columns)
-- Whether a unique index lies on some of those columns, and on all rows.
SELECT EXISTS (
    SELECT
    FROM pg_index i
    WHERE i.indrelid = :table::bigint::oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
    AND i.indexprs IS NULL
    AND (
        SELECT bool_and(a.attname = ANY (:columns::text[]))
        FROM unnest(i.indkey[
            0 : COALESCE((to_jsonb(i) ->> 'indnkeyatts')::integer, i.indnatts) - 1]) AS k (attnum)
         JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum));

-- name: sweep_locks
-- How many locks the server's table of locks holds, and how many are taken but for those of sweeps.
-- Those of serializable transactions are in a table of their own.
SELECT current_setting('max_locks_per_transaction')::bigint
        * (
            current_setting('max_connections')::bigint + current_setting(
                'max_prepared_transactions')::bigint
            + current_setting(
                'autovacuum_max_workers')::bigint + current_setting('max_worker_processes')::bigint
            + current_setting('max_wal_senders')::bigint + 1),
    (
        SELECT count(*)
        FROM pg_locks l
        WHERE NOT l.fastpath
            AND l.mode <> 'SIReadLock'
            AND NOT (l.locktype = 'advisory' AND l.objsubid = 1));

-- name: sweep_run_taken(name, definition)
-- Another sweep that has not ended and numbers its rows in that column.
SELECT s.name FROM howdah.sweep s
WHERE s.name <> :name
    AND s.state <> 'done'
    AND s.definition ->> 'table' = :definition::jsonb ->> 'table'
    AND s.definition ->> 'run' = :definition::jsonb ->> 'run'
LIMIT 1;

-- name: sweep_installed
SELECT to_regclass('howdah.sweep') IS NOT NULL;

-- name: sweep_locks_of_sweeps
-- How many locks processes of sweeps may take that live.
SELECT COALESCE(sum(p.locks), 0)
FROM howdah_internal.sweep_process p
WHERE NOT pg_try_advisory_xact_lock(1215264890, p.id);

-- name: sweep_why
-- Why a sweep does not go on, the answer first.
SELECT w.code, w.sentence, w.detail::text AS detail, w.remedy
FROM howdah.why_sweep(:name) w;

-- name: sweep_left
-- Which sweeps would not go on without the tables; NULL: none.
SELECT 'sweeps have not ended: ' || string_agg(s.name, ', ' ORDER BY s.name)
FROM howdah.sweep s
WHERE s.ended IS NULL
HAVING count(*) > 0;
