-- What the crash harness asks.

-- name: session_count
-- How many of these sessions the server still has. $1 their numbers.
SELECT count(*) FROM pg_stat_activity a WHERE a.pid = ANY ($1::integer[]);
