-- Reads, makes and drops the mark that everything of Howdah in this database is paused.

-- name: pause_read
-- The relation of that name, and what its comment says. No row: there is none.
SELECT mark.relkind = 'v' AND pg_has_role(mark.relowner, home.nspowner, 'MEMBER') AS ours,
    mark.oid::regclass::text AS relation,
    CASE mark.relkind WHEN 'v' THEN 'a view' WHEN 'm' THEN 'a materialized view'
        WHEN 'f' THEN 'a foreign table' WHEN 'S' THEN 'a sequence' WHEN 'c' THEN 'a type'
        ELSE 'a table' END AS kind,
    pg_get_userbyid(mark.relowner)::text AS owner, pg_get_userbyid(home.nspowner)::text AS home,
    obj_description(mark.oid, 'pg_class') AS said
FROM pg_class mark
JOIN pg_namespace home ON home.oid = mark.relnamespace
WHERE home.nspname = 'howdah' AND mark.relname = 'paused';

-- name: pause_may_change
-- Whether this role may make and drop the mark. No row: there is no such schema.
SELECT pg_has_role(current_user, home.nspowner, 'USAGE')
        AND has_schema_privilege(home.oid, 'CREATE') AS allowed,
    current_user::text AS role, pg_get_userbyid(home.nspowner)::text AS home
FROM pg_namespace home
WHERE home.nspname = 'howdah';

-- name: pause_schema
-- A database whose tasks alone are served may have none yet.
CREATE SCHEMA IF NOT EXISTS howdah;

-- name: pause_make
CREATE VIEW howdah.paused AS SELECT true AS paused;

-- name: pause_comment(reason, role)
-- :reason why, :role who; NULL: this role. For the next statement of the transaction.
SELECT set_config('howdah.pause', json_build_object(
    'reason', :reason::text,
    'since', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'by', COALESCE(:role::text, session_user::text))::text, true);

-- name: pause_write
DO $howdah$
BEGIN
    EXECUTE format('COMMENT ON VIEW howdah.paused IS %L', current_setting('howdah.pause', true));
END
$howdah$;

-- name: pause_drop
DROP VIEW IF EXISTS howdah.paused;

-- name: pause_asked
SELECT /*paused:*/false/*:paused*/ AS paused;
