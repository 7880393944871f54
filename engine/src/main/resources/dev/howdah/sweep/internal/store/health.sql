-- Whether the database can take more work just now.

-- name: health_lag
-- How many seconds the slowest standby is behind, and of how many of them that is not to be seen.
SELECT COALESCE(max(extract(epoch FROM r.replay_lag)), 0)::float8,
    count(*) FILTER (WHERE r.state IS NULL)
FROM pg_stat_replication r;

-- name: health_maintenance
-- VACUUM, ANALYZE, by hand or not, and making an index concurrently hold this lock.
WITH RECURSIVE part (oid) AS (
    SELECT :table::bigint::oid
    UNION
    SELECT i.inhrelid
    FROM part p
    JOIN pg_class c ON c.oid = p.oid AND c.relkind = 'p'
    JOIN pg_inherits i ON i.inhparent = p.oid
)
SELECT EXISTS (
    SELECT
    FROM pg_locks l
    WHERE l.locktype = 'relation' AND l.mode = 'ShareUpdateExclusiveLock' AND l.granted
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND l.relation IN (SELECT p.oid FROM part p));

-- name: health_within
-- Nothing in this transaction takes longer. :millis milliseconds.
SELECT set_config('statement_timeout', :millis::text, true);
