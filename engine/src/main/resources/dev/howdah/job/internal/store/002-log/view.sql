-- Views and statistics: as before, and of log queues ----------------------------------------------

-- A job of a log queue that has no row but its entry.
CREATE FUNCTION howdah.log_find(of_job bigint)
RETURNS SETOF howdah.jobs
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    with_id bigint := of_job % 17592186044416;
    each record;
    entry howdah.log_entry;
    lease howdah.log_lease;
BEGIN
    IF NOT EXISTS (SELECT FROM howdah.log_queue)
        OR EXISTS (SELECT FROM howdah.job j WHERE j.id = of_job)
        OR EXISTS (SELECT FROM howdah.failed f WHERE f.id = of_job)
        OR EXISTS (
            SELECT
            FROM howdah.batch b
            WHERE b.first_id <= of_job AND b.last_id >= of_job AND of_job = ANY (b.ids)) THEN
        RETURN;
    END IF;
    FOR each IN
        SELECT r.lane, s.lane AS log, s.number, l.queue
        FROM howdah.log_reader r
        JOIN howdah.log_segment s ON s.lane = r.log
        JOIN howdah.lane l ON l.id = r.lane
        WHERE r.number = of_job / 17592186044416
        ORDER BY s.number DESC
    LOOP
        EXECUTE format(
            'SELECT e.* FROM howdah.%I e WHERE e.id = $1',
            howdah.log_segment_name(each.log, each.number))
        INTO entry USING with_id;
        CONTINUE WHEN entry.id IS NULL;
        SELECT * INTO lease
        FROM howdah.log_lease l
        WHERE l.reader = each.lane
            AND l.node IS NOT NULL
            AND l.segment = each.number
            AND (
                with_id > l.after AND with_id <= l.upto
                AND txid_visible_in_snapshot(entry.xid, l.seen)
                OR with_id > l.late_after AND with_id <= l.late_upto
                AND NOT txid_visible_in_snapshot(entry.xid, l.late_seen)
                AND txid_visible_in_snapshot(entry.xid, l.seen))
        LIMIT 1;
        RETURN QUERY
        SELECT of_job, each.queue, entry.kind,
            CASE
                WHEN lease.node IS NOT NULL THEN 'running'
                WHEN p.at_segment < each.number
                    OR p.at_segment = each.number
                    AND (
                        p.at_id < with_id OR NOT txid_visible_in_snapshot(entry.xid, p.at_seen))
                    THEN 'waiting'
                ELSE 'done'
            END,
            0::smallint, CASE WHEN lease.node IS NULL THEN 0 ELSE 1 END::smallint, entry.at,
            entry.at, lease.taken, NULL::timestamptz, lease.node, NULL::text, NULL::jsonb,
            entry.payload, NULL::date, NULL::text, entry.more -> 'tags', entry.more -> 'metadata'
        FROM howdah.log_lease p
        WHERE p.reader = each.lane
        ORDER BY p.n DESC
        LIMIT 1;
        RETURN;
    END LOOP;
END
$howdah$;

CREATE OR REPLACE FUNCTION howdah.find(id bigint)
RETURNS SETOF howdah.jobs
LANGUAGE sql STABLE
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT v.*
    FROM howdah.jobs v
    WHERE v.id = $1 AND v.state NOT IN ('running', 'done')
    UNION ALL
    SELECT v.* FROM howdah.jobs v WHERE v.id = $1 AND v.state = 'running'
    UNION ALL
    SELECT t.id, t.queue, t.kind, 'done', t.priority, t.attempt, t.created, t.run_at, t.begun_at,
        t.ended_at, t.node, NULL, t.result, t.payload, t.day, t.key, t.tags, t.metadata
    FROM howdah.taken t
    WHERE t.first_id <= $1
        AND t.last_id >= $1
        AND t.ended IS NOT NULL
        AND t.id = $1
        AND t.letter = 'd'
    UNION ALL
    SELECT v.* FROM howdah.log_find($1) v
$howdah$;

CREATE OR REPLACE VIEW howdah.stat_parts AS
WITH recent AS (
    SELECT b.*
    FROM howdah.batch b
    -- That an id is larger than one of another table looks to the planner like a third of all rows,
    -- for which it would read the whole history; between two ids it looks like one in 200.
    WHERE b.id > (SELECT m.upto FROM howdah.stat_mark m)
        AND b.id < 9223372036854775807
        AND b.ended IS NOT NULL
    UNION ALL
    SELECT b.*
    FROM howdah.stat_open o
    JOIN howdah.batch b ON b.id = o.batch
    WHERE b.ended IS NOT NULL
), each AS (
    SELECT date_trunc('minute', r.ended) AS minute, r.lane, COALESCE(r.kind, u.kind) AS kind,
        COALESCE(substr(r.outcomes, u.n::integer, 1), 'd') AS letter, u.run
    FROM recent r
    CROSS JOIN LATERAL unnest(r.ids, r.kinds, r.runs) WITH ORDINALITY AS u (id, kind, run, n)
)
SELECT date_trunc('minute', d.at) AS minute, d.lane, d.kind, sum(d.done)::bigint AS done,
    0::bigint AS retried, 0::bigint AS failed, 0::bigint AS cancelled, 0::bigint AS died,
    sum(d.run_micros)::bigint AS run_micros, max(d.run_max_micros) AS run_max_micros
FROM howdah.log_done d
GROUP BY date_trunc('minute', d.at), d.lane, d.kind
UNION ALL
SELECT s.minute, s.lane, s.kind, s.done, s.retried, s.failed, s.cancelled, s.died, s.run_micros,
    s.run_max_micros
FROM howdah.stat s
UNION ALL
SELECT e.minute, e.lane, e.kind, count(*) FILTER (WHERE e.letter IN ('d', 'n')),
    count(*) FILTER (WHERE e.letter = 'r'), count(*) FILTER (WHERE e.letter = 'f'),
    count(*) FILTER (WHERE e.letter = 'c'), count(*) FILTER (WHERE e.letter = 'x'),
    COALESCE(sum(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0),
    COALESCE(max(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0)
FROM each e
WHERE e.letter IN ('d', 'n', 'r', 'f', 'c', 'x')
GROUP BY e.minute, e.lane, e.kind;
