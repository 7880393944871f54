-- What is asked about the locks of nodes, for all features.

-- name: server_age
-- Since when the server has been up, in milliseconds.
SELECT (extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000)::bigint;

-- name: lock_foreign_holders
-- Sessions that hold locks which only nodes take, and whose role may not be a node: neither it nor
-- any role that it is a member of may insert into the table of the lock, or into columns of it. $1
-- the classes of the locks, $2 the table of each.
SELECT l.classid::bigint, l.objid::bigint, l.pid, a.usesysid::bigint,
    COALESCE(a.usename, a.usesysid::text), c.name
FROM unnest($1::bigint[], $2::text[]) AS c (class, name)
JOIN pg_locks l ON l.classid::bigint = c.class
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory'
    AND l.objsubid = 2
    AND l.granted
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND NOT has_any_column_privilege(a.usesysid, c.name::regclass, 'INSERT')
    AND NOT EXISTS (
        SELECT FROM pg_roles r
        WHERE pg_has_role(a.usesysid, r.oid, 'MEMBER')
            AND has_any_column_privilege(r.oid, c.name::regclass, 'INSERT'));

-- name: lock_end_foreign
-- $1 the session, $2 its role: the same process number may be another session by now.
SELECT count(pg_terminate_backend(a.pid))
FROM pg_stat_activity a
WHERE a.pid = $1 AND a.usesysid::bigint = $2;

-- name: lock_silent
-- PostgreSQL 13 does not end idle sessions: a session that is silent for too long is ended by
-- others. $1 the classes of the locks, $2 milliseconds.
SELECT count(pg_terminate_backend(a.pid))
FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory'
    AND l.classid::bigint = ANY ($1::bigint[])
    AND l.objsubid = 2
    AND l.granted
    AND l.pid <> pg_backend_pid()
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND a.state = 'idle'
    AND a.state_change < clock_timestamp() - $2::bigint * interval '1 ms';
