-- The end of jobs with keys -----------------------------------------------------------------------

-- After jobs have ended or gone back to their lanes, in the same transaction: their keys become
-- free, or the following jobs take their place. A job that has recorded steps, has waited, or has
-- passed a stage of its pipeline, is not cancelled because a newer version waits. Waits for no
-- lock. over: it is known that none of them runs.
CREATE FUNCTION howdah_internal.keys_settle(jobs bigint[], over boolean)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    mine bigint[];
    gone bigint[];
    back bigint[];
    replaced bigint[];
    unread boolean;
BEGIN
    SELECT array_agg(k.job) INTO mine
    FROM (
        SELECT o.job
        FROM howdah_internal.key o
        WHERE o.job = ANY (jobs) AND o.ended IS NULL
        ORDER BY o.job
        FOR UPDATE SKIP LOCKED) k;
    INSERT INTO howdah_internal.key_late (job)
    SELECT k.job FROM howdah_internal.key k
    WHERE k.job = ANY (jobs) AND k.ended IS NULL AND k.job <> ALL (COALESCE(mine, '{}'));
    IF mine IS NULL THEN
        RETURN;
    END IF;
    -- One statement, hence one snapshot: a job is in one place at a time.
    SELECT array_agg(k.job) FILTER (
            WHERE k.waits
                AND k.next IS NOT NULL
                -- What has done a part of its work does the rest of it, and the newer one waits.
                AND NOT EXISTS (SELECT FROM howdah_internal.job_step s WHERE s.job = k.job)
                AND NOT EXISTS (
                    SELECT
                    FROM howdah_internal.job j
                    WHERE j.id = k.job AND j.more ?| '{stages,waits}')),
        array_agg(k.job) FILTER (WHERE NOT k.waits AND NOT CASE WHEN over THEN false ELSE EXISTS (
            SELECT FROM howdah_internal.batch b
            WHERE b.ended IS NULL
                AND b.first_id <= k.job
                AND b.last_id >= k.job
                AND k.job = ANY (b.ids)) END),
        EXISTS (
            SELECT
            FROM howdah_internal.job_signal s
            WHERE s.job = ANY (mine) AND s.read IS NULL AND s.creates IS NOT NULL)
    INTO back, gone, unread
    FROM (SELECT o.job, o.next,
        EXISTS (SELECT FROM howdah_internal.job j WHERE j.id = o.job) AS waits
          FROM howdah_internal.key o WHERE o.job = ANY (mine)) k;
    IF back IS NOT NULL THEN
        -- It would be tried again while a newer one waits for it to end.
        WITH old AS (
            DELETE FROM howdah_internal.job j
            WHERE j.id = ANY (
                ARRAY(SELECT o.id FROM howdah_internal.job o WHERE o.id = ANY (back)
                    FOR UPDATE SKIP LOCKED))
            RETURNING j.*
        ), kept AS (
            INSERT INTO howdah_internal.failed (
                id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
            SELECT o.id, o.lane, 'cancelled', o.kind, o.priority, o.attempt, o.deaths, o.run_at,
                'a newer version took its place', o.payload, o.more
            FROM old o
        )
        SELECT array_agg(o.id) INTO replaced FROM old o;
        INSERT INTO howdah_internal.key_late (job)
        SELECT b.job
        FROM unnest(back) AS b (job)
        WHERE b.job <> ALL (COALESCE(replaced, '{}'));
        gone := gone || replaced;
    END IF;
    IF gone IS NULL THEN
        RETURN;
    END IF;
    IF unread THEN
        PERFORM howdah_internal.signals_pass_on(gone);
    END IF;
    WITH next AS (
        DELETE FROM howdah_internal.follower f
        USING howdah_internal.key k
        WHERE k.job = ANY (gone) AND f.id = k.next
        RETURNING f.*
    ), added AS (
        INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
        SELECT n.id, n.lane, n.kind, n.priority, n.run_at, n.payload, n.more
        FROM next n
    )
    SELECT array_agg(DISTINCT n.lane) INTO replaced FROM next n;
    PERFORM howdah_internal.ring(r.lane::integer) FROM unnest(replaced) AS r (lane);
    DELETE FROM howdah_internal.key k
    WHERE k.job = ANY (gone)
        AND k.next IS NULL
        AND k.version IS NULL
        AND (k.until IS NULL OR k.until <= clock_timestamp());
    UPDATE howdah_internal.key k
    SET job = COALESCE(k.next, k.job), next = NULL,
        ended = CASE WHEN k.next IS NULL THEN clock_timestamp() END
    WHERE k.job = ANY (gone);
END
$howdah$;

-- Does now what could not be done when those jobs ended. Waits for no lock.
CREATE FUNCTION howdah_internal.keys_late()
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    jobs bigint[];
BEGIN
    WITH noted AS (
        DELETE FROM howdah_internal.key_late t
        WHERE t.ctid = ANY (
            ARRAY(SELECT o.ctid FROM howdah_internal.key_late o LIMIT 1000 FOR UPDATE SKIP LOCKED))
        RETURNING t.job
    )
    SELECT array_agg(DISTINCT n.job) INTO jobs FROM noted n;
    IF jobs IS NOT NULL THEN
        PERFORM howdah_internal.keys_settle(jobs, false);
    END IF;
END
$howdah$;
