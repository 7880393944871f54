-- What the scheduler asks and writes while it works. All of it runs in one session, the one that
-- holds the scheduler's lock: when that session ends nothing of this can happen any more.

-- name: session_note_path
-- Which schemas the role's own search_path means. Asked first, while the path may be any:
-- everything is qualified. No statement after this one is ended by a timeout of the database or the
-- role.
SELECT pg_catalog.set_config(
    'howdah.schemas', pg_catalog.current_schemas(false)::pg_catalog.text, false),
    pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false),
    pg_catalog.set_config('statement_timeout', '0', false);

-- name: session_restore_path
-- They are found again by unqualified names, in triggers of the user's say, but only if no role
-- could put an operator or a function of its own there, which would run with the scheduler's
-- rights.
SELECT set_config('search_path', p.path, false)
FROM (SELECT string_agg(quote_ident(s.name::text), ', ' ORDER BY s.n) AS path
      FROM unnest(current_setting('howdah.schemas')::name[]) WITH ORDINALITY s (name, n)) p
WHERE p.path IS NOT NULL AND NOT EXISTS (
    SELECT
    FROM pg_namespace n
    CROSS JOIN LATERAL aclexplode(COALESCE(n.nspacl, acldefault('n', n.nspowner))) a
    WHERE n.nspname = ANY (current_setting('howdah.schemas')::name[])
        AND a.privilege_type = 'CREATE'
    AND NOT EXISTS (
        SELECT
        FROM pg_roles r
        WHERE r.oid = a.grantee AND (pg_has_role(r.oid, current_user, 'MEMBER')
        OR r.rolname = 'pg_database_owner' AND pg_has_role(
            (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database()), current_user,
            'MEMBER'))));

-- name: task_prepare_session
-- Plans that stay right however the table grows: a statement planned while the table was empty
-- would otherwise scan it for ever after. And no limit of the database's or the role's may end this
-- session, which is the scheduler's lease. What meets a lock gives way to other tables of the
-- session, and comes back. A client that is cut off without a word is noticed within the lease, and
-- its locks are free. Names of types are compared as texts. $1 the lease in milliseconds.
SELECT set_config(s.name, CASE
    WHEN s.name = 'plan_cache_mode' THEN 'force_generic_plan'
    WHEN s.name = 'array_nulls' THEN 'on'
    WHEN s.name LIKE 'enable%' OR s.name IN ('jit', 'default_transaction_read_only') THEN 'off'
    WHEN s.name = 'lock_timeout' THEN '100ms'
    WHEN s.name = 'tcp_user_timeout' THEN $1::text
    WHEN s.name = 'tcp_keepalives_idle' THEN GREATEST($1::bigint * 4 / 10000, 1)::text
    WHEN s.name = 'tcp_keepalives_interval' THEN GREATEST($1::bigint * 2 / 10000, 1)::text
    WHEN s.name = 'tcp_keepalives_count' THEN '3'
    ELSE '0' END, false)
FROM pg_settings s
WHERE s.name IN (
    'enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin',
    'jit', 'default_transaction_read_only', 'statement_timeout', 'lock_timeout',
    'idle_session_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout',
    'tcp_user_timeout', 'tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count',
    'plan_cache_mode', 'quote_all_identifiers', 'array_nulls')
-- The table's trigger need not ring for what is written here.
UNION ALL SELECT set_config('howdah.books', 'kept here', false)
UNION ALL SELECT set_config('default_transaction_isolation', 'read committed', false);

-- name: task_size
-- How large the tables are, with their partitions, and their files, others when they were emptied
-- or rewritten. $1 their names, quoted.
WITH RECURSIVE part AS (
    SELECT to_regclass(t.name)::oid AS id
    FROM unnest($1::text[]) t (name)
    UNION
    SELECT i.inhrelid
    FROM part p
    JOIN pg_inherits i ON i.inhparent = p.id
)
SELECT COALESCE(sum(pg_relation_size(p.id::regclass)), 0)::bigint AS bytes,
    COALESCE(string_agg(pg_relation_filenode(p.id::regclass)::text, ' ' ORDER BY p.id), '') AS files
FROM part p;

-- name: session_pid
SELECT pg_backend_pid() AS pid;

-- name: session_time_zone
-- Repeats are counted in the zone of the server, the database or the role, not of the program. $1
-- the zone.
SELECT set_config('TimeZone', $1, false);

-- name: task_elect
-- Not on a standby: there nothing could be written. $1 the name of the table, quoted.
SELECT CASE WHEN pg_is_in_recovery() OR p.paused THEN false
        ELSE pg_try_advisory_lock(1215264867, hashtext($1)) END AS elected,
    pg_is_in_recovery() AS recovering, p.paused,
    hashtext($1)::bigint & 4294967295 AS lock
FROM (SELECT /*paused:*/false/*:paused*/ AS paused OFFSET 0) p;

-- name: task_note_sessions
-- Lets others know how many sessions for tasks there may be: $1.
SELECT pg_try_advisory_lock_shared(1215264894, $1);

-- name: task_as_login
-- Sessions belong to the role that has logged in, whatever it acts as: so what looks at them or
-- ends them has its rights.
-- $1 whether for this transaction only.
SELECT set_config('role', 'none', $1::boolean);

-- name: task_holders
-- The schedulers of the database's tables now, and whether their sessions wait for their
-- clients. Where the state is hidden, or is not tracked, nothing can be said of that. Rings for a
-- sign of life of those that have waited for $2 seconds. A role is trusted with the lock that could
-- be the scheduler: a superuser, a member of the role that asks or of the table's owner, or one
-- that may change the table's rows; any role that may connect could take it. $1 the locks for which
-- a scheduler waits, $3 and $4 the schema and the name of each one's table.
SELECT l.objid::bigint AS lock,
       CASE
           WHEN a.state LIKE 'idle%'
               AND clock_timestamp() - a.state_change >= make_interval(secs => $2::float8)
               AND l.objid::bigint = ANY ($1::bigint[])
           THEN pg_notify('howdah_task', 'pulse ' || l.pid) IS NOT NULL
           ELSE false
       END AS rung, l.pid, session_user <> current_user AS acting,
           host(a.client_addr) AS address, a.backend_start::text AS since, a.usename::text AS role,
           current_user::text AS self,
       -- A session at work waits for its client only while it takes in the rest of a message or
       -- gives out rows.
       CASE WHEN a.state <> 'disabled'
           THEN concat_ws(' ', a.backend_start, a.state, a.state_change) END AS state,
       COALESCE(a.state LIKE 'idle%' OR a.wait_event_type = 'Client', false) AS waits,
       CASE WHEN a.state LIKE 'idle%' THEN extract(epoch FROM clock_timestamp() - a.state_change)
           ELSE 0 END::float8 AS silent,
       extract(epoch FROM clock_timestamp())::float8 AS now,
       COALESCE(r.rolsuper, false) AS superuser,
       a.pid IS NULL OR w.lock IS NULL OR COALESCE(
           r.rolsuper OR pg_has_role(r.oid, current_user, 'MEMBER')
           OR pg_has_role(r.oid, c.relowner, 'MEMBER')
           OR has_table_privilege(r.oid, c.oid, 'UPDATE')
           AND has_table_privilege(r.oid, c.oid, 'DELETE'),
           false) AS trusted,
       COALESCE((SELECT u.rolsuper FROM pg_roles u WHERE u.rolname = current_user)
                OR NOT r.rolsuper
                AND (pg_has_role(r.oid, 'USAGE') OR pg_has_role('pg_signal_backend', 'USAGE')),
                    false) AS may_end
FROM pg_locks l
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
LEFT JOIN pg_roles r ON r.oid = a.usesysid
LEFT JOIN unnest(
    $1::bigint[], $3::text[], $4::text[]) w (lock, schema, name) ON w.lock = l.objid::bigint
LEFT JOIN pg_namespace n ON n.nspname = w.schema
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.name
WHERE l.locktype = 'advisory' AND l.classid = 1215264867 AND l.objsubid = 2 AND l.granted
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database());

-- name: task_ask_for_pulse
-- $1 the scheduler that is asked.
SELECT pg_notify('howdah_task', $1);

-- name: task_pulse
-- Shows that the scheduler is alive: its session has worked.
SELECT;

-- name: task_works
-- In which state a session of ours waits for its client; empty if it works. $1 its process.
SELECT CASE WHEN a.state LIKE 'idle%' OR a.wait_event_type = 'Client'
    THEN concat_ws(' ', a.state, a.state_change)
    ELSE '' END AS waiting
FROM pg_stat_activity a WHERE a.pid = $1;

-- name: lock_end_holder
-- $1 the session of the scheduler, $2 its state: if it has not changed since.
SELECT pg_terminate_backend(a.pid) AS ended
FROM pg_stat_activity a
WHERE a.pid = $1 AND concat_ws(' ', a.backend_start, a.state, a.state_change) = $2;

-- name: session_end_untrusted
-- Ends the sessions of a role that hold a scheduler's lock or wait for it. $1 the lock, $2 the
-- role.
SELECT pg_terminate_backend(a.pid) AS ended
FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.classid = 1215264867 AND l.objsubid = 2 AND l.objid::bigint = $1
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND a.usename = $2;

-- name: task_settings
SELECT current_setting('server_version_num')::integer AS version,
       version() LIKE '%linux%' AS linux,
       current_setting('is_superuser') = 'on' AS superuser,
       current_setting('log_error_verbosity') AS verbosity,
       current_setting('log_min_error_statement') AS min_error_statement,
       current_setting('max_prepared_transactions') <> '0' AS can_prepare,
       current_setting('pg_task.run', true) AS run,
       current_setting('pg_task.run_per_owner', true) AS run_per_owner,
       current_setting('pg_task.shortest_repeat', true) AS shortest_repeat,
       current_setting('pg_task.retention', true) AS retention,
       current_setting('pg_task.cancel', true) AS cancel,
       current_setting('pg_task.sleep', true) AS sleep,
       current_setting('pg_task.reset', true) AS reset,
       COALESCE(
           NULLIF(current_setting('pg_task.idle', true), ''), current_setting('pg_work.idle', true)
       ) AS idle;

-- name: document_table_found
SELECT to_regclass('howdah.document') IS NOT NULL AS there;

-- name: document_expired
SELECT EXISTS (
    SELECT
    FROM howdah.document d
    WHERE d.expires < now() AND NOT /*paused:*/false/*:paused*/) AS found;

-- name: task_paused
SELECT /*paused:*/false/*:paused*/ AS paused;

-- name: task_seconds
SELECT extract(epoch FROM $1::interval)::float8 AS seconds;

-- name: owner_zone
-- The time zone with which new sessions of a task's owner begin, as far as ALTER ROLE and ALTER
-- DATABASE say; it is put into the statements that read a schedule without a zone. Precedence as at
-- a log-in.
SELECT substr(c.entry, strpos(c.entry, '=') + 1)
FROM pg_db_role_setting s CROSS JOIN LATERAL unnest(s.setconfig) c (entry)
WHERE s.setdatabase IN (0, (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
AND s.setrole IN (0, (
    SELECT r.oid FROM pg_roles r
    WHERE r.rolname = COALESCE(/*owner_name*/NULL, session_user::text)))
AND lower(split_part(c.entry, '=', 1)) = 'timezone'
ORDER BY s.setrole = 0, s.setdatabase = 0 LIMIT 1;

-- name: task_look
-- What is due: $5 tasks from the one behind ($3, $4) on, so that look after look walks over the
-- whole queue; and, where that is not the end of it, the newest $2, so that something that was just
-- inserted is found however long the queue. triggered: whether a user's row trigger watches the
-- updates; waits: whether anything waits for other tasks; since: where to go on for what is planned
-- or committed from now on, with a margin for late commits. $1 the table's oid.
WITH watched AS (
    SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = $1::bigint::oid AND NOT tgisinternal
                   AND tgtype & 1 = 1 AND tgtype & 16 = 16 AND tgenabled <> 'D'
                   -- A trigger on certain columns sees nothing if none of them is written.
                   AND (tgattr[0] IS NULL OR EXISTS (
                       SELECT
                       FROM pg_attribute a
                       WHERE a.attrelid = tgrelid AND a.attnum = ANY (tgattr)
                       AND a.attname = ANY (
                           '{state,start,stop,pid,output,error,sqlstate,notices}')))) AS triggered,
        EXISTS (SELECT FROM /*table*/public.task t
                WHERE t.state = 'PLAN' AND t.after IS NOT NULL AND t.plan = 'infinity') AS waits
), walk AS MATERIALIZED (
    SELECT t.* FROM /*table*/public.task t
    WHERE t.state = 'PLAN'
        AND t.plan <= statement_timestamp()
        AND (t.plan, t.id) > ($3::timestamptz, $4::bigint)
    ORDER BY t.plan, t.id LIMIT $5
)
SELECT w.triggered, w.waits, (statement_timestamp() - interval '0.2 s')::text AS since, d.part,
    d.id, d.hash, d."group", d.remote, d.max, d.count, extract(epoch FROM d.live)::float8 AS live,
    d.plan::text AS plan, /*owner*/NULL AS owner, d.cron, d.zone,
    CASE WHEN d.cron IS NOT NULL AND d.zone IS NULL
        THEN (/*owner_zone:*/NULL/*:owner_zone*/) END AS owner_zone,
    CASE WHEN d.cron IS NOT NULL THEN
           (extract(epoch FROM CASE WHEN isfinite(d.plan)
               THEN d.plan ELSE statement_timestamp() END) * 1000000)::bigint END AS plan_micros,
       extract(epoch FROM CASE WHEN d.max < 0 OR d.active > '100000 years'
           THEN 'infinity' ELSE d.plan::timestamptz + d.active END)::float8
       - extract(epoch FROM statement_timestamp())::float8 AS expires,
    -- As FirstLine reads it: 10 and 13 are the ends of lines.
    CASE WHEN d.remote LIKE '%#%input=request%' OR d.remote ~ '#.*[%]' THEN
        split_part(ltrim(translate(left(d.input, 2200), chr(13), chr(10)), chr(10)), chr(10), 1)
        END AS first_line
FROM watched w LEFT JOIN (
    (SELECT 1 AS part, t.* FROM /*table*/public.task t
     -- Else these are among the others, and to find them once more is to walk over all dead rows
     -- once more.
     WHERE (SELECT count(*) FROM walk) >= $5
         AND t.state = 'PLAN'
         AND t.plan <= statement_timestamp()
     ORDER BY t.plan DESC, t.id DESC LIMIT $2)
    UNION ALL
    SELECT 2 AS part, t.* FROM walk t
) d ON true;

-- name: task_peek
-- The next $4 tasks of each given group, in their order, from a place of this order on. $1 hash, $2
-- group, $3 remote,
-- $5 and $6 the place: arrays of the same length.
SELECT t.id, t.hash, t."group", t.remote, t.max, t.count,
    extract(epoch FROM t.live)::float8 AS live, /*owner*/NULL AS owner, t.cron, t.zone,
    CASE WHEN t.cron IS NOT NULL AND t.zone IS NULL
        THEN (/*owner_zone:*/NULL/*:owner_zone*/) END AS owner_zone,
    CASE WHEN t.cron IS NOT NULL THEN
           (extract(epoch FROM CASE WHEN isfinite(t.plan)
               THEN t.plan ELSE statement_timestamp() END) * 1000000)::bigint END AS plan_micros,
       extract(epoch FROM CASE WHEN t.max < 0 OR t.active > '100000 years'
           THEN 'infinity' ELSE t.plan::timestamptz + t.active END)::float8
       - extract(epoch FROM statement_timestamp())::float8 AS expires,
    -- As FirstLine reads it: 10 and 13 are the ends of lines.
    CASE WHEN t.remote LIKE '%#%input=request%' OR t.remote ~ '#.*[%]' THEN
        split_part(ltrim(translate(left(t.input, 2200), chr(13), chr(10)), chr(10)), chr(10), 1)
        END AS first_line
FROM unnest(
    $1::integer[], $2::text[], $3::text[], $5::integer[], $6::bigint[]
) g (hash, "group", remote, turn, id)
CROSS JOIN LATERAL (
    SELECT t.* FROM /*table*/public.task t
    WHERE t.state = 'PLAN' AND t.plan <= statement_timestamp()
    AND t.hash = g.hash
    AND (- GREATEST(t.max, 0), t.id) >= (g.turn, g.id)
    AND t."group" = g."group"
    AND t.remote IS NOT DISTINCT FROM g.remote
    ORDER BY - GREATEST(t.max, 0), t.id LIMIT $4
) t;

-- name: task_next_plan
-- Seconds until the next task that is planned for later becomes due. And for each owner what a
-- session of tasks has only from its beginning: it changes when the configuration was read again,
-- when ALTER ROLE SET or ALTER DATABASE SET has changed a setting, and when the role is another
-- one, gone, or may not connect any more. $1 the owners, each its oid, which may be missing, a
-- blank and its name; null for the scheduler's role.
SELECT (
    SELECT extract(epoch FROM t.plan::timestamptz)::float8
        - extract(epoch FROM statement_timestamp())::float8
        FROM /*table*/public.task t
        WHERE t.state = 'PLAN' AND t.plan > statement_timestamp() AND t.plan < 'infinity'
        ORDER BY t.plan LIMIT 1) AS seconds,
    ARRAY(
        SELECT concat_ws(
            ' ', pg_conf_load_time(), r.oid, r.rolsuper,
            has_database_privilege(r.oid, d.oid, 'CONNECT'),
            (
                SELECT string_agg(s.xmin::text, ',' ORDER BY s.setdatabase, s.setrole)
                FROM pg_db_role_setting s
               WHERE s.setdatabase IN (0, d.oid) AND s.setrole IN (0, r.oid, me.oid)))
          FROM unnest($1::text[]) WITH ORDINALITY o (name, n)
          JOIN pg_database d ON d.datname = current_database()
          JOIN pg_roles me ON me.rolname = session_user
          LEFT JOIN pg_roles r
              ON r.rolname = COALESCE(substr(o.name, strpos(o.name, ' ') + 1), current_user)
              AND COALESCE(split_part(o.name, ' ', 1), '') IN ('', r.oid::text)
          ORDER BY o.n) AS versions;

-- name: task_depth
-- How many tasks are due, $1 at most, and for how many seconds the first of them has been.
SELECT count(*) AS due,
    COALESCE(extract(epoch FROM clock_timestamp() - min(d.plan)), 0)::float8 AS lag
FROM (
    SELECT t.plan
    FROM /*table*/public.task t
    WHERE t.state = 'PLAN' AND t.plan <= now()
    ORDER BY t.plan, t.id
    LIMIT $1::integer
) d;

-- name: task_clock
-- The time, in microseconds of the epoch, and, if that is asked, whether one of the newest tasks
-- has begun at a time that has not come: the clock of the server was ahead. $1 whether it is asked.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS micros,
    $1::boolean AND EXISTS (
        SELECT
        FROM (
            SELECT t.start
            FROM /*table*/public.task t
            ORDER BY t.id DESC
            LIMIT 1000) n
        WHERE n.start > clock_timestamp() + interval '1 minute') AS is_ahead;

-- name: task_after_clock
-- Runs of repeating tasks that were planned while the clock was ahead are due now, those with cron
-- at the next point of their schedule, which is found when they are looked at. So are first times
-- of named schedules, and those of new tasks with cron that the scheduler has chosen: $1 ids, $2
-- these times, in microseconds of the epoch. What somebody has planned, and what waits for another
-- attempt, is left.
UPDATE /*table*/public.task t
SET plan = statement_timestamp()
FROM (
    SELECT p.id
    FROM /*table*/public.task p
    WHERE p.state = 'PLAN'
        -- By index_due: what is planned for later.
        AND p.plan > statement_timestamp()
        AND p.plan < 'infinity'
        AND (p.parent IS NOT NULL
            OR p.cron IS NOT NULL
                AND (p.schedule IS NOT NULL
                    OR EXISTS (
                        SELECT FROM unnest($1::bigint[], $2::bigint[]) a (id, plan)
                        WHERE a.id = p.id
                            AND p.plan
                                = timestamptz 'epoch' + a.plan * interval '1 microsecond')))
        AND NOT EXISTS (
            SELECT FROM /*table*/public.task f WHERE f.id = p.parent AND f.retry = p.id)
        AND (
            p.cron IS NOT NULL
            -- With a longer one the time may be none.
            OR CASE WHEN p.repeat > interval '0' AND p.repeat < interval '100 years'
                THEN p.plan > statement_timestamp() + p.repeat + interval '1 minute' END)
    ORDER BY p.plan, p.id
    FOR NO KEY UPDATE OF p SKIP LOCKED
) c
WHERE t.id = c.id
RETURNING t.id;

-- name: session_commit_at_once
-- For claims alone, of tasks of this server: their commit does not wait for the disk. A crash of
-- the server that loses them ends the sessions of these tasks as well, and they run again, as they
-- do when the claim is not lost.
SELECT set_config('synchronous_commit', 'off', true);

-- name: task_claim
-- PLAN -> WORK for tasks whose session is at hand. $1 ids, $2 each one's hash, $3 its max, $4 the
-- session's pid: what was changed, stopped or locked since it was read is left out. $5 whether the
-- number of the attempt is asked for.
UPDATE /*table*/public.task t
SET state = 'WORK', start = clock_timestamp(), stop = NULL, pid = c.pid, output = NULL,
    error = NULL, retry = NULL, sqlstate = NULL, notices = NULL
FROM (
    SELECT t.id, u.pid
    FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[]) u (id, hash, max, pid)
    JOIN /*table*/public.task t ON t.id = u.id
    -- IS NOT DISTINCT FROM keeps the partial indexes out of it: only the key finds a row at once,
    -- however many wait.
    WHERE t.state IS NOT DISTINCT FROM 'PLAN'
        AND NOT /*paused:*/false/*:paused*/
        AND t.plan <= statement_timestamp()
        AND t.hash = u.hash
        AND t.max = u.max
    AND (t.max < 0 OR t.active > '100000 years' OR t.plan + t.active > statement_timestamp())
    FOR NO KEY UPDATE OF t SKIP LOCKED
) c
WHERE t.id = c.id
RETURNING t.id, t."group", t.remote, t.input, t.max, t.count,
    extract(epoch FROM t.live)::float8 AS live,
    LEAST(ceil(extract(epoch FROM t.timeout)::float8 * 1000), 2147483648)::bigint AS timeout,
    t.save, t.header, t.string, t.delimiter::"char"::integer AS delimiter,
    t.escape::"char"::integer AS escape, t.quote::"char"::integer AS quote, t."null",
    t.repeat > '0' OR t.cron IS NOT NULL AS repeats,
    t.attempts > 1 OR t.on_failure IS NOT NULL AS retries,
    LEAST(extract(epoch FROM t.duration)::float8 * 1000, 1e15)::bigint AS duration,
    t.once, /*owner*/NULL AS owner,
    CASE WHEN $5::boolean THEN (
        WITH RECURSIVE chain AS (
            SELECT t.id, t.parent, 1 AS attempt
            UNION ALL
            SELECT p.id, p.parent, c.attempt + 1
            FROM chain c
            JOIN /*table*/public.task p ON p.id = c.parent AND p.retry = c.id
            WHERE c.attempt < 10000)
        SELECT max(attempt) FROM chain) END AS attempt;

-- name: task_take
-- PLAN -> TAKE: chosen, its session still to come; or on the way to WORK where a trigger watches
-- every step. The parameters are those of `task_claim` without the pids.
UPDATE /*table*/public.task t
SET state = 'TAKE', start = NULL, stop = NULL, pid = NULL, output = NULL, error = NULL,
    retry = NULL, sqlstate = NULL, notices = NULL
FROM (
    SELECT t.id
    FROM unnest($1::bigint[], $2::integer[], $3::integer[]) u (id, hash, max)
    JOIN /*table*/public.task t ON t.id = u.id
    WHERE t.state IS NOT DISTINCT FROM 'PLAN'
        AND NOT /*paused:*/false/*:paused*/
        AND t.plan <= statement_timestamp()
        AND t.hash = u.hash
        AND t.max = u.max
    AND (t.max < 0 OR t.active > '100000 years' OR t.plan + t.active > statement_timestamp())
    FOR NO KEY UPDATE OF t SKIP LOCKED
) c
WHERE t.id = c.id
RETURNING t.id, t."group", t.remote, t.max, t.count, extract(epoch FROM t.live)::float8 AS live;

-- name: task_begin
-- TAKE -> WORK: the session is there. $1 ids, $2 each one's pid, $3 whether the number of the
-- attempt is asked for.
UPDATE /*table*/public.task t
SET state = 'WORK', start = clock_timestamp(), pid = u.pid
FROM unnest($1::bigint[], $2::integer[]) u (id, pid)
-- As in `task_claim`: by the key alone, not by all that runs and ever ran since the last vacuum.
WHERE t.id = u.id AND t.state IS NOT DISTINCT FROM 'TAKE' AND NOT /*paused:*/false/*:paused*/
RETURNING t.id, t."group", t.remote, t.input, t.max, t.count,
    extract(epoch FROM t.live)::float8 AS live,
    LEAST(ceil(extract(epoch FROM t.timeout)::float8 * 1000), 2147483648)::bigint AS timeout,
    t.save, t.header, t.string, t.delimiter::"char"::integer AS delimiter,
    t.escape::"char"::integer AS escape, t.quote::"char"::integer AS quote, t."null",
    t.repeat > '0' OR t.cron IS NOT NULL AS repeats,
    t.attempts > 1 OR t.on_failure IS NOT NULL AS retries,
    LEAST(extract(epoch FROM t.duration)::float8 * 1000, 1e15)::bigint AS duration,
    t.once, /*owner*/NULL AS owner,
    CASE WHEN $3::boolean THEN (
        WITH RECURSIVE chain AS (
            SELECT t.id, t.parent, 1 AS attempt
            UNION ALL
            SELECT p.id, p.parent, c.attempt + 1
            FROM chain c
            JOIN /*table*/public.task p ON p.id = c.parent AND p.retry = c.id
            WHERE c.attempt < 10000)
        SELECT max(attempt) FROM chain) END AS attempt;

-- name: task_reach_facts
-- What the receivers of tasks that are done elsewhere hear of them: the first of the attempts, the
-- number of this one, and whether the owner is still the role that it was. $1 ids, $2 each one's
-- owner: its oid, which may be missing, a blank and its name; null for the scheduler's role.
WITH RECURSIVE chain AS (
    SELECT u.id AS task, u.id, t.parent, 1 AS attempt
    FROM unnest($1::bigint[]) u (id)
    JOIN /*table*/public.task t ON t.id = u.id
    UNION ALL
    SELECT c.task, p.id, p.parent, c.attempt + 1
    FROM chain c
    JOIN /*table*/public.task p ON p.id = c.parent AND p.retry = c.id
    WHERE c.attempt < 10000
), first AS (
    SELECT DISTINCT ON (c.task) c.task, c.id, c.attempt
    FROM chain c ORDER BY c.task, c.attempt DESC
)
SELECT u.id, f.id AS root, f.attempt, u.owner IS NULL OR EXISTS (
    SELECT FROM pg_roles r
    WHERE r.rolname = substr(u.owner, strpos(u.owner, ' ') + 1)
    AND split_part(u.owner, ' ', 1) IN ('', r.oid::text)) AS owned
FROM unnest($1::bigint[], $2::text[]) u (id, owner)
JOIN first f ON f.task = u.id;

-- name: task_give_back
-- TAKE or WORK -> PLAN: no session runs it, or none any more. What has written down its own end is
-- left alone, here and below: `task_close` is for it. $1 ids.
UPDATE /*table*/public.task t
SET state = 'PLAN', start = NULL, stop = NULL, pid = NULL
FROM (
    SELECT t.id
    FROM /*table*/public.task t
    WHERE t.id = ANY ($1::bigint[]) AND t.state IN ('TAKE', 'WORK')
      AND NOT (t.once AND t.stop IS NOT NULL)
      FOR NO KEY UPDATE SKIP LOCKED) c
WHERE t.id = c.id
RETURNING t.id;

-- name: task_finish
-- The ends of ordinary tasks: no repeat, no pause, no further attempt. $1 ids, $2 states, $3 stops
-- in microseconds of the epoch, $4 outputs,
-- $5 errors, $6 and $7 the table, for listeners, $8 the processes of the sessions they ran in, $9
-- the codes of the errors, $10 notices.
-- Whatever a task has done to these columns of its own row is overwritten; a row that another
-- session has locked is left out, and so is one that is not its own any more: a backup restored in
-- place, or ids that begin anew, put the row of another task in its place, which has not run.
UPDATE /*table*/public.task t
SET state = u.state::/*state*/public.state, output = u.output, error = u.error,
    sqlstate = u.sqlstate, notices = u.notices,
    stop = COALESCE(timestamptz 'epoch' + u.stop * interval '1 microsecond', clock_timestamp())
FROM (
    SELECT u.*
    FROM unnest(
        $1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $8::integer[],
        $9::text[], $10::text[]
    ) u (id, state, stop, output, error, pid, sqlstate, notices)
    JOIN /*table*/public.task t ON t.id = u.id
    WHERE t.pid IS NOT DISTINCT FROM u.pid
    AND (u.pid IS NOT NULL OR t.state <> 'PLAN')
    AND t.repeat = '0' AND t.max >= 0 AND t.cron IS NULL
    AND (t.attempts = 1 AND t.on_failure IS NULL OR u.state <> 'FAIL')
    AND NOT (t.once AND t.stop IS NOT NULL)
    FOR NO KEY UPDATE OF t SKIP LOCKED
) u
WHERE t.id = u.id
RETURNING t.id,
    -- A name that is no channel must not undo the ends of others.
    CASE WHEN octet_length(t.notify) BETWEEN 1 AND 63 THEN pg_notify(t.notify,
        json_build_object(
            'schema', $6::text, 'table', $7::text, 'id', t.id, 'state', t.state
        )::text) IS NULL END AS told;

-- name: task_finish_any
-- The same for any task, and what is left to do for it. What was stopped meanwhile is not
-- tried again.
UPDATE /*table*/public.task t
SET state = u.state::/*state*/public.state, output = u.output, error = u.error,
    sqlstate = u.sqlstate, notices = u.notices,
    stop = COALESCE(timestamptz 'epoch' + u.stop * interval '1 microsecond', clock_timestamp())
FROM (
    SELECT u.*, t.state = 'STOP' AS stopped
    FROM unnest(
        $1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $8::integer[],
        $9::text[], $10::text[]
    ) u (id, state, stop, output, error, pid, sqlstate, notices)
    JOIN /*table*/public.task t ON t.id = u.id
    WHERE t.pid IS NOT DISTINCT FROM u.pid
    AND (u.pid IS NOT NULL OR t.state <> 'PLAN')
    AND NOT (t.once AND t.stop IS NOT NULL)
    FOR NO KEY UPDATE OF t SKIP LOCKED
) u
WHERE t.id = u.id
RETURNING t.id, t.repeat > '0' AND u.state <> 'STOP' AS repeats,
    CASE WHEN u.state <> 'STOP' THEN t.cron END AS cron, t.zone,
    CASE WHEN t.cron IS NOT NULL AND t.zone IS NULL
        THEN (/*owner_zone:*/NULL/*:owner_zone*/) END AS owner_zone,
    (extract(epoch FROM statement_timestamp()) * 1000000)::bigint AS now,
    t.attempts > 1 AND u.state = 'FAIL' AND NOT u.stopped AS retries,
    t.on_failure IS NOT NULL AND u.state = 'FAIL' AND NOT u.stopped AS handled,
    t.max < 0 AS pauses, t.hash,
    t."group", t.remote,
    CASE WHEN octet_length(t.notify) BETWEEN 1 AND 63
        THEN pg_notify(
            t.notify,
            json_build_object(
                'schema', $6::text, 'table', $7::text, 'id', t.id, 'state', t.state)::text
        ) IS NULL END AS told;

-- name: task_present
-- Which of these rows are still there, which of them have written down their own end, and which are
-- still those of the tasks that ran, as in `task_finish`. $1 ids, $2 the processes of their
-- sessions.
SELECT t.id, t.state IN ('TAKE', 'WORK') AS busy, t.once AND t.stop IS NOT NULL AS marked,
    t.pid IS NOT DISTINCT FROM u.pid AND (u.pid IS NOT NULL OR t.state <> 'PLAN') AS same
FROM unnest($1::bigint[], $2::integer[]) u (id, pid)
JOIN /*table*/public.task t ON t.id = u.id;

-- name: task_stopped
-- Which of these are to stop. $1 ids.
SELECT t.id
FROM /*table*/public.task t
WHERE t.id = ANY ($1::bigint[]) AND t.state IS NOT DISTINCT FROM 'STOP';

-- name: task_marked
-- Tasks that have written their own end, which their scheduler could not close. $1 ids that are
-- ours.
SELECT t.id FROM /*table*/public.task t
WHERE t.state = 'WORK' AND t.once AND t.stop IS NOT NULL AND t.id <> ALL ($1::bigint[]);

-- name: task_close
-- WORK -> DONE for tasks that have written down their own end; what is left to do for them. $1 ids,
-- $2 and $3 the table.
UPDATE /*table*/public.task t
SET state = 'DONE'
FROM (
    SELECT t.id FROM /*table*/public.task t
    WHERE t.id = ANY ($1::bigint[])
        AND t.once
        AND t.stop IS NOT NULL
        AND t.state IN ('WORK', 'STOP')
    FOR NO KEY UPDATE SKIP LOCKED
) c
WHERE t.id = c.id
RETURNING t.id, t.repeat > '0' AS repeats, t.cron, t.zone,
    CASE WHEN t.cron IS NOT NULL AND t.zone IS NULL
        THEN (/*owner_zone:*/NULL/*:owner_zone*/) END AS owner_zone,
    (extract(epoch FROM statement_timestamp()) * 1000000)::bigint AS now,
    false AS retries, false AS handled, t.max < 0 AS pauses, t.hash, t."group", t.remote,
    CASE WHEN octet_length(t.notify) BETWEEN 1 AND 63 THEN pg_notify(t.notify,
        json_build_object(
            'schema', $2::text, 'table', $3::text, 'id', t.id, 'state', t.state
        )::text) IS NULL END AS told;

-- name: task_close_alone
-- The same where what follows cannot be written. $1 the id, $2 the reason.
UPDATE /*table*/public.task t SET state = 'DONE', error = $2
WHERE t.id = $1 AND t.once AND t.stop IS NOT NULL AND t.state IN ('WORK', 'STOP');

-- name: task_drop_empty
-- A task without output and error leaves no row, unless it is to be kept. $1 ids.
DELETE FROM /*table*/public.task t
WHERE t.id = ANY ($1::bigint[])
    AND t.delete
    AND t.output IS NULL
    AND t.error IS NULL
    AND t.notices IS NULL
    AND t.state = 'DONE';

-- name: task_expire
-- PLAN -> GONE: it was not started while it was active. $1 ids, $2 and $3 the table.
UPDATE /*table*/public.task t
SET state = 'GONE', start = statement_timestamp(), stop = statement_timestamp(), pid = NULL,
    output = NULL, error = 'ERROR:  task not active'
FROM (
    SELECT t.id FROM /*table*/public.task t
    WHERE t.id = ANY ($1::bigint[])
        AND NOT /*paused:*/false/*:paused*/
        AND t.state IS NOT DISTINCT FROM 'PLAN'
        AND t.max >= 0
        AND t.active <= '100000 years'
    AND t.plan + t.active <= statement_timestamp()
    FOR NO KEY UPDATE SKIP LOCKED
) c
WHERE t.id = c.id
RETURNING t.id, t.repeat > '0' AS repeats, t.cron, t.zone,
    CASE WHEN t.cron IS NOT NULL AND t.zone IS NULL
        THEN (/*owner_zone:*/NULL/*:owner_zone*/) END AS owner_zone,
    (extract(epoch FROM statement_timestamp()) * 1000000)::bigint AS now,
    false AS retries, t.on_failure IS NOT NULL AS handled, false AS pauses, t.hash, t."group",
    t.remote,
    CASE WHEN octet_length(t.notify) BETWEEN 1 AND 63 THEN pg_notify(t.notify,
        json_build_object(
            'schema', $2::text, 'table', $3::text, 'id', t.id, 'state', t.state
        )::text) IS NULL END AS told;

-- name: table_copied_columns
-- What a repeat takes over from the task it repeats. $1 the table's oid, $2 columns that get values
-- of their own.
SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
FROM pg_attribute a
WHERE a.attrelid = $1::bigint::oid
    AND a.attnum > 0
    AND NOT a.attisdropped
    AND COALESCE(to_jsonb(a) ->> 'attgenerated', '') = ''
    AND a.attidentity <> 'a'
AND a.attname <> ALL (
    ARRAY[
        'id', 'parent', 'plan', 'start', 'stop', 'pid', 'state', 'error', 'output', 'retry',
        'after', 'sqlstate', 'notices'
    ])
AND a.attname <> ALL ($2::text[])
-- Where all tasks have the scheduler's rights, it need not have the right to add them for others.
AND NOT (a.attname IN ('owner', 'owner_oid') AND NOT /*owners*/false AND EXISTS (
    SELECT
    FROM pg_attrdef d
    WHERE d.adrelid = a.attrelid
        AND d.adnum = a.attnum
        AND pg_get_expr(d.adbin, d.adrelid) ~ 'CURRENT_USER'));

-- name: task_repeat
-- The next run of tasks that have ended: with drift repeat after now, else the first point plan + n
-- * repeat that lies ahead. n is searched between two bounds that hold for any mixture of months
-- (28 to 31 days) and days (23 to 25 hours). Runs of other owners whose repeat is shorter than
-- allowed begin no sooner than that after each other. $1 ids, $2 the shortest repeat in seconds.
INSERT INTO /*table*/public.task (parent, state, plan, /*columns*/input)
SELECT t.id, 'PLAN', GREATEST(COALESCE(
    CASE WHEN NOT t.drift AND isfinite(t.plan) THEN (
        SELECT t.plan + n.n * t.repeat
        FROM (
            SELECT (
                extract(year FROM t.repeat) * 12 + extract(month FROM t.repeat))::float8 AS months,
                extract(day FROM t.repeat)::float8 AS days,
                extract(hour FROM t.repeat)::float8 * 3600 + extract(
                    minute FROM t.repeat)::float8 * 60
                     + extract(second FROM t.repeat)::float8 AS seconds,
                     GREATEST(
                         (
                             extract(epoch FROM statement_timestamp())
                             - extract(epoch FROM t.plan::timestamptz)
                         )::float8,
                         0) AS late) r
        CROSS JOIN LATERAL (SELECT r.months * 2678400 + r.days * 90000 + r.seconds AS longest,
                                   GREATEST(
                                       r.months * 2419200 + r.days * 82800 + r.seconds, 0.000001
                                   ) AS shortest) b
        CROSS JOIN LATERAL generate_series(
            GREATEST(floor(r.late / NULLIF(b.longest, 0))::bigint - 1, 1),
            LEAST(
                ceil(r.late / b.shortest)::bigint + 1,
                GREATEST(floor(r.late / NULLIF(b.longest, 0))::bigint, 1) + 100000)) n (n)
        WHERE t.plan + n.n * t.repeat > statement_timestamp()
        ORDER BY n.n LIMIT 1) END,
    statement_timestamp() + t.repeat),
    CASE WHEN /*owner*/NULL IS NOT NULL AND t.repeat < make_interval(secs => $2::float8)
        THEN t.start + make_interval(secs => $2::float8) END), /*columns*/input
FROM /*table*/public.task t
WHERE t.id = ANY ($1::bigint[]) AND t.repeat > '0';

-- name: task_repeat_at
-- The next run of tasks with a schedule. $1 ids, $2 when, in microseconds of the epoch.
INSERT INTO /*table*/public.task (parent, state, plan, /*columns*/input)
SELECT t.id, 'PLAN', timestamptz 'epoch' + u.plan * interval '1 microsecond', /*columns*/input
FROM unnest($1::bigint[], $2::bigint[]) u (id, plan)
JOIN /*table*/public.task t ON t.id = u.id;

-- name: task_retry
-- The next attempt of tasks that have failed; the failed row says which it is. It repeats nothing:
-- the failed row does. The wait is doubled up to a day; one that was longer to begin with stays as
-- it is. $1 ids, $2 how many seconds each has to wait at least.
WITH again AS (
    INSERT INTO /*table*/public.task (
        parent, state, plan, repeat, cron, attempts, backoff, /*columns*/input)
    SELECT t.id, 'PLAN',
        statement_timestamp() + GREATEST(t.backoff, u.wait * interval '1 second'), '0', NULL,
        t.attempts - 1, GREATEST(t.backoff, LEAST(t.backoff * 2, '1 day')), /*columns*/input
    FROM unnest($1::bigint[], $2::float8[]) u (id, wait)
    JOIN /*table*/public.task t ON t.id = u.id
    RETURNING id, parent
)
UPDATE /*table*/public.task t
SET retry = a.id
FROM again a
WHERE t.id = a.parent;

-- name: task_handle_failure
-- What is to run when these tasks have failed, as tasks of the same owners. $1 ids.
INSERT INTO /*table*/public.task (
    parent, state, plan, input, on_failure, repeat, cron, attempts, once, max, remote, notify,
    schedule, /*columns*/data)
SELECT t.id, 'PLAN', statement_timestamp(), t.on_failure, NULL, '0', NULL, 1, false,
    GREATEST(t.max, 0), NULL, NULL, NULL, /*columns*/data
FROM /*table*/public.task t
WHERE t.id = ANY ($1::bigint[]) AND t.on_failure IS NOT NULL;

-- name: task_pass_taken
-- Draws the numbers that come next and that rows have already, at most $2 of them: such rows were
-- given their ids by hand. Says whether the number drawn last is one of a row. $1 the name of the
-- table, quoted.
WITH here AS (
    SELECT s.name::regclass AS numbers, pg_sequence_last_value(s.name::regclass) AS last
    FROM pg_get_serial_sequence($1::text, 'id') s (name)
), taken AS (
    SELECT h.numbers, h.last, (
        SELECT t.id FROM /*table*/public.task t
        WHERE t.id >= h.last AND t.id < 9223372036854775807
        AND NOT EXISTS (SELECT FROM /*table*/public.task n WHERE n.id = t.id + 1)
        ORDER BY t.id LIMIT 1) AS upto
    FROM here h
    WHERE EXISTS (SELECT FROM /*table*/public.task t WHERE t.id = h.last)
)
SELECT EXISTS (SELECT FROM taken) AS taken,
       (SELECT count(nextval(k.numbers))
        FROM taken k
        CROSS JOIN LATERAL generate_series(1, LEAST(k.upto - k.last, $2::bigint))) AS passed;

-- name: task_align
-- A cron task whose plan is no point of its schedule waits for the first one. $1 ids, $2 that
-- point, in microseconds of the epoch. Whatever has changed since it was seen is seen again.
UPDATE /*table*/public.task t
SET plan = timestamptz 'epoch' + c.plan * interval '1 microsecond'
FROM (
    SELECT t.id, u.plan
    FROM unnest($1::bigint[], $2::bigint[]) u (id, plan)
    JOIN /*table*/public.task t ON t.id = u.id
    WHERE t.state IS NOT DISTINCT FROM 'PLAN'
        AND t.plan <= statement_timestamp()
        AND t.cron IS NOT NULL
    FOR NO KEY UPDATE OF t SKIP LOCKED
) c
WHERE t.id = c.id
RETURNING t.id;

-- name: task_refuse
-- PLAN -> FAIL for tasks that cannot run as they are. $1 ids, $2 errors, $3 and $4 the table.
UPDATE /*table*/public.task t
SET state = 'FAIL', start = NULL, stop = statement_timestamp(), pid = NULL, output = '',
    error = c.error, retry = NULL
FROM (
    SELECT t.id, u.error
    FROM unnest($1::bigint[], $2::text[]) u (id, error)
    JOIN /*table*/public.task t ON t.id = u.id
    WHERE NOT /*paused:*/false/*:paused*/
        AND t.state IS NOT DISTINCT FROM 'PLAN'
        AND t.plan <= statement_timestamp()
    FOR NO KEY UPDATE OF t SKIP LOCKED
) c
WHERE t.id = c.id
RETURNING t.id,
    CASE WHEN octet_length(t.notify) BETWEEN 1 AND 63 THEN pg_notify(t.notify,
        json_build_object(
            'schema', $3::text, 'table', $4::text, 'id', t.id, 'state', t.state
        )::text) IS NULL END AS told;

-- name: task_waiting
-- What waits for other tasks: $2 rows behind the id $1, and the newest $3.
SELECT w.part, w.id FROM (
(SELECT 1 AS part, t.id FROM /*table*/public.task t
 WHERE t.state = 'PLAN' AND t.after IS NOT NULL AND t.plan = 'infinity' AND t.id > $1
 ORDER BY t.id
 LIMIT $2)
UNION ALL
(SELECT 2 AS part, t.id FROM /*table*/public.task t
 WHERE t.state = 'PLAN' AND t.after IS NOT NULL AND t.plan = 'infinity'
 ORDER BY t.id DESC
 LIMIT $3)
) w;

-- name: task_planned_anew
-- For the next statement of the message: an array's index is only read as a bitmap, and whether it
-- pays depends on how much waits now.
SELECT set_config(
    s.name, CASE s.name WHEN 'enable_bitmapscan' THEN 'on' ELSE 'force_custom_plan' END, true)
FROM (VALUES ('enable_bitmapscan'), ('plan_cache_mode')) s (name)
WHERE current_setting(s.name, true) IS NOT NULL;

-- name: task_dependents
-- At most $2 tasks that wait for one of $1.
SELECT t.id FROM /*table*/public.task t
WHERE t.state <= 'PLAN' AND t.state IS NOT DISTINCT FROM 'PLAN'
    AND t.after IS NOT NULL AND t.after && $1::bigint[]
    AND t.plan IS NOT DISTINCT FROM 'infinity'
LIMIT $2;

-- name: task_judge
-- What becomes of tasks that wait for others: PLAN for now when all of those have ended well or are
-- gone, GONE when one has not; a task that is tried again is waited for by the number of its next
-- attempt. $1 ids, $2 and $3 the table.
WITH waiting AS MATERIALIZED (
    SELECT t.id, t.after FROM /*table*/public.task t
    WHERE t.id = ANY ($1::bigint[]) AND t.state IS NOT DISTINCT FROM 'PLAN' AND t.after IS NOT NULL
    AND NOT /*paused:*/false/*:paused*/
    AND t.plan IS NOT DISTINCT FROM 'infinity'
    FOR NO KEY UPDATE SKIP LOCKED
), verdict AS MATERIALIZED (
    SELECT w.id, v.*, (SELECT d.state FROM /*table*/public.task d WHERE d.id = v.broken) AS ended_as
    FROM waiting w CROSS JOIN LATERAL (
        SELECT array_agg(CASE WHEN d.state = 'FAIL' AND d.retry IS NOT NULL
            THEN d.retry ELSE a.id END ORDER BY a.n) AS after,
            COALESCE(bool_or(d.state = 'FAIL' AND d.retry IS NOT NULL), false) AS retried,
               -- A running task that was set to STOP may still end well.
               COALESCE(bool_or(d.state IN ('PLAN', 'TAKE', 'WORK')
                   OR d.state = 'STOP' AND d.start IS NOT NULL AND d.stop IS NULL), false) AS open,
               min(d.id) FILTER (WHERE d.state = 'GONE' OR d.state = 'FAIL' AND d.retry IS NULL
                   OR d.state = 'STOP' AND NOT (d.start IS NOT NULL AND d.stop IS NULL)) AS broken
        FROM unnest(w.after) WITH ORDINALITY a (id, n)
        LEFT JOIN /*table*/public.task d ON d.id = a.id
    ) v
)
UPDATE /*table*/public.task t
SET state = CASE WHEN v.broken IS NULL THEN t.state ELSE 'GONE' END,
    plan = CASE WHEN v.broken IS NULL AND (v.open OR v.retried) THEN t.plan
        ELSE statement_timestamp() END,
    after = COALESCE(v.after, t.after),
    start = CASE WHEN v.broken IS NOT NULL THEN statement_timestamp() END,
    stop = CASE WHEN v.broken IS NOT NULL THEN statement_timestamp() END,
    error = 'ERROR:  task ' || v.broken || ', which it runs after, has ended as ' || v.ended_as
FROM verdict v
WHERE t.id = v.id AND (v.broken IS NOT NULL OR v.retried OR NOT v.open)
RETURNING t.id, t.state = 'GONE' AS gone, t.state = 'PLAN' AND t.plan = 'infinity' AS again,
    t.repeat > '0' AS repeats, t.cron, t.zone,
    CASE WHEN t.cron IS NOT NULL AND t.zone IS NULL
        THEN (/*owner_zone:*/NULL/*:owner_zone*/) END AS owner_zone,
    (extract(epoch FROM statement_timestamp()) * 1000000)::bigint AS now, false AS retries,
    t.state = 'GONE' AND t.on_failure IS NOT NULL AS handled, false AS pauses,
    t.hash, t."group", t.remote,
    CASE WHEN t.state = 'GONE' AND octet_length(t.notify) BETWEEN 1 AND 63 THEN pg_notify(t.notify,
        json_build_object(
            'schema', $2::text, 'table', $3::text, 'id', t.id, 'state', t.state
        )::text) IS NULL END AS told;

-- name: task_pause
-- A task with a negative max has ended: what waits in its group with a negative max waits on, each
-- for its own pause.
-- $1 hash, $2 group, $3 remote: arrays of the same length.
UPDATE /*table*/public.task t
SET plan = CASE WHEN t.drift OR NOT isfinite(t.plan)
    THEN statement_timestamp() + p.pause * interval '1 ms'
    ELSE t.plan + p.pause * interval '1 ms'
         * (
             floor(
                 (
                     extract(epoch FROM statement_timestamp())
                     - extract(epoch FROM t.plan::timestamptz)
                 )::numeric * 1000 / p.pause) + 1)::float8
    END
FROM (
    SELECT w.id, - w.max::bigint AS pause
    FROM unnest($1::integer[], $2::text[], $3::text[]) g (hash, "group", remote)
    -- Group by group, and in the order of the index of whose turn it is: the one of what is due has
    -- the tasks of all groups.
    CROSS JOIN LATERAL (
        SELECT t.id, t.max
        FROM /*table*/public.task t
        WHERE t.state = 'PLAN'
            AND t.hash = g.hash
            AND t."group" = g."group"
            AND t.remote IS NOT DISTINCT FROM g.remote
            AND - GREATEST(t.max, 0) = 0
            AND t.max < 0
            AND COALESCE(t.plan <= statement_timestamp(), false)
        ORDER BY - GREATEST(t.max, 0), t.id
        FOR NO KEY UPDATE SKIP LOCKED
    ) w
) p
WHERE t.id = p.id;

-- name: task_set_aside
-- Rows that cannot be looked at fail, each with the reason: one such row would otherwise make every
-- look fail. Their text has no form in the encoding of this session (any bytes in a database of
-- SQL_ASCII, characters that UTF8 lacks), or their times and intervals make a sum beyond the
-- calendar.
DO $set_aside$
DECLARE
    waiting bigint;
    found bigint := 0;
BEGIN
    FOR waiting IN
        SELECT t.id FROM /*table*/public.task t
        WHERE t.state IN ('TAKE', 'WORK') OR t.state = 'PLAN' AND t.plan <= statement_timestamp()
    LOOP
        BEGIN
            PERFORM textsend(t."group"), textsend(t.remote), textsend(t.input), textsend(t."null"),
                textsend(t.cron), textsend(t.zone), textsend(/*owner*/NULL),
                extract(epoch FROM t.live)::float8, extract(epoch FROM t.timeout)::float8,
                extract(epoch FROM CASE WHEN t.max < 0 OR t.active > '100000 years' THEN 'infinity'
                    ELSE t.plan::timestamptz + t.active END)::float8
            FROM /*table*/public.task t WHERE t.id = waiting;
        EXCEPTION WHEN data_exception THEN
            UPDATE /*table*/public.task t
            SET state = 'FAIL', start = NULL, stop = clock_timestamp(), pid = NULL, output = '',
                error = 'ERROR:  ' || SQLERRM
                    || E'\nDETAIL:  A column of this row cannot be read: its group, remote, input,'
                    ' null, cron, zone or owner, or its plan and active.'
            WHERE t.id = waiting;
            found := found + 1;
        END;
    END LOOP;
    PERFORM set_config('howdah.set_aside', found::text, false);
END
$set_aside$;

-- name: task_count_set_aside
SELECT current_setting('howdah.set_aside')::bigint AS found;

-- name: session_end_orphans
-- Ends sessions of an earlier scheduler that still run a task, and says which there are: the same
-- process, older than the task's start, which nothing that a task does to its session can hide. For
-- other owners it is one of the logins that no other session uses; told is null where only that
-- login itself may end it. $1 ids that are ours.
SELECT t.id, t.pid, t.hash, t."group", t.remote,
    (extract(epoch FROM clock_timestamp())::float8
        - extract(epoch FROM t.start::timestamptz)::float8) AS age,
    /*owner*/NULL AS owner,
    CASE WHEN a.usename = session_user OR pg_has_role(a.usesysid, 'USAGE') OR pg_has_role(
        'pg_signal_backend', 'USAGE')
    THEN pg_terminate_backend(a.pid) END AS told
FROM /*table*/public.task t
JOIN pg_stat_activity a ON a.pid = t.pid
    AND a.datname = current_database()
    AND COALESCE(a.backend_start <= t.start, true)
    -- A role that could name any process in the row of its task would have that process ended.
    AND CASE WHEN /*owner*/NULL IS NULL THEN a.usename = session_user
        ELSE a.usename ~ ('^howdah_[0-9]+_' || /*literal:*/'public.task'/*:literal*/::regclass::oid
            || '_[0-9]+$') END
WHERE t.state = 'WORK'
    AND t.remote IS NULL
    AND t.pid <> pg_backend_pid()
    AND t.id <> ALL ($1::bigint[]);

-- name: task_remote_orphans
-- The same at other servers, as far as it was written down. $1 ids that are ours.
SELECT t.id, t.pid, t.hash, t."group", t.remote,
    (extract(epoch FROM clock_timestamp())::float8
        - extract(epoch FROM t.start::timestamptz)::float8) AS age,
    /*owner*/NULL AS owner
FROM /*table*/public.task t
WHERE t.state = 'WORK'
    AND t.remote IS NOT NULL
    AND t.pid IS NOT NULL
    AND t.id <> ALL ($1::bigint[]);

-- name: task_reset
-- TAKE or WORK -> PLAN for tasks that no session runs. $1 ids that are ours.
UPDATE /*table*/public.task t
SET state = 'PLAN', start = NULL, stop = NULL, pid = NULL
FROM (
    SELECT t.id FROM /*table*/public.task t
    WHERE NOT /*paused:*/false/*:paused*/
        AND t.state IN ('TAKE', 'WORK')
        AND t.id <> ALL ($1::bigint[])
        AND NOT (t.once AND t.stop IS NOT NULL)
    FOR NO KEY UPDATE SKIP LOCKED
) c
WHERE t.id = c.id
RETURNING t.id;

-- name: task_stranded
-- What `task_reset` would put back. $1 ids that are ours.
SELECT t.id FROM /*table*/public.task t
WHERE t.state IN ('TAKE', 'WORK')
    AND t.id <> ALL ($1::bigint[])
    AND NOT (t.once AND t.stop IS NOT NULL);

-- name: task_fall_asleep
-- $1 the table's oid. Fails while a transaction that has written to the table has not ended.
SELECT pg_try_advisory_lock(1215264868, $1::bigint::oid::integer) AS asleep;

-- name: task_wake
SELECT pg_advisory_unlock(1215264868, $1::bigint::oid::integer) AS awake;

-- name: table_foreign_defaults
-- Whether a default names a setting in the extension's way, which fails where no library registers
-- it. $1 the table's oid.
SELECT EXISTS (
    SELECT
    FROM pg_attrdef
    WHERE adrelid = $1::bigint::oid
        AND pg_get_expr(adbin, adrelid) ~ E'current_setting\\(''pg_task\\.\\w+''::text\\)'
) AS found;

-- name: lock_give_up
-- The scheduler's lock, which is free when the standbys hear of it. $1 the name of the table,
-- quoted.
SELECT pg_advisory_unlock(1215264867, hashtext($1)), pg_notify('howdah_task', 'vacant')
WHERE EXISTS (
    SELECT
    FROM pg_locks l
    WHERE l.pid = pg_backend_pid() AND l.locktype = 'advisory' AND l.objsubid = 2
              AND l.classid = 1215264867 AND l.objid = (hashtext($1)::bigint & 4294967295)::oid);

-- name: task_wake_others
-- The lock of sleepers, in such a session. $1 the name of the table, quoted.
SELECT pg_advisory_unlock(1215264868, l.objid::bigint::bit(32)::integer)
FROM pg_locks l
WHERE l.pid = pg_backend_pid()
    AND l.locktype = 'advisory'
    AND l.objsubid = 2
    AND l.classid = 1215264868
AND l.objid = to_regclass($1)::oid;

-- name: session_prepare_step
-- For the next statements of the message: no lock is waited for for long, and a step that a crash
-- undoes is taken once more.
SELECT set_config('lock_timeout', '5ms', true), set_config('synchronous_commit', 'off', true);

-- name: session_check_at_once
-- So that a foreign key that is checked at the commit does not undo the step. In a block, since the
-- server warns of the bare statement where the transaction is that of the message.
DO $howdah$ BEGIN SET CONSTRAINTS ALL IMMEDIATE; END $howdah$;

-- name: task_remove_old
-- One step of the walk along the key: of the $2 rows behind the id $1 those are removed that ended
-- longer ago than $3. A row that was stopped before it ran has not ended; one that is tried again
-- stays until its last attempt has ended.
WITH step AS MATERIALIZED (
    SELECT t.id, t.stop, t.state IN ('DONE', 'FAIL', 'GONE', 'STOP') AND t.stop IS NOT NULL AS ended
    FROM /*table*/public.task t WHERE t.id > $1 ORDER BY t.id LIMIT $2
), removed AS (
    DELETE FROM /*table*/public.task t USING step s
    WHERE t.id = s.id
        AND s.ended
        AND NOT /*paused:*/false/*:paused*/
        AND t.state IN ('DONE', 'FAIL', 'GONE', 'STOP')
        AND t.stop < statement_timestamp() - $3::interval
    AND (t.retry IS NULL OR NOT EXISTS (
        WITH RECURSIVE chain AS (
            SELECT r.state, r.retry
            FROM /*table*/public.task r
            WHERE r.id = t.retry
            UNION
            SELECT r.state, r.retry
            FROM chain c
            JOIN /*table*/public.task r ON r.id = c.retry)
        SELECT FROM chain WHERE state IN ('PLAN', 'TAKE', 'WORK')))
    RETURNING t.id
)
SELECT max(s.id) AS last, count(*) AS looked, (SELECT count(*) FROM removed) AS removed,
       count(*) FILTER (WHERE s.ended) AS ended,
       count(*) FILTER (WHERE s.ended AND s.stop >= statement_timestamp() - $3::interval) AS young,
       -- In seconds, because any time may stand in a row: no sum of these is beyond the calendar.
       extract(
           epoch
           FROM min(s.stop::timestamptz) FILTER (
               WHERE s.ended AND s.stop >= statement_timestamp() - $3::interval))::float8
           + extract(epoch FROM $3::interval)::float8 - extract(
               epoch FROM statement_timestamp())::float8 AS due
FROM step s;

-- name: task_choose_old
-- For `task_remove_each`: $1 the id behind which to begin, $2 how many rows to look at, $3 how old.
SELECT set_config('howdah.remove', (
    SELECT COALESCE(array_agg(t.id), '{}')::text
    FROM (
        SELECT t.id, t.state, t.stop
        FROM /*table*/public.task t
        WHERE t.id > $1
        ORDER BY t.id
        LIMIT $2) t
    WHERE NOT /*paused:*/false/*:paused*/
        AND t.state IN ('DONE', 'FAIL', 'GONE', 'STOP')
        AND t.stop < statement_timestamp() - $3::interval), true);

-- name: task_remove_each
-- The same one by one, where something keeps a row: a foreign key, a trigger, a lock.
-- Nothing of that is in the server's log.
DO $each$
DECLARE
    each bigint;
BEGIN
    FOREACH each IN ARRAY COALESCE(
        NULLIF(current_setting('howdah.remove', true), ''), '{}')::bigint[] LOOP
        BEGIN
            DELETE FROM /*table*/public.task t
            WHERE t.id = each AND t.state IN ('DONE', 'FAIL', 'GONE', 'STOP')
            AND NOT EXISTS (
                SELECT
                FROM /*table*/public.task r
                WHERE r.id = t.retry AND r.state IN ('PLAN', 'TAKE', 'WORK', 'FAIL'));
        EXCEPTION WHEN OTHERS THEN
            NULL; -- what keeps it is said once, by the step that failed as a whole
        END;
    END LOOP;
END
$each$;

-- name: task_walked
-- What `task_remove_old` says of a step. $1 the id behind which to begin, $2 how many rows, $3 how
-- old.
SELECT max(s.id) AS last, count(*) AS looked, 0 AS removed,
    count(*) FILTER (WHERE s.ended) AS ended,
    count(*) FILTER (WHERE s.ended AND s.stop >= statement_timestamp() - $3::interval) AS young,
       -- In seconds, because any time may stand in a row: no sum of these is beyond the calendar.
       extract(
           epoch
           FROM min(s.stop::timestamptz) FILTER (
               WHERE s.ended AND s.stop >= statement_timestamp() - $3::interval))::float8
           + extract(epoch FROM $3::interval)::float8 - extract(
               epoch FROM statement_timestamp())::float8 AS due
FROM (
    SELECT t.id, t.stop, t.state IN ('DONE', 'FAIL', 'GONE', 'STOP') AND t.stop IS NOT NULL AS ended
      FROM /*table*/public.task t WHERE t.id > $1 ORDER BY t.id LIMIT $2) s;

-- name: settings_version
-- Changes when the configuration was read again, and with ALTER DATABASE SET and ALTER ROLE SET.
SELECT concat_ws(
    ' ', pg_conf_load_time(),
    (
        SELECT md5(string_agg(s::text, ' ' ORDER BY s.setdatabase, s.setrole))
        FROM pg_db_role_setting s));
