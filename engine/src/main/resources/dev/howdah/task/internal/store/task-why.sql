-- Why a task does not run. It reads rows by key and by the indexes of what waits and what runs, and
-- locks nothing.

-- name: task_why(task, table, silence)
-- The causes that hold, the answer first. :table the name of the table, quoted, :silence for how
-- many seconds a scheduler that is not asleep may say nothing.
WITH asked AS MATERIALIZED (
    SELECT k.*
    FROM (SELECT NULL::text AS owner) missing
    CROSS JOIN LATERAL (
        SELECT t."id", t."state"::text AS state, t."plan"::timestamptz, t."start"::timestamptz,
            t."stop"::timestamptz, t."active", t."group", t."remote", t."max", t."pid", t."after",
            t."hash", t."error", t.xmax AS locked, owner::text AS owner
        FROM /*table*/task t
        WHERE t."id" = :task::bigint) k
), place AS (
    SELECT d.oid, pg_is_in_recovery() AS standby, c.oid AS relid, c.relowner,
        hashtext(:table::text)::bigint & 4294967295 AS lock,
        format('%I.%I', n.nspname, c.relname) AS called
    FROM pg_database d, pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE d.datname = current_database() AND c.oid = to_regclass(:table::text)
), locks AS MATERIALIZED (
    SELECT l.locktype, l.classid, l.objid, l.objsubid, l.transactionid, l.mode, l.pid
    FROM pg_locks l
    CROSS JOIN place p
    WHERE l.granted
        AND (
            l.locktype = 'transactionid'
            OR l.locktype = 'advisory'
                AND l.objsubid = 2
                AND l.database = p.oid
                AND (
                    l.classid = 1215264867 AND l.objid::bigint = p.lock
                    OR l.classid = 1215264868 AND l.objid = p.relid
                    OR l.classid = 1215264894))
), scheduler AS MATERIALIZED (
    SELECT l.pid, COALESCE(a.usename::text, 'unknown') AS role, host(a.client_addr) AS address,
        a.state LIKE 'idle%' AS idle, clock_timestamp() - a.state_change AS silent,
        a.pid IS NOT NULL AND a.state IS NULL AS hidden,
        EXISTS (SELECT FROM locks s WHERE s.classid = 1215264868) AS asleep,
        (
            SELECT max(s.objid::bigint)
            FROM locks s
            WHERE s.classid = 1215264894 AND s.pid = l.pid) AS sessions,
        r.oid IS NULL OR r.rolsuper
            OR pg_has_role(r.oid, p.relowner, 'MEMBER')
            OR has_table_privilege(r.oid, p.relid, 'UPDATE')
                AND has_table_privilege(r.oid, p.relid, 'DELETE') AS trusted
    FROM locks l
    CROSS JOIN place p
    LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    LEFT JOIN pg_roles r ON r.oid = a.usesysid
    WHERE l.classid = 1215264867
    LIMIT 1
), runs AS MATERIALIZED (
    SELECT r.*
    FROM (SELECT NULL::text AS owner) missing
    CROSS JOIN LATERAL (
        SELECT t."id", t."start", t."group", t."remote", owner::text AS owner
        FROM /*table*/task t
        WHERE t."state" IN ('TAKE', 'WORK')) r
), due AS MATERIALIZED (
    SELECT a.*
    FROM asked a
    WHERE a.state = 'PLAN'
        AND a."plan" <= clock_timestamp()
        AND (
            a."max" < 0
            OR a."active" > '100000 years'
            OR a."plan" + a."active" > clock_timestamp())
), span AS (
    -- 850 ms, 12.4 s, 3 min 20 s, 2 h 5 min, 3 d 4 h
    SELECT s.name, CASE
            WHEN s.n < 1 THEN trunc(s.n * 1000) || ' ms'
            WHEN s.n < 60 THEN rtrim(rtrim(trunc(s.n, 1)::text, '0'), '.') || ' s'
            WHEN s.n < 3600 THEN
                trunc(s.n / 60) || ' min' || COALESCE(' ' || NULLIF(trunc(s.n % 60), 0) || ' s', '')
            WHEN s.n < 86400 THEN
                trunc(s.n / 3600) || ' h'
                    || COALESCE(' ' || NULLIF(trunc(s.n % 3600 / 60), 0) || ' min', '')
            ELSE trunc(s.n / 86400) || ' d'
                || COALESCE(' ' || NULLIF(trunc(s.n % 86400 / 3600), 0) || ' h', '')
        END AS words
    FROM (
        SELECT i.name, GREATEST(extract(epoch FROM i.length)::numeric, 0) AS n
        FROM (
            SELECT 'until', a."plan" - clock_timestamp()
            FROM asked a
            WHERE isfinite(a."plan")
            UNION ALL
            SELECT 'since', clock_timestamp() - a."plan"
            FROM asked a
            WHERE isfinite(a."plan")
            UNION ALL
            SELECT 'silent', s.silent
            FROM scheduler s
            UNION ALL
            SELECT 'locked', clock_timestamp() - s.xact_start
            FROM asked a
            JOIN locks l ON l.transactionid = a.locked AND l.mode = 'ExclusiveLock'
            JOIN pg_stat_activity s ON s.pid = l.pid
            WHERE l.pid <> pg_backend_pid()) AS i (name, length)) s
), cause AS (
    SELECT 1 AS n, 'standby' AS code,
        'This server is a standby: no task runs here.' AS sentence, '{}'::jsonb AS detail,
        'Point the program at the primary.' AS remedy
    FROM place p
    WHERE p.standby
    UNION ALL
    SELECT 2, 'unknown',
        'There is no task ' || :task::bigint || CASE
            WHEN q.last IS NULL THEN '.'
            WHEN :task::bigint > q.last OR :task::bigint < 1 THEN
                ': ids up to ' || q.last || ' have been given.'
            ELSE ' any more, if there was one: tasks are removed when their time to live is over.'
        END, jsonb_build_object('last_id', q.last), NULL
    FROM (
        SELECT CASE
            WHEN has_sequence_privilege(pg_get_serial_sequence(:table::text, 'id')::regclass,
                'SELECT')
                THEN COALESCE(pg_sequence_last_value(
                    pg_get_serial_sequence(:table::text, 'id')::regclass), 0) END AS last) q
    WHERE NOT EXISTS (SELECT FROM asked)
    UNION ALL
    SELECT 3, 'row-locked',
        'Session ' || l.pid || ' (' || COALESCE(s.usename::text, 'unknown role')
            || COALESCE(', ' || NULLIF(s.application_name, ''), '') || ') has locked it'
            || COALESCE(
                ', in a transaction that began '
                    || (SELECT w.words FROM span w WHERE w.name = 'locked') || ' ago', '') || '.',
        jsonb_build_object('pid', l.pid, 'role', s.usename, 'since', s.xact_start),
        'Commit or roll back that transaction, or: SELECT pg_terminate_backend(' || l.pid || ');'
    FROM asked a
    JOIN locks l ON l.transactionid = a.locked AND l.mode = 'ExclusiveLock'
    LEFT JOIN pg_stat_activity s ON s.pid = l.pid
    WHERE l.pid <> pg_backend_pid()
    UNION ALL
    SELECT 4, CASE
            WHEN a.state = 'TAKE' AND w.at_server THEN 'remote-wait'
            WHEN a.state IN ('TAKE', 'WORK') THEN 'runs'
            WHEN a.state = 'STOP' THEN 'stopped'
            WHEN a.state = 'GONE' THEN 'expired'
            ELSE 'ended' END,
        CASE a.state
            WHEN 'WORK' THEN 'It runs since ' || w.start
                || COALESCE(' in session ' || a."pid", '') || '.'
            WHEN 'TAKE' THEN CASE
                WHEN a."remote" IS NULL THEN 'Its session is being opened.'
                WHEN w.at_server THEN 'Its session is being opened on the remote server.'
                ELSE 'The daemon begins it.' END
            WHEN 'STOP' THEN 'It was stopped.'
            WHEN 'GONE' THEN 'It was not begun within ' || a."active"
                || ' of its plan: it will not run.'
            ELSE 'It has ended: ' || a.state || ' at ' || w.stop
                || CASE WHEN a.state = 'FAIL'
                    THEN COALESCE(': ' || NULLIF(split_part(a."error", E'\n', 1), ''), '')
                    ELSE '' END || '.' END,
        jsonb_build_object(
            'state', a.state, 'start', a."start", 'stop', a."stop", 'pid', a."pid"),
        CASE WHEN a.state = 'TAKE' THEN NULL
            WHEN a.state = 'WORK' THEN
                CASE WHEN a."remote" IS NULL THEN format('SELECT pg_cancel_backend(%s);', a."pid")
                END
            ELSE format($words$UPDATE %s SET state = 'PLAN', plan = now() WHERE id = %s;$words$,
                (SELECT p.called FROM place p), a."id") END
    FROM asked a
    CROSS JOIN LATERAL (
        SELECT to_char(a."start", 'YYYY-MM-DD HH24:MI:SSTZH:TZM') AS start,
            COALESCE(to_char(a."stop", 'YYYY-MM-DD HH24:MI:SSTZH:TZM'), 'an unknown time') AS stop,
            -- Other schemes, such as https, are no servers of PostgreSQL.
            a."remote" !~ '^[a-z][a-z0-9+.-]*:' OR a."remote" ~ '^postgres(ql)?:' AS at_server
    ) w
    WHERE a.state <> 'PLAN'
    UNION ALL
    SELECT 5, 'expired',
        'It was not begun within ' || a."active" || ' of its plan: it will not run.',
        jsonb_build_object('plan', a."plan", 'active', a."active"::text),
        format(
            'UPDATE %s SET plan = now() WHERE id = %s;', (SELECT p.called FROM place p), a."id")
    FROM asked a
    WHERE a.state = 'PLAN'
        AND a."plan" <= clock_timestamp()
        AND NOT EXISTS (SELECT FROM due)
    UNION ALL
    SELECT 6, CASE WHEN a."after" IS NULL THEN 'never' ELSE 'waits-for' END,
        CASE WHEN a."after" IS NULL THEN 'It has no time: its plan is infinity.'
            ELSE 'It waits for task ' || COALESCE(b.first, 'that is gone')
                || CASE WHEN b.n > 1 THEN ' and ' || b.n - 1 || ' more' ELSE '' END || '.' END,
        jsonb_build_object('after', to_jsonb(a."after")),
        format('UPDATE %s SET plan = now() WHERE id = %s;', (SELECT p.called FROM place p), a."id")
    FROM asked a
    CROSS JOIN LATERAL (
        SELECT count(*) AS n,
            (array_agg(t."id" || ' (' || t."state" || ')' ORDER BY t."id"))[1] AS first
        FROM /*table*/task t
        WHERE t."id" = ANY (a."after") AND t."state"::text NOT IN ('DONE', 'FAIL', 'GONE')) b
    WHERE a.state = 'PLAN' AND a."plan" = 'infinity'
    UNION ALL
    SELECT 7, 'not-due',
        'It is due in ' || (SELECT s.words FROM span s WHERE s.name = 'until') || ', at '
            || to_char(a."plan", 'YYYY-MM-DD HH24:MI:SSTZH:TZM') || '.',
        jsonb_build_object('plan', a."plan"),
        format('UPDATE %s SET plan = now() WHERE id = %s;', (SELECT p.called FROM place p), a."id")
    FROM asked a
    WHERE a.state = 'PLAN' AND a."plan" > clock_timestamp() AND a."plan" <> 'infinity'
    UNION ALL
    SELECT 8, 'no-scheduler', 'No scheduler serves ' || (SELECT p.called FROM place p) || '.',
        jsonb_build_object('table', (SELECT p.called FROM place p)),
        'Start "howdah up" or a TaskScheduler for this database and table.'
    FROM asked a
    WHERE a.state = 'PLAN' AND NOT EXISTS (SELECT FROM scheduler)
    UNION ALL
    SELECT 9, 'scheduler-foreign',
        'The lock of the scheduler is held by session ' || s.pid || ' of role ' || s.role
            || ', which may not change the table and so is none.',
        jsonb_build_object('pid', s.pid, 'role', s.role),
        'SELECT pg_terminate_backend(' || s.pid || ');'
    FROM scheduler s
    JOIN asked a ON a.state = 'PLAN'
    WHERE NOT s.trusted
    UNION ALL
    SELECT 10, 'scheduler-silent',
        'The scheduler (session ' || s.pid || COALESCE(', ' || s.address, '')
            || ') has said nothing for '
            || (SELECT w.words FROM span w WHERE w.name = 'silent')
            || '; a scheduler that stands by takes over after its lease.',
        jsonb_build_object('pid', s.pid, 'address', s.address),
        'SELECT pg_terminate_backend(' || s.pid || ');'
    FROM scheduler s
    JOIN due d ON true
    WHERE s.trusted
        AND s.idle
        AND NOT s.asleep
        AND s.silent > make_interval(secs => :silence::float8)
        AND d."plan" < clock_timestamp() - make_interval(secs => :silence::float8)
    UNION ALL
    SELECT 11, 'owner', 'Role ' || a.owner || ', which owns it, does not exist any more.',
        jsonb_build_object('owner', a.owner),
        'As a superuser, insert it anew, or give it another owner.'
    FROM asked a
    WHERE a.state = 'PLAN'
        AND a.owner IS NOT NULL
        AND NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = a.owner)
    UNION ALL
    SELECT 12, 'group-full',
        'Group "' || d."group" || '" runs ' || r.n || ' of ' || GREATEST(d."max", 0) + 1
            || ': task ' || r.first || '.',
        jsonb_build_object('group', d."group", 'running', r.n, 'max', GREATEST(d."max", 0) + 1),
        format('UPDATE %s SET max = %s WHERE id = %s;', (SELECT p.called FROM place p), r.n, d."id")
    FROM due d
    CROSS JOIN LATERAL (
        SELECT count(*) AS n, (
                array_agg(u."id" || COALESCE(
                    ' since ' || to_char(u."start", 'YYYY-MM-DD HH24:MI:SSTZH:TZM'), '')
                    ORDER BY u."start" NULLS LAST, u."id"))[1] AS first
        FROM runs u
        WHERE u."group" = d."group" AND u."remote" IS NOT DISTINCT FROM d."remote") r
    WHERE r.n >= GREATEST(d."max", 0) + 1
    UNION ALL
    SELECT 13, 'behind',
        CASE WHEN b.n > 1000 THEN 'More than 1000 tasks of its group go'
            WHEN b.n = 1 THEN 'One task of its group goes'
            ELSE b.n || ' tasks of its group go' END || ' before it.',
        jsonb_build_object('group', d."group", 'tasks', LEAST(b.n, 1000)),
        'Give it a larger max, or a group of its own.'
    FROM due d
    CROSS JOIN LATERAL (
        SELECT count(*) AS n
        FROM (
            SELECT
            FROM /*table*/task t
            WHERE t."state" = 'PLAN'
                AND t."hash" = d."hash"
                AND (- GREATEST(t."max", 0), t."id") < (- GREATEST(d."max", 0), d."id")
                AND t."group" = d."group"
                AND t."remote" IS NOT DISTINCT FROM d."remote"
                AND t."plan" <= clock_timestamp()
            LIMIT 1001) f) b
    WHERE b.n > 0
    UNION ALL
    SELECT 14, 'table-full',
        (SELECT p.called FROM place p) || ' runs ' || r.n || ' of ' || c.most
            || ' tasks (pg_task.run).',
        jsonb_build_object('running', r.n, 'most', c.most),
        format('ALTER DATABASE %I SET pg_task.run = %s;', current_database(), c.most * 2)
    FROM due d
    CROSS JOIN (SELECT count(*) AS n FROM runs) r
    CROSS JOIN (
        SELECT CASE WHEN s.word ~ E'^\\d{1,9}$' THEN s.word::integer END AS most
        FROM (SELECT current_setting('pg_task.run', true) AS word) s) c
    WHERE r.n >= c.most
    UNION ALL
    SELECT 15, 'owner-full',
        'Role ' || d.owner || ', which owns it, runs ' || r.n || ' of ' || c.most
            || ' tasks (pg_task.run_per_owner).',
        jsonb_build_object('owner', d.owner, 'running', r.n, 'most', c.most),
        format(
            'ALTER DATABASE %I SET pg_task.run_per_owner = %s;', current_database(), c.most * 2)
    FROM due d
    CROSS JOIN LATERAL (
        SELECT count(*) AS n
        FROM runs u
        WHERE u.owner = d.owner) r
    CROSS JOIN (
        SELECT CASE WHEN s.word ~ E'^\\d{1,9}$' THEN GREATEST(s.word::integer, 1) END AS most
        FROM (SELECT current_setting('pg_task.run_per_owner', true) AS word) s) c
    WHERE r.n >= c.most
        -- The role of the scheduler itself has no such limit.
        AND NOT EXISTS (SELECT FROM scheduler s WHERE s.role = d.owner)
    UNION ALL
    SELECT 16, 'sessions-full',
        'All ' || s.sessions || ' sessions that the scheduler may have for tasks in this database '
            || 'are in use (--sessions, --total-sessions)'
            || COALESCE('; the longest by task ' || r.first, '') || '.',
        jsonb_build_object('sessions', s.sessions, 'open', b.n),
        'Start the scheduler with more sessions.'
    FROM due d
    JOIN scheduler s ON s.sessions IS NOT NULL
    CROSS JOIN (
        SELECT count(*) AS n
        FROM pg_stat_activity o
        WHERE o.datname = current_database() AND o.application_name LIKE E'pg\\_task %') b
    CROSS JOIN LATERAL (
        SELECT (
            array_agg(u."id" || COALESCE(
                ' since ' || to_char(u."start", 'YYYY-MM-DD HH24:MI:SSTZH:TZM'), '')
                ORDER BY u."start" NULLS LAST, u."id"))[1] AS first
        FROM runs u
        WHERE u."remote" IS NULL) r
    WHERE d."remote" IS NULL AND b.n >= s.sessions
    UNION ALL
    SELECT 17, 'server-full',
        'PostgreSQL has no connection left: ' || b.n || ' of ' || b.most || '.',
        jsonb_build_object('connections', b.n, 'most', b.most),
        'Raise max_connections, or let programs use fewer connections.'
    FROM due d
    CROSS JOIN (
        SELECT sum(s.numbackends) AS n,
            current_setting('max_connections')::integer
                - current_setting('superuser_reserved_connections')::integer AS most
        FROM pg_stat_database s) b
    WHERE b.n >= b.most
    UNION ALL
    SELECT 18, 'next-look',
        'The scheduler sleeps, and the trigger that would wake it is '
            || CASE WHEN g.tgname IS NULL THEN 'gone.' ELSE 'disabled.' END,
        jsonb_build_object('pid', s.pid),
        CASE WHEN g.tgname IS NULL THEN 'Restart the scheduler, which makes the trigger again.'
            ELSE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I;', p.called, g.tgname) END
    FROM due d
    JOIN scheduler s ON s.asleep
    CROSS JOIN place p
    LEFT JOIN pg_trigger g ON g.tgrelid = p.relid AND g.tgname LIKE E'%\\_wake\\_up'
    WHERE g.tgname IS NULL OR g.tgenabled NOT IN ('A', 'O')
    UNION ALL
    SELECT 19, 'hidden',
        'Whether the scheduler (session ' || s.pid || ') still answers is hidden from role '
            || current_user || '.',
        jsonb_build_object('pid', s.pid),
        format('GRANT pg_read_all_stats TO %I;', current_user)
    FROM scheduler s
    JOIN due d ON d."plan" < clock_timestamp() - make_interval(secs => :silence::float8)
    WHERE s.hidden
)
SELECT c.code, c.sentence, c.detail::text AS detail, c.remedy
FROM (
    SELECT c.*
    FROM cause c
    UNION ALL
    SELECT 99, 'due',
        'It is due, since ' || (SELECT s.words FROM span s WHERE s.name = 'since')
            || ', and nothing known stands in its way.', jsonb_build_object('plan', d."plan"), NULL
    FROM due d
    WHERE NOT EXISTS (SELECT FROM cause)
) c
ORDER BY c.n;
