-- What pg_task.json leaves open, and the databases and roles that it names.

-- name: served_list
-- The settings that say which tables are to be served, as a session of the daemon's database sees
-- them.
SELECT NULLIF(current_setting('pg_task.json', true), '') AS json,
       COALESCE(NULLIF(current_setting('pg_task.data', true), ''), 'postgres') AS data,
       COALESCE(NULLIF(current_setting('pg_task.user', true), ''), 'postgres') AS "user",
       current_user::text AS role;

-- name: served_place(role, database)
-- Whether role and database are there, and what we may do about it.
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :role) AS has_role,
       EXISTS (SELECT FROM pg_database WHERE datname = :database) AS has_database,
       COALESCE((SELECT bool_or(r.oid = (SELECT oid FROM pg_roles WHERE rolname = current_user)
                        OR pg_has_role(
                            r.oid,
                            CASE WHEN current_setting('server_version_num')::integer >= 160000
                            THEN 'SET' ELSE 'MEMBER' END))
                 FROM pg_roles r WHERE r.rolname = :role), false) AS member,
       me.rolsuper AS superuser, me.rolsuper OR me.rolcreaterole AS may_create_role,
       me.rolsuper OR me.rolcreatedb AS may_create_database
FROM pg_roles me WHERE me.rolname = current_user;

-- name: served_create_role
CREATE ROLE /*role*/howdah_user LOGIN;

-- name: served_join_role
GRANT /*role*/howdah_user TO CURRENT_USER;

-- name: served_create_database
CREATE DATABASE /*database*/howdah_data OWNER /*role*/howdah_user;

-- name: served_fallbacks
-- The settings of a role in this database: its own there, its own, the database's, that of all; and
-- last what this session has, which is the configuration unless something is set for the daemon's
-- own role.
SELECT n.name, COALESCE(
    (SELECT NULLIF(substr(c.entry, strpos(c.entry, '=') + 1), '')
     FROM pg_db_role_setting s CROSS JOIN LATERAL unnest(s.setconfig) c (entry)
     WHERE s.setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = :role))
     AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
     AND lower(split_part(c.entry, '=', 1)) = 'pg_task.' || n.name
     ORDER BY s.setrole = 0, s.setdatabase = 0 LIMIT 1),
    NULLIF(current_setting('pg_task.' || n.name, true), '')) AS value
FROM unnest(ARRAY['schema', 'table', 'sleep', 'reset', 'run']) n (name);

-- name: served_seconds
SELECT extract(epoch FROM $1::interval)::float8 AS seconds;
