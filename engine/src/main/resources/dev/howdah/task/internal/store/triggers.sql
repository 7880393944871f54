-- Triggers that add a task for a change: made where pg_task.functions asks for them, for all tables
-- of a database. What a trigger does stands in its one argument, JSON that howdah.task_trigger has
-- written.

-- name: function_row_json
-- A row as JSON. Where that cannot be, or exact is asked for and the row could not be read back
-- from it as it was, the row is a string as PostgreSQL writes it: the statement that changes the
-- row must neither fail nor lose a value. The settings are those that change what values
-- look like and how they are read; names are not quoted where they need no quotes.
CREATE OR REPLACE FUNCTION howdah.row_json(changed anyelement, exact boolean)
RETURNS jsonb
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET datestyle = 'ISO, MDY'
SET intervalstyle = postgres
SET extra_float_digits = 3
SET bytea_output = hex
SET lc_monetary = 'C'
SET quote_all_identifiers = off
SET array_nulls = on
SET xmloption = content
AS $howdah$
DECLARE
    written jsonb;
BEGIN
    BEGIN
        written := to_jsonb(changed);
        IF NOT exact OR jsonb_populate_record(changed, written) *= changed THEN
            RETURN written;
        END IF;
    EXCEPTION WHEN OTHERS THEN
        NULL;
    END;
    RETURN to_jsonb(changed::text);
END
$howdah$;

-- name: function_row_of
-- The row that howdah.row_json has written, in the session of the task, whose settings are others:
-- these are the same. Names are found as in the task: checks of domains may call functions.
CREATE OR REPLACE FUNCTION howdah.row_of(base anyelement, written jsonb)
RETURNS anyelement
LANGUAGE plpgsql
SET datestyle = 'ISO, MDY'
SET intervalstyle = postgres
SET extra_float_digits = 3
SET bytea_output = hex
SET lc_monetary = 'C'
SET quote_all_identifiers = off
SET array_nulls = on
SET xmloption = content
AS $howdah$
BEGIN
    IF pg_catalog.jsonb_typeof(written) OPERATOR(pg_catalog.=) 'string' THEN
        -- OFFSET: the text is read once, not for each column.
        EXECUTE pg_catalog.format(
            'SELECT (r.r).* FROM (SELECT $1::%s AS r OFFSET 0) r', pg_catalog.pg_typeof(base))
        INTO base USING written OPERATOR(pg_catalog.#>>) '{}';
        RETURN base;
    END IF;
    RETURN pg_catalog.jsonb_populate_record(base, written);
END
$howdah$;

-- name: function_row_key
-- Some columns of a row that is written as PostgreSQL writes it.
CREATE OR REPLACE FUNCTION howdah.row_key(written text, relation regclass, columns jsonb)
RETURNS jsonb
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET datestyle = 'ISO, MDY'
SET intervalstyle = postgres
SET extra_float_digits = 3
SET bytea_output = hex
SET lc_monetary = 'C'
SET quote_all_identifiers = off
SET array_nulls = on
SET xmloption = content
AS $howdah$
DECLARE
    each text;
    value jsonb;
    found_values jsonb := '{}';
BEGIN
    FOR each IN SELECT jsonb_array_elements_text(columns) LOOP
        EXECUTE format('SELECT to_jsonb((%L::%s).%I)', written, relation, each) INTO value;
        found_values := found_values || jsonb_build_object(each, value);
    END LOOP;
    RETURN found_values;
END
$howdah$;

-- name: function_task_of_change
-- Adds the task of a change. What was in the rows becomes literals, and stays data: the statement
-- of the trigger gets it as parameters. Turning rows into JSON can call functions of their types,
-- so everything here has the rights of the role that writes.
CREATE OR REPLACE FUNCTION howdah.task_of_change(
    config jsonb, operation text, relation regclass, old jsonb, new jsonb)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $howdah$
DECLARE
    target regclass := (config ->> 'table')::regclass;
    typed regclass := COALESCE((config ->> 'relation')::regclass, relation);
    lane text := config ->> 'group';
    mark text := 'trigger ' || (config ->> 'name');
    rows jsonb[] := ARRAY[old, new];
    keyed jsonb := COALESCE(new, old);
    literals text[] := '{}';
    skip text := '';
    work text;
    given jsonb;
    names text;
BEGIN
    IF config ? 'key' THEN
        IF jsonb_typeof(keyed) = 'string' THEN
            keyed := howdah.row_key(keyed #>> '{}', relation, config -> 'key');
        END IF;
        lane := lane || ':' || (
            SELECT CASE count(*) WHEN 1 THEN COALESCE(min(keyed ->> k.name), 'NULL')
                ELSE jsonb_agg(keyed -> k.name ORDER BY k.n)::text END
            FROM jsonb_array_elements_text(config -> 'key') WITH ORDINALITY k (name, n));
    END IF;
    IF config ->> 'sql' IS NULL THEN
        work := jsonb_build_object(
            'table', typed::text, 'operation', operation, 'old', old, 'new', new)::text;
    ELSE
        FOR side IN 1..2 LOOP
            literals := literals || CASE
                WHEN rows[side] IS NULL THEN format(
                    'NULL::%s%s', typed, CASE config ->> 'level' WHEN 'statement' THEN '[]' END)
                WHEN config ->> 'level' = 'statement' THEN format(
                    'ARRAY(SELECT howdah.row_of(NULL::%s, "howdah row".e)::%s '
                    'FROM pg_catalog.jsonb_array_elements(%L::pg_catalog.jsonb) '
                    'WITH ORDINALITY "howdah row" (e, n) ORDER BY "howdah row".n)',
                    relation, typed, rows[side])
                ELSE format(
                    'howdah.row_of(NULL::%s, %L::pg_catalog.jsonb)::%s',
                    relation, rows[side], typed) END;
        END LOOP;
        IF (config ->> 'latest')::boolean THEN
            -- Of the same owner alone: a row of another one would keep the change from being seen.
            skip := format(
                'IF EXISTS (SELECT FROM %s t WHERE t.state OPERATOR(pg_catalog.=) ''PLAN'' '
                'AND t.hash OPERATOR(pg_catalog.=) %s AND t."group" OPERATOR(pg_catalog.=) %L '
                'AND t.data OPERATOR(pg_catalog.=) %L AND t.remote IS NULL '
                'AND t.plan OPERATOR(pg_catalog.<=) pg_catalog.statement_timestamp() '
                'AND t.id OPERATOR(pg_catalog.>) '
                'pg_catalog.current_setting(''pg_task.id'')::pg_catalog.int8%s) THEN RETURN; '
                'END IF; ',
                target, hashtext(length(lane)::text || ':' || lane), lane, mark,
                CASE WHEN (config ->> 'owned')::boolean
                    THEN ' AND t.owner OPERATOR(pg_catalog.=) current_user::pg_catalog.text' END);
        END IF;
        work := 'DO ' || quote_literal(format(
            'BEGIN %sEXECUTE %L USING %s, %s, %L::pg_catalog.text; END', skip, config ->> 'sql',
            literals[1], literals[2], operation));
    END IF;
    -- From here on howdah.task_trigger_function puts another statement in place of this.
    IF target = to_regclass('public.task') AND config -> 'columns' = '{"once": true}' THEN
        -- What is usual has a plan that is kept: to plan takes longer than to write the row.
        INSERT INTO public.task ("group", input, data, once) VALUES (lane, work, mark, true);
        RETURN;
    END IF;
    given := COALESCE(config -> 'columns', '{}') || jsonb_build_object(
        'group', lane, 'input', work, 'data', mark);
    names := (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(given) k);
    EXECUTE format(
        'INSERT INTO %s (%s) SELECT %s FROM jsonb_populate_record(NULL::%s, $1)',
        target, names, names, target) USING given;
END
$howdah$;

-- name: function_task_of_row
CREATE OR REPLACE FUNCTION howdah.task_of_row()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    PERFORM howdah.task_of_change(
        TG_ARGV[0]::jsonb, TG_OP, TG_RELID,
        CASE WHEN TG_OP <> 'INSERT' THEN howdah.row_json(OLD, TG_ARGV[0]::jsonb ? 'sql') END,
        CASE WHEN TG_OP <> 'DELETE' THEN howdah.row_json(NEW, TG_ARGV[0]::jsonb ? 'sql') END);
    RETURN NULL;
END
$howdah$;

-- name: function_task_of_statement
-- A task for 10,000 rows each, and none for a statement that has changed none.
CREATE OR REPLACE FUNCTION howdah.task_of_statement()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    part record;
    typed text;
BEGIN
    -- Before PostgreSQL 14 a function in this language takes no row of an unnamed type, and has to
    -- be told which type that is.
    IF current_setting('server_version_num')::integer < 140000 THEN
        typed := format(
            '(SELECT howdah.row_json("howdah row"::%s, $1) AS changed,'
            ' row_number() OVER () - 1 AS n FROM %%I "howdah row")',
            replace(TG_RELID::regclass::text, '%', '%%'));
        FOR part IN EXECUTE
            CASE TG_OP
                WHEN 'UPDATE' THEN
                    'SELECT jsonb_agg(o.changed ORDER BY o.n) AS before,'
                    ' jsonb_agg(c.changed ORDER BY c.n) AS after'
                    ' FROM ' || format(typed, 'howdah_old') || ' o'
                    ' JOIN ' || format(typed, 'howdah_new') || ' c ON c.n = o.n'
                WHEN 'INSERT' THEN
                    'SELECT NULL::jsonb AS before, jsonb_agg(o.changed ORDER BY o.n) AS after'
                    ' FROM ' || format(typed, 'howdah_new') || ' o'
                ELSE
                    'SELECT jsonb_agg(o.changed ORDER BY o.n) AS before, NULL::jsonb AS after'
                    ' FROM ' || format(typed, 'howdah_old') || ' o'
            END || ' GROUP BY o.n / 10000 ORDER BY o.n / 10000'
            USING TG_ARGV[0]::jsonb ? 'sql'
        LOOP
            PERFORM howdah.task_of_change(
                TG_ARGV[0]::jsonb, TG_OP, TG_RELID, part.before, part.after);
        END LOOP;
    ELSIF TG_OP = 'INSERT' THEN
        FOR part IN
            SELECT jsonb_agg(p.changed ORDER BY p.n) AS rows
            FROM (
                SELECT howdah.row_json("howdah row", TG_ARGV[0]::jsonb ? 'sql') AS changed,
                    row_number() OVER () - 1 AS n
                FROM howdah_new "howdah row") p
            GROUP BY p.n / 10000 ORDER BY p.n / 10000
        LOOP
            PERFORM howdah.task_of_change(TG_ARGV[0]::jsonb, TG_OP, TG_RELID, NULL, part.rows);
        END LOOP;
    ELSIF TG_OP = 'DELETE' THEN
        FOR part IN
            SELECT jsonb_agg(p.changed ORDER BY p.n) AS rows
            FROM (
                SELECT howdah.row_json("howdah row", TG_ARGV[0]::jsonb ? 'sql') AS changed,
                    row_number() OVER () - 1 AS n
                FROM howdah_old "howdah row") p
            GROUP BY p.n / 10000 ORDER BY p.n / 10000
        LOOP
            PERFORM howdah.task_of_change(TG_ARGV[0]::jsonb, TG_OP, TG_RELID, part.rows, NULL);
        END LOOP;
    ELSE
        FOR part IN
            SELECT jsonb_agg(o.changed ORDER BY o.n) AS before,
                jsonb_agg(c.changed ORDER BY c.n) AS after
            FROM (
                SELECT howdah.row_json("howdah row", TG_ARGV[0]::jsonb ? 'sql') AS changed,
                    row_number() OVER () - 1 AS n
                FROM howdah_old "howdah row") o
            JOIN (
                SELECT howdah.row_json("howdah row", TG_ARGV[0]::jsonb ? 'sql') AS changed,
                    row_number() OVER () - 1 AS n
                FROM howdah_new "howdah row") c ON c.n = o.n
            GROUP BY o.n / 10000 ORDER BY o.n / 10000
        LOOP
            PERFORM howdah.task_of_change(
                TG_ARGV[0]::jsonb, TG_OP, TG_RELID, part.before, part.after);
        END LOOP;
    END IF;
    RETURN NULL;
END
$howdah$;

-- name: function_task_trigger_function
-- The trigger function for tasks with these columns, made where it is not there: one with an INSERT
-- whose plan is kept, since planning takes longer than all else. It is made with the rights of the
-- owner of the functions, as others may not make one in this schema, and runs with those of its
-- caller. The one that plans each INSERT is taken where there are too many, or none can be made.
CREATE OR REPLACE FUNCTION howdah.task_trigger_function(
    target regclass, columns text[], level text)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $howdah$
DECLARE
    general text := 'task_of_' || level;
    change text;
    change_body text;
    made text;
    made_body text;
    others bigint;
BEGIN
    SELECT format(
            E'%s    DECLARE\n'
            '        row_given %s;\n'
            '    BEGIN\n'
            '        row_given := jsonb_populate_record(NULL::%s, config -> ''columns'');\n'
            '        INSERT INTO %s (%s, "group", input, data) VALUES (%s, lane, work, mark);\n'
            '    END;\nEND\n',
            substr(p.prosrc, 1, position('    IF target = to_regclass' IN p.prosrc) - 1), target,
            target, target, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
            string_agg('row_given.' || quote_ident(a.attname), ', ' ORDER BY a.attnum))
    INTO change_body
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = ANY (columns) AND a.attnum > 0
        AND NOT a.attisdropped, pg_proc p
    WHERE c.oid = target AND c.relpersistence <> 't'
        AND p.oid = to_regproc('howdah.task_of_change')
    GROUP BY p.prosrc;
    change := 'task_of_change_' || md5(change_body);
    SELECT replace(p.prosrc, 'howdah.task_of_change(', 'howdah.' || change || '(')
    INTO made_body
    FROM pg_proc p
    WHERE p.oid = to_regproc('howdah.' || general);
    made := general || '_' || md5(made_body);
    IF to_regproc('howdah.' || made) IS NULL THEN
        SELECT count(*) INTO others
        FROM pg_proc p
        WHERE p.pronamespace = 'howdah'::regnamespace
            AND p.proname ~ '^task_of_(change|row|statement)_[0-9a-f]{32}$';
        IF made IS NULL OR others >= 1000 THEN
            RETURN 'howdah.' || general;
        ELSIF to_regproc('howdah.' || change) IS NULL THEN
            EXECUTE format(
                'CREATE FUNCTION howdah.%I(config jsonb, operation text, relation regclass, '
                'old jsonb, new jsonb) RETURNS void LANGUAGE plpgsql '
                'SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS %L',
                change, change_body);
        END IF;
        EXECUTE format(
            'CREATE FUNCTION howdah.%I() RETURNS trigger LANGUAGE plpgsql '
            'SET search_path = pg_catalog, pg_temp AS %L', made, made_body);
    END IF;
    RETURN 'howdah.' || made;
EXCEPTION WHEN unique_violation OR insufficient_privilege THEN
    -- Another session has made it meanwhile, or none may be made.
    RETURN 'howdah.' || CASE WHEN to_regproc('howdah.' || made) IS NULL THEN general ELSE made END;
END
$howdah$;

-- name: function_drop_task_trigger
CREATE OR REPLACE FUNCTION howdah.drop_task_trigger(relation regclass, name text DEFAULT 'task')
RETURNS boolean
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $howdah$
DECLARE
    each text;
    found_any boolean := false;
BEGIN
    FOR each IN
        SELECT t.tgname FROM pg_trigger t
        WHERE t.tgrelid = relation
            AND t.tgname = ANY (ARRAY[
                name, name || '_insert', name || '_update', name || '_delete']::name[])
            AND EXISTS (
                SELECT FROM pg_proc p
                WHERE p.oid = t.tgfoid AND p.pronamespace = 'howdah'::regnamespace
                    AND p.proname ~ '^task_of_(row|statement)(_[0-9a-f]{32})?$')
            -- That of another trigger may end in the same way.
            AND convert_from(
                substr(t.tgargs, 1, position(E'\\x00'::bytea IN t.tgargs) - 1),
                getdatabaseencoding())::jsonb ->> 'name' = relation::text || ' ' || name
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', each, relation);
        found_any := true;
    END LOOP;
    RETURN found_any;
END
$howdah$;

-- name: function_task_trigger
CREATE OR REPLACE FUNCTION howdah.task_trigger(
    relation regclass, sql text DEFAULT NULL, events text DEFAULT 'INSERT',
    "when" text DEFAULT NULL, columns text[] DEFAULT NULL, level text DEFAULT 'row',
    key text[] DEFAULT NULL, latest boolean DEFAULT false, once boolean DEFAULT true,
    options jsonb DEFAULT NULL, name text DEFAULT 'task', "table" regclass DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $howdah$
DECLARE
    target regclass := howdah.task_table("table");
    kinds text[] := regexp_split_to_array(upper(btrim(events)), E'\\s+OR\\s+');
    wrong text;
    why text;
    given jsonb;
    config jsonb;
    works text := 'howdah.task_of_' || level;
    kind text;
BEGIN
    IF relation IS NULL OR name IS NULL OR name = '' OR octet_length(name) > 50 THEN
        why := 'it needs a table and a name of 1 to 50 bytes';
    ELSIF kinds IS NULL OR NOT kinds <@ '{INSERT,UPDATE,DELETE}'::text[] THEN
        why := format('events is %L: it has to be INSERT, UPDATE, DELETE, or some of them with OR '
            'between', events);
    ELSIF level IS NULL OR level NOT IN ('row', 'statement') THEN
        why := format('level is %L: it has to be row or statement', level);
    ELSIF level = 'statement'
            AND ("when" IS NOT NULL OR columns IS NOT NULL OR key IS NOT NULL OR latest) THEN
        why := 'when, columns, key and latest are for level row: a statement changes many rows';
    ELSIF columns IS NOT NULL AND NOT 'UPDATE' = ANY (kinds) THEN
        why := 'columns is for UPDATE';
    ELSIF sql IS NULL AND options ->> 'remote' IS NULL THEN
        why := 'it needs SQL, or a remote in options to which the change is sent';
    ELSIF sql IS NOT NULL AND options ->> 'remote' IS NOT NULL THEN
        why := 'the SQL reads rows of this database, so it cannot run at a remote';
    ELSIF latest AND sql IS NULL THEN
        why := 'latest is for SQL';
    ELSIF jsonb_typeof(options) <> 'object' THEN
        why := 'options is a JSON object of columns of the task';
    END IF;
    IF why IS NULL THEN
        SELECT k INTO wrong
        FROM unnest(key || columns) k
        WHERE NOT EXISTS (
            SELECT FROM pg_attribute a
            WHERE a.attrelid = relation AND a.attname = k AND a.attnum > 0 AND NOT a.attisdropped)
        LIMIT 1;
        IF wrong IS NOT NULL THEN
            why := format('%s has no column "%s"', relation, wrong);
        END IF;
    END IF;
    IF why IS NULL THEN
        SELECT k INTO wrong
        FROM jsonb_object_keys(COALESCE(options, '{}')) k
        WHERE k IN (
                'id', 'parent', 'state', 'start', 'stop', 'pid', 'retry', 'input', 'output',
                'error', 'sqlstate', 'notices', 'hash', 'owner', 'owner_oid', 'schedule', 'data',
                'once')
            OR NOT EXISTS (
                SELECT FROM pg_attribute a
                WHERE a.attrelid = target AND a.attname = k AND a.attnum > 0
                    AND NOT a.attisdropped)
        LIMIT 1;
        IF wrong IS NOT NULL THEN
            why := format('options cannot have "%s": it takes columns of %s that say how a task '
                'runs, such as attempts, timeout, max', wrong, target);
        END IF;
    END IF;
    IF why IS NOT NULL THEN
        RAISE 'the trigger "%" of % cannot be made: %', name, relation, why
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    given := jsonb_strip_nulls(COALESCE(options, '{}') - 'group'
        || CASE WHEN sql IS NULL THEN '{}' ELSE jsonb_build_object('once', once) END);
    config := jsonb_strip_nulls(jsonb_build_object(
        'name', relation::text || ' ' || name, 'table', target::text, 'sql', sql,
        'level', level, 'latest', latest,
        'group', COALESCE(options ->> 'group', relation::text || ' ' || name),
        'key', to_jsonb(NULLIF(key, '{}')),
        -- Of a partition the rows are those of the whole table.
        'relation', (
            SELECT relation::text FROM pg_class c WHERE c.oid = relation AND c.relkind = 'p'),
        'owned', EXISTS (
            SELECT FROM pg_attribute a
            WHERE a.attrelid = target AND a.attname = 'owner' AND NOT a.attisdropped),
        'columns', given));
    PERFORM howdah.drop_task_trigger(relation, name);
    IF given <> '{"once": true}' OR target <> to_regclass('public.task') THEN
        works := howdah.task_trigger_function(
            target, ARRAY(SELECT jsonb_object_keys(given)), level);
    END IF;
    IF level = 'row' THEN
        EXECUTE format(
            'CREATE TRIGGER %I AFTER %s ON %s FOR EACH ROW %s '
            'EXECUTE PROCEDURE %s(%L)',
            name, replace(
                array_to_string(kinds, ' OR '), 'UPDATE', 'UPDATE' || COALESCE(
                    ' OF ' || (SELECT string_agg(quote_ident(c), ', ') FROM unnest(columns) c),
                    '')),
            relation, 'WHEN (' || "when" || ')', works, config);
    ELSE
        FOREACH kind IN ARRAY kinds LOOP
            EXECUTE format(
                'CREATE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT '
                'EXECUTE PROCEDURE %s(%L)',
                name || '_' || lower(kind), kind, relation,
                concat_ws(' ', CASE WHEN kind <> 'INSERT' THEN 'OLD TABLE AS howdah_old' END,
                    CASE WHEN kind <> 'DELETE' THEN 'NEW TABLE AS howdah_new' END), works, config);
        END LOOP;
    END IF;
    RETURN name;
END
$howdah$;
