-- How long jobs that have ended are kept ----------------------------------------------------------

-- As howdah.retain, which finds the archive by the search_path of its caller.
CREATE FUNCTION howdah_internal.put_retention(
    queue text, outcome text, keep interval, archive text, to_table regclass,
    to_function regprocedure)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
BEGIN
    IF $1 IS NOT NULL THEN
        PERFORM howdah_internal.check_known('queue', $1);
    END IF;
    IF COALESCE($2, '') NOT IN ('done', 'failed', 'cancelled') THEN
        RAISE 'the outcome is %: it has to be done, failed or cancelled',
            COALESCE('"' || $2 || '"', 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF $3 < interval '0' OR $3 > interval '100000 days' THEN
        RAISE 'a retention of %: it has to be from 0 to 100000 days', $3
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'NULL: as long as the nodes say.';
    ELSIF $4 IS NOT NULL AND $3 IS NULL THEN
        RAISE 'the archive "%" without a retention: it gets what is removed then', $4
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF $4 IS NOT NULL AND $5 IS NULL AND $6 IS NULL THEN
        RAISE 'there is no table "%", and no function "%(jsonb)"', $4, $4
            USING ERRCODE = 'undefined_object',
            HINT = 'A table that fits: CREATE TABLE job_archive (LIKE howdah.jobs).';
    END IF;
    IF $3 IS NULL THEN
        WITH gone AS (
            DELETE FROM howdah.retention r
            WHERE COALESCE(r.queue, '') = COALESCE($1, '') AND r.outcome = $2
            RETURNING r.id
        )
        DELETE FROM howdah_internal.retention_late t WHERE t.rule IN (SELECT g.id FROM gone g);
    ELSE
        INSERT INTO howdah.retention AS r (queue, outcome, keep, archive)
        VALUES ($1, $2, $3, CASE WHEN $5 IS NOT NULL THEN $5::text ELSE split_part($6::text, '(', 1)
            END)
        ON CONFLICT (COALESCE(queue, ''), outcome) DO UPDATE
        SET keep = EXCLUDED.keep, archive = EXCLUDED.archive, by_default = false, error = NULL,
            next_at = now();
    END IF;
    -- From the beginning: the row for all queues is for others now.
    UPDATE howdah.retention r
    SET upto = 0, next_at = now()
    WHERE r.outcome = $2 AND (r.queue IS NULL OR r.queue = $1);
END
$howdah$;

CREATE FUNCTION howdah_internal.retain(
    queue text, outcome text, keep interval, archive text DEFAULT NULL)
RETURNS void
LANGUAGE sql
AS $howdah$
    SELECT howdah_internal.put_retention(
        $1, $2, $3, $4, pg_catalog.to_regclass($4),
        pg_catalog.to_regprocedure($4 OPERATOR(pg_catalog.||) '(pg_catalog.jsonb)'))
$howdah$;
COMMENT ON FUNCTION howdah_internal.retain(text, text, interval, text) IS
    'How long the jobs of a queue (NULL: of all queues that have no retention of their own) are '
    'kept that are done, failed or cancelled; NULL: as long as the nodes say. archive: the name of '
    'a table, or of a function that takes jsonb, which gets the jobs that are removed, in the '
    'same transaction.';

-- Whether a retention is for the jobs of that lane.
CREATE FUNCTION howdah_internal.retention_has(rule howdah.retention, of_lane integer)
RETURNS boolean
LANGUAGE sql STABLE
AS $howdah$
    SELECT CASE WHEN rule.queue IS NOT NULL THEN l.queue = rule.queue
        ELSE NOT EXISTS (
            SELECT
            FROM howdah.retention r
            WHERE r.queue = l.queue AND r.outcome = rule.outcome) END
    FROM howdah_internal.lane l
    WHERE l.id = of_lane
$howdah$;

-- Gives jobs that are removed to the archive of a retention, with the privileges of the node.
CREATE FUNCTION howdah_internal.retention_archive(archive text, jobs jsonb)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF archive IS NULL OR jobs IS NULL THEN
        RETURN;
    ELSIF to_regclass(archive) IS NOT NULL THEN
        EXECUTE format(
            'INSERT INTO %s SELECT r.* FROM jsonb_populate_recordset(NULL::%1$s, $1) r', archive)
        USING jobs;
    ELSE
        EXECUTE format('SELECT %s($1)', archive) USING jobs;
    END IF;
END
$howdah$;

-- The next jobs of a retention that failed or were cancelled and whose time is over.
CREATE FUNCTION howdah_internal.retention_over(rule howdah.retention, most integer)
RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    -- From lane to lane along the index: of most there are no such jobs. By state and end, which
    -- only that index has.
    RETURN ARRAY(
        WITH RECURSIVE lanes AS (
            (SELECT f.lane FROM howdah_internal.failed f ORDER BY f.lane LIMIT 1)
            UNION ALL
            SELECT (
                SELECT f.lane
                FROM howdah_internal.failed f
                WHERE f.lane > l.lane
                ORDER BY f.lane
                LIMIT 1)
            FROM lanes l
            WHERE l.lane IS NOT NULL
        )
        SELECT d.id
        FROM lanes l
        CROSS JOIN LATERAL (
            SELECT f.id
            FROM howdah_internal.failed f
            WHERE f.lane = l.lane
                AND (f.state, f.ended) >= (rule.outcome, '-infinity')
                AND (f.state, f.ended) < (rule.outcome, now() - rule.keep)
            ORDER BY f.state, f.ended
            LIMIT most
            FOR UPDATE SKIP LOCKED) d
        WHERE howdah_internal.retention_has(rule, l.lane)
        LIMIT most);
END
$howdah$;

-- These jobs that failed or were cancelled, as an archive gets them.
CREATE FUNCTION howdah_internal.retention_ended(ids bigint[], outcome text)
RETURNS jsonb
LANGUAGE sql STABLE
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT jsonb_agg(to_jsonb(v))
    FROM (
        SELECT j.id, j.queue, j.kind, j.state, j.priority, j.attempt, j.created, j.run_at, j.begun,
            j.ended, j.node, j.error, j.result, howdah_internal.payload_jsonb(j.payload) AS payload,
            j.day, j.key, j.tags, j.metadata
        FROM howdah.jobs j
        WHERE j.id = ANY ($1) AND j.state = $2) v
$howdah$;

CREATE FUNCTION howdah_internal.retention_drop(ids bigint[])
RETURNS void
LANGUAGE plpgsql
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    DELETE FROM howdah_internal.body b WHERE b.job = ANY (ids);
    DELETE FROM howdah_internal.failed f WHERE f.id = ANY (ids);
END
$howdah$;

-- One step of a retention of jobs that failed or were cancelled: how many were removed. The archive
-- has the settings of the session.
CREATE FUNCTION howdah_internal.retention_failed(rule howdah.retention, most integer)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    ids bigint[] := howdah_internal.retention_over(rule, most);
BEGIN
    IF cardinality(ids) > 0 AND rule.archive IS NOT NULL THEN
        PERFORM howdah_internal.retention_archive(
            rule.archive, howdah_internal.retention_ended(ids, rule.outcome));
    END IF;
    IF cardinality(ids) > 0 THEN
        PERFORM howdah_internal.retention_drop(ids);
    END IF;
    RETURN cardinality(ids);
END
$howdah$;

-- Looks at some batches after the mark of a retention of what is done, moves the mark, and returns
-- those whose time is over and that are in the statistics. What has not ended is looked at again.
CREATE FUNCTION howdah_internal.retention_following(
    rule howdah.retention, most integer, OUT seen bigint, OUT going bigint[])
LANGUAGE plpgsql
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    until timestamptz := now() - rule.keep;
    mark bigint;
BEGIN
    seen := 0;
    going := '{}';
    -- Whole days for all queues go with their tables.
    IF rule.queue IS NULL
        AND rule.archive IS NULL
        AND rule.keep >= interval '1 day'
        AND NOT EXISTS (
            SELECT
            FROM howdah.retention r
            WHERE r.outcome = 'done' AND r.keep > rule.keep) THEN
        RETURN;
    END IF;
    WITH following AS (
        SELECT b.id, b.lane, b.taken, b.ended, b.jobs
        FROM howdah_internal.batch b
        WHERE b.id > rule.upto AND b.id <= (SELECT m.upto FROM howdah_internal.stat_mark m)
        ORDER BY b.id
        LIMIT most
    ), sized AS (
        SELECT f.*, sum(f.jobs) FILTER (WHERE f.mine) OVER (ORDER BY f.id) AS total,
            min(f.id) FILTER (WHERE f.taken >= until) OVER () AS young
        FROM (SELECT g.*, howdah_internal.retention_has(rule, g.lane) AS mine FROM following g) f
    ), old AS (
        SELECT s.id, s.mine,
            s.ended < until AND NOT EXISTS (
                SELECT
                FROM howdah_internal.stat_open o
                WHERE o.batch = s.id) AS over
        FROM sized s
        WHERE (s.young IS NULL OR s.id < s.young)
            AND (s.total IS NULL OR s.total - s.jobs < 2 * most)
    ), late AS (
        SELECT t.batch AS id
        FROM howdah_internal.retention_late t
        WHERE t.rule = rule.id
            AND NOT EXISTS (SELECT FROM howdah_internal.stat_open o WHERE o.batch = t.batch)
            AND COALESCE((SELECT b.ended FROM howdah_internal.batch b WHERE b.id = t.batch
                LIMIT 1) < until,
                NOT EXISTS (SELECT FROM howdah_internal.batch b WHERE b.id = t.batch))
        LIMIT 100
    ), noted AS (
        INSERT INTO howdah_internal.retention_late (rule, batch)
        SELECT rule.id, o.id
        FROM old o
        WHERE o.mine AND o.over IS NOT TRUE
        ON CONFLICT DO NOTHING
    ), struck AS (
        DELETE FROM howdah_internal.retention_late t
        WHERE t.rule = rule.id AND t.batch IN (SELECT a.id FROM late a)
    )
    SELECT
        CASE WHEN (SELECT count(*) FROM old)
            < (SELECT count(*) FROM sized s WHERE s.young IS NULL OR s.id < s.young)
            THEN most ELSE (SELECT count(*) FROM old) END,
        (SELECT max(o.id) FROM old o),
        ARRAY(
            SELECT o.id
            FROM old o
            WHERE o.mine AND o.over
            UNION
            SELECT a.id
            FROM late a)
    INTO seen, mark, going;
    IF mark IS NOT NULL THEN
        UPDATE howdah.retention r SET upto = mark WHERE r.id = rule.id;
    END IF;
END
$howdah$;

-- The jobs of these batches that are done, as an archive gets them.
CREATE FUNCTION howdah_internal.retention_jobs(batches bigint[])
RETURNS jsonb
LANGUAGE sql STABLE
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT jsonb_agg(to_jsonb(v))
    FROM (
        SELECT t.id, t.queue, t.kind, 'done' AS state, t.priority, t.attempt, t.created, t.run_at,
            t.begun_at AS begun, t.ended_at AS ended, t.node, NULL AS error, t.result,
            howdah_internal.payload_jsonb(t.payload) AS payload, t.day, t.key, t.tags, t.metadata
        FROM howdah.taken t
        WHERE t.batch = ANY ($1) AND t.letter = 'd') v
$howdah$;

-- Removes these batches, with the log and the progress of their jobs that are done: how many.
CREATE FUNCTION howdah_internal.retention_remove(batches bigint[])
RETURNS bigint
LANGUAGE plpgsql
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    ids bigint[] := ARRAY(
        SELECT t.id
        FROM howdah.taken t
        WHERE t.batch = ANY (batches) AND t.letter = 'd');
BEGIN
    DELETE FROM howdah.log l WHERE l.job = ANY (ids);
    DELETE FROM howdah.progress p WHERE p.job = ANY (ids);
    DELETE FROM howdah_internal.batch b WHERE b.id = ANY (batches);
    RETURN cardinality(ids);
END
$howdah$;

-- One step of a retention of jobs that are done.
CREATE FUNCTION howdah_internal.retention_done(
    rule howdah.retention, most integer, OUT seen bigint, OUT removed bigint)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    going bigint[];
BEGIN
    SELECT f.seen, f.going INTO seen, going FROM howdah_internal.retention_following(rule, most) f;
    IF cardinality(going) > 0 AND rule.archive IS NOT NULL THEN
        PERFORM howdah_internal.retention_archive(rule.archive,
            howdah_internal.retention_jobs(going));
    END IF;
    removed := CASE WHEN cardinality(going) > 0 THEN howdah_internal.retention_remove(going)
        ELSE 0 END;
END
$howdah$;

-- One step of the retention that is due next; rule is NULL: none is due, or another session does
-- it. One session does it at a time: what is given to an archive is removed in the same
-- transaction, by the same session. problem: what is wrong, the first time.
CREATE FUNCTION howdah_internal.retention_step(most integer, OUT rule integer, OUT problem text)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    due howdah.retention;
    seen bigint := 0;
    gone bigint := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(1215264876, 5) THEN
        RETURN;
    END IF;
    SELECT * INTO due
    FROM howdah.retention r
    WHERE r.next_at <= clock_timestamp()
    ORDER BY r.next_at
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    rule := due.id;
    BEGIN
        IF due.outcome = 'done' THEN
            SELECT d.seen, d.removed INTO seen, gone
                FROM howdah_internal.retention_done(due, most) d;
        ELSE
            gone := howdah_internal.retention_failed(due, most);
            seen := gone;
        END IF;
    EXCEPTION WHEN OTHERS THEN
        problem := left(SQLERRM, 1000);
        seen := 0;
        gone := 0;
    END;
    UPDATE howdah.retention r
    SET removed = r.removed + gone, error = problem,
        next_at = CASE WHEN seen >= most THEN now()
            WHEN problem IS NOT NULL THEN clock_timestamp() + interval '1 minute'
            ELSE clock_timestamp()
                + LEAST(GREATEST(r.keep / 10, interval '10 seconds'), interval '10 minutes') END
    WHERE r.id = due.id;
    IF problem = due.error THEN
        problem := NULL;
    END IF;
END
$howdah$;
