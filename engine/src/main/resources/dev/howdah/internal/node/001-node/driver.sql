-- The SQL functions as drivers call them. A function is written once, in howdah_internal, with the
-- types that it works with. howdah_internal.for_drivers makes in howdah what programs call, with
-- the privileges of the caller, which takes each form in which drivers send a value:
--   JSON         json, jsonb, text, or a value without a type
--   integer      bigint, and so smallint and integer
--   interval     interval, or a text with a unit
--   timestamptz  timestamptz, timestamp, date, or a text
-- NULL for an optional argument means that it is not given.
--
-- No call is ambiguous. PostgreSQL takes a value without a type for a text if a variant has a text
-- there, and looks at the type of each argument that is given, but not of those that are not:
-- * JSON is anycompatible, or if there is more of it, or another function of that name, the first
--   is text in one variant, anyelement in the other, and the rest anycompatible. A json and a jsonb
--   have no common type.
-- * One variant has texts for all intervals and times, another their own types, and where there is
--   both, a third has texts for the intervals alone. For a call that has none of these, the first
--   required texts make the difference: they are varchar where others are text, which is preferred.

CREATE FUNCTION howdah_internal.given_json(name text, given text)
RETURNS json
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    RETURN given::json;
EXCEPTION
    WHEN invalid_text_representation OR untranslatable_character THEN
        RAISE '% has to be JSON: %', name, SQLERRM
            USING ERRCODE = SQLSTATE;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.given_json(text, text) IS
    'An argument that is JSON, of its text.';

CREATE FUNCTION howdah_internal.given_json(name text, given anyelement)
RETURNS json
LANGUAGE sql STABLE
AS $howdah$ SELECT pg_catalog.to_json(given) $howdah$;
COMMENT ON FUNCTION howdah_internal.given_json(text, anyelement) IS
    'An argument that is JSON, of what is no text: json, jsonb, or what becomes a value of JSON.';

CREATE FUNCTION howdah_internal.given_jsonb(name text, given text)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    RETURN given::jsonb;
EXCEPTION
    WHEN invalid_text_representation OR untranslatable_character THEN
        RAISE '% has to be JSON: %', name, SQLERRM
            USING ERRCODE = SQLSTATE;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.given_jsonb(text, text) IS
    'The same as jsonb, of its text.';

CREATE FUNCTION howdah_internal.given_jsonb(name text, given anyelement)
RETURNS jsonb
LANGUAGE sql STABLE
AS $howdah$ SELECT pg_catalog.to_jsonb(given) $howdah$;
COMMENT ON FUNCTION howdah_internal.given_jsonb(text, anyelement) IS
    'The same as jsonb, of what is no text: json, jsonb, or what becomes a value of JSON.';

CREATE FUNCTION howdah_internal.given_json_list(name text, given text)
RETURNS json[]
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF left(ltrim(given, E' \t\r\n'), 1) = '[' THEN
        RETURN ARRAY(
            SELECT e.value
            FROM json_array_elements(given::json) WITH ORDINALITY AS e (value, n)
            ORDER BY e.n);
    END IF;
    RETURN given::json[];
EXCEPTION
    WHEN invalid_text_representation OR untranslatable_character THEN
        RAISE '% has to be an array of JSON, or JSON with an array: %', name, SQLERRM
            USING ERRCODE = SQLSTATE;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.given_json_list(text, text) IS
    'An argument that is a list of JSON, of the text of an array of PostgreSQL, or of JSON.';

CREATE FUNCTION howdah_internal.given_json_list(name text, given anyelement)
RETURNS json[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF pg_typeof(given) = 'json[]'::regtype THEN
        RETURN given;
    ELSIF EXISTS (
        SELECT
        FROM pg_type t
        JOIN pg_type e ON e.oid = t.typelem
        WHERE t.oid = pg_typeof(given)
            AND t.typcategory = 'A'
            AND (e.typcategory = 'S' OR e.oid = 'jsonb'::regtype))
    THEN
        RETURN given::text[]::json[];
    ELSIF given IS NULL THEN
        RETURN NULL;
    ELSIF json_typeof(to_json(given)) <> 'array' THEN
        RAISE '% has to be an array, not %', name, json_typeof(to_json(given))
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN ARRAY(
        SELECT e.value
        FROM json_array_elements(to_json(given)) WITH ORDINALITY AS e (value, n)
        ORDER BY e.n);
EXCEPTION
    WHEN invalid_text_representation OR untranslatable_character THEN
        RAISE '% has to be an array of JSON: %', name, SQLERRM
            USING ERRCODE = SQLSTATE;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.given_json_list(text, anyelement) IS
    'An argument that is a list of JSON, of an array of any type, or JSON with an array.';

CREATE FUNCTION howdah_internal.given_integer(name text, given bigint)
RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF given NOT BETWEEN -2147483648 AND 2147483647 THEN
        RAISE '% is %: it has to be from -2147483648 to 2147483647', name, given
            USING ERRCODE = 'numeric_value_out_of_range';
    END IF;
    RETURN given;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.given_integer(text, bigint) IS
    'An argument that is an integer: drivers send bigint as well.';

-- 5000 is meant as milliseconds in one language, and as seconds in another.
CREATE FUNCTION howdah_internal.given_interval(name text, given text)
RETURNS interval
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF given ~ '^[[:space:]]*[-+]?[0-9.]+[[:space:]]*$' AND given ~ '[1-9]' THEN
        RAISE '% is % without a unit: say ''% seconds'', for instance', name, given, btrim(given)
            USING ERRCODE = 'invalid_datetime_format';
    END IF;
    RETURN given::interval;
EXCEPTION
    WHEN invalid_datetime_format OR datetime_field_overflow OR interval_field_overflow THEN
        IF SQLERRM LIKE '% without a unit: %' THEN
            RAISE;
        END IF;
        RAISE '% has to be an interval, such as ''90 seconds'' or PT90S: %', name, SQLERRM
            USING ERRCODE = SQLSTATE;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.given_interval(text, text) IS
    'An argument that is an interval, of its text.';

CREATE FUNCTION howdah_internal.given_time(name text, given text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    RETURN given::timestamptz;
EXCEPTION
    WHEN invalid_datetime_format OR datetime_field_overflow OR invalid_parameter_value THEN
        RAISE '% has to be a time, such as 2030-01-31T12:00:00Z: %', name, SQLERRM
            USING ERRCODE = SQLSTATE;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.given_time(text, text) IS
    'An argument that is a time, of its text.';

CREATE FUNCTION howdah_internal.given_times(name text, given text[])
RETURNS timestamptz[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT CASE WHEN given IS NOT NULL THEN ARRAY(
        SELECT howdah_internal.given_time(name, e.value)
        FROM unnest(given) WITH ORDINALITY AS e (value, n)
        ORDER BY e.n) END
$howdah$;
COMMENT ON FUNCTION howdah_internal.given_times(text, text[]) IS
    'An argument that is an array of times, of their texts.';

CREATE FUNCTION howdah_internal.given_days(name text, given text[])
RETURNS date[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    RETURN given::date[];
EXCEPTION
    WHEN invalid_datetime_format OR datetime_field_overflow THEN
        RAISE '% has to be an array of days, such as 2030-01-31: %', name, SQLERRM
            USING ERRCODE = SQLSTATE;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.given_days(text, text[]) IS
    'An argument that is an array of days, of their texts.';

CREATE FUNCTION howdah_internal.for_drivers(names text[])
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    -- By the type with which a function is written: whether its argument is JSON or a time, the
    -- type of the variants for texts, and the function that converts that.
    forms CONSTANT jsonb := '{
        "json": ["json", "text", "given_json"],
        "jsonb": ["json", "text", "given_jsonb"],
        "json[]": ["json", "text", "given_json_list"],
        "integer": ["integer", "bigint", "given_integer"],
        "interval": ["interval", "text", "given_interval"],
        "timestamp with time zone": ["time", "text", "given_time"],
        "timestamp with time zone[]": ["time", "text[]", "given_times"],
        "date[]": ["time", "text[]", "given_days"]}';
    -- PostgreSQL 12 has no anycompatible: there it is jsonb.
    older CONSTANT boolean := current_setting('server_version_num')::integer < 130000;
    of_function record;
    argument record;
    any_first boolean;
    -- 0: all times are texts, 1: intervals are, 2: none
    own integer;
    is_text boolean;
    parameters text;
    arguments text;
    outputs text;
    type text;
    value text;
    -- the default; NULL where the argument cannot be left out
    usual text;
    called text;
BEGIN
    FOR of_function IN
        SELECT p.oid, p.proname AS name, p.prokind = 'p' AS is_procedure, p.proretset AS is_set,
            p.provolatile AS volatility, pg_get_function_result(p.oid) AS result,
            obj_description(p.oid, 'pg_proc') AS said, a.*
        FROM pg_proc p
        JOIN (
            SELECT g.oid AS of,
                json_agg(g ORDER BY g.n) AS all_of_it,
                min(g.n) FILTER (WHERE g.form = 'json') AS first_json,
                count(*) FILTER (WHERE g.form = 'json') AS jsons,
                -- how many of them need no variant with a text
                CASE WHEN (
                    SELECT count(*) > 1
                    FROM pg_proc s
                    JOIN pg_proc o ON o.proname = s.proname AND o.pronamespace = s.pronamespace
                    WHERE s.oid = g.oid) OR older THEN 0 ELSE 1 END AS alone,
                min(g.n) FILTER (WHERE g.form IN ('interval', 'time')) AS first_time,
                count(DISTINCT g.form) FILTER (WHERE g.form IN ('interval', 'time')) AS times,
                array_agg(g.n ORDER BY g.n)
                    FILTER (WHERE g.mode = 'i' AND g.type = 'text' AND g.usual IS NULL) AS texts,
                min(g.n) FILTER (WHERE g.usual IS NOT NULL) AS first_optional
            FROM (
                SELECT p.oid, a.n, a.name, format_type(a.type, NULL) AS type, a.mode,
                    forms -> format_type(a.type, NULL) ->> 0 AS form,
                    CASE WHEN a.mode IN ('i', 'b')
                        THEN pg_get_function_arg_default(p.oid, a.n::integer) END AS usual
                FROM pg_proc p
                CROSS JOIN unnest(
                    p.proargnames, COALESCE(p.proallargtypes, p.proargtypes::oid[]),
                    COALESCE(p.proargmodes, array_fill('i'::"char", ARRAY[p.pronargs::integer])))
                    WITH ORDINALITY AS a (name, type, mode, n)
                WHERE p.pronamespace = 'howdah_internal'::regnamespace
                    AND p.proname = ANY (names)) g
            GROUP BY g.oid) a ON a.of = p.oid
    LOOP
        FOR any_first, own IN
            SELECT j.any_first, t.own
            FROM unnest(
                CASE WHEN of_function.jsons > of_function.alone
                    AND of_function.first_json <= COALESCE(of_function.first_optional, 1000)
                    THEN ARRAY[false, true] ELSE ARRAY[NULL::boolean] END) AS j (any_first)
            CROSS JOIN unnest(CASE WHEN of_function.times = 0 THEN ARRAY[0]
                WHEN of_function.times = 2 AND cardinality(of_function.texts) > 1
                    THEN ARRAY[0, 1, 2] ELSE ARRAY[0, 2] END) AS t (own)
        LOOP
            parameters := '';
            arguments := '';
            outputs := '';
            FOR argument IN
                SELECT *
                FROM json_to_recordset(of_function.all_of_it) AS r (
                    n integer, name text, type text, mode text, form text, usual text)
                ORDER BY r.n
            LOOP
                CONTINUE WHEN argument.mode = 't';
                type := argument.type;
                is_text := argument.form = 'interval' AND own < 2
                    OR argument.form = 'time' AND own = 0;
                value := '$' || argument.n;
                usual := argument.usual;
                IF argument.mode = 'o' THEN
                    outputs := outputs || ', ' || value;
                    parameters := parameters || format(', OUT %I %s', argument.name, type);
                    CONTINUE;
                END IF;
                IF argument.form = 'json' THEN
                    type := CASE
                        WHEN any_first IS NULL OR argument.n <> of_function.first_json
                            THEN CASE WHEN older THEN 'jsonb' ELSE 'anycompatible' END
                        WHEN any_first THEN 'anyelement' ELSE 'text' END;
                    -- Only the variant with a text has a default. A default of another type than
                    -- the JSON that is given would have no common type with that.
                    usual := CASE type WHEN 'text' THEN usual
                        WHEN 'anyelement' THEN NULL ELSE left(usual, 0) || 'NULL' END;
                ELSIF argument.form = 'integer' OR is_text THEN
                    type := forms -> argument.type ->> 1;
                ELSIF argument.n = of_function.first_time AND of_function.texts IS NULL THEN
                    usual := NULL;
                ELSIF argument.n = ANY (of_function.texts[:own]) AND (own < 2
                    OR of_function.times = 2 OR argument.n = of_function.texts[1]) THEN
                    type := 'varchar';
                END IF;
                IF argument.form IN ('json', 'integer') OR is_text THEN
                    value := format('howdah_internal.%I(%L, %s)', forms -> argument.type ->> 2,
                        argument.name, value);
                END IF;
                IF usual ~ '^NULL::' THEN
                    usual := 'NULL';
                ELSIF type = 'text' AND argument.type <> 'text' THEN
                    usual := COALESCE(
                        substring(usual, '^(''[^'']*'')::'), '(' || usual || ')::text');
                END IF;
                IF argument.mode = 'i' AND argument.usual IS NOT NULL
                    AND argument.usual !~ '^NULL(::|$)' THEN
                    -- Without its type, and qualified: the body has the path of its caller.
                    value := format('COALESCE(%s, %s%s)', value,
                        CASE WHEN argument.usual ~ '^[a-z_]+[(]' THEN 'pg_catalog.' END,
                        regexp_replace(argument.usual, '''::[^'']*$', ''''));
                END IF;
                parameters := parameters || format(', %s%I %s%s',
                    CASE argument.mode WHEN 'b' THEN 'INOUT ' END, argument.name, type,
                    ' DEFAULT ' || usual);
                arguments := arguments || ', ' || value;
            END LOOP;
            called := format('howdah_internal.%I(%s)', of_function.name, substr(arguments, 3));
            -- In PL/pgSQL, which keeps the plan: a function in SQL takes twice as long.
            EXECUTE format('CREATE %s howdah.%I(%s) %s LANGUAGE plpgsql %s AS %L',
                CASE WHEN of_function.is_procedure THEN 'PROCEDURE' ELSE 'FUNCTION' END,
                of_function.name, substr(parameters, 3), 'RETURNS ' || of_function.result,
                CASE WHEN of_function.volatility = 's' THEN 'STABLE' END,
                'BEGIN ' || CASE
                    WHEN of_function.is_procedure THEN 'CALL '
                    WHEN of_function.is_set THEN 'RETURN QUERY SELECT * FROM '
                    WHEN outputs <> '' THEN format('SELECT * INTO %s FROM ', substr(outputs, 3))
                    WHEN of_function.result = 'void' THEN 'PERFORM '
                    ELSE 'RETURN ' END || called || '; END');
        END LOOP;
        EXECUTE (
            SELECT string_agg(format('COMMENT ON ROUTINE %s IS %L', p.oid::regprocedure,
                of_function.said), '; ')
            FROM pg_proc p
            WHERE p.pronamespace = 'howdah'::regnamespace AND p.proname = of_function.name
                AND obj_description(p.oid, 'pg_proc') IS NULL);
    END LOOP;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.for_drivers(text[]) IS
    'Makes of functions of these names those in the schema howdah, which take what drivers send.';

DO $howdah$
DECLARE
    each regprocedure;
BEGIN
    FOR each IN
        SELECT p.oid
        FROM pg_proc p
        WHERE p.pronamespace = 'howdah_internal'::regnamespace
            AND p.proname ~ '^(given_|for_drivers$)'
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', each);
    END LOOP;
END
$howdah$;
