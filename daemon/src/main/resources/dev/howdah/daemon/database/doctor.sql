-- What howdah doctor asks beside the checks of the library.

-- name: command_doctor_server
-- The version of the server, and its time in milliseconds.
SELECT current_setting('server_version_num')::integer AS number, quote_ident(current_user) AS role,
    split_part(current_setting('server_version'), ' ', 1) AS version,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis;

-- name: command_doctor_migrations
-- Whether it is known which versions the tables have.
SELECT to_regclass('howdah.migration') IS NOT NULL AS present;

-- name: command_doctor_tables
-- Which versions the tables of the features have.
SELECT m.feature, max(m.version) AS version
FROM howdah.migration m
GROUP BY m.feature;

-- name: command_doctor_privileges
-- What roles lack that may already write to the tables of a feature; and the role that asks, if it
-- may write to those of none. The catalogs are read, since to_regclass needs privileges itself.
WITH feature (feature, main) AS (
    VALUES ('job', 'batch'), ('process', 'process'), ('sweep', 'sweep')
), ours AS (
    SELECT c.oid, c.relnamespace::regnamespace || '.' || c.relname AS called, c.relname, c.relowner,
        c.relacl
    FROM pg_class c
    WHERE c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
), needed (feature, name, privilege) AS (
    SELECT n.feature, t, p
    FROM (
        VALUES ('job', '{batch,body,failed,job,key,lane,lane_priority,log,node,order_key,schedule,'
            'stat,workflow,log_done,log_entry,log_lease,log_queue,log_reader,log_segment}'::text[]),
            ('process', '{process,process_task,process_event,process_key,process_reply,'
            'process_outbox,node,process_namespace,process_held,process_gone,process_archive,'
            'process_archive_event}'),
            ('sweep', '{sweep,sweep_process,sweep_worker,sweep_run,sweep_course,sweep_error}')
        ) n (feature, tables)
    CROSS JOIN unnest(n.tables) t
    CROSS JOIN unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) p
    UNION ALL
    SELECT 'sweep', 'sweep_history', p FROM unnest('{SELECT,INSERT,DELETE}'::text[]) p
    UNION ALL
    SELECT f.feature, 'migration', 'SELECT' FROM feature f
), granted AS (
    -- Those that are named in the privileges, whether or not they have all.
    SELECT DISTINCT f.feature, a.grantee AS role
    FROM feature f
    JOIN ours o ON o.relname = f.main
    CROSS JOIN LATERAL aclexplode(o.relacl) a
    JOIN pg_roles r ON r.oid = a.grantee
    WHERE a.privilege_type = 'INSERT' AND a.grantee <> o.relowner AND NOT r.rolsuper
), own AS (
    SELECT f.feature, r.oid AS role, has_table_privilege(r.oid, o.oid, 'INSERT') AS granted
    FROM feature f
    JOIN ours o ON o.relname = f.main
    CROSS JOIN pg_roles r
    WHERE r.rolname = current_user AND NOT r.rolsuper
        AND NOT EXISTS (SELECT FROM granted g WHERE g.feature = f.feature AND g.role = r.oid)
), asked AS (
    SELECT g.feature, g.role, true AS granted FROM granted g
    UNION ALL
    SELECT w.feature, w.role, w.granted
    FROM own w
    WHERE w.granted
        OR NOT EXISTS (SELECT FROM own x WHERE x.granted)
            AND NOT EXISTS (SELECT FROM granted g WHERE g.role = w.role)
), lacking AS (
    SELECT a.feature, a.role, a.granted, o.called AS name,
        string_agg(
            n.privilege, ', '
            ORDER BY position(n.privilege IN 'SELECT INSERT UPDATE DELETE')) AS what
    FROM asked a
    JOIN needed n ON n.feature = a.feature
    JOIN ours o ON o.relname = n.name
    WHERE NOT has_table_privilege(a.role, o.oid, n.privilege)
    GROUP BY a.feature, a.role, a.granted, o.called
), said AS (
    SELECT l.feature, l.role, l.granted,
        l.what || ' ON ' || string_agg(l.name, ', ' ORDER BY l.name) AS what
    FROM lacking l
    GROUP BY l.feature, l.role, l.granted, l.what
    UNION ALL
    SELECT a.feature, a.role, a.granted, 'USAGE ON SCHEMA ' || n.nspname
    FROM asked a
    JOIN pg_namespace n ON n.nspname IN ('howdah', 'howdah_internal')
    WHERE NOT has_schema_privilege(a.role, n.oid, 'USAGE')
    UNION ALL
    -- One of each part of howdah.allow: a role that was granted less, or before a version of the
    -- tables brought it, lacks them.
    SELECT a.feature, a.role, a.granted, 'EXECUTE ON FUNCTION ' || p.oid::regprocedure
    FROM asked a
    JOIN pg_proc p
        ON p.pronamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
        AND p.proname = ANY (
            '{add_each,claim_within,find,limit_unread,log_put,retention_step,unread,why_job}')
    WHERE a.feature = 'job' AND NOT has_function_privilege(a.role, p.oid, 'EXECUTE')
)
SELECT s.feature, s.granted, r.rolname AS role, quote_ident(r.rolname) AS quoted,
    quote_literal(r.rolname) AS literal, array_agg(s.what ORDER BY s.what) AS lacking
FROM said s
JOIN pg_roles r ON r.oid = s.role
GROUP BY s.feature, s.granted, r.rolname
ORDER BY s.feature, r.rolname;

-- name: command_doctor_task_table(schema, table)
-- What the role that asks may do with a table of tasks.
SELECT r.rolname AS role, quote_ident(r.rolname) AS quoted, r.rolsuper AS super,
    r.rolcreaterole AS creates_roles,
    c.oid IS NOT NULL AS present, n.oid IS NOT NULL AS schema_present,
    format('%I.%I', :schema::text, :table::text) AS name, quote_ident(:schema::text) AS schema,
    quote_ident(current_database()) AS database,
    COALESCE(has_schema_privilege(n.oid, 'CREATE'), false) AS may_create,
    has_database_privilege(current_database(), 'CREATE') AS may_create_schema,
    COALESCE(pg_has_role(c.relowner, 'MEMBER'), false) AS owns,
    (
        SELECT count(*) = 2
        FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname IN ('owner', 'state')) AS has_owners,
    EXISTS (
        SELECT FROM pg_class o
        WHERE o.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
            AND o.relname IN ('batch', 'process', 'sweep')
            AND has_table_privilege(o.oid, 'INSERT')) AS works_otherwise,
    COALESCE(
        ARRAY(
            SELECT u.p
            FROM unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) WITH ORDINALITY AS u (p, place)
            WHERE c.oid IS NOT NULL AND NOT has_table_privilege(c.oid, u.p)
            ORDER BY u.place), '{}') AS lacking
FROM pg_roles r
LEFT JOIN pg_namespace n ON n.nspname = :schema::text
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = :table::text
    AND c.relkind IN ('r', 'p')
WHERE r.rolname = current_user;

-- name: command_doctor_task_owners
-- The owners of tasks that wait, other than superusers, whose rights the role that asks cannot
-- pass on.
SELECT r.rolname AS owner, quote_ident(r.rolname) AS quoted
FROM (
    SELECT DISTINCT t.owner
    FROM (SELECT t.owner FROM /*table*/public.task t WHERE t.state = 'PLAN' LIMIT 100000) t) o
JOIN pg_roles r ON r.rolname = o.owner
WHERE NOT r.rolsuper AND r.rolname <> current_user
    AND (current_setting('server_version_num')::integer >= 160000
        OR NOT (SELECT u.rolcreaterole FROM pg_roles u WHERE u.rolname = current_user))
    AND NOT EXISTS (
        SELECT FROM pg_auth_members m
        WHERE m.roleid = r.oid AND m.member = current_user::regrole AND m.admin_option)
ORDER BY r.rolname;

-- name: command_doctor_budget
-- How many connections there are for the role that asks: :prefix the beginning of the names of
-- logins that Howdah makes.
SELECT quote_ident(r.rolname) AS quoted, quote_ident(d.datname) AS database,
    current_setting('max_connections')::integer
        - CASE WHEN r.rolsuper THEN 0
            ELSE current_setting('superuser_reserved_connections')::integer
                + COALESCE(current_setting('reserved_connections', true)::integer, 0) END AS most,
    CASE WHEN r.rolsuper OR r.rolconnlimit < 0 THEN NULL ELSE r.rolconnlimit END AS of_role,
    CASE WHEN r.rolsuper OR d.datconnlimit < 0 THEN NULL ELSE d.datconnlimit END AS of_database,
    (
        SELECT count(*)
        FROM pg_stat_activity a
        WHERE a.usesysid <> r.oid AND NOT starts_with(a.usename, :prefix::text)) AS others
FROM pg_roles r
JOIN pg_database d ON d.datname = current_database()
WHERE r.rolname = current_user;
