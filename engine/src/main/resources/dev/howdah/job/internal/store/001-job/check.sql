-- Checks of arguments -----------------------------------------------------------------------------

CREATE FUNCTION howdah_internal.check_priority(priority integer)
RETURNS smallint
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
BEGIN
    IF priority IS NULL OR priority NOT BETWEEN -100 AND 100 THEN
        RAISE 'a priority of %: it has to be from -100 to 100', COALESCE(priority::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN priority;
END
$howdah$;

CREATE FUNCTION howdah_internal.check_job(job bigint)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF NOT EXISTS (SELECT FROM howdah.find(job)) THEN
        RAISE 'there is no job %, or its history has been removed', COALESCE(job::text, 'NULL')
            USING ERRCODE = 'undefined_object';
    END IF;
END
$howdah$;

-- When a job is due that is added now.
CREATE FUNCTION howdah_internal.due(run_at timestamptz, delay interval)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
AS $howdah$
BEGIN
    IF run_at IS NOT NULL AND delay IS NOT NULL THEN
        RAISE 'run_at % and delay %: a job has one or the other', run_at, delay
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF run_at < '0001-01-01 00:00:00+00' OR run_at >= '10000-01-01 00:00:00+00' THEN
        RAISE 'a job at %: it has to be in the years 1 to 9999', run_at
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF delay < interval '0' OR delay > interval '1000 years' THEN
        RAISE 'a delay of %: it has to be from 0 to 1000 years', delay
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN COALESCE(run_at, now() + delay, now());
END
$howdah$;

-- The context of the caller's trace is in the settings howdah.traceparent and howdah.tracestate of
-- its transaction, in the form of W3C Trace Context. Anything else there is ignored: a trace must
-- not make a job fail.
CREATE FUNCTION howdah_internal.trace()
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    parent text := current_setting('howdah.traceparent', true);
BEGIN
    -- NULL in a session that has never had the setting.
    IF COALESCE(parent, '') !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' THEN
        RETURN NULL;
    END IF;
    RETURN jsonb_strip_nulls(jsonb_build_object('traceparent', parent,
        'tracestate', NULLIF(left(current_setting('howdah.tracestate', true), 512), '')));
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.trace() IS
    'The trace context that this transaction has set, or NULL.';

-- The options of howdah.add and its variants. A new option is a name here and a branch in
-- howdah_internal.check_option.
CREATE FUNCTION howdah_internal.option_names()
RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT '{group,metadata,tags,unique,weight}'::text[]
$howdah$;

-- Checks the value of one option, and returns it as it stands in howdah.job.more.
CREATE FUNCTION howdah_internal.check_option(name text, value jsonb)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    type text := jsonb_typeof(value);
    shown text := left(value::text, 60);
BEGIN
    CASE name
        WHEN 'tags' THEN
            IF type <> 'array' THEN
                RAISE 'the option tags is %: it has to be an array of texts, such as ["eu", "vip"]',
                    shown
                    USING ERRCODE = 'invalid_parameter_value';
            END IF;
            RETURN NULLIF(howdah_internal.check_tags(value), '[]');
        WHEN 'metadata' THEN
            IF type <> 'object' THEN
                RAISE
                    'the option metadata is %: it has to be a JSON object, such as '
                    '{"source": "import"}',
                    shown
                    USING ERRCODE = 'invalid_parameter_value';
            ELSIF octet_length(value::text) > 4096 THEN
                RAISE 'metadata of % bytes: 4096 at most', octet_length(value::text)
                    USING ERRCODE = 'invalid_parameter_value',
                    HINT = 'What is larger is part of the payload.';
            END IF;
            RETURN NULLIF(value, '{}');
        WHEN 'group' THEN
            IF type <> 'string' OR length(value #>> '{}') NOT BETWEEN 1 AND 200 THEN
                RAISE 'the option group is %: it has to be a text of 1 to 200 characters', shown
                    USING ERRCODE = 'invalid_parameter_value';
            END IF;
            RETURN value;
        WHEN 'weight' THEN
            IF type <> 'number' OR value::numeric NOT BETWEEN 1 AND 1000000
                OR value::numeric <> trunc(value::numeric) THEN
                RAISE 'the option weight is %: it has to be a whole number from 1 to 1000000', shown
                    USING ERRCODE = 'invalid_parameter_value';
            END IF;
            RETURN NULLIF(value, '1');
        WHEN 'unique' THEN
            -- It says how to add the job, and is nothing of the job.
            PERFORM howdah_internal.check_unique(value);
            RETURN NULL;
        ELSE
            RAISE 'there is no option "%"', left(name, 60)
                USING ERRCODE = 'invalid_parameter_value',
                HINT = CASE WHEN name = ANY (
                    '{queue,kind,payload,priority,run_at,delay,key,version,attempts,timeout}')
                    THEN format('%s is an argument of its own. ', name) ELSE '' END
                    || 'Options are: ' || array_to_string(howdah_internal.option_names(), ', ')
                        || '.';
    END CASE;
END
$howdah$;

-- The tags, each once, in the order of their characters.
CREATE FUNCTION howdah_internal.check_tags(tags jsonb)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    wrong jsonb;
    size integer := jsonb_array_length(tags);
BEGIN
    IF size > 20 THEN
        RAISE '% tags: a job has 20 at most', size USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT t.value INTO wrong
    FROM jsonb_array_elements(tags) t
    WHERE jsonb_typeof(t.value) <> 'string' OR length(t.value #>> '{}') NOT BETWEEN 1 AND 100
        OR t.value #>> '{}' ~ howdah_internal.refused_characters()
    LIMIT 1;
    IF FOUND THEN
        PERFORM howdah_internal.check_characters('a tag', wrong #>> '{}');
        RAISE 'a tag of %: it has to be a text of 1 to 100 characters', left(wrong::text, 60)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN (
        SELECT COALESCE(jsonb_agg(DISTINCT t.tag COLLATE "C" ORDER BY t.tag COLLATE "C"), '[]')
        FROM jsonb_array_elements_text(tags) AS t (tag));
END
$howdah$;

-- Checks the option unique, and returns it with all of its fields: by (key, payload), while
-- (waiting, unfinished), then (skip, replace, push_back, append, run_last), within (the window),
-- most (elements of the payload), longest (how much a start is pushed back).
CREATE FUNCTION howdah_internal.check_unique(value jsonb)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    unknown text;
    checked jsonb;
    field text;
    span interval;
BEGIN
    IF jsonb_typeof(value) <> 'object' THEN
        RAISE 'the option unique is %: it has to be a JSON object, such as {"then": "replace"}',
            left(value::text, 60)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    checked := jsonb_strip_nulls(value);
    unknown := (
        SELECT k.key
        FROM jsonb_object_keys(checked) AS k (key)
        WHERE k.key <> ALL ('{by,while,then,within,most,longest}')
        LIMIT 1);
    IF unknown IS NOT NULL THEN
        RAISE 'the option unique has a field "%"', left(unknown, 60)
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'Fields are by, while, then, within, most and longest.';
    END IF;
    checked := '{"by": "key", "then": "skip"}' || checked;
    IF NOT checked ? 'while' THEN
        checked := checked || jsonb_build_object('while',
            CASE WHEN checked ->> 'then' = 'append' THEN 'waiting' ELSE 'unfinished' END);
    END IF;
    IF checked ->> 'by' NOT IN ('key', 'payload') THEN
        RAISE 'unique by "%": it has to be key or payload', left(checked ->> 'by', 60)
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF checked ->> 'while' NOT IN ('waiting', 'unfinished') THEN
        RAISE 'unique while "%": it has to be waiting, or unfinished, which is waiting or running',
            left(checked ->> 'while', 60)
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF checked ->> 'then' NOT IN ('skip', 'replace', 'push_back', 'append', 'run_last') THEN
        RAISE 'unique, then "%": it has to be skip, replace, push_back, append or run_last',
            left(checked ->> 'then', 60)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOREACH field IN ARRAY '{within,longest}'::text[] LOOP
        CONTINUE WHEN NOT checked ? field;
        BEGIN
            span := (checked ->> field)::interval;
        EXCEPTION WHEN data_exception THEN
            span := NULL;
        END;
        IF span IS NULL OR span <= interval '0' OR span > interval '1000 years' THEN
            RAISE 'unique: % is "%": it has to be a time such as "1 hour", longer than 0', field,
                left(checked ->> field, 60)
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END LOOP;
    IF checked ? 'within' AND checked ->> 'then' NOT IN ('skip', 'run_last') THEN
        RAISE 'unique within a window, then "%": it has to be skip or run_last',
            checked ->> 'then'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF checked ->> 'then' = 'run_last' AND NOT checked ? 'within' THEN
        RAISE 'unique, then "run_last" needs a window, such as "within": "1 hour"'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF checked ? 'longest' AND checked ->> 'then' <> 'push_back' THEN
        RAISE 'unique: longest is for then "push_back", not "%"', checked ->> 'then'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF checked ? 'most' AND checked ->> 'then' <> 'append' THEN
        RAISE 'unique: most is for then "append", not "%"', checked ->> 'then'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF checked ? 'most' AND COALESCE(checked ->> 'most', '') !~ '^[1-9][0-9]{0,4}$' THEN
        RAISE 'unique: most is %: it has to be from 1 to 99999 elements', checked -> 'most'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF checked ->> 'then' = 'append' AND checked ->> 'by' = 'payload' THEN
        RAISE 'unique by payload, then "append": jobs whose payloads differ have no key in common'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF checked ->> 'then' = 'append' AND checked ->> 'while' <> 'waiting' THEN
        RAISE 'unique while unfinished, then "append": nothing is appended to a job that runs'
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'With "while": "waiting", a running job is followed by another one.';
    ELSIF checked ->> 'then' = 'append' AND NOT checked ? 'most' THEN
        checked := checked || '{"most": 1000}';
    END IF;
    RETURN checked;
END
$howdah$;

-- A payload as jsonb. What jsonb cannot hold, such as the character 0, half a character or
-- 1e999999, is the text of the payload: JSON that a user adds is no reason to fail.
CREATE FUNCTION howdah_internal.payload_jsonb(payload json)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
BEGIN
    RETURN payload::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN to_jsonb(payload::text);
END
$howdah$;

-- The key of jobs that are unique by their payload: of any two that are the same JSON, whatever the
-- order of their fields and their white space.
CREATE FUNCTION howdah_internal.payload_key(payload json)
RETURNS text
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT 'payload ' || encode(sha256(convert_to(
        howdah_internal.payload_jsonb(payload)::text, 'UTF8')), 'hex')
$howdah$;

-- The options of a job as they stand in howdah_internal.job.more; NULL: it has none.
CREATE FUNCTION howdah_internal.check_options(options jsonb)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    checked jsonb;
BEGIN
    IF options IS NULL OR options = 'null' THEN
        RETURN NULL;
    ELSIF jsonb_typeof(options) <> 'object' THEN
        RAISE 'options of %: they have to be a JSON object, such as {"tags": ["eu", "vip"]}',
            left(options::text, 60)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- An option that is null is as if it were not there.
    SELECT jsonb_object_agg(c.key, c.value) INTO checked
    FROM (
        SELECT o.key, howdah_internal.check_option(o.key, o.value) AS value
        FROM jsonb_each(options) o
        WHERE o.value <> 'null' OR o.key <> ALL (howdah_internal.option_names())) c
    WHERE c.value IS NOT NULL;
    RETURN checked;
END
$howdah$;

-- For functions that add many jobs: the options are an object for all of them, or an array with one
-- for each. Returns what is unusual about each; NULL: about all of them the same.
CREATE FUNCTION howdah_internal.unusual_each(
    jobs integer, due timestamptz, attempts integer, timeout interval, options jsonb)
RETURNS jsonb[]
LANGUAGE plpgsql STABLE
AS $howdah$
BEGIN
    IF options IS NULL OR jsonb_typeof(options) <> 'array' THEN
        RETURN NULL;
    ELSIF jsonb_array_length(options) <> jobs THEN
        RAISE 'options for % jobs, and % jobs: there has to be an object for each, or one for all',
            jsonb_array_length(options), jobs
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN ARRAY(
        SELECT howdah_internal.unusual(due, attempts, timeout, NULL, NULL, o.value)
        FROM jsonb_array_elements(options) WITH ORDINALITY AS o (value, n)
        ORDER BY o.n);
END
$howdah$;

-- The value of howdah.job.more.
CREATE FUNCTION howdah_internal.unusual(
    due timestamptz, attempts integer, timeout interval, key text, version timestamptz,
    options jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $howdah$
BEGIN
    IF key ~ howdah_internal.refused_characters() THEN
        PERFORM howdah_internal.check_characters('a key', key);
    END IF;
    IF attempts NOT BETWEEN 1 AND 10000 THEN
        RAISE '% attempts: it has to be from 1 to 10000', attempts
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF timeout <= interval '0' OR timeout > interval '1000 years' THEN
        RAISE 'a timeout of %: it has to be longer than 0, and 1000 years at most', timeout
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF key = '' OR length(key) > 400 THEN
        RAISE 'a key has 1 to 400 characters, not %: "%"', length(key), left(key, 40)
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF version IS NOT NULL AND key IS NULL THEN
        RAISE 'version % without a key: it says which of two jobs with one key is newer', version
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF NOT isfinite(version) THEN
        RAISE 'version %: it has to be a moment', version USING ERRCODE = 'invalid_parameter_value';
    ELSIF key IS NULL AND options ? 'unique' THEN
        RAISE 'the option unique and no key: it says what becomes of the second job with one key'
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'For howdah.add and howdah.add_keyed_many, with a key or {"by": "payload"}.';
    ELSIF version IS NOT NULL AND options ? 'unique' THEN
        RAISE 'version % and the option unique: both say what becomes of the second job', version
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN NULLIF(
        jsonb_strip_nulls(jsonb_build_object(
            'attempts', attempts,
            'timeout', extract(epoch FROM timeout),
            'key', key,
            'version', version,
            'created', CASE WHEN due <> now() THEN now() END,
            'trace', howdah_internal.trace()))
        || COALESCE(howdah_internal.check_options(options), '{}'),
        '{}');
END
$howdah$;
