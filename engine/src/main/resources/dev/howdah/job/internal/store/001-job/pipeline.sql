-- Pipelines in SQL -------------------------------------------------------------------------------

CREATE FUNCTION howdah_internal.put_pipeline(name text, stages json)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    wrong text;
BEGIN
    PERFORM howdah_internal.check_name('pipeline', $1);
    IF json_typeof($2) IS DISTINCT FROM 'array' OR json_array_length($2) = 0 THEN
        RAISE 'the stages of pipeline "%": they have to be a JSON array of one object or more', $1
            USING ERRCODE = 'invalid_parameter_value',
                HINT = '[{"name": "charge", "queue": "shop", "kind": "sql", "payload": {...}}]';
    END IF;
    SELECT CASE
            WHEN json_typeof(t.stage) <> 'object' THEN 'it is no object'
            WHEN t.stage ->> 'name' IS NULL THEN 'it has no name'
            WHEN t.stage ->> 'kind' IS NULL THEN 'it has no kind'
            WHEN t.stage ->> 'after' IS NOT NULL THEN 'it comes after the one before it'
            WHEN t.stage ->> 'input' IS NOT NULL THEN 'its input is what is added'
            WHEN t.n = 1 AND howdah_internal.takes_results(t.stage -> 'payload')
                THEN 'it takes the result of the stage before, and there is none'
            WHEN count(*) OVER (PARTITION BY t.stage ->> 'name') > 1
                THEN 'another one has the name "' || (t.stage ->> 'name') || '"'
        END || ': ' || left(t.stage::text, 80) INTO wrong
    FROM json_array_elements($2) WITH ORDINALITY AS t (stage, n)
    ORDER BY 1 NULLS LAST
    LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE 'a stage of pipeline "%": %', $1, wrong USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO howdah.pipeline AS p (name, stages)
    VALUES ($1, $2)
    ON CONFLICT ON CONSTRAINT pipeline_pkey DO UPDATE
    SET stages = excluded.stages, changed = excluded.changed;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.put_pipeline(text, json) IS
    'Defines a pipeline, or changes it for what is added from now on: an array of stages, each as '
    'a job of howdah.add_workflow. "$input" in a payload stands for what is added, "$input.field" '
    'for a field of that, "$previous" for the result of the stage before.';

CREATE FUNCTION howdah.remove_pipeline(name text)
RETURNS boolean
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH gone AS (DELETE FROM howdah.pipeline p WHERE p.name = $1 RETURNING 1)
    SELECT EXISTS (SELECT FROM gone)
$howdah$;
COMMENT ON FUNCTION howdah.remove_pipeline(text) IS
    'Removes a pipeline; says whether there was one. Its workflows continue.';

-- A template with the values of a context in place of "$input", "$input.field" and the like.
CREATE FUNCTION howdah_internal.filled(template json, context json)
RETURNS json
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT string_agg(
        p.part || CASE
            WHEN m.path IS NULL THEN ''
            ELSE COALESCE((context #> string_to_array(m.path, '.'))::text, 'null')
        END, '' ORDER BY p.n)::json
    FROM regexp_split_to_table(
        template::text, E'"\\$(?:input|previous|results)(?:\\.[A-Za-z0-9_]+)*"')
        WITH ORDINALITY AS p (part, n)
    LEFT JOIN (
        SELECT t.found[1] AS path, t.n
        FROM regexp_matches(
            template::text, E'"\\$((?:input|previous|results)(?:\\.[A-Za-z0-9_]+)*)"', 'g')
            WITH ORDINALITY AS t (found, n)) m ON m.n = p.n
$howdah$;

-- Whether a template has to wait for the results of other jobs.
CREATE FUNCTION howdah_internal.takes_results(template json)
RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT COALESCE(template::text ~ E'"\\$(previous|results)(\\.[A-Za-z0-9_]+)*"', false)
$howdah$;

CREATE FUNCTION howdah_internal.add_to_pipeline(name text, input json DEFAULT 'null')
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    stages json := (SELECT p.stages FROM howdah.pipeline p WHERE p.name = $1);
BEGIN
    IF stages IS NULL THEN
        RAISE 'there is no pipeline "%"', $1 USING ERRCODE = 'undefined_object';
    END IF;
    RETURN howdah_internal.add_workflow((
        SELECT json_agg(json_build_object(
            'name', t.stage -> 'name', 'queue', COALESCE(t.stage ->> 'queue', $1),
            'kind', t.stage -> 'kind', 'priority', t.stage -> 'priority',
            'delay', t.stage -> 'delay', 'attempts', t.stage -> 'attempts',
            'timeout', t.stage -> 'timeout', 'options', t.stage -> 'options',
            'payload', CASE WHEN t.takes THEN t.stage -> 'payload'
                ELSE howdah_internal.filled(
                    COALESCE(t.stage -> 'payload', '"$input"'), json_build_object('input', $2)) END,
            'after', CASE WHEN t.before IS NOT NULL THEN json_build_array(t.before) END,
            'fill', t.takes, 'input', CASE WHEN t.takes THEN $2 END)
            ORDER BY t.n)
        FROM (
            SELECT u.stage, u.n, howdah_internal.takes_results(u.stage -> 'payload') AS takes,
                lag(u.stage ->> 'name') OVER (ORDER BY u.n) AS before
            FROM json_array_elements(stages) WITH ORDINALITY AS u (stage, n)) t), $1);
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_to_pipeline(text, json) IS
    'Adds a workflow of the stages of a pipeline, one after the other, in this transaction; its '
    'number.';
