-- Which versions of Howdah's tables a database has.

-- name: lock
-- One brings tables up to date at a time.
SELECT pg_advisory_xact_lock(1215264877, 0);

-- name: holder
-- The session that holds that lock, and whether its role may change tables of Howdah.
SELECT a.pid, COALESCE(a.usename::text, a.usesysid::text),
    has_database_privilege(a.usesysid, current_database(), 'CREATE')
        OR pg_has_role(a.usesysid, n.nspowner, 'MEMBER')
FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
LEFT JOIN pg_namespace n ON n.nspname = 'howdah'
WHERE l.locktype = 'advisory'
    AND l.classid = 1215264877
    AND l.objid = 0
    AND l.objsubid = 2
    AND l.granted
    AND l.pid <> pg_backend_pid()
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
LIMIT 1;

-- name: patience
-- Whoever waits for a table keeps all others waiting who want it.
-- Less than deadlock_timeout: where others wait for each other with the change, it is the change that gives way.
SELECT set_config('lock_timeout', '300ms', true);

-- name: search_path
-- What is made now shall mean the same for ever, whatever operators somebody has put into a schema of this role's path.
SET LOCAL search_path = pg_catalog, pg_temp;

-- name: schema
CREATE SCHEMA IF NOT EXISTS howdah;

-- name: table
CREATE TABLE IF NOT EXISTS howdah.migration (
    feature text NOT NULL,
    version integer NOT NULL,
    applied timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (feature, version)
);
COMMENT ON TABLE howdah.migration IS 'Which versions of Howdah''s tables this database has.';

-- name: needs
-- Databases from before there was that column get it, too.
ALTER TABLE howdah.migration ADD COLUMN IF NOT EXISTS needs integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN howdah.migration.needs IS 'which version a program has to know at least to work with this one';

-- name: drop_functions
-- What removes functions of these names that are no triggers, $1.
SELECT 'DROP FUNCTION ' || string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p
WHERE p.pronamespace = 'howdah'::regnamespace AND p.proname = ANY ($1::text[]) AND p.prorettype <> 'trigger'::regtype;

-- name: drop_triggers
-- The same for those that are; tables of others that use them keep them from going.
SELECT 'DROP FUNCTION ' || string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p
WHERE p.pronamespace = 'howdah'::regnamespace AND p.proname = ANY ($1::text[]) AND p.prorettype = 'trigger'::regtype;

-- name: drop_views
SELECT 'DROP VIEW ' || string_agg(c.oid::regclass::text, ', ') FROM pg_class c
WHERE c.relnamespace = 'howdah'::regnamespace AND c.relname = ANY ($1::text[]) AND c.relkind = 'v';

-- name: drop_tables
SELECT 'DROP TABLE ' || string_agg(c.oid::regclass::text, ', ') FROM pg_class c
WHERE c.relnamespace = 'howdah'::regnamespace AND c.relname = ANY ($1::text[]) AND c.relkind IN ('r', 'p');

-- name: forget
-- $1 the feature.
WITH gone AS (DELETE FROM howdah.migration m WHERE m.feature = $1) SELECT NULL::text;

-- name: drop_table
SELECT 'DROP TABLE howdah.migration' WHERE NOT EXISTS (SELECT FROM howdah.migration);

-- name: drop_schema
SELECT 'DROP SCHEMA howdah'
WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = 'howdah'::regnamespace)
    AND NOT EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = 'howdah'::regnamespace)
    AND NOT EXISTS (SELECT FROM pg_type t WHERE t.typnamespace = 'howdah'::regnamespace);
