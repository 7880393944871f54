-- Sessions that are kept.

-- name: prepare_session
-- Plans that stay right however the tables grow; see the same in task/scheduler.sql.
SELECT set_config(s.name, CASE WHEN s.name LIKE 'enable%' OR s.name = 'jit' THEN 'off' ELSE '0' END, false)
FROM pg_settings s
WHERE s.name IN ('enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin', 'jit',
    'statement_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')
UNION ALL SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
UNION ALL SELECT set_config('default_transaction_isolation', 'read committed', false);
