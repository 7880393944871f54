-- Jobs, version 13: the ids of many jobs that were added by one statement, without that statement telling them.

-- name: version
INSERT INTO howdah.migration (feature, version) VALUES ('job', 13);

-- name: added
-- Everybody may call it: whoever adds without a function may read the ids of jobs, but not who wrote them.
CREATE FUNCTION howdah.added(before bigint, last bigint) RETURNS bigint[] LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
    SELECT array_agg(j.id ORDER BY j.id) FROM howdah.job j
    WHERE j.id > before AND j.id <= last AND j.xmin = (SELECT l.xmin FROM howdah.job l WHERE l.id = last)
$howdah$;
COMMENT ON FUNCTION howdah.added(bigint, bigint) IS
    'The ids after the first and up to the last of those jobs that were added by the transaction, or part of one between savepoints, that added the last.';
