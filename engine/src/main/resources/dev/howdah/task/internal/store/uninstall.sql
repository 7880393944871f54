-- What Howdah has made for a table of tasks, as statements that drop it. They name nothing else:
-- where objects of users depend on it, the server refuses them.

-- name: lock_take
-- Whether no scheduler serves the table; until the end of the transaction none begins. :table the
-- name of the table, quoted.
SELECT pg_try_advisory_xact_lock(1215264867, hashtext(:table));

-- name: task_left
-- What would not be done any more; NULL: nothing.
SELECT count(*) || CASE count(*) WHEN 1 THEN ' task waits or runs' ELSE ' tasks wait or run' END
FROM /*table*/public.task t
WHERE t.state::text IN ('PLAN', 'TAKE', 'WORK')
HAVING count(*) > 0;

-- name: table_served
-- Whether the database has another table of tasks. :table the oid of this one; NULL: it is gone.
SELECT EXISTS (
    SELECT
    FROM pg_trigger t
    JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE t.tgname = c.relname || '_after'
        AND p.proname = c.relname || '_after'
        AND p.pronamespace = c.relnamespace
        AND p.proconfig = ARRAY['search_path=pg_catalog, pg_temp']
        AND c.oid::bigint IS DISTINCT FROM :table::bigint);

-- name: trigger_of_table(table, triggers, functions, schema)
-- :table the oid of the table, :triggers names of triggers, :functions names of functions.
SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass) AS drop
FROM pg_trigger t
JOIN pg_proc p ON p.oid = t.tgfoid
WHERE t.tgrelid = :table::bigint::oid
    AND t.tgname = ANY (:triggers::text[])
    AND p.proname = ANY (:functions::text[])
    AND p.pronamespace = to_regnamespace(quote_ident(:schema));

-- name: function_of_table
-- Those that are set up as ours are.
SELECT format('DROP FUNCTION %s', p.oid::regprocedure) AS drop
FROM unnest(:signatures::text[]) s (signature)
JOIN pg_proc p ON p.oid = to_regprocedure(s.signature)
WHERE p.proconfig && ARRAY['search_path=pg_catalog, pg_temp'];

-- name: column_strange(table, columns)
-- Those that are not of a table of tasks; NULL: none. :table the oid of the table, :columns the
-- columns that Howdah makes.
SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
FROM pg_attribute a
WHERE a.attrelid = :table::bigint::oid
    AND a.attnum > 0
    AND NOT a.attisdropped
    AND a.attname <> ALL (:columns::text[]);

-- name: table_drop_itself
DROP TABLE /*table*/public.task;

-- name: state_drop(type, states)
-- The type of the states, if no column has it. :type its name.
SELECT format('DROP TYPE %s', t.oid::regtype) AS drop
FROM pg_type t
WHERE t.oid = to_regtype(:type)
    AND t.typtype = 'e'
    AND :states::text[] = ARRAY(
        SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder)
    AND NOT EXISTS (
        SELECT
        FROM pg_depend d
        WHERE d.refclassid = 'pg_type'::regclass
            AND d.refobjid IN (t.oid, t.typarray)
            AND d.deptype = 'n');

-- name: login_of_table
-- :table the oid of the table.
SELECT l.rolname::text AS login
FROM pg_roles l
WHERE l.rolname ~ ('^howdah_' || (
            SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
        || '_' || :table || '_[0-9]{1,10}$')
    AND shobj_description(l.oid, 'pg_authid') LIKE 'Howdah runs the tasks of %';

-- name: function_shared
SELECT format('DROP FUNCTION %s', string_agg(p.oid::regprocedure::text, ', ')) AS drop
FROM pg_proc p
WHERE p.pronamespace = to_regnamespace('howdah')
    AND p.proname = ANY (:names::text[])
    AND p.proconfig && ARRAY['search_path=pg_catalog, pg_temp', 'array_nulls=on']
HAVING count(*) > 0;

-- name: document_there
-- Whether the tables of templates and documents are there, and ours.
SELECT EXISTS (
    SELECT FROM pg_policy y WHERE y.polrelid = to_regclass('howdah.document'))
    AND to_regclass('howdah.template') IS NOT NULL;

-- name: document_left
-- What would be lost with them; NULL: nothing.
SELECT concat_ws(
        ' and ',
        NULLIF(d.n, 0) || CASE d.n WHEN 1 THEN ' document' ELSE ' documents' END,
        NULLIF(m.n, 0) || CASE m.n WHEN 1 THEN ' template' ELSE ' templates' END)
    || CASE d.n + m.n WHEN 1 THEN ' is' ELSE ' are' END || ' still there'
FROM (SELECT count(*) AS n FROM howdah.document) d
CROSS JOIN (SELECT count(*) AS n FROM howdah.template) m
WHERE d.n + m.n > 0;

-- name: document_drop
DROP TABLE howdah.document, howdah.template;
