-- Privileges --------------------------------------------------------------------------------------

ALTER FUNCTION howdah.allow(regrole, text) RENAME TO allow_jobs;

-- Runs with the privileges of its caller: only the owner of the tables can grant on them.
CREATE FUNCTION howdah.allow(role regrole, duty text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    tables CONSTANT text := 'howdah.log_done, howdah.log_entry, howdah.log_lease,'
        ' howdah.log_queue, howdah.log_reader, howdah.log_segment';
    given text;
BEGIN
    PERFORM howdah.allow_jobs(role, duty);
    FOREACH given IN ARRAY CASE WHEN duty IN ('producer', 'worker') THEN ARRAY[
            'SELECT ON howdah.log_queue, howdah.log_reader',
            'EXECUTE ON FUNCTION howdah.log_put(integer, text, text[], jsonb),'
                ' howdah.log_put_each(integer, text[], text[], jsonb[])'] ELSE '{}' END
        || CASE WHEN duty IN ('reader', 'operator', 'worker') THEN ARRAY[
            'SELECT ON ' || tables,
            'EXECUTE ON FUNCTION howdah.log_find(bigint), howdah.log_readers()'] ELSE '{}' END
        || CASE WHEN duty IN ('operator', 'worker') THEN ARRAY[
            'EXECUTE ON FUNCTION howdah.queue(text, text, interval),'
                ' howdah.add_reader(text, text, timestamptz),'
                ' howdah.seek_reader(text, text, timestamptz),'
                ' howdah.drop_reader(text, text)'] ELSE '{}' END
        || CASE WHEN duty = 'worker' THEN
            ARRAY['INSERT, UPDATE, DELETE ON ' || tables]
            || ARRAY(
                SELECT 'EXECUTE ON ROUTINE ' || p.oid::regprocedure
                FROM pg_proc p
                WHERE p.pronamespace = 'howdah'::regnamespace AND p.proname ~ '^log_') ELSE '{}' END
    LOOP
        EXECUTE format('GRANT %s TO %s', given, role);
    END LOOP;
END
$howdah$;
COMMENT ON FUNCTION howdah.allow(regrole, text) IS
    'Grants a role what a producer, reader, operator, worker or handler needs, and no more. To '
    'be called again after an upgrade.';
COMMENT ON FUNCTION howdah.allow_jobs(regrole, text) IS 'A part of howdah.allow.';

-- Functions are executable by PUBLIC unless that is revoked.
DO $howdah$
DECLARE
    each regprocedure;
BEGIN
    FOR each IN
        SELECT p.oid
        FROM pg_proc p
        WHERE p.pronamespace = 'howdah'::regnamespace
            AND (
                p.proname ~ '^log_'
                OR p.proname IN ('add_reader', 'allow', 'drop_reader', 'queue', 'seek_reader'))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', each);
    END LOOP;
END
$howdah$;
