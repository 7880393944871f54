-- Jobs, version 12: the ids of many jobs that were added by one statement, without that statement telling them.

-- name: version
INSERT INTO howdah.migration (feature, version) VALUES ('job', 12);

-- name: added
-- Whoever adds without a function may read the ids of jobs, but not who wrote them.
CREATE FUNCTION howdah.added(before bigint, last bigint) RETURNS bigint[] LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
    SELECT array_agg(j.id ORDER BY j.id) FROM howdah.job j
    WHERE j.id > before AND j.id <= last AND j.xmin = (SELECT l.xmin FROM howdah.job l WHERE l.id = last)
$howdah$;
COMMENT ON FUNCTION howdah.added(bigint, bigint) IS
    'The ids after the first and up to the last of those jobs that were added by the transaction, or part of one between savepoints, that added the last.';

-- name: allowed
-- Producers of before need not be allowed anew.
DO $howdah$
DECLARE
    producer regrole;
BEGIN
    FOR producer IN
        SELECT DISTINCT a.grantee::regrole FROM pg_proc p, aclexplode(p.proacl) a
        WHERE p.oid = 'howdah.add_many(text, text, json[], integer, timestamptz, interval, integer, interval)'::regprocedure
            AND a.privilege_type = 'EXECUTE' AND a.grantee NOT IN (0, p.proowner) LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION howdah.added(bigint, bigint) TO %s', producer);
    END LOOP;
END
$howdah$;

-- name: close
REVOKE EXECUTE ON FUNCTION howdah.added(bigint, bigint) FROM PUBLIC;
