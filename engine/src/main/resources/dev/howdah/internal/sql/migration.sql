-- The table howdah.migration: which versions of Howdah's tables a database has.

-- name: migration_lock
-- One session at a time creates or changes tables.
SELECT pg_advisory_xact_lock(1215264877, 0);

-- name: migration_lock_holder
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

-- name: migration_lock_timeout
-- A session that waits for a table lock blocks all others that want the table. Less than
-- deadlock_timeout: in a deadlock with other sessions the change gives way.
SELECT set_config('lock_timeout', '300ms', true);

-- name: migration_search_path
-- Defaults and views mean the same for ever, whatever operators are in schemas of the role's path.
SET LOCAL search_path = pg_catalog, pg_temp;

-- name: migration_state
-- Whether the table is there, and whether in its present form: unreleased versions of Howdah made
-- one without the column made, or had all in one schema.
SELECT to_regclass('howdah.migration') IS NOT NULL,
    to_regnamespace('howdah_internal') IS NOT NULL
    AND EXISTS (
        SELECT
        FROM pg_attribute a
        WHERE a.attrelid = to_regclass('howdah.migration')
            AND a.attname = 'made'
            AND NOT a.attisdropped
    );

-- name: migration_unknown_tables
-- The first table or view of these names; NULL: there is none.
SELECT min(c.relnamespace::regnamespace || '.' || c.relname)
FROM pg_class c
WHERE c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
    AND c.relname = ANY (:names::text[]);

-- name: migration_create
-- The owner of the tables of a feature need not have the privilege to create a schema. A schema for
-- what users do not see that is there before the first feature has to be empty, and of this role or
-- of the owner of the other one: what is in it runs with the rights of the tables' owner. The other
-- one has to be of a role that could do the same without it, have no function of another, and let
-- no other create there: such a role could put functions of the names of Howdah's there, which all
-- would call. A superuser is a member of every role, which says nothing of trust. A daemon may have
-- made the schema, for its marks and for the functions of tasks, and keeps those: a superuser takes
-- the schema, and makes the marks anew, because a view reads with the rights of its owner.
DO $howdah$
DECLARE
    of_tasks CONSTANT text[] :=
        '{template_guard,task_table,writers,run,wait,task_schedule,cron,cron_pause,cron_resume,'
        'cron_run,cron_remove,cron_list,percent,remote,task_columns,document_name,send,'
        'template_version,template,http,pdf,render,mail,ssh,sftp,exec,row_json,row_of,row_key,'
        'task_of_change,task_of_row,task_of_statement,task_trigger_function,drop_task_trigger,'
        'task_trigger}';
    home pg_namespace;
    found pg_namespace;
    others text;
    taken boolean;
    mark record;
BEGIN
    SELECT n.* INTO home FROM pg_namespace n WHERE n.nspname = 'howdah';
    IF home.oid IS NULL THEN
        CREATE SCHEMA howdah;
        COMMENT ON SCHEMA howdah IS 'Howdah: what its documents describe';
    END IF;
    IF to_regclass('howdah.migration') IS NULL THEN
        SELECT string_agg(
                DISTINCT CASE x.role WHEN 0 THEN 'PUBLIC'
                    ELSE quote_ident(pg_get_userbyid(x.role)) END, ', ')
                FILTER (WHERE NOT x.may_be_taken),
            bool_or(x.may_be_taken) INTO others, taken
        FROM (
            SELECT home.nspowner AS role, pg_has_role(current_user, home.nspowner, 'USAGE')
                AND NOT EXISTS (
                    SELECT
                    FROM pg_class c
                    WHERE c.relnamespace = home.oid
                        AND c.relkind NOT IN ('i', 'S')
                        AND (c.relname, c.relkind) NOT IN (
                            ('paused', 'v'), ('served', 'v'), ('template', 'r'), ('document', 'r')))
                AND NOT EXISTS (
                    SELECT
                    FROM pg_type t
                    WHERE t.typnamespace = home.oid AND t.typrelid = 0 AND t.typelem = 0)
                AND NOT EXISTS (SELECT FROM pg_operator o WHERE o.oprnamespace = home.oid)
                AS may_be_taken
            WHERE home.oid IS NOT NULL
            UNION ALL
            SELECT p.proowner, false
            FROM pg_proc p
            WHERE p.pronamespace = home.oid
                AND NOT (
                    p.proname = ANY (of_tasks)
                    AND COALESCE(
                        p.proconfig && ARRAY[
                            'search_path=pg_catalog, pg_temp', 'array_nulls=on'], false))
            UNION ALL
            SELECT a.grantee, false
            FROM pg_namespace n
            CROSS JOIN aclexplode(n.nspacl) a
            WHERE n.nspname IN ('howdah', 'howdah_internal')
                AND a.privilege_type = 'CREATE'
                AND a.grantee <> n.nspowner) x
        WHERE NOT pg_has_role(x.role, current_user, 'MEMBER')
            AND NOT EXISTS (
                SELECT
                FROM pg_roles me
                WHERE me.rolname = current_user
                    AND NOT me.rolsuper
                    AND pg_has_role(current_user, x.role, 'MEMBER'))
            AND x.role <> (
                SELECT d.datdba FROM pg_database d WHERE d.datname = current_database());
        IF others IS NOT NULL THEN
            RAISE 'the schema howdah, a function in it, or the right to create there or in '
                'howdah_internal belongs to %, which could put there what runs with the rights of '
                'others', others
                USING ERRCODE = 'feature_not_supported',
                    HINT = 'Install as that role; or ALTER SCHEMA howdah OWNER TO CURRENT_USER, '
                        'drop what is in it, and REVOKE CREATE ON SCHEMA howdah; or keep Howdah''s '
                        'tables in another schema (installation).';
        END IF;
        IF taken THEN
            ALTER SCHEMA howdah OWNER TO CURRENT_USER;
            EXECUTE format('GRANT USAGE ON SCHEMA howdah TO %I', pg_get_userbyid(home.nspowner));
            FOR mark IN
                SELECT c.relname AS name, obj_description(c.oid, 'pg_class') AS said
                FROM pg_class c
                WHERE c.relnamespace = home.oid
                    AND c.relname IN ('paused', 'served')
                    AND pg_has_role(c.relowner, home.nspowner, 'MEMBER')
            LOOP
                EXECUTE format('DROP VIEW howdah.%I', mark.name);
                EXECUTE format('CREATE VIEW howdah.%1$I AS SELECT true AS %1$I', mark.name);
                EXECUTE format('COMMENT ON VIEW howdah.%I IS %L', mark.name, mark.said);
            END LOOP;
        END IF;
    END IF;
    SELECT n.* INTO found FROM pg_namespace n WHERE n.nspname = 'howdah_internal';
    IF found.oid IS NULL THEN
        CREATE SCHEMA howdah_internal;
        COMMENT ON SCHEMA howdah_internal IS
            'Howdah: what only its programs use; it changes with each version';
    ELSIF to_regclass('howdah.migration') IS NULL
        AND (
            EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = found.oid)
            OR EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = found.oid)
            OR EXISTS (SELECT FROM pg_type t WHERE t.typnamespace = found.oid)
            OR found.nspowner <> (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user)
                AND found.nspowner <> (
                    SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'howdah'))
    THEN
        RAISE 'the schema howdah_internal is not of Howdah: Howdah keeps there what only its '
            'programs use, and takes a schema of that name only if it is empty and its owner is '
            'this role or the owner of the schema howdah'
            USING ERRCODE = 'feature_not_supported',
                HINT = 'Rename that schema, or keep Howdah''s tables in another one '
                    '(installation).';
    END IF;
    IF to_regclass('howdah.migration') IS NULL THEN
        CREATE TABLE howdah.migration (
            feature text NOT NULL,
            version integer NOT NULL,
            file text,
            needs integer NOT NULL DEFAULT 0,
            made timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (feature, version)
        );
        COMMENT ON TABLE howdah.migration IS
            'Which versions of Howdah''s tables this database has.';
        COMMENT ON COLUMN howdah.migration.file IS 'the file that made this version';
        COMMENT ON COLUMN howdah.migration.needs IS
            'which version a program has to know at least to work with this one';
    END IF;
END
$howdah$;

-- name: migration_unreleased
-- The schema, and the versions that a table of another form names.
SELECT 'howdah', COALESCE(string_agg(f.feature || ' ' || f.version, ', ' ORDER BY f.feature), '-')
FROM (
    SELECT m.feature, max(m.version) AS version FROM howdah.migration m GROUP BY m.feature) f;

-- name: migration_part
-- In scripts: a part that features share is made by the first of them.
DO $howdah_part$
BEGIN
    IF NOT EXISTS (
        SELECT
        FROM howdah.migration m
        WHERE m.feature = /*part:*/'node'/*:part*/ AND m.version >= /*step:*/1/*:step*/
    ) THEN
        /*statements:*/
        NULL;
        /*:statements*/
    END IF;
END
$howdah_part$;

-- name: migration_others
-- Whether other features use what this one uses: there are tables of one, apart from this one and
-- those of parts, :parts.
SELECT EXISTS (SELECT FROM howdah.migration m WHERE m.feature <> ALL (:parts::text[]));

-- name: migration_version
-- its version, and the version that a program has to know to work with it.
SELECT COALESCE(max(m.version), 0), COALESCE(max(m.needs), 0)
FROM howdah.migration m
WHERE m.feature = :feature;

-- name: migration_step_begin
-- In a transaction of another program, which gets its search_path back at the end.
DO $howdah$
BEGIN
    PERFORM pg_catalog.pg_advisory_xact_lock(1215264877, 0);
    PERFORM pg_catalog.set_config(
            'howdah.search_path', pg_catalog.current_setting('search_path'), true),
        pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
END
$howdah$;

-- name: migration_step_check
DO $howdah$
<<step_check>>
DECLARE
    feature CONSTANT text := /*feature:*/'job'/*:feature*/;
    subject CONSTANT text := /*subject:*/'jobs'/*:subject*/;
    before CONSTANT integer := /*before:*/0/*:before*/;
    version integer;
BEGIN
    SELECT COALESCE(max(m.version), 0) INTO step_check.version
    FROM howdah.migration m
    WHERE m.feature = step_check.feature;
    IF version <> before THEN
        RAISE 'these statements are for version % of the tables of %, which have version %',
            before, subject, version
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END
$howdah$;

-- name: migration_step_end
DO $howdah$
BEGIN
    PERFORM set_config('search_path', current_setting('howdah.search_path'), true);
END
$howdah$;

-- name: function_drop(names, internal_names, triggers)
-- What drops the functions and procedures of these names: :names in the schema that users see,
-- :internal_names in the other one. :triggers those that are triggers, which is refused while
-- tables of users use them, or those that are none.
SELECT 'DROP ROUTINE ' || string_agg(p.oid::regprocedure::text, ', ')
FROM pg_proc p
WHERE p.proname = ANY (CASE p.pronamespace
        WHEN to_regnamespace('howdah') THEN :names::text[]
        WHEN to_regnamespace('howdah_internal') THEN :internal_names::text[] END)
    AND (p.prorettype IS NOT DISTINCT FROM 'trigger'::regtype) = :triggers::boolean;

-- name: view_drop(names, internal_names)
-- Those of that name, and those on tables that inherit from one of that name.
SELECT 'DROP VIEW ' || string_agg(c.oid::regclass::text, ', ')
FROM pg_class c
WHERE c.relkind = 'v'
    AND (
        c.relname = ANY (CASE c.relnamespace
            WHEN to_regnamespace('howdah') THEN :names::text[]
            WHEN to_regnamespace('howdah_internal') THEN :internal_names::text[] END)
        OR c.relnamespace = to_regnamespace('howdah_internal')
            AND EXISTS (
                SELECT
                FROM pg_rewrite w
                JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                JOIN pg_inherits i
                    ON d.refclassid = 'pg_class'::regclass AND i.inhrelid = d.refobjid
                JOIN pg_class p ON p.oid = i.inhparent
                WHERE w.ev_class = c.oid
                    AND p.relnamespace = c.relnamespace
                    AND p.relname = ANY (:internal_names::text[])
                    AND p.relkind = 'r'));

-- name: table_drop(names, internal_names)
-- Those of that name, and those that inherit from one of that name.
SELECT 'DROP TABLE ' || string_agg(c.oid::regclass::text, ', ')
FROM pg_class c
WHERE c.relkind IN ('r', 'p')
    AND (
        c.relname = ANY (CASE c.relnamespace
            WHEN to_regnamespace('howdah') THEN :names::text[]
            WHEN to_regnamespace('howdah_internal') THEN :internal_names::text[] END)
        OR c.relnamespace = to_regnamespace('howdah_internal')
            AND EXISTS (
                SELECT
                FROM pg_inherits i
                JOIN pg_class p ON p.oid = i.inhparent
                WHERE i.inhrelid = c.oid
                    AND p.relnamespace = c.relnamespace
                    AND p.relname = ANY (:internal_names::text[])
                    AND p.relkind = 'r'));

-- name: sequence_drop(names, internal_names)
-- Those of that name that went with no table.
SELECT 'DROP SEQUENCE ' || string_agg(c.oid::regclass::text, ', ')
FROM pg_class c
WHERE c.relkind = 'S'
    AND c.relname = ANY (CASE c.relnamespace
        WHEN to_regnamespace('howdah') THEN :names::text[]
        WHEN to_regnamespace('howdah_internal') THEN :internal_names::text[] END);

-- name: migration_forget
WITH gone AS (
    DELETE FROM howdah.migration m
    WHERE m.feature = :feature
)
SELECT NULL::text;

-- name: migration_drop
SELECT 'DROP TABLE howdah.migration'
WHERE NOT EXISTS (SELECT FROM howdah.migration);

-- name: pause_drop_last
-- The mark that everything is paused, and what the program noted of the database, where nothing
-- else is left in the schema.
SELECT 'DROP VIEW ' || string_agg(v.oid::regclass::text, ', ')
FROM pg_class v
WHERE v.relnamespace = to_regnamespace('howdah')
    AND v.relname IN ('paused', 'served')
    AND v.relkind = 'v'
    AND NOT EXISTS (
        SELECT
        FROM pg_class c
        WHERE c.relnamespace = v.relnamespace AND c.relname NOT IN ('paused', 'served'))
    AND NOT EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = v.relnamespace);

-- name: schema_drop
-- Those of the two that are empty; the one that users do not see as soon as no feature is there.
SELECT 'DROP SCHEMA ' || string_agg(quote_ident(n.nspname), ', ')
FROM pg_namespace n
WHERE n.nspname IN ('howdah', 'howdah_internal')
    AND to_regclass('howdah.migration') IS NULL
    AND NOT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid)
    AND NOT EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = n.oid)
    AND NOT EXISTS (SELECT FROM pg_type t WHERE t.typnamespace = n.oid);
