-- What is said in the sessions of tasks, beside the tasks' own text. Everything is qualified: a
-- task may leave any search_path behind.

-- name: session_settings
SELECT pg_catalog.set_config('application_name', $1, false),
    pg_catalog.set_config('pg_task.id', $2, false),
    pg_catalog.set_config('pg_task.group', $3, false);

-- name: session_settings_with_timeout
SELECT pg_catalog.set_config('application_name', $1, false),
    pg_catalog.set_config('pg_task.id', $2, false),
    pg_catalog.set_config('pg_task.group', $3, false),
    pg_catalog.set_config('statement_timeout', $4, false);

-- name: session_reset_timeout
RESET statement_timeout;

-- name: session_ending
-- The clock, in microseconds of the epoch, and how the session wants its errors shown.
SELECT (
    pg_catalog.date_part(
        'epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000000::pg_catalog.float8
)::pg_catalog.int8,
    pg_catalog.current_setting('log_error_verbosity'),
    pg_catalog.current_setting('log_min_error_statement');

-- name: session_once
-- The setting is gone when the transaction is: then the task has ended it.
BEGIN; SET LOCAL howdah.once = 'on';

-- name: session_done
SELECT /*done*/public.task_done($1::pg_catalog.int8, $2::pg_catalog.text),
    pg_catalog.current_setting('howdah.once', true);

-- name: session_utf8
SET LOCAL client_encoding = 'UTF8';

-- name: session_reset
-- What the next task of the same session must not see: the parts of DISCARD ALL, which itself only
-- runs alone, but for advisory locks: those survive, as in the extension.
SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; DEALLOCATE ALL; CLOSE ALL; UNLISTEN *;
DISCARD PLANS; DISCARD TEMP; DISCARD SEQUENCES;

-- name: session_unlock
SELECT pg_catalog.pg_advisory_unlock_all();

-- name: session_as_login
SELECT pg_catalog.set_config('role', 'none', false);

-- name: session_end_others(sessions, age)
-- Ends other sessions of the same log-in, and says how many there are: those that are as old as
-- they have to be, so that a number that was given to another process since does no harm. A task
-- cannot hide that, whatever it sets; a clock that was put back could, hence the name. :sessions
-- pids, :age how many seconds old each has to be.
SELECT pg_catalog.count(pg_catalog.pg_terminate_backend(a.pid))
FROM ROWS
FROM (
    pg_catalog.unnest(:sessions::pg_catalog.int4[]), pg_catalog.unnest(:age::pg_catalog.float8[])
) o (pid, age)
JOIN pg_catalog.pg_stat_activity a ON a.pid = o.pid
WHERE a.usename = session_user AND a.datname = pg_catalog.current_database()
AND (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - a.backend_start) >= o.age - 1
     OR pg_catalog.starts_with(a.application_name, pg_catalog.current_setting('application_name')));

-- name: session_work_there
-- Whether sessions of this log-in work: for each of those that are there how old it is in seconds,
-- and in which state it waits for its client, empty if it does not; and for each when its server
-- has begun. :sessions pids.
SELECT o.pid, pg_catalog.pg_postmaster_start_time(),
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - a.backend_start),
    CASE WHEN pg_catalog.starts_with(a.state, 'idle') OR a.wait_event_type OPERATOR(pg_catalog.=)
        'Client'
        THEN pg_catalog.concat_ws(' ', a.state, a.state_change) ELSE '' END
FROM pg_catalog.unnest(:sessions::pg_catalog.int4[]) o (pid)
LEFT JOIN pg_catalog.pg_stat_activity a
    ON a.pid OPERATOR(pg_catalog.=) o.pid AND a.usename OPERATOR(pg_catalog.=) session_user
    AND a.datname OPERATOR(pg_catalog.=) pg_catalog.current_database();
