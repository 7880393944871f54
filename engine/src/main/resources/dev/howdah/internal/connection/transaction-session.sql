-- Sessions that are used for one transaction after the other.

-- name: connection_reset
-- Two parts of DISCARD ALL that are needed always, since nothing tells whether they are.
RESET ALL; DISCARD SEQUENCES

-- name: connection_settings(application, role)
-- Behind it, in the same message. pgjdbc sets these after it has connected, so that they are reset,
-- too. :application the application's name, :role the role that has logged in. Answers whether
-- there is more to discard: another role, a temporary schema, a channel, an open cursor; and
-- whether there are prepared statements that were made by text: those of the driver are not.
SELECT pg_catalog.set_config('extra_float_digits', '3', false),
    pg_catalog.set_config('application_name', COALESCE(:application::text, ''), false),
    pg_catalog.pg_advisory_unlock_all(),
    NOT (
        pg_catalog.current_setting('role') OPERATOR(pg_catalog.=) 'none'
        AND session_user::text OPERATOR(pg_catalog.=) :role::text
        AND pg_catalog.pg_my_temp_schema() OPERATOR(pg_catalog.=) 0::oid
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_listening_channels())
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable)),
    EXISTS (SELECT FROM pg_catalog.pg_prepared_statements p WHERE p.from_sql);

-- name: connection_discard
-- The parts of DISCARD ALL, but for the plans of prepared statements: those of the driver would
-- have to be made anew in each transaction, which costs more than to run them.
SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; CLOSE ALL; UNLISTEN *; DISCARD TEMP;
DISCARD SEQUENCES

-- name: connection_deallocate
DEALLOCATE ALL;
