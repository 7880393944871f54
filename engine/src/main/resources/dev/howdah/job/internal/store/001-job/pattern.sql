-- The first line of an error, up to 500 characters, without what differs from job to job: ids,
-- numbers and quoted parts, each of which is three dots. In plain SQL, so that it becomes part of
-- the statement that calls it.
CREATE FUNCTION howdah.error_pattern(error text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $howdah$
    SELECT pg_catalog.regexp_replace(
        pg_catalog.regexp_replace(
            pg_catalog.regexp_replace(
                pg_catalog.left(pg_catalog.split_part($1, E'\n', 1), 500),
                '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', '...', 'gi'),
            '"[^"]*"|''[^'']*''', '"..."', 'g'),
        E'\\d+', '...', 'g')
$howdah$;
COMMENT ON FUNCTION howdah.error_pattern(text) IS
    'The first line of an error with three dots for each id, number and quoted part.';
