-- Sessions that are kept.

-- name: connection_prepare_session
-- Plans that stay right however the tables grow; see the same in task/scheduler.sql. And names
-- as texts that can be compared, and values that lose nothing. A session that has only the name of
-- its driver is named, for pg_stat_activity.
SELECT set_config(s.name, CASE
    WHEN s.name = 'plan_cache_mode' THEN 'force_generic_plan'
    WHEN s.name = 'extra_float_digits' THEN '3'
    WHEN s.name = 'bytea_output' THEN 'hex'
    WHEN s.name = 'array_nulls' THEN 'on'
    WHEN s.name = 'application_name' THEN 'howdah'
    WHEN s.name LIKE 'enable%' OR s.name IN ('jit', 'default_transaction_read_only')
        THEN 'off'
    ELSE '0' END, false)
FROM pg_settings s
WHERE s.name IN (
    'enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin',
    'jit', 'default_transaction_read_only', 'lock_timeout', 'statement_timeout',
    'idle_session_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout',
    'plan_cache_mode', 'quote_all_identifiers', 'extra_float_digits', 'bytea_output',
    'array_nulls')
    OR s.name = 'application_name' AND s.setting IN ('', 'PostgreSQL JDBC Driver')
UNION ALL SELECT set_config('default_transaction_isolation', 'read committed', false);

-- name: connection_silence
-- A node that says nothing for so long has lost its session, whether it knows or not: at PostgreSQL
-- 14 and later; where the network is gone, from 12 on. :millis milliseconds.
SELECT set_config(s.name, :millis::text, false)
FROM pg_settings s
WHERE s.name IN ('idle_session_timeout', 'tcp_user_timeout')
UNION ALL SELECT set_config('tcp_keepalives_idle', GREATEST(:millis::bigint * 4 / 10000, 1)::text,
    false)
UNION ALL
SELECT set_config('tcp_keepalives_interval', GREATEST(:millis::bigint * 2 / 10000, 1)::text, false)
UNION ALL SELECT set_config('tcp_keepalives_count', '3', false)
UNION ALL SELECT set_config('statement_timeout', '0', false);

-- name: connection_search_path
SELECT set_config('search_path', 'pg_catalog, pg_temp', false);

-- name: server_instance
-- The server process, another one after a failover and after a restart: by the microsecond of its
-- start, because its address depends on the way to it. And the timeline, another one after a
-- promotion only.
SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint::text,
    CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END;
