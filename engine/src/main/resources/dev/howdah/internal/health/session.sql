-- Sessions of clients, of all databases of the server: those that keep others waiting, or dead rows
-- from being removed.

-- name: session_begin
SELECT set_config('transaction_read_only', 'on', true),
    set_config('search_path', 'pg_catalog, pg_temp', true);

-- name: session_list(process, most)
-- :process the process of the only one that is meant, whatever it does, or NULL; :most how many.
WITH waiting AS MATERIALIZED (
    SELECT pg_blocking_pids(w.pid) AS by
    FROM pg_stat_activity w
    WHERE w.wait_event_type = 'Lock'
), seen AS (
    SELECT a.pid, a.backend_start, a.usename AS role, a.datname AS database,
        a.application_name AS application, host(a.client_addr) AS address, a.state, a.xact_start,
        GREATEST(age(a.backend_xmin), age(a.backend_xid))::bigint AS held,
        a.wait_event_type IS NOT DISTINCT FROM 'Lock' AS waits,
        (SELECT count(*) FROM waiting w WHERE a.pid = ANY (w.by)) AS blocks,
        left(a.query, 10000) AS query
    FROM pg_stat_activity a
    -- Of a session that the role may not look into, the kind is not known.
    WHERE COALESCE(a.backend_type, 'client backend') = 'client backend'
        AND a.datname IS NOT NULL
        AND a.pid <> pg_backend_pid()
)
SELECT s.*
FROM seen s
WHERE CASE WHEN :process::integer IS NULL THEN s.xact_start IS NOT NULL OR s.blocks > 0
    ELSE s.pid = :process::integer END
ORDER BY s.xact_start NULLS LAST, s.pid
LIMIT :most;

-- name: session_end(process, began, closed)
-- :began when it began, :closed whether its connection is closed, and not only its statement
-- cancelled. No row: it is gone, or another session has its process by now. NULL: the role may not
-- see when it began.
SELECT CASE WHEN a.backend_start IS NULL THEN NULL
        WHEN :closed::boolean THEN pg_terminate_backend(a.pid)
        ELSE pg_cancel_backend(a.pid) END AS sent
FROM pg_stat_activity a
WHERE a.pid = :process::integer
    AND a.pid <> pg_backend_pid()
    AND COALESCE(a.backend_start = :began::text::timestamptz, true)
    AND COALESCE(a.backend_type, 'client backend') = 'client backend';

-- name: session_privilege(process, lacks)
-- Why the role may not end the session of the process :process: what it lacks is :lacks.
SELECT CASE WHEN r.rolsuper
        THEN format('session %s is one of the superuser %s, which only a superuser may end',
            :process::integer, r.rolname)
        ELSE format('role %s may not end session %s%s. Run: GRANT %I TO %I;', current_user,
            :process::integer, ' of role ' || r.rolname, :lacks::text, current_user) END
FROM (SELECT) one
LEFT JOIN pg_stat_activity a ON a.pid = :process::integer
LEFT JOIN pg_roles r ON r.oid = a.usesysid;
