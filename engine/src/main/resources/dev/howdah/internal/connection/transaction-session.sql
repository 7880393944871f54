-- Sessions that are used for one transaction after the other. Both statements are one message.

-- name: connection_discard
DISCARD ALL;

-- name: connection_settings
-- pgjdbc sets these after it has connected, so that DISCARD ALL forgets them. $1 the application's
-- name.
SELECT pg_catalog.set_config('extra_float_digits', '3', false),
    pg_catalog.set_config('application_name', COALESCE($1::text, ''), false);
