-- Schedules of tasks by name: the functions that belong to a table of tasks, and what clients ask.
-- A schedule is the row that waits for its next time, or runs; the rows of its earlier runs are its
-- history.

-- name: schedule_function
-- Puts, pauses, resumes, runs or removes a schedule; returns the id of the row, null where there is
-- no such schedule. given has the columns of the task: schedule is the name, owner whose it is.
CREATE OR REPLACE FUNCTION /*schedule*/public.task_schedule(action text, given jsonb)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $schedule$
DECLARE
    target regtype := pg_typeof(NULL::/*table*/public.task);
    wanted_name text := given ->> 'schedule';
    who text := COALESCE(given ->> 'owner', current_user);
    -- What a run leaves in its row, and what tells one run from another.
    of_runs CONSTANT text[] := ARRAY[
        'id', 'parent', 'plan', 'start', 'stop', 'pid', 'state', 'error', 'output', 'retry',
        'after', 'hash', 'sqlstate', 'notices'];
    base /*table*/public.task;
    wanted /*table*/public.task;
    names text;
    refused text;
    result bigint;
BEGIN
    IF wanted_name IS NULL OR wanted_name = '' OR length(wanted_name) > 200 THEN
        RAISE 'a schedule needs a name of 1 to 200 characters, not %',
            COALESCE('"' || left(wanted_name, 200) || '"', 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- As howdah_internal.refused_characters(), which is of jobs.
    refused := substring(wanted_name FROM
        CASE getdatabaseencoding()
            WHEN 'UTF8' THEN E'[\\u0001-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]'
            ELSE E'[\\u0001-\\u001f\\u007f]'
        END);
    IF action = 'put' AND refused IS NOT NULL THEN
        RAISE 'the name of a schedule has the character U+% at position %: it can have no control '
            'characters, and none that change the direction of writing',
            upper(lpad(to_hex(ascii(refused)), 4, '0')), strpos(wanted_name, refused)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF current_setting('transaction_isolation') NOT LIKE 'read %' THEN
        RAISE 'schedule "%" cannot be changed in a transaction that is %, which does not see what '
            'others have changed', wanted_name, current_setting('transaction_isolation')
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Do it in a transaction that is read committed.';
    END IF;
    PERFORM pg_advisory_xact_lock(
        1215264892, hashtext(target::oid || ' ' || length(who) || who || wanted_name));
    -- A run that ends at this moment leaves its place to the next, which only a later look sees.
    FOR look IN 1..3 LOOP
        SELECT t.* INTO base
        FROM /*table*/public.task t
        WHERE t.schedule = wanted_name
            AND t.cron IS NOT NULL
            AND t.state IN ('PLAN', 'TAKE', 'WORK')
        AND COALESCE(to_jsonb(t) ->> 'owner', who) = who
        ORDER BY t.state = 'PLAN' DESC, t.id LIMIT 1
        FOR NO KEY UPDATE;
        EXIT WHEN base.id IS NOT NULL;
    END LOOP;
    IF base.id IS NULL AND action <> 'put' THEN
        RETURN NULL;
    END IF;
    IF action = 'put' THEN
        IF given ->> 'cron' IS NULL OR given ->> 'input' IS NULL THEN
            RAISE 'schedule "%" needs a cron and the SQL to run', wanted_name
                USING ERRCODE = 'null_value_not_allowed';
        END IF;
        names := (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(given) k);
        BEGIN
            EXECUTE format(
                'INSERT INTO %s AS t (%s) SELECT %s FROM jsonb_populate_record(NULL::%s, $1) '
                'RETURNING t.*', target, names, names, target) INTO wanted USING given;
            IF base.id IS NOT NULL THEN
                -- Only to learn what the row would be, with all defaults.
                RAISE SQLSTATE 'HWS01';
            END IF;
            RETURN wanted.id;
        EXCEPTION WHEN SQLSTATE 'HWS01' THEN
            names := (
                SELECT string_agg(quote_ident(w.key), ', ')
                FROM jsonb_each(to_jsonb(wanted) - of_runs) w
                WHERE w.value IS DISTINCT FROM to_jsonb(base) -> w.key);
        END;
        IF names IS NULL THEN
            RETURN base.id;
        END IF;
        IF base.state = 'PLAN' THEN
            -- Other times begin now; the scheduler moves the plan to the first of them.
            EXECUTE format(
                'UPDATE %s t SET (plan, %s) = (SELECT CASE WHEN isfinite(t.plan) AND '
                '(t.cron, t.zone) IS DISTINCT FROM (w.cron, w.zone) THEN statement_timestamp() '
                'ELSE t.plan END, %s FROM jsonb_populate_record(NULL::%s, $1) w) WHERE t.id = $2',
                target, names, regexp_replace(names, '(^|, )', E'\\1w.', 'g'), target)
                USING to_jsonb(wanted), base.id;
            RETURN base.id;
        END IF;
        -- It runs: what runs goes on as it began, and has no next run.
        UPDATE /*table*/public.task t SET cron = NULL WHERE t.id = base.id;
        RETURN /*schedule*/public.task_schedule('put', given);
    ELSIF action = 'run' OR action = 'pause' AND base.state <> 'PLAN' THEN
        names := (
            SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
            FROM pg_attribute a
            JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.reltype = target AND a.attnum > 0 AND NOT a.attisdropped
            AND COALESCE(to_jsonb(a) ->> 'attgenerated', '') = '' AND a.attidentity <> 'a'
            AND a.attname <> ALL (of_runs) AND a.attname <> 'cron');
        EXECUTE format(
            'INSERT INTO %s (plan, cron, %s) SELECT CASE $2 WHEN ''run'' '
            'THEN statement_timestamp() ELSE ''infinity'' END, '
            'CASE WHEN $2 <> ''run'' THEN cron END, %s '
            'FROM %s WHERE id = $1 RETURNING id', target, names, names, target)
            INTO result USING base.id, action;
        IF action = 'pause' THEN
            UPDATE /*table*/public.task t SET cron = NULL WHERE t.id = base.id;
        END IF;
        RETURN result;
    ELSIF action = 'pause' THEN
        UPDATE /*table*/public.task t SET plan = 'infinity' WHERE t.id = base.id;
    ELSIF action = 'resume' THEN
        UPDATE /*table*/public.task t SET plan = statement_timestamp()
        WHERE t.id = base.id AND t.state = 'PLAN' AND NOT isfinite(t.plan);
    ELSIF action = 'remove' THEN
        UPDATE /*table*/public.task t
        SET cron = NULL,
            state = CASE t.state WHEN 'PLAN' THEN 'STOP' ELSE t.state END,
            stop = CASE t.state WHEN 'PLAN' THEN statement_timestamp() ELSE t.stop END
        WHERE t.id = base.id;
    ELSE
        RAISE '"%" is none of put, pause, resume, run and remove', action
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN base.id;
END
$schedule$;

-- name: schedule_list_function
-- The schedules of all owners, by name. A schedule is found among the newest thousand rows of its
-- name.
CREATE OR REPLACE FUNCTION /*schedules*/public.task_schedules()
RETURNS TABLE (
    name text, owner text, cron text, zone text, state text, next timestamptz, id bigint, sql text,
    last_id bigint, last_start timestamptz, last_stop timestamptz, last_state text, last_error text)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $schedules$
BEGIN
    RETURN QUERY
    WITH RECURSIVE names AS (
        SELECT min(t.schedule) AS name FROM /*table*/public.task t WHERE t.schedule IS NOT NULL
        UNION ALL
        SELECT (
            SELECT min(t.schedule) FROM /*table*/public.task t WHERE t.schedule > n.name)
        FROM names n WHERE n.name IS NOT NULL
    )
    -- Whatever the types of the columns of a table that a user has made.
    SELECT n.name::text, s.owner, s.cron::text, s.zone::text,
        CASE WHEN s.state <> 'PLAN' THEN 'running' WHEN isfinite(s.plan) THEN 'waiting'
            ELSE 'paused' END,
        CASE WHEN s.state = 'PLAN' AND isfinite(s.plan) THEN s.plan::timestamptz END,
        s.id::bigint, s.input::text, l.id::bigint, l.start::timestamptz, l.stop::timestamptz,
        l.state::text, l.error::text
    FROM names n
    CROSS JOIN LATERAL (
        SELECT DISTINCT ON (r.owner) r.*
        FROM (
            SELECT t.id, to_jsonb(t) ->> 'owner' AS owner, t.cron, t.zone, t.state, t.plan, t.input
            FROM /*table*/public.task t
            WHERE t.schedule = n.name
            ORDER BY t.id DESC LIMIT 1000) r
        WHERE r.cron IS NOT NULL AND r.state IN ('PLAN', 'TAKE', 'WORK')
        ORDER BY r.owner, r.state = 'PLAN' DESC, r.id) s
    LEFT JOIN LATERAL (
        SELECT t.id, t.start, t.stop, t.state, t.error
        FROM /*table*/public.task t
        WHERE t.schedule = n.name
            AND to_jsonb(t) ->> 'owner' IS NOT DISTINCT FROM s.owner
            AND t.state IN ('DONE', 'FAIL', 'GONE')
        ORDER BY t.id DESC LIMIT 1) l ON true
    WHERE n.name IS NOT NULL
    ORDER BY n.name, s.owner;
END
$schedules$;

-- name: schedule_cron_function
-- Refuses a cron that cannot be read, and a zone that there is not. Days that never come, such as
-- 30 February, are seen when the task is due.
CREATE OR REPLACE FUNCTION /*cron*/public.task_cron()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $cron$
DECLARE
    kinds CONSTANT text[] := ARRAY[
        'second', 'minute', 'hour', 'day of month', 'month', 'day of week'];
    lowest CONSTANT integer[] := ARRAY[0, 0, 0, 1, 1, 0];
    highest CONSTANT integer[] := ARRAY[59, 59, 23, 31, 12, 7];
    month_names CONSTANT text[] := ARRAY[
        'JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
    day_names CONSTANT text[] := ARRAY['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
    plain text := btrim(NEW.cron, E' \t\n\x0b\f\r\x1c\x1d\x1e\x1f');
    fields text[];
    item text;
    edges text[];
    values integer[];
    step text;
    alone boolean;
    why text;
BEGIN
    IF plain LIKE '@%' THEN
        IF lower(plain COLLATE "C") <> ALL (ARRAY[
            '@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']) THEN
            why := 'it is none of @annually, @daily, @hourly, @midnight, @monthly, @weekly, '
                '@yearly';
        END IF;
    ELSIF plain IS NOT NULL THEN
        fields := CASE WHEN plain = '' THEN '{}'
            ELSE regexp_split_to_array(plain, E'[ \t\n\x0b\f\r]+') END;
        IF cardinality(fields) NOT IN (5, 6) THEN
            why := format(
                'it has %s fields, not the 5 (minute, hour, day of month, month, day of week) or '
                'the 6 with seconds in front', cardinality(fields));
        ELSIF cardinality(fields) = 5 THEN
            fields := ARRAY['0'] || fields;
        END IF;
    END IF;
    IF why IS NULL THEN
        <<reading>>
        FOR field IN 1..COALESCE(cardinality(fields), 0) LOOP
            FOREACH item IN ARRAY string_to_array(upper(fields[field] COLLATE "C"), ',') LOOP
                CONTINUE WHEN field = 4 AND item ~ '^(LW|L|L-0{0,2}([0-9]|0?[12][0-9]|0?30))$';
                CONTINUE WHEN field = 6 AND item = 'L';
                why := format('its %s is ''%s''', kinds[field], fields[field]);
                -- One day of the month or of the week, none of a range.
                alone := true;
                IF field = 4 AND item ~ '^.+W$' OR field = 6 AND item ~ '^.+L$' THEN
                    item := left(item, -1);
                ELSIF field = 6 AND item ~ '^[^#]+#0{0,3}[1-5]$' THEN
                    item := split_part(item, '#', 1);
                ELSE
                    alone := false;
                    step := substr(item, strpos(item, '/') + 1);
                    EXIT reading WHEN strpos(item, '/') > 0
                        AND (step !~ '^[0-9]{1,4}$' OR step ~ '^0+$' OR field = 6
                            AND split_part(item, '/', 1) IN ('7', '07', '007', '0007'));
                    item := CASE WHEN strpos(item, '/') > 0 THEN split_part(item, '/', 1)
                        ELSE item END;
                    IF item = '*' OR item = '?' AND field IN (4, 6) THEN
                        why := NULL;
                        CONTINUE;
                    END IF;
                END IF;
                edges := regexp_split_to_array(item, '-');
                EXIT reading WHEN cardinality(edges) > CASE WHEN alone THEN 1 ELSE 2 END;
                values := ARRAY(
                    SELECT COALESCE(
                        CASE field WHEN 5 THEN array_position(month_names, e.edge)
                            WHEN 6 THEN array_position(day_names, e.edge) - 1 END,
                        CASE WHEN e.edge ~ '^[0-9]{1,4}$' THEN e.edge::integer END, -1)
                    FROM unnest(edges) WITH ORDINALITY e (edge, n) ORDER BY e.n);
                EXIT reading WHEN lowest[field] > ANY (values) OR highest[field] < ANY (values);
                EXIT reading WHEN values[2] < values[1]
                    AND NOT (field = 6 AND values[2] = 0);
                why := NULL;
            END LOOP;
        END LOOP;
    END IF;
    IF why IS NOT NULL THEN
        RAISE 'cron ''%'' cannot be read: %', NEW.cron, why
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'Such as ''0 3 * * *'' (daily at 3:00), ''*/5 * * * *'', '
                    '''0 9 * * MON-FRI'' or @hourly.';
    END IF;
    IF NEW.zone IS NOT NULL THEN
        BEGIN
            PERFORM timezone(NEW.zone, statement_timestamp());
        EXCEPTION WHEN invalid_parameter_value THEN
            why := 'there is no zone';
        END;
        -- What is east for one reader is west for the other; and an abbreviation has no rules.
        IF why IS NOT NULL OR NEW.zone ~ E'^\\s*[A-Za-z]{0,4}[+-][0-9]' OR (
            NEW.zone ~ E'^\\s*[A-Za-z]{1,5}\\s*$'
            AND EXISTS (
                SELECT FROM pg_timezone_abbrevs a WHERE lower(a.abbrev) = lower(btrim(NEW.zone)))
            AND NOT EXISTS (
                SELECT FROM pg_timezone_names n WHERE lower(n.name) = lower(btrim(NEW.zone)))) THEN
            RAISE 'zone ''%'' is none: names such as Europe/Berlin, America/New_York or UTC are '
                'known', NEW.zone USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END IF;
    RETURN NEW;
END
$cron$;

-- name: schedule_cron_trigger
-- The condition spares rows without a schedule the call, and the scheduler, whose rows come from
-- rows that are there.
CREATE TRIGGER /*cron_name*/task_cron BEFORE INSERT OR UPDATE OF cron, zone ON /*table*/public.task
FOR EACH ROW
WHEN ((NEW.cron IS NOT NULL OR NEW.zone IS NOT NULL)
    AND current_setting('howdah.books', true) IS DISTINCT FROM 'kept here')
EXECUTE PROCEDURE /*cron*/public.task_cron();

-- name: schedule_cron_always
-- Replicated rows are checked as well.
ALTER TABLE /*table*/public.task ENABLE ALWAYS TRIGGER /*cron_name*/task_cron;

-- name: schedule_cron_drop_trigger
DROP TRIGGER /*cron_name*/task_cron ON /*table*/public.task;

-- name: schedule_change(action, names, values)
-- :action what to do, :names and :values names and values of columns.
SELECT /*schedule*/public.task_schedule(:action, jsonb_object(:names::text[], :values::text[]));

-- name: schedule_all
SELECT * FROM /*schedules*/public.task_schedules();

-- name: schedule_find(name, owner)
-- or NULL for the role of the session. Tasks without owners are of any.
SELECT *
FROM /*schedules*/public.task_schedules() s
WHERE s.name = :name
    AND COALESCE(s.owner, '') IN ('', COALESCE(:owner::text, current_user));
