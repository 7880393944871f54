-- About the database itself.

-- name: database_number
-- What tells the work of this database from that of others.
SELECT s.system_identifier || '-' || d.oid
FROM pg_control_system() s
CROSS JOIN pg_database d
WHERE d.datname = current_database();

-- name: database_identity
-- What tells this database from a copy of it, as far as a copy differs: one of the files of a whole
-- server does not.
SELECT format('database %s with oid %s of system %s', d.datname, d.oid, s.system_identifier)
FROM pg_control_system() s
CROSS JOIN pg_database d
WHERE d.datname = current_database();

-- name: database_served
-- What the program noted when it served the database last: the comment on a view, which goes along
-- in a dump or a copy. No row: there is no schema for it.
SELECT obj_description(v.oid, 'pg_class') AS noted,
    pg_has_role(current_user, n.nspowner, 'USAGE') AND has_schema_privilege(n.oid, 'CREATE')
        AND (v.oid IS NULL OR v.relkind = 'v') AS writable,
    v.oid IS NOT NULL AND pg_has_role(v.relowner, n.nspowner, 'MEMBER') AS trusted
FROM pg_namespace n
LEFT JOIN pg_class v ON v.relnamespace = n.oid AND v.relname = 'served'
WHERE n.nspname = 'howdah';

-- name: database_served_make
CREATE OR REPLACE VIEW howdah.served AS SELECT true AS served;

-- name: database_served_set
-- :note what is noted. For the next statement of the transaction.
SELECT set_config('howdah.served', :note::text, true);

-- name: database_served_write
DO $howdah$
BEGIN
    EXECUTE format('COMMENT ON VIEW howdah.served IS %L', current_setting('howdah.served', true));
END
$howdah$;

-- name: database_processes
-- Whether the tables of processes are there.
SELECT to_regclass('howdah_internal.process') IS NOT NULL;

-- name: database_snapshot_and_time
-- The snapshot is another one when anything has been written in the meantime.
SELECT txid_current_snapshot()::text AS snapshot, now() AS time;

-- name: database_names
-- The name of the database first, then those of its tables, columns and functions, which a prompt
-- completes.
SELECT current_database()
UNION ALL
SELECT c.oid::regclass::text
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
UNION ALL
SELECT DISTINCT quote_ident(a.attname)
FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE a.attnum > 0
    AND NOT a.attisdropped
    AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'howdah_internal')
UNION ALL
SELECT DISTINCT quote_ident(n.nspname) || '.' || quote_ident(p.proname)
FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = 'howdah';
