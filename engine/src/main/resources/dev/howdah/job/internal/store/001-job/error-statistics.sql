-- Errors of failed jobs over time -----------------------------------------------------------------

CREATE TABLE howdah_internal.error_text (
    id uuid PRIMARY KEY,
    pattern text NOT NULL,
    first timestamptz NOT NULL,
    last timestamptz NOT NULL
);
CREATE INDEX error_text_last ON howdah_internal.error_text (last);
COMMENT ON TABLE howdah_internal.error_text IS
    'The errors of failed jobs of the last 35 days without what differs from job to job, and when '
    'each was first seen; up to 10,000 of them, further ones are counted together, as the empty '
    'one.';

CREATE TABLE howdah_internal.error_stat (
    error uuid NOT NULL,
    slot timestamptz NOT NULL,
    lane integer NOT NULL,
    kind text NOT NULL,
    jobs bigint NOT NULL,
    PRIMARY KEY (error, slot, lane, kind)
);
CREATE INDEX error_stat_slot ON howdah_internal.error_stat (slot);
COMMENT ON TABLE howdah_internal.error_stat IS
    'How many jobs have failed for good with each error, by ten minutes, in the last 35 days; also '
    'those that were retried since.';

CREATE TABLE howdah_internal.error_mark (
    upto timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE howdah_internal.error_mark REPLICA IDENTITY FULL;
COMMENT ON TABLE howdah_internal.error_mark IS
    'Jobs that failed up to then are in howdah_internal.error_stat.';
INSERT INTO howdah_internal.error_mark DEFAULT VALUES;

-- Adds up the errors of the next jobs that have failed, about so many of them, and removes what is
-- old. Returns how many jobs these were. Those of the last seconds wait: a transaction that failed
-- others before may be about to commit.
CREATE FUNCTION howdah_internal.add_up_errors(most integer)
RETURNS bigint
LANGUAGE plpgsql
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    mark timestamptz;
    next timestamptz;
    found bigint;
    room bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(1215264876, 7) THEN
        RETURN 0;
    END IF;
    -- The clock may have been ahead.
    SELECT LEAST(m.upto, now()) INTO mark FROM howdah_internal.error_mark m;
    SELECT 10000 - count(*) INTO room FROM (SELECT FROM howdah_internal.error_text LIMIT 10000) t;
    WITH failed AS MATERIALIZED (
        SELECT f.lane, f.kind, f.state, f.ended, f.error
        FROM howdah_internal.failed f
        WHERE f.ended > mark
            -- all of the last moment; WITH TIES is unknown to PostgreSQL 12
            AND f.ended <= (
                SELECT max(l.ended)
                FROM (
                    SELECT o.ended
                    FROM howdah_internal.failed o
                    WHERE o.ended > mark AND o.ended < now() - interval '15 s'
                    ORDER BY o.ended
                    LIMIT most) l)
    ), told AS (
        SELECT COALESCE(l.home, l.id) AS lane, f.kind, f.ended,
            to_timestamp(floor(extract(epoch FROM f.ended) / 600) * 600) AS slot,
            howdah.error_pattern(f.error) AS pattern
        FROM failed f
        JOIN howdah_internal.lane l ON l.id = f.lane
        WHERE f.state = 'failed' AND f.error IS NOT NULL
    ), errors AS (
        SELECT t.pattern, min(t.ended) AS first, max(t.ended) AS last,
            EXISTS (
                SELECT
                FROM howdah_internal.error_text k
                WHERE k.id = md5(t.pattern)::uuid) AS known,
            row_number() OVER (ORDER BY count(*) DESC) AS place
        FROM told t
        GROUP BY t.pattern
    ), kept AS (
        SELECT e.*, CASE WHEN e.known OR e.place <= LEAST(room, 200) THEN e.pattern ELSE '' END
            AS name
        FROM errors e
    ), named AS (
        INSERT INTO howdah_internal.error_text AS k (id, pattern, first, last)
        SELECT md5(e.name)::uuid, e.name, min(e.first), max(e.last)
        FROM kept e
        GROUP BY e.name
        ON CONFLICT (id) DO UPDATE SET last = GREATEST(k.last, EXCLUDED.last)
    ), added AS (
        INSERT INTO howdah_internal.error_stat AS s (error, slot, lane, kind, jobs)
        SELECT md5(e.name)::uuid, t.slot, t.lane, t.kind, count(*)
        FROM told t
        JOIN kept e ON e.pattern = t.pattern
        GROUP BY e.name, t.slot, t.lane, t.kind
        ON CONFLICT (error, slot, lane, kind) DO UPDATE SET jobs = s.jobs + EXCLUDED.jobs
    )
    SELECT count(*), max(f.ended) INTO found, next FROM failed f;
    IF next IS NOT NULL THEN
        UPDATE howdah_internal.error_mark m SET upto = next;
    END IF;
    DELETE FROM howdah_internal.error_stat s
    WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.error_stat o
        WHERE o.slot < now() - interval '35 days'
        ORDER BY o.slot
        LIMIT 1000));
    DELETE FROM howdah_internal.error_text t
    WHERE t.id = ANY (ARRAY(
        SELECT o.id
        FROM howdah_internal.error_text o
        WHERE o.last < now() - interval '35 days' OR room < 200
        ORDER BY o.last
        LIMIT 200));
    RETURN found;
END
$howdah$;
