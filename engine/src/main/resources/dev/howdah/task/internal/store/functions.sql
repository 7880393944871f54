-- The functions howdah.run and howdah.wait, and what they use: made where pg_task.functions asks
-- for them, and made anew when they have changed. They are the same for all tables of a database.

-- name: function_wanted
-- The text of the setting; empty where it is not set.
SELECT COALESCE(current_setting('pg_task.functions', true), '') AS wanted;

-- name: function_found(names, bodies)
-- Whether the functions are the ones that we would make, and which role could change them though it
-- could not become this role. :names the names of the functions.
SELECT n.oid IS NOT NULL AS has_schema,
       CASE WHEN n.oid IS NULL THEN has_database_privilege(current_database(), 'CREATE')
            ELSE has_schema_privilege(n.oid, 'CREATE') END AS may_create,
       (SELECT count(p.oid) = count(*)
        FROM unnest(:names::text[], :bodies::text[]) w (name, body)
        LEFT JOIN pg_proc p ON p.pronamespace = n.oid AND p.proname = w.name AND p.prosrc = w.body
            AND p.prosecdef = (w.name = 'task_trigger_function')
            AND p.proconfig && ARRAY['search_path=pg_catalog, pg_temp', 'array_nulls=on'])
        AND NOT EXISTS (
            SELECT FROM pg_proc p
            WHERE p.pronamespace = n.oid
                AND p.proname = ANY (:names::text[])
                AND p.prosrc <> ALL (:bodies::text[])
                AND p.proconfig && ARRAY[
                    'search_path=pg_catalog, pg_temp', 'array_nulls=on']) AS complete,
       to_regclass('howdah.document') IS NOT NULL AS has_tables,
       -- Where none of the functions is set up as ours are, those of these names are of another
       -- program; and so are tables without our policy.
       COALESCE(
           (
               SELECT min(p.oid::regprocedure::text)
               FROM pg_proc p
               WHERE p.pronamespace = n.oid AND p.proname = ANY (:names::text[])
               HAVING NOT bool_or(
                   COALESCE(
                       p.proconfig && ARRAY[
                           'search_path=pg_catalog, pg_temp', 'array_nulls=on'],
                       false))),
           (
               SELECT min(c.oid::regclass::text)
               FROM pg_class c
               WHERE c.relnamespace = n.oid
                   AND c.relname IN ('template', 'document')
                   AND NOT EXISTS (
                       SELECT
                       FROM pg_policy y
                       WHERE y.polrelid = to_regclass('howdah.document')))) AS strange,
       (SELECT quote_ident(pg_get_userbyid(min(p.proowner::bigint)::oid)::text)
        FROM pg_proc p
        WHERE p.pronamespace = n.oid AND p.proname = ANY (:names::text[])
        AND NOT pg_has_role(p.proowner, 'USAGE')) AS foreign_owner,
       (SELECT quote_ident(pg_get_userbyid(min(o.owner)::oid)::text)
        FROM (SELECT n.nspowner::bigint
              UNION ALL
              SELECT p.proowner::bigint FROM pg_proc p
              WHERE p.pronamespace = n.oid AND p.proname = ANY (:names::text[])) o (owner)
        WHERE NOT EXISTS (
            SELECT FROM pg_roles r
            WHERE r.oid::bigint = o.owner
                AND pg_has_role(r.oid, current_user, 'MEMBER'))) AS distrusted_owner,
       current_user::text AS role, current_database()::text AS database
FROM (SELECT) x LEFT JOIN pg_namespace n ON n.nspname = 'howdah';

-- name: function_drop_older(names, bodies)
-- What drops functions of these names that have other arguments, of another version of Howdah:
-- beside ours they would make calls ambiguous. Those on which a view or the like depends stay.
-- :names the names of the functions.
SELECT format('DROP FUNCTION %s', p.oid::regprocedure) AS drop
FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = 'howdah'
    AND p.proname = ANY (:names::text[])
    AND p.prosrc <> ALL (:bodies::text[])
    AND p.proconfig && ARRAY['search_path=pg_catalog, pg_temp', 'array_nulls=on']
    AND NOT EXISTS (
        SELECT FROM pg_depend d
        WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid AND d.deptype = 'n');

-- name: function_comment
-- What writes the comments that these functions lack. :names the names of the functions.
WITH said (name, said) AS (
    VALUES ('run', 'Adds a task that runs this SQL; returns its id.'),
        ('wait', 'Waits for the end of a task; returns its output, or raises its error.'),
        ('cron', 'Creates or changes a schedule that adds tasks by a cron expression.'),
        ('cron_pause', 'Pauses a schedule of tasks; false if it was paused.'),
        ('cron_resume', 'Resumes a schedule of tasks; false if it was not paused.'),
        ('cron_run', 'Adds a task of a schedule now; returns its id.'),
        ('cron_remove', 'Removes a schedule of tasks; false if there was none.'),
        ('cron_list', 'Lists the schedules of tasks.'),
        ('http', 'Adds a task that sends an HTTP request; returns its id.'),
        ('pdf', 'Adds a task that makes a PDF of a template; returns its id.'),
        ('render', 'Adds a task that fills a template; returns its id.'),
        ('mail', 'Adds a task that sends a mail; returns its id.'),
        ('ssh', 'Adds a task that runs commands on another host; returns its id.'),
        ('sftp', 'Adds a task that puts, gets or removes a file on another host; returns its id.'),
        ('exec', 'Adds a task that runs a program on the host of the daemon; returns its id.'),
        ('template', 'Stores a version of a template; returns its number.'),
        ('task_trigger', 'Makes a trigger that adds a task for each change of a table.'),
        ('drop_task_trigger', 'Drops a trigger that task_trigger has made.'),
        ('task_table',
            'Part of the functions of tasks: the table that is meant where none is named.'),
        ('writers', 'Part of the functions of tasks: the transactions that write to a table.'),
        ('task_schedule', 'Part of the functions of tasks: changes a schedule of tasks.'),
        ('percent', 'Part of the functions of tasks: a text as a part of a URL.'),
        ('remote', 'Part of the functions of tasks: a column remote of its parts.'),
        ('task_columns',
            'Part of the functions of tasks: columns of a task of the options of a call.'),
        ('document_name', 'Part of the functions of tasks: the name of a document of a task.'),
        ('send', 'Part of the functions of tasks: adds a task that reaches out.'),
        ('template_version',
            'Part of the functions of tasks: which version of a template is meant.'),
        ('row_json', 'Part of the functions of tasks: a row of a trigger as JSON.'),
        ('row_of', 'Part of the functions of tasks: a row of its JSON.'),
        ('row_key', 'Part of the functions of tasks: a key of a row as text.'),
        ('task_of_change', 'Part of the functions of tasks: adds the task of a change.'),
        ('task_of_row', 'Part of the functions of tasks: the function of triggers for each row.'),
        ('task_of_statement',
            'Part of the functions of tasks: the function of triggers for each statement.'),
        ('task_trigger_function',
            'Part of the functions of tasks: the function of a trigger for these columns.')
)
SELECT format('COMMENT ON FUNCTION %s IS %L', p.oid::regprocedure, s.said) AS comment
FROM said s
JOIN pg_proc p ON p.pronamespace = to_regnamespace('howdah') AND p.proname = s.name
WHERE p.proname = ANY (:names::text[])
    AND p.proconfig && ARRAY['search_path=pg_catalog, pg_temp', 'array_nulls=on']
    AND obj_description(p.oid, 'pg_proc') IS NULL;

-- name: function_create_schema
CREATE SCHEMA IF NOT EXISTS howdah;

-- name: schema_grant
-- They do nothing that their caller may not do.
GRANT USAGE ON SCHEMA howdah TO PUBLIC;

-- name: function_task_table
CREATE OR REPLACE FUNCTION howdah.task_table(given regclass)
RETURNS regclass
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    -- In a task these settings name its own table.
    named text := format(
        '%I.%I', COALESCE(NULLIF(current_setting('pg_task.schema', true), ''), 'public'),
        COALESCE(NULLIF(current_setting('pg_task.table', true), ''), 'task'));
BEGIN
    IF given IS NULL AND to_regclass(named) IS NULL THEN
        RAISE 'there is no table of tasks %', named USING ERRCODE = 'undefined_table',
            HINT = 'Give its name: "table" => ''schema.name''.';
    END IF;
    RETURN COALESCE(given, to_regclass(named));
END
$howdah$;

-- name: function_writers
-- The transactions of others that have written to the table, or may have, and go on. A transaction
-- takes the lock before it draws the number of a row, and keeps it to its end.
CREATE OR REPLACE FUNCTION howdah.writers(given regclass)
RETURNS text[]
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT COALESCE(array_agg(DISTINCT l.virtualtransaction), '{}')
    FROM pg_locks l
    WHERE l.locktype = 'relation'
        AND l.relation = given
        AND l.granted
        AND l.pid IS DISTINCT FROM pg_backend_pid()
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND l.mode IN (
        'RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
$howdah$;

-- name: function_run
CREATE OR REPLACE FUNCTION howdah.run(
    sql text, "group" text DEFAULT NULL, plan timestamptz DEFAULT NULL, max bigint DEFAULT NULL,
    timeout interval DEFAULT NULL, active interval DEFAULT NULL, once boolean DEFAULT NULL,
    repeat interval DEFAULT NULL, cron text DEFAULT NULL, zone text DEFAULT NULL,
    attempts bigint DEFAULT NULL, backoff interval DEFAULT NULL, notify text DEFAULT NULL,
    data text DEFAULT NULL, remote text DEFAULT NULL, "table" regclass DEFAULT NULL,
    after bigint[] DEFAULT NULL, duration interval DEFAULT NULL, on_failure text DEFAULT NULL,
    options jsonb DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    target regclass := howdah.task_table("table");
    given jsonb;
    names text;
    added bigint;
BEGIN
    IF sql IS NULL THEN
        RAISE 'sql is null: there is nothing to run' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    -- Only the columns that were given are named, so that all others take their defaults.
    given := COALESCE(options, '{}') || jsonb_strip_nulls(
        jsonb_build_object(
            'input', sql, 'group', "group", 'plan', plan, 'max', max, 'timeout', timeout, 'active',
            active, 'once', once, 'repeat', repeat, 'cron', cron, 'zone', zone, 'attempts',
            attempts, 'backoff', backoff, 'notify', notify, 'data', data, 'remote', remote,
            'after', after, 'duration', duration, 'on_failure', on_failure));
    names := (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(given) k);
    EXECUTE format(
        'INSERT INTO %s (%s) SELECT %s FROM jsonb_populate_record(NULL::%s, $1) RETURNING id',
        target, names, names, target) INTO added USING given;
    RETURN added;
END
$howdah$;

-- name: function_wait
CREATE OR REPLACE FUNCTION howdah.wait(
    id bigint, timeout interval DEFAULT NULL, "table" regclass DEFAULT NULL, OUT state text,
    OUT output text, OUT error text)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    target regclass := howdah.task_table("table");
    task bigint := id;
    patience timestamptz := clock_timestamp() + timeout;
    pause float8 := 0.001;
    numbers regclass;
    seen text;
    mine boolean;
    writing text[];
    open boolean;
BEGIN
    IF task IS NULL THEN
        RAISE 'id is null: there is no task to wait for' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    -- A row that is seen and whose transaction goes on is of this transaction, or of a savepoint in
    -- it, whose number is not far above.
    EXECUTE format($look$SELECT t.state::text, CASE WHEN d.ahead < 2147483648
            THEN txid_status(d.current + d.ahead) = 'in progress' ELSE false END
        FROM %s t
        CROSS JOIN LATERAL (
            SELECT c.current,
                (t.xmin::text::bigint - c.current %% 4294967296 + 4294967296) %% 4294967296 AS ahead
            FROM (SELECT txid_current_if_assigned() AS current) c) d
        WHERE t.id = $1$look$, target) INTO seen, mine USING task;
    IF seen IS NULL THEN
        numbers := pg_get_serial_sequence(target::text, 'id');
        IF numbers IS NOT NULL AND has_sequence_privilege(numbers, 'USAGE, SELECT')
                AND task > COALESCE(pg_sequence_last_value(numbers), 0) THEN
            RAISE 'there is no task % in %', task, target USING ERRCODE = 'no_data_found';
        END IF;
        -- Its transaction may go on. Whoever writes now ends some day, and is not waited for by
        -- those who come later.
        writing := howdah.writers(target);
        LOOP
            open := writing && howdah.writers(target);
            EXECUTE format(
                'SELECT t.state::text FROM %s t WHERE t.id = $1', target) INTO seen USING task;
            EXIT WHEN seen IS NOT NULL OR NOT open;
            IF current_setting('transaction_isolation') NOT LIKE 'read %' THEN
                RAISE
                    'task % may be added by a transaction that goes on, and would never be seen '
                    'in one that is %',
                    task, current_setting('transaction_isolation')
                    USING ERRCODE = 'object_not_in_prerequisite_state',
                        HINT = 'Wait in a transaction that is read committed.';
            END IF;
            IF clock_timestamp() >= patience THEN RETURN; END IF;
            PERFORM pg_sleep(
                LEAST(pause, extract(epoch FROM patience - clock_timestamp())::float8));
            pause := LEAST(pause * 2, 0.1);
        END LOOP;
        pause := 0.001;
    ELSIF seen IN ('PLAN', 'TAKE', 'WORK') THEN
        IF mine THEN
            RAISE 'task % cannot end before this transaction does, which has added or changed it',
                task
                USING ERRCODE = 'object_not_in_prerequisite_state',
                    HINT = 'Commit first, then wait.';
        ELSIF current_setting('transaction_isolation') NOT LIKE 'read %' THEN
            RAISE 'the end of task % would never be seen in a transaction that is %', task,
                current_setting('transaction_isolation')
                USING ERRCODE = 'object_not_in_prerequisite_state',
                    HINT = 'Wait in a transaction that is read committed.';
        END IF;
    END IF;
    WHILE seen IN ('PLAN', 'TAKE', 'WORK') LOOP
        IF clock_timestamp() >= patience THEN RETURN; END IF;
        PERFORM pg_sleep(LEAST(pause, extract(epoch FROM patience - clock_timestamp())::float8));
        pause := LEAST(pause * 2, 0.1);
        EXECUTE format(
            'SELECT t.state::text FROM %s t WHERE t.id = $1', target) INTO seen USING task;
    END LOOP;
    EXECUTE format(
        'SELECT t.state::text, t.output, t.error FROM %s t WHERE t.id = $1', target) INTO state,
    output, error USING task;
    -- It ended without output and error, and its row is gone.
    state := COALESCE(state, 'DONE');
END
$howdah$;

-- name: function_task_schedule
-- Calls the function of that table of tasks; an error where there is no such schedule.
CREATE OR REPLACE FUNCTION howdah.task_schedule(action text, given jsonb, "table" regclass)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    target regclass := howdah.task_table("table");
    changed bigint;
BEGIN
    EXECUTE (
        SELECT format('SELECT %I.%I($1, $2)', n.nspname, c.relname || '_schedule')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = target) INTO changed USING action, given;
    IF changed IS NULL AND action <> 'remove' THEN
        RAISE 'role "%" has no schedule "%"', COALESCE(given ->> 'owner', current_user),
            given ->> 'schedule'
            USING ERRCODE = 'no_data_found',
                HINT = 'SELECT * FROM howdah.cron_list() lists all; "owner" names another role.';
    END IF;
    RETURN changed;
END
$howdah$;

-- name: function_cron
CREATE OR REPLACE FUNCTION howdah.cron(
    name text, cron text, sql text, zone text DEFAULT NULL, "group" text DEFAULT NULL,
    max bigint DEFAULT NULL, timeout interval DEFAULT NULL, duration interval DEFAULT NULL,
    active interval DEFAULT NULL, once boolean DEFAULT NULL, attempts bigint DEFAULT NULL,
    backoff interval DEFAULT NULL, on_failure text DEFAULT NULL, notify text DEFAULT NULL,
    data text DEFAULT NULL, remote text DEFAULT NULL, owner text DEFAULT NULL,
    "table" regclass DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    RETURN howdah.task_schedule('put', jsonb_strip_nulls(
        jsonb_build_object(
            'schedule', name, 'cron', cron, 'input', sql, 'zone', zone, 'group', "group", 'max',
            max, 'timeout', timeout, 'duration', duration, 'active', active, 'once', once,
            'attempts', attempts, 'backoff', backoff, 'on_failure', on_failure, 'notify', notify,
            'data', data, 'remote', remote, 'owner', owner, 'delete', false)), "table");
END
$howdah$;

-- name: function_cron_pause
CREATE OR REPLACE FUNCTION howdah.cron_pause(
    name text, owner text DEFAULT NULL, "table" regclass DEFAULT NULL)
RETURNS bigint
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT howdah.task_schedule('pause', jsonb_build_object('schedule', $1, 'owner', $2), $3)
$howdah$;

-- name: function_cron_resume
CREATE OR REPLACE FUNCTION howdah.cron_resume(
    name text, owner text DEFAULT NULL, "table" regclass DEFAULT NULL)
RETURNS bigint
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT howdah.task_schedule('resume', jsonb_build_object('schedule', $1, 'owner', $2), $3)
$howdah$;

-- name: function_cron_run
CREATE OR REPLACE FUNCTION howdah.cron_run(
    name text, owner text DEFAULT NULL, "table" regclass DEFAULT NULL)
RETURNS bigint
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT howdah.task_schedule('run', jsonb_build_object('schedule', $1, 'owner', $2), $3)
$howdah$;

-- name: function_cron_remove
CREATE OR REPLACE FUNCTION howdah.cron_remove(
    name text, owner text DEFAULT NULL, "table" regclass DEFAULT NULL)
RETURNS boolean
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT howdah.task_schedule(
        'remove', jsonb_build_object('schedule', $1, 'owner', $2), $3) IS NOT NULL
$howdah$;

-- name: function_cron_list
CREATE OR REPLACE FUNCTION howdah.cron_list("table" regclass DEFAULT NULL)
RETURNS TABLE (
    name text, owner text, cron text, zone text, state text, next timestamptz, id bigint, sql text,
    last_id bigint, last_start timestamptz, last_stop timestamptz, last_state text, last_error text)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    RETURN QUERY EXECUTE (
        SELECT format('SELECT * FROM %I.%I()', n.nspname, c.relname || '_schedules')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = howdah.task_table("table"));
END
$howdah$;
