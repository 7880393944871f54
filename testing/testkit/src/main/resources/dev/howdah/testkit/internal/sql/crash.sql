-- What the crash harness asks.

-- name: session_count
-- How many of these sessions the server still has. :sessions their numbers.
SELECT count(*) FROM pg_stat_activity a WHERE a.pid = ANY (:sessions::integer[]);
