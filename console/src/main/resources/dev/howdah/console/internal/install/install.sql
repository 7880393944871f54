-- Creates the tables of a feature from the console.

-- name: session_timeout
SELECT current_setting('statement_timeout');

-- name: session_set_timeout
-- :timeout of statements of this session.
SELECT set_config('statement_timeout', :timeout, false);
