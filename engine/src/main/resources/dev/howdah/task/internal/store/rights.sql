-- Whose rights tasks have: the column owner, what keeps it true, and the logins with which tasks of
-- other roles run.

-- name: owner_column
-- The role that inserts a row is its owner: the default says so, the guard below keeps it so.
ALTER TABLE /*table*/public.task ADD COLUMN owner text NOT NULL DEFAULT current_user;

-- name: owner_column_mended
-- A column that is there already, or was changed since.
ALTER TABLE /*table*/public.task ALTER COLUMN owner SET DEFAULT current_user;

-- name: owner_rows
UPDATE /*table*/public.task SET owner = current_user WHERE owner IS NULL;

-- name: owner_column_filled
ALTER TABLE /*table*/public.task ALTER COLUMN owner SET NOT NULL;

-- name: owner_comment
COMMENT ON COLUMN /*table*/public.task . owner IS 'The role that added it, whose rights it has';

-- name: oid_column
-- Which role of that name it is: a name can be given again when a role has been dropped. Without a
-- default at first, so that rows that are there do not get the role that completes the table. They
-- mean whatever role has the name.
ALTER TABLE /*table*/public.task ADD COLUMN owner_oid oid;

-- name: oid_default
ALTER TABLE /*table*/public.task
    ALTER COLUMN owner_oid SET DEFAULT to_regrole(quote_ident(current_user))::oid;

-- name: oid_comment
COMMENT ON COLUMN /*table*/public.task . owner_oid
    IS 'The oid of owner: a later role of that name is another one';

-- name: oid_rows
-- What has still to run belongs to the role that has the name now, and to none where there is no
-- such role.
UPDATE /*table*/public.task t
SET owner_oid = COALESCE((SELECT r.oid FROM pg_roles r WHERE r.rolname = t.owner), 0)
WHERE t.state IN ('PLAN', 'TAKE', 'WORK');

-- name: bind_function
-- Called only for rows whose owner is not the role that writes them, or whose owner_oid is not the
-- one of that role. The owner of the table may choose it: repeats keep theirs. A name of no role is
-- meant as it stands then.
CREATE OR REPLACE FUNCTION /*bind*/public.task_bind()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $bind$
DECLARE
    left_out oid := CASE TG_OP WHEN 'UPDATE' THEN OLD.owner_oid
        ELSE (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user) END;
BEGIN
    IF NEW.owner_oid IS NOT DISTINCT FROM left_out
       OR NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'USAGE') THEN
        NEW.owner_oid := (SELECT r.oid FROM pg_roles r WHERE r.rolname = NEW.owner);
    END IF;
    RETURN NEW;
END
$bind$;

-- name: bind_added
-- The scheduler gives both; others that say so are stopped by the guard.
CREATE TRIGGER /*bind_added_name*/task_bind_added BEFORE INSERT ON /*table*/public.task FOR EACH ROW
WHEN ((NEW.owner IS DISTINCT FROM current_user::text
        OR NEW.owner_oid IS DISTINCT FROM to_regrole(quote_ident(current_user))::oid)
    AND current_setting('howdah.books', true) IS DISTINCT FROM 'kept here')
EXECUTE PROCEDURE /*bind*/public.task_bind();

-- name: bind_changed
CREATE TRIGGER /*bind_changed_name*/task_bind_changed
BEFORE UPDATE OF owner, owner_oid ON /*table*/public.task
FOR EACH ROW EXECUTE PROCEDURE /*bind*/public.task_bind();

-- name: bind_always
ALTER TABLE /*table*/public.task
    ENABLE ALWAYS TRIGGER /*bind_added_name*/task_bind_added,
    ENABLE ALWAYS TRIGGER /*bind_changed_name*/task_bind_changed;

-- name: bind_drop
DROP TRIGGER IF EXISTS /*bind_added_name*/task_bind_added ON /*table*/public.task;
DROP TRIGGER IF EXISTS /*bind_changed_name*/task_bind_changed ON /*table*/public.task;

-- name: guard_function
-- Called only for rows whose owner is not the role that writes them. A role may name an owner that
-- it could become itself, and so may a role with the rights of the table's owner, which could drop
-- this guard: repeats and restored rows come from it. Runs with the rights of the role that
-- writes.
CREATE OR REPLACE FUNCTION /*guard*/public.task_guard()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $guard$
DECLARE
    modern boolean := current_setting('server_version_num')::integer >= 160000;
    who text;
    target oid;
    super boolean;
BEGIN
    IF pg_has_role(
        (SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'USAGE'
    ) THEN RETURN NULL; END IF;
    IF TG_OP = 'UPDATE'
        AND NEW.owner IS NOT DISTINCT FROM OLD.owner
        AND NEW.input IS NOT DISTINCT FROM OLD.input
       AND NEW.remote IS NOT DISTINCT FROM OLD.remote
       AND NEW.on_failure IS NOT DISTINCT FROM OLD.on_failure
       AND NEW.owner_oid IS NOT DISTINCT FROM OLD.owner_oid THEN RETURN NULL; END IF;
    FOREACH who IN ARRAY CASE TG_OP
        WHEN 'UPDATE' THEN ARRAY[OLD.owner, NEW.owner]
        ELSE ARRAY[NEW.owner] END LOOP
        CONTINUE WHEN who = current_user;
        SELECT r.oid, r.rolsuper INTO target, super
        FROM pg_roles r
        WHERE r.rolname = who;
        IF target IS NULL THEN
            RAISE insufficient_privilege
                USING MESSAGE = format(
                    'role "%s" may not add a task of role "%s", which does not exist', current_user,
                    who),
                    HINT = 'Leave out the column owner: it is you.';
        END IF;
        CONTINUE WHEN CASE WHEN modern THEN pg_has_role(target, 'SET')
            ELSE pg_has_role(target, 'MEMBER') END;
        -- Who may make himself a member needs no more than that.
        CONTINUE WHEN pg_has_role(target, 'MEMBER WITH ADMIN OPTION');
        CONTINUE WHEN NOT modern
            AND NOT super
            AND (SELECT r.rolcreaterole FROM pg_roles r WHERE r.rolname = current_user);
        IF TG_OP = 'UPDATE' AND who = OLD.owner THEN
            RAISE insufficient_privilege
                USING MESSAGE = format(
                    'role "%s" may not change what task %s of role "%s" runs', current_user, OLD.id,
                    who),
                    HINT = format(
                        'Its owner, input, remote and on_failure can be changed by role "%s", '
                        'its members, and the owner of the table.',
                        who);
        END IF;
        RAISE insufficient_privilege
            USING MESSAGE = format('role "%s" may not add a task of role "%s"', current_user, who),
                HINT = format(
                    'Leave out the column owner: it is you. Members of role "%s" and the owner '
                    'of the table may name it.',
                    who);
    END LOOP;
    -- Another trigger may have chosen it.
    IF TG_OP = 'UPDATE' AND NEW.owner IS NOT DISTINCT FROM OLD.owner
       AND NEW.owner_oid IS NOT DISTINCT FROM OLD.owner_oid THEN RETURN NULL; END IF;
    IF NEW.owner_oid
       IS DISTINCT FROM (SELECT r.oid FROM pg_roles r WHERE r.rolname = NEW.owner) THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('role "%s" may not add a task of role "%s" with owner_oid %s',
                current_user, NEW.owner, COALESCE(NEW.owner_oid::text, 'NULL')),
            HINT = 'Leave out the column owner_oid: it follows from owner.';
    END IF;
    RETURN NULL;
END
$guard$;

-- name: guard_added
-- After the row, so that nothing can change it any more; the condition spares ordinary inserts the
-- call. The argument is the oid of the table: in a restored dump it is that of another one, whose
-- roles may have had other oids.
CREATE TRIGGER /*added_name*/task_added AFTER INSERT ON /*table*/public.task FOR EACH ROW
WHEN (NEW.owner IS DISTINCT FROM current_user::text
    OR NEW.owner_oid IS DISTINCT FROM to_regrole(quote_ident(current_user))::oid)
EXECUTE PROCEDURE /*guard*/public.task_guard(/*mark:*/'0'/*:mark*/);

-- name: guard_changed
-- What the scheduler writes are other columns.
CREATE TRIGGER /*changed_name*/task_changed
AFTER UPDATE OF input, remote, on_failure, owner, owner_oid ON /*table*/public.task
FOR EACH ROW
WHEN (OLD.owner IS DISTINCT FROM current_user::text OR NEW.owner IS DISTINCT FROM current_user::text
    OR NEW.owner_oid IS DISTINCT FROM OLD.owner_oid)
EXECUTE PROCEDURE /*guard*/public.task_guard(/*mark:*/'0'/*:mark*/);

-- name: guard_always
-- session_replication_role is no way around it.
ALTER TABLE /*table*/public.task ENABLE ALWAYS TRIGGER /*added_name*/task_added,
ENABLE ALWAYS TRIGGER /*changed_name*/task_changed;

-- name: guard_drop
DROP TRIGGER IF EXISTS /*added_name*/task_added ON /*table*/public.task;
DROP TRIGGER IF EXISTS /*changed_name*/task_changed ON /*table*/public.task;

-- name: accept_function
-- Before a row of a role that could not put triggers on the table: its id comes from the sequence,
-- so that no role can take the numbers of others or give a task the number of one that is gone; and
-- it says nothing about a run that has not taken place. The argument is the name of the sequence;
-- empty where id has none.
CREATE OR REPLACE FUNCTION /*accept*/public.task_accept()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $accept$
DECLARE
    given bigint := NEW.id;
    drawn bigint;
BEGIN
    IF TG_ARGV[0] <> '' THEN
        BEGIN
            drawn := currval(TG_ARGV[0]::regclass);
        EXCEPTION WHEN object_not_in_prerequisite_state THEN
            NULL; -- this session has drawn none
        END;
        IF given IS DISTINCT FROM drawn THEN
            NEW.id := nextval(TG_ARGV[0]::regclass);
            RAISE NOTICE 'the task has the id %, not %', NEW.id, given
                USING DETAIL = 'Only the owner of the table may choose the ids of tasks.',
                    HINT = 'Leave out the column id.';
        END IF;
    END IF;
    NEW.pid := NULL;
    NEW.retry := NULL;
    IF NEW.state IN ('TAKE', 'WORK') THEN NEW.state := 'PLAN'; END IF;
    RETURN NEW;
END
$accept$;

-- name: accept_trigger
-- The condition spares ordinary inserts the call. Its name sorts before that of the trigger that
-- reads the id.
CREATE TRIGGER /*accept_name*/task_accept BEFORE INSERT ON /*table*/public.task FOR EACH ROW
WHEN (NOT has_table_privilege(/*relation:*/'public.task'::regclass/*:relation*/, 'TRIGGER')
    AND (/*chosen:*/NEW.id IS DISTINCT FROM pg_sequence_last_value('public.task_id_seq'::regclass)
            OR NEW.id IS DISTINCT FROM currval('public.task_id_seq'::regclass)/*:chosen*/
        OR NEW.pid IS NOT NULL OR NEW.retry IS NOT NULL OR NEW.state IN ('TAKE', 'WORK')))
EXECUTE PROCEDURE /*accept*/public.task_accept(/*numbers:*/'public.task_id_seq'/*:numbers*/);

-- name: accept_always
ALTER TABLE /*table*/public.task ENABLE ALWAYS TRIGGER /*accept_name*/task_accept;

-- name: accept_drop
DROP TRIGGER IF EXISTS /*accept_name*/task_accept ON /*table*/public.task;

-- name: owner_accepting(table, name, bind, trigger)
-- The sequence of id, and whether the trigger is there that keeps others from choosing ids. :table
-- the table's oidquoted, :bind the function with its parentheses.
SELECT COALESCE(s.name, '') AS sequence,
       EXISTS (SELECT FROM pg_trigger t
               WHERE t.tgrelid = :table::bigint::oid
                   AND t.tgname = :trigger
                   AND t.tgfoid = to_regprocedure(:bind)
               AND t.tgenabled = 'A' AND t.tgtype = 7 -- BEFORE, FOR EACH ROW, INSERT
               AND strpos(
                   pg_get_triggerdef(t.oid), quote_literal(COALESCE(s.name, '')) || ')'
               ) > 0) AS accepting
FROM pg_get_serial_sequence(:name::text, 'id') s (name);

-- name: owner_find(table, guard, bind)
-- What there is of it. :table the table's oid, :guard the guard and :bind the function that binds,
-- with their parentheses.
SELECT format_type(a.atttypid, NULL) AS type, a.attnotnull AS filled,
       pg_get_expr(d.adbin, d.adrelid) LIKE '%CURRENT_USER%' AS defaulted,
       (SELECT count(*) FROM pg_trigger t
        WHERE t.tgrelid = c.oid AND t.tgfoid = to_regprocedure(:guard) AND t.tgenabled = 'A'
        AND strpos(pg_get_triggerdef(t.oid), quote_literal(:table::bigint::text) || ')') > 0
        AND t.tgtype IN (5, 17)) AS guards, -- AFTER, FOR EACH ROW, INSERT or UPDATE
       (SELECT count(*) FROM pg_trigger t
        WHERE t.tgrelid = c.oid AND t.tgfoid = to_regprocedure(:bind) AND t.tgenabled = 'A'
        AND t.tgtype IN (7, 19)) AS binders, -- BEFORE, FOR EACH ROW, INSERT or UPDATE
       format_type(o.atttypid, NULL) AS oid_type,
       pg_get_expr(od.adbin, od.adrelid) LIKE '%CURRENT_USER%' AS oid_defaulted,
       current_user::text AS role, pg_get_userbyid(c.relowner)::text AS owner,
       pg_has_role(c.relowner, current_user, 'MEMBER') AS trusted
FROM pg_class c
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'owner' AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
LEFT JOIN pg_attribute o ON o.attrelid = c.oid AND o.attname = 'owner_oid' AND NOT o.attisdropped
LEFT JOIN pg_attrdef od ON od.adrelid = c.oid AND od.adnum = o.attnum
WHERE c.oid = :table::bigint::oid;

-- name: owner_distrusted(table, name)
-- The roles whose code would run in the scheduler's session, with the scheduler's rights, though
-- they could not become its role: what they own or may do, and the remedy. Triggers, defaults,
-- checks, rules, policies and the types of columns are such code; functions that run with their own
-- owner's rights are not. :table the table's oidquoted.
WITH things AS (
    SELECT 'pg_class'::regclass::oid AS class, c.oid AS object
    FROM pg_class c
    WHERE c.oid = :table::bigint::oid
    UNION ALL
    SELECT 'pg_class'::regclass, i.indexrelid
    FROM pg_index i
    WHERE i.indrelid = :table::bigint::oid
    UNION ALL
    SELECT 'pg_trigger'::regclass, t.oid
    FROM pg_trigger t
    WHERE t.tgrelid = :table::bigint::oid AND NOT t.tgisinternal
    UNION ALL
    SELECT 'pg_attrdef'::regclass, d.oid
    FROM pg_attrdef d
    WHERE d.adrelid = :table::bigint::oid
    UNION ALL
    SELECT 'pg_constraint'::regclass, c.oid
    FROM pg_constraint c
    WHERE c.conrelid = :table::bigint::oid
    UNION ALL
    SELECT 'pg_policy'::regclass, p.oid
    FROM pg_policy p
    WHERE p.polrelid = :table::bigint::oid
    UNION ALL
    SELECT 'pg_rewrite'::regclass, r.oid
    FROM pg_rewrite r
    WHERE r.ev_class = :table::bigint::oid
), code AS (
    SELECT DISTINCT d.refclassid AS class, d.refobjid AS object FROM things t
    JOIN pg_depend d ON d.classid = t.class AND d.objid = t.object
), risks AS (
    SELECT c.relowner AS role, 'owns the table' AS what,
           format('ALTER TABLE %s OWNER TO %I', :name::text, current_user) AS remedy
    FROM pg_class c WHERE c.oid = :table::bigint::oid
    UNION ALL
    SELECT a.grantee, 'may put triggers on the table',
           format('REVOKE TRIGGER ON %s FROM %s', :name::text, CASE a.grantee WHEN 0
               THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)::text) END)
    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
    WHERE c.oid = :table::bigint::oid AND a.privilege_type = 'TRIGGER' AND a.grantee <> c.relowner
    UNION ALL
    SELECT p.proowner, format('owns the function %s, which the table uses', p.oid::regprocedure),
           format('ALTER ROUTINE %s OWNER TO %I', p.oid::regprocedure, current_user)
    FROM code c
    JOIN pg_proc p ON c.class = 'pg_proc'::regclass AND p.oid = c.object
    WHERE NOT p.prosecdef
    UNION ALL
    SELECT o.oprowner, format('owns the operator %s, which the table uses', o.oid::regoperator),
           format('ALTER OPERATOR %s OWNER TO %I', o.oid::regoperator, current_user)
    FROM code c
    JOIN pg_operator o ON c.class = 'pg_operator'::regclass AND o.oid = c.object
    UNION ALL
    SELECT t.typowner, format('owns the type %s of a column', t.oid::regtype),
        format('ALTER TYPE %s OWNER TO %I', t.oid::regtype, current_user)
    FROM (
        SELECT DISTINCT a.atttypid
        FROM pg_attribute a
        WHERE a.attrelid = :table::bigint::oid AND a.attnum > 0 AND NOT a.attisdropped) u
    JOIN pg_type t ON t.oid = u.atttypid
)
SELECT CASE r.role
    WHEN 0 THEN 'everybody'
    ELSE format('role %I', pg_get_userbyid(r.role)) END AS who,
    r.what, r.remedy
FROM risks r
WHERE NOT EXISTS (
    SELECT
    FROM pg_roles t
    WHERE t.oid = r.role AND pg_has_role(t.oid, current_user, 'MEMBER'))
ORDER BY r.what;

-- name: owner_trigger_holders
-- The roles that may put triggers on the table, quoted. :table the table's oid.
SELECT CASE a.grantee
    WHEN 0 THEN 'PUBLIC'
    ELSE quote_ident(pg_get_userbyid(a.grantee)::text) END AS grantee
FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
WHERE c.oid = :table::bigint::oid AND a.privilege_type = 'TRIGGER' AND a.grantee <> c.relowner;

-- name: owner_keep_triggers_out
-- Default privileges let others put triggers on a new table.
REVOKE TRIGGER ON /*table*/public.task FROM /*grantee*/PUBLIC;

-- name: owner_name(name, table, role)
-- What is needed for a login of that owner. :table the table's oid, :role its own oid, null where
-- the name alone is known.
SELECT me.rolname::text AS role, me.rolsuper AS super, COALESCE(o.rolsuper, false) AS owner_super,
       o.oid IS NOT NULL AS present,
       EXISTS (SELECT FROM pg_roles n WHERE n.rolname = :name) AS named,
       format('howdah_%s_%s_%s', d.oid, :table::bigint, o.oid) AS login,
       l.oid IS NOT NULL AS made,
       l.oid IS NOT NULL
           AND COALESCE(shobj_description(l.oid, 'pg_authid'), '')
               NOT LIKE 'Howdah runs the tasks of %' AS strange,
       me.rolsuper OR me.rolcreaterole AS may_make,
       me.rolsuper OR COALESCE(pg_has_role(o.oid, 'MEMBER WITH ADMIN OPTION'), false)
           OR me.rolcreaterole
           AND NOT o.rolsuper
           AND current_setting('server_version_num')::integer < 160000 AS may_grant,
       COALESCE(
           has_database_privilege(l.oid, d.oid, 'CONNECT'),
           has_database_privilege('public', d.oid, 'CONNECT')) AS connects,
       COALESCE(has_database_privilege(o.oid, d.oid, 'CONNECT'), false) AS owner_connects,
       d.datname::text AS database
FROM pg_roles me
JOIN pg_database d ON d.datname = current_database()
LEFT JOIN pg_roles o ON o.rolname = :name AND (:role::bigint IS NULL OR o.oid = :role::bigint::oid)
LEFT JOIN pg_roles l ON l.rolname = format('howdah_%s_%s_%s', d.oid, :table::bigint, o.oid)
WHERE me.rolname = current_user;

-- name: owner_patience
-- A session that locks one of these roles keeps the tasks of that role waiting, and no others.
SELECT set_config('lock_timeout', '3s', true), set_config('statement_timeout', '5s', true);

-- name: login_make
CREATE ROLE /*login*/howdah_login NOLOGIN NOINHERIT;

-- name: login_member
GRANT /*owner*/pg_monitor TO /*login*/howdah_login;

-- name: login_comment
COMMENT ON ROLE /*login*/howdah_login IS
    'Howdah runs the tasks of one role with this login; its password is known to the scheduler '
    'only';

-- name: login_tidy
-- A task may have changed the settings of the login it runs with.
ALTER ROLE /*login*/howdah_login RESET ALL;

-- name: login_tidy_here
ALTER ROLE /*login*/howdah_login IN DATABASE /*database*/postgres RESET ALL;

-- name: owner_members
-- The members that the login was given: before version 16 a task could do that.
SELECT m.rolname::text AS member FROM pg_auth_members a
JOIN pg_roles m ON m.oid = a.member JOIN pg_roles l ON l.oid = a.roleid
WHERE l.rolname = :login
    AND m.rolname <> current_user
    AND NOT m.rolsuper
    AND current_setting('server_version_num')::integer < 160000;

-- name: login_forget_member
REVOKE /*login*/howdah_login FROM /*member*/pg_monitor;

-- name: login_grant_connect
GRANT CONNECT ON DATABASE /*database*/postgres TO /*login*/howdah_login;

-- name: owner_verifier
-- For `owner_password`, within the same transaction.
SELECT set_config('howdah.verifier', :verifier, true);

-- name: owner_password
-- Only the verifier reaches the server, with which one cannot log in. It holds for two minutes: a
-- task may change the password of its login, but not for how long it holds, so that it leaves no
-- way in behind.
DO $password$
BEGIN
    IF COALESCE(current_setting('howdah.verifier', true), '') LIKE 'SCRAM-SHA-256$%' THEN
        EXECUTE format('ALTER ROLE /*login*/howdah_login LOGIN PASSWORD %L VALID UNTIL %L',
            current_setting('howdah.verifier'), clock_timestamp() + interval '2 minutes');
    END IF;
END
$password$;

-- name: owner_whose
-- Of whom the next statement speaks.
SELECT set_config('howdah.owner', $1, true);

-- name: owner_settings_of_superusers
-- What only a superuser may choose, limits above all, holds for the owner's own sessions from their
-- log-in on: so the login gets it as well. As at a log-in, what does not fit is passed over.
DO $settings$
DECLARE
    setting record;
BEGIN
    IF NOT (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN RETURN; END IF;
    FOR setting IN
        SELECT DISTINCT ON (lower(split_part(c.entry, '=', 1))) g.name,
            substr(c.entry, strpos(c.entry, '=') + 1) AS value
        FROM pg_db_role_setting r
        CROSS JOIN LATERAL unnest(r.setconfig) c (entry)
        JOIN pg_settings g ON lower(g.name) = lower(split_part(c.entry, '=', 1))
        WHERE r.setrole = (
            SELECT o.oid
            FROM pg_roles o
            WHERE o.rolname = current_setting('howdah.owner', true))
        AND r.setdatabase IN (
            0, (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
        AND g.context IN ('superuser', 'superuser-backend')
        ORDER BY lower(split_part(c.entry, '=', 1)), r.setdatabase DESC
    LOOP
        BEGIN
            EXECUTE format('ALTER ROLE /*login*/howdah_login SET %s TO %L',
                (
                    SELECT string_agg(quote_ident(part), '.' ORDER BY n)
                    FROM unnest(string_to_array(setting.name, '.')) WITH ORDINALITY p (part, n)),
                setting.value);
        EXCEPTION WHEN data_exception OR syntax_error_or_access_rule_violation THEN
            RAISE LOG 'a setting of % does not fit: %', current_setting('howdah.owner'), SQLERRM;
        END;
    END LOOP;
END
$settings$;

-- name: login_list_stale
-- Logins of tables or owners of this database that are gone.
SELECT l.rolname::text AS login
FROM pg_roles l
CROSS JOIN LATERAL regexp_matches(
    l.rolname::text, '^howdah_([0-9]{1,10})_([0-9]{1,10})_([0-9]{1,10})$') m (part)
WHERE shobj_description(l.oid, 'pg_authid') LIKE 'Howdah runs the tasks of %'
AND m.part[1]::bigint = (
    SELECT d.oid::bigint FROM pg_database d WHERE d.datname = current_database())
AND (NOT EXISTS (SELECT FROM pg_class c WHERE c.oid::bigint = m.part[2]::bigint)
     OR NOT EXISTS (SELECT FROM pg_roles o WHERE o.oid::bigint = m.part[3]::bigint));

-- name: login_revoke_connect
REVOKE ALL ON DATABASE /*database*/postgres FROM /*login*/howdah_login;

-- name: login_drop
DROP ROLE /*login*/howdah_login;

-- name: owner_settings
-- The settings that the owner's own sessions would begin with; asked in a session of the owner,
-- which may have any search_path. What every session of a task is told by us is left out. given:
-- whether the login has to have it, because no user may choose it.
SELECT s.name, s.value,
    g.context IS NOT NULL AND pg_catalog.starts_with(g.context, 'superuser') AS given
FROM (
    SELECT DISTINCT ON (pg_catalog.lower(pg_catalog.split_part(c.entry, '=', 1)))
        pg_catalog.lower(pg_catalog.split_part(c.entry, '=', 1)) AS name,
        pg_catalog.substr(
            c.entry, pg_catalog.strpos(c.entry, '=') OPERATOR(pg_catalog.+) 1) AS value
    FROM pg_catalog.pg_db_role_setting r
    CROSS JOIN LATERAL pg_catalog.unnest(r.setconfig) c (entry)
    WHERE r.setrole OPERATOR(pg_catalog.=) (
        SELECT u.oid
        FROM pg_catalog.pg_roles u
        WHERE u.rolname OPERATOR(pg_catalog.=) current_user)
    AND (
        r.setdatabase OPERATOR(pg_catalog.=) 0::pg_catalog.oid
            OR r.setdatabase OPERATOR(pg_catalog.=)
         (
             SELECT d.oid
             FROM pg_catalog.pg_database d
             WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()))
    ORDER BY pg_catalog.lower(pg_catalog.split_part(c.entry, '=', 1)), r.setdatabase DESC
) s
LEFT JOIN pg_catalog.pg_settings g ON pg_catalog.lower(g.name) OPERATOR(pg_catalog.=) s.name
WHERE (
    g.context OPERATOR(pg_catalog.=) 'user'
        OR g.context OPERATOR(pg_catalog.=) 'backend'
        OR pg_catalog.starts_with(g.context, 'superuser')
       OR g.name IS NULL
       AND pg_catalog.strpos(s.name, '.') OPERATOR(pg_catalog.>) 0
       AND NOT pg_catalog.starts_with(s.name, '_pq_.'))
AND s.name OPERATOR(pg_catalog.<>) ALL (
    ARRAY[
        'role', 'session_authorization', 'application_name', 'client_encoding', 'statement_timeout',
        'pg_task.id', 'pg_task.group', 'pg_task.schema', 'pg_task.table', 'pg_task.oid',
        'client_connection_check_interval', 'idle_session_timeout'])
ORDER BY s.name;

-- name: owner_setting_fits(setting, value)
-- Fails where the server does not take the value.
SELECT pg_catalog.set_config(:setting, :value, false);

-- name: owner_superuser(name, role)
-- :name the name of a role, :role its oid, null where the name alone is known.
SELECT EXISTS (
    SELECT FROM pg_roles r
    WHERE r.rolname = :name AND r.rolsuper
    AND (:role::bigint IS NULL OR r.oid = :role::bigint::oid)) AS super;
