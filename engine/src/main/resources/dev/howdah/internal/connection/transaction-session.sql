-- Sessions that are used for one transaction after the other.

-- name: connection_reset
-- The parts of DISCARD ALL, but for the plans of prepared statements: those of the driver would
-- have to be made anew in each transaction, which costs more than to run them.
SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; CLOSE ALL; UNLISTEN *; DISCARD TEMP;
DISCARD SEQUENCES

-- name: connection_settings
-- Behind it, in the same message. pgjdbc sets these after it has connected, so that they are reset,
-- too. $1 the application's name. Answers whether there are prepared statements that were made by
-- text: those of the driver are not.
SELECT pg_catalog.set_config('extra_float_digits', '3', false),
    pg_catalog.set_config('application_name', COALESCE($1::text, ''), false),
    pg_catalog.pg_advisory_unlock_all(),
    EXISTS (SELECT FROM pg_catalog.pg_prepared_statements p WHERE p.from_sql);

-- name: connection_deallocate
DEALLOCATE ALL;
